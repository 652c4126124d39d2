"""Correlations over the levels of a damage, by hand and against papers' way of computing them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.validate.correlations import means_of, over_levels
from caesura.evaluation.validate.run import validate
from caesura.evaluation.validate.trials import Trial
from caesura.results import tables_of
from tests.evaluation.validate.test_run import Topics, gold

PLANNED = [Trial("removal", share, Removal(share=share)) for share in (0.3, 0.6, 0.9)]


def test_means_over_draws_and_documents_are_correlated_with_level_0():
    rng = np.random.default_rng(1)
    before = rng.random(5)
    after = [[before - level * rng.random(5) for _ in range(2)] for level in (1, 2, 3)]
    losses = [[level * rng.random(5) for _ in range(2)] for level in (1, 2, 3)]
    gains = [[before - scores for scores in draws] for draws in after]
    found = over_levels(means_of(gains), means_of(losses), PLANNED)["removal"]
    x = [0.0, *(np.mean(draws) for draws in gains)]
    y = [0.0, *(np.mean(draws) for draws in losses)]
    assert found.pearson == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (found.levels, found.documents) == (3, 5)


def test_every_mean_is_over_the_same_documents_and_a_level_that_few_reach_is_left_out():
    gains = [[np.array([1.0, 1, 1, np.inf])], [np.array([2.0, 2, 9, 2])], [np.array([3.0, *[np.nan] * 3])]]
    losses = [[np.array([0.1, 0.1, 0.1, 0.1])], [np.array([0.3, 0.3, np.nan, 0.3])], [np.full(4, 0.4)]]
    found = over_levels(means_of(gains), means_of(losses), PLANNED)["removal"]
    # Two documents are finite at the first two levels; of the third only one is left.
    assert (found.levels, found.documents) == (2, 2)
    assert found.pearson == pytest.approx(np.corrcoef([0, 1, 2], [0, 0.1, 0.3])[0, 1])


def test_one_level_gives_no_coefficient():
    found = over_levels(np.ones((1, 3)), np.ones((1, 3)), PLANNED[:1])
    assert found["removal"].pearson is None
    assert "splitting" not in found


def test_validate_labels_them_apart_from_those_over_documents():
    outcome = validate(gold(), encoders=[Topics()], metrics=["ARPpair"], draws=2, references=["Pk"])
    titles = [table.title for table in tables_of(outcome.results())]
    assert titles[-2:] == ["Correlation with reference metrics", "Correlation of level means with reference metrics"]
    means = outcome.trust("ARPpair").level_means["Pk"]
    assert set(means) == {"removal", "splitting", "transposition"}
    assert means["removal"].pearson > outcome.trust("ARPpair").correlations["Pk"].pearson


def test_a_profile_reaches_both_kinds_of_metrics():
    usual, printed, swapped = (
        validate(gold(), encoders=[Topics()], metrics=["ARPstd"], draws=1, references=["Pk"], profile=name)
        for name in ("caesura", "paper", "swapped")
    )
    one, two, three = (outcome.trust("ARPstd") for outcome in (usual, printed, swapped))
    assert one.trials[0].drop != two.trials[0].drop
    assert one.trials[0].drop == three.trials[0].drop
    assert not math.isclose(one.correlations["Pk"].pearson, three.correlations["Pk"].pearson)
    assert printed.results().profile == "paper"
