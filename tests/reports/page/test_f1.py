"""The F1 of a section: one name, the tolerance that was measured, and chance and clock only where they are its own."""

from __future__ import annotations

import msgspec
import pytest

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page.sections import blind_scores, measured_f1, shown_f1, with_one_name

SHAPES = {"turn": (30, [5, 12, 20], [6, 12, 25]), "ms": (600_000, [90_000, 300_000], [94_000, 350_000]), "character": (2_000, [300, 900], [310, 1_500])}  # fmt: skip


def _corpora(unit):
    n, *sides = SHAPES[unit]
    gold, made = (
        cz.Corpus.from_segmentations({"d": cz.Segmentation.from_boundaries(n, side, unit=unit)}) for side in sides
    )
    return Corpora(gold, {"auto": made, "same": gold})


def _measured(unit, metrics=None):
    gold, systems = _corpora(unit)[:2]
    made = systems["auto"]
    evaluation = cz.evaluate(gold, {"auto": made, "same": gold}, **({} if metrics is None else {"metrics": metrics}))
    evaluation.compare()
    evaluation.verdicts()
    return evaluation.results(per_document=True)


@pytest.mark.parametrize(
    ("unit", "metrics", "wanted"),
    [
        ("turn", None, ("W-F1", 1)),
        ("ms", None, ("F1 (10s)", 10_000)),
        ("character", None, ("F1 (40c)", 40)),
        ("turn", ["BoundaryF1(tolerance=1)"], ("W-F1", 1)),
        ("turn", ["F1(tolerance=3)", "Pk"], ("F1(tolerance=3)", 3)),
        ("turn", ["F1", "W-F1"], ("W-F1", 1)),
        ("ms", ["F1(tolerance='10s')"], ("F1 (10s)", 10_000)),
        ("ms", ["F1(tolerance='2min')"], ("F1(tolerance='2min')", 120_000)),
        # not measured, or not as the page counts: what the verdicts use
        ("turn", ["Pk"], ("W-F1", 1)),
        ("ms", ["BOR"], ("F1 (10s)", 10_000)),
        ("turn", ["F1(tolerance=3, matching='one_to_one')"], ("W-F1", 1)),
    ],
)
def test_the_f1_of_a_section_is_the_one_that_was_measured(unit, metrics, wanted):
    found = shown_f1(with_one_name(_measured(unit, metrics)), unit)
    assert (found["name"], found["tolerance"]) == wanted


def test_without_verdicts_the_usual_tolerance_of_the_unit_decides():
    results = _measured("ms", ["BoundaryF1(tolerance='3s')", "BoundaryF1(tolerance='10s')"])
    bare = msgspec.structs.replace(results, verdicts=None)
    assert with_one_name(bare) is bare
    assert shown_f1(bare, "ms") == {"name": "BoundaryF1(tolerance='10s')", "tolerance": 10_000}
    # documents in turns beside scores in time
    assert shown_f1(bare, "turn") == {"name": "W-F1", "tolerance": 1}


def test_a_metric_has_one_name_everywhere_and_its_scores_stay():
    results = _measured("ms")
    old, new = "BoundaryF1(tolerance='10s')", "F1 (10s)"
    named = with_one_name(results)
    assert list(named.metrics) == [new if name == old else name for name in results.metrics]
    assert named.metrics[new] == results.metrics[old]
    assert named.metrics[new].metric == old
    assert named.systems["auto"][new] == results.systems["auto"][old]
    assert named.per_document["auto"][new] == results.per_document["auto"][old]
    assert msgspec.to_builtins(named.verdicts) == msgspec.to_builtins(results.verdicts)
    assert new in named.standings
    assert old not in named.standings
    assert {c.metric for c in named.comparisons} == set(named.metrics)
    assert old in results.metrics  # the results themselves keep theirs


def test_an_f1_that_the_page_does_not_compute_is_still_drawn():
    results = _measured("turn", ["Pk", "F1(tolerance=3, matching='one_to_one')"])
    assert measured_f1(results, "W-F1") == "F1(tolerance=3, matching='one_to_one')"
    assert measured_f1(_measured("turn", ["Pk"]), "W-F1") is None


@pytest.mark.parametrize("unit", SHAPES)
def test_chance_and_clock_are_those_of_the_verdict(unit):
    results = with_one_name(_measured(unit))
    name = shown_f1(results, unit)["name"]
    verdict = results.verdicts["auto"]
    wanted = {"chance": verdict.findings["W-F1"].chance, "clock": verdict.clock.score}
    assert None not in wanted.values()
    assert blind_scores(results, name)["auto"] == wanted
    assert blind_scores(results, "Pk")["auto"] == {"chance": None, "clock": None}
    assert blind_scores(results, None) == {}
    # a score over all boundaries together is not the mean over documents that the verdict has
    row = results.systems["auto"]
    pooled = {**row, name: msgspec.structs.replace(row[name], score=row[name].score + 0.01)}
    other = msgspec.structs.replace(results, systems={"auto": pooled})
    assert blind_scores(other, name) == {"auto": {"chance": None, "clock": None}}


WIDE = {
    "turn": "BoundaryF1(tolerance=3)",
    "ms": "BoundaryF1(tolerance='60s')",
    "character": "BoundaryF1(tolerance=200)",
}


@pytest.mark.parametrize("unit", SHAPES)
def test_chance_and_clock_of_another_f1_are_those_that_were_measured(unit):
    name = WIDE[unit]
    gold, systems = _corpora(unit)[:2]
    evaluation = cz.evaluate(gold, systems, metrics=[name])
    evaluation.verdicts()  # by the usual tolerance
    assert blind_scores(evaluation.results(), name)["auto"] == {"chance": None, "clock": None}
    measured = evaluation.blind(name)["auto"]
    assert None not in (measured.chance, measured.clock)
    assert blind_scores(evaluation.results(), name)["auto"] == {"chance": measured.chance, "clock": measured.clock}


def test_chance_of_a_skill_is_used_where_the_clock_was_not_measured():
    gold, systems = _corpora("turn")[:2]
    evaluation = cz.evaluate(gold, systems, metrics=["W-F1"])
    skill = evaluation.skill()["auto"]["W-F1"]
    assert blind_scores(evaluation.results(), "W-F1")["auto"] == {"chance": skill.expected, "clock": None}
