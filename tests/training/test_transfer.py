"""A trained scorer beside others: chance is a mean, and equal density takes the best gaps."""

from __future__ import annotations

import pytest

from caesura.corpus import Corpus, Document
from caesura.segmentation import Segmentation
from caesura.training.run import METRICS, at_reference_density, chance_scores


def documents(number: int, n_units: int, *boundaries: int) -> Corpus:
    gold = Segmentation(n_units, boundaries)
    return Corpus([Document(id=str(each), n_units=n_units, segmentation=gold) for each in range(number)])


def test_chance_is_the_mean_of_draws_and_has_no_skill():
    only = chance_scores(documents(3, 2, 1))  # one gap and one boundary: nothing is left to chance
    assert only == {**dict.fromkeys(METRICS, 1.0), "Pk": None, "skill": 0.0}  # no window fits for Pk
    half = chance_scores(documents(200, 3, 1))  # the boundary or the other gap
    assert half["F1"] == pytest.approx(0.5, abs=0.05)  # six standard errors of 4,000 coins
    assert half["W-F1"] == 1.0  # a boundary beside the right gap is within the tolerance
    assert half["BOR"] == 1.0


def test_at_equal_density_each_document_gets_its_best_gaps():
    reference = Corpus(
        [
            Document(id="a", n_units=4, segmentation=Segmentation(4, (1, 2))),
            Document(id="b", n_units=4, segmentation=Segmentation(4)),
        ]
    )
    scored = Corpus([Document(id=key, n_units=4, scores=(0.1, 0.3, 0.2)) for key in "ab"])
    made = at_reference_density(reference, scored)
    assert [document.segmentation.boundaries for document in made] == [(2, 3), ()]
