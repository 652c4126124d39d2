# SPDX-License-Identifier: Apache-2.0
"""Documents, corpora, and the flat batches that metrics count.

A `Corpus` keeps its segmentations as three arrays (``n_units``, ``ptr``, ``pos``), so that a million documents cost
no objects; a `Document` is made when somebody asks for one. `Pairs` lays two corpora side by side.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import MOST_UNITS, UNSPECIFIED_UNIT, Segmentation, units_agree

__all__ = ["Corpus", "Document", "Flat", "Pairing", "Pairs", "pair"]

Ints = npt.NDArray[np.int64]
Missing = Literal["error", "skip"]


@dataclasses.dataclass(frozen=True)
class Flat:
    """Segmentations of many documents as flat arrays.

    Attributes
    ----------
    n_units : int64[D]
        Units of each document.
    ptr : int64[D + 1]
        ``pos[ptr[d]:ptr[d + 1]]`` are the boundaries of document ``d``.
    pos : int64[B]
        Boundaries, increasing within each document.
    """

    n_units: Ints
    ptr: Ints
    pos: Ints

    @classmethod
    def from_segmentations(cls, segmentations: Sequence[Segmentation]) -> Flat:
        """Lay segmentations out flat."""
        sizes = [s.n_boundaries for s in segmentations]
        ptr = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ptr[1:])
        pos = (
            np.concatenate([s.positions for s in segmentations])
            if segmentations
            else np.empty(0, dtype=np.int64)
        )
        return cls(np.array([s.n_units for s in segmentations], dtype=np.int64), ptr, pos)

    def __len__(self) -> int:
        return len(self.n_units)

    def take(self, rows: Ints) -> Flat:
        """Return the documents ``rows``, in that order."""
        starts, sizes = self.ptr[rows], self.ptr[rows + 1] - self.ptr[rows]
        ptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ptr[1:])
        # Each output place is its document's start plus how far it lies into that document.
        places = np.arange(ptr[-1]) + np.repeat(starts - ptr[:-1], sizes)
        return Flat(self.n_units[rows], ptr, self.pos[places])

    def first_fault(self) -> tuple[int, str] | None:
        """Return the first document that is no segmentation, with what is wrong, or None if all are."""
        for row in self._suspects():
            try:
                Segmentation(int(self.n_units[row]), self.pos[self.ptr[row] : self.ptr[row + 1]])
            except SegmentationError as error:
                return int(row), str(error)
        return None

    def _suspects(self) -> Iterable[int]:
        """Return the rows that break a rule, found over all documents at once."""
        bad = (self.n_units < 1) | (self.n_units > MOST_UNITS)
        filled = self.ptr[1:] > self.ptr[:-1]
        if len(self.pos):
            first, last = self.pos[self.ptr[:-1][filled]], self.pos[self.ptr[1:][filled] - 1]
            bad[filled] |= (first < 1) | (last > self.n_units[filled] - 1)
            falls = np.flatnonzero(self.pos[1:] <= self.pos[:-1]) + 1
            # A fall at the start of a document is none: there a new document begins.
            inside = falls[self.ptr[np.searchsorted(self.ptr, falls, side="right") - 1] != falls]
            bad[np.searchsorted(self.ptr, inside, side="right") - 1] = True
        return [int(row) for row in np.flatnonzero(bad)]


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

    def __init__(self, documents: Iterable[Document], *, name: str = "", ids_are_given: bool = True) -> None:
        kept = list(documents)
        present = np.array([d.segmentation is not None for d in kept], dtype=bool)
        flat = Flat.from_segmentations([d.segmentation or Segmentation(d.n_units) for d in kept])
        self._fill([d.id for d in kept], flat, _one_unit(kept, name), name, ids_are_given)
        self._rich.update(enumerate(kept))
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
        fault = flat.first_fault()
        if fault is not None:
            raise SegmentationError(f"document {ids[fault[0]]!r}: {fault[1]}")
        self = cls.__new__(cls)
        self._fill(list(ids), flat, unit, name, ids_are_given)
        return self

    @classmethod
    def from_segmentations(cls, segmentations: Mapping[str, Segmentation], *, name: str = "") -> Corpus:
        """Make a corpus from a mapping of id to segmentation."""
        for key, value in segmentations.items():
            if not isinstance(value, Segmentation):
                raise SegmentationError(
                    f"document {key!r} is a {type(value).__name__}; it must be a Segmentation, "
                    "such as Segmentation.from_masses([6, 3, 4])"
                )
        documents = [
            Document(id=str(key), n_units=value.n_units, segmentation=value, unit=value.unit)
            for key, value in segmentations.items()
        ]
        return cls(documents, name=name)

    def _fill(self, ids: list[str], flat: Flat, unit: str, name: str, ids_are_given: bool) -> None:
        self._ids = ids
        self._flat = flat
        self._unit = unit
        self.name = name
        self.ids_are_given = ids_are_given
        self._present = None
        self._rich: dict[int, Document] = {}
        self._rows: dict[str, int] | None = None
        if len(set(ids)) != len(ids):
            raise ComparabilityError(_duplicates(ids, name))

    @property
    def ids(self) -> list[str]:
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
        rich = self._rich.get(row)
        if rich is not None:
            return rich
        segmentation = self.segmentation(row)
        return Document(
            id=self._ids[row], n_units=segmentation.n_units, segmentation=segmentation, unit=self._unit
        )

    def __repr__(self) -> str:
        where = f" {self.name!r}" if self.name else ""
        return f"<Corpus{where}: {len(self)} documents, unit {self._unit!r}>"


@dataclasses.dataclass(frozen=True)
class Pairs:
    """Reference and hypothesis of many documents, side by side as flat arrays."""

    n_units: Ints
    ref_ptr: Ints
    ref_pos: Ints
    hyp_ptr: Ints
    hyp_pos: Ints
    unit: str = UNSPECIFIED_UNIT

    @classmethod
    def of(cls, reference: Segmentation, hypothesis: Segmentation) -> Pairs:
        """Make a batch of one document."""
        unit = check_comparable(reference, hypothesis)
        ref_ptr, hyp_ptr = np.array([0, reference.n_boundaries]), np.array([0, hypothesis.n_boundaries])
        return cls(
            np.array([reference.n_units]), ref_ptr, reference.positions, hyp_ptr, hypothesis.positions, unit
        )

    def __len__(self) -> int:
        return len(self.n_units)

    def take(self, places: Ints) -> Pairs:
        """Keep the pairs at some places only, in that order."""
        ref = Flat(self.n_units, self.ref_ptr, self.ref_pos).take(places)
        hyp = Flat(self.n_units, self.hyp_ptr, self.hyp_pos).take(places)
        return Pairs(ref.n_units, ref.ptr, ref.pos, hyp.ptr, hyp.pos, self.unit)

    def swapped(self) -> Pairs:
        """Return the batch with reference and hypothesis exchanged."""
        return Pairs(self.n_units, self.hyp_ptr, self.hyp_pos, self.ref_ptr, self.ref_pos, self.unit)


@dataclasses.dataclass(frozen=True)
class Pairing:
    """What `pair` made of two corpora.

    Attributes
    ----------
    pairs : Pairs
        The documents that both have, in the order of the reference.
    rows : int64[D]
        Their places in the reference.
    skipped : tuple of str
        Documents of the reference that the hypothesis lacks.
    fitted : tuple of str
        Open-ended documents that took the length of the other side.
    """

    pairs: Pairs
    rows: Ints
    skipped: tuple[str, ...] = ()
    fitted: tuple[str, ...] = ()

    def take(self, places: Ints) -> Pairing:
        """Keep the pairs at some places only."""
        return dataclasses.replace(self, pairs=self.pairs.take(places), rows=self.rows[places])


def check_comparable(reference: Segmentation, hypothesis: Segmentation) -> str:
    """Return the common unit of two segmentations of the same units, or say why they are not comparable."""
    if reference.n_units != hypothesis.n_units:
        raise ComparabilityError(
            f"reference has {reference.n_units} units, hypothesis has {hypothesis.n_units}; "
            "both must segment the same units"
        )
    return _common_unit(reference.unit, hypothesis.unit, "hypothesis")


def pair(
    reference: Corpus, hypothesis: Corpus, *, name: str = "hypothesis", missing: Missing = "error"
) -> Pairing:
    """Lay a hypothesis beside its reference, document by document.

    Parameters
    ----------
    reference, hypothesis : Corpus
        Both must hold the same documents, with the same units.
    name : str
        What the hypothesis is called in messages.
    missing : {"error", "skip"}
        What to do with a document of the reference that the hypothesis lacks.

    Raises
    ------
    ComparabilityError
        If documents are missing, superfluous, of another length or counted in another unit.
    """
    unit = _common_unit(reference.unit, hypothesis.unit, name)
    rows, columns, skipped = _matched(reference, hypothesis, name, missing)
    for corpus, kept, who in ((reference, rows, "the reference"), (hypothesis, columns, repr(name))):
        absent = np.flatnonzero(~corpus.present[kept])
        if len(absent):
            raise ComparabilityError(
                f"document {corpus.ids[int(kept[absent[0]])]!r}{_more(len(absent))} of {who} has no boundaries; "
                "give 'boundaries', 'masses' or 'labels' (an empty list of boundaries is allowed)"
            )
    ref, hyp, fitted = _fitted(reference, rows, hypothesis, columns)
    wrong = np.flatnonzero(ref.n_units != hyp.n_units)
    if len(wrong):
        row = int(wrong[0])
        raise ComparabilityError(
            f"document {reference.ids[int(rows[row])]!r}: reference has {ref.n_units[row]} units, "
            f"hypothesis {name!r} has {hyp.n_units[row]}; both must segment the same units{_more(len(wrong), True)}"
        )
    return Pairing(Pairs(ref.n_units, ref.ptr, ref.pos, hyp.ptr, hyp.pos, unit), rows, skipped, fitted)


def _matched(
    reference: Corpus, hypothesis: Corpus, name: str, missing: Missing
) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Return the places of the common documents in both corpora, and the ids that the hypothesis lacks."""
    everything = np.arange(len(reference))
    if reference.ids == hypothesis.ids:
        return everything, everything, ()
    if len(reference) == len(hypothesis) == 1 and not (reference.ids_are_given and hypothesis.ids_are_given):
        return everything, everything, ()
    extra = [key for key in hypothesis.ids if key not in reference]
    if extra:
        raise ComparabilityError(
            f"document {extra[0]!r}{_more(len(extra))} of {name!r} is not in the reference; "
            "remove it, or check that both files are of the same corpus"
        )
    lacking = tuple(key for key in reference.ids if key not in hypothesis)
    if lacking and missing != "skip":
        raise ComparabilityError(
            f"document {lacking[0]!r}{_more(len(lacking))} of the reference is missing from {name!r}; "
            "add it, or skip and count such documents with missing='skip' (--missing skip)"
        )
    rows = np.array([row for row, key in enumerate(reference.ids) if key in hypothesis], dtype=np.int64)
    if not len(rows):
        raise ComparabilityError(f"{name!r} has no document of the reference; check the ids")
    columns = np.array([hypothesis.row(reference.ids[row]) for row in rows], dtype=np.int64)
    return rows, columns, lacking


def _fitted(
    reference: Corpus, rows: Ints, hypothesis: Corpus, columns: Ints
) -> tuple[Flat, Flat, tuple[str, ...]]:
    """Give open-ended documents the length of the other side."""
    whole = len(rows) == len(reference) and np.array_equal(rows, columns)
    ref, hyp = (
        (reference.flat, hypothesis.flat)
        if whole
        else (reference.flat.take(rows), hypothesis.flat.take(columns))
    )
    fitted: list[str] = []
    ref_units, hyp_units = ref.n_units, hyp.n_units
    for place, (row, column) in (
        enumerate(zip(rows, columns, strict=True)) if reference._rich or hypothesis._rich else ()
    ):
        ours, theirs = reference._rich.get(int(row)), hypothesis._rich.get(int(column))
        ref_open, hyp_open = bool(ours and ours.open_ended), bool(theirs and theirs.open_ended)
        if not (ref_open or hyp_open) or ref_units[place] == hyp_units[place]:
            continue
        if not fitted:
            ref_units, hyp_units = ref_units.copy(), hyp_units.copy()
        if ref_open and hyp_open:
            ref_units[place] = hyp_units[place] = max(ref_units[place], hyp_units[place])
        elif ref_open and _last(ref, place) < hyp_units[place]:
            ref_units[place] = hyp_units[place]
        elif hyp_open and _last(hyp, place) < ref_units[place]:
            hyp_units[place] = ref_units[place]
        fitted.append(reference.ids[int(row)])
    return Flat(ref_units, ref.ptr, ref.pos), Flat(hyp_units, hyp.ptr, hyp.pos), tuple(fitted)


def _last(flat: Flat, row: int) -> int:
    """Return the last boundary of a document, or 0."""
    return int(flat.pos[flat.ptr[row + 1] - 1]) if flat.ptr[row + 1] > flat.ptr[row] else 0


def _common_unit(first: str, second: str, name: str) -> str:
    if first == second:
        return first
    if not units_agree(first, second):
        raise ComparabilityError(
            f"the reference counts {first!r}, {name!r} counts {second!r}; project one onto the other first "
            "(caesura convert --project, or caesura.project)"
        )
    return second if first == UNSPECIFIED_UNIT else first


def _consensus(document: Document, threshold: float) -> Segmentation:
    votes = Counter(gap for coding in document.annotations.values() for gap in coding.boundaries)
    # Both sides are shares rounded once, so that 5 of 6 reach 5/6 and 3 of 10 reach 0.3.
    kept = sorted(gap for gap, count in votes.items() if count / len(document.annotations) >= threshold)
    return Segmentation(document.n_units, kept, unit=document.unit)


def _one_unit(documents: Sequence[Document], name: str) -> str:
    unit = documents[0].unit if documents else UNSPECIFIED_UNIT
    for document in documents:
        if not units_agree(unit, document.unit):
            raise ComparabilityError(
                f"document {document.id!r} counts {document.unit!r}, the ones before {unit!r}; "
                f"all documents of {name or 'a corpus'} must count the same unit"
            )
        unit = document.unit if unit == UNSPECIFIED_UNIT else unit
    return unit


def _duplicates(ids: Sequence[str], name: str) -> str:
    seen: set[str] = set()
    twice = [key for key in ids if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    return (
        f"document {twice[0]!r}{_more(len(twice))} stands twice in {name or 'the corpus'}; ids must be unique"
    )


def _more(count: int, sentence: bool = False) -> str:
    """Say how many offenders there are beyond the one that is named."""
    if count <= 1:
        return ""
    return f"; {count - 1} more documents are wrong" if sentence else f" (and {count - 1} more)"
