# SPDX-License-Identifier: Apache-2.0
"""The titles of the segments of many documents, each text once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints, starts_of

__all__ = ["TitleVectors", "Titles"]

Made = TypeVar("Made")


class TitleVectors(NamedTuple):
    """One vector of length 1 for each text, and what identifies the encoder that made them."""

    rows: npt.NDArray[np.float32]
    fingerprint: str


class Titles:
    """The titles of the segments of each document, one for each segment; none of a document that has no titles.

    The texts are stored once, and documents refer to them by ``places``, so that draws of random boundaries, which keep the titles
    in order, share what is made of the texts. ``vectors`` are those of the texts, by the spec of the encoder, where a metric reads some.

    >>> titles = Titles.of([["News", "Sports"], [], ["News"]])
    >>> list(titles), titles.between(2, 3)[0], titles.texts
    ([['News', 'Sports'], [], ['News']], ['News'], ['', 'News', 'Sports'])
    """

    __slots__ = ("_made", "places", "ptr", "texts", "vectors")

    def __init__(
        self,
        texts: list[str],
        ptr: Ints,
        places: Ints,
        vectors: Mapping[str, TitleVectors] | None = None,
        made: dict[Hashable, object] | None = None,
    ) -> None:
        self.texts, self.ptr, self.places, self.vectors = texts, ptr, places, vectors or {}
        self._made: dict[Hashable, object] = {} if made is None else made

    @classmethod
    def of(cls, documents: Iterable[Sequence[str]]) -> Titles:
        """Return the titles of documents, given as texts."""
        if isinstance(documents, Titles):
            return documents
        known, places, sizes = {"": 0}, list[int](), list[int]()
        for titles in documents:
            sizes.append(len(titles))
            places += [known.setdefault(title, len(known)) for title in titles]
        return cls(list(known), starts_of(sizes), np.array(places, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, row: int) -> list[str]:
        return [self.texts[place] for place in self.places[self.ptr[row] : self.ptr[row + 1]].tolist()]

    def __iter__(self) -> Iterator[list[str]]:
        return (self[row] for row in range(len(self)))

    def __reduce__(self) -> tuple[object, ...]:
        return Titles, (self.texts, self.ptr, self.places, self.vectors)

    @property
    def sizes(self) -> Ints:
        """The number of titles of each document."""
        return np.diff(self.ptr)

    def between(self, start: int, stop: int) -> Titles:
        """Return the titles of the documents from ``start`` to ``stop``."""
        ptr = self.ptr[start : stop + 1]
        return Titles(self.texts, ptr - ptr[0], self.places[ptr[0] : ptr[-1]], self.vectors, self._made)

    def take(self, rows: npt.ArrayLike) -> Titles:
        """Return the titles of documents, in this order."""
        wanted = np.asarray(rows, dtype=np.int64)
        ptr = starts_of(self.sizes[wanted])
        return Titles(self.texts, ptr, self.places[_spread(self.ptr[wanted], ptr)], self.vectors, self._made)

    def with_vectors(self, encoder: str, made: TitleVectors) -> Titles:
        """Return the same titles with the vectors of their texts by an encoder."""
        return Titles(self.texts, self.ptr, self.places, {**self.vectors, encoder: made})

    def fitted(self, sizes: Ints) -> Ints:
        """Return the place of the text of each segment, if documents have so many: the first titles, or empty ones behind."""
        ptr, common = starts_of(sizes), np.minimum(sizes, self.sizes)
        found, kept = np.zeros(int(ptr[-1]), dtype=np.int64), starts_of(common)
        found[_spread(ptr[:-1], kept)] = self.places[_spread(self.ptr[:-1], kept)]
        return found

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a value derived from the texts, computed once for all documents and draws that refer to them."""
        if key not in self._made:
            self._made[key] = make()
        return cast(Made, self._made[key])


def _spread(starts: Ints, ptr: Ints) -> Ints:
    """Return the places from each start on, as many as ``ptr`` has."""
    return np.arange(int(ptr[-1])) + np.repeat(starts - ptr[:-1], np.diff(ptr))
