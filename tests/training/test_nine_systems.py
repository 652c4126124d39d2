"""The numbers of studies/nine_systems/numbers.json: what was run, and that the trained systems are worth their name."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from caesura.corpus import Corpus, Document
from caesura.segmentation import Segmentation
from studies.nine_systems.page import JUDGED, above_chance, better, kinds
from studies.nine_systems.study import (
    DATA,
    ENCODERS,
    FREE,
    GOLD,
    NONE,
    READINGS,
    REFERENCE,
    SPLICED,
    UNTRAINED,
    Numbers,
    area,
    best_threshold,
    splits,
)

FOUND = msgspec.json.decode(DATA.read_bytes(), type=Numbers)


@pytest.mark.parametrize("name", list(FOUND.corpora))
def test_every_system_is_there(name):
    found = FOUND.corpora[name]
    trained, random = kinds(found)
    assert (len(trained), len(random), len(found.systems)) == (9, 9, 9 + 9 + 3)
    gold, none = found.systems[GOLD].scores, found.systems[NONE].scores
    assert (gold["Pk"], gold["W-F1"], gold["BOR"], none["BOR"]) == (0, 1, 1, 0)
    assert all(found.systems[system].auc is not None for system in trained)


@pytest.mark.parametrize("name", list(FOUND.corpora))
def test_every_trained_system_has_a_lower_pk_than_the_best_random_one(name):
    found = FOUND.corpora[name]
    assert all(better(found, "Pk", system) for system in kinds(found)[0])
    assert name in SPLICED or all(better(found, "WindowDiff", system) for system in kinds(found)[0])


def test_on_choi_every_trained_system_beats_the_best_random_one():
    found = FOUND.corpora["Choi 3-11"]
    assert all(better(found, metric, system) for metric in JUDGED for system in kinds(found)[0])


def test_from_hundreds_of_articles_every_system_places_boundaries_better_than_chance():
    found = FOUND.corpora["WikiSection-PT"]
    assert found.documents > 400
    assert all(above_chance(found, metric, system) for metric in JUDGED for system in kinds(found)[0])


def test_on_meetings_random_systems_lose_by_their_density():
    found = FOUND.corpora["QMSum"]
    trained, random = kinds(found)
    assert min(found.systems[system].scores["BOR"] for system in random) > 10
    attending = [system for system in trained if system.startswith("TransformerHead")]
    for system in attending:
        assert found.systems[system].auc > found.systems[UNTRAINED].auc
        assert all(better(found, metric, system) for metric in JUDGED)


@pytest.mark.parametrize("name", SPLICED)
def test_from_few_documents_less_is_learnt_than_the_vectors_hold(name):
    found = FOUND.corpora[name]
    areas = [found.systems[system].auc for system in kinds(found)[0]]
    assert max(areas) < found.systems[UNTRAINED].auc


def test_the_threshold_has_the_lowest_pk_at_a_sensible_density():
    gold = Corpus([Document(id="d", n_units=9, segmentation=Segmentation(9, (3, 6)))])
    (document,) = gold

    def chosen(*scores: float) -> float:
        return best_threshold(gold, Corpus([dataclasses.replace(document, scores=scores)]))

    assert chosen(0, 0.1, 0.9, 0.2, 0, 0.8, 0.3, 0) == 0.8  # both boundaries, and nothing else
    assert chosen(0.9, 0, 0.2, 0, 0, 0.1, 0, 0.8) >= 0.1  # never more than twice as many


@pytest.mark.parametrize("name", list(FOUND.corpora))
def test_four_readings_of_every_correlation(name):
    found = FOUND.corpora[name].correlations
    assert list(found) == list(ENCODERS)
    for metrics in found.values():
        assert list(metrics) == list(FREE)
        for references in metrics.values():
            assert set(references) == set(REFERENCE)
            for readings in references.values():
                assert set(readings) == set(READINGS)
                assert all(value is None or -1 <= value <= 1 for value in readings.values())


def test_without_the_gold_the_metrics_agree_less():
    """The gold is a leverage point: on WikiSection-PT it alone makes .81 of .38."""
    by = FOUND.corpora["WikiSection-PT"].correlations["default"]
    expected = {"ARPpair": (0.81, 0.38), "ARPstd": (0.73, 0.27), "Silhouette": (0.82, 0.72)}
    for metric, (with_gold, without) in expected.items():
        assert by[metric]["Pk"]["without baselines"] == pytest.approx(with_gold, abs=0.005)
        assert by[metric]["Pk"]["systems only"] == pytest.approx(without, abs=0.005)
    silhouette = FOUND.corpora["Wiki-50"].correlations["default"]["Silhouette"]["Pk"]
    assert silhouette["without baselines"] == pytest.approx(0.55, abs=0.005)
    assert silhouette["systems only"] == pytest.approx(0.28, abs=0.005)


def test_folds_are_apart():
    ids = [str(number) for number in range(23)]
    cut = splits(ids)
    assert sorted(key for _, _, test in cut for key in test) == sorted(ids)
    for rest, held, test in cut:
        assert sorted(rest + held + test) == sorted(ids)


def test_the_area_is_the_share_of_pairs_in_order_in_the_mean_document():
    def made(key: str, scores: tuple[float, ...], boundaries: tuple[int, ...]) -> Document:
        n_units = len(scores) + 1
        return Document(id=key, n_units=n_units, scores=scores, segmentation=Segmentation(n_units, boundaries))

    corpus = Corpus(
        [
            made("a", (0.9, 0.5, 0.5), (1, 2)),  # two boundaries and one other gap: above it, and a tie
            made("b", (0.1, 0.2), (1,)),  # below
            made("c", (0.1, 0.2), ()),  # nothing to compare
        ]
    )
    assert area(corpus, corpus) == (0.75 + 0) / 2
