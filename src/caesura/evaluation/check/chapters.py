# SPDX-License-Identifier: Apache-2.0
"""Whether a list of chapters can be published: the rules of platforms as data, what breaks them, and what can be mended.

YouTube shows chapters if the first starts at 0:00, there are at least three, in ascending order, and each lasts at least 10 seconds.
Apple Podcasts wants the first at 0:00 and at least three. Podcasting 2.0 takes starts in ascending order and leaves titles
optional. The other rules are ours: a list that breaks them is shown, but helps nobody.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from caesura.corpus import Document
from caesura.evaluation.check.rules import Breach, Rule
from caesura.segmentation import Segmentation
from caesura.units.quantity import as_time

__all__ = ["PLATFORMS", "RULES", "breaches", "cut_off", "mended", "n_chapters", "rules_for"]

PLATFORMS = ("youtube", "apple", "podcasting")
"""Whose rules there are."""

_FEWEST, _SHORTEST = 3, 10_000
_OURS = ("readers",)
_READ = Rule("every time can be read", PLATFORMS, "entries without a time that can be read are left out")
_SOME = Rule("there is a chapter", PLATFORMS, of="documents")
_START = Rule(
    "starts at 0:00", ("youtube", "apple"), "a chapter at 0:00 is added, or one within 10 s moved there", of="documents"
)
_ORDER = Rule("in order", ("youtube", "podcasting"), "sorted by time")
_ONCE = Rule("each at a time of its own", ("youtube", "podcasting"), "of chapters at one time the first stays")
_INSIDE = Rule("inside the recording", PLATFORMS, "chapters after the end are left out")
_MANY = Rule("at least three chapters", ("youtube", "apple"), of="documents")
_LONG = Rule(
    "each lasts 10 s or more", ("youtube",), "a shorter one joins the one before it, the first the one after it"
)
_TITLED = Rule("each has a title", ("youtube", "apple"))
_TWICE = Rule("no title twice", _OURS)
_TELLING = Rule("titles say something", _OURS)
RULES = (_SOME, _READ, _START, _ORDER, _ONCE, _INSIDE, _MANY, _LONG, _TITLED, _TWICE, _TELLING)
"""Every rule, in the order of the tables."""

_FAULTS = {"unread": _READ, "order": _ORDER, "twice": _ONCE, "ends": _ORDER, "late": _INSIDE}
_SAYS_NOTHING = re.compile(
    r"(?:(?:chapter|part|section|segment|topic|kapitel|teil|chapitre|capítulo|untitled|no title)\s*[-.:#]*\s*)?(?:[0-9]+|[ivx]+)?[.:)]?\Z",
    re.IGNORECASE,
)
_ADDED = "Start"


class _List(NamedTuple):
    """A list of chapters as it was given, without what reading it repaired."""

    starts: list[int]
    titles: list[str]
    end: int | None


def rules_for(platforms: Sequence[str]) -> list[Rule]:
    """Return the rules that somebody asks for, and ours; all of them if nobody is named."""
    return [rule for rule in RULES if not platforms or rule.asked_by == _OURS or set(rule.asked_by) & set(platforms)]


def _listed(document: Document) -> _List:
    """Return the chapters of a document; a segment that the reader added before the first is none."""
    segmentation = document.segmentation or Segmentation(document.n_units, unit="ms")
    starts = [0, *segmentation.boundaries]
    given = document.extra.get("segment_titles")
    if not isinstance(given, (list, tuple)) or len(given) != len(starts):
        given = [""] * len(starts)
    titles = [" ".join(title.split()) if isinstance(title, str) else "" for title in given]
    faults = document.extra.get("faults") or {}
    made_up = "start" in faults or "empty" in faults
    return _List(starts[made_up:], titles[made_up:], None if document.open_ended else document.n_units)


def n_chapters(document: Document) -> int:
    """Return the number of chapters that were given, with those that reading left out."""
    faults = document.extra.get("faults") or {}
    return len(_listed(document).starts) + sum(len(faults.get(kind, ())) for kind in ("unread", "twice", "late"))


def cut_off(given: Document, lasting: Document) -> Document:
    """Return the second document, which is the first within a known length, with the chapters that lie behind it as faults."""
    end, starts = lasting.n_units, given.segmentation.boundaries if given.segmentation is not None else ()
    late = [as_time(start / 1000) for start in starts if start >= end]
    if not late:
        return lasting
    faults = {**lasting.extra.get("faults", {})}
    faults["late"] = [*faults.get("late", ()), *late]
    return dataclasses.replace(lasting, extra={**lasting.extra, "faults": faults})


def breaches(document: Document) -> Iterator[Breach]:
    """Yield every breach of a rule in a list of chapters."""
    starts, titles, end = _listed(document)
    faults = document.extra.get("faults") or {}
    if not starts:
        yield Breach(_SOME, "")
        return
    for kind, rule in _FAULTS.items():
        for place in faults.get(kind, ()):
            yield Breach(rule, str(place))
    for place in faults.get("start", ()):
        yield Breach(_START, str(place))
    if len(starts) < _FEWEST:
        yield Breach(_MANY, "", f"{len(starts)}")
    known = [*starts, *([] if end is None else [end])]
    for start, stop in pairwise(known):
        if stop - start < _SHORTEST:
            yield Breach(_LONG, as_time(start / 1000), f"{(stop - start) / 1000:g} s", _SHORTEST - (stop - start))
    often = Counter(title.casefold() for title in titles if title)
    seen = set()
    for start, title in zip(starts, titles, strict=True):
        at, plain = as_time(start / 1000), title.casefold()
        if not title:
            yield Breach(_TITLED, at)
        elif _SAYS_NOTHING.match(title):
            yield Breach(_TELLING, at, title)
        elif plain in seen:
            yield Breach(_TWICE, at, title, often[plain])
        seen.add(plain)


def mended(document: Document) -> Document:
    """Return the list as far as it can be mended: reading sorted it and cut it, here the start and short chapters are.

    >>> faults = {"start": ["0:04"]}
    >>> given = Document(id="a", n_units=90000, unit="ms", segmentation=Segmentation(90000, (4000, 30000, 33000), unit="ms"),
    ...                  extra={"segment_titles": ["", "Hello", "News", "More"], "faults": faults})
    >>> better = mended(given)
    >>> better.segmentation.boundaries, better.extra["segment_titles"]
    ((33000,), ['Hello', 'More'])
    """
    starts, titles, end = _listed(document)
    if not starts:
        return document
    if starts[0] >= _SHORTEST:
        starts, titles = [0, *starts], [_ADDED, *titles]
    starts = [0, *starts[1:]]
    stops = [*starts[1:], math.inf if end is None else end]
    kept = [(0, titles[0])]
    for start, stop, title in list(zip(starts, stops, titles, strict=True))[1:]:
        if stop - start >= _SHORTEST:
            kept = [(0, title)] if start < _SHORTEST else [*kept, (start, title)]
    segmentation = Segmentation(document.n_units, [start for start, _ in kept[1:]], unit="ms")
    extra = {key: value for key, value in document.extra.items() if key not in ("faults", "repaired")}
    extra["segment_titles"] = [title for _, title in kept]
    return dataclasses.replace(document, segmentation=segmentation, extra=extra, annotations={}, hierarchy=())
