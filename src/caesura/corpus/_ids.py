# SPDX-License-Identifier: Apache-2.0
"""The ids of documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from caesura.errors import ComparabilityError, and_more

_MANY = 100_000


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


def check_unique(ids: Sequence[str], name: str) -> None:
    """Raise if two documents have the same id."""
    if len(ids) > _MANY and _hashes_differ(ids):
        return
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = [key for key in ids if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
        raise ComparabilityError(
            f"document {twice[0]!r}{and_more(len(twice))} appears twice in {name or 'the corpus'}; ids must be unique"
        )


def _hashes_differ(ids: Sequence[str]) -> bool:
    """Return whether no two ids have the same hash; for many ids this takes a third of the time and memory of a set."""
    hashes = np.fromiter(map(hash, ids), np.int64, len(ids))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()
