# SPDX-License-Identifier: Apache-2.0
"""mir_eval: intervals; its boundary detection is a one-to-one matching."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.base import Floats, Positions, Task, documents_of
from caesura.batches.pairs import Pairs

__all__ = ["MirEvalAdapter"]

Prepared = list[tuple[Floats, Floats]]


class MirEvalAdapter:
    """Precision, recall and F1 of boundaries within one unit."""

    name = "mir_eval"
    package = distribution = "mir_eval"

    def supports(self, task: Task) -> bool:
        """Say whether mir_eval has the score."""
        return task.name == "boundaries within 1"

    def documents(self, task: Task, available: int) -> int:
        """Take a prefix."""
        return min(available, 200)

    def prepare(self, task: Task, pairs: Pairs) -> Prepared:
        """Return intervals."""
        return [(_intervals(n, ref), _intervals(n, hyp)) for n, ref, hyp in documents_of(pairs)]

    def run(self, task: Task, prepared: Prepared) -> list[tuple[float, float, float]]:
        """Score one document after the other; trimmed, since the ends of a document are no boundaries."""
        from mir_eval.segment import detection

        return [detection(reference, hypothesis, window=1, trim=True) for reference, hypothesis in prepared]

    def values(self, task: Task, raw: list[tuple[float, float, float]]) -> Floats:
        """Make three columns."""
        return np.array(raw, dtype=np.float64)


def _intervals(n_units: int, boundaries: Positions) -> Floats:
    edges = np.concatenate(([0], boundaries, [n_units])).astype(np.float64)
    return np.column_stack((edges[:-1], edges[1:]))
