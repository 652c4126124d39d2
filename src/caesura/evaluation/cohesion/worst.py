# SPDX-License-Identifier: Apache-2.0
"""The segments with the worst values and their texts: where to look first."""

from __future__ import annotations

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.metrics.cohesion import CohesionMetric
from caesura.results.cohesion.facts import WorstSegment

__all__ = ["worst_segments"]

_LONGEST_QUOTE = 200


def worst_segments(
    metric: CohesionMetric, batch: Embedded, corpus: Corpus, number: int
) -> list[WorstSegment]:
    """Return the segments with the worst values of a metric; segments without a value are left out."""
    values = metric.segment_values(batch)
    flat = batch.segmentations
    ptr = flat.ptr + np.arange(len(flat) + 1)
    known = np.flatnonzero(~np.isnan(values))
    worst = known[np.argsort(-metric.facts().badness(values[known]), kind="stable")[:number]]
    segments = []
    for place in worst.tolist():
        row = int(np.searchsorted(ptr, place, side="right")) - 1
        cuts = [0, *flat.pos[flat.ptr[row] : flat.ptr[row + 1]].tolist(), int(flat.n_units[row])]
        start, end = cuts[place - int(ptr[row])], cuts[place - int(ptr[row]) + 1]
        units = corpus[batch.ids[row]].units
        text = "" if units is None else _quote(" ".join(units[start:end]))
        value = float(values[place])
        segments.append(
            WorstSegment(document=batch.ids[row], start=start + 1, end=end, value=value, text=text)
        )
    return segments


def _quote(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST_QUOTE:
        return plain
    half = _LONGEST_QUOTE // 2
    return f"{plain[:half].rstrip()} … {plain[-half:].lstrip()}"
