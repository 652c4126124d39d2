"""How often intervals hold and tests err, on simulated corpora of segmentations.

A population of documents is made once, with two systems; its scores are the truth. Each corpus is a sample of it. For the
tests it is a coin that says, document by document, which of the two systems is called the first, so that they are equal.

The full run takes a minute: ``CAESURA_SLOW=1 pytest tests/statistics/test_coverage.py -s``.
"""

from __future__ import annotations

import functools
import os
from collections import Counter

import numpy as np
import pytest

from caesura.metrics import METRICS, metric
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap, Permutation, Statistic
from tests.strategies import counted

POOLED = ("BOR", "CovN")
NAMES = ("Pk", "W-F1", "B", "Purity", *POOLED)
POPULATION = 4_000


def document(rng: np.random.Generator, *, heavy: bool) -> tuple[Segmentation, list[Segmentation]]:
    """Draw a reference and two systems that keep, move, drop and add boundaries; a few ``heavy`` documents are very long."""
    n = int(np.clip(rng.lognormal(3.6, 1.2), 8, 2_000)) if heavy else int(rng.integers(20, 80))
    reference = np.flatnonzero(rng.random(n - 1) < rng.beta(2, 12)) + 1
    systems = []
    for _ in range(2):
        kept = reference[rng.random(len(reference)) < rng.beta(4, 4)]
        moved = np.clip(kept + rng.integers(-1, 2, len(kept)), 1, n - 1)
        added = np.flatnonzero(rng.random(n - 1) < rng.beta(2, 20)) + 1
        systems.append(Segmentation(n, sorted({*moved.tolist(), *added.tolist()})))
    return Segmentation(n, reference.tolist()), systems


@functools.cache
def population(*, heavy: bool = False) -> dict[str, list[np.ndarray]]:
    """Return metric to the counts of each of the two systems on every document."""
    rng = np.random.default_rng(20)
    documents = [document(rng, heavy=heavy) for _ in range(POPULATION)]
    return {
        name: [counted(metric(name), [(ref, systems[side]) for ref, systems in documents]) for side in (0, 1)]
        for name in NAMES
    }


def statistics(name: str, *tables: np.ndarray) -> list[Statistic]:
    """Return the score of each table, over the documents that all have defined."""
    chosen = metric(name)
    if chosen.card.aggregation == "micro":
        return [Statistic.pooled(table, chosen.score) for table in tables]
    shared = np.logical_and.reduce([chosen.included(table) for table in tables])
    return [Statistic.mean(chosen.score(table), shared) for table in tables]


def simulate(corpora: int, documents: int, *, heavy: bool = False) -> dict[str, dict[str, float]]:
    """Return, per metric, the share of intervals that hold the truth and of tests that reject equal systems."""
    tables = population(heavy=heavy)
    truth = {name: statistics(name, tables[name][0])[0].value for name in NAMES}
    found = {what: Counter[str]() for what in ("interval", "permutation", "bootstrap")}
    for corpus in range(corpora):
        rng = np.random.default_rng((31, documents, corpus))
        rows, heads = rng.integers(0, POPULATION, documents), rng.random((documents, 1)) < 0.5
        every: list[Statistic] = []
        for name in NAMES:
            a, b = (table[rows] for table in tables[name])
            every += statistics(name, a)
            every += statistics(name, np.where(heads, a, b), np.where(heads, b, a))
        bootstrap = Bootstrap(documents, 1000, corpus)
        replicates = bootstrap.replicates(every)
        exchanged = Permutation(documents, 999, corpus).exchanged(list(zip(every[1::3], every[2::3], strict=True)))
        for place, name in enumerate(NAMES):
            alone, first, second = replicates[3 * place : 3 * place + 3]
            whole = every[3 * place]
            interval = bootstrap.interval(alone, whole.documents, whole.left_out())
            found["interval"][name] += truth[name] in interval
            found["permutation"][name] += exchanged[place].p_value() <= 0.05
            p = bootstrap.p_value(first - second, every[3 * place + 1].documents)
            found["bootstrap"][name] += p <= 0.05
    return {what: {name: counts[name] / corpora for name in NAMES} for what, counts in found.items()}


def test_the_metrics_are_of_both_kinds() -> None:
    assert tuple(name for name in NAMES if METRICS.parse(name).card.aggregation == "micro") == POOLED


def test_quickly() -> None:
    """150 corpora: a share of 0.95 has a standard error of 0.018, so the bands are wide."""
    found = simulate(150, 40)
    for name in NAMES:
        assert 0.89 <= found["interval"][name] <= 1.0, (name, found)
        assert found["permutation"][name] <= 0.11, (name, found)
        assert found["bootstrap"][name] <= 0.11, (name, found)


def test_documents_of_very_unequal_length_quickly() -> None:
    found = simulate(150, 40, heavy=True)
    for name in NAMES:
        assert 0.89 <= found["interval"][name] <= 1.0, (name, found)


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CAESURA_SLOW"), reason="takes a minute; set CAESURA_SLOW=1")
@pytest.mark.parametrize("documents", [30, 60, 120])
def test_a_thousand_corpora(documents: int) -> None:
    found = simulate(1000, documents)
    for what, shares in found.items():
        print(documents, what, shares)
    # The interval of a pooled score also holds that of the jackknife, so it is rather too wide than too narrow.
    for name, share in found["interval"].items():
        assert 0.93 <= share <= (0.98 if name in POOLED else 0.97), (name, found)
    # Over all six metrics, since each share alone has a standard error of 0.007.
    for what in ("permutation", "bootstrap"):
        assert np.mean(list(found[what].values())) <= 0.06, found


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CAESURA_SLOW"), reason="takes a minute; set CAESURA_SLOW=1")
@pytest.mark.parametrize("documents", [30, 60, 120])
def test_pooled_scores_of_documents_of_very_unequal_length(documents: int) -> None:
    found = simulate(1000, documents, heavy=True)["interval"]
    print(documents, found)
    assert all(0.93 <= found[name] <= 0.99 for name in POOLED), found
