# SPDX-License-Identifier: Apache-2.0
"""The segments with the worst values, quoted: what a person should look at first."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.metrics.cohesion import CohesionMetric
from caesura.results import as_number

__all__ = ["WorstSegment", "worst_segments"]

_LONGEST_QUOTE = 200


@dataclasses.dataclass(frozen=True)
class WorstSegment:
    """One segment: where it stands (units from 1 on, both ends included), its value, its text.

    ``text`` is cut in the middle where it is long, and empty where the documents have none.
    """

    document: str
    start: int
    end: int
    value: float
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**dataclasses.asdict(self), "value": as_number(self.value)}


def worst_segments(
    metric: CohesionMetric, batch: Embedded, corpus: Corpus, number: int
) -> list[WorstSegment]:
    """Return the segments with the worst values of a metric; segments without a value are left out."""
    values = metric.segment_values(batch)
    flat = batch.segmentations
    ptr = flat.ptr + np.arange(len(flat) + 1)
    known = np.flatnonzero(~np.isnan(values))
    chosen = known[np.argsort(-metric.facts().badness(values[known]), kind="stable")[:number]]
    found = []
    for place in chosen.tolist():
        row = int(np.searchsorted(ptr, place, side="right")) - 1
        cuts = [0, *flat.pos[flat.ptr[row] : flat.ptr[row + 1]].tolist(), int(flat.n_units[row])]
        start, end = cuts[place - int(ptr[row])], cuts[place - int(ptr[row]) + 1]
        units = corpus[batch.ids[row]].units
        text = "" if units is None else _quote(" ".join(units[start:end]))
        found.append(WorstSegment(batch.ids[row], start + 1, end, float(values[place]), text))
    return found


def _quote(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST_QUOTE:
        return plain
    half = _LONGEST_QUOTE // 2
    return f"{plain[:half].rstrip()} … {plain[-half:].lstrip()}"
