# SPDX-License-Identifier: Apache-2.0
"""The counts of every document of a shard, if kept, for analyses of merged shards that need documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError, DeclarationError
from caesura.metrics.base import Floats

__all__ = ["KeptCounts", "PackedTable"]

_TYPES = frozenset({"|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8"})


class PackedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bytes of a table of numbers, one row per document, and their type as NumPy names it."""

    type: str
    data: bytes

    @classmethod
    def of(cls, table: npt.NDArray[np.generic]) -> PackedTable:
        """Pack a table."""
        plain = np.ascontiguousarray(table, dtype=table.dtype.newbyteorder("<"))
        return cls(plain.dtype.str, plain.tobytes())

    def unpacked(self, documents: int) -> npt.NDArray[np.generic]:
        """Return the table.

        Raises
        ------
        DeclarationError
            If the bytes are not a table with this number of rows, or the type is unknown.
        """
        if self.type not in _TYPES:
            raise DeclarationError("a table of counts does not have one row per document of a known type")
        size = documents * np.dtype(self.type).itemsize
        if len(self.data) % size if size else self.data:
            raise DeclarationError("a table of counts does not have one row per document")
        return np.frombuffer(self.data, self.type).reshape(documents, -1 if documents else 0)


class KeptCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ids of the documents, and system to request to the table of counts."""

    documents: list[str]
    tables: dict[str, dict[str, PackedTable]]

    @classmethod
    def of(cls, documents: Sequence[str], tables: Mapping[str, Mapping[str, npt.NDArray[np.generic]]]) -> KeptCounts:
        """Pack the counts of an evaluation."""
        return cls(
            list(documents),
            {
                system: {request: PackedTable.of(table) for request, table in of.items()}
                for system, of in tables.items()
            },
        )

    @classmethod
    def joined(cls, parts: Sequence[KeptCounts]) -> KeptCounts:
        """Return the counts of several shards, concatenated.

        Raises
        ------
        ComparabilityError
            If two shards have the same document.
        """
        documents = [key for part in parts for key in part.documents]
        if len(set(documents)) < len(documents):
            seen: set[str] = set()
            twice = next(key for key in documents if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ComparabilityError(f"document {twice!r} is in two shards; every document belongs to one")
        filled = [part for part in parts if part.documents] or list(parts[:1])
        tables = {
            system: {
                request: np.concatenate([part.tables[system][request].unpacked(len(part.documents)) for part in filled])
                for request in of
            }
            for system, of in filled[0].tables.items()
        }
        return cls.of(documents, tables)

    def table(self, system: str, request: str, width: int) -> Floats:
        """Return the counts of a system, one row per document and ``width`` columns."""
        counts = self.tables[system][request].unpacked(len(self.documents)).astype(np.float64)
        if len(counts) and counts.shape[1] != width:
            raise DeclarationError(f"the counts of {system}, {request} do not have {width} columns")
        return counts.reshape(len(counts), width)

    def check(self, documents: int, systems: Sequence[str]) -> None:
        """Raise for counts of other systems or another number of documents, and for incomplete tables."""
        requests = [list(of) for of in self.tables.values()]
        if len(self.documents) != documents or list(self.tables) != list(systems):
            raise DeclarationError("its counts are those of other documents or systems")
        if any(each != requests[0] for each in requests):
            raise DeclarationError("its systems have different counts")
        for of in self.tables.values():
            for table in of.values():
                table.unpacked(documents)
