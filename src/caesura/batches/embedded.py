# SPDX-License-Identifier: Apache-2.0
"""Segmentations with the vectors of their units, the input of reference-free metrics.

The vectors of all documents are in one array. Several segmentations of the same documents share it without a copy, and
so do several segmentations of one document (shuffles, degradations, sweeps).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, check_flat, check_rows, frozen, owned, starts_of
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, and_more
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation

__all__ = ["Embedded", "Vectors"]

Vectors = npt.NDArray[np.floating]
_LARGEST = 1e100  # sums of squares of larger numbers would overflow float64
Made = TypeVar("Made")
_UNITS = 1 << 18  # of all segmentations that are counted together
_BLOCK = 1 << 18  # numbers checked per block, which stay in the cache for the second look


def _unusable(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return a mask of the numbers that are NaN, infinite or too large."""
    return np.asarray(~(np.abs(vectors.astype(np.float64)) < _LARGEST))


def _as_numbers(key: str, given: npt.ArrayLike) -> Vectors:
    """Return real numbers as float32 or float64; arrays of either type are not converted."""
    whose = f"document {key!r}: vectors" if key else "vectors"
    try:
        array = np.asarray(given)
    except ValueError:
        raise ComparabilityError(f"{whose} are ragged; each unit needs the same number of dimensions") from None
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "fiu":
        raise ComparabilityError(f"{whose} are of type {array.dtype}; they must be numbers, such as float32")
    return array.astype(np.float32 if array.dtype == np.float16 else np.float64)


def _as_table(vectors: npt.ArrayLike) -> Vectors:
    """Return vectors as one C-contiguous array."""
    whole = _as_numbers("", vectors)
    if whole.ndim != 2 or not whole.shape[1]:
        raise ComparabilityError(f"vectors have shape {whole.shape}; they must be (units, dimensions)")
    return np.ascontiguousarray(whole)


def _check_shapes(ids: Sequence[str], arrays: Sequence[Vectors], n_units: Ints) -> None:
    """Raise if documents have vectors of the wrong shape, number or dimension."""
    for key, array in zip(ids, arrays, strict=True):
        if array.ndim != 2 or not array.shape[1]:
            raise ComparabilityError(
                f"document {key!r}: vectors have shape {array.shape}; they must be (units, dimensions)"
            )
    wrong = [row for row, array in enumerate(arrays) if len(array) != n_units[row]]
    if wrong:
        row = wrong[0]
        raise ComparabilityError(
            f"document {ids[row]!r}: {len(arrays[row])} vectors for {n_units[row]} units; give one vector per unit"
            f"{and_more(len(wrong), True)}"
        )
    other = [row for row, array in enumerate(arrays) if array.shape[1] != arrays[0].shape[1]]
    if other:
        row = other[0]
        raise ComparabilityError(
            f"document {ids[row]!r}: vectors have {arrays[row].shape[1]} dimensions, those of {ids[0]!r} "
            f"{arrays[0].shape[1]}; all must come from the same encoder{and_more(len(other), True)}"
        )


def _check_texts(ids: Sequence[str], n_units: Ints, texts: Mapping[str, Sequence[str]], what: str) -> None:
    """Raise if the texts (or speakers) of a document are not a list of strings, one per unit; documents may lack them."""
    for key, number in zip(ids, n_units.tolist(), strict=True):
        given = texts.get(key)
        if given is None:
            continue
        one = what.removesuffix("s")
        if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
            raise ComparabilityError(f"document {key!r}: {what} must be a list of strings, one for each unit")
        if len(given) != number:
            raise ComparabilityError(
                f"document {key!r}: {len(given)} {what} for {number} units; give one {one} per unit"
            )


@dataclasses.dataclass(frozen=True, eq=False)
class Embedded:
    """Segmentations of many documents, with one vector per unit.

    Make one with `of`, or with `from_arrays` if the vectors are in one array already. All input is checked;
    vectors are not copied if they are float32 or float64 and C-contiguous.

    Examples
    --------
    >>> batch = Embedded.of({"d": Segmentation(3, (2,))}, {"d": np.eye(3)})
    >>> len(batch), batch.dimension, batch.vectors_of(0).shape
    (1, 3, (3, 3))
    """

    ids: tuple[str, ...]
    segmentations: Flat  # units and boundaries of each document
    vectors: Vectors  # one row per unit
    # [D]: the row of each document's first unit; documents may share rows (see `variants`).
    starts: Ints
    unit: str = UNSPECIFIED_UNIT  # the unit of all documents
    texts: Mapping[str, Sequence[str]] | None = None  # texts of the units of each document, for metrics that read words
    speakers: Mapping[str, Sequence[str]] | None = None  # and their speakers, where they are known

    @classmethod
    def of(cls, segmentations: Mapping[str, Segmentation], vectors: Mapping[str, npt.ArrayLike]) -> Embedded:
        """Combine segmentations with vectors (units, d) by document id; extra vectors are ignored."""
        ids = tuple(segmentations)
        lacking = [key for key in ids if key not in vectors]
        if lacking:
            raise ComparabilityError(
                f"document {lacking[0]!r}{and_more(len(lacking))} has no vectors; give one array per document id"
            )
        arrays = [_as_numbers(key, vectors[key]) for key in ids]
        flat = Flat.from_segmentations([segmentations[key] for key in ids])
        _check_shapes(ids, arrays, flat.n_units)
        units = [segmentations[key].unit for key in ids]
        unit = next((unit for unit in units if unit != UNSPECIFIED_UNIT), UNSPECIFIED_UNIT)
        whole = arrays[0] if len(arrays) == 1 else np.concatenate(arrays) if arrays else np.empty((0, 1))
        return cls.from_arrays(ids, flat, whole, unit=unit)

    @classmethod
    def from_arrays(
        cls,
        ids: Sequence[str],
        segmentations: Flat,
        vectors: npt.ArrayLike,
        starts: Ints | None = None,
        *,
        unit: str = UNSPECIFIED_UNIT,
    ) -> Embedded:
        """Make a batch from one array of vectors, which is not copied if it is float32 or float64.

        ``starts`` is the first row of each document; by default the documents are consecutive.
        """
        check_flat(segmentations, "segmentations")
        whole = _as_table(vectors)
        if starts is None:
            ends = starts_of(segmentations.n_units)
            if len(whole) != ends[-1]:
                raise ComparabilityError(f"{len(whole)} vectors for {ends[-1]} units; give one vector per unit")
            starts = ends[:-1]
        return cls(tuple(ids), segmentations, whole, starts, unit)

    def __post_init__(self) -> None:
        check_flat(self.segmentations, "segmentations")
        if len(self.ids) != len(self.segmentations):
            raise ComparabilityError(f"{len(self.ids)} ids for {len(self.segmentations)} documents")
        vectors = _as_table(self.vectors)
        starts = owned(self.starts, "starts")
        if len(starts) != len(self.ids):
            raise ComparabilityError(f"{len(starts)} first rows for {len(self.ids)} documents")
        outside = np.flatnonzero((starts < 0) | (starts > len(vectors) - self.n_units))
        if len(outside):
            raise ComparabilityError(
                f"document {self.ids[int(outside[0])]!r} lies outside the {len(vectors)} vectors"
                f"{and_more(len(outside), True)}"
            )
        # A view, since the caller may still change the shape of the array.
        self.__dict__.update(ids=tuple(self.ids), vectors=vectors.view(), starts=starts)
        self._check_finite()

    def _with(self, **fields: Any) -> Embedded:
        """Return the batch with other fields, which are valid by construction and not checked."""
        other = object.__new__(Embedded)
        other.__dict__.update({**self.__getstate__(), **fields})
        return other

    @classmethod
    def of_texts(cls, segmentations: Mapping[str, Segmentation], texts: Mapping[str, Sequence[str]]) -> Embedded:
        """Combine segmentations with the texts of their units; each vector is a single zero."""
        nothing = {key: np.zeros((each.n_units, 1)) for key, each in segmentations.items()}
        return cls.of(segmentations, nothing).with_texts(texts)

    def with_texts(
        self, texts: Mapping[str, Sequence[str]], speakers: Mapping[str, Sequence[str]] | None = None
    ) -> Embedded:
        """Return the same documents with the texts, and the speakers, of their units; documents may lack either."""
        _check_texts(self.ids, self.n_units, texts, "texts")
        _check_texts(self.ids, self.n_units, speakers or {}, "speakers")
        return self._with(texts=texts, speakers=speakers)

    def texts_of(self, row: int, reader: str) -> Sequence[str]:
        """Return the texts of the units of a document; the error names ``reader``, which needs them."""
        texts = None if self.texts is None else self.texts.get(self.ids[row])
        if texts is None:
            raise ComparabilityError(
                f"document {self.ids[row]!r} has no texts, which {reader} reads; give the text of each unit ('units')"
            )
        return texts

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_units(self) -> Ints:
        """Units of each document."""
        return self.segmentations.n_units

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def vectors_of(self, row: int) -> Vectors:
        """Return the vectors of a document, without a copy."""
        start = int(self.starts[row])
        return self.vectors[start : start + int(self.n_units[row])]

    def segmentation(self, row: int) -> Segmentation:
        """Return the segmentation of a document."""
        return self.segmentations.segmentation(row, self.unit)

    def take(self, rows: npt.ArrayLike) -> Embedded:
        """Return the documents ``rows``, in that order; the vectors are shared."""
        indices = check_rows(rows, len(self))
        ids, flat = tuple(self.ids[row] for row in indices), self.segmentations.take(indices)
        return self._with(ids=ids, segmentations=flat, starts=frozen(self.starts[indices]))

    def with_segmentations(self, other: Flat | Corpus | Mapping[str, Segmentation]) -> Embedded:
        """Return the same documents and vectors with other boundaries; nothing is copied or checked again.

        A `Flat` has the same documents in the same order; a corpus or mapping has at least the same documents.
        """
        flat = other if isinstance(other, Flat) else self._matched(other)
        if len(flat) != len(self):
            raise ComparabilityError(f"{len(flat)} segmentations for {len(self)} documents")
        wrong = np.flatnonzero(flat.n_units != self.n_units)
        if len(wrong):
            row = int(wrong[0])
            raise ComparabilityError(
                f"document {self.ids[row]!r}: {self.n_units[row]} vectors, but the segmentation has "
                f"{flat.n_units[row]} units; give one vector per unit{and_more(len(wrong), True)}"
            )
        return self._with(segmentations=flat)

    def variants(self, rows: int | npt.ArrayLike, segmentations: Flat | Sequence[Segmentation]) -> Embedded:
        """Return a batch of other segmentations of one document, or of the document at each row; the vectors are shared.

        Metrics based on prefix sums compute those once for consecutive segmentations of the same document.
        """
        flat = segmentations if isinstance(segmentations, Flat) else Flat.from_segmentations(segmentations)
        places = np.broadcast_to(check_rows(np.atleast_1d(rows), len(self)), len(flat))
        wrong = np.flatnonzero(flat.n_units != self.n_units[places])
        if len(wrong):
            row = int(places[wrong[0]])
            raise ComparabilityError(
                f"document {self.ids[row]!r} has {self.n_units[row]} vectors; each of its segmentations must have as many units"
            )
        ids = tuple(self.ids[row] for row in places.tolist())
        return self._with(ids=ids, segmentations=flat, starts=frozen(self.starts[places]))

    def blocks(self, each: int) -> Iterator[range]:
        """Yield ranges of documents of which ``each`` segmentations are counted together, as long as they fit the memory."""
        ends = np.cumsum(self.n_units) * each
        start = 0
        while start < len(self):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + _UNITS, side="right")))
            yield range(start, stop)
            start = stop

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a value derived from this batch, computed once: metrics that read the same counts share it."""
        cache: dict[Hashable, Made] = self.__dict__.setdefault("_made", {})
        if key not in cache:
            cache[key] = make()
        return cache[key]

    def remembers(self, key: Hashable) -> bool:
        """Return whether a derived value has been computed already."""
        return key in self.__dict__.get("_made", {})

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without derived values."""
        return {key: value for key, value in self.__dict__.items() if key != "_made"}

    def _matched(self, other: Corpus | Mapping[str, Segmentation]) -> Flat:
        lacking = [key for key in self.ids if key not in other]
        if lacking:
            raise ComparabilityError(
                f"document {lacking[0]!r}{and_more(len(lacking))} has vectors but no segmentation; add it, or take a subset"
            )
        if isinstance(other, Corpus):
            return other.flat.take(np.array([other.row(key) for key in self.ids], dtype=np.int64))
        return Flat.from_segmentations([other[key] for key in self.ids])

    def _check_finite(self) -> None:
        rows = max(1, _BLOCK // self.dimension)
        for begin in range(0, len(self.vectors), rows):
            block = self.vectors[begin : begin + rows]
            # Minimum and maximum propagate NaN and need no array of flags.
            if not (float(block.min()) > -_LARGEST and float(block.max()) < _LARGEST):
                break
        else:
            return
        bad = [row for row in range(len(self)) if _unusable(self.vectors_of(row)).any()]
        if not bad:
            return  # rows that belong to no document
        unit = int(np.argmax(_unusable(self.vectors_of(bad[0])).any(axis=1)))
        raise ComparabilityError(
            f"document {self.ids[bad[0]]!r}: the vector of unit {unit + 1} is not finite (NaN, infinite or above "
            f"{_LARGEST:g}); encode it again or leave the document out{and_more(len(bad), True)}"
        )
