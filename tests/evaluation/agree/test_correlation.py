"""Rank correlation of a system's scores with the support of each gap."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from scipy.stats import spearmanr

import caesura as cz
from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.evaluation.agree.support import gap_support, support_correlation
from caesura.metrics.agreement import pooled_window
from caesura.segmentation import Segmentation
from tests.strategies import panels


@settings(max_examples=60)
@given(people=panels(max_units=15))
def test_support_of_every_gap_restated(people: dict[str, Segmentation]) -> None:
    panel = Panel.of(people)
    reach = int(pooled_window(panel)[0]) // 2
    expected = [
        sum(any(abs(b - gap) <= reach for b in coding.boundaries) for coding in people.values()) / len(people)
        for gap in range(1, int(panel.n_units[0]))
    ]
    assert gap_support(panel)[0].tolist() == pytest.approx(expected)


def test_correlation_is_the_mean_over_documents() -> None:
    corpus = bundled("moonstone")
    panel = Panel.from_corpus(corpus)
    scores = {
        key: [(7 * i) % 5 / 5 for i in range(len(s))] for key, s in zip(panel.ids, gap_support(panel), strict=True)
    }
    system = Corpus(
        [
            dataclasses.replace(d, annotations={}, segmentation=Segmentation(d.n_units), scores=tuple(scores[d.id]))
            for d in corpus
        ]
    )
    found = support_correlation(panel, system)
    assert found is not None
    alone = [spearmanr(scores[key], s).statistic for key, s in zip(panel.ids, gap_support(panel), strict=True)]
    assert found.spearman == pytest.approx(sum(alone) / len(alone))
    assert found.documents == len(panel)
    results = cz.evaluate(corpus, {"a": system}, "B", against="annotators").results()
    assert results.support_correlations is not None
    assert results.support_correlations["a"] == found
    assert any("rank correlation of its scores" in note for note in results.notes)


def test_no_scores_no_correlation() -> None:
    corpus = bundled("moonstone")
    system = corpus.consensus(0.5)
    assert support_correlation(Panel.from_corpus(corpus), system) is None
    assert cz.evaluate(corpus, {"a": system}, "B", against="annotators").results().support_correlations is None
    flat = Corpus([Document(id="d", n_units=4, scores=(0.5, 0.5, 0.5))])
    people = {"x": Segmentation(4, (1,)), "y": Segmentation(4, (3,))}
    found = support_correlation(Panel.from_corpus(Corpus([Document(id="d", n_units=4, annotations=people)])), flat)
    assert found is not None
    assert (found.spearman, found.documents) == (None, 0)
