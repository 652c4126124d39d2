# SPDX-License-Identifier: Apache-2.0
"""Goal 9: a sweep over thresholds with bootstrap intervals, against SciPy and against drawing the documents alone."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from benchmarks.parts.arrays import corpora_of
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus, Document
from caesura.metrics import metric
from caesura.statistics import Bootstrap
from caesura.tuning.sweep import DEFAULT_SWEEP, sweep

__all__ = ["measure"]

RESAMPLES = 1_000
LEAST, MOST = 80.0, 8.0
SHAPE = (0.35, 2.45)  # of the scores' Beta distribution: its mean is the share of gaps that are boundaries, 1/8
SPEED = "M, sweep of 19 thresholds x 5 metrics, times faster than scipy.stats.bootstrap of each column"
SHARE = "M, the same sweep, in drawings of the resamples"
FLOOR, JOB = "floor: draw the documents", "sweep with intervals"
SCIPY, PERCENTILE = ("scipy.stats.bootstrap, one column", "scipy.stats.bootstrap, one column, method percentile")


def measure(settings: Settings) -> Part:
    """Time the whole sweep, drawing alone, and SciPy on one column, in the same rounds."""
    part = Part(
        "sweeps",
        "A sweep with intervals, corpus M",
        notes=[
            f"{RESAMPLES:,} resamples of the documents. The sweep is `caesura.sweep` from documents with scores to points "
            f"with intervals: BOR and {', '.join(DEFAULT_SWEEP)} at 19 thresholds. The scorer is calibrated: scores come "
            "from a Beta distribution with mean 1/8, given whether the gap is a boundary.",
            "Drawing: `numpy.bincount` of as many random documents as there are, once per resample. SciPy: "
            "`scipy.stats.bootstrap` of the mean of one column of scores as it comes (method BCa), times the 95 columns of "
            "the five metrics; it is given the scores, and BOR is left out. Its percentile method, which is what the "
            "sweep's intervals are, is several times quicker and stands in the table.",
        ],
    )
    pairs = settings.corpus("M", part)
    reference, _ = corpora_of(pairs)
    scorer = _calibrated(pairs, settings.seed)
    thresholds = len(sweep(reference, {"scorer": scorer}, resamples=2).points["scorer"])
    columns = thresholds * len(DEFAULT_SWEEP)
    try:
        from scipy.stats import bootstrap
    except ImportError:
        bootstrap = None
        part.skipped[SPEED] = "scipy is not installed"
    works: dict[str, Any] = {
        FLOOR: lambda: _draw(len(pairs), settings.seed),
        JOB: lambda: sweep(reference, {"scorer": scorer}, resamples=RESAMPLES, seed=settings.seed).points,
    }
    column = _column(pairs)
    if bootstrap is not None:
        wrong = _disagreement(column, settings.seed, bootstrap)
        if wrong:
            part.mismatches[SPEED] = wrong
        for label, method in ((SCIPY, "BCa"), (PERCENTILE, "percentile")):
            works[label] = lambda method=method: bootstrap(
                (column,), np.mean, n_resamples=RESAMPLES, method=method, rng=settings.seed
            )
    with _one_blas_thread(part):
        part.rounds.update(interleave(works, settings.slow_rounds, settings.shortest))
    part.numbers["columns of the five metrics"] = columns
    reached = None
    if bootstrap is not None and SPEED not in part.mismatches:
        reached = ratio_of(part.rounds[SCIPY], part.rounds[JOB], columns)
    part.goal(9, SPEED, ">=", LEAST, reached, part.skipped.get(SPEED) or part.mismatches.get(SPEED, ""))
    part.goal(9, SHARE, "<=", MOST, ratio_of(part.rounds[JOB], part.rounds[FLOOR]))
    return part


def _one_blas_thread(part: Part) -> contextlib.AbstractContextManager[Any]:
    """Keep matrix products in one thread, since CPU time is compared with work in one thread."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        part.notes.append("threadpoolctl is not installed, so matrix products may have run in several threads.")
        return contextlib.nullcontext()
    part.notes.append("Matrix products run in one thread.")
    limits: contextlib.AbstractContextManager[Any] = threadpool_limits(1)
    return limits


def _calibrated(pairs: Pairs, seed: int) -> Corpus:
    """Return a corpus of scores: of the gaps with score s a share s are boundaries of the reference."""
    rng = np.random.default_rng(seed)
    ptr = np.concatenate(([0], np.cumsum(pairs.n_units - 1)))
    a, b = SHAPE
    scores = rng.beta(a, b + 1, size=int(ptr[-1]))
    boundaries = np.repeat(ptr[:-1], np.diff(pairs.ref_ptr)) + pairs.ref_pos - 1
    scores[boundaries] = rng.beta(a + 1, b, size=len(boundaries))
    return Corpus(
        Document(id=f"d{row}", n_units=int(n), scores=tuple(scores[ptr[row] : ptr[row + 1]].tolist()))
        for row, n in enumerate(pairs.n_units)
    )


def _draw(documents: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(RESAMPLES):
        np.bincount(rng.integers(0, documents, documents), minlength=documents)


def _column(pairs: Pairs) -> Any:
    """Return the scores of one metric, one per document."""
    chosen = metric("F1")
    return chosen.score(chosen.count(pairs))


def _disagreement(column: Any, seed: int, bootstrap: Any) -> str | None:
    """Say how far our interval and SciPy's percentile interval are apart, if by more than drawing again makes them."""
    ours = Bootstrap(len(column), RESAMPLES, seed)
    interval = ours.interval(ours.mean(column), len(column))
    theirs = bootstrap((column,), np.mean, n_resamples=RESAMPLES, method="percentile", rng=seed)
    theirs = theirs.confidence_interval
    apart = max(abs(interval.low - theirs.low), abs(interval.high - theirs.high))
    if apart <= 0.15 * interval.width:
        return None
    return f"intervals {interval.low:.5f}..{interval.high:.5f} and {theirs.low:.5f}..{theirs.high:.5f}"
