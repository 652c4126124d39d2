# SPDX-License-Identifier: Apache-2.0
"""pyannote.metrics: an annotation with one label per segment, a unit as one second."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from benchmarks.peers.base import Floats, Positions, Task, documents_of
from caesura.batches.pairs import Pairs

__all__ = ["PyannoteAdapter"]


class PyannoteAdapter:
    """Purity and coverage; quadratic in the segments, hence few documents."""

    name = distribution = "pyannote.metrics"
    package = "pyannote.metrics"

    def supports(self, task: Task) -> bool:
        """Say whether pyannote.metrics has the score."""
        return task.name == "purity and coverage"

    def documents(self, task: Task, available: int) -> int:
        """Take a prefix: more than ten milliseconds each."""
        return min(available, 40)

    def prepare(self, task: Task, pairs: Pairs) -> list[tuple[Any, Any]]:
        """Return (annotation, timeline): the hypothesis as a timeline spares a conversion."""
        return [(_annotation(n, ref), _annotation(n, hyp).get_timeline()) for n, ref, hyp in documents_of(pairs)]

    def run(self, task: Task, prepared: list[tuple[Any, Any]]) -> list[tuple[float, float]]:
        """Score one document after the other."""
        from pyannote.metrics.segmentation import SegmentationCoverage, SegmentationPurity

        purity, coverage = SegmentationPurity(tolerance=0), SegmentationCoverage(tolerance=0)
        return [(purity(reference, hypothesis), coverage(reference, hypothesis)) for reference, hypothesis in prepared]

    def values(self, task: Task, raw: list[tuple[float, float]]) -> Floats:
        """Make two columns."""
        return np.array(raw, dtype=np.float64)


def _annotation(n_units: int, boundaries: Positions) -> Any:
    from pyannote.core import Annotation, Segment

    annotation = Annotation()
    edges = [0, *boundaries.tolist(), n_units]
    for place, (start, end) in enumerate(itertools.pairwise(edges)):
        annotation[Segment(start, end)] = f"segment {place}"
    return annotation
