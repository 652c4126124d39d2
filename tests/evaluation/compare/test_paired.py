"""Normal theory in place of draws: it agrees with them, and with merged shards to the last digit."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.results.compare.answer import answer
from caesura.scale import count, finish, merge

S = cz.Segmentation
METRICS = [
    "Pk",
    "WindowDiff",
    "B",
    "W-F1",
    "BOR",
    "CovN",
    "CovD",
    "Purity",
    "BoundaryPrecision(length='short', cut=99)",
]
N = 400


def corpora():
    """Return a reference, two systems that hardly differ, and a third; some documents are too short for Pk."""
    rng = np.random.default_rng(11)
    lengths = rng.integers(1, 40, N)
    sides = []
    for density in (0.2, 0.25, 0.25, 0.1):
        gaps = [np.flatnonzero(rng.random(n - 1) < density) + 1 for n in lengths]
        sides.append({f"d{i}": S(int(n), g) for i, (n, g) in enumerate(zip(lengths, gaps, strict=True))})
    return sides[0], dict(zip("abc", sides[1:], strict=True))


@pytest.fixture(scope="module")
def drawn():
    evaluation = cz.evaluate(*corpora(), METRICS)
    evaluation.compare(draws=0, resamples=4000)
    return evaluation.results()


@pytest.fixture
def normal(monkeypatch):
    monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", N - 1)
    evaluation = cz.evaluate(*corpora(), METRICS)
    evaluation.compare(draws=0)
    return evaluation.results()


def test_intervals_and_tests_agree_with_draws(drawn, normal):
    assert len(normal.comparisons) == len(drawn.comparisons) == 27
    for one, other in zip(normal.comparisons, drawn.comparisons, strict=True):
        assert (one.metric, one.first, one.second) == (other.metric, other.first, other.second)
        assert (one.scores, one.difference, one.documents) == (other.scores, other.difference, other.documents)
        width = other.interval.high - other.interval.low
        assert one.interval.low == pytest.approx(other.interval.low, abs=0.1 * width)
        assert one.interval.high == pytest.approx(other.interval.high, abs=0.1 * width)
        assert one.p == pytest.approx(other.p, abs=0.03)
        assert one.better == other.better
        assert (one.effect is None) == (other.effect is None)
        if one.effect is not None:
            assert one.effect == pytest.approx(other.effect, rel=0.01, abs=1e-6)
        assert (one.p_bootstrap, one.exact) == (None, False)


def test_standings_agree_with_draws(drawn, normal):
    assert set(normal.standings) == set(drawn.standings) == set(METRICS)
    for name, one in normal.standings.items():
        other = drawn.standings[name]
        assert (one.best, one.not_ruled_out, one.documents) == (other.best, other.not_ruled_out, other.documents)
        assert one.p_best == pytest.approx(other.p_best, abs=0.03)
        assert sum(one.p_best.values()) == pytest.approx(1)
        if other.documents_needed is not None:
            assert one.documents_needed == pytest.approx(other.documents_needed, rel=0.1)


def test_merged_shards_have_the_same_digits(normal):
    reference, systems = corpora()
    keys = list(reference)
    shards = [
        count({k: reference[k] for k in part}, {n: {k: s[k] for k in part} for n, s in systems.items()}, METRICS)
        for part in (keys[250:], keys[:30], keys[30:250])
    ]
    found = finish(merge(shards), compare=True)
    left_out = {"bors", "regimes"}  # which need the boundaries

    def plain(results):
        rows = msgspec.to_builtins(results.comparisons)
        return [{key: row[key] for key in row.keys() - left_out} for row in rows]

    assert plain(found) == plain(normal)
    assert found.standings == normal.standings


def test_the_results_say_that_nothing_was_drawn(drawn, normal):
    assert (normal.resampling.resamples, normal.resampling.permutations) == (0, None)
    assert (drawn.resampling.resamples, drawn.resampling.permutations) == (4000, 9999)
    assert "% of resampled corpora" in " ".join(answer(drawn))
    assert "% of simulated corpora" in " ".join(answer(normal))


def test_a_baseline_changes_no_other_comparison(monkeypatch, normal):
    monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", N - 1)
    defined = [
        name for name in METRICS if name != "BoundaryPrecision(length='short', cut=99)"
    ]  # where the baseline has a score as often as the systems
    evaluation = cz.evaluate(*corpora(), defined, baselines="none")
    evaluation.compare(draws=0)
    beside = evaluation.results()
    kept = [c for c in normal.comparisons if c.metric in defined]
    assert [c for c in beside.comparisons if "none" not in (c.first, c.second)] == kept
    assert beside.standings == {name: normal.standings[name] for name in defined}


def test_equal_systems_share_the_first_place(monkeypatch):
    monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", N - 1)
    reference, systems = corpora()
    evaluation = cz.evaluate(reference, {"a": systems["a"], "b": systems["a"]}, METRICS)
    for c in evaluation.compare(draws=0):
        assert (c.p, c.better, c.difference) == (1.0, None, 0.0)
    assert all(s.p_best == {"a": 0.5, "b": 0.5} for s in evaluation.results().standings.values())


def test_placement_at_equal_density_agrees_with_draws(monkeypatch):
    rng = np.random.default_rng(4)
    reference, scored = {}, {"a": [], "b": []}
    for n in range(N):
        gold = S(20, np.flatnonzero(rng.random(19) < 0.2) + 1)
        reference[str(n)] = gold
        truth = np.isin(np.arange(1, 20), gold.positions)
        for name, good in (("a", 0.8), ("b", 0.5)):
            scores = good * truth + rng.random(19)
            chosen = S(20, np.flatnonzero(scores > 0.8) + 1)
            scored[name].append(cz.Document(id=str(n), n_units=20, segmentation=chosen, scores=tuple(scores.tolist())))
    systems = {name: cz.Corpus(documents) for name, documents in scored.items()}
    other = cz.evaluate(reference, systems, ["Pk", "F1"]).compare(draws=0, resamples=4000)
    monkeypatch.setattr("caesura.statistics.statistic.RESAMPLED_TO", N - 1)
    one = cz.evaluate(reference, systems, ["Pk", "F1"]).compare(draws=0)
    for c, d in zip(one, other, strict=True):
        assert c.parts_by == d.parts_by == "equal density"
        assert (c.placement, c.density) == (d.placement, d.density)
        width = d.placement_interval.high - d.placement_interval.low
        assert c.placement_interval == pytest.approx(d.placement_interval, abs=0.1 * width)
