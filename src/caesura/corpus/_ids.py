# SPDX-License-Identifier: Apache-2.0
"""The ids of documents."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError, and_more
from caesura.kernels import plain_lines

_MANY = 100_000
_TOGETHER = 4_096  # ids decoded at once


@dataclasses.dataclass(frozen=True)
class Numbered(Sequence[str]):
    """The ids of unnamed documents: ``"1"``, ``"2"`` and so on, each created on access.

    >>> ids = Numbered(3)
    >>> ids[0], list(ids), ids == Numbered(3)
    ('1', ['1', '2', '3'], True)
    """

    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        numbers = range(1, self.size + 1)
        return list(map(str, numbers[place])) if isinstance(place, slice) else str(numbers[place])

    def __iter__(self) -> Iterator[str]:
        return map(str, range(1, self.size + 1))


class Packed(Sequence[str]):
    """The ids of many documents in one buffer, each decoded on access: as strings, they take five times the memory.

    >>> ids = Packed(b"d1d12", np.array([0, 2, 5]))
    >>> ids[1], list(ids), ids == ["d1", "d12"]
    ('d12', ['d1', 'd12'], True)
    """

    def __init__(self, text: bytes | bytearray, starts: npt.NDArray[np.int64]) -> None:
        self.text, self.starts = text, starts

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if not isinstance(place, slice):
            row = range(len(self))[place]
            return self.text[self.starts[row] : self.starts[row + 1]].decode()
        rows = range(len(self))[place]
        if rows.step != 1:
            return [self[row] for row in rows]
        starts = self.starts[rows.start : max(rows.start, rows.stop) + 1]
        text = self.text[starts[0] : starts[-1]]
        if text.isascii():
            return plain_lines.slices(text.decode(), starts)
        ends = starts.tolist()
        return [self.text[start:end].decode() for start, end in itertools.pairwise(ends)]

    def __iter__(self) -> Iterator[str]:
        some = (self[start : start + _TOGETHER] for start in range(0, len(self), _TOGETHER))
        return itertools.chain.from_iterable(some)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Packed):
            return np.array_equal(self.starts, other.starts) and self.text == other.text
        if isinstance(other, list):
            return len(self) == len(other) and list(self) == other
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def drawing_order(ids: Sequence[str]) -> npt.NDArray[np.int64] | slice:
    """Return the order in which documents are drawn: that of their ids, a shorter id before a longer one.

    What is drawn then does not depend on the order of files and documents. Numbers, also those of documents without ids, are in
    their usual order. Ids that are in order already give an empty slice, which copies nothing.

    >>> drawing_order(["d10", "d2", "d1"]).tolist(), drawing_order(["d1", "d2", "d10"])
    ([2, 1, 0], slice(None, None, None))
    """
    if isinstance(ids, Numbered):
        return slice(None)
    names = list(ids)
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    steps = np.diff(lengths)
    alike = np.flatnonzero(steps == 0).tolist()
    if (steps >= 0).all() and all(names[place] <= names[place + 1] for place in alike):
        return slice(None)
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    return order[np.argsort(lengths[order], kind="stable")]


def drawing_places(ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the place of each document in its `drawing_order`.

    >>> drawing_places(["d10", "d1", "d2"]).tolist()
    [2, 0, 1]
    """
    return np.argsort(np.arange(len(ids))[drawing_order(ids)])


def check_unique(ids: Sequence[str], name: str) -> None:
    """Raise if two documents have the same id."""
    if (isinstance(ids, Packed) or len(ids) > _MANY) and _hashes_differ(ids):
        return
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = [key for key in ids if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
        raise ComparabilityError(
            f"document {twice[0]!r}{and_more(len(twice))} appears twice in {name or 'the corpus'}; ids must be unique"
        )


def _hashes_differ(ids: Sequence[str]) -> bool:
    """Return whether no two ids have the same hash; for many ids this takes a third of the time and memory of a set."""
    if isinstance(ids, Packed) and plain_lines.COMPILED:
        table = np.zeros(1 << (2 * len(ids)).bit_length(), dtype=np.uint32)
        return bool(plain_lines.hashes_differ(ids.text, ids.starts, table))
    hashes = np.fromiter(map(hash, ids), np.int64, len(ids))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()
