# SPDX-License-Identifier: Apache-2.0
"""Operations on the annotators of documents: consensus, removal, renaming."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush

from caesura.corpus._document import BY_ANNOTATOR, Document
from caesura.errors import ComparabilityError, and_more
from caesura.segmentation import Segmentation

_NAMED = 5

FEW_ANNOTATORS = 3
"""A consensus of fewer annotators is told of: two who differ have no majority."""


def consensus_of(document: Document, threshold: float, *, near: bool) -> Segmentation:
    """Return the boundaries that at least the given share of the annotators marked."""
    h = len(document.annotations)
    if near:
        votes: Iterable[tuple[int, int]] = _joined(
            [c.boundaries for c in document.annotations.values()], document.n_units
        )
    else:
        votes = Counter(gap for c in document.annotations.values() for gap in c.boundaries).items()
    # Both sides are shares rounded once, so that 5 of 6 reach 5/6 and 3 of 10 reach 0.3.
    boundaries = sorted(gap for gap, count in votes if count / h >= threshold)
    return Segmentation(document.n_units, boundaries, unit=document.unit)


def few_annotators(documents: Sequence[Document], threshold: float, minimum: int) -> str:
    """Return a note on the documents with fewer annotators than a consensus should have; empty if there are none.

    >>> both = {"a": Segmentation(9, (3,)), "b": Segmentation(9, (6,))}
    >>> few_annotators([Document(id="d", n_units=9, annotations=both)], 0.5, 3)
    '1 of 1 document has fewer than 3 annotators; of two, one is enough for 0.5: the consensus is their union'
    """
    sizes = [len(document.annotations) for document in documents]
    few = sum(size < minimum for size in sizes)
    if not few:
        return ""
    have = "document has" if len(sizes) == 1 else "documents has" if few == 1 else "documents have"
    note = f"{few} of {len(sizes)} {have} fewer than {minimum} annotators"
    if 2 not in sizes or minimum < 3:
        return note
    if threshold <= 0.5:
        return f"{note}; of two, one is enough for {threshold:g}: the consensus is their union"
    return f"{note}; of two, both are needed for {threshold:g}"


def _joined(codings: Sequence[Sequence[int]], n_units: int) -> list[tuple[int, int]]:
    """Return gaps with their votes, near misses joined, in order of falling votes.

    The gap with the most annotators within half a window comes first (ties: most exact marks, then left-most). It takes
    the nearest boundary of each of these annotators. The step is repeated on the remaining boundaries.
    """
    segments = sum(len(coding) + 1 for coding in codings)
    # Half the mean segment over all annotators, rounded half to even, at least 2; then half of that.
    reach = max(2, round(Fraction(n_units * len(codings), 2 * segments))) // 2
    free = [list(coding) for coding in codings]
    exact = Counter(gap for coding in codings for gap in coding)

    def rank(gap: int) -> tuple[int, int, int]:
        return -sum(_nearest(coding, gap, reach) is not None for coding in free), -exact[gap], gap

    # Votes only fall, so a gap whose votes have not changed since it was ranked is the best one.
    ranked = [rank(gap) for gap in exact]
    heapify(ranked)
    joined = []
    while ranked:
        best = heappop(ranked)
        gap = best[2]
        if not exact[gap]:
            continue
        now = rank(gap)
        if now != best:
            heappush(ranked, now)
            continue
        for coding in free:
            place = _nearest(coding, gap, reach)
            if place is not None:
                exact[coding.pop(place)] -= 1
        joined.append((gap, -now[0]))
    return joined


def _nearest(coding: Sequence[int], gap: int, reach: int) -> int | None:
    """Return the index of the boundary nearest to a gap (ties: the left one), or None if none is within reach."""
    place = bisect_left(coding, gap)
    near = [p for p in (place - 1, place) if 0 <= p < len(coding) and abs(coding[p] - gap) <= reach]
    return min(near, key=lambda p: abs(coding[p] - gap), default=None)


def known_annotators(documents: Iterable[Document]) -> list[str]:
    """Return the names of all annotators, in order of first appearance."""
    return list(dict.fromkeys(name for document in documents for name in document.annotations))


def no_boundaries(documents: Sequence[Document], who: str, give: str) -> ComparabilityError:
    """Return the error for documents without boundaries; of documents that only annotators coded it names these."""
    names = known_annotators(documents)
    if not names:
        what = f"document {documents[0].id!r}{and_more(len(documents))} of {who} has no boundaries"
        blocks = [block for block in documents[0].extra.get("structure") or () if isinstance(block, Mapping)]
        levels = sorted(block.get("level", 0) for block in blocks if block.get("kind") == "heading")
        if len(levels) > 1:
            give = f'{give}, or take its headings, as in "FILE::documents(level={levels[1]})"'
        return ComparabilityError(f"{what}; {give}")
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ComparabilityError(
        f"{who} has the annotators {', '.join(names[:_NAMED])}{more}, and no boundaries of its own; make some with "
        "caesura agree FILE --consensus 0.5 --consensus-output OUT, or read one column of a table: "
        f"--columns label={names[0]}"
    )


def without(documents: Sequence[Document], names: Collection[str]) -> list[Document]:
    """Leave out annotators; a document without other annotators is kept, without annotations."""
    _check_known(names, known_annotators(documents), "annotator")
    return [_named(d, {n: n for n in d.annotations if n not in names}) for d in documents]


def renamed(documents: Sequence[Document], annotators: Mapping[str, str], ids: Mapping[str, str]) -> list[Document]:
    """Rename annotators and documents; names that are not listed stay, and two names of one person become one."""
    _check_known(annotators, known_annotators(documents), "annotator")
    _check_known(ids, [document.id for document in documents], "document")
    for document in documents:
        new = Counter(annotators.get(name, name) for name in document.annotations)
        twice = [name for name, count in new.items() if count > 1]
        if twice:
            what = f"two annotators would be named {twice[0]!r}, and both coded document {document.id!r}"
            raise ComparabilityError(f"{what}; give each annotator a unique name")
    return [
        dataclasses.replace(_named(d, {n: annotators.get(n, n) for n in d.annotations}), id=ids.get(d.id, d.id))
        for d in documents
    ]


def _named(document: Document, names: Mapping[str, str]) -> Document:
    """Return a document with some of its annotators, each under a name; dates, titles and the like go with them."""
    own = {key: value for key in BY_ANNOTATOR if isinstance(value := document.extra.get(key), Mapping)}
    extra = {
        **document.extra,
        **{key: {names[name]: each for name, each in value.items() if name in names} for key, value in own.items()},
    }
    coded = {new: document.annotations[name] for name, new in names.items()}
    return dataclasses.replace(document, annotations=coded, extra=extra)


def _check_known(names: Iterable[str], known: Sequence[str], what: str) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        raise ComparabilityError(f"there is no {what} {unknown[0]!r}; there are {shown or 'none'}")
