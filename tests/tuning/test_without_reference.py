"""Sweeps without a reference."""

from __future__ import annotations

import bisect
import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, DeclarationError
from caesura.evaluation.validate.run import validate
from caesura.formats import load
from caesura.metrics import metric
from caesura.results import answer_of, read_results, tables_of
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from caesura.tuning.sweep import sweep
from caesura.tuning.without_reference import Judge

TRUE = (5, 8, 15, 19, 25, 33)
UNITS = 38


class Topics:
    """One direction per topic, with noise of the unit."""

    name, dim, normalized, fingerprint = "topics", 8, False, "topics-1"

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            topic, unit = map(int, text.split()[:2])
            rows[row] = 0.2 * np.random.default_rng([topic, unit, 5]).normal(size=self.dim)
            rows[row, topic] += 1.0
        return rows


def without(*arguments, **options):
    return sweep(*arguments, reference=None, encoder=Topics(), **options)


def documents(n=12):
    docs, scored = [], []
    for key in range(n):
        rng = np.random.default_rng(key)
        units = tuple(f"{3 * bisect.bisect(TRUE, place) % 8} {place + 100 * key} word word" for place in range(UNITS))
        scores = rng.uniform(0, 0.5, size=UNITS - 1)
        for gap in TRUE:
            scores[gap - 1] = rng.uniform(0.6, 1.0)
        docs.append(Document(id=f"d{key}", n_units=UNITS, units=units))
        scored.append(Document(id=f"d{key}", n_units=UNITS, scores=tuple(scores.tolist())))
    return Corpus(docs), Corpus(scored)


@pytest.fixture(scope="module")
def swept():
    docs, scored = documents()
    return without(docs, {"m": scored}, draws=10, resamples=200)


def test_points_are_the_metric_at_each_threshold(swept):
    point = next(p for p in swept.points["m"] if p.threshold == 0.55)
    assert point.boundaries == 72
    assert point.units_per_segment == pytest.approx(UNITS / 7)
    docs, _ = documents()
    expected = np.mean(
        [metric("ARPpair")(Segmentation(UNITS, TRUE), Topics().encode(document.units)) for document in docs]
    )
    assert point.scores["ARPpair"] == pytest.approx(expected, abs=1e-6)
    assert point.gains["ARPpair"] > 0.1
    low, high = point.gain_intervals["ARPpair"]
    assert low <= point.gains["ARPpair"] <= high


def test_the_true_density_is_recommended(swept):
    policy = swept.recommended()
    threshold = float(policy.selector.split("threshold=")[1].split(")")[0].split(",")[0])
    assert 0.5 <= threshold <= 0.65
    assert "whose Support above chance" in policy.why
    assert policy.reached["units_per_segment"] == pytest.approx(UNITS / 7, abs=0.7)


def test_placement_is_the_second_opinion(monkeypatch):
    docs, scored = documents()
    found = without(docs, {"m": scored}, ["Support", "Placement"], draws=2, resamples=50)
    assert "would recommend" not in found.recommended().why
    densest = found.points["m"][0]
    densest.gains["Placement"] = 99.0
    densest.gain_intervals["Placement"] = (98.0, 100.0)
    assert found.recommended().why.endswith(f"; Placement would recommend {densest.threshold:g}")


def test_placement_recommends_where_support_may_not_be_used(monkeypatch):
    docs, scored = documents()
    honest = Judge.check

    def refusing(judge, metric, given):
        check = honest(judge, metric, given)
        if metric == "Support":
            check.verdict = "not usable here"
        return check

    monkeypatch.setattr(Judge, "check", refusing)
    found = without(docs, {"m": scored}, ["Support", "Placement"], draws=2, resamples=50)
    assert "whose Placement above chance" in found.recommended().why
    assert list(found.without_reference.checks["m"]) == ["Placement"]


def test_a_document_left_whole_gains_nothing(swept):
    docs, scored = documents(3)
    found = without(docs, {"m": scored}, ["ARPpair"], thresholds=[2.0], draws=5, resamples=10)
    (point,) = found.points["m"]
    assert (point.boundaries, point.gains["ARPpair"]) == (0, 0.0)
    assert point.scores["ARPpair"] is None


def test_limits_on_length():
    docs, scored = documents()
    # With boundaries in the documents, the test of the metric does not depend on the threshold.
    docs = Corpus([dataclasses.replace(d, segmentation=Segmentation(UNITS, TRUE)) for d in docs])
    options = {"draws": 5, "resamples": 50, "thresholds": [0.1, 0.3, 0.55, 0.9]}
    free = without(docs, {"m": scored}, ["Placement"], **options)
    tight = without(docs, {"m": scored}, ["Placement"], max_units=4, over=0.1, **options)
    assert free.points["m"][2].over_units is None
    assert tight.points["m"][2].over_units == pytest.approx(5 / 7)
    assert tight.recommended().reached["units_per_segment"] < free.recommended().reached["units_per_segment"]
    assert "meet the limits on length" in tight.recommended().why
    words = without(docs, {"m": scored}, ["Placement"], max_tokens=32, **options)
    # Eight units of four words are 32, not more.
    assert words.points["m"][2].over_tokens == 0.0
    never = without(docs, {"m": scored}, ["Placement"], max_tokens=3, over=0.0, **options)
    with pytest.raises(ComparabilityError, match="no threshold of 'm' meets the limits"):
        never.recommended()


def test_rows_for_a_data_frame(swept):
    row = swept.curve("m")[0]
    assert {"threshold", "units_per_segment", "ARPpair", "ARPpair_gain", "ARPpair_gain_ci"} <= set(row)
    assert len(swept.tables()[0].rows) == 19


def test_results_are_read_back_and_show_the_same(swept, tmp_path):
    swept.policy(best="Silhouette")
    written = swept.save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")
    assert again == written
    assert list(map(str, tables_of(again))) == list(map(str, swept.tables()))
    assert again.against == "nothing"
    assert again.sweep.without_reference.encoder.fingerprint == "topics-1"
    assert again.sweep.areas is None


def test_what_needs_a_reference_is_refused(swept):
    for question in (lambda: swept.policy(target_bor=1), lambda: swept.matched(), lambda: swept.area("m", "ARPpair")):
        with pytest.raises(ComparabilityError, match="relative to a reference"):
            question()
    docs, scored = documents(2)
    with pytest.raises(ComparabilityError, match="profile 'paper' is for metrics of a reference"):
        without(docs, {"m": scored}, profile="paper")


def test_bad_input():
    docs, scored = documents(2)
    with pytest.raises(ComparabilityError, match="'d1' is missing from 'm'"):
        without(docs, {"m": scored.subset(["d0"])})
    with pytest.raises(DeclarationError, match="at least 2"):
        without(docs, {"m": scored}, draws=1)
    with pytest.raises(DeclarationError, match="max_units is 0; it must be at least 1"):
        without(docs, {"m": scored}, max_units=0)
    short = Corpus([Document(id=d.id, n_units=UNITS - 1, scores=d.scores[:-1]) for d in scored])
    with pytest.raises(ComparabilityError, match="it has 38 units, scorer 'm' 37"):
        without(docs, {"m": short})
    with pytest.raises(ComparabilityError, match="several scorers"):
        without(docs, {"a": scored, "b": scored}, ["ARPpair"], thresholds=[0.5], draws=2).recommended()


def scored_by(scored, encoder):
    """Scores whose file says with which encoder they were made."""
    recipe = {"made_by": {"method": "VectorTiling", "encoder": encoder}}
    return Corpus([dataclasses.replace(document, extra=recipe) for document in scored])


def test_by_a_metric_that_may_not_be_used_nothing_is_recommended():
    """What odd units cut out fool may not choose a threshold, by the rule and in the words of cohesion and validate."""
    docs, scored = documents()
    found = without(docs, {"m": scored}, ["SegReFree"], thresholds=[0.1, 0.55], draws=5, resamples=50)
    with pytest.raises(ComparabilityError, match="No threshold of m is recommended: SegReFree does not pass the check"):
        found.recommended()
    results = found.results()
    assert results.sweep.choices is None
    assert results.sweep.without_reference.checks["m"]["SegReFree"].verdict != "usable here"
    (sentence,) = answer_of(results)[:1]
    assert (
        "six perturbations of the output of m, the hardest to notice (odd units cut out) lowers the score in "
        in sentence
    )
    assert "85 % are required); mark the boundaries of at least ten documents" in sentence


def test_the_boundaries_of_the_documents_are_damaged_if_there_are_any():
    docs, scored = documents()
    gold = Corpus([dataclasses.replace(d, segmentation=Segmentation(UNITS, TRUE)) for d in docs])
    found = without(gold, {"m": scored}, ["Placement"], thresholds=[0.1, 0.55], draws=5, resamples=50)
    assert found.recommended().selector == "StaticSelector(threshold=0.55)"
    check = found.results().sweep.without_reference.checks["m"]["Placement"]
    trust = validate(gold, metrics=["Placement"], encoders=[Topics()]).trust("Placement")
    assert (check.reference, check.verdict, check.damages) == (True, trust.verdict, trust.damages)
    assert answer_of(found.results())[0].startswith(
        "Placement passes the check and may be used here: of six perturbations of the documents' own boundaries, "
    )


def test_a_scorer_made_with_the_judging_vectors_is_named_and_judged_by_words():
    docs, scored = documents()
    own = scored_by(scored, "topics topics-1")
    options = {"thresholds": [0.1, 0.55], "draws": 5, "resamples": 50}
    found = without(docs, {"own": own, "other": scored}, **options)
    facts = found.without_reference
    assert facts.same_vectors == ["own"]
    assert list(found.metrics)[-1] == "Placement(of='words')"
    # All units have the same words but two numbers, so words show nothing, and nothing is recommended.
    with pytest.raises(
        ComparabilityError, match=r"No threshold of own is recommended: .*of='words'.* does not pass the check"
    ):
        found.recommended("own")
    with pytest.raises(ComparabilityError, match="own was made with the judging encoder"):
        found.recommended("own", "Placement")
    assert found.recommended("other").selector == "StaticSelector(threshold=0.55)"
    sentences = answer_of(found.results())
    assert sentences[0] == "own was made with the judging encoder, whose vectors overrate such systems."
    assert not any(sentence.startswith("Recommended for own") for sentence in sentences)
    with pytest.raises(ComparabilityError, match="add -m"):
        without(docs, {"own": own}, ["Placement"], **options).recommended()


QMSUM = Path(os.environ.get("CAESURA_DATA", "nowhere")) / "qmsum" / "qmsum_test_academic_product.jsonl.gz"


@pytest.mark.filterwarnings("ignore:.*unknown keys")
@pytest.mark.skipif(not QMSUM.is_file(), reason="CAESURA_DATA has no qmsum")
def test_on_meetings_a_scorer_of_the_judging_vectors_gets_no_threshold():
    """By its own vectors it would be one with 22 times as many boundaries as the reference, and twice the Pk of none."""
    whole = load(QMSUM)
    meetings = whole.subset(list(whole.ids)[:12])
    scored = run_method(meetings, segmenter("VectorTiling(window=3)"))
    found = sweep(meetings, {"vt": scored}, reference=None, thresholds=[0.15, 0.2], draws=2, resamples=50)
    assert found.without_reference.same_vectors == ["vt"]
    with pytest.raises(ComparabilityError, match="No threshold of vt is recommended: "):
        found.recommended()
    assert found.results().sweep.choices is None


class Alike(Topics):
    """Topics, but units of a document called "alike" take turns: every even number of them has nearly the same centroid."""

    name, fingerprint = "alike", "alike-1"

    def encode(self, texts):
        rows = super().encode(texts)
        for row, text in enumerate(texts):
            if text.endswith("alike"):
                place = int(text.split()[1])
                rows[row] = 0
                rows[row, place % 2] = 1 + 1e-6 * place
        return rows


@pytest.fixture(scope="module")
def trapped():
    docs, scored = documents()
    alike = tuple(f"0 {place} alike" for place in range(UNITS))
    changed = [Document(id=d.id, n_units=UNITS, units=alike) if d.id == "d3" else d for d in docs]
    return sweep(
        Corpus(changed), {"m": scored}, ["SegReFree", "Silhouette"], reference=None, encoder=Alike(),
        thresholds=[0.0, 0.55, 0.9], draws=20, resamples=100,
    )  # fmt: skip


def test_centroids_that_nearly_coincide_are_left_out_and_told(trapped):
    """One document of ten, whose score by chance is in the millions, would be a gain of 100,000."""
    for point in trapped.points["m"]:
        assert abs(point.gains["SegReFree"] or 0.0) < 10
        assert (point.scores["SegReFree"] or 0.0) < 100
    assert max(point.infinite["SegReFree"] for point in trapped.points["m"]) == 1
    assert all(point.infinite["Silhouette"] == 0 for point in trapped.points["m"])
    notes = trapped.results().notes
    assert any(
        "up to 1 document at a threshold left out of SegReFree" in note and "same centroid" in note for note in notes
    )
    assert not any("Silhouette" in note for note in notes)


def test_one_unit_segments_are_told_and_never_marked(trapped):
    found = trapped.results()
    assert [p.scores["SegReFree"] for p in trapped.points["m"] if p.units_per_segment == 1] == [0.0]
    assert any("at threshold 0 every segment has one unit, and SegReFree is 0" in note for note in found.notes)
    table = next(table for table in tables_of(found) if table.title == "m")
    lows = {
        (row, place): found.sweep.curves["m"][row].gain_intervals[metric][0]
        for row in range(3)
        for place, metric in zip(
            [n for n, column in enumerate(table.columns) if column.title == "above chance"], found.metrics, strict=True
        )
    }
    assert table.best() <= {cell for cell, low in lows.items() if low is not None and low > 0}
    assert all(row != 0 for row, _ in table.best())
