# SPDX-License-Identifier: Apache-2.0
"""Gates on results files of any question, other documents than last time, names as printed, and the summary."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import CaesuraError
from caesura.evaluation.gate.run import Gate, _welch_p, gate
from caesura.evaluation.gate.stored import Stored
from caesura.results import read_results
from caesura.results.gate.answer import answer
from caesura.results.gate.summary import summary
from caesura.statistics import Statistic

S = cz.Segmentation
TEXTS = {
    f"d{n}": f"Cats sleep all day number{n}. They hunt mice. Rain fell in town{n}. Sellers left." for n in range(12)
}
GOLD = {
    key: [{"question": f"Where did rain fall {n}?", "spans": [f"Rain fell in town{n}"]}, {"question": f"Who sleeps {n}?", "spans": ["Cats sleep"]}]
    for n, key in enumerate(TEXTS)
}  # fmt: skip


def chunked(size: int, texts: dict[str, str] = TEXTS) -> dict[str, list[str]]:
    return {
        key: [" ".join(text.split()[at : at + size]) for at in range(0, len(text.split()), size)]
        for key, text in texts.items()
    }


def saved(path: Path, size: int, **options: object) -> Path:
    cz.spans(TEXTS, GOLD, {"mine": chunked(size)}, retrieve="bm25", budget=8, resamples=20, **options).save(path)
    return path


def test_chunks_are_gated(tmp_path: Path) -> None:
    good, bad = saved(tmp_path / "good.json", 4), saved(tmp_path / "bad.json", 2)
    assert gate(good, {"Inside": 0.3}).breaches == []
    found = gate(bad, ["inside=0.9", "SpanRecall(budget=8)=0.1"], last=good, max_drop=0.02)
    stored = read_results(bad).systems["mine"]["Inside"].score
    assert found.breaches[0].kind == "limit"
    assert found.breaches[0].score == stored
    assert {drop.metric for drop in found.drops} >= {"Inside", "SpanRecall(budget=8)", "PrecisionOmega"}
    assert all(
        drop.now == pytest.approx(read_results(bad).systems[drop.system][drop.metric].score)
        for drop in found.drops
        if drop.now is not None
    )
    assert not any(breach.system.startswith("clock") for breach in found.breaches if breach.kind == "limit")
    assert len([each for each in found.worst if each.system == "mine"]) == 3


def test_every_question_with_scores_has_a_gate(tmp_path: Path) -> None:
    reference = {f"d{n}": S(20, (5, 10 + n % 3)) for n in range(8)}
    cz.evaluate(reference, {"a": reference}, ["Pk", "B"]).save(tmp_path / "e.json")
    assert gate(tmp_path / "e.json", {"Pk": 0.1, "B": 0.9}).breaches == []
    assert len(gate(tmp_path / "e.json", last=tmp_path / "e.json").compared) == 2
    people = [
        cz.Document(id=key, n_units=20, annotations={"x": value, "y": S(20, (5, 12)), "z": value})
        for key, value in reference.items()
    ]
    cz.agreement(cz.Corpus(people)).save(tmp_path / "a.json")
    stored = Stored(tmp_path / "a.json")
    kappa = read_results(tmp_path / "a.json").agreement.coefficients["FleissKappa"].score
    assert stored.scores["annotators"]["FleissKappa"] == pytest.approx(kappa)
    assert [str(b).split(":")[0] for b in gate(tmp_path / "a.json", {"FleissKappa": 0.999}).breaches] == [
        "annotators, FleissKappa"
    ]
    assert gate(tmp_path / "a.json", last=tmp_path / "a.json").breaches == []
    with pytest.raises(CaesuraError, match="give two alike"):
        gate(tmp_path / "a.json", last=tmp_path / "e.json")
    cz.cohesion(TEXTS, {"mine": chunked(4)}, ["Silhouette"], resamples=10).save(tmp_path / "c.json")
    assert gate(tmp_path / "c.json", {"Silhouette": -1}, last=tmp_path / "c.json").breaches == []


def test_a_check_is_gated_by_the_short_names_of_its_rules(tmp_path: Path) -> None:
    texts = {f"d{n}": "One word. " * 30 for n in range(3)}
    for name, kept in (("good", 300), ("bad", 270)):
        chunks = {key: [text[:150], text[150:kept]] for key, text in texts.items()}
        cz.check(texts, chunks, max_tokens=40).save(tmp_path / f"{name}.json")
    assert gate(tmp_path / "good.json", {"lost": 0, "too long": 0}).breaches == []
    (breach,) = gate(tmp_path / "bad.json", {"lost": 0.05}).breaches
    assert str(breach) == "chunks, lost: is 0.100, must be at most 0.05; most weight: d0, d1, d2"
    drops = gate(tmp_path / "bad.json", last=tmp_path / "good.json", max_drop=0.02).breaches
    assert [(each.metric, each.drop) for each in drops] == [("lost", pytest.approx(0.1))]
    assert gate(tmp_path / "good.json", last=tmp_path / "bad.json").breaches == []
    with pytest.raises(CaesuraError, match="was not evaluated"):
        gate(tmp_path / "good.json", {"W-F1": 0.5})


def test_without_counts_a_drop_fails_untested(tmp_path: Path) -> None:
    for name, size in (("old", 4), ("new", 2)):
        saved(tmp_path / f"{name}.json", size, clock=False)
        plain = json.loads((tmp_path / f"{name}.json").read_text())
        plain["counts"] = None
        (tmp_path / f"{name}.json").write_text(json.dumps(plain))
    found = gate(tmp_path / "new.json", last=tmp_path / "old.json", max_drop=0.02)
    assert any("not tested" in str(breach) for breach in found.breaches)
    assert gate(tmp_path / "new.json", last=tmp_path / "new.json").breaches == []


def test_other_documents_are_two_samples(tmp_path: Path) -> None:
    def episodes(first: int, right: bool) -> cz.Evaluation:
        gold = {f"e{n}": S(30, (8, 20)) for n in range(first, first + 9)}
        made = {key: S(30, (8, 20) if right or n == 0 else (3 + n % 2, 14)) for n, key in enumerate(gold)}
        return cz.evaluate(gold, {"auto": made}, ["F1", "Pk"])

    last = tmp_path / "last.json"
    episodes(0, right=True).save(last)
    found = gate(episodes(100, right=False), last=last, max_drop=0.02)
    assert found.unpaired
    assert "compared as two samples, by Welch's t-test" in " ".join(found.notes)
    assert {breach.metric for breach in found.breaches} == {"F1", "Pk"}
    assert "9 documents now, 9 others then" in str(found.breaches[0])
    assert gate(episodes(100, right=True), last=last).breaches == []


def test_welch_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(3)
    for sizes in ((5, 9), (20, 7)):
        one, other = rng.normal(0.6, 0.1, sizes[0]), rng.normal(0.5, 0.3, sizes[1])
        old, new = Statistic.mean(one), Statistic.mean(other)
        expected = stats.ttest_ind(one, other, equal_var=False, alternative="greater").pvalue
        assert _welch_p(old, new, old.value - new.value) == pytest.approx(expected, abs=1e-9)


def test_names_as_printed() -> None:
    assert Gate.parse("F1 (10s)=0.5").metric == "BoundaryF1(tolerance='10s')"
    assert Gate.parse("F1 (2)=0.5").metric == "BoundaryF1(tolerance=2)"
    reference = {"d": S(60_000, (20_000,), unit="ms")}
    e = cz.evaluate(reference, {"a": reference}, "F1 (10s)")
    results = e.results()
    results.gates = gate(e, ["F1 (10s)=0.5"])
    assert answer(results) == ("Passed: F1 (10s) is at least 0.5 (a 1.000).",)
    e = cz.evaluate(reference, {"a": reference})
    assert gate(e, ["F1 (10s)=0.5"]).breaches == []


def test_a_summary_is_only_text(tmp_path: Path) -> None:
    reference = {f"<b>|{n}`": S(20, (5,)) for n in range(3)}
    e = cz.evaluate(reference, {"*a*": {key: S(20, (9,)) for key in reference}}, ["Pk"])
    e.gate({"Pk": 0.0})
    text = summary(e.results())
    assert "<b>" not in text
    assert "\\*a\\*" in text
