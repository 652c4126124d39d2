# SPDX-License-Identifier: Apache-2.0
"""From annotators to gold: contested places, what was decided about them, and the boundaries that follow, with their votes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import msgspec
import numpy as np

from caesura.annotations.events import Payload
from caesura.annotations.state import Decision
from caesura.batches.panel import Panel
from caesura.corpus import DECISIONS, Corpus, Document
from caesura.errors import FormatError
from caesura.metrics.agreement import pooled_window
from caesura.segmentation import Segmentation

__all__ = ["Place", "contested_places", "gold_corpus"]


@dataclasses.dataclass(frozen=True)
class Place:
    """Gaps near each other that some annotators marked and others did not: one question for whoever decides.

    ``votes`` has who marked each gap. ``best`` is the gap with most votes, the first of several.
    """

    document: str
    votes: Mapping[int, tuple[str, ...]]
    annotators: tuple[str, ...]

    @property
    def gaps(self) -> list[int]:
        """The gaps that somebody marked, in order."""
        return sorted(self.votes)

    @property
    def best(self) -> int:
        """The gap with most votes, the first of several."""
        return max(self.gaps, key=lambda gap: (len(self.votes[gap]), -gap))

    @property
    def voters(self) -> set[str]:
        """Everybody who marked a gap here."""
        return {name for names in self.votes.values() for name in names}


def contested_places(document: Document, reach: int | None = None) -> list[Place]:
    """Return the contested places of a document, in order.

    Contested gaps at most ``reach`` apart are one place; by default half a window, as in the support of boundaries. A gap
    that everybody marked is settled, and belongs to no place.

    >>> from caesura.segmentation import Segmentation
    >>> a, b, c = (Segmentation(30, gaps) for gaps in ((5, 10), (5, 11), (5, 20)))
    >>> document = Document(id="d", n_units=30, annotations={"a": a, "b": b, "c": c})
    >>> [(place.gaps, place.best, len(place.voters)) for place in contested_places(document)]
    [([10, 11], 10, 2), ([20], 20, 1)]
    """
    people = tuple(document.annotations)
    if len(people) < 2:
        return []
    if reach is None:
        reach = int(pooled_window(Panel.from_corpus(Corpus([document])))[0]) // 2
    votes: dict[int, list[str]] = {}
    for name, coding in document.annotations.items():
        for gap in coding.boundaries:
            votes.setdefault(gap, []).append(name)
    groups: list[list[int]] = []
    for gap in sorted(gap for gap, names in votes.items() if len(names) < len(people)):
        if groups and gap - groups[-1][-1] <= reach:
            groups[-1].append(gap)
        else:
            groups.append([gap])
    return [Place(document.id, {gap: tuple(votes[gap]) for gap in group}, people) for group in groups]


def gold_corpus(corpus: Corpus, threshold: float = 0.5) -> tuple[Corpus, int]:
    """Return documents with gold boundaries, and the number of contested places that nobody has decided.

    Boundaries are those that all annotators marked; those of decisions; and, where nothing was decided, the gap with
    most votes of a place at which at least a share ``threshold`` of the annotators marked something. ``made_by`` of a document
    has how each came about: votes, and the reason of a decision. Documents without annotators are left out.
    """
    documents, undecided = [], 0
    for document in corpus:
        if not document.annotations:
            continue
        rows, left = _gold(document, threshold)
        undecided += left
        gold = Segmentation(
            document.n_units, sorted({row["gap"] for row in rows if row["gap"] is not None}), unit=document.unit
        )
        how = {"annotators": list(document.annotations), "threshold": threshold, "boundaries": rows}
        documents.append(
            dataclasses.replace(document, segmentation=gold, annotations={}, extra=document.made_further(gold=how))
        )
    if not documents:
        raise FormatError("no document has annotators; there is no gold to make")
    return Corpus(documents, name=corpus.name), undecided


def _gold(document: Document, threshold: float) -> tuple[list[Payload], int]:
    """Return how each boundary of a document came about, and the number of places without a decision."""
    people = len(document.annotations)
    decided = _decisions(document)
    marked = np.concatenate([np.array(coding.boundaries, dtype=np.int64) for coding in document.annotations.values()])
    gaps, votes = np.unique(marked, return_counts=True)
    rows: list[Payload] = [
        {"gap": gap, "by": "unanimous", "votes": people, "annotators": people} for gap in gaps[votes == people].tolist()
    ]
    left = 0
    for place in contested_places(document):
        facts = {"votes": len(place.voters), "annotators": people}
        decision = next((decided[gap] for gap in place.gaps if gap in decided), None)
        if decision is not None:
            rows.append({"gap": decision.gap, "by": "decision", **facts, "reason": decision.reason})
            continue
        left += 1
        if len(place.voters) >= threshold * people:
            rows.append({"gap": place.best, "by": "consensus", **facts})
    return sorted(rows, key=lambda row: (row["gap"] is None, row["gap"])), left


def _decisions(document: Document) -> dict[int, Decision]:
    """Return the decisions of a document by the gaps that they are about."""
    try:
        decisions = msgspec.convert(document.extra.get(DECISIONS, []), list[Decision])
    except msgspec.ValidationError as error:
        raise FormatError(f"document {document.id!r}: its decisions cannot be read: {error}") from None
    for decision in decisions:
        if decision.gap is not None and not 1 <= decision.gap < document.n_units:
            raise FormatError(f"document {document.id!r}: a decision names gap {decision.gap}, which it does not have")
    return {gap: decision for decision in decisions for gap in decision.gaps}
