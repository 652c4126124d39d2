"""The answer of a comparison: known cases as text, and no claim that the test does not carry."""

from __future__ import annotations

import re

import numpy as np
import pytest

from caesura.evaluation.evaluate import evaluate
from caesura.results import Results, answer_of
from caesura.segmentation import Segmentation

N = 40


def corpus(n, seed, rate, *, keep=1.0, gold=None):
    """Return boundaries at random, or gold with a share of its boundaries moved."""
    rng = np.random.default_rng(seed)
    made = {}
    for row in range(n):
        if gold is None:
            gaps = rng.choice(N - 1, rate, replace=False) + 1
        else:
            kept = [b for b in gold[f"d{row}"].boundaries if rng.random() < keep]
            others = [gap for gap in range(1, N) if gap not in kept]
            gaps = [*kept, *rng.choice(others, gold[f"d{row}"].n_boundaries - len(kept), replace=False)]
        made[f"d{row}"] = Segmentation(N, sorted(int(gap) for gap in gaps))
    return made


def compared(n=40, keeps=(0.9, 0.5), metrics=("W-F1", "Pk"), verdicts=True, seed=0, **options) -> Results:
    gold = corpus(n, seed, 5)
    systems = {f"s{i}": corpus(n, 10 * seed + i + 1, 5, keep=keep, gold=gold) for i, keep in enumerate(keeps)}
    e = evaluate(gold, systems, list(metrics), baselines=options.pop("baselines", ()))
    e.compare(options.pop("with_", None), resamples=300, permutations=999)
    if verdicts:
        e.verdicts()
    results = e.results()
    results.question = "compare"
    return results


def test_one_is_better_on_everything():
    results = compared()
    first, *rest = answer_of(results)
    a, b = (results.systems[s]["W-F1"].score for s in ("s0", "s1"))
    p = {c.metric: c.p_corrected for c in results.comparisons}["W-F1"]
    assert first == f"s0 is better than s1 on W-F1 and Pk (W-F1 {a:.3f}; s1 {b:.3f}, p = {p:.3f})."
    assert re.fullmatch(
        r"s0's lead over s1 on W-F1, \d\.\d+, is mostly placement: placement gives \+\d\.\d+, density [+-]0\.00\d "
        r"\(BOR 1\.00 and 1\.00\)\.",
        rest[0],
    )
    assert rest[1].startswith("Evenly spaced boundaries at the same density score W-F1 ")
    assert rest[1].endswith(". s0 and s1 beat the evenly spaced ones.")


def test_two_that_do_not_differ():
    results = compared(keeps=(0.6, 0.6), metrics=["W-F1"], verdicts=False)
    (standing,) = results.standings.values()
    first, second = answer_of(results)
    other = next(s for s in ("s0", "s1") if s != standing.best)
    assert first.startswith(f"{standing.best} scores best on W-F1, but not significantly better than {other} (")
    assert "is better" not in first + second
    assert (
        f"{standing.best} has the best W-F1 in {100 * standing.p_best[standing.best]:.0f} % of resampled corpora"
        in second
    )
    assert second.startswith(
        f"About {standing.documents_needed - 40:,} more documents would settle it, if the difference"
    )
    assert sum(standing.p_best.values()) == pytest.approx(1)


def test_three_systems_of_which_two_cannot_be_told_apart():
    results = compared(keeps=(0.9, 0.88, 0.1), metrics=["W-F1"])
    standing = results.standings["W-F1"]
    assert standing.not_ruled_out == [s for s in ("s0", "s1") if s != standing.best]
    assert standing.p_best["s2"] == 0
    text = answer_of(results)[0]
    other = standing.not_ruled_out[0]
    assert text.startswith(f"{standing.best} is better than s2 on W-F1, but not significantly better than {other} (")
    assert text.count("adjusted p ") == 2
    assert "s2 is not shown to." in " ".join(answer_of(results))


def test_identical_systems():
    results = compared(keeps=(1.0, 1.0), metrics=["W-F1"], verdicts=False)
    assert results.standings["W-F1"].p_best == {"s0": 0.5, "s1": 0.5}
    assert "too small to say how many documents" in answer_of(results)[1]


def test_baselines_do_not_widen_the_family():
    alone, beside = compared(verdicts=False), compared(verdicts=False, baselines="none,every,even")
    plain = {(c.metric, c.first, c.second): c for c in alone.comparisons}
    pairs = {(c.first, c.second) for c in beside.comparisons}
    assert pairs == {("s0", "s1"), *((s, b) for s in ("s0", "s1") for b in ("none", "every (oracle)", "even (oracle)"))}
    for c in beside.comparisons:
        if (c.metric, c.first, c.second) in plain:
            assert c == plain[c.metric, c.first, c.second]
    assert beside.standings == alone.standings
    assert "On W-F1, s0 and s1 are better than none, every (oracle) and even (oracle)." in answer_of(beside)


def test_with_one():
    results = compared(keeps=(0.9, 0.5, 0.1), with_="s2", metrics=["W-F1"], verdicts=False)
    assert results.standings is None
    assert answer_of(results)[:2] == ("s0 is better than s2 on W-F1.", "s1 is better than s2 on W-F1.")


def test_with_a_baseline():
    results = compared(baselines=["even"], with_="even", metrics=["W-F1"], verdicts=False)
    assert [(c.first, c.second) for c in results.comparisons] == [("s0", "even (oracle)"), ("s1", "even (oracle)")]
    assert answer_of(results) == ("On W-F1, s0 and s1 are better than even (oracle).",)


def test_few_documents():
    results = compared(n=4, metrics=["W-F1"], verdicts=False)
    assert answer_of(results)[-1] == "With 4 documents no difference can be significant; at least 6 are needed."
    assert "are few" in answer_of(compared(n=8, metrics=["W-F1"], verdicts=False))[-1]


@pytest.mark.parametrize("seed", range(25))
def test_no_better_without_a_significant_test(seed):
    """Whatever the systems: every pair that a sentence calls better has an adjusted p below 0.05 on each metric named."""
    rng = np.random.default_rng(seed)
    keeps = tuple(rng.choice([0.1, 0.5, 0.55, 0.6, 0.9], size=int(rng.integers(2, 5))))
    results = compared(int(rng.integers(3, 30)), keeps, ("W-F1", "Pk", "BOR", "CovN"), verdicts=False, seed=seed)
    significant = {(c.metric, c.better) for c in results.comparisons if c.better}
    assert all((c.better is not None) == (c.p_corrected < 0.05) for c in results.comparisons)
    text = " ".join(answer_of(results))
    claims = re.findall(r"(s\d) is better than ([^.(;]*)", text)
    assert len(claims) == text.count("is better than")
    for winner, rest in claims:
        losers = re.findall(r"s\d", rest.partition(", but not significantly")[0])
        metrics = [m for m in results.metrics if re.search(rf"\b{re.escape(m)}\b", rest)]
        sentence = next(s for s in answer_of(results) if f"{winner} is better than {rest}" in s)
        metrics = metrics or [m for m in results.metrics if m in sentence.partition(" is better")[0]]
        assert metrics
        for loser in losers:
            for metric in metrics:
                found = next(
                    c for c in results.comparisons if c.metric == metric and {c.first, c.second} == {winner, loser}
                )
                assert found.better == winner, (sentence, metric, loser)
    assert significant or "better" not in text.replace("not significantly better", "")


EVEN = "even (oracle)"


def test_systems_that_fare_alike_beside_a_baseline_are_named_together():
    results = compared(baselines=["even"], metrics=["W-F1"], verdicts=False)
    with_even = {c.first: c.better for c in results.comparisons if c.second == EVEN}
    assert with_even == {"s0": "s0", "s1": "s1"}
    assert "On W-F1, s0 and s1 are better than even (oracle)." in answer_of(results)


def test_a_baseline_that_is_better_is_the_subject():
    results = compared(keeps=(0.9, 0.0, 0.0), baselines=["even"], metrics=["W-F1"], verdicts=False)
    for c in results.comparisons:
        if c.second == EVEN and c.first != "s0":
            c.better = EVEN
    assert "On W-F1: s0 is better than even (oracle); even (oracle) is better than s1 and s2." in answer_of(results)
