# SPDX-License-Identifier: Apache-2.0
"""Systems that were run several times: means by hand, and tests that know documents and runs."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.runs import RunEvaluation
from caesura.metrics.agreement import AGREEMENT
from caesura.results import answer_of
from caesura.segmentation import Segmentation

N = 30


def made(rng: np.random.Generator, documents: int, keep: float) -> Corpus:
    """Return a noisy copy of the reference: each of its boundaries with a probability, and one at random."""
    found = []
    for place in range(documents):
        gaps = {gap for gap in (6, 12, 20) if rng.random() < keep} | {int(rng.integers(1, N))}
        found.append(Document(id=f"d{place}", n_units=N, segmentation=Segmentation(N, sorted(gaps))))
    return Corpus(found)


def reference(documents: int) -> dict[str, Segmentation]:
    return {f"d{place}": Segmentation(N, (6, 12, 20)) for place in range(documents)}


def runs(seed: int, documents: int, keeps: list[float]) -> list[Corpus]:
    rng = np.random.default_rng(seed)
    return [made(rng, documents, keep) for keep in keeps]


def test_scores_are_means_over_runs_and_the_spread_is_that_of_the_runs() -> None:
    gold, llm, once = reference(8), runs(1, 8, [0.8] * 4), runs(2, 8, [0.5])[0]
    names = ["W-F1", "B", "BOR"]
    found = evaluate(gold, {"llm": llm, "once": once}, names)
    assert isinstance(found, RunEvaluation)
    single = [evaluate(gold, {"llm": each}, names).scores["llm"] for each in llm]
    for name in names:
        assert found.scores["llm"][name] == pytest.approx(np.mean([row[name] for row in single]))
        assert found.scores["once"][name] == evaluate(gold, {"once": once}, [name]).scores["once"][name]
    facts = found.results().runs
    assert facts is not None
    assert list(facts) == ["llm"]
    assert facts["llm"].over_runs["B"] == pytest.approx(np.std([row["B"] for row in single], ddof=1))
    kappa = AGREEMENT.parse("FleissKappa")
    each = [kappa(dict(enumerate(run[key].segmentation for run in llm))) for key in gold]
    assert facts["llm"].agreement["FleissKappa"] == pytest.approx(np.mean(each))
    assert facts["llm"].apart[0] == f"d{int(np.argmin(each))}"


def test_equal_runs_are_one_system() -> None:
    gold, one, other = reference(7), runs(3, 7, [0.9])[0], runs(4, 7, [0.4])[0]
    plain = compare(evaluate(gold, {"a": one, "b": other}, ["B"]))[0]
    twice = compare(evaluate(gold, {"a": [one, one, one], "b": [other, other]}, ["B"]))[0]
    assert (twice.difference, twice.p, twice.interval) == (plain.difference, plain.p, plain.interval)


def test_runs_that_differ_as_a_whole_make_a_difference_less_certain() -> None:
    gold = reference(60)
    steady = {"a": runs(5, 60, [0.8] * 3), "b": runs(6, 60, [0.6] * 3)}
    moody = {"a": runs(5, 60, [0.99, 0.8, 0.55]), "b": runs(6, 60, [0.9, 0.6, 0.3])}
    alike, apart = (compare(evaluate(gold, systems, ["B"]))[0] for systems in (steady, moody))
    assert alike.better == "a"
    assert apart.better is None
    assert apart.interval.high - apart.interval.low > 2 * (alike.interval.high - alike.interval.low)


def test_runs_against_annotators() -> None:
    people = {"x": (6, 12), "y": (6, 20)}
    gold = Corpus(
        [
            Document(id=f"d{n}", n_units=N, annotations={who: Segmentation(N, gaps) for who, gaps in people.items()})
            for n in range(5)
        ]
    )
    llm = runs(7, 5, [0.8] * 3)
    found = evaluate(gold, {"llm": llm}, ["W-F1"], against="annotators")
    single = [evaluate(gold, {"llm": each}, ["W-F1"], against="annotators").scores["llm"]["W-F1"] for each in llm]
    assert found.scores["llm"]["W-F1"] == pytest.approx(np.mean(single))
    blind = found.blind("W-F1")["llm"]
    assert 0 < blind.chance < 1


def test_runs_among_annotators_have_their_rank_every_reference_and_one_point_on_the_axis() -> None:
    people = {"x": (6, 12), "y": (6, 20), "z": (12, 20)}
    gold = Corpus(
        [
            Document(id=f"d{n}", n_units=N, annotations={who: Segmentation(N, gaps) for who, gaps in people.items()})
            for n in range(6)
        ]
    )
    llm, other = runs(7, 6, [0.8, 0.4, 0.2]), runs(8, 6, [0.5])[0]
    names = ["W-F1", "B"]
    results = evaluate(gold, {"llm": llm, "other": other}, names, against="all").results()
    single = [evaluate(gold, {"llm": each, "other": other}, names, against="all").results() for each in llm]
    among = [each.systems["llm"]["W-F1"].among for each in single]
    assert results.systems["llm"]["W-F1"].among.rank == pytest.approx(np.mean([each.rank for each in among]))
    assert results.systems["llm"]["W-F1"].among.people == pytest.approx(among[0].people)
    for place, row in enumerate(results.references):
        expected = np.mean([each.references[place].systems["llm"]["B"] for each in single])
        assert row.systems["llm"]["B"] == pytest.approx(expected), row.against
    points = {point.name: point for point in results.axis.points}
    assert list(points)[:2] == ["llm", "other"]
    firsts = [next(point for point in each.axis.points if point.name == "llm") for each in single]
    assert points["llm"].bor == pytest.approx(np.mean([point.bor for point in firsts]))
    assert points["llm"].scores["W-F1"] == pytest.approx(np.mean([point.scores["W-F1"] for point in firsts]))
    assert set(results.axis.windows[0].systems) == {"llm", "other"}
    assert any("the systems have" in line for line in answer_of(results))


def test_with_many_documents_the_runs_share_the_draws_of_chance() -> None:
    gold, llm = reference(120), runs(9, 120, [0.8] * 4)
    found = evaluate(gold, {"llm": llm}, ["Pk"]).skill(draws=80)["llm"]["Pk"]
    each = [evaluate(gold, {"llm": one}, ["Pk"]).skill(draws=80)["llm"]["Pk"].expected for one in llm]
    assert found.draws <= 20
    assert found.expected == pytest.approx(np.mean(each), abs=5 * found.error)
