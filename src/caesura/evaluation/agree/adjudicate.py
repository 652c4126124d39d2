# SPDX-License-Identifier: Apache-2.0
"""Contested places as a file to decide on, and the decisions read back; `caesura.evaluation.agree.gold` makes gold of them.

One JSON line for each place, in document order: the near misses of one place are one question. Whoever decides fills in ``decision`` (the
gap of the boundary, or false for none; null is undecided) and, if they like, ``reason``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import msgspec

from caesura.corpus import DECISIONS, Corpus, Document
from caesura.errors import FormatError, listed
from caesura.evaluation.agree.gold import Place, contested_places
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["Line", "decided", "place_lines", "read_lines"]

_CONTEXT = 2  # units on either side of a place
_LARGEST = 1 << 30
_NAMED = 3


class Line(msgspec.Struct, kw_only=True, frozen=True):
    """One place to decide.

    ``votes`` has who marked each gap, ``without`` who marked none of them. ``context`` has the units around the place by their number, counted
    from 1; gap 7 lies between units 7 and 8.
    """

    document: str
    gaps: list[int]
    votes: dict[str, list[str]] = {}
    without: list[str] = []
    context: dict[str, str] | None = None
    decision: int | bool | None = None
    reason: str = ""


def place_lines(corpus: Corpus) -> bytes:
    """Return the contested places of all documents as JSON lines, in the order of documents and gaps."""
    lines = [_line(document, place) for document in corpus for place in contested_places(document)]
    return msgspec.json.Encoder().encode_lines(lines)


def _line(document: Document, place: Place) -> Line:
    context = None
    if document.units is not None:
        units = range(max(0, place.gaps[0] - _CONTEXT), min(document.n_units, place.gaps[-1] + _CONTEXT))
        context = {str(unit + 1): " ".join(document.units[unit].split()) for unit in units}
    return Line(
        document=document.id,
        gaps=place.gaps,
        votes={str(gap): list(place.votes[gap]) for gap in place.gaps},
        without=[name for name in place.annotators if name not in place.voters],
        context=context,
    )


def read_lines(path: str | Path) -> list[Line]:
    """Read a file of places, some of which may have been decided."""
    try:
        with Path(path).open("rb") as file:
            rows = file.read(_LARGEST).splitlines()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", path) from None
    found: list[Line] = []
    known: dict[tuple[str, int], int] = {}
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue
        try:
            line = decode(row, Line)
        except RepeatedKeyError as error:
            raise FormatError(str(error), path, number) from None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise FormatError(
                "is not a place with a decision; write the gap, false for no boundary, or null for later", path, number
            ) from None
        if line.decision is True:
            raise FormatError("decides true, which names no gap; write the gap of the boundary", path, number)
        for gap in line.gaps:
            if known.setdefault((line.document, gap), number) != number:
                first = known[line.document, gap]
                raise FormatError(
                    f"decides on gap {gap} of {line.document!r} again, after line {first}; keep one", path, number
                )
        found.append(line)
    return found


def decided(corpus: Corpus, lines: Iterable[Line]) -> tuple[Corpus, list[str]]:
    """Return the documents with the decisions of these lines, and notes: how far they follow the majority, and which belong to no place.

    Decisions that a document had already are kept where these say nothing.
    """
    made = [line for line in lines if line.decision is not None]
    places = {
        (document.id, gap): place for document in corpus for place in contested_places(document) for gap in place.gaps
    }
    follow, gone = 0, []
    by_document: dict[str, list[dict[str, object]]] = {}
    for line in made:
        place = next((places[line.document, gap] for gap in line.gaps if (line.document, gap) in places), None)
        if place is None:
            gone.append(f"{line.document} gap {line.gaps[0] if line.gaps else '-'}")
            continue
        # A decision of false names no gap.
        gap = None if line.decision is False else line.decision
        majority = place.best if 2 * len(place.voters) >= len(place.annotators) else None
        follow += gap == majority
        by_document.setdefault(line.document, []).append({"gaps": place.gaps, "gap": gap, "reason": line.reason})
    number = len(made) - len(gone)
    notes = [f"{follow} of {number} decisions are as most annotators marked the place"] if number else []
    if gone:
        notes.append(
            f"{len(gone)} decisions are on places that are not contested now, left out: {listed(gone[:_NAMED], '; ')}"
        )
    documents = [
        dataclasses.replace(
            document,
            extra={**document.extra, DECISIONS: [*document.extra.get(DECISIONS, []), *by_document[document.id]]},
        )
        if document.id in by_document
        else document
        for document in corpus
    ]
    return corpus.replaced(documents), notes
