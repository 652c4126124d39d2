# SPDX-License-Identifier: Apache-2.0
"""The SQLite file of the cache: its tables, how it is opened, how it is kept small, and the checksum of a row."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from pathlib import Path

__all__ = ["checksum_of", "evict", "open_database", "shrink"]

_APPLICATION = 0x43_61_65_73  # "Caes", so that another program's file is not taken for ours
_VERSION = 2  # 1 kept the probe of a server among its vectors
_PATIENCE = 60.0  # seconds to wait for another process that is writing
_EVICT_TO = 0.9  # down to this share of the limit, so that not every batch evicts
_EMPTY = 0.25  # share of a file's pages that may lie empty; what comes next fills them

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
    """Open the file, and make it where it is not there; another program's file is refused."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    # The tables first: another process makes them and their mark at once, maybe between these questions.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if tables and (application != _APPLICATION or version not in (1, _VERSION)):
        raise sqlite3.DatabaseError("it is not a cache of this version of Caesura")
    # Before the first page is written; in a file that has it not, from the next VACUUM on.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _write_ahead(connection)
    # Safe against a killed process; a power cut may lose the last commits, which are then encoded again.
    connection.execute("PRAGMA synchronous = NORMAL")
    if not tables:
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
    elif version == 1:
        _upgrade(connection)


def _upgrade(connection: sqlite3.Connection) -> None:
    """Give a file of version 1 the column of probes; vectors that need one and have none are dropped when met."""
    connection.execute("BEGIN IMMEDIATE")
    # Asked again: another process may have done it meanwhile.
    if connection.execute("PRAGMA user_version").fetchone() == (1,):
        connection.execute("ALTER TABLE encoders ADD COLUMN probe BLOB")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn write-ahead mode on; SQLite does not wait by itself while another process is doing the same."""
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


def evict(connection: sqlite3.Connection, limit: int) -> bool:
    """Drop the vectors used longest ago until the rest is within the limit; say whether any had to go."""
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
    """Give the room of dropped vectors back to the system where it is much of the file."""
    (empty,) = connection.execute("PRAGMA freelist_count").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if empty > _EMPTY * pages:
        # A page with each step, and a statement without columns is stepped once only; a script to its end.
        connection.executescript("PRAGMA incremental_vacuum;")
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # waits for nobody


def checksum_of(fingerprint: str, key: bytes, dim: int, data: bytes) -> bytes:
    """Return the checksum of a row: eight bytes."""
    # Over everything that says whose vector it is, so that a row in the wrong place is noticed as well.
    head = f"{fingerprint}\0{dim}\0".encode() + key
    return hashlib.blake2b(head + data, digest_size=8).digest()
