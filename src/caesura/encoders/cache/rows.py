# SPDX-License-Identifier: Apache-2.0
"""The rows of the cache: the vectors of one encoder, read and written within a transaction of the caller."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Sequence

import numpy as np

from caesura.encoders.base import Vectors
from caesura.encoders.cache.database import checksum_of
from caesura.encoders.cache.probe import Probe, check_unchanged, pack_probe, unpack_probe
from caesura.errors import EncoderError

__all__ = ["StoredEncoder", "stored_encoder", "write_vectors"]

_MANY = 400  # keys per query; SQLite allows at least 999
_FRESH = 3600  # seconds during which a used row is not marked again, so that reading seldom writes


@dataclasses.dataclass(frozen=True)
class StoredEncoder:
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


def stored_encoder(connection: sqlite3.Connection, fingerprint: str, dim: int) -> StoredEncoder | None:
    """Return the row of an encoder, whose dimension must be this."""
    question = "SELECT id, fingerprint, name, dim, entries, probe FROM encoders WHERE fingerprint = ?"
    row = connection.execute(question, (fingerprint,)).fetchone()
    if row is None:
        return None
    stored = StoredEncoder(*row)
    if stored.dim != dim:
        raise EncoderError(
            f"the cache holds vectors of dimension {stored.dim} for {fingerprint}, but the encoder gives {dim}; "
            f"clear them: caesura cache clear --encoder {fingerprint}"
        )
    return stored


def write_vectors(
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
    stored = stored_encoder(connection, fingerprint, dim)
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
