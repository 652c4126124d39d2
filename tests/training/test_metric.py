"""Training of the weights of Support."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.datasets.bundled import bundled
from caesura.errors import ComparabilityError, OutputExistsError
from caesura.metrics.cohesion.support import LISTS, TERMS, Support
from caesura.results.validate.facts import DAMAGES
from caesura.scorers import Encoding
from caesura.training.metric import Examples, examples, fit, noticed, train_metric


@pytest.fixture(scope="module")
def chats() -> list[cz.Corpus]:
    tiage = bundled("tiage")
    return [tiage.subset(tiage.ids[:12]), tiage.subset(tiage.ids[12:24]), tiage.subset(tiage.ids[24:36])]


def drawn(seed: int, weights: np.ndarray, pairs: int = 400) -> Examples:
    """Return differences that a known weighting finds right as often as its logistic model says."""
    rng = np.random.default_rng(seed)
    apart = rng.normal(size=(pairs, len(TERMS)))
    right = rng.random(pairs) < 1 / (1 + np.exp(-apart @ weights))
    apart[~right] *= -1
    kinds, documents = np.arange(pairs) % len(DAMAGES), np.arange(pairs) // len(DAMAGES)
    return Examples(kinds, documents, apart, np.empty((0, len(TERMS))), np.empty(0))


def test_the_fit_is_the_minimum_of_the_loss() -> None:
    truth = np.zeros(len(TERMS))
    truth[:3] = 2.0, -1.0, 1.0
    several = [drawn(seed, truth) for seed in (1, 2)]
    used = np.ones(len(TERMS), dtype=bool)
    found = fit(several, used)
    assert np.corrcoef(found, truth)[0, 1] > 0.8
    parts = [each.weighted(0.1) for each in several]
    apart, heavy = np.concatenate([a for a, _ in parts]), np.concatenate([w for _, w in parts]) / 2
    assert heavy.sum() == pytest.approx(1)
    size = np.sqrt(heavy @ apart**2)

    def loss(weights: np.ndarray) -> float:
        return float(heavy @ np.logaddexp(0, -apart @ weights) + 0.02 * ((weights * size) ** 2).sum())

    rng = np.random.default_rng(0)
    for _ in range(20):
        assert loss(found) <= loss(found + rng.normal(scale=0.01, size=len(TERMS)))
    used[5:] = False
    assert not fit(several, used)[5:].any()


def test_shares_count_documents_and_ties_half() -> None:
    apart = np.zeros((4, len(TERMS)))
    apart[:, 0] = 1.0, -1.0, 0.0, 2.0
    of = Examples(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), apart, np.empty((0, len(TERMS))), np.empty(0))
    weights = np.zeros(len(TERMS))
    weights[0] = 1.0
    assert noticed(of, weights) == {"removal": 0.5, "splitting": 1.0}


def test_a_metric_is_trained_and_used(chats: list[cz.Corpus], tmp_path: Path) -> None:
    outcome = train_metric({"a": chats[0], "b": chats[1]}, tmp_path / "w", abroad={"c": chats[2]})
    own = Support(weights=str(tmp_path / "w"))
    known = own.learned()
    assert known.english == outcome.weights.english
    assert not set(LISTS) & set(known.other)
    assert [source.name for source in known.sources] == ["a", "b"]
    assert (set(known.left_out), set(known.blind), set(known.held_out)) == ({"a", "b"}, {"a", "b"}, {"c"})
    rows = [row[0] for row in outcome.table().rows]
    assert rows == ["a", "b", "mean, left out", "blind, shuffled units", "c (held out)"]
    # What the table says of held-out documents is what the metric does there.
    seen = examples(chats[2], Encoding("default"), systems=False)
    assert noticed(seen, known.table(english=True)) == pytest.approx(known.held_out["c"], abs=1e-3)
    scored = cz.cohesion(chats[2], metrics=[f"model:{tmp_path / 'w'}"], check=False, nulls=(), resamples=1)
    assert np.isfinite(list(scored.scores["boundaries"].values())).all()
    with pytest.raises(OutputExistsError, match="exists"):
        train_metric({"a": chats[0], "b": chats[1]}, tmp_path / "w")


def test_one_corpus_is_not_enough(chats: list[cz.Corpus], tmp_path: Path) -> None:
    with pytest.raises(ComparabilityError, match="at least two"):
        train_metric({"a": chats[0]}, tmp_path)
    bare = cz.Corpus([cz.Document(id="x", n_units=3, units=("a", "b", "c"))])
    with pytest.raises(ComparabilityError, match="no document with text and a boundary"):
        train_metric({"a": chats[0], "b": bare}, tmp_path)
