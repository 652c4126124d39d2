"""Answers of evaluate, gate, spans, sweep and stream, as text on cases with known answers."""

from __future__ import annotations

import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.spans import spans
from caesura.results import answer_of, tables_of
from caesura.results.gate.facts import Breach, Drop, Gates
from caesura.segmentation import Segmentation
from caesura.selectors import AdaptiveSelector
from caesura.tuning.streams import evaluate_stream
from caesura.tuning.sweep import sweep

GOLD = {f"d{n}": Segmentation(20, (3 + n % 5, 9, 15)) for n in range(12)}
OFF = {key: Segmentation(20, (1, 12, 18)) for key in GOLD}


def test_evaluate_names_the_best_score_and_never_says_better_is():
    e = evaluate(GOLD, {"a": GOLD, "b": OFF}, ["W-F1", "Pk", "BOR"])
    first, *_, last = answer_of(e.results())
    assert first == "a scores best on W-F1 (a 1.000, b 0.000) and on Pk; a and b on BOR."
    assert last == "Scores alone do not show that one is better; caesura compare tests it."
    assert e.answer() == answer_of(e.results())
    assert str(e).startswith("a scores best on W-F1 (a 1.000, b 0.000) and on Pk; a and b on BOR.\nScores ")


def test_evaluate_one_system_says_its_verdict():
    e = evaluate(GOLD, {"a": GOLD}, ["W-F1"])
    assert e.answer() == ("a has W-F1 1.000.",)
    verdict = e.verdicts()["a"]
    assert e.answer() == (f"a: {verdict.words}", f"Next: {verdict.next}.")


def test_evaluate_on_every_metric():
    e = evaluate(GOLD, {"a": GOLD, "b": OFF}, ["W-F1", "Pk"], baselines="none")
    assert e.answer()[0] == "a scores best on W-F1 (a 1.000, b 0.000) and on every other metric."


def test_gate():
    e = evaluate(GOLD, {"a": GOLD, "b": OFF}, ["W-F1", "Pk"], baselines="none")
    e.gate({"Pk": 0.9})
    results = e.results()
    results.question = "gate"
    pk = results.systems["b"]["Pk"].score
    assert answer_of(results) == (f"Passed: Pk is at most 0.9 (a 0.000, b {pk:.3f}).",)
    gates = e.gate({"W-F1": 0.5})
    results = e.results()
    results.question = "gate"
    (breach,) = gates.breaches  # the baseline has 0 too, and is not checked
    assert (breach.system, breach.kind, breach.limit, breach.score) == ("b", "limit", 0.5, 0.0)
    first, second = answer_of(results)
    assert first == "Failed: 1 check of 2."
    assert second == "b, W-F1: is 0.000, must be at least 0.5."


def test_a_gate_names_drops_that_no_test_shows():
    e = evaluate(GOLD, {"a": GOLD, "b": OFF}, ["W-F1", "Pk"], baselines="none")
    results = e.results()
    results.question = "gate"
    drops = [
        Drop(system=system, metric=metric, before=0.9, now=0.9 - drop, drop=drop, p=p, documents=8)
        for system, metric, drop, p in (("a", "W-F1", 0.3, 0.2), ("b", "W-F1", 0.01, 0.9), ("b", "Pk", 0.4, 0.01))
    ]
    results.gates = Gates(limits={}, last="last.json", max_drop=0.02, drops=drops[:1])
    assert answer_of(results) == (
        "Passed: W-F1 of a is not significantly worse than in last.json by more than 0.02.",
        "Larger drops that pass, because no test shows them: W-F1 0.300 of a.",
    )
    breach = Breach(system="b", metric="Pk", score=0.5, message="is worse", documents=[], kind="drop")
    results.gates = Gates(limits={}, last="last.json", max_drop=0.02, drops=drops, breaches=[breach])
    assert answer_of(results)[0] == "Failed: 1 check of 3."
    assert answer_of(results)[2:] == ("Larger drops that pass, because no test shows them: W-F1 0.300 of a.",)


def test_spans():
    documents = Corpus([Document(id=f"d{n}", n_units=20) for n in range(8)])
    gold = {f"d{n}": [(4, 8), (10, 14)] for n in range(8)}
    whole = {f"d{n}": Segmentation(20, (9,)) for n in range(8)}
    cutting = {f"d{n}": Segmentation(20, (6, 12)) for n in range(8)}
    found = spans(documents, gold, {"whole": whole, "cutting": cutting}, counted="units", resamples=50, clock=False)
    first, second, third, *_ = found.answer()
    inside = {s: row["InsideByChance"].score for s, row in found.results().systems.items()}
    assert first == (
        f"Share of 16 spans that lie whole in one chunk: whole 100 % (random boundaries: {100 * inside['whole']:.0f} %) "
        f"and cutting 0 % (random boundaries: {100 * inside['cutting']:.0f} %)."
    )
    assert second == "whole is better than cutting (p = 0.008)."
    assert third.startswith(
        "Of the difference to cutting, +100 percentage points, the number of boundaries alone gives +"
    )
    assert [table.title for table in found.tables() if table.detail] == ["Comparison", "Worst spans"]


def test_spans_without_a_difference():
    documents = Corpus([Document(id=f"d{n}", n_units=20) for n in range(3)])
    chunks = {f"d{n}": Segmentation(20, (9,)) for n in range(3)}
    found = spans(documents, {"d0": [(1, 4)]}, {"a": chunks, "b": chunks}, counted="units", resamples=20)
    assert "a is not significantly better than b (p = 1.000)." in found.answer()
    assert found.answer()[-1].startswith("With 1 document no difference can be significant; at least 6 are needed.")
    alone = spans(documents, {"d0": [(1, 4)]}, {"a": chunks}, counted="units", resamples=20, clock=False)
    assert not any("difference" in sentence for sentence in alone.answer())
    assert "means over 1 span of 1 document" in alone.tables()[0].notes[0]


def scored(values):
    return Corpus([Document(id=f"d{n}", n_units=5, scores=values) for n in range(12)])


def test_sweep():
    reference = {f"d{n}": Segmentation(5, (2, 4)) for n in range(12)}
    good = scored((0.1, 0.9, 0.3, 0.6))
    found = sweep(reference, {"m": good}, metrics=["F1"], thresholds=[0.2, 0.5, 0.8], resamples=20)
    first, blind, last = found.answer()
    # A boundary after every second unit is the reference itself; two of four gaps at random hit one of two on average.
    said = "Near that density (BOR 1.00) evenly spaced boundaries score F1 1.000, random ones 0."
    assert blind.startswith(said)
    assert float(blind.removesuffix(".").rpartition(" ")[2]) == pytest.approx(0.5, abs=0.05)
    assert first == "m reaches its best F1, 1.000 (95 % interval 1.000 to 1.000), at threshold 0.5, with BOR 1.00."
    assert last.startswith("A threshold chosen on these documents should be evaluated on held-out ones; ")
    found.policy("m", best="F1")
    assert found.answer()[2].startswith("Chosen for m: ")
    assert found.answer()[3] == "The threshold was chosen on these documents; evaluate it on held-out ones."
    two = sweep(reference, {"m": good, "n": scored((0.9, 0.1, 0.6, 0.3))}, metrics=["F1"], resamples=20)
    assert any("At the reference's density, m has 1.000 and n has 0.000 in F1" in s for s in two.answer())


def test_a_sweep_of_many_scorers_says_five_sentences_at_most():
    reference = {f"d{n}": Segmentation(5, (2, 4)) for n in range(12)}
    scorers = {"bad": (0.9, 0.1, 0.6, 0.3), "best": (0.1, 0.9, 0.3, 0.6), "fair": (0.1, 0.9, 0.7, 0.3)}
    found = sweep(
        reference, {name: scored(values) for name, values in scorers.items()}, metrics=["F1", "BOR"], resamples=20
    )
    best, fair, *others = found.answer()
    assert best.startswith("best reaches its best F1, 1.000")
    assert fair.startswith("fair reaches its best F1, 0.800")
    assert len(others) <= 3
    assert not any("bad" in sentence for sentence in others)


def test_sweep_on_logits():
    reference = {f"d{n}": Segmentation(5, (2, 4)) for n in range(12)}
    found = sweep(reference, {"m": scored((-3.0, 4.0, -2.0, 2.5))}, metrics=["F1"], resamples=20)
    assert found.answer()[-1].startswith(
        "Scores of m range from -3 to 4, and most lie beyond the thresholds 0.05 to 0.95"
    )
    by_quantiles = sweep(reference, {"m": scored((-3.0, 4.0, -2.0, 2.5))}, metrics=["F1"], quantiles=5, resamples=20)
    assert not any("logits" in sentence for sentence in by_quantiles.answer())


@pytest.mark.parametrize(("rate", "said"), [(0.15, True), (0.5, False)])
def test_a_stream_that_misses_its_rate(rate, said):
    report = evaluate_stream(
        scored((0.1, 0.9, 0.3, 0.8)), AdaptiveSelector(rate=rate, min_gap=2, step=0.0, threshold=0.5)
    )
    sentences = report.answer()
    assert sentences[0].startswith("24 boundaries in 48 gaps of 12 documents")
    assert any("The rate is 0.500, not the 0.15" in s for s in sentences) is said
    assert [table.detail for table in tables_of(report.results())] == [False, True]
    assert "documents  gaps  boundaries" in str(report.tables()[0])
