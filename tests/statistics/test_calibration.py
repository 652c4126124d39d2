"""Temperature: where there is an optimum, where there is none; reliability by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import ComparabilityError, DeclarationError
from caesura.statistics import fit_temperature, reliability

LOW, HIGH = math.exp(-10), math.exp(10)


def nll(logits, labels, temperature: float) -> float:
    p = 1 / (1 + np.exp(-np.asarray(logits) / temperature))
    return float(-np.mean(np.where(np.asarray(labels) == 1, np.log(p), np.log(1 - p))))


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=12))
def test_no_other_temperature_is_better(pairs) -> None:
    logits, labels = [z for z, _ in pairs], [int(y) for _, y in pairs]
    fit = fit_temperature(logits, labels)
    assert LOW * 0.999 <= fit.value <= HIGH * 1.001
    assert fit.nll_after <= fit.nll_before + 1e-12
    assert (fit.reason is None) == fit.interior
    for temperature in np.exp(np.linspace(-1, 8, 30)):
        assert fit.nll_after <= nll(logits, labels, temperature) + 1e-7


@pytest.mark.parametrize(
    ("logits", "labels", "value", "words"),
    [
        ([1.0, -2.0, 3.0], [1, 0, 1], LOW, "right side"),
        ([1.0, -2.0, 0.0], [1, 0, 1], LOW, "right side"),
        ([1.0, -2.0, 3.0], [0, 1, 0], HIGH, "wrong way"),
        ([1.0, -1.0], [1, 1], HIGH, "all labels are the same, and the logits point the wrong way"),
        ([1.0, 2.0], [1, 1], LOW, "right side"),
        ([0.0, 0.0], [1, 0], LOW, "all logits are 0"),
        ([1e9, -1e9, 1e9], [1, 0, 0], HIGH, "outside"),
    ],
)
def test_no_interior_optimum(logits, labels, value: float, words: str) -> None:
    fit = fit_temperature(logits, labels)
    assert fit.value == pytest.approx(value)
    assert not fit.interior
    assert words in str(fit.reason)


def test_large_logits_do_not_overflow() -> None:
    fit = fit_temperature([800.0, -800.0, 800.0, -800.0], [1, 0, 1, 1])
    assert fit.interior
    assert fit.nll_before == pytest.approx(200.0)
    assert fit.value == pytest.approx(800 / math.log(3), rel=1e-6)
    assert fit.apply([800.0, -1e6])[0] == pytest.approx(0.75, rel=1e-6)


def test_reliability_by_hand() -> None:
    found = reliability([0.0, 0.1, 0.5, 0.5, 0.99, 1.0], [0, 1, 1, 0, 1, 1], bins=4)
    assert [b.count for b in found.bins] == [2, 0, 2, 2]
    assert [(b.low, b.high) for b in found.bins] == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    assert found.bins[0].confidence == pytest.approx(0.05)
    assert found.bins[0].accuracy == 0.5
    assert (found.bins[1].confidence, found.bins[1].accuracy) == (None, None)
    assert found.ece == pytest.approx((2 * 0.45 + 2 * 0 + 2 * 0.005) / 6)


def test_calibrated_probabilities_have_little_error() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(20_000)
    y = rng.random(20_000) < p
    assert reliability(p, y).ece < 0.02
    assert reliability(p**3, y).ece > 0.15


@pytest.mark.parametrize(
    ("numbers", "labels", "error", "words"),
    [
        ([0.1], [1, 0], ComparabilityError, "1 logits, 2 labels"),
        ([], [], ComparabilityError, "no logits"),
        ([0.1, math.nan], [1, 0], DeclarationError, "number 2 is nan"),
        ([math.inf], [1], DeclarationError, "number 1 is inf"),
        ([0.1], [1.5], DeclarationError, "a label is 0 or 1, or a share of annotators"),
        ([0.1, 0.2], [1, math.nan], DeclarationError, "number 2 is nan"),
    ],
)
def test_bad_input(numbers, labels, error, words: str) -> None:
    with pytest.raises(error, match=words):
        fit_temperature(numbers, labels)


def test_bad_probabilities_and_bins() -> None:
    with pytest.raises(DeclarationError, match=r"number 2 is 1\.5"):
        reliability([0.5, 1.5], [0, 1])
    with pytest.raises(DeclarationError, match="at least 1"):
        reliability([0.5], [0], bins=0)
