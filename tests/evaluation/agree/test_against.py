# SPDX-License-Identifier: Apache-2.0
"""Comparisons, chance and references where annotators are the truth, against plain loops over the metrics."""

from __future__ import annotations

import itertools
import statistics
import warnings

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError
from caesura.evaluation.agree.references import SHARES
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.segmentation import Segmentation


def drawn(documents: int, seed: int = 0) -> tuple[Corpus, dict[str, dict[str, Segmentation]]]:
    """Return documents with two to four annotators, and two systems."""
    rng = np.random.default_rng(seed)

    def some(n: int) -> Segmentation:
        return Segmentation(n, sorted(rng.choice(np.arange(1, n), rng.integers(1, 4), replace=False).tolist()))

    made, systems = [], {"a": {}, "b": {}}
    for place in range(documents):
        n, key = int(rng.integers(8, 20)), f"d{place}"
        people = {name: some(n) for name in "wxyz"[: 2 + place % 3]}
        made.append(Document(id=key, n_units=n, annotations=people))
        systems["a"][key], systems["b"][key] = people["w"], some(n)
    return Corpus(made), systems


REFERENCE, SYSTEMS = drawn(8)
NAMES = ["W-F1", "WindowDiff", "B", "Pk"]


def by_hand(name: str, system: str, reduce: str) -> list[float]:
    """Return the score of every document: the mean over annotators, or the best."""
    each = metric(name)
    found = []
    for document in REFERENCE:
        hypothesis = SYSTEMS[system][document.id]
        scores = [each(coding, hypothesis) for coding in document.annotations.values()]
        if reduce == "annotators":
            found.append(statistics.fmean(scores))
        else:
            found.append(max(scores) if each.facts().direction == "higher" else min(scores))
    return found


@pytest.mark.parametrize("against", ["annotators", "best"])
@pytest.mark.parametrize("name", NAMES)
def test_every_document_is_reduced_over_its_annotators_and_documents_are_exchanged(against: str, name: str) -> None:
    found = compare(evaluate(REFERENCE, SYSTEMS, [name], against=against))[0]
    differences = np.subtract(by_hand(name, "a", against), by_hand(name, "b", against))
    assert found.difference == pytest.approx(differences.mean())
    signs = np.array(list(itertools.product((1, -1), repeat=len(differences))))
    exchanged = np.abs((signs * differences).mean(axis=1))
    assert found.exact
    assert found.p == pytest.approx(float((exchanged >= abs(differences.mean()) - 1e-12).mean()))
    assert found.interval.low <= found.difference <= found.interval.high


def every_placement(document: Document, number: int) -> list[Segmentation]:
    gaps = range(1, document.n_units)
    return [Segmentation(document.n_units, chosen) for chosen in itertools.combinations(gaps, number)]


@pytest.mark.parametrize("against", ["annotators", "best"])
def test_chance_is_the_mean_over_all_placements(against: str) -> None:
    small = REFERENCE.subset(REFERENCE.ids[:4])
    systems = {"a": {key: SYSTEMS["a"][key] for key in small.ids}}
    f1 = metric("W-F1")
    expected = []
    for document in small:
        scores = np.array(
            [
                [f1(coding, placed) for coding in document.annotations.values()]
                for placed in every_placement(document, len(systems["a"][document.id].boundaries))
            ]
        )
        expected.append(float((scores.mean(axis=1) if against == "annotators" else scores.max(axis=1)).mean()))
    evaluation = evaluate(small, systems, ["W-F1"], against=against)
    skill = evaluation.skill(draws=400)["a"]["W-F1"]
    assert abs(skill.expected - statistics.fmean(expected)) < 5 * max(skill.error, 1e-3)
    assert skill.skill == pytest.approx((evaluation.scores["a"]["W-F1"] - skill.expected) / (1 - skill.expected))
    blind = evaluation.blind("W-F1", draws=400)["a"]
    boundaries = [statistics.fmean(len(c.boundaries) for c in d.annotations.values()) for d in small]
    if against == "annotators":
        assert blind.bor == pytest.approx(sum(len(s.boundaries) for s in systems["a"].values()) / sum(boundaries))
    assert 0 <= blind.clock <= 1


def test_each_row_of_the_references_is_what_evaluate_gives_against_it() -> None:
    names = ["W-F1", "WindowDiff", "MultiWindowDiff"]
    rows = evaluate(REFERENCE, SYSTEMS, names, against="all").results().references
    assert rows is not None
    spelled = [f"consensus={share:g}" for share in SHARES]
    assert [row.against for row in rows] == ["annotators", "best", *spelled, *(f"annotator={name}" for name in "wxyz")]
    for row in rows:
        shared = names if row.against == "annotators" else names[:2]
        # Of a consensus of two people a warning counts the documents; it is not what is tested here.
        with warnings.catch_warnings(action="ignore"):
            again = evaluate(REFERENCE, SYSTEMS, shared, against=row.against)
        assert {
            s: {m: pytest.approx(v) for m, v in scores.items()} for s, scores in row.systems.items()
        } == again.scores
        assert row.documents == len(again.documents)


def test_the_answer_says_whether_the_reference_decides_the_order() -> None:
    several = evaluate(REFERENCE, SYSTEMS, ["W-F1"], against="all").answer()
    assert any("under 9 references" in line or "under all 9 references" in line for line in several)
    one = evaluate(REFERENCE, {"a": SYSTEMS["a"]}, ["W-F1"], against="all").answer()
    assert any("moves W-F1 of a from 1.000 (best) to " in line for line in one)


def test_a_metric_of_all_annotators_has_no_best_one() -> None:
    with pytest.raises(CaesuraError, match="of all annotators at once, so none is the best"):
        evaluate(REFERENCE, SYSTEMS, ["MultiWindowDiff"], against="best")


def test_sums_take_all_rates_of_the_annotator_with_the_best_f1() -> None:
    how = "(f1='of_sums', empty='always_zero', matching='in_order')"
    rates = [metric(f"Boundary{rate}{how}") for rate in ("Precision", "Recall", "F1")]
    ours = evaluate(REFERENCE, SYSTEMS, [str(rate) for rate in rates], against="best").scores["b"]
    total = np.zeros(4)
    for document in REFERENCE:
        rows = [
            list(rates[2].counts(each, SYSTEMS["b"][document.id]).values()) for each in document.annotations.values()
        ]
        total += max(rows, key=lambda row: 2 * row[2] / (row[0] + row[1]))
    assert list(ours.values()) == [pytest.approx(float(rate.score(total))) for rate in rates]


def test_means_take_the_best_precision_and_the_best_recall_of_a_document() -> None:
    plain = [metric(f"Segment{rate}(matching='any', tiou=0.4)") for rate in ("Precision", "Recall")]
    names = [f"Segment{rate}(matching='any', tiou=0.4, f1='of_means')" for rate in ("Precision", "Recall", "F1")]
    ours = list(evaluate(REFERENCE, SYSTEMS, names, against="best").scores["b"].values())
    precision, recall = (
        statistics.fmean(max(each(a, SYSTEMS["b"][d.id]) for a in d.annotations.values()) for d in REFERENCE)
        for each in plain
    )
    assert ours == pytest.approx([precision, recall, 2 * precision * recall / (precision + recall)])


def test_a_profile_takes_the_best_annotator_if_its_program_does() -> None:
    timed = Corpus([
        Document(id=d.id, n_units=d.n_units, unit="ms", annotations={k: s.with_unit("ms") for k, s in d.annotations.items()})
        for d in REFERENCE
    ])  # fmt: skip
    systems = {"b": {key: each.with_unit("ms") for key, each in SYSTEMS["b"].items()}}
    assert (
        evaluate(timed, systems, profile="gebd").scores
        == evaluate(timed, systems, profile="gebd", against="best").scores
    )
    with pytest.raises(CaesuraError, match="choose what to score against"):
        evaluate(timed, systems, profile="chunkseg")


def test_one_annotator_is_the_reference() -> None:
    alone = Corpus([Document(id=d.id, n_units=d.n_units, annotations={"w": d.annotations["w"]}) for d in REFERENCE])
    mean, best, one = (
        evaluate(alone, SYSTEMS, NAMES, against=against).scores for against in ("annotators", "best", "annotator=w")
    )
    assert mean == best == {s: {m: pytest.approx(v) for m, v in row.items()} for s, row in one.items()}
