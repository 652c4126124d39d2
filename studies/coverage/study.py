# SPDX-License-Identifier: Apache-2.0
"""Measure how often 95 % intervals hold the truth on simulated corpora, for the table of docs/statistics.md.

``python -m studies.coverage.study 1000`` takes some minutes. A population of documents is made once, and its score is the truth; each
corpus is a sample of it. Then the same of the difference of two systems on the same documents, for the kind ``sparse``. Kinds: ``plain`` has 20 to 80 units, ``heavy`` lognormal lengths (sigma 1, a few documents hold most
units), ``heavier`` the same with sigma 1.4 and long documents that are harder, ``sparse`` short documents with about one
boundary.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics import METRICS
from caesura.metrics.base import Floats
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap, Statistic

__all__ = ["coverage"]

METRIC_NAMES = ("Pk", "W-F1", "B", "Purity", "BOR", "CovN", "CovD")
DOCUMENTS = (10, 20, 30, 60, 120)
POPULATION = 4000


def coverage(kind: str, documents: int, corpora: int, *, paired: bool = False) -> dict[str, float]:
    """Return, for each metric, the share of corpora whose interval holds the score of the population, or the difference of two."""
    systems = _population(kind)[: 1 + paired]
    truth = {name: _difference([_statistic(name, t[name]).value for t in systems]) for name in METRIC_NAMES}
    held = dict.fromkeys(METRIC_NAMES, 0)
    for corpus in range(corpora):
        rows = np.random.default_rng((31, documents, corpus)).integers(0, POPULATION, documents)
        bootstrap = Bootstrap(documents, 1000, corpus)
        statistics = [[_statistic(name, t[name][rows]) for t in systems] for name in METRIC_NAMES]
        drawn = iter(bootstrap.replicates([each for row in statistics for each in row]))
        for name, row in zip(METRIC_NAMES, statistics, strict=True):
            values = _difference([next(drawn) for _ in row])
            interval = bootstrap.interval(values, row[0].documents, row[0].left_out(*row[1:]))
            held[name] += truth[name] in interval
    return {name: number / corpora for name, number in held.items()}


def _difference(values: Sequence[Any]) -> Any:
    """Return the only value, or the first less the second."""
    return values[0] if len(values) == 1 else values[0] - values[1]


def _population(kind: str) -> list[dict[str, Floats]]:
    """Return the counts of two systems on the same documents, by metric."""
    rng, other = np.random.default_rng(20), np.random.default_rng(21)
    drawn = [_document(rng, other, kind) for _ in range(POPULATION)]
    reference, *systems = (Flat.from_segmentations([made[side] for made in drawn]) for side in range(3))
    pairs = [Pairs(reference.n_units, reference.ptr, reference.pos, s.ptr, s.pos, "unit") for s in systems]
    return [{name: METRICS.parse(name).count(each) for name in METRIC_NAMES} for each in pairs]


def _document(rng: np.random.Generator, other: np.random.Generator, kind: str) -> list[Segmentation]:
    """Draw a reference, and two hypotheses that keep, move, drop and add boundaries."""
    if kind == "heavy":
        n, rates, kept = int(np.clip(np.exp(rng.normal(math.log(40), 1.0)), 5, 3000)), (2, 12, 2, 20), (2, 2)
    elif kind == "heavier":
        n = int(np.clip(np.exp(rng.normal(math.log(40), 1.4)), 5, 5000))
        rates, kept = (2, 12, 2, 20), (2 + 4 * (n < 40), 2 + 4 * (n > 150))
    elif kind == "sparse":
        n, rates, kept = int(rng.integers(10, 40)), (1, 25, 1, 25), (4, 4)
    else:
        n, rates, kept = int(rng.integers(20, 80)), (2, 12, 2, 20), (4, 4)
    reference = np.flatnonzero(rng.random(n - 1) < rng.beta(*rates[:2])) + 1
    made = [Segmentation(n, reference.tolist())]
    for each in (rng, other):
        found = reference[each.random(len(reference)) < each.beta(*kept)]
        moved = np.clip(found + each.integers(-1, 2, len(found)), 1, n - 1)
        added = np.flatnonzero(each.random(n - 1) < each.beta(*rates[2:])) + 1
        made.append(Segmentation(n, sorted({*moved.tolist(), *added.tolist()})))
    return made


def _statistic(name: str, counts: Floats) -> Statistic:
    metric = METRICS.parse(name)
    if metric.card.aggregation == "micro":
        return Statistic.pooled(counts, metric.score)
    return Statistic.mean(metric.score(counts), metric.included(counts))


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| documents | lengths | " + " | ".join(METRIC_NAMES) + " |")
    print("| --- " * (2 + len(METRIC_NAMES)) + "|")
    kinds = sys.argv[2:] or ("plain", "heavy", "heavier", "sparse")
    for kind, paired in [*((kind, False) for kind in kinds), *((kind, True) for kind in kinds if kind == "sparse")]:
        for documents in DOCUMENTS:
            shares = coverage(kind, documents, times, paired=paired)
            print(
                f"| {documents} | {kind}{', paired' if paired else ''} | "
                + " | ".join(f"{s:.3f}" for s in shares.values())
                + " |",
                flush=True,
            )
