# SPDX-License-Identifier: Apache-2.0
"""The SQLite file of the cache: tables, opening, eviction, and the checksum of a row."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from pathlib import Path

__all__ = ["checksum_of", "drop", "evict", "open_database", "open_for_reading", "shrink"]

_APPLICATION = 0x43_61_65_73  # "Caes", to recognise files of other programs
_VERSION = 2  # version 1 stored the probe of a server among its vectors
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
        _prepare(connection)
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
        _version_of(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the tables, 0 if there are none; refuse those of another program."""
    # Query the tables first: another process may create them, with their mark, between these queries.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if tables and (application != _APPLICATION or version not in (1, _VERSION)):
        raise sqlite3.DatabaseError("it is not a cache of this version of Caesura")
    return int(version) if tables else 0


def _prepare(connection: sqlite3.Connection) -> None:
    version = _version_of(connection)
    # Effective before the first page is written; in an existing file, after the next VACUUM.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _write_ahead(connection)
    # Safe if a process is killed; a power failure may lose the last commits, which are then encoded again.
    connection.execute("PRAGMA synchronous = NORMAL")
    if not version:
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
    elif version == 1:
        _upgrade(connection)


def _upgrade(connection: sqlite3.Connection) -> None:
    """Add the column of probes to a file of version 1; vectors that lack a required probe are dropped on use."""
    connection.execute("BEGIN IMMEDIATE")
    # Checked again: another process may have upgraded it in the meantime.
    if connection.execute("PRAGMA user_version").fetchone() == (1,):
        connection.execute("ALTER TABLE encoders ADD COLUMN probe BLOB")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


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
