# SPDX-License-Identifier: Apache-2.0
"""Pairs of reference and hypothesis, document by document, as flat arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, check_flat, starts_of
from caesura.corpus import Corpus, no_boundaries
from caesura.errors import ComparabilityError, SegmentationError, and_more
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, units_agree
from caesura.units.quantity import as_clock

if TYPE_CHECKING:
    from caesura.batches.titles import Titles

__all__ = ["Missing", "Pairing", "Pairs", "check_comparable", "check_same_units", "pair"]

Missing = Literal["error", "skip"]
Made = TypeVar("Made")


@dataclasses.dataclass(frozen=True, eq=False)
class Pairs:
    """Reference and hypothesis of many documents as flat arrays; both sides are checked like a `Flat`.

    `beside` combines two existing `Flat` objects without checking them again.
    """

    n_units: Ints
    ref_ptr: Ints
    ref_pos: Ints
    hyp_ptr: Ints
    hyp_pos: Ints
    unit: str = UNSPECIFIED_UNIT
    titles: tuple[Titles, Titles] | None = None  # of reference and hypothesis, where something reads them

    def __post_init__(self) -> None:
        reference = _side("reference", self.n_units, self.ref_ptr, self.ref_pos)
        hypothesis = _side("hypothesis", reference.n_units, self.hyp_ptr, self.hyp_pos)
        self._fill(reference, hypothesis, self.unit, self.titles)

    def _fill(self, reference: Flat, hypothesis: Flat, unit: str, titles: tuple[Titles, Titles] | None) -> None:
        self.__dict__.update(n_units=reference.n_units, ref_ptr=reference.ptr, ref_pos=reference.pos)
        self.__dict__.update(hyp_ptr=hypothesis.ptr, hyp_pos=hypothesis.pos, unit=unit, titles=titles)

    @classmethod
    def of(cls, reference: Segmentation, hypothesis: Segmentation) -> Pairs:
        """Make a batch of one document."""
        unit = check_comparable(reference, hypothesis)
        return cls.beside(Flat.from_segmentations([reference]), Flat.from_segmentations([hypothesis]), unit)

    @classmethod
    def beside(
        cls,
        reference: Flat,
        hypothesis: Flat,
        unit: str = UNSPECIFIED_UNIT,
        titles: tuple[Titles, Titles] | None = None,
    ) -> Pairs:
        """Combine two sides that hold the same documents."""
        check_flat(reference, "reference")
        check_flat(hypothesis, "hypothesis")
        check_same_units(reference.n_units, hypothesis.n_units, "hypothesis")
        self = cls.__new__(cls)
        self._fill(reference, hypothesis, unit, titles)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Pairs, tuple(getattr(self, field.name) for field in dataclasses.fields(self))

    @property
    def reference(self) -> Flat:
        """The reference side."""
        return Flat._known(self.n_units, self.ref_ptr, self.ref_pos)

    @property
    def hypothesis(self) -> Flat:
        """The hypothesis side."""
        return Flat._known(self.n_units, self.hyp_ptr, self.hyp_pos)

    def __len__(self) -> int:
        return len(self.n_units)

    def remember(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a value derived from this batch, computed once: metrics that read the same share it."""
        cache: dict[Hashable, Made] = self.__dict__.setdefault("_made", {})
        if key not in cache:
            cache[key] = make()
        return cache[key]

    def take(self, places: npt.ArrayLike) -> Pairs:
        """Return the pairs ``rows``, in that order."""
        titles = None if self.titles is None else (self.titles[0].take(places), self.titles[1].take(places))
        return Pairs.beside(self.reference.take(places), self.hypothesis.take(places), self.unit, titles)

    def in_order(self, order: Ints | slice) -> Pairs:
        """Return the pairs in the order of `caesura.corpus.drawing_order`; nothing is copied if that is their own."""
        return self if isinstance(order, slice) else self.take(order)

    def between(self, start: int, stop: int) -> Pairs:
        """Return the pairs from ``start`` to ``stop``; their boundaries are not copied."""
        sides = [Flat.between(side, start, stop) for side in (self.reference, self.hypothesis)]
        titles = (
            None if self.titles is None else (self.titles[0].between(start, stop), self.titles[1].between(start, stop))
        )
        return Pairs.beside(sides[0], sides[1], self.unit, titles)

    def against(self, hypothesis: Flat) -> Pairs:
        """Return the same reference paired with another hypothesis of the same documents; its segments keep the titles in order."""
        return Pairs.beside(self.reference, hypothesis, self.unit, self.titles)

    def swapped(self) -> Pairs:
        """Return the batch with reference and hypothesis exchanged."""
        titles = None if self.titles is None else self.titles[::-1]
        return Pairs.beside(self.hypothesis, self.reference, self.unit, titles)

    def with_titles(self, reference: Iterable[Sequence[str]], hypothesis: Iterable[Sequence[str]]) -> Pairs:
        """Return the same documents with the titles of their segments.

        >>> pairs = Pairs.of(Segmentation(9, (4,)), Segmentation(9)).with_titles([["Intro", "News"]], [["All"]])
        >>> [list(side) for side in pairs.swapped().titles]
        [[['All']], [['Intro', 'News']]]
        """
        from caesura.batches.titles import Titles

        titles = Titles.of(reference), Titles.of(hypothesis)
        return Pairs.beside(self.reference, self.hypothesis, self.unit, titles)

    def with_start(self) -> Pairs:
        """Return the batch with the start of each document as a boundary of both sides, one unit after a new start.

        >>> pairs = Pairs.of(Segmentation(9, (4,)), Segmentation(9)).with_start()
        >>> pairs.reference.segmentation(0), pairs.hypothesis.segmentation(0)
        (Segmentation(10, (1, 5)), Segmentation(10, (1,)))
        """
        number = np.arange(len(self) + 1)
        sides = [
            Flat(self.n_units + 1, side.ptr + number, np.insert(side.pos + 1, side.ptr[:-1], 1))
            for side in (self.reference, self.hypothesis)
        ]
        return Pairs.beside(sides[0], sides[1], self.unit)

    def in_bins(self, size: int) -> Pairs:
        """Return the batch in bins of ``size`` units instead of units: a boundary after each bin that has one, and one bin more.

        What is left at the end is no bin: a boundary at its start is in the last bin, later ones are left out.

        >>> pairs = Pairs.of(Segmentation(20, (3, 5, 18)), Segmentation(20, (6, 19))).in_bins(6)
        >>> pairs.reference.segmentation(0), pairs.hypothesis.segmentation(0)
        (Segmentation(4, (1, 3)), Segmentation(4, (2,)))
        """
        bins = self.n_units // size
        sides = []
        for side in (self.reference, self.hypothesis):
            document = np.repeat(np.arange(len(self)), np.diff(side.ptr))
            kept = side.pos <= (bins * size)[document]
            kept &= bins[document] > 0
            document, place = document[kept], np.minimum(side.pos[kept] // size + 1, bins[document[kept]])
            fresh = (np.diff(document, prepend=-1) != 0) | (np.diff(place, prepend=0) != 0)
            ptr = starts_of(np.bincount(document[fresh], minlength=len(self)))
            sides.append(Flat(bins + 1, ptr, place[fresh]))
        return Pairs.beside(sides[0], sides[1])

    def with_longer_first(self) -> Pairs:
        """Return the batch with one more unit in the first segment of both sides.

        >>> pairs = Pairs.of(Segmentation.from_masses([2, 4, 3]), Segmentation.from_masses([9])).with_longer_first()
        >>> pairs.reference.segmentation(0).masses, pairs.hypothesis.segmentation(0).masses
        ((3, 4, 3), (10,))
        """
        sides = [Flat(self.n_units + 1, side.ptr, side.pos + 1) for side in (self.reference, self.hypothesis)]
        return Pairs.beside(sides[0], sides[1], self.unit, self.titles)


def _side(name: str, n_units: Ints, ptr: Ints, pos: Ints) -> Flat:
    try:
        return Flat(n_units, ptr, pos)
    except SegmentationError as error:
        raise SegmentationError(f"{name}: {error}") from None


def check_same_units(reference: Ints, other: Ints, name: str) -> None:
    """Raise unless the documents of two sides have the same units."""
    if reference is other:
        return
    if len(reference) != len(other):
        raise ComparabilityError(
            f"the reference has {len(reference)} documents, the {name} {len(other)}; both must hold the same documents"
        )
    wrong = np.flatnonzero(reference != other)
    if len(wrong):
        row = int(wrong[0])
        raise ComparabilityError(
            f"document {row + 1}: the reference has {reference[row]} units, the {name} {other[row]}; "
            f"both must segment the same units{and_more(len(wrong), True)}"
        )


@dataclasses.dataclass(frozen=True)
class Pairing:
    """The result of `pair`."""

    pairs: Pairs  # the documents of both sides, in the order of the reference
    rows: Ints  # [D]: their indices in the reference
    columns: Ints  # [D]: their indices in the hypothesis
    skipped: tuple[str, ...] = ()  # documents of the reference that the hypothesis lacks
    fitted: tuple[str, ...] = ()  # open-ended documents that were given the length of the other side
    endless: tuple[str, ...] = ()  # documents open-ended on both sides

    def take(self, places: Ints) -> Pairing:
        """Return the pairs ``rows``, in that order."""
        return dataclasses.replace(
            self, pairs=self.pairs.take(places), rows=self.rows[places], columns=self.columns[places]
        )


def check_comparable(reference: Segmentation, hypothesis: Segmentation) -> str:
    """Return the common unit of two segmentations, or raise if they are not comparable."""
    if reference.n_units != hypothesis.n_units:
        raise ComparabilityError(
            f"reference has {reference.n_units} units, hypothesis has {hypothesis.n_units}; "
            "both must segment the same units"
        )
    return _common_unit(reference.unit, hypothesis.unit, "hypothesis")


def pair(reference: Corpus, hypothesis: Corpus, *, name: str = "hypothesis", missing: Missing = "error") -> Pairing:
    """Pair a hypothesis with its reference, document by document; both must hold the same documents, with the same units.

    ``name`` is that of the hypothesis in messages; ``missing`` says what to do with a document that it lacks.
    """
    unit = _common_unit(reference.unit, hypothesis.unit, name)
    rows, columns, skipped = _matched(reference, hypothesis, name, missing)
    for corpus, kept, who in ((reference, rows, "the reference"), (hypothesis, columns, repr(name))):
        if corpus.complete:
            continue
        absent = np.flatnonzero(~corpus.present[kept])
        if len(absent):
            raise no_boundaries(
                [corpus[corpus.ids[int(row)]] for row in kept[absent]],
                who,
                "give 'boundaries', 'masses' or 'labels' (an empty list of boundaries is allowed)",
            )
    ref, hyp, fitted, endless = _fitted(reference, rows, hypothesis, columns)
    wrong = np.flatnonzero(ref.n_units != hyp.n_units)
    if len(wrong):
        row = int(wrong[0])
        lengths = int(ref.n_units[row]), int(hyp.n_units[row])
        if unit == "ms":
            here, there = (f"lasts {as_clock(length)}" for length in lengths)
            what = "both must be of the same recording, to the end"
        else:
            here, there = f"has {lengths[0]} units", f"has {lengths[1]}"
            what = "both must segment the same units"
        raise ComparabilityError(
            f"document {reference.ids[int(rows[row])]!r}: reference {here}, hypothesis {name!r} {there}; "
            f"{what}{and_more(len(wrong), True)}"
        )
    return Pairing(Pairs.beside(ref, hyp, unit), rows, columns, skipped, fitted, endless)


def _matched(reference: Corpus, hypothesis: Corpus, name: str, missing: Missing) -> tuple[Ints, Ints, tuple[str, ...]]:
    """Return the indices of the common documents in both corpora, and the ids that the hypothesis lacks."""
    single = len(reference) == len(hypothesis) == 1
    if reference.ids == hypothesis.ids or (single and not (reference.ids_are_given and hypothesis.ids_are_given)):
        everything = np.arange(len(reference))
        return everything, everything, ()
    if not (reference.ids_are_given and hypothesis.ids_are_given):
        who = "the reference" if hypothesis.ids_are_given else repr(name)
        if len(reference) != len(hypothesis):
            raise ComparabilityError(
                f"{who} has no document ids, and the reference has {len(reference):,} documents, {name!r} {len(hypothesis):,}; give ids"
            )
        raise ComparabilityError(
            f"{who} has no document ids; give them, or match the documents by their order with match='order' "
            "(--match order)"
        )
    extra = [key for key in hypothesis.ids if key not in reference]
    if extra:
        raise ComparabilityError(
            f"document {extra[0]!r}{and_more(len(extra))} of {name!r} is not in the reference; "
            "remove it, or check that both files are of the same corpus"
        )
    lacking = tuple(key for key in reference.ids if key not in hypothesis)
    if lacking and missing != "skip":
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} of the reference is missing from {name!r}; "
            "add it, or skip and count such documents with missing='skip' (--missing skip)"
        )
    rows = np.array([row for row, key in enumerate(reference.ids) if key in hypothesis], dtype=np.int64)
    if not len(rows):
        raise ComparabilityError(f"{name!r} has no document of the reference; check the ids")
    columns = np.array([hypothesis.row(key) for key in reference.ids if key in hypothesis], dtype=np.int64)
    return rows, columns, lacking


def _fitted(
    reference: Corpus, rows: Ints, hypothesis: Corpus, columns: Ints
) -> tuple[Flat, Flat, tuple[str, ...], tuple[str, ...]]:
    """Give open-ended documents the length of the other side; if both are open-ended, the later known end."""
    ref, hyp = reference.flat, hypothesis.flat
    if len(rows) != len(reference) or not (rows is columns or np.array_equal(rows, columns)):
        ref, hyp = ref.take(rows), hyp.take(columns)
    fitted: list[str] = []
    endless: list[str] = []
    ref_units, hyp_units = ref.n_units, hyp.n_units
    for place, (row, column) in (
        enumerate(zip(rows, columns, strict=True)) if reference.open_rows or hypothesis.open_rows else ()
    ):
        ref_open, hyp_open = int(row) in reference.open_rows, int(column) in hypothesis.open_rows
        if ref_open and hyp_open:
            endless.append(reference.ids[int(row)])
        if not (ref_open or hyp_open) or ref_units[place] == hyp_units[place]:
            continue
        if ref_units is ref.n_units:
            ref_units, hyp_units = ref_units.copy(), hyp_units.copy()
        if ref_open and hyp_open:
            ref_units[place] = hyp_units[place] = max(ref_units[place], hyp_units[place])
        elif ref_open and _last(ref, place) < hyp_units[place]:
            ref_units[place] = hyp_units[place]
        elif hyp_open and _last(hyp, place) < ref_units[place]:
            hyp_units[place] = ref_units[place]
        if not (ref_open and hyp_open):
            fitted.append(reference.ids[int(row)])
    if fitted or endless:
        ref, hyp = Flat(ref_units, ref.ptr, ref.pos), Flat(hyp_units, hyp.ptr, hyp.pos)
    return ref, hyp, tuple(fitted), tuple(endless)


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
