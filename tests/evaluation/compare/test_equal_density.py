"""Systems selected again to the reference's number of boundaries, against selectors and `evaluate`."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.evaluation.compare.run import compare
from caesura.selectors import StaticSelector, TopKSelector

S = cz.Segmentation
METRICS = ["W-F1", "Pk", "F1", "BOR", "Purity", "CovN"]


def scored(rng, units, good):
    """Return a gold, and a system with scores and the boundaries that a threshold makes of them."""
    gold = S(units, np.flatnonzero(rng.random(units - 1) < 0.2) + 1)
    truth = np.zeros(units - 1)
    truth[gold.positions - 1] = 1
    return gold, good * truth + rng.random(units - 1)


def corpora(seed=0, documents=15):
    rng = np.random.default_rng(seed)
    reference, systems = {}, {"a": [], "b": []}
    for n in range(documents):
        key = str(n)
        gold, a = scored(rng, 18 + n, 0.8)
        reference[key] = gold
        for name, scores, threshold in (("a", a, 0.9), ("b", rng.random(17 + n), 0.4)):
            chosen = StaticSelector(threshold=threshold).select(scores)
            systems[name].append(cz.Document(id=key, n_units=18 + n, segmentation=chosen, scores=tuple(scores)))
    return reference, {name: cz.Corpus(rows) for name, rows in systems.items()}


def selected(corpus, reference):
    return {key: TopKSelector(k=gold.n_boundaries).select(corpus[key].scores) for key, gold in reference.items()}


@pytest.mark.parametrize("profile", ["caesura", "swapped", "as_run"])
def test_placement_is_the_difference_after_reselection(profile):
    reference, systems = corpora()
    e = cz.evaluate(reference, systems, METRICS, profile=profile)
    again = cz.evaluate(
        reference, {name: selected(corpus, reference) for name, corpus in systems.items()}, METRICS, profile=profile
    ).scores
    for c in compare(e, resamples=50, draws=20):
        assert c.parts_by == "equal density"
        assert c.placement == pytest.approx(again["a"][c.metric] - again["b"][c.metric], abs=1e-12)
        assert c.density + c.placement == pytest.approx(c.difference, abs=1e-12)
        assert c.placement in c.placement_interval
        assert sum(c.by_chance) == pytest.approx(c.difference, abs=1e-12)
    bor = next(c for c in compare(e, resamples=50, draws=0) if c.metric == "BOR")
    assert (bor.placement, bor.density) == (0.0, bor.difference)
    assert bor.by_chance is None


def test_it_is_what_a_sweep_calls_matched():
    reference, systems = corpora()
    matched = {row.metric: row for row in cz.sweep(reference, systems, ["W-F1", "Pk"], resamples=80).matched()}
    for c in compare(cz.evaluate(reference, systems, ["W-F1", "Pk"]), resamples=80, draws=0):
        assert c.placement == pytest.approx(matched[c.metric].difference, abs=1e-12)
        assert c.placement_interval == pytest.approx(matched[c.metric].interval, abs=1e-12)


def test_without_the_scores_of_both_chance_tells_them_apart():
    reference, systems = corpora()
    bare = {key: systems["b"][key].segmentation for key in reference}
    e = cz.evaluate(reference, {**systems, "bare": bare}, ["W-F1"])
    found = compare(e, resamples=50, draws=20)
    assert {(c.first, c.second): c.parts_by for c in found} == {
        ("a", "b"): "equal density",
        ("a", "bare"): "chance",
        ("b", "bare"): "chance",
    }
    e.compare(resamples=50, draws=20)
    notes = str(e.tables()[-1])
    assert "a - b: both have scores" in notes
    assert "a - bare, b - bare: boundaries only" in notes
    assert found[0].placement_interval is not None
    assert found[0].by_chance is not None
    assert (found[1].placement_interval, found[1].by_chance) == (None, None)
    assert {c.parts_by for c in compare(e, resamples=50, draws=0)} == {"equal density", None}


def test_one_document_without_scores_is_enough():
    reference, systems = corpora(documents=4)
    rows = list(systems["b"])
    rows[2] = cz.Document(id="2", n_units=rows[2].n_units, segmentation=rows[2].segmentation)
    e = cz.evaluate(reference, {"a": systems["a"], "b": cz.Corpus(rows)}, ["W-F1"])
    assert [c.parts_by for c in compare(e, resamples=20, draws=10)] == ["chance"]


def test_a_few_documents_of_many():
    """Documents that a system lacks are skipped, and the scores follow."""
    reference, systems = corpora(documents=8)
    part = {name: cz.Corpus([d for d in corpus if d.id not in "25"]) for name, corpus in systems.items()}
    less = {key: gold for key, gold in reference.items() if key not in "25"}
    e = cz.evaluate(reference, part, ["W-F1"], missing="skip")
    (c,) = compare(e, resamples=20, draws=0)
    (whole,) = compare(cz.evaluate(less, part, ["W-F1"]), resamples=20, draws=0)
    assert c.placement == whole.placement
