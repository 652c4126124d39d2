"""The numbers of docs/nine-systems.json: what was run, and that the trained systems are worth their name."""

from __future__ import annotations

import msgspec
import pytest

from scripts.nine_systems import (
    CORPORA,
    DATA,
    ENCODERS,
    FREE,
    GOLD,
    READINGS,
    REFERENCE,
    Numbers,
    kinds,
    splits,
)

FOUND = msgspec.json.decode(DATA.read_bytes(), type=Numbers)


@pytest.mark.parametrize("name", list(CORPORA))
def test_every_trained_system_beats_the_best_random_one(name):
    found = FOUND.corpora[name]
    trained, random = kinds(found)
    assert (len(trained), len(random), len(found.systems)) == (9, 9, 19)
    rows = found.systems
    for metric, sign in (("pk", -1), ("window_diff", -1), ("b", 1), ("w_f1", 1)):
        best = max(sign * getattr(rows[system], metric) for system in random)
        assert min(sign * getattr(rows[system], metric) for system in trained) > best
    assert (rows[GOLD].pk, rows[GOLD].w_f1, rows[GOLD].bor) == (0, 1, 1)


@pytest.mark.parametrize("name", list(CORPORA))
def test_three_readings_of_every_correlation(name):
    found = FOUND.corpora[name].correlations
    assert list(found) == list(ENCODERS)
    for metrics in found.values():
        assert list(metrics) == list(FREE)
        for references in metrics.values():
            assert set(references) == set(REFERENCE)
            for readings in references.values():
                assert set(readings) == set(READINGS)
                assert all(value is None or -1 <= value <= 1 for value in readings.values())


def test_folds_are_apart():
    ids = [str(number) for number in range(23)]
    cut = splits(ids)
    assert sorted(key for _, _, test in cut for key in test) == sorted(ids)
    for rest, held, test in cut:
        assert sorted(rest + held + test) == sorted(ids)
