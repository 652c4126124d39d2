# SPDX-License-Identifier: Apache-2.0
"""Several runs of a random system on the same documents: how much of the spread is documents, how much is runs.

A score of document d in run r is a mean, plus an effect of the document, plus an effect of the run, plus the rest. The variances are
those of the analysis of variance with two random factors and one value in each cell. Resampling documents shows the first and
the third; the effect of the run, which no resample of the documents shows, is added to it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from caesura.statistics.statistic import Statistic

__all__ = ["RunSpread", "run_spread"]

Floats = npt.NDArray[np.float64]
_WIDER = 1.05
"""Runs are enough if infinitely many would make the interval narrower by no more than this factor."""
_MOST = 1_000
_ROUNDING = 1e-12


@dataclasses.dataclass(frozen=True)
class RunSpread:
    """The variances of a score over ``documents`` and ``runs``.

    ``values`` are the scores of the runs. ``of_documents``, ``of_runs`` and ``rest`` are the variances of one cell: between documents, between
    runs, and what is left.
    """

    values: Floats
    documents: int
    of_documents: float
    of_runs: float
    rest: float

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.values)

    def draws(self, number: int, seed: int) -> Floats:
        """Return what other runs would add to the mean score: Student's t, as the runs are few.

        >>> two = run_spread([Statistic.mean(np.array([1.0, 2, 4]) + step) for step in (0, 0.1, 0.2)])
        >>> float(two.draws(2001, 0).std()) > 0.05, run_spread([Statistic.mean(np.arange(9.0))] * 3).draws(2, 0).tolist()
        (True, [0.0, 0.0])
        """
        scale = math.sqrt(self.of_runs / self.runs) if self.runs > 1 else 0.0
        if not scale > 0:
            return np.zeros(number)
        return scale * np.random.default_rng(seed).standard_t(self.runs - 1, number)

    def error(self, runs: int) -> float:
        """Return the standard error of the mean over these documents and so many runs."""
        return math.sqrt(self.of_documents / self.documents + (self.of_runs + self.rest / self.documents) / runs)

    @property
    def enough(self) -> int | None:
        """The number of runs after which further runs hardly make the interval narrower; None if documents hardly differ."""
        if not self.documents or not self.of_documents > 0:
            return None
        limit = _WIDER * math.sqrt(self.of_documents / self.documents)
        return next((runs for runs in range(1, _MOST) if self.error(runs) <= limit), None)


def run_spread(runs: Sequence[Statistic]) -> RunSpread:
    """Return the variances of the score of several runs on the same documents.

    For a pooled score, a document counts by its influence, to first order.

    >>> found = run_spread([Statistic.mean(np.array([1.0, 3.0])), Statistic.mean(np.array([2.0, 4.0]))])
    >>> found.of_documents, found.of_runs, found.rest  # every document one higher in the second run
    (2.0, 0.5, 0.0)
    """
    values = np.array([statistic.value for statistic in runs])
    kept = np.ones(len(runs[0].columns), dtype=bool) if runs[0].is_pooled else runs[0].columns[:, 1] > 0
    n, r = int(kept.sum()), len(runs)
    if n < 2 or r < 2 or not np.isfinite(values).all():
        return RunSpread(values, n, 0.0, 0.0, 0.0)
    # A document's own value, so that the mean over documents is the score of the run.
    cells = np.column_stack([s.value + n * s.influences() if s.is_pooled else s.columns[kept, 0] for s in runs])
    rows, columns, mean = cells.mean(axis=1), cells.mean(axis=0), float(cells.mean())
    rest = float(((cells - rows[:, None] - columns + mean) ** 2).sum()) / ((n - 1) * (r - 1))
    of_documents = (r * float(((rows - mean) ** 2).sum()) / (n - 1) - rest) / r
    of_runs = (n * float(((columns - mean) ** 2).sum()) / (r - 1) - rest) / n
    least = (_ROUNDING * float(np.abs(cells).max())) ** 2
    return RunSpread(values, n, *(each if each > least else 0.0 for each in (of_documents, of_runs, rest)))
