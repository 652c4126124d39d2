# SPDX-License-Identifier: Apache-2.0
"""Measure how often 95 % intervals hold the truth on simulated corpora, for the table of docs/statistics.md.

``python -m scripts.coverage 1000`` takes some minutes. A population of documents is made once, and its score is the truth; each
corpus is a sample of it. Kinds: ``plain`` has 20 to 80 units, ``heavy`` lognormal lengths (sigma 1, a few documents hold most
units), ``heavier`` the same with sigma 1.4 and long documents that are harder, ``sparse`` short documents with about one
boundary.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics import METRICS
from caesura.metrics.base import Floats
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap, Statistic

__all__ = ["coverage"]

METRIC_NAMES = ("Pk", "W-F1", "BOR", "CovN", "CovD")
DOCUMENTS = (10, 20, 30, 60, 120)
POPULATION = 4000


def coverage(kind: str, documents: int, corpora: int) -> dict[str, float]:
    """Return, for each metric, the share of corpora whose interval holds the score of the population."""
    tables = _population(kind)
    truth = {name: _statistic(name, table).value for name, table in tables.items()}
    held = dict.fromkeys(METRIC_NAMES, 0)
    for corpus in range(corpora):
        rows = np.random.default_rng((31, documents, corpus)).integers(0, POPULATION, documents)
        statistics = [_statistic(name, table[rows]) for name, table in tables.items()]
        bootstrap = Bootstrap(documents, 1000, corpus)
        for name, statistic, drawn in zip(tables, statistics, bootstrap.replicates(statistics), strict=True):
            interval = bootstrap.interval(drawn, statistic.documents, statistic.left_out())
            held[name] += truth[name] in interval
    return {name: number / corpora for name, number in held.items()}


def _population(kind: str) -> dict[str, Floats]:
    rng = np.random.default_rng(20)
    drawn = [_document(rng, kind) for _ in range(POPULATION)]
    reference, hypothesis = (Flat.from_segmentations([pair[side] for pair in drawn]) for side in (0, 1))
    pairs = Pairs(reference.n_units, reference.ptr, reference.pos, hypothesis.ptr, hypothesis.pos, "unit")
    return {name: METRICS.parse(name).count(pairs) for name in METRIC_NAMES}


def _document(rng: np.random.Generator, kind: str) -> tuple[Segmentation, Segmentation]:
    """Draw a reference, and a hypothesis that keeps, moves, drops and adds boundaries."""
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
    found = reference[rng.random(len(reference)) < rng.beta(*kept)]
    moved = np.clip(found + rng.integers(-1, 2, len(found)), 1, n - 1)
    added = np.flatnonzero(rng.random(n - 1) < rng.beta(*rates[2:])) + 1
    return Segmentation(n, reference.tolist()), Segmentation(n, sorted({*moved.tolist(), *added.tolist()}))


def _statistic(name: str, counts: Floats) -> Statistic:
    metric = METRICS.parse(name)
    if metric.card.aggregation == "micro":
        return Statistic.pooled(counts, metric.score)
    return Statistic.mean(metric.score(counts), metric.included(counts))


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| documents | lengths | " + " | ".join(METRIC_NAMES) + " |")
    print("| --- " * (2 + len(METRIC_NAMES)) + "|")
    for kind in sys.argv[2:] or ("plain", "heavy", "heavier", "sparse"):
        for documents in DOCUMENTS:
            shares = coverage(kind, documents, times)
            print(
                f"| {documents} | {kind} | " + " | ".join(f"{s:.3f}" for s in shares.values()) + " |",
                flush=True,
            )
