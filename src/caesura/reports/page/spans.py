# SPDX-License-Identifier: Apache-2.0
"""Spans for the page: where answers and chunks lie in each text, and which answers are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caesura.evaluation.outcome import Answered, Ranges

__all__ = ["span_counts", "span_document"]

_BASIC = 0xFFFF
"""The last character that a browser counts as one; those above it count as two."""


def span_counts(found: Mapping[str, Answered], ids: Sequence[str], systems: Sequence[str]) -> dict[str, Any]:
    """Return for each document the number of its answers, and how many of them each system cuts."""
    rows = [found[key].needed for key in ids]
    return {
        "answers": [len(next(iter(row.values()), ())) for row in rows],
        "cut": [[sum(map(_is_cut, row[system])) for system in systems] for row in rows],
    }


def _is_cut(needed: tuple[int, float]) -> bool:
    return needed[0] != 1 or needed[1] > 0


def span_document(key: str, found: Answered, systems: Sequence[str], n_units: int) -> dict[str, Any]:
    """Return a document with its text, answers and chunks; offsets count as a browser counts characters."""
    made: dict[str, Any] = {"id": key, "n": n_units}
    places = None
    if found.text is not None:
        made["text"], made["n"] = found.text, len(found.text)
        places = _offsets(found.text)
    made["spans"] = _moved(found.spans, places)
    made["chunks"] = [_moved(found.chunks[system], places) for system in systems]
    made["needed"] = [
        [[chunks, float(f"{lost:.4g}")] for chunks, lost in found.needed[system]] for system in systems
    ]
    return made


def _offsets(text: str) -> Any:
    """Return the offset of each character in a browser; None if it counts as Python does."""
    if not text or max(text) <= chr(_BASIC):
        return None
    wide = np.array([ord(character) > _BASIC for character in text], dtype=np.int64)
    return np.arange(len(text) + 1) + np.concatenate(([0], np.cumsum(wide)))


def _moved(ranges: Ranges, places: Any) -> list[list[int]]:
    if places is None:
        return [[start, end] for start, end in ranges]
    return [[int(places[start]), int(places[end])] for start, end in ranges]
