# SPDX-License-Identifier: Apache-2.0
"""Documents and corpora.

A `Corpus` keeps its segmentations as flat arrays, so that a million documents cost no objects; a `Document` is made when
somebody asks for one.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast, overload

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.errors import ComparabilityError, SegmentationError, and_more
from caesura.segmentation import (
    UNSPECIFIED_UNIT,
    Segmentation,
    Spelled,
    segmentation_of,
    units_agree,
)

__all__ = ["Corpus", "Document", "Numbered"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Document:
    """One document: its segmentation and whatever else is known of it.

    Attributes
    ----------
    id : str
        Unique in its corpus.
    segmentation : Segmentation or None
        The segmentation, where there is one.
    n_units : int
        How many units it has.
    unit : str
        What is counted.
    units : tuple of str or None
        The texts.
    speakers : tuple of str or None
        Who speaks each unit.
    unit_times : tuple of (float, float) or None
        Start and end of each unit in seconds.
    annotations : mapping of str to Segmentation
        One segmentation per annotator.
    scores : tuple of float or None
        One boundary score per gap.
    hierarchy : tuple of Segmentation
        Segmentations from coarse to fine, each containing the one before.
    open_ended : bool
        True if the source gives starts only (a chapter list), so that the length is not known: ``n_units`` is then
        only as long as it must be, and a comparison takes the length of the other side.
    extra : mapping
        Every other key of the source.
    """

    id: str
    n_units: int
    segmentation: Segmentation | None = None
    unit: str = UNSPECIFIED_UNIT
    units: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    unit_times: tuple[tuple[float, float], ...] | None = None
    annotations: Mapping[str, Segmentation] = dataclasses.field(default_factory=dict)
    scores: tuple[float, ...] | None = None
    hierarchy: tuple[Segmentation, ...] = ()
    open_ended: bool = False
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self._segmentations():
            if value.n_units != self.n_units:
                raise SegmentationError(
                    f"document {self.id!r}: {name} has {value.n_units} units, the document has {self.n_units}"
                )
            if not units_agree(value.unit, self.unit):
                raise SegmentationError(
                    f"document {self.id!r}: {name} counts {value.unit!r}, the document {self.unit!r}"
                )
        for name, wanted in (
            ("units", self.n_units),
            ("speakers", self.n_units),
            ("unit_times", self.n_units),
        ):
            self._check_length(name, wanted, "one per unit")
        self._check_length("scores", self.n_units - 1, "one per gap")

    def _segmentations(self) -> Iterator[tuple[str, Segmentation]]:
        if self.segmentation is not None:
            yield "the segmentation", self.segmentation
        for name, value in self.annotations.items():
            yield f"annotator {name!r}", value
        for level, value in enumerate(self.hierarchy, start=1):
            yield f"level {level} of the hierarchy", value

    def _check_length(self, name: str, wanted: int, each: str) -> None:
        value = getattr(self, name)
        if value is not None and len(value) != wanted:
            raise SegmentationError(
                f"document {self.id!r}: {name} has {len(value)} entries, but {each} makes {wanted}"
            )


@dataclasses.dataclass(frozen=True)
class Numbered(Sequence[str]):
    """The ids of documents that nobody named: ``"1"``, ``"2"`` and so on, each made when it is asked for.

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


class Corpus:
    """Documents in order, with unique ids, all counted in one unit.

    Parameters
    ----------
    documents : iterable of Document
        The documents.
    name : str, optional
        Where they come from, for messages.
    ids_are_given : bool
        False when the ids were made up by a reader because the source has none; two such corpora of one document
        each are compared with each other whatever their ids.

    Examples
    --------
    >>> corpus = Corpus.from_segmentations({"d1": Segmentation(13, (6, 9))})
    >>> corpus["d1"].segmentation
    Segmentation(13, (6, 9))
    """

    _present: npt.NDArray[np.bool_] | None
    _rich: Sequence[Document] | None
    _given: Sequence[Segmentation] | None
    open_rows: frozenset[int]
    """The places of open-ended documents."""

    def __init__(self, documents: Iterable[Document], *, name: str = "", ids_are_given: bool = True) -> None:
        kept = list(documents)
        present = np.array([d.segmentation is not None for d in kept], dtype=bool)
        flat = Flat.from_segmentations([d.segmentation or Segmentation(d.n_units) for d in kept])
        ids = [d.id for d in kept]
        _check_unique(ids, name)
        self._fill(ids, flat, _one_unit(ids, [d.unit for d in kept], name), name, ids_are_given)
        self._rich = kept
        self.open_rows = frozenset(row for row, d in enumerate(kept) if d.open_ended)
        if not present.all():
            self._present = present

    @classmethod
    def from_flat(
        cls,
        ids: Sequence[str],
        flat: Flat,
        *,
        unit: str = UNSPECIFIED_UNIT,
        name: str = "",
        ids_are_given: bool = True,
    ) -> Corpus:
        """Make a corpus of bare segmentations from flat arrays, checked all at once."""
        if len(ids) != len(flat):
            raise SegmentationError(f"{len(ids)} ids for {len(flat)} documents")
        flat.check_layout()
        fault = flat.first_fault()
        if fault is not None:
            raise SegmentationError(f"document {ids[fault[0]]!r}: {fault[1]}")
        if not isinstance(ids, Numbered):
            _check_unique(ids, name)
        self = cls.__new__(cls)
        self._fill(ids if isinstance(ids, Numbered) else list(ids), flat, unit, name, ids_are_given)
        return self

    @classmethod
    def from_segmentations(cls, segmentations: Mapping[str, Spelled], *, name: str = "") -> Corpus:
        """Make a corpus from a mapping of id to segmentation, or to bits (`caesura.segmentation.segmentation_of`)."""
        ids, values = list(segmentations), list(segmentations.values())
        if set(map(type, ids)) - {str}:
            ids = list(map(str, ids))
            _check_unique(ids, name)
        if set(map(type, values)) - {Segmentation}:
            values = [
                segmentation_of(value, f"document {key!r}") for key, value in zip(ids, values, strict=True)
            ]
        given = cast("list[Segmentation]", values)
        self = cls.__new__(cls)
        flat, units = Flat.with_units(given)
        self._fill(ids, flat, _one_unit(ids, units, name), name, True)
        self._given = given
        return self

    def _fill(self, ids: Sequence[str], flat: Flat, unit: str, name: str, ids_are_given: bool) -> None:
        self._ids = ids
        self._flat = flat
        self._unit = unit
        self.name = name
        self.ids_are_given = ids_are_given
        self.open_rows = frozenset()
        self._present = None
        self._rich = self._given = None
        self._rows: dict[str, int] | None = None

    @property
    def ids(self) -> Sequence[str]:
        """The ids, in order."""
        return self._ids

    @property
    def unit(self) -> str:
        """What is counted, in all documents."""
        return self._unit

    @property
    def flat(self) -> Flat:
        """The segmentations as arrays; a document without one counts as having no boundary (see `present`)."""
        return self._flat

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which documents have a segmentation."""
        return np.ones(len(self), dtype=bool) if self._present is None else self._present

    @property
    def complete(self) -> bool:
        """Whether every document has a segmentation."""
        return self._present is None

    def row(self, document_id: str) -> int:
        """Return the place of a document."""
        if self._rows is None:
            self._rows = {key: row for row, key in enumerate(self._ids)}
        return self._rows[document_id]

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, document_id: object) -> bool:
        try:
            self.row(document_id)  # type: ignore[arg-type]
        except (KeyError, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[Document]:
        return (self._document(row) for row in range(len(self)))

    def __getitem__(self, document_id: str) -> Document:
        try:
            return self._document(self.row(document_id))
        except KeyError:
            raise KeyError(f"no document {document_id!r} in {self.name or 'the corpus'}") from None

    def segmentation(self, row: int) -> Segmentation:
        """Return the segmentation of the document at a place."""
        flat = self._flat
        positions = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
        if positions.flags.writeable:
            positions = positions.copy()
            positions.setflags(write=False)
        return Segmentation.from_positions(int(flat.n_units[row]), positions, self._unit)

    def consensus(self, threshold: float) -> Corpus:
        """Return the corpus with the boundaries that enough annotators marked.

        Parameters
        ----------
        threshold : float
            The least share of a document's annotators, compared exactly as counted; 0 takes every boundary that
            anybody marked (the union), 1 those that all marked.

        Examples
        --------
        >>> votes = {"a": Segmentation(9, (3, 6)), "b": Segmentation(9, (3,)), "c": Segmentation(9, (4,))}
        >>> corpus = Corpus([Document(id="d", n_units=9, annotations=votes)])
        >>> corpus.consensus(0.5)["d"].segmentation, corpus.consensus(0)["d"].segmentation
        (Segmentation(9, (3,)), Segmentation(9, (3, 4, 6)))
        """
        if not 0 <= threshold <= 1:
            raise ComparabilityError(f"threshold is {threshold!r}; it must be a share between 0 and 1")
        return self._redone(
            [
                dataclasses.replace(document, segmentation=_consensus(document, threshold))
                for document in self
                if document.annotations
            ],
            f"consensus={threshold}",
        )

    def annotator(self, name: str) -> Corpus:
        """Return the documents that one annotator coded, with his boundaries."""
        coded = [
            dataclasses.replace(document, segmentation=document.annotations[name])
            for document in self
            if name in document.annotations
        ]
        if not coded:
            known = sorted({key for document in self for key in document.annotations})
            raise ComparabilityError(
                f"no document is annotated by {name!r}; annotators are {', '.join(known) or 'none'}"
            )
        return self._redone(coded, f"annotator={name}")

    def subset(self, ids: Iterable[str]) -> Corpus:
        """Return the documents with these ids, in the order of the corpus."""
        wanted = set(ids)
        kept = [document for document in self if document.id in wanted]
        return Corpus(kept, name=self.name, ids_are_given=self.ids_are_given)

    def _redone(self, documents: list[Document], how: str) -> Corpus:
        if not documents:
            raise ComparabilityError(
                f"{self.name or 'the corpus'} has no annotations; give each document "
                "'annotations': {\"annotator\": [boundaries]}"
            )
        return Corpus(documents, name=f"{self.name} [{how}]".strip(), ids_are_given=self.ids_are_given)

    def _document(self, row: int) -> Document:
        if self._rich is not None:
            return self._rich[row]
        segmentation = self.segmentation(row) if self._given is None else self._given[row]
        return Document(
            id=self._ids[row], n_units=segmentation.n_units, segmentation=segmentation, unit=segmentation.unit
        )

    def __repr__(self) -> str:
        where = f" {self.name!r}" if self.name else ""
        return f"<Corpus{where}: {len(self)} documents, unit {self._unit!r}>"


def _consensus(document: Document, threshold: float) -> Segmentation:
    votes = Counter(gap for coding in document.annotations.values() for gap in coding.boundaries)
    # Both sides are shares rounded once, so that 5 of 6 reach 5/6 and 3 of 10 reach 0.3.
    kept = sorted(gap for gap, count in votes.items() if count / len(document.annotations) >= threshold)
    return Segmentation(document.n_units, kept, unit=document.unit)


def _one_unit(ids: Sequence[str], units: Sequence[str], name: str) -> str:
    """Return what all documents count."""
    if len(set(units)) <= 1:
        return units[0] if units else UNSPECIFIED_UNIT
    unit = units[0]
    for key, other in zip(ids, units, strict=True):
        if not units_agree(unit, other):
            raise ComparabilityError(
                f"document {key!r} counts {other!r}, the ones before {unit!r}; "
                f"all documents of {name or 'a corpus'} must count the same unit"
            )
        unit = other if unit == UNSPECIFIED_UNIT else unit
    return unit


def _check_unique(ids: Sequence[str], name: str) -> None:
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = [key for key in ids if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
        raise ComparabilityError(
            f"document {twice[0]!r}{and_more(len(twice))} stands twice in {name or 'the corpus'}; ids must be unique"
        )
