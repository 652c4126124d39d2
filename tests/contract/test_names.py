"""Names in any case: every registered name and alias is found however it is written, and comes back as it is registered."""

from __future__ import annotations

import collections

import pytest

import caesura as cz
from caesura.datasets import DATASETS
from caesura.declare import Registry
from caesura.encoders import ENCODERS
from caesura.evaluation.degrade import DEGRADATIONS
from caesura.formats import FORMATS
from caesura.metrics import families, listed_metrics, metric, spelled
from caesura.metrics.profiles import PROFILES, profile
from caesura.scorers import SCORERS
from caesura.scorers.trained import HEADS
from caesura.segmenters import SEGMENTERS
from caesura.selectors import SELECTORS

METRIC_NAMES = [name for family in families() for name in (*family.names(), *family.aliases())]
REGISTRIES: list[Registry] = [
    *families(), DATASETS, ENCODERS, DEGRADATIONS, FORMATS, SCORERS, HEADS, SEGMENTERS, SELECTORS,
]  # fmt: skip
CASES = [
    pytest.param(registry, name, id=f"{registry.group}-{name}")
    for registry in REGISTRIES
    for name in (*registry.names(), *registry.aliases())
]


@pytest.mark.parametrize(("registry", "name"), CASES)
def test_a_name_is_found_in_any_case(registry, name):
    for written in (name.lower(), name.upper(), name.swapcase()):
        assert written in registry
        assert registry.lookup(written) == registry.lookup(name)
        assert registry.spelled(f"{written}(k=5)") == f"{name}(k=5)"


def test_no_two_names_of_metrics_differ_only_by_case_over_all_families():
    folded = collections.Counter(name.casefold() for name in METRIC_NAMES)
    assert [name for name, times in folded.items() if times > 1] == []


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_metrics_are_found_and_spelled(name):
    assert metric(name.lower()) == metric(name.upper()) == metric(name)
    assert spelled(name.swapcase()) == name


@pytest.mark.parametrize("name", PROFILES)
def test_profiles(name):
    assert profile(name.upper()) is PROFILES[name]


def test_results_and_signatures_carry_the_registered_names():
    reference = {"d": cz.Segmentation.from_masses([6, 3, 4]), "e": cz.Segmentation.from_masses([5, 5])}
    systems = {"a": {"d": cz.Segmentation.from_masses([4, 4, 5]), "e": cz.Segmentation.from_masses([5, 5])}}
    plain = cz.evaluate(reference, systems, ["Pk", "B", "W-F1", "WindowDiff(k=3)"], profile="nltk", baselines="every")
    other = cz.evaluate(reference, systems, "pk,b,w-f1, windowdiff(k=3)", profile="NLTK", baselines="CLOCK")
    assert other.scores == plain.scores
    assert list(other.scores["a"]) == ["Pk", "B", "W-F1", "WindowDiff(k=3)"]
    assert list(other.scores) == ["a", "every (oracle)"]
    assert other.results() == plain.results()


def test_a_list_is_split_outside_brackets_and_quotes():
    assert listed_metrics(["Pk,b", "BoundaryF1(tolerance=2, matching='one_to_one')"]) == [
        "Pk", "B", "BoundaryF1(tolerance=2, matching='one_to_one')",
    ]  # fmt: skip
    assert listed_metrics(metric("Pk")) == [metric("Pk")]


def test_a_clock_is_a_name_of_every():
    assert str(cz.segmenter("clock(n=4)")) == "every(n=4)"
    assert SEGMENTERS.aliases()["clock"] == "every"
