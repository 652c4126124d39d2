# SPDX-License-Identifier: Apache-2.0
"""What is made of the annotators of documents: a consensus, a smaller panel, other names."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush

from caesura.corpus._document import Document
from caesura.errors import ComparabilityError, and_more
from caesura.segmentation import Segmentation

__all__ = ["consensus_of", "known_annotators", "no_boundaries", "renamed", "without"]

_NAMED = 5


def consensus_of(document: Document, threshold: float, *, near: bool) -> Segmentation:
    """Return the boundaries that at least a share of the annotators marked."""
    h = len(document.annotations)
    if near:
        votes: Iterable[tuple[int, int]] = _joined(
            [c.boundaries for c in document.annotations.values()], document.n_units
        )
    else:
        votes = Counter(gap for c in document.annotations.values() for gap in c.boundaries).items()
    # Both sides are shares rounded once, so that 5 of 6 reach 5/6 and 3 of 10 reach 0.3.
    kept = sorted(gap for gap, count in votes if count / h >= threshold)
    return Segmentation(document.n_units, kept, unit=document.unit)


def _joined(codings: Sequence[Sequence[int]], n_units: int) -> list[tuple[int, int]]:
    """Return gaps with their votes, near misses joined; the votes never rise from one gap to the next.

    The gap with the most annotators within half a window comes first (then the one that most marked exactly, then the
    left-most). It takes the nearest boundary of each of them. Then the same of what is left.
    """
    segments = sum(len(coding) + 1 for coding in codings)
    # Half the mean segment over all annotators, rounded half to even, at least 2; then half of that.
    reach = max(2, round(Fraction(n_units * len(codings), 2 * segments))) // 2
    free = [list(coding) for coding in codings]
    exact = Counter(gap for coding in codings for gap in coding)

    def rank(gap: int) -> tuple[int, int, int]:
        return -sum(_nearest(coding, gap, reach) is not None for coding in free), -exact[gap], gap

    # What is left only loses votes, so a gap that is still what it was when it was ranked is the best.
    ranked = [rank(gap) for gap in exact]
    heapify(ranked)
    found = []
    while ranked:
        known = heappop(ranked)
        gap = known[2]
        if not exact[gap]:
            continue
        now = rank(gap)
        if now != known:
            heappush(ranked, now)
            continue
        for coding in free:
            place = _nearest(coding, gap, reach)
            if place is not None:
                exact[coding.pop(place)] -= 1
        found.append((gap, -now[0]))
    return found


def _nearest(coding: Sequence[int], gap: int, reach: int) -> int | None:
    """Return the place of the boundary nearest to a gap, the left one of two, or None if none is within reach."""
    place = bisect_left(coding, gap)
    near = [p for p in (place - 1, place) if 0 <= p < len(coding) and abs(coding[p] - gap) <= reach]
    return min(near, key=lambda p: abs(coding[p] - gap), default=None)


def known_annotators(documents: Iterable[Document]) -> list[str]:
    """Return the names of all annotators, in the order in which they occur."""
    return list(dict.fromkeys(name for document in documents for name in document.annotations))


def no_boundaries(documents: Sequence[Document], who: str, give: str) -> ComparabilityError:
    """Return the error for documents without boundaries; of documents that only annotators coded it names these."""
    names = known_annotators(documents)
    if not names:
        what = f"document {documents[0].id!r}{and_more(len(documents))} of {who} has no boundaries"
        return ComparabilityError(f"{what}; {give}")
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ComparabilityError(
        f"{who} has the annotators {', '.join(names[:_NAMED])}{more}, and no boundaries of its own; make some with "
        "caesura agree FILE --consensus 0.5 --consensus-output OUT, or read one column of a table: "
        f"--columns label={names[0]}"
    )


def without(documents: Sequence[Document], names: Collection[str]) -> list[Document]:
    """Leave annotators out; a document that nobody else annotated keeps its place, without annotations."""
    _check_known(names, known_annotators(documents), "annotator")
    return [
        dataclasses.replace(d, annotations={n: c for n, c in d.annotations.items() if n not in names})
        for d in documents
    ]


def renamed(
    documents: Sequence[Document], annotators: Mapping[str, str], ids: Mapping[str, str]
) -> list[Document]:
    """Give annotators and documents other names; whoever is not mentioned keeps theirs."""
    people = known_annotators(documents)
    _check_known(annotators, people, "annotator")
    _check_known(ids, [document.id for document in documents], "document")
    new = Counter(annotators.get(name, name) for name in people)
    twice = [name for name, count in new.items() if count > 1]
    if twice:
        raise ComparabilityError(
            f"two annotators would be called {twice[0]!r}; give each a name of their own"
        )
    return [
        dataclasses.replace(
            d, id=ids.get(d.id, d.id), annotations={annotators.get(n, n): c for n, c in d.annotations.items()}
        )
        for d in documents
    ]


def _check_known(names: Iterable[str], known: Sequence[str], what: str) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        raise ComparabilityError(f"there is no {what} {unknown[0]!r}; there are {shown or 'none'}")
