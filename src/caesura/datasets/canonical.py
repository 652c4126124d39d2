# SPDX-License-Identifier: Apache-2.0
"""The canonical form of dialogues (Coen 2025, Appendix D), and the rules of the paper's released code.

Appendix D: all turns of both speakers, without blank ones, and a boundary between two turns with different labels. The tables
of the paper were computed differently. Its code uses the turns of the user only, skips dialogues of fewer than four turns, and
tests topic numbers by truth value: topic 0 reads as "no topic", and leaving "no topic" is not counted. The boundary at the end
of the first segment is therefore lost.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from caesura.corpus import READ_AS, Corpus, Document
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.formats import plural
from caesura.limits import check_units
from caesura.segmentation import Segmentation
from caesura.units.projection import project_to_subset

__all__ = ["Canonical", "Reading", "canonical"]

ALL, EVEN, EVEN_AND_LAST = "all", "even", "even+last"
_SHORTEST = 4  # minimum number of turns; the released code skips shorter dialogues


class Reading(NamedTuple):
    """A corpus under one rule: the name, and the number of documents, units and boundaries."""

    rule: str
    documents: int
    units: int
    boundaries: int


@dataclasses.dataclass(frozen=True)
class Canonical:
    """A corpus in canonical form, its size under each rule, and what was left out."""

    corpus: Corpus
    readings: tuple[Reading, ...]
    notes: tuple[str, ...]


def canonical(corpus: Corpus, *, members: str = ALL, as_run: bool = False) -> Canonical:
    """Return dialogues in canonical form.

    Parameters
    ----------
    corpus : Corpus
        The dialogues, with a segmentation each.
    members : str
        The turns to keep: ``"all"``, ``"even"`` (the first, third, ...), ``"even+last"``, or the name of a speaker, such as
        ``"user"``. A boundary before a turn that is not kept moves to the next kept turn.
    as_run : bool
        Whether to follow the released code instead of Appendix D.

    Raises
    ------
    ComparabilityError
        If no document has such a speaker, or one has no segmentation.
    """
    _check_speaker(corpus, members)
    documents = list(corpus)
    # A document with texts is as large as its file.
    bare = [document.n_units for document in documents if document.units is None]
    check_units(sum(bare), len(documents), "the canonical form")
    views = [_View.of(document, members) for document in documents if _kept(document, members)]
    without = len(documents) - len(views)
    long = [view for view in views if view.document.n_units >= _SHORTEST]
    kept = [view.as_run for view in long] if as_run else [view.projected for view in views]
    readings = [_reading("all turns (Appendix D)", documents)]
    if members != ALL:
        readings.append(_reading(f"{members} turns", [view.projected for view in views]))
    readings.append(_reading(f"{members} turns, as the released code counts", [view.as_run for view in long]))
    notes = []
    if members != ALL:
        merged, dropped = sum(view.merged for view in views), sum(view.dropped for view in views)
        notes.append(f"boundaries merged with another: {merged}; after the last turn that is kept: {dropped}")
    if without:
        notes.append(f"{plural(without, 'document', 'documents')} without a turn of {members} left out")
    if as_run and len(long) < len(views):
        notes.append(
            f"{plural(len(views) - len(long), 'document', 'documents')} of fewer than {_SHORTEST} turns left out, as in the "
            "released code"
        )
    how = "".join([f"[members={members}]" if members != ALL else "", "[as_run]" if as_run else ""])
    if recipe := corpus.read_as + how:
        kept = [dataclasses.replace(each, extra={**each.extra, READ_AS: recipe}) for each in kept]
    made = Corpus(kept, name=corpus.name, ids_are_given=corpus.ids_are_given)
    return Canonical(made, tuple(readings), tuple(notes))


class _View(NamedTuple):
    """A document, and its boundaries under the two rules."""

    document: Document
    projected: Document
    as_run: Document
    merged: int
    dropped: int

    @classmethod
    def of(cls, document: Document, members: str) -> _View:
        whole = _segmentation(document)
        places = _kept(document, members)
        projection = project_to_subset(whole, places)
        numbers = [whole.labels[place] for place in places]
        return cls(
            document,
            _restricted(document, places, projection.segmentation),
            _restricted(document, places, _by_truth(numbers, min(whole.labels), whole.unit)),
            projection.merged,
            projection.dropped,
        )


def _by_truth(numbers: Sequence[int], first: int, unit: str) -> Segmentation:
    """Return the boundaries of the released code, which treats the first topic as "no topic" (see the module)."""
    neighbours = enumerate(itertools.pairwise(numbers), start=1)
    return Segmentation(len(numbers), [place for place, (a, b) in neighbours if a not in (first, b)], unit=unit)


def _kept(document: Document, members: str) -> list[int]:
    """Return the indices of the turns to keep."""
    count = document.n_units
    if members == ALL:
        return list(range(count))
    if members in (EVEN, EVEN_AND_LAST):
        last = {count - 1} if members == EVEN_AND_LAST else set()
        return sorted({*range(0, count, 2), *last})
    return [place for place, speaker in enumerate(document.speakers or ()) if speaker == members]


def _check_speaker(corpus: Corpus, members: str) -> None:
    if members in (ALL, EVEN, EVEN_AND_LAST):
        return
    speakers = {speaker for document in corpus for speaker in document.speakers or ()}
    if members not in speakers:
        choices = [ALL, EVEN, EVEN_AND_LAST, *speakers]
        who = f"no turn is by {members!r}" if speakers else "the documents do not name speakers"
        raise ComparabilityError(f"{who}; {nearest(members, choices)}")


def _segmentation(document: Document) -> Segmentation:
    if document.segmentation is None:
        raise ComparabilityError(
            f"document {document.id!r} has no segmentation to bring into canonical form; add its boundaries"
        )
    return document.segmentation


def _restricted(document: Document, places: Sequence[int], segmentation: Segmentation) -> Document:
    """Return a document with some of its units, without data that depend on all of them."""
    if len(places) == document.n_units and segmentation == document.segmentation:
        return document

    def some(values: Sequence[object] | None) -> tuple[object, ...] | None:
        return None if values is None else tuple(values[place] for place in places)

    return Document(
        id=document.id,
        n_units=len(places),
        segmentation=segmentation,
        unit=document.unit,
        units=some(document.units),  # type: ignore[arg-type]
        speakers=some(document.speakers),  # type: ignore[arg-type]
        unit_times=some(document.unit_times),  # type: ignore[arg-type]
        extra=document.provenance,
    )


def _reading(rule: str, documents: Sequence[Document]) -> Reading:
    boundaries = sum(_segmentation(document).n_boundaries for document in documents)
    return Reading(rule, len(documents), sum(document.n_units for document in documents), boundaries)
