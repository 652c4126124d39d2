"""Tuned parameters: against brute force, and the score of documents that did not choose."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, DeclarationError
from caesura.evaluation.evaluate import evaluate
from caesura.results import answer_of, tables_of
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from caesura.tuning.tune import settings, tune

TOPICS = (("cat", "kitten", "purr", "whisker"), ("rain", "cloud", "storm", "wind"), ("bread", "oven", "flour", "dough"))


def corpus(n, seed):
    rng = np.random.default_rng(seed)
    made = []
    for key in range(n):
        sizes = rng.integers(2, 7, 3)
        units = [" ".join(rng.choice(TOPICS[t], 3)) for t, size in enumerate(sizes) for _ in range(size)]
        gold = Segmentation.from_masses(sizes.tolist())
        made.append(Document(id=str(key), n_units=len(units), units=tuple(units), segmentation=gold))
    return Corpus(made)


DEV, TEST = corpus(11, 1), corpus(6, 2)
TRIES = {"window": [1, 2, 4], "cutoff": [-1.0, 0.5]}


def test_the_best_is_the_best_of_all_combinations():
    outcome = tune(DEV, "TextTiling(smoothing=0)", TRIES, "Pk", held_out=TEST)
    by_hand = {}
    for window in (1, 2, 4):
        for cutoff in (-1.0, 0.5):
            made = segmenter(f"TextTiling(smoothing=0, window={window}, cutoff={cutoff})")
            by_hand[made.label] = evaluate(DEV, {"s": run_method(DEV, made)}, ["Pk"]).scores["s"]["Pk"]
    assert {one.method: one.score for one in outcome.facts.tried} == pytest.approx(by_hand)
    best = min(by_hand, key=by_hand.get)
    assert outcome.facts.chosen == best == outcome.segmenter.label
    there = evaluate(TEST, {"s": run_method(TEST, segmenter(best))}, ["Pk"]).scores["s"]["Pk"]
    assert outcome.facts.held_out == pytest.approx(there)
    assert outcome.facts.held_out_documents == 6
    assert sum(one.folds for one in outcome.facts.tried) == outcome.facts.folds == 5


@pytest.mark.parametrize("metric", ["Pk", "W-F1", "BOR", "B"])
def test_cross_validation_equals_choosing_again_without_each_document(metric):
    outcome = tune(DEV, "TextTiling", TRIES, metric, folds=99)
    systems = {one.method: run_method(DEV, segmenter(one.method)) for one in outcome.facts.tried}
    chosen, documents = [], []
    for left in DEV.ids:
        others = [key for key in DEV.ids if key != left]
        scores = {
            n: evaluate(DEV.subset(others), {n: s.subset(others)}, [metric]).scores[n][metric]
            for n, s in systems.items()
        }
        worth = {"Pk": lambda v: v, "BOR": lambda v: abs(v - 1)}.get(metric, lambda v: -v)
        chosen.append(min(scores, key=lambda n: worth(scores[n])))
        documents.append(systems[chosen[-1]][left])
    assert outcome.facts.folds == len(DEV)
    assert {one.method: one.folds for one in outcome.facts.tried} == {n: chosen.count(n) for n in systems}
    together = evaluate(DEV, {"s": Corpus(documents)}, [metric]).scores["s"][metric]
    assert outcome.facts.cross_validated == pytest.approx(together)


def test_a_metric_without_a_reference_chooses_too():
    bare = Corpus([Document(id=d.id, n_units=d.n_units, units=d.units) for d in DEV])
    outcome = tune(bare, "VectorTiling", {"alpha": [-1.0, 0.5]}, "Placement", folds=1)
    assert outcome.facts.cross_validated is None
    assert outcome.facts.chosen in {"VectorTiling(alpha=-1.0)", "VectorTiling"}


def test_random_settings_are_some_of_all():
    every = settings("C99", {"a": [1, 2, 3], "b": ["x", "y"]})
    assert every == [
        "C99(a=1, b='x')",
        "C99(a=1, b='y')",
        "C99(a=2, b='x')",
        "C99(a=2, b='y')",
        "C99(a=3, b='x')",
        "C99(a=3, b='y')",
    ]
    some = settings("C99", {"a": [1, 2, 3], "b": ["x", "y"]}, 4, seed=1)
    assert len(some) == len(set(some)) == 4
    assert set(some) < set(every)
    assert settings("C99", {"a": [1, 2]}, 99) == ["C99(a=1)", "C99(a=2)"]


def test_shown_from_the_results_alone():
    results = tune(DEV, "TextTiling", TRIES, "Pk", held_out=TEST).results()
    (table,) = tables_of(results)
    scores = [row[1] for row in table.rows]
    assert scores == sorted(scores)
    sentences = answer_of(results)
    assert sentences[0].startswith(f"{results.tuning.chosen} is the best of 6 settings on 11 documents: Pk ")
    assert sentences[1].startswith("On 6 held-out documents it gets ")
    assert "5-fold cross-validation" in sentences[2]


@pytest.mark.parametrize(
    ("method", "tries", "words"),
    [
        ("TextTiling", {}, "nothing to try"),
        ("TextTiling", {"window": []}, "nothing to try"),
        ("TextTiling", {"windo": [1]}, "did you mean window"),
        ("command:true", {"window": [1]}, "takes no parameters to try"),
        ("model:folder", {"window": [1]}, r"--try selector=… of ScoreThenSelect\(scorer='model:folder'\)"),
        ("TextTiling(window=2)", {"window": [1]}, "given twice"),
        ("TextTiling", {"window": [1, 1]}, "given twice"),
        ("TextTiling", {"window": [0]}, "at least 1"),
        ("TextTiling", {"window": range(1, 201), "cutoff": range(200)}, "40,000 combinations"),
    ],
)
def test_wrong_parameters_are_refused(method, tries, words):
    with pytest.raises(DeclarationError, match=words):
        tune(DEV, method, tries)


def test_documents_without_gold_are_refused():
    bare = Corpus([Document(id=d.id, n_units=d.n_units, units=d.units) for d in DEV])
    with pytest.raises(CaesuraError, match=r"boundaries|segmentation"):
        tune(bare, "TextTiling", {"window": [1, 2]}, "Pk")
