"""Normal theory in every answer that has it: it agrees with the draws, and the results say which of the two it is."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.intervals import by_normal_theory
from tests.evaluation.cohesion.test_run import Topics

S = cz.Segmentation
N = 400
METRICS = ["Pk", "B", "W-F1", "CovD"]


@pytest.fixture
def beyond(monkeypatch):
    """Let so few documents be very many that nothing is resampled."""

    def set_to(documents=N - 1):
        monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", documents)

    return set_to


def sides(seed=11, densities=(0.2, 0.25, 0.24)):
    """Return a reference and two systems that find some of its boundaries."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 40, N)
    gold = [rng.random(n - 1) < densities[0] for n in lengths]
    out = [{f"d{i}": S(len(g) + 1, np.flatnonzero(g) + 1) for i, g in enumerate(gold)}]
    for density in densities[1:]:
        found = [np.where(rng.random(len(g)) < 0.4, g, rng.random(len(g)) < density) for g in gold]
        out.append({f"d{i}": S(len(f) + 1, np.flatnonzero(f) + 1) for i, f in enumerate(found)})
    return out[0], dict(zip("ab", out[1:], strict=True))


def near(one, other, share=0.12):
    width = other.high - other.low
    return (one.low, one.high) == pytest.approx((other.low, other.high), abs=share * width)


def test_from_20000_documents_on_unless_few_decide(monkeypatch):
    reference, systems = sides()
    evaluation = cz.evaluate(reference, systems, ["W-F1"])
    assert not by_normal_theory(evaluation)
    monkeypatch.setattr("caesura.statistics.statistic.NORMAL_FROM", N)
    monkeypatch.setattr("caesura.statistics.statistic._ROWS", 50)
    assert by_normal_theory(evaluation, [("a", "b")])
    assert evaluation.intervals()["a"]["W-F1"].resamples == 0
    alike = cz.evaluate(reference, {**systems, "c": {**systems["a"], "d0": reference["d0"]}}, ["W-F1"])
    assert by_normal_theory(alike)
    assert not by_normal_theory(alike, [("a", "c")])
    assert alike.intervals()["a"]["W-F1"].resamples == 0
    alike.compare(draws=0, resamples=50, permutations=99)
    drawn = alike.results()
    assert (drawn.resampling.resamples, drawn.comparison_resampling.resamples) == (0, 50)


def test_beyond_100000_documents_few_that_decide_are_noted(beyond):
    reference, systems = sides()
    reference["d0"] = S(90_000, range(10, 90_000, 10))
    systems = {name: {**of, "d0": S(90_000, ())} for name, of in systems.items()}
    evaluation = cz.evaluate(reference, systems, ["CovD", "W-F1"])
    beyond()
    evaluation.intervals()
    (note,) = evaluation.results().notes[-1:]
    assert note == "CovD, W-F1: a few documents dominate, so normal intervals may be wrong"


def test_verdicts_agree_with_draws(beyond):
    evaluation = cz.evaluate(*sides(), METRICS)
    drawn = evaluation.verdicts()
    beyond()
    normal = evaluation.verdicts()
    for system, one in normal.items():
        other = drawn[system]
        assert (one.verdict, one.words) == (other.verdict, other.words)
        assert all(near(one.findings[name].interval, of.interval) for name, of in other.findings.items())
        for kind, clock in other.clocks.items():
            assert one.clocks[kind].p == pytest.approx(clock.p, abs=0.03)
        assert one.signature == f"{other.signature}|tests:normal"


def test_drops_agree_with_draws(beyond, tmp_path):
    reference, systems = sides()
    cz.evaluate(reference, {"a": systems["a"]}, METRICS).save(tmp_path / "last.json")
    evaluation = cz.evaluate(reference, {"a": systems["b"]}, METRICS)
    drawn = evaluation.gate(last=tmp_path / "last.json")
    beyond()
    normal = evaluation.gate(last=tmp_path / "last.json")
    assert [d.drop for d in normal.drops] == [d.drop for d in drawn.drops]
    assert [d.p for d in normal.drops] == pytest.approx([d.p for d in drawn.drops], abs=0.03)
    assert (drawn.normal, normal.normal) == (False, True)
    (table,) = [t for t in evaluation.tables() if t.title.startswith("Since")]
    assert table.notes[0].endswith("p: one-sided normal test")


def test_cohesion_agrees_with_draws(beyond):
    rng = np.random.default_rng(3)
    documents, systems = [], {"a": {}, "b": {}}
    for place in range(N):
        words = np.repeat(rng.permutation(["cat", "bank", "rain"]), rng.integers(2, 7, 3))
        units = tuple(f"{word} {'x' * int(rng.integers(9))}" for word in words)
        documents.append(cz.Document(id=f"d{place}", n_units=len(units), units=units))
        for system in systems.values():
            system[f"d{place}"] = S(len(units), np.sort(rng.choice(np.arange(1, len(units)), 2, replace=False)))
    found = []
    for normal in (False, True):
        if normal:
            beyond()
        outcome = cohesion(cz.Corpus(documents), systems, ["Silhouette"], encoder=Topics(), draws=2, check=False)
        found.append(outcome.results())
    drawn, normal = found
    assert (drawn.resampling.resamples, normal.resampling.resamples) == (1000, 0)
    for system in systems:
        assert near(normal.systems[system]["Silhouette"].interval, drawn.systems[system]["Silhouette"].interval)
    (one,), (other,) = normal.comparisons, drawn.comparisons
    assert (one.difference, one.better) == (pytest.approx(other.difference), other.better)
    assert near(one.interval, other.interval)
    assert one.p == pytest.approx(other.p, abs=0.03)
