# SPDX-License-Identifier: Apache-2.0
"""The events of an annotation project in one SQLite file: only ever added, each of them once, on disk when it is acknowledged."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.annotations import FILE
from caesura.errors import CaesuraError, FormatError
from caesura.strict_json import decode

__all__ = ["Event", "EventStore", "Given", "Payload", "digest"]

Payload = dict[str, Any]
"""Plain data under names: what an event says, or a page is sent."""

_VERSION = 1
_APPLICATION = 0x43616573  # "Caes", by which SQLite files are told apart
_SCHEMA = """
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  person TEXT NOT NULL,
  document TEXT NOT NULL,
  round INTEGER NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  client TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  UNIQUE (person, client, sequence)
) STRICT
""".strip()
_INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT * FROM events WHERE number > ? AND number <= ? ORDER BY number"
_WAIT = 10.0
"""Seconds to wait for another program that writes."""


class Given(msgspec.Struct, frozen=True):
    """An event as somebody gives it: who, on which document, what; the client's id and count make it unique."""

    person: str
    document: str
    kind: str
    payload: Payload
    client: str
    sequence: int
    round: int = 1


class Event(msgspec.Struct, frozen=True):
    """An event that is on disk: numbered in the order of commits, with the time of its commit in ms."""

    number: int
    time: int
    person: str
    document: str
    round: int
    kind: str
    payload: Payload
    client: str
    sequence: int


_COLUMNS = Event.__struct_fields__
_PAYLOAD = _COLUMNS.index("payload")


class EventStore:
    """The file of events of a project.

    ``append`` returns after the commit, with ``synchronous=FULL`` in a write-ahead log: what it returned survives the
    end of the process and of the machine. The same event given again is the same event.
    """

    def __init__(self, folder: Path, *, create: bool = False, write: bool = False) -> None:
        self.path = folder / FILE
        if not create and not self.path.is_file():
            raise FormatError(f"is no annotation project: it has no {FILE}; make one with --add and --people", folder)
        mode = "rwc" if create else "rw" if write else "ro"
        frozen = "&immutable=1" if mode == "ro" and not self._writable() else ""
        with self._faults():
            address = f"{self.path.absolute().as_uri()}?mode={mode}{frozen}"
            self._connection = sqlite3.connect(
                address, uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                self._begin(create)
            except BaseException:
                self._connection.close()
                raise

    def _writable(self) -> bool:
        """Return whether the log beside the file can be used; a project on a read-only medium has none that counts."""
        log = self.path.with_name(f"{FILE}-wal")
        try:
            with self.path.open("r+b"):
                return True
        except OSError:
            return log.exists()

    def _begin(self, create: bool) -> None:
        ask = self._connection.execute
        if create:
            ask("PRAGMA journal_mode=WAL")
            ask("PRAGMA synchronous=FULL")
            ask("BEGIN IMMEDIATE")
            if not ask("PRAGMA user_version").fetchone()[0]:
                ask(_SCHEMA)
                ask(f"PRAGMA application_id={_APPLICATION}")
                ask(f"PRAGMA user_version={_VERSION}")
            ask("COMMIT")
        version, application = ask("PRAGMA user_version").fetchone()[0], ask("PRAGMA application_id").fetchone()[0]
        if application != _APPLICATION:
            raise FormatError("is not the file of an annotation project; restore it from a copy", self.path)
        if version > _VERSION:
            raise FormatError("was written by a newer version of Caesura; update it (pip install -U)", self.path)
        # A view or a generated column could compute for ever; a trigger would write what nobody gave.
        ask("PRAGMA trusted_schema=OFF")
        if ask("SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall() != [("table", _SCHEMA)]:
            raise FormatError("has other tables than those of an annotation project; restore it from a copy", self.path)
        ask("PRAGMA synchronous=FULL")

    def close(self) -> None:
        """Close the file; the log is folded into it by the last one who does."""
        self._connection.close()

    def __enter__(self) -> EventStore:
        """Return the store."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()

    def append(self, given: Sequence[Given]) -> list[Event]:
        """Commit events together, or none of them, and return those that are new.

        Raise if one is there already with another content: an id that was used twice, or a file edited by hand.
        """
        now, new = time.time_ns() // 1_000_000, []
        with self._faults():
            ask = self._connection.execute
            ask("BEGIN IMMEDIATE")
            try:
                last = ask("SELECT ifnull(max(number), 0) FROM events").fetchone()[0]
                for each in given:
                    payload = msgspec.json.encode(each.payload, order="sorted").decode()
                    key = (each.person, each.client, each.sequence)
                    content = (each.document, each.round, each.kind, payload)
                    found = ask(
                        "SELECT document, round, kind, payload FROM events WHERE (person, client, sequence) = (?, ?, ?)",
                        key,
                    ).fetchone()
                    if found is not None:
                        if found != content:
                            raise CaesuraError(
                                f"event {each.sequence} of client {each.client!r} is there with another content; nothing was saved"
                            )
                        continue
                    last += 1
                    ask(_INSERT, (last, now, each.person, *content, each.client, each.sequence))
                    new.append(
                        Event(last, now, each.person, each.document, each.round, each.kind, each.payload, *key[1:])
                    )
                ask("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    ask("ROLLBACK")
                raise
        return new

    def events(self, after: int = 0, until: int | None = None) -> list[Event]:
        """Return the events in order, after a number and until another one."""
        top = 2**62 if until is None else until
        with self._faults():
            rows = self._connection.execute(_SELECT, (after, top)).fetchall()
        # SQLite keeps whatever a damaged file says, also where a column should hold text.
        try:
            return [
                msgspec.convert(
                    {**dict(zip(_COLUMNS, row, strict=True)), "payload": decode(str(row[_PAYLOAD]).encode())}, Event
                )
                for row in rows
            ]
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise FormatError("holds an event that cannot be read; restore it from a copy", self.path) from None

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn what SQLite reports into one line with a remedy."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged name is quoted as it is
            word = str(error)
            if "locked" in word or "busy" in word:
                what = "is used by another program, which does not let go; close it and try again"
            elif "full" in word:
                what = "cannot grow: the disk is full; make room and try again"
            elif "readonly" in word or "unable to open" in word:
                what = "cannot be written here; check the rights of the folder"
            elif isinstance(error, sqlite3.OperationalError) and "disk I/O" in word:
                what = "cannot be read or written (disk error); check the disk"
            else:
                what = f"is damaged ({word}); restore it from a copy"
            raise FormatError(what, self.path) from None


def digest(events: Sequence[Event]) -> str:
    """Return the hash of events: their content in order, not the file that holds them.

    >>> digest([]) == hashlib.sha256().hexdigest()
    True
    """
    content = hashlib.sha256()
    for event in events:
        content.update(msgspec.json.encode(msgspec.structs.astuple(event), order="sorted") + b"\n")
    return content.hexdigest()
