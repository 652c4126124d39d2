"""Gates: scores that must be reached, and drops since an earlier run."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, DeclarationError, FormatError, MetricError
from caesura.evaluation.gate.run import Gate, gate

S = cz.Segmentation
IDS = [f"d{n}" for n in range(8)]
REFERENCE = {key: S(20, (5, 10, 15)) for key in IDS}
RIGHT = dict(REFERENCE)
WORSE = {**REFERENCE, "d6": S(20, (2,)), "d1": S(20, (5, 12)), "d4": S(20, (1, 3))}
WRONG = {key: S(20, (1, 3)) for key in IDS}


@pytest.mark.parametrize(
    ("text", "metric", "limit"),
    [
        ("W-F1=0.60", "W-F1", 0.6),
        ("Pk = .3", "Pk", 0.3),
        ("WindowDiff(k=5)=0.3", "WindowDiff(k=5)", 0.3),
        (
            "BoundaryF1(tolerance='10s', matching=\"one_to_one\")=1e-1",
            "BoundaryF1(tolerance='10s', matching=\"one_to_one\")",
            0.1,
        ),
    ],
)
def test_parse(text: str, metric: str, limit: float) -> None:
    parsed = Gate.parse(text)
    assert parsed == Gate(metric, limit)
    assert Gate.parse(str(parsed)) == parsed


@pytest.mark.parametrize("text", ["W-F1", "=0.5", "W-F1=", "W-F1=high", "W-F1=nan", "WindowDiff(k=5)", "W-F1=inf", ""])
def test_what_is_no_gate(text: str) -> None:
    with pytest.raises(DeclarationError, match="is not METRIC=NUMBER"):
        Gate.parse(text)


def test_directions() -> None:
    e = cz.evaluate(REFERENCE, {"right": RIGHT, "wrong": WRONG}, ["W-F1", "Pk", "BOR"])

    def who(text: str) -> list[str]:
        return [breach.system for breach in gate(e, [Gate.parse(text)]).breaches]

    assert who("W-F1=1") == ["wrong"]
    assert who("W-F1=0") == []
    assert who("Pk=0") == ["wrong"]
    assert who("Pk=1") == []
    assert who("BOR=0.3") == ["wrong"]  # 2/3 lies further than 0.3 from 1
    assert who("BOR=0.34") == []
    assert [b.metric for b in gate(e, [Gate("W-F1", 1.0), Gate("Pk", 0.0)]).breaches] == ["W-F1", "Pk"]


def test_a_metric_is_found_by_any_spelling() -> None:
    e = cz.evaluate(REFERENCE, {"worse": WORSE}, ["BoundaryF1(tolerance=1)"])
    (breach,) = gate(e, [Gate.parse("W-F1=0.99")]).breaches
    assert breach.metric == "BoundaryF1(tolerance=1)"
    with pytest.raises(MetricError, match=r"gate Pk=0.2: Pk was not evaluated; add it \(-m\) to"):
        gate(e, [Gate("Pk", 0.2)])
    with pytest.raises(MetricError, match="W-F2"):
        gate(e, [Gate("W-F2", 0.2)])


def test_what_is_not_defined_is_not_reached() -> None:
    e = cz.evaluate({"d": S(9, (4,))}, {"a": {"d": S(9)}}, ["BoundaryPrecision(length='short', cut=99)"])
    (breach,) = gate(e, [Gate("BoundaryPrecision(length='short', cut=99)", 0.0)]).breaches
    assert (
        str(breach)
        == "a, BoundaryPrecision(length='short', cut=99): is not defined, must be at least 0; most weight: d"
    )


@pytest.mark.parametrize("by", ["macro", "micro"])
def test_the_three_documents_that_weigh_most(by) -> None:
    e = cz.evaluate(REFERENCE, {"worse": WORSE}, ["W-F1"], by=by)
    (breach,) = gate(e, [Gate("W-F1", 0.99)]).breaches
    left_out = {}
    for key in IDS:
        rest = [other for other in IDS if other != key]
        again = cz.evaluate({k: REFERENCE[k] for k in rest}, {"worse": {k: WORSE[k] for k in rest}}, ["W-F1"], by=by)
        left_out[key] = again.scores["worse"]["W-F1"]
    assert list(breach.documents) == sorted(IDS, key=lambda key: (-left_out[key], key))[:3]
    assert set(breach.documents) == {"d1", "d4", "d6"}
    assert "is 0." in str(breach)
    assert "at least 0.99; most weight: d" in str(breach)


@pytest.fixture
def last(tmp_path):
    path = tmp_path / "last.json"
    cz.evaluate(REFERENCE, {"a": RIGHT, "b": WRONG}, ["W-F1", "Pk", "BOR"]).save(path)
    return path


def test_no_drop(last) -> None:
    found = gate(cz.evaluate(REFERENCE, {"a": RIGHT, "b": WRONG}, ["W-F1", "Pk", "BOR"]), last=last)
    assert found.breaches == []
    assert found.notes == []
    assert [(d.system, d.metric, d.drop, d.p) for d in found.drops] == [
        (system, name, 0.0, 1.0) for system in ("a", "b") for name in ("W-F1", "Pk", "BOR")
    ]


def test_a_significant_drop_is_a_breach_in_every_direction(last) -> None:
    found = gate(cz.evaluate(REFERENCE, {"a": WRONG}, ["W-F1", "Pk", "BOR"]), last=last, max_drop=0.02)
    assert [b.metric for b in found.breaches] == ["W-F1", "Pk", "BOR"]
    assert found.drops[0].p == pytest.approx(1 / 2**8)  # one-sided: one way of 256
    assert "1.000 before, 0.000 now: worse by 1.000, more than 0.02 (one-sided p = 0.004, 8 documents)" in str(
        found.breaches[0]
    )
    better = gate(cz.evaluate(REFERENCE, {"b": RIGHT}, ["W-F1", "Pk", "BOR"]), last=last)
    assert better.breaches == []
    assert all(d.drop < 0 and d.p == 1.0 for d in better.drops)


def test_larger_and_significant_both(last) -> None:
    e = cz.evaluate(REFERENCE, {"a": WORSE}, ["W-F1"])
    drop = gate(e, last=last).drops[0]
    assert drop.p == pytest.approx(1 / 2**3)
    assert gate(e, last=last, max_drop=0.02, alpha=0.05).breaches == []  # three documents prove nothing
    (breach,) = gate(e, last=last, max_drop=0.02, alpha=0.2).breaches
    assert set(breach.documents) == {"d1", "d4", "d6"}
    assert gate(e, last=last, max_drop=drop.drop + 0.01, alpha=0.2).breaches == []


def test_one_sided_p_by_hand(tmp_path) -> None:
    rng = np.random.default_rng(4)
    old, new = ({k: S(20, [g for g in range(1, 20) if rng.random() < 0.2]) for k in IDS} for _ in range(2))
    before = cz.evaluate(REFERENCE, {"a": old}, ["Pk"])
    before.save(tmp_path / "r.json")
    now = cz.evaluate(REFERENCE, {"a": new}, ["Pk"])
    d = now.per_document("a", "Pk") - before.per_document("a", "Pk")  # lower is better: above 0 is a drop
    sums = [float(np.dot(signs, d)) for signs in itertools.product((1, -1), repeat=8)]
    drop = gate(now, last=tmp_path / "r.json").drops[0]
    assert drop.drop == pytest.approx(d.mean())
    assert drop.p == pytest.approx(np.mean([s >= d.sum() - 1e-12 for s in sums]))


def test_common_documents_systems_and_metrics(last) -> None:
    ids = [*IDS[2:][::-1], "new"]
    reference = {**REFERENCE, "new": S(20, (9,))}
    e = cz.evaluate(
        {k: reference[k] for k in ids},
        {"a": {k: reference[k] for k in ids}, "c": {k: S(20) for k in ids}},
        ["W-F1", "B"],
    )
    found = gate(e, last=last)
    assert [(d.system, d.metric, d.before, d.now, d.documents) for d in found.drops] == [("a", "W-F1", 1.0, 1.0, 6)]
    assert found.notes == [
        "system c: not in last.json, not compared",
        "metric B: not in last.json, not compared",
        "6 documents are in both; 1 are new, 2 are gone",
    ]


def test_undefined_then_or_now(tmp_path) -> None:
    metrics = ["BoundaryPrecision(length='short', cut=99)", "BOR"]
    cz.evaluate(REFERENCE, {"a": RIGHT}, metrics).save(tmp_path / "r.json")
    now = {"a": {k: S(20) for k in IDS}}
    found = gate(cz.evaluate(REFERENCE, now, metrics), last=tmp_path / "r.json", max_drop=9)
    assert found.breaches == []
    assert [drop.metric for drop in found.compared] == ["BOR"]
    assert found.notes == [
        "a, BoundaryPrecision(length='short', cut=99): not defined on the common documents, then or now; not compared"
    ]


def test_nothing_to_compare_does_not_pass(tmp_path) -> None:
    metrics = ["BoundaryPrecision(length='short', cut=99)"]
    cz.evaluate(REFERENCE, {"a": RIGHT}, metrics).save(tmp_path / "r.json")
    with pytest.raises(ComparabilityError, match="no score can be compared with it"):
        gate(cz.evaluate(REFERENCE, {"a": {k: S(20) for k in IDS}}, metrics), last=tmp_path / "r.json")


def test_the_reference_has_changed(tmp_path) -> None:
    for name, reference in (("one", REFERENCE), ("two", WORSE)):
        cz.save(cz.Corpus.from_segmentations(reference), tmp_path / f"{name}.jsonl")
    cz.evaluate(tmp_path / "one.jsonl", {"a": RIGHT}, ["Pk"]).save(tmp_path / "r.json")
    found = gate(cz.evaluate(tmp_path / "two.jsonl", {"a": RIGHT}, ["Pk"]), last=tmp_path / "r.json")
    assert any("reference file has changed" in note for note in found.notes)


@pytest.mark.parametrize(
    ("metrics", "options", "words"),
    [
        (["Pk"], {"by": "micro"}, "Pk was made with agg macro, now with agg micro"),
        (["Pk"], {"profile": "nltk"}, "Pk was made with"),
        (["Purity"], {}, "no metric in common with this run: W-F1, Pk, BOR then, Purity now"),
    ],
)
def test_another_recipe(last, metrics, options, words: str) -> None:
    with pytest.raises(ComparabilityError, match=words) as caught:
        gate(cz.evaluate(REFERENCE, {"a": RIGHT}, metrics, **options), last=last)
    assert "\n" not in str(caught.value)


def test_a_parameter_that_an_older_version_did_not_have_was_at_its_default(tmp_path) -> None:
    path = tmp_path / "last.json"
    cz.evaluate(REFERENCE, {"a": RIGHT}, ["EditPrecision"]).save(path)
    text = path.read_text()
    assert "|classes:boundary" in text
    path.write_text(text.replace("|classes:boundary", ""))
    found = gate(cz.evaluate(REFERENCE, {"a": RIGHT}, ["EditPrecision"]), last=path)
    assert [(drop.metric, drop.drop) for drop in found.drops] == [("EditPrecision", 0.0)]
    path.write_text(text.replace("|classes:boundary", "|classes:all"))
    with pytest.raises(ComparabilityError, match="made with classes all, now with classes boundary"):
        gate(cz.evaluate(REFERENCE, {"a": RIGHT}, ["EditPrecision"]), last=path)


def test_files_that_cannot_be_used(last, tmp_path) -> None:
    e = cz.evaluate(REFERENCE, {"a": RIGHT}, ["Pk"])
    with pytest.raises(ComparabilityError, match="no system in common"):
        gate(cz.evaluate(REFERENCE, {"z": RIGHT}, ["Pk"]), last=last)
    with pytest.raises(ComparabilityError, match="no document in common"):
        gate(cz.evaluate({"q": S(20)}, {"a": {"q": S(20)}}, ["Pk"]), last=last)
    (tmp_path / "last.counts.npz").unlink()
    with pytest.raises(FormatError, match="cannot be read"):
        gate(e, last=last)
    plain = json.loads(last.read_text())
    plain["counts"] = None
    last.write_text(json.dumps(plain))
    with pytest.raises(FormatError, match="has no counts next to it"):
        gate(e, last=last)
    with pytest.raises(FormatError):
        gate(e, last=tmp_path / "none.json")


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1.0}, {"max_drop": -0.1}, {"permutations": 0}])
def test_bad_options(last, options) -> None:
    with pytest.raises(DeclarationError):
        gate(cz.evaluate(REFERENCE, {"a": RIGHT}, ["Pk"]), last=last, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a gate needs a limit"),
        ({"minimum": {}}, "a gate needs a limit"),
        ({"max_drop": 0.01}, "no earlier results file; give last"),
        ({"minimum": {"F1": True}}, "the limit is True; it must be a number"),
        ({"minimum": {"F1": float("nan")}}, "the limit is nan"),
        ({"minimum": {"F1": "0.5"}}, "the limit is '0.5'"),
    ],
)
def test_a_gate_that_would_let_everything_pass_is_refused(options, message):
    with pytest.raises(DeclarationError, match=message):
        cz.evaluate(REFERENCE, {"a": RIGHT}, ["F1"]).gate(**options)
