# SPDX-License-Identifier: Apache-2.0
"""Projection of boundaries from one unit to another: time, units, characters, and subsets of units.

Two units are never compared silently, so projection is an explicit step that reports its cost: how far boundaries moved,
how many were merged, and how many were dropped at an end of the document.

Conventions
-----------
The position of the gap after unit ``i`` is the start of unit ``i + 1``: a chapter begins with its first word. Times are rounded to
the nearest millisecond. ``rule`` chooses the gap for a boundary that falls between two: the ``"nearest"`` (the later
one if both are as near), the ``"next"`` or the ``"previous"``. No boundary can lie at the very start or end of a
document: one that would, or that is nearer to the start or end than to any gap under ``"nearest"``, is dropped and
counted.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation
from caesura.units.align import Alignment, faults_of
from caesura.units.text import SEPARATOR, Text, has_chunks, locate, text_of

__all__ = [
    "Projection",
    "character_offsets",
    "project",
    "project_corpus",
    "project_to_characters",
    "project_to_subset",
    "project_to_time",
    "project_to_units",
    "summary",
]

Ints = npt.NDArray[np.int64]
Onto = Literal["ms", "units", "character"]
Rule = Literal["nearest", "next", "previous"]
Times = Sequence[tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Projection:
    """A segmentation projected onto another unit, and the cost.

    Attributes
    ----------
    segmentation : Segmentation
        The projected segmentation.
    max_displacement, mean_displacement : float
        Maximum and mean displacement of the boundaries that were not dropped; 0 if there are none.
    measured_in : str
        The unit of the displacements.
    merged : int
        Number of boundaries that fell on the gap of another one.
    dropped : int
        Number of boundaries that fell on the start or the end of the document.
    alignment : Alignment or None
        For the output of a chunker, the alignment of its chunks with the text.
    """

    segmentation: Segmentation
    max_displacement: float
    mean_displacement: float
    measured_in: str
    merged: int = 0
    dropped: int = 0
    alignment: Alignment | None = None

    def __str__(self) -> str:
        return summary([self])


def _plain(number: float) -> str:
    """Return a number with at most two decimals, never in exponential notation."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def project_to_units(
    segmentation: Segmentation,
    places: Times | Sequence[int],
    *,
    rule: Rule = "nearest",
    unit: str = UNSPECIFIED_UNIT,
) -> Projection:
    """Project boundaries in time or characters onto the gaps between units.

    Parameters
    ----------
    segmentation : Segmentation
        The segmentation, in ``ms`` or ``character``.
    places : sequence
        The positions of the units: (start, end) in seconds for ``ms``, start offsets for ``character``; increasing.
    rule : {"nearest", "next", "previous"}
        The gap for a boundary that falls between two.
    unit : str
        The name of the units.

    Examples
    --------
    >>> chapters = Segmentation(10_000, (4_200,), unit="ms")
    >>> made = project_to_units(chapters, [(0, 2), (2, 4), (4, 7), (7, 10)])
    >>> made.segmentation, made.max_displacement
    (Segmentation(4, (2,)), 200.0)
    """
    if segmentation.unit == "ms":
        starts = _starts_in_ms(places)  # type: ignore[arg-type]
    elif segmentation.unit == "character":
        starts = _offsets(places)  # type: ignore[arg-type]
    else:
        raise ComparabilityError(
            f"the unit of the segmentation is {segmentation.unit!r}; only 'ms' and 'character' can be projected onto units"
        )
    gaps = starts[1:]
    end = segmentation.n_units if segmentation.unit == "character" else max(_ms(end, "") for _, end in places)  # type: ignore[misc]
    chosen = _choose(segmentation.positions, gaps, rule, int(starts[0]), end)
    moved = np.abs(gaps[chosen[chosen >= 0]] - segmentation.positions[chosen >= 0])
    return _made(chosen + 1, len(starts), unit, moved, segmentation.unit)


def project_to_time(
    segmentation: Segmentation, unit_times: Times, *, duration: float | None = None
) -> Projection:
    """Project boundaries between units onto time (unit ``ms``).

    Parameters
    ----------
    segmentation : Segmentation
        The segmentation, in units.
    unit_times : sequence of (float, float)
        Start and end of each unit in seconds; starts must not decrease.
    duration : float, optional
        Length of the recording in seconds; by default the end of the last unit.

    Examples
    --------
    >>> project_to_time(Segmentation(3, (1,)), [(0, 2.5), (2.75, 4), (4, 6)]).segmentation
    Segmentation(6000, (2750,), unit='ms')
    """
    _check_count(segmentation, unit_times, "unit_times")
    starts = _starts_in_ms(unit_times)
    last = max(end for _, end in unit_times)
    length = _ms(last if duration is None else duration, "the duration")
    if duration is not None and length <= int(starts[-1]):
        raise SegmentationError(
            f"the duration is {duration} s, but the last unit starts at {unit_times[-1][0]} s; give a longer duration"
        )
    exact = np.array([start for start, _ in unit_times], dtype=float)[segmentation.positions] * 1000
    ends = starts[segmentation.positions]
    inside = (ends > 0) & (ends < length)
    return _made(np.where(inside, ends, 0), max(length, 1), "ms", np.abs(exact - ends)[inside].round(6), "ms")


def project_to_characters(
    segmentation: Segmentation, offsets: Sequence[int], *, n_characters: int | None = None
) -> Projection:
    """Project boundaries between units onto characters.

    Parameters
    ----------
    segmentation : Segmentation
        The segmentation, in units.
    offsets : sequence of int
        The start of each unit, increasing; a further entry is the length of the text.
    n_characters : int, optional
        Length of the text, if `offsets` does not include it.

    Examples
    --------
    >>> project_to_characters(Segmentation(3, (2,)), [0, 10, 25, 40]).segmentation
    Segmentation(40, (25,), unit='character')
    """
    starts = _offsets(offsets)
    if len(starts) == segmentation.n_units + 1:
        n_characters, starts = int(starts[-1]) if n_characters is None else n_characters, starts[:-1]
    _check_count(segmentation, starts, "offsets")
    if n_characters is None:
        raise SegmentationError("the length of the text is unknown; give n_characters, or one more offset")
    if n_characters <= int(starts[-1]):
        raise SegmentationError(
            f"the text has {n_characters} characters, but the last unit starts at {starts[-1]}; correct the offsets"
        )
    ends = starts[segmentation.positions]
    return _made(ends, n_characters, "character", np.zeros(np.count_nonzero(ends)), "character")


def project_to_subset(
    segmentation: Segmentation, members: Iterable[int] | Iterable[bool], *, rule: Rule = "next"
) -> Projection:
    """Project boundaries onto some of the units, such as the turns of one speaker.

    Parameters
    ----------
    segmentation : Segmentation
        The segmentation of all units.
    members : iterable of int, or of bool
        The units to keep: their indices from 0, increasing; or one truth value per unit.
    rule : {"next", "previous", "nearest"}
        The kept unit for a boundary before a unit that is not kept.

    Examples
    --------
    >>> made = project_to_subset(Segmentation(6, (1, 2, 5)), range(0, 6, 2))  # 1 is merged with 2; 5 has no next member
    >>> made.segmentation, made.merged, made.dropped
    (Segmentation(3, (1,)), 1, 1)
    """
    kept = _members(members, segmentation.n_units)
    # A boundary before a member becomes the gap before that member; the first member has no gap before it.
    chosen = _choose(segmentation.positions, kept, rule, int(kept[0]), segmentation.n_units)
    inside = chosen > 0
    moved = np.abs(kept[chosen[inside]] - segmentation.positions[inside])
    return _made(np.where(inside, chosen, 0), len(kept), segmentation.unit, moved, segmentation.unit)


@overload
def project(
    thing: Segmentation,
    onto: Onto,
    *,
    unit_times: Times | None = ...,
    offsets: Sequence[int] | None = ...,
    rule: Rule = ...,
) -> Projection: ...
@overload
def project(
    thing: Document,
    onto: Onto,
    *,
    unit_times: Times | None = ...,
    offsets: Sequence[int] | None = ...,
    rule: Rule = ...,
) -> tuple[Document, Projection]: ...
def project(
    thing: Segmentation | Document,
    onto: Onto,
    *,
    unit_times: Times | None = None,
    offsets: Sequence[int] | None = None,
    rule: Rule = "nearest",
) -> Projection | tuple[Document, Projection]:
    """Project a segmentation, or a document with all its segmentations, onto another unit.

    Parameters
    ----------
    thing : Segmentation or Document
        The object to project. A document has its own ``unit_times``, and its offsets follow from its texts, joined by
        newlines.
    onto : {"ms", "units", "character"}
        The unit of the result.
    unit_times, offsets : sequence, optional
        The positions of the units in time or in the text.
    rule : {"nearest", "next", "previous"}
        The gap for a boundary that falls between two.

    Returns
    -------
    Projection, or (Document, Projection)
        For a document the new one, without the texts and times of the old unit, and the cost over all its
        segmentations.
    """
    if isinstance(thing, Document):
        return _project_document(thing, onto, unit_times, offsets, rule)
    if onto not in ("ms", "units", "character"):
        raise ComparabilityError(f"cannot project onto {onto!r}; it must be 'ms', 'units' or 'character'")
    if onto == "units":
        places = unit_times if thing.unit == "ms" else offsets
        if places is None:
            raise ComparabilityError(
                f"projecting {thing.unit!r} onto units requires the positions of the units; give unit_times or offsets"
            )
        return project_to_units(thing, places, rule=rule)
    if onto == "ms" and unit_times is not None:
        return project_to_time(thing, unit_times)
    if onto == "character" and offsets is not None:
        return project_to_characters(thing, offsets)
    needed = "unit_times" if onto == "ms" else "texts or offsets"
    raise ComparabilityError(
        f"projecting {thing.unit!r} onto {onto!r} requires the {needed} of the units; give them"
    )


def project_corpus(
    corpus: Corpus, onto: Onto, *, units_of: Corpus | None = None, rule: Rule = "nearest"
) -> tuple[Corpus, list[Projection]]:
    """Project every document of a corpus onto another unit.

    Parameters
    ----------
    corpus : Corpus
        The documents to project.
    onto : {"ms", "units", "character"}
        The unit of the result.
    units_of : Corpus, optional
        Documents with the same ids and the positions of the units; required to project onto units.
    rule : {"nearest", "next", "previous"}
        The gap for a boundary that falls between two.
    """
    documents, projections = [], []
    for document in corpus:
        name = f"document {document.id!r}: "
        where = f"{corpus.name}: {name}" if corpus.name else name
        if onto == "units":
            place = _place_of(document, corpus, units_of, where)
            text = (
                None if place.units is None else text_of(place)
            )  # outside the try: its errors name their own document
        try:
            if onto == "units":
                made, cost = _onto_units_of(document, place, text, rule)
            else:
                made, cost = project(document, onto, rule=rule)
        except (ComparabilityError, SegmentationError) as error:
            raise type(error)(where + str(error).removeprefix(name)) from None
        documents.append(made)
        projections.append(cost)
    return Corpus(documents, name=corpus.name, ids_are_given=corpus.ids_are_given), projections


def summary(projections: Sequence[Projection]) -> str:
    """Return the total cost of the projections of a corpus in words."""
    farthest = max(value.max_displacement for value in projections)
    parts = [
        f"boundaries moved by {_plain(farthest)} {projections[0].measured_in} at most, "
        f"{_plain(_weighted_mean(projections))} on average",
        f"{sum(value.merged for value in projections)} merged, {sum(value.dropped for value in projections)} dropped",
    ]
    return "; ".join(
        [*parts, *faults_of([value.alignment for value in projections if value.alignment is not None])]
    )


def character_offsets(units: Sequence[str], separator: str = SEPARATOR) -> list[int]:
    """Return the start of each unit when all are joined by a separator, and the length of the result.

    >>> character_offsets(["Hello.", "Bye."])
    [0, 7, 11]
    """
    starts = [0]
    for text in units:
        starts.append(starts[-1] + len(text) + len(separator))
    starts[-1] -= len(separator)
    return starts


def _place_of(document: Document, corpus: Corpus, units_of: Corpus | None, where: str) -> Document:
    """Return the document with the positions of the units of another."""
    if units_of is None:
        raise ComparabilityError(
            f"{where}projecting onto units requires a file with the positions of the units; give it (--onto)"
        )
    if document.id in units_of:
        return units_of[document.id]
    if len(corpus) == len(units_of) == 1 and not (corpus.ids_are_given and units_of.ids_are_given):
        return next(iter(units_of))
    raise ComparabilityError(f"{where}is not in {units_of.name or 'the file with the units'}; check the ids")


def _onto_units_of(
    document: Document, place: Document, text: Text | None, rule: Rule
) -> tuple[Document, Projection]:
    offsets = None if text is None else text.starts
    alignment = None
    if has_chunks(document):
        if text is None:
            raise ComparabilityError(
                "projecting chunks onto units requires the texts of the units; give 'units'"
            )
        alignment = locate(document, text.text)
        document = Document(
            id=document.id,
            n_units=alignment.n_characters,
            segmentation=alignment.segmentation,
            unit="character",
        )
    made, cost = project(document, "units", unit_times=place.unit_times, offsets=offsets, rule=rule)
    cost = dataclasses.replace(cost, alignment=alignment)
    if made.n_units != place.n_units:
        raise ComparabilityError(f"has {made.n_units} positions for {place.n_units} units; give one per unit")
    moved = dataclasses.replace(
        made,
        id=place.id,  # of two single documents, the unnamed one takes the name of the other
        unit=place.unit,
        segmentation=made.segmentation and made.segmentation.with_unit(place.unit),
        annotations={name: value.with_unit(place.unit) for name, value in made.annotations.items()},
        hierarchy=tuple(value.with_unit(place.unit) for value in made.hierarchy),
        units=place.units,
        speakers=place.speakers,
        unit_times=place.unit_times,
    )
    return moved, cost


def _project_document(
    document: Document, onto: Onto, unit_times: Times | None, offsets: Sequence[int] | None, rule: Rule
) -> tuple[Document, Projection]:
    times = document.unit_times if unit_times is None else unit_times
    if offsets is None and document.units is not None:
        text = text_of(document)
        offsets = [*text.starts, len(text.text)]

    def carry(segmentation: Segmentation) -> Projection:
        return project(segmentation, onto, unit_times=times, offsets=offsets, rule=rule)

    # A document without a segmentation still needs its length in the new unit.
    main = carry(document.segmentation or Segmentation(document.n_units, unit=document.unit))
    others = {name: carry(value) for name, value in document.annotations.items()}
    levels = [carry(value) for value in document.hierarchy]
    everything = [main, *others.values(), *levels]
    extra = dict(document.extra)
    if main.merged or main.dropped:
        extra.pop("segment_titles", None)
    made = Document(
        id=document.id,
        n_units=main.segmentation.n_units,
        segmentation=None if document.segmentation is None else main.segmentation,
        unit=main.segmentation.unit,
        annotations={name: value.segmentation for name, value in others.items()},
        hierarchy=tuple(value.segmentation for value in levels),
        extra=extra,
    )
    cost = dataclasses.replace(
        main,
        max_displacement=max(value.max_displacement for value in everything),
        mean_displacement=_weighted_mean(everything),
        merged=sum(value.merged for value in everything),
        dropped=sum(value.dropped for value in everything),
    )
    return made, cost


def _weighted_mean(projections: Sequence[Projection]) -> float:
    counts = [value.segmentation.n_boundaries + value.merged for value in projections]
    total = sum(count * value.mean_displacement for count, value in zip(counts, projections, strict=True))
    return total / sum(counts) if sum(counts) else 0.0


def _choose(positions: Ints, gaps: Ints, rule: Rule, start: int, end: int) -> Ints:
    """Return for each position the index of the gap that takes it, or -1 if none does.

    None does where there is no gap on that side, or where the start or end of the document is nearer than any gap.
    """
    after = np.searchsorted(gaps, positions, side="left")
    if rule == "next":
        return np.where(after < len(gaps), after, -1)
    before = np.searchsorted(gaps, positions, side="right") - 1
    if rule == "previous":
        return before
    if rule != "nearest":
        raise ComparabilityError(f"rule is {rule!r}; it must be 'nearest', 'next' or 'previous'")
    if not len(gaps):
        return np.full(len(positions), -1)
    ahead = np.abs(gaps[np.minimum(after, len(gaps) - 1)] - positions)
    behind = np.abs(gaps[np.maximum(before, 0)] - positions)
    chosen = np.where(behind < ahead, np.maximum(before, 0), np.minimum(after, len(gaps) - 1))
    to_ends = np.minimum(np.abs(positions - start), np.abs(positions - end))
    return np.where(to_ends < np.minimum(ahead, behind), -1, chosen)


def _made(gaps: Ints, n_units: int, unit: str, moved: npt.NDArray[Any], measured_in: str) -> Projection:
    """Return the projection onto gaps, where 0 marks a dropped boundary."""
    kept = gaps[gaps > 0]
    distinct = np.unique(kept)
    return Projection(
        segmentation=Segmentation(n_units, distinct.astype(np.int64), unit=unit),
        max_displacement=float(moved.max()) if len(moved) else 0.0,
        mean_displacement=float(moved.mean()) if len(moved) else 0.0,
        measured_in=measured_in,
        merged=len(kept) - len(distinct),
        dropped=len(gaps) - len(kept),
    )


def _members(members: Iterable[int] | Iterable[bool], n_units: int) -> Ints:
    values = list(members)
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != n_units:
            raise SegmentationError(
                f"there are {len(values)} truth values for {n_units} units; give one per unit"
            )
        values = [place for place, is_member in enumerate(values) if is_member]
    try:
        kept = np.array(values, dtype=np.int64) if values else np.empty(0, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise SegmentationError("members must be indices of units, or one truth value per unit") from None
    if not len(kept):
        raise SegmentationError("members is empty; keep at least one unit")
    if kept[0] < 0 or kept[-1] >= n_units or (np.diff(kept) <= 0).any():
        raise SegmentationError(f"members must be increasing indices of units, from 0 to {n_units - 1}")
    return kept


def _starts_in_ms(unit_times: Times) -> Ints:
    if not len(unit_times):
        raise SegmentationError("unit_times is empty; give the times of at least one unit")
    starts: list[int] = []
    for place, times in enumerate(unit_times, start=1):
        try:
            start, end = times
        except (TypeError, ValueError):
            raise SegmentationError(
                f"the time of unit {place} is {times!r}; it must be (start, end)"
            ) from None
        starts.append(_ms(start, f"the start of unit {place}"))
        if _ms(end, f"the end of unit {place}") < starts[-1]:
            raise SegmentationError(
                f"unit {place} ends at {end} s, before it starts at {start} s; correct its times"
            )
        if place > 1 and starts[-1] < starts[-2]:
            raise SegmentationError(
                f"unit {place} starts at {start} s, before unit {place - 1}; sort them by start"
            )
    return np.array(starts, dtype=np.int64)


def _ms(seconds: object, name: str) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float, np.integer, np.floating)):
        raise SegmentationError(f"{name} is {seconds!r}; it must be a time in seconds")
    if not 0 <= seconds < math.inf:
        raise SegmentationError(f"{name} is {seconds!r}; it must be a time in seconds, at least 0")
    return round(float(seconds) * 1000)


def _offsets(offsets: Sequence[int]) -> Ints:
    array = np.asarray(offsets)
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "iu":
        raise SegmentationError("offsets must be integers, the start of each unit")
    if array[0] < 0 or (np.diff(array) <= 0).any():
        raise SegmentationError("offsets must be increasing, from 0")
    return array.astype(np.int64)


def _check_count(segmentation: Segmentation, places: Sequence[Any] | Ints, name: str) -> None:
    if len(places) != segmentation.n_units:
        raise SegmentationError(
            f"{name} has {len(places)} entries for {segmentation.n_units} units; give one per unit"
        )
