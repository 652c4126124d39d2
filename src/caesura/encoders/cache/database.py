# SPDX-License-Identifier: Apache-2.0
"""The SQLite file of the cache: its place and limit, tables, eviction, checksums of rows, and probes of encoders.

The weights of a server cannot be hashed. Such an encoder has an attribute ``probe``, a text and its vector, set when it was
opened, which identifies the model. It is stored with the fingerprint, not among the vectors, so it is never evicted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import sys
import time
from pathlib import Path

import numpy as np

from caesura.encoders.base import Encoder, Vectors, check_vectors, text_hash
from caesura.errors import EncoderError

__all__ = ["cache_folder", "cache_limit", "open_database", "open_for_reading"]

Probe = tuple[str, Vectors]
"""A text and its vector."""
_NEAR = 0.045  # of the longer vector's length, about a cosine of 0.999; servers are not exact to the last digit
_CHECKSUM = 8
DEFAULT_LIMIT = 2 << 30
"""The default limit in bytes of vectors."""
_APPLICATION = 0x43_61_65_73  # "Caes", to recognise files of other programs
_VERSION = 2
_PATIENCE = 60.0  # seconds to wait for another writing process
_EVICT_TO = 0.9  # evict down to this share of the limit, so that not every batch evicts
_EMPTY = 0.25  # maximum share of empty pages in the file, which new vectors fill
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS encoders (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, name TEXT NOT NULL, dim INTEGER NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0, probe BLOB);
CREATE TABLE IF NOT EXISTS vectors (
    encoder INTEGER NOT NULL, text BLOB NOT NULL, used INTEGER NOT NULL, checksum BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS by_text ON vectors (encoder, text);
CREATE INDEX IF NOT EXISTS by_use ON vectors (used);
CREATE TRIGGER IF NOT EXISTS counted AFTER INSERT ON vectors BEGIN
    UPDATE encoders SET entries = entries + 1, bytes = bytes + length(NEW.data) WHERE id = NEW.encoder; END;
CREATE TRIGGER IF NOT EXISTS discounted AFTER DELETE ON vectors BEGIN
    UPDATE encoders SET entries = entries - 1, bytes = bytes - length(OLD.data) WHERE id = OLD.encoder; END;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""  # noqa: S608  (two integers of ours)


def open_database(path: Path) -> sqlite3.Connection:
    """Open or create the file; a file of another program is refused."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        there = _has_tables(connection)
        # Effective before the first page is written; in an existing file, after the next VACUUM.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _write_ahead(connection)
        # Safe if a process is killed; a power failure may lose the last commits, which are then encoded again.
        connection.execute("PRAGMA synchronous = NORMAL")
        if not there:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a file that may be read only, on a medium or in a folder that takes no writing."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        # Nobody writes, or else the checksums of the rows tell. Without this, SQLite wants to write a file beside it.
        address += "&immutable=1"
    connection = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
    try:
        _has_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Return whether there are tables; refuse those of another program."""
    # Query the tables first: another process may create them, with their mark, between these queries.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if tables and marks != [_APPLICATION, _VERSION]:
        raise sqlite3.DatabaseError("it is not a cache of this version of Caesura")
    return bool(tables)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Enable write-ahead mode; SQLite does not wait while another process does the same."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def drop(connection: sqlite3.Connection, fingerprint: str | None) -> int:
    """Drop the vectors of one encoder, or of all, and return their number."""
    connection.execute("BEGIN IMMEDIATE")
    where, values = ("", ()) if fingerprint is None else (" WHERE fingerprint = ?", (fingerprint,))
    count = 0
    for (number,) in connection.execute(f"SELECT id FROM encoders{where}", values).fetchall():  # noqa: S608
        count += connection.execute("DELETE FROM vectors WHERE encoder = ?", (number,)).rowcount
        connection.execute("DELETE FROM encoders WHERE id = ?", (number,))
    connection.execute("COMMIT")
    # The space is returned to the system if no other process is active, or else reused.
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def evict(connection: sqlite3.Connection, limit: int) -> bool:
    """Drop the least recently used vectors until the rest is within the limit; return whether any were dropped."""
    (total,) = connection.execute("SELECT total(bytes) FROM encoders").fetchone()
    if total <= limit:
        return False
    excess, numbers = total - _EVICT_TO * limit, []
    for number, size in connection.execute("SELECT rowid, length(data) FROM vectors ORDER BY used, rowid"):
        if excess <= 0:
            break
        excess -= size
        numbers.append((number,))
    connection.executemany("DELETE FROM vectors WHERE rowid = ?", numbers)
    return True


def shrink(connection: sqlite3.Connection) -> None:
    """Return the space of dropped vectors to the system if it is a large part of the file."""
    (empty,) = connection.execute("PRAGMA freelist_count").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if empty > _EMPTY * pages:
        # Each step frees one page, and execute() steps once; a script runs to the end.
        connection.executescript("PRAGMA incremental_vacuum;")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # does not wait


def checksum_of(fingerprint: str, key: bytes, dim: int, data: bytes) -> bytes:
    """Return the checksum of a row: eight bytes."""
    # Covers everything that identifies the vector, so that a misplaced row is detected too.
    head = f"{fingerprint}\0{dim}\0".encode() + key
    return hashlib.blake2b(head + data, digest_size=8).digest()


def cache_folder() -> Path:
    """Return the folder of the cache: ``CAESURA_CACHE``, or the system's folder for caches."""
    named = os.environ.get("CAESURA_CACHE")
    if named:
        return Path(named).expanduser()
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "caesura"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "caesura" / "Cache"
    # The XDG specification requires relative paths to be ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (given if given.is_absolute() else home / ".cache") / "caesura"


def cache_limit() -> int:
    """Return the size limit in bytes: ``CAESURA_CACHE_LIMIT`` (``500MB``, ``2GB``), or 2 GiB."""
    text = os.environ.get("CAESURA_CACHE_LIMIT", "")
    if not text:
        return DEFAULT_LIMIT
    number = text.upper().removesuffix("B").strip()
    factor = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}.get(number[-1:], 1)
    digits = number[:-1] if factor > 1 else number
    if not digits.strip().isdecimal():
        raise EncoderError(f"CAESURA_CACHE_LIMIT is {text!r}; write a number of bytes, or a size such as 500MB or 2GB")
    return int(digits) * factor


def probe_of(encoder: Encoder) -> Probe | None:
    """Return the probe of an encoder, or None if its fingerprint identifies it."""
    match getattr(encoder, "probe", None):
        case (str(text), vector):
            return text, check_vectors([vector], 1, encoder.dim, f"{encoder.name}, probe")[0]
    return None


def _alike(before: Vectors, now: Vectors) -> bool:
    """Return whether two vectors of the probe come from the same model: their difference is relatively small.

    Examples
    --------
    >>> one = np.array([3, 4], np.float32)
    >>> _alike(one, one * np.float32(1.001)), _alike(one, 2 * one), _alike(one, 0 * one), _alike(0 * one, 0 * one)
    (True, False, False, True)
    """
    one, two = before.astype(np.float64), now.astype(np.float64)
    longest = max(np.linalg.norm(one), np.linalg.norm(two))
    return bool(np.linalg.norm(one - two) <= _NEAR * longest)


def check_unchanged(before: Vectors, now: Vectors, name: str, fingerprint: str) -> None:
    """Refuse cached vectors of a model that has changed."""
    if not _alike(before, now):
        raise EncoderError(
            f"{name} gives other vectors than the cached ones, so its model has changed; "
            f"clear them: caesura cache clear --encoder {fingerprint}"
        )


def pack_probe(fingerprint: str, probe: Probe) -> bytes:
    """Return the stored bytes of a probe: a checksum of text and vector, and the vector."""
    text, vector = probe
    data = np.ascontiguousarray(vector, dtype="<f4").tobytes()
    return checksum_of(fingerprint, text_hash(text), len(vector), data) + data


def unpack_probe(fingerprint: str, probe: Probe, kept: object) -> Vectors | None:
    """Return the stored vector of the same text, or None if there is none or it is damaged."""
    text, now = probe
    if not isinstance(kept, bytes):
        return None
    checksum, data = kept[:_CHECKSUM], kept[_CHECKSUM:]
    if len(data) != 4 * len(now) or checksum != checksum_of(fingerprint, text_hash(text), len(now), data):
        return None
    return np.frombuffer(data, "<f4").astype(np.float32)
