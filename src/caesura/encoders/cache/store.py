# SPDX-License-Identifier: Apache-2.0
"""Vectors on disk, by text and encoder, so that no text is encoded twice.

One SQLite file in write-ahead mode: several processes may read and write it at once, and what a process committed before
it was killed is available to the next. The key of a row is the fingerprint of the encoder and the hash of the text; a
checksum covers both, the dimension and the numbers, and a row with a wrong checksum is not used. Vectors of a model that
is identified only by a probe (`caesura.encoders.cache.database`) are used and extended only while the probe agrees.

The cache only saves time: if it cannot be opened, read or written (no permission, disk full, file damaged), the work
continues without it after one warning. One that can only be read is read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sqlite3
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from caesura.encoders.base import Vectors
from caesura.encoders.cache.database import (
    Probe,
    cache_folder,
    cache_limit,
    check_unchanged,
    checksum_of,
    drop,
    evict,
    open_database,
    open_for_reading,
    pack_probe,
    shrink,
    unpack_probe,
)
from caesura.errors import CaesuraWarning, EncoderError

__all__ = ["Cache", "Kept"]

_MANY = 400  # keys per query; SQLite allows at least 999
_FRESH = 3600  # seconds during which a used row is not marked again, so that reading seldom writes
_FILE = "vectors.sqlite3"


@dataclasses.dataclass(frozen=True)
class Kept:
    """The cached vectors of one encoder."""

    name: str
    fingerprint: str
    dim: int
    entries: int
    bytes: int


class Cache:
    """Vectors on disk.

    Parameters
    ----------
    folder : path-like, optional
        The folder of the file; by default `cache_folder`.
    limit : int, optional
        The maximum size of all vectors in bytes; beyond it the least recently used ones are dropped when vectors are
        read or written. By default ``CAESURA_CACHE_LIMIT`` or 2 GiB.
    clock : callable
        Returns seconds, to order vectors by their last use.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        limit: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = (cache_folder() if folder is None else Path(folder)) / _FILE
        self.limit = cache_limit() if limit is None else limit
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._given_up = self._told = False
        self._only_read = ""  # why nothing can be written, if so

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; using the cache again reopens it."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def get(
        self, fingerprint: str, dim: int, keys: Sequence[bytes], probe: Probe | None = None
    ) -> dict[bytes, Vectors]:
        """Return the cached vectors by text hash, each checked; another dimension or a model with another probe is refused."""
        found: dict[bytes, Vectors] = {}
        with self._carefully("read"):
            if not self._given_up and self.path.exists():
                found = self._read(fingerprint, dim, keys, probe)
                # After reading, so that these vectors count as recently used.
                with self._if_writable():
                    self._keep_limit()
        return found

    def put(
        self, fingerprint: str, name: str, dim: int, vectors: Mapping[bytes, Vectors], probe: Probe | None = None
    ) -> None:
        """Store vectors by text hash, all of them or none; existing ones are not replaced.

        With a probe, vectors that were stored without one are dropped, since their model is unknown. Refused are vectors that
        are not finite or have another dimension, and a probe that is not that of the stored ones.
        """
        rows = []
        for key, vector in vectors.items():
            data = np.ascontiguousarray(vector, dtype="<f4").tobytes()
            if len(data) != 4 * dim or not np.isfinite(vector).all():
                raise EncoderError(
                    f"{name}: a vector has {len(data) // 4} numbers; it must have {dim}, all of them finite"
                )
            rows.append((key, int(self._clock()), checksum_of(fingerprint, key, dim, data), data))
        with self._carefully("written"):
            if self._given_up or self._told or not rows:
                return
            self._open()
            if self._only_read:
                raise sqlite3.OperationalError(self._only_read)
            with self._transaction() as connection:
                dropped = _write_vectors(connection, fingerprint, name, dim, rows, probe)
                evicted = evict(connection, self.limit)
            if evicted:
                shrink(connection)
            if dropped:
                lacking = f"{dropped} cached vectors of {name} have no probe that identifies their model"
                _warn(f"{self.path}: {lacking}; they are dropped and encoded again")

    def kept(self) -> list[Kept]:
        """Return the cached encoders, the largest first."""
        if not self.path.exists():
            return []
        with self._strictly():
            question = "SELECT name, fingerprint, dim, entries, bytes FROM encoders WHERE entries > 0"
            rows = self._open().execute(f"{question} ORDER BY bytes DESC, fingerprint")
            return [Kept(*row) for row in rows]

    def size(self) -> int:
        """Return the size of the files of the cache in bytes."""
        files = [self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm")]
        return sum(file.stat().st_size for file in files if file.exists())

    def clear(self, fingerprint: str | None = None) -> int:
        """Drop the vectors of one encoder, or of all, and return their number."""
        if not self.path.exists():
            return 0
        with self._strictly():
            return drop(self._open(), fingerprint)

    def _read(self, fingerprint: str, dim: int, keys: Sequence[bytes], probe: Probe | None) -> dict[bytes, Vectors]:
        # One transaction, so that vectors and probe belong together.
        with self._transaction("DEFERRED") as connection:
            encoder = _stored_encoder(connection, fingerprint, dim)
            if encoder is None or not encoder.entries or not encoder.agrees(probe):
                return {}  # the next write drops vectors of an unknown model
            vectors, stale, damaged = encoder.read(connection, keys, int(self._clock()))
        if stale or damaged:
            with self._if_writable(), self._transaction() as connection:
                connection.executemany("UPDATE vectors SET used = ? WHERE rowid = ?", stale)
                connection.executemany("DELETE FROM vectors WHERE rowid = ?", damaged)
        if damaged:
            _warn(f"{self.path}: {len(damaged)} cached vectors are damaged and are encoded again")
        return vectors

    def _keep_limit(self) -> None:
        connection = self._open()
        (total,) = connection.execute("SELECT total(bytes) FROM encoders").fetchone()
        if total > self.limit:
            with self._transaction():
                evict(connection, self.limit)
            shrink(connection)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self._connection = open_database(self.path)
            except (sqlite3.OperationalError, OSError) as error:
                if not self.path.is_file():
                    raise
                self._connection, self._only_read = open_for_reading(self.path), str(error)
        return self._connection

    @contextlib.contextmanager
    def _if_writable(self) -> Iterator[None]:
        """Leave out what would be written if the file can only be read."""
        try:
            yield
        except sqlite3.OperationalError as error:
            self._only_read = str(error)

    @contextlib.contextmanager
    def _transaction(self, mode: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        connection = self._open()
        connection.execute(f"BEGIN {mode}")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _carefully(self, what: str) -> Iterator[None]:
        """Warn once and continue without the cache if it fails."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self._told = what == "written" and bool(self._only_read)
            if not self._told:
                self._given_up = True
                self.close()
            without = "new vectors are not stored" if self._told else "continuing without it"
            remedy = "free disk space, set another folder in CAESURA_CACHE, or delete the file"
            _warn(f"{self.path}: the cache cannot be {what} ({error}); {without}: {remedy}")

    @contextlib.contextmanager
    def _strictly(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise EncoderError(f"{self.path}: the cache cannot be used ({error}); delete the file") from None


def _warn(message: str) -> None:
    warnings.warn(CaesuraWarning(message), stacklevel=4)


@dataclasses.dataclass(frozen=True)
class _StoredEncoder:
    """The row of an encoder."""

    number: int
    fingerprint: str
    name: str
    dim: int
    entries: int
    probe: bytes | None

    def agrees(self, probe: Probe | None) -> bool:
        """Return whether the stored vectors are known to come from the model of a probe; another model is refused."""
        if probe is None:
            return True
        before = unpack_probe(self.fingerprint, probe, self.probe) if self.entries else None
        if before is None:
            return False
        check_unchanged(before, probe[1], self.name, self.fingerprint)
        return True

    def read(
        self, connection: sqlite3.Connection, keys: Sequence[bytes], now: int
    ) -> tuple[dict[bytes, Vectors], list[tuple[int, int]], list[tuple[int]]]:
        """Return the stored vectors of texts, each checked; the rows to mark as used (time, row); the damaged rows."""
        vectors: dict[bytes, Vectors] = {}
        stale, damaged = [], []
        for start in range(0, len(keys), _MANY):
            some = keys[start : start + _MANY]
            marks = ",".join("?" * len(some))
            question = f"SELECT rowid, text, used, checksum, data FROM vectors WHERE encoder = ? AND text IN ({marks})"  # noqa: S608
            for number, key, used, checksum, data in connection.execute(question, (self.number, *some)):
                # SQLite keeps a value of any type in any column.
                whole = isinstance(data, bytes) and len(data) == 4 * self.dim and isinstance(used, int)
                if not whole or checksum != checksum_of(self.fingerprint, key, self.dim, data):
                    damaged.append((number,))
                    continue
                vectors[key] = np.frombuffer(data, "<f4").astype(np.float32)
                if abs(now - used) > _FRESH:
                    stale.append((now, number))
        return vectors, stale, damaged


def _stored_encoder(connection: sqlite3.Connection, fingerprint: str, dim: int) -> _StoredEncoder | None:
    """Return the row of an encoder, whose dimension must be this."""
    question = "SELECT id, fingerprint, name, dim, entries, probe FROM encoders WHERE fingerprint = ?"
    row = connection.execute(question, (fingerprint,)).fetchone()
    if row is None:
        return None
    stored = _StoredEncoder(*row)
    if stored.dim != dim:
        raise EncoderError(
            f"the cache holds vectors of dimension {stored.dim} for {fingerprint}, but the encoder gives {dim}; "
            f"clear them: caesura cache clear --encoder {fingerprint}"
        )
    return stored


def _write_vectors(
    connection: sqlite3.Connection,
    fingerprint: str,
    name: str,
    dim: int,
    rows: Sequence[tuple[bytes, int, bytes, bytes]],
    probe: Probe | None,
) -> int:
    """Store rows (text, used, checksum, data); return how many vectors of an unknown model were dropped for them."""
    values: tuple[object, ...] = (fingerprint, name, dim)
    connection.execute("INSERT OR IGNORE INTO encoders (fingerprint, name, dim) VALUES (?, ?, ?)", values)
    stored = _stored_encoder(connection, fingerprint, dim)
    if stored is None:
        raise EncoderError(f"the cache did not take the encoder {fingerprint}; clear it: caesura cache clear")
    dropped = 0
    if probe is not None and not stored.agrees(probe):
        dropped = connection.execute("DELETE FROM vectors WHERE encoder = ?", (stored.number,)).rowcount
        values = (pack_probe(fingerprint, probe), stored.number)
        connection.execute("UPDATE encoders SET probe = ? WHERE id = ?", values)
    connection.executemany(
        "INSERT OR IGNORE INTO vectors (encoder, text, used, checksum, data) VALUES (?, ?, ?, ?, ?)",
        [(stored.number, *row) for row in rows],
    )
    return dropped
