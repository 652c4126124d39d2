# SPDX-License-Identifier: Apache-2.0
"""NLTK: strings of one character per gap, and the window given."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.base import Floats, Positions, Task, documents_of
from caesura.batches.pairs import Pairs
from caesura.metrics import metric

__all__ = ["NltkAdapter"]

Prepared = list[tuple[str, str, int]]


class NltkAdapter:
    """Pk and WindowDiff, told the window that Caesura takes, since NLTK's own is another."""

    name = "NLTK"
    package = distribution = "nltk"

    def supports(self, task: Task) -> bool:
        """Say whether NLTK has the score."""
        return task.name in ("Pk", "WindowDiff")

    def documents(self, task: Task, available: int) -> int:
        """Take a prefix: about 0.2 milliseconds each."""
        return min(available, 500)

    def prepare(self, task: Task, pairs: Pairs) -> Prepared:
        """Return (reference, hypothesis, window)."""
        request = metric("Pk").request(pairs.unit)
        windows = request.count(pairs)[:, 0].astype(int).tolist()
        return [
            (_string(n, ref), _string(n, hyp), k) for (n, ref, hyp), k in zip(documents_of(pairs), windows, strict=True)
        ]

    def run(self, task: Task, prepared: Prepared) -> list[float]:
        """Score one document after the other."""
        from nltk.metrics.segmentation import pk, windowdiff

        if task.name == "Pk":
            return [pk(reference, hypothesis, k) for reference, hypothesis, k in prepared]
        return [windowdiff(reference, hypothesis, k) for reference, hypothesis, k in prepared]

    def values(self, task: Task, raw: list[float]) -> Floats:
        """Make one column."""
        return np.array(raw, dtype=np.float64).reshape(-1, 1)


def _string(n_units: int, boundaries: Positions) -> str:
    marks = np.full(n_units - 1, ord("0"), dtype=np.uint8)
    marks[boundaries - 1] = ord("1")
    return marks.tobytes().decode("ascii")
