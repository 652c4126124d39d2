# SPDX-License-Identifier: Apache-2.0
"""The outputs of other people's functions and chunkers as boundaries; told apart by type, and refused if two readings differ.

============================================  ==================================================================
returned                                      read as
============================================  ==================================================================
`Segmentation`, `Cut`                         itself
a string of 0 and 1, bools                    one mark per gap
integers                                      boundaries, marks of 0 and 1 (one per gap), or lengths of segments: what fits
                                              all documents (`agreed`), or what ``returns`` says
floats                                        one score per gap, from which a selector chooses
strings                                       chunks, found in the text by their words
objects or mappings with a text               chunks; their offsets are used if the words are there
pairs of integers                             starts and ends: of units, or of characters if text was read
============================================  ==================================================================
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura.errors import CaesuraError, SegmentationError
from caesura.formats.chunks import chunk_document
from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut
from caesura.selectors import selector
from caesura.units.projection import project_to_units
from caesura.units.text import Text

__all__ = ["READINGS", "agreed", "as_cut", "chunks_cut"]

_TEXTS = ("text", "page_content", "content")
_FIELDS = (*_TEXTS, "start_index", "start", "start_char_idx", "end_index", "end", "end_char_idx")
_SAY = "return a caesura.Segmentation, which says what it is"
READINGS = {"boundaries": "boundaries", "marks": "marks", "lengths": "lengths", "masses": "lengths"}
"""What ``returns`` may say of integers, and the reading that is meant."""


def as_cut(value: Any, features: Features, text: Text, who: str, *, chars: bool, select: str, returns: str = "") -> Cut:
    """Return the boundaries that a value which ``who`` returned stands for.

    Chunks are found in ``text``, pairs of integers count characters if ``chars``, ``select`` chooses boundaries from scores, and
    ``returns`` says what integers are.
    """
    n, unit = features.n_units, features.document.unit
    if isinstance(value, Cut):
        return Cut(_whole(value.segmentation, features, who), value.scores)
    if isinstance(value, Segmentation):
        return Cut(_whole(value, features, who))
    if isinstance(value, str):
        if set(value) <= {"0", "1"} and len(value) == n - 1:
            return Cut(Segmentation.from_bits(value, marks="gap", unit=unit))
        raise _refused(who, f"returned one string ({value[:40]!r}); return a list of chunks or of boundaries")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    items = list(value) if isinstance(value, (list, tuple)) or hasattr(value, "__next__") else None
    if items is None:
        raise _refused(who, f"returned a {type(value).__name__}; return a list of boundaries, scores or chunks")
    items = [item.item() if isinstance(item, np.generic) else item for item in items]
    if not items:
        return Cut(Segmentation(n, unit=unit))
    if all(isinstance(item, bool) for item in items):
        return Cut(_from_marks([int(item) for item in items], n, unit, who))
    if all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        readings = _from_integers(items, n, unit, who, returns)
        return Cut(next(iter(readings.values())), readings=readings)
    if all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in items):
        return _from_scores(items, n, unit, who, select)
    if all(_is_pair(item) for item in items):
        if not chars:
            return Cut(_from_spans(items, n, unit, who))
        items = [{"start": start, "end": end} for start, end in items]
    return chunks_cut(items, features, text, who)


def chunks_cut(items: Sequence[object], features: Features, text: Text, who: str) -> Cut:
    """Return the chunks, and boundaries at their starts, moved to the nearest gap, with what was lost on the way."""
    n, unit = features.n_units, features.document.unit
    if not text.text.strip():
        return Cut(Segmentation(n, unit=unit))
    entries = [_entry(item, who) for item in items]
    record = {"chunks": [each for each in entries if not _is_blank(each)] or entries, "text": text.text}
    try:
        found, alignment = chunk_document(features.document.id, record)
    except CaesuraError as error:
        raise _refused(who, f"returned chunks that are not this text: {error}") from None
    if alignment is None:  # pragma: no cover - the text was given
        raise _refused(who, "returned chunks that cannot be located")
    moved = project_to_units(alignment.segmentation, text.starts, unit=unit)
    texts = found.extra.get("chunks") or [text.text[start:end] for start, end in alignment.spans]
    kept = {"chunks": texts}
    # Offsets count the text that was read. In another text, or if words were changed, chunks are found by their words.
    own = features.document.extra.get("text", "\n".join(features.units))
    places = zip(alignment.spans, texts, strict=True)
    if text.text == own and all(own[start:end].split() == each.split() for (start, end), each in places):
        kept["chunk_spans"] = found.extra["chunk_spans"]
    return Cut(moved.segmentation, projection=dataclasses.replace(moved, alignment=alignment), chunks=kept)


def _whole(value: Segmentation, features: Features, who: str) -> Segmentation:
    if value.n_units != features.n_units:
        raise _refused(who, f"returned a segmentation of {value.n_units} units for {features.n_units}; check it")
    return value.with_unit(features.document.unit)


def _from_marks(items: list[int], n: int, unit: str, who: str) -> Segmentation:
    if len(items) != n - 1:
        raise _refused(
            who, f"returned {len(items)} marks for {n - 1} gaps; return one per gap, so one fewer than units"
        )
    return Segmentation.from_bits(items, marks="gap", unit=unit)


def _from_integers(items: list[int], n: int, unit: str, who: str, returns: str) -> dict[str, Segmentation]:
    """Return the segmentations that integers may stand for, by what they then are."""
    readings: dict[str, Segmentation] = {}
    if all(1 <= item < n for item in items) and all(a < b for a, b in itertools.pairwise(items)):
        readings["boundaries"] = Segmentation(n, items, unit=unit)
    if set(items) <= {0, 1} and len(items) == n - 1:
        readings["marks"] = Segmentation.from_bits(items, marks="gap", unit=unit)
    if min(items) >= 1 and sum(items) == n:
        readings["lengths"] = Segmentation.from_masses(items, unit=unit)
    shown = _listed(items)
    kinds = {
        "boundaries": f"increasing boundaries from 1 to {n - 1}",
        "marks": f"{n - 1} marks of 0 and 1",
        "lengths": f"lengths that add up to {n}",
    }
    if returns and returns not in readings:
        raise _refused(who, f"returned {shown}, which are not {kinds[returns]}")
    if not readings:
        raise _refused(who, f"returned {shown}, which are neither {', nor '.join(kinds.values())}; {_SAY}")
    return {returns: readings[returns]} if returns else readings


def _listed(items: Sequence[int]) -> str:
    return f"[{', '.join(map(str, items[:8]))}{', …' if len(items) > 8 else ''}]"


def agreed(found: Sequence[tuple[str, Mapping[str, Segmentation]]], who: str, written: Callable[[str], str]) -> str:
    """Return the one reading that fits the integers of all documents; ask if none does, or several that differ.

    ``found`` are the readings by document id, ``written`` is how the segmenter is written with a value of ``returns``.

    >>> both = {"boundaries": Segmentation(5, (2, 3)), "lengths": Segmentation(5, (2,))}
    >>> agreed([("a", both), ("b", {"boundaries": Segmentation(9, (4,))})], "cut", str)
    'boundaries'
    """
    rows = [(key, readings) for key, readings in found if readings]
    common = list(rows[0][1]) if rows else [""]
    for key, readings in rows:
        fitting = [kind for kind in common if kind in readings]
        if not fitting:
            told = f"returned {common[0]} for document {rows[0][0]!r}, and {next(iter(readings))} for document {key!r}"
            raise _refused(who, f"{told}; say which, and others fail: {written(common[0])}")
        common = fitting
    for key, readings in rows if len(common) > 1 else ():
        if len({readings[kind] for kind in common}) > 1:
            what = _listed(readings["boundaries"].boundaries)
            told = " or ".join(f"{kind} (segments of {_listed(readings[kind].masses)} units)" for kind in common)
            say = " or ".join(map(written, common))
            raise _refused(who, f"returned {what} for document {key!r}, which may be {told}; say which: {say}")
    return common[0]


def _from_scores(items: list[float], n: int, unit: str, who: str, select: str) -> Cut:
    if len(items) != n - 1:
        raise _refused(who, f"returned {len(items)} numbers for {n - 1} gaps; return one score per gap")
    scores = np.array(items, dtype=np.float64)
    if not np.isfinite(scores).all():
        raise _refused(who, "returned a score that is not finite; repair it")
    return Cut(selector(select).select(scores, unit=unit), scores)


def _from_spans(items: list[Any], n: int, unit: str, who: str) -> Segmentation:
    try:
        found = Segmentation.from_spans([(start, end) for start, end in items], unit=unit)
    except SegmentationError as error:
        raise _refused(who, f"returned spans that do not tile the units: {error}") from None
    if found.n_units != n:
        raise _refused(who, f"returned spans of {found.n_units} units for {n}; check them")
    return found


def _is_pair(item: object) -> bool:
    return (
        isinstance(item, (list, tuple))
        and len(item) == 2
        and all(isinstance(end, int) and not isinstance(end, bool) for end in item)
    )


def _entry(item: object, who: str) -> str | dict[str, object]:
    """Return a chunk as the reader of chunks takes it: a string, or a mapping."""
    if isinstance(item, (str, Mapping)):
        return item if isinstance(item, str) else dict(item)
    fields = {name: getattr(item, name) for name in _FIELDS if isinstance(getattr(item, name, None), (str, int))}
    if not fields:
        raise _refused(
            who,
            f"returned a list with an item of type {type(item).__name__}; return boundaries, marks, lengths, scores or chunks, all of "
            "one kind" + (" (one that takes a text needs input='text')" if isinstance(item, (list, tuple)) else ""),
        )
    return fields


def _is_blank(entry: str | Mapping[str, object]) -> bool:
    words = entry if isinstance(entry, str) else next((entry[key] for key in _TEXTS if key in entry), None)
    return isinstance(words, str) and not words.strip()


def _refused(who: str, what: str) -> SegmentationError:
    return SegmentationError(f"{who} {what}")
