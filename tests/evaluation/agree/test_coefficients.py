"""Coefficients of annotators: the formulas restated, and what must not be called agreement."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.panel import Panel
from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from caesura.segmentation import Segmentation
from tests.metrics import brute_panels as brute
from tests.metrics.brute import Rate, as_float
from tests.strategies import all_segmentations, panels

Restated = Callable[[Sequence[Segmentation], bool], Rate]
RESTATED: dict[str, Restated] = {
    "FleissKappa": brute.fleiss,
    "MultiKappa": brute.multi_kappa,
    "KrippendorffAlpha": brute.alpha,
}
COEFFICIENTS = ("FleissKappa", "MultiKappa", "KrippendorffAlpha", "AgreementB", "AgreementS")
READERS = [Segmentation(13, gaps) for gaps in ((11,), (2, 3, 10, 12), (9,), (2, 10, 12))]


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-10, nan_ok=True)


def restated(name: str, people: Sequence[Segmentation], include_end: bool) -> float:
    """Restate a coefficient in exact fractions."""
    return as_float(RESTATED[name](people, include_end))


@pytest.mark.parametrize("include_end", [False, True])
@pytest.mark.parametrize("name", RESTATED)
def test_every_small_panel(name: str, include_end: bool) -> None:
    ours = metric(f"{name}(include_end={include_end})")
    for n_units, number in ((1, 2), (2, 3), (3, 3), (4, 2)):
        for people in itertools.product(list(all_segmentations(n_units)), repeat=number):
            assert ours(people) == near(restated(name, people, include_end)), people


@pytest.mark.parametrize("name", RESTATED)
@settings(max_examples=100)
@given(people=panels(), include_end=st.booleans())
def test_longer_panels(name: str, people: dict[str, Segmentation], include_end: bool) -> None:
    ours = metric(f"{name}(include_end={include_end})")
    codings = list(people.values())
    assert ours(people) == near(restated(name, codings, include_end))
    if name != "KrippendorffAlpha":
        assert ours.parts(people)["observed"] == near(as_float(brute.observed(codings, include_end)))


@settings(max_examples=60)
@given(people=panels(min_units=2), n_t=st.integers(1, 6))
def test_agreement_over_edits(people: dict[str, Segmentation], n_t: int) -> None:
    """Observed agreement is B (or S) pooled over the pairs; chance the square of how often gaps are marked."""
    codings = list(people.values())
    gaps = codings[0].n_units - 1
    shares = [Fraction(coding.n_boundaries, gaps) for coding in codings]
    pairs = list(itertools.combinations(range(len(codings)), 2))
    pi = (sum(shares) / len(shares)) ** 2
    kappa = sum((shares[a] * shares[b] for a, b in pairs), Fraction(0)) / len(pairs)
    for letter in "BS":
        top = bottom = 0.0
        for a, b in pairs:
            similarity = metric(f"{letter}(n_t={n_t})")
            # A similarity is a ratio; its denominator is the boundaries at hand for B, the gaps for S.
            counts = similarity.counts(codings[a], codings[b])
            size = (
                gaps if letter == "S" else sum(counts[c] for c in ("matches", "ref_only", "hyp_only", "transpositions"))
            )
            top, bottom = top + float(similarity(codings[a], codings[b])) * size, bottom + size
        marked = any(coding.n_boundaries for coding in codings)
        observed = top / bottom if bottom and marked else math.nan
        for chance, kind in ((pi, False), (kappa, True)):
            expected = float(chance)
            score = (observed - expected) / (1 - expected) if chance != 1 else math.nan
            ours = metric(f"Agreement{letter}(n_t={n_t}, kappa={kind})")
            assert ours(people) == near(score)
        assert ours.bias(people) == near(float(pi - kappa))


# ---------------------------------------------------------------------------------------------- nothing out of nothing


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_annotator_is_no_agreement(name: str) -> None:
    assert math.isnan(metric(name)([READERS[0]]))
    assert metric(name).why_undefined()


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("n_units", [1, 2, 6])
@pytest.mark.parametrize("annotators", [1, 2, 5])
def test_nobody_marks_anything(name: str, n_units: int, annotators: int) -> None:
    assert math.isnan(metric(name)([Segmentation(n_units)] * annotators))


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("n_units", [2, 6])
def test_everybody_marks_everything(name: str, n_units: int) -> None:
    assert math.isnan(metric(name)([Segmentation(n_units, range(1, n_units))] * 3))


@pytest.mark.parametrize("name", ["FleissKappa", "MultiKappa", "KrippendorffAlpha"])
def test_the_end_alone_is_no_agreement(name: str) -> None:
    """With one unit there is nothing but the end, on which all agree of necessity."""
    assert math.isnan(metric(f"{name}(include_end=True)")([Segmentation(1)] * 3))


@pytest.mark.parametrize("name", ["FleissKappa", "MultiKappa", "KrippendorffAlpha"])
@pytest.mark.parametrize("n_units", [2, 3, 60_000])
def test_with_the_end_silence_is_agreement_on_two_categories(name: str, n_units: int) -> None:
    """The end is marked by all and the gaps by nobody: 1, as statsmodels, NLTK and krippendorff print."""
    assert metric(f"{name}(include_end=True)")([Segmentation(n_units)] * 2) == 1.0
    assert under_profile(name, "closing_boundary")([Segmentation(n_units)] * 5) == 1.0
    everything = [Segmentation(7, range(1, 7))] * 3
    assert math.isnan(metric(f"{name}(include_end=True)")(everything))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_the_same_boundaries_are_full_agreement(name: str) -> None:
    assert metric(name)([Segmentation(9, (3, 6))] * 3) == pytest.approx(1.0)


def test_chapter_1_as_printed() -> None:
    assert metric("FleissKappa(include_end=True)")(READERS) == pytest.approx(0.28, abs=0.005)
    assert metric("FleissKappa")(READERS) == pytest.approx(0.0427, abs=5e-5)


# ---------------------------------------------------------------------------------------------- many documents


@settings(max_examples=50)
@given(documents=st.lists(panels(max_units=12), min_size=1, max_size=4))
def test_pooled_alpha_allows_missing_annotators(documents: list[dict[str, Segmentation]]) -> None:
    """Counts add: alpha of several documents with different annotators is that of all their gaps."""
    ours = metric("KrippendorffAlpha")
    counts = sum(ours.count(Panel.of(people))[0] for people in documents)
    pairable, judgements = Fraction(0), []
    for people in documents:
        sides = [brute.bits(coding) for coding in people.values()]
        for votes in zip(*sides, strict=True):
            differ = sum(x != y for x, y in itertools.permutations(votes, 2))
            pairable += Fraction(differ, len(votes) - 1)
            judgements += votes
    n, ones = len(judgements), sum(judgements)
    if not ones * (n - ones):
        assert math.isnan(ours.score(counts))
        return
    expected = Fraction(2 * ones * (n - ones), n * (n - 1))
    assert float(ours.score(counts)) == near(float(1 - pairable / n / expected))


def test_multi_kappa_of_pooled_documents_is_refused() -> None:
    assert not metric("MultiKappa").facts().additive
    assert not metric("AgreementB(kappa=True)").facts().additive
    assert metric("AgreementB").facts().additive
    assert metric("FleissKappa").facts().additive


def test_a_panel_is_counted_row_by_row() -> None:
    panel = Panel.of(READERS)
    for name in COEFFICIENTS:
        counts = metric(name).count(panel)
        assert counts.shape == (1, len(metric(name).columns))
        assert np.isfinite(counts).all()
