"""Against NLTK as installed, on random pairs of gap strings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from tests.strategies import Pair, pairs

pytest.importorskip("nltk", reason="the oracle NLTK is not installed (dependency group oracles)")

# The plain module import raises in some versions (a clash of names); this form works in all.
from nltk.metrics.segmentation import pk, windowdiff


def strings(pair: Pair, form: str) -> tuple[str, str]:
    """Return both sides in a form that people feed NLTK."""
    end = {"gaps": "", "units": "0", "units_closed": "1"}[form]
    return pair[0].bits + end, pair[1].bits + end


@settings(max_examples=200)
@given(pair=pairs(min_units=2), k=st.integers(1, 8), form=st.sampled_from(["gaps", "units", "units_closed"]))
def test_given_windows(pair: Pair, k: int, form: str) -> None:
    reference, hypothesis = strings(pair, form)
    if k > len(reference):
        return  # NLTK refuses a window longer than the string
    options = f"k={k}, string={form!r}"
    assert metric(f"Pk({options})")(*pair) == pytest.approx(pk(reference, hypothesis, k), abs=1e-9)
    for weighted in (False, True):
        theirs = windowdiff(reference, hypothesis, k, weighted=weighted)
        assert metric(f"WindowDiff({options}, weighted={weighted})")(*pair) == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=200)
@given(pair=pairs(min_units=2), form=st.sampled_from(["gaps", "units", "units_closed"]))
def test_its_own_window(pair: Pair, form: str) -> None:
    reference, hypothesis = strings(pair, form)
    if "1" not in reference:
        return  # whether that counts as one boundary changed between versions
    ours = under_profile(f"Pk(string={form!r})", "nltk")
    assert ours(*pair) == pytest.approx(pk(reference, hypothesis), abs=1e-9)


def test_a_reference_without_boundary_counts_as_having_one() -> None:
    reference, hypothesis = "0" * 12, "000100000000"
    try:
        theirs = pk(reference, hypothesis)
    except ZeroDivisionError:
        pytest.skip("this version of NLTK divides by zero for a reference without boundary")
    from caesura.segmentation import Segmentation

    ours = under_profile("Pk", "nltk")
    assert ours(Segmentation.from_bits(reference), Segmentation.from_bits(hypothesis)) == pytest.approx(theirs)
