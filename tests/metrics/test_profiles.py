"""Profiles are data, and reproduce what the other tools print."""

from __future__ import annotations

import dataclasses
import math

import pytest

from caesura.declare import parameters
from caesura.errors import MetricError
from caesura.metrics import METRICS, families
from caesura.metrics import metric as find_metric
from caesura.metrics.profiles import PROFILES, under_profile
from caesura.segmentation import Segmentation as S

R, H = S.from_masses([6, 3, 4]), S.from_masses([4, 4, 5])


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_profiles_name_metrics_and_parameters_that_exist(profile):
    for metric, options in profile.parameters.items():
        known = {p.name for p in parameters(find_metric(metric))}
        assert set(options) <= known
    for (metric, option, asked), used in profile.substitute.items():
        assert dataclasses.replace(METRICS.parse(f"{metric}({option}={asked!r})"), **used)
    for text in profile.metrics:
        assert under_profile(text, profile.name)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_metric_parses_under_every_profile(profile):
    for name in [name for family in families() for name in family.names()]:
        under_profile(name, profile)


# The table of one pair and many answers: 13 units, 6-3-4 against 4-4-5.
@pytest.mark.parametrize(
    ("profile", "text", "score"),
    [
        ("caesura", "Pk", 0.545),
        ("segeval", "Pk", 0.545),
        ("segeval", "WindowDiff", 0.545),
        ("segeval", "WindowDiff(edge='lamprier')", 0.375),
        ("nltk", "Pk", 0.400),
        ("nltk", "Pk(k=2)", 0.545),
        ("nltk", "WindowDiff(k=2)", 0.545),
        ("nltk", "Pk(string='units')", 0.364),
        ("nltk", "Pk(string='units_closed')", 0.500),
    ],
)
def test_one_pair_many_answers(profile, text, score):
    assert under_profile(text, profile)(R, H) == pytest.approx(score, abs=5e-4)


def test_what_the_text_says_wins():
    assert under_profile("Pk(min_k=3)", "nltk").min_k == 3
    assert under_profile("W-F1(matching='coverage')", "as_run").matching == "coverage"


def test_as_run_reads_one_to_one_its_own_way():
    ours = under_profile("W-F1(matching='one_to_one')", "as_run")
    assert (ours.matching, ours.empty) == ("as_run_one_to_one", "vacuous")
    assert under_profile("W-F1", "as_run").empty == "zero"
    assert under_profile("W-F1(matching='one_to_one')").matching == "one_to_one"


def test_segeval_leaves_b_undefined_without_boundaries():
    assert math.isnan(under_profile("B", "segeval")(S(9), S(9)))
    assert under_profile("B")(S(9), S(9)) == 1.0


def test_segeval_exchanges_edit_precision_and_recall():
    reference, hypothesis = S.from_masses([10, 10]), S.from_masses([2] * 10)
    assert under_profile("EditPrecision", "segeval")(reference, hypothesis) == 1.0
    assert under_profile("EditRecall", "segeval")(reference, hypothesis) == pytest.approx(1 / 9)
    assert under_profile("EditRecall")(reference, hypothesis) == 1.0


@pytest.mark.parametrize(("n", "k"), [(7, 2), (10, 2), (12, 3), (40, 10)])
def test_as_run_takes_a_quarter_of_a_document_without_boundaries(n, k):
    ours = under_profile("WindowDiff", "as_run")
    assert ours(S(n), S(n, (3,))) == find_metric(f"WindowDiff(k={k})")(S(n), S(n, (3,)))
    assert ours(S(n, (4,)), S(n, (3,))) == find_metric("WindowDiff(rounding='floor')")(S(n, (4,)), S(n, (3,)))


def test_the_arp_paper_prints_squares_and_halves_and_its_code_drops_zero_cosines():
    assert str(under_profile("ARPstd", "paper")) == "ARPstd(exponent=2, cut='half')"
    assert str(under_profile("ARPcos", "paper")) == "ARPcos(cut='half')"
    assert str(under_profile("ARPpair", "paper")) == "ARPpair(cut='half')"
    assert under_profile("ARPpair", "paper").zero_cosines == "keep"
    assert str(under_profile("ARPstd", "as_run")) == "ARPstd"
    assert str(under_profile("ARPpair", "as_run")) == "ARPpair(zero_cosines='drop')"


def test_unknown_profile():
    with pytest.raises(MetricError, match="did you mean segeval"):
        under_profile("Pk", "segevl")


def test_profiles_reach_the_metrics_of_annotators():
    assert under_profile("MultiWindowDiff", "as_run").as_run
    assert under_profile("FleissKappa", "closing_boundary").include_end
