"""Temperature scaling against scipy's bounded search and scikit-learn, as they were printed."""

from __future__ import annotations

import pytest

from caesura.statistics import fit_temperature
from tests.golden.cells import cases

CASES = cases("temperature")
NO_OPTIMUM = {
    "separable": "right side",
    "anti": "wrong way",
    "one-class": "all labels are the same",
    "zero-logits": "all logits are 0",
}


def test_every_case_is_here() -> None:
    assert len(CASES) == 10
    assert sum("tricky" in case["tags"] for case in CASES) == 4


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_temperature(case) -> None:
    fit = fit_temperature(case["input"]["logits"], case["input"]["labels"])
    printed = case["expected"]
    assert fit.nll_before == pytest.approx(printed["nll_at_1"], abs=1e-9)
    assert fit.nll_after == pytest.approx(printed["nll_at_opt"], abs=1e-7)
    if "tricky" in case["tags"]:
        assert not fit.interior
        assert fit.reason is not None
        assert NO_OPTIMUM[case["tags"][-1]] in fit.reason
        # The bound itself, and the one the search ran towards.
        assert fit.value == pytest.approx(4.5399929762484854e-05) or fit.value == pytest.approx(22026.465794806718)
        assert (fit.value < 1) == (printed["scipy_bounded_logT_-10_10"] < 1)
    else:
        assert fit.interior
        assert fit.reason is None
        # At the optimum the likelihood is flat: seven digits of it fix half as many of T.
        assert fit.value == pytest.approx(printed["scipy_bounded_logT_-10_10"], rel=1e-4)
        assert 2 * fit.value == pytest.approx(printed["sklearn_temperature"], rel=1e-4)
