# SPDX-License-Identifier: Apache-2.0
"""segeval: masses; hypothesis first.

Declared exclusions: boundary similarity of documents with no boundary on either side, and WindowDiff with a window of
256 and more, both of which fail in segeval; no document of the corpora it runs on is of that kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers.base import Floats, Task, documents_of, masses_of
from caesura.batches.pairs import Pairs

__all__ = ["SegevalAdapter"]

Prepared = list[tuple[tuple[int, ...], tuple[int, ...]]]


class SegevalAdapter:
    """Pk, WindowDiff, segmentation similarity, boundary similarity."""

    name = package = distribution = "segeval"

    def supports(self, task: Task) -> bool:
        """Say whether segeval has the score."""
        return task.name in ("Pk", "WindowDiff", "S", "B", "S, n_t = 8", "B, n_t = 8")

    def documents(self, task: Task, available: int) -> int:
        """Take a prefix: about a millisecond each."""
        return min(available, 200)

    def prepare(self, task: Task, pairs: Pairs) -> Prepared:
        """Return (hypothesis, reference) as masses."""
        return [(masses_of(n, hyp), masses_of(n, ref)) for n, ref, hyp in documents_of(pairs)]

    def run(self, task: Task, prepared: Prepared) -> list[Any]:
        """Score one document after the other."""
        score = _function(task)
        return [score(hypothesis, reference) for hypothesis, reference in prepared]

    def values(self, task: Task, raw: list[Any]) -> Floats:
        """Turn decimals into floats."""
        return np.array([[float(value)] for value in raw])


def _function(task: Task) -> Callable[[Any, Any], Any]:
    import segeval

    n_t = 8 if task.name.endswith("n_t = 8") else 2
    if task.name == "Pk":
        return segeval.pk
    if task.name == "WindowDiff":
        return segeval.window_diff
    similarity = segeval.boundary_similarity if task.name.startswith("B") else segeval.segmentation_similarity
    return lambda hypothesis, reference: similarity(hypothesis, reference, n_t=n_t)
