"""Sweeps without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, DeclarationError
from caesura.metrics import metric
from caesura.results import read_results, tables_of
from caesura.segmentation import Segmentation
from caesura.tuning.sweep import sweep

TRUE = (5, 10, 15, 20)


class Topics:
    """One direction per topic, with noise of the unit."""

    name, dim, normalized, fingerprint = "topics", 8, False, "topics-1"

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            topic, unit = map(int, text.split()[:2])
            rows[row] = 0.4 * np.random.default_rng([topic, unit, 5]).normal(size=self.dim)
            rows[row, topic] += 1.0
        return rows


def without(*arguments, **options):
    return sweep(*arguments, reference=None, encoder=Topics(), **options)


def documents(n=10):
    docs, scored = [], []
    for key in range(n):
        rng = np.random.default_rng(key)
        units = tuple(f"{place // 5} {place + 100 * key} word word" for place in range(25))
        scores = rng.uniform(0, 0.5, size=24)
        for gap in TRUE:
            scores[gap - 1] = rng.uniform(0.6, 1.0)
        docs.append(Document(id=f"d{key}", n_units=25, units=units))
        scored.append(Document(id=f"d{key}", n_units=25, scores=tuple(scores.tolist())))
    return Corpus(docs), Corpus(scored)


@pytest.fixture(scope="module")
def swept():
    docs, scored = documents()
    return without(docs, {"m": scored}, draws=10, resamples=200)


def test_points_are_the_metric_at_each_threshold(swept):
    point = next(p for p in swept.points["m"] if p.threshold == 0.55)
    assert point.boundaries == 40
    assert point.units_per_segment == pytest.approx(5.0)
    docs, _ = documents()
    expected = np.mean(
        [metric("ARPpair")(Segmentation(25, TRUE), Topics().encode(document.units)) for document in docs]
    )
    assert point.scores["ARPpair"] == pytest.approx(expected, abs=1e-6)
    assert point.gains["ARPpair"] > 0.1
    low, high = point.gain_intervals["ARPpair"]
    assert low <= point.gains["ARPpair"] <= high


def test_the_true_density_is_recommended(swept):
    policy = swept.recommended()
    threshold = float(policy.selector.split("threshold=")[1].split(")")[0].split(",")[0])
    assert 0.5 <= threshold <= 0.65
    assert "Placement" in policy.why
    assert policy.reached["units_per_segment"] == pytest.approx(5, abs=0.7)


def test_a_document_left_whole_gains_nothing(swept):
    docs, scored = documents(3)
    found = without(docs, {"m": scored}, ["ARPpair"], thresholds=[2.0], draws=5, resamples=10)
    (point,) = found.points["m"]
    assert (point.boundaries, point.gains["ARPpair"]) == (0, 0.0)
    assert point.scores["ARPpair"] is None


def test_limits_on_length():
    docs, scored = documents()
    options = {"draws": 5, "resamples": 50, "thresholds": [0.1, 0.3, 0.55, 0.9]}
    free = without(docs, {"m": scored}, ["Silhouette"], **options)
    tight = without(docs, {"m": scored}, ["Silhouette"], max_units=4, over=0.1, **options)
    assert free.points["m"][2].over_units is None
    assert tight.points["m"][2].over_units == 1.0
    assert tight.recommended().reached["units_per_segment"] < free.recommended().reached["units_per_segment"]
    assert "meet the limits on length" in tight.recommended().why
    words = without(docs, {"m": scored}, ["Silhouette"], max_tokens=20, **options)
    # Five units of four words are twenty, not more.
    assert words.points["m"][2].over_tokens == 0.0
    never = without(docs, {"m": scored}, ["Silhouette"], max_tokens=3, over=0.0, **options)
    with pytest.raises(ComparabilityError, match="no threshold of 'm' meets the limits"):
        never.recommended()


def test_rows_for_a_data_frame(swept):
    row = swept.curve("m")[0]
    assert {"threshold", "units_per_segment", "ARPpair", "ARPpair_gain", "ARPpair_gain_ci"} <= set(row)
    assert len(swept.tables()[0].rows) == 19


def test_results_are_read_back_and_show_the_same(swept, tmp_path):
    swept.policy(best="ARPpair")
    written = swept.save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")
    assert again == written
    assert list(map(str, tables_of(again))) == list(map(str, swept.tables()))
    assert again.against == "nothing"
    assert again.sweep.without_reference.encoder.fingerprint == "topics-1"
    assert again.sweep.areas is None


def test_what_needs_a_reference_is_refused(swept):
    for question in (
        lambda: swept.policy(target_bor=1),
        lambda: swept.matched(),
        lambda: swept.area("m", "ARPpair"),
    ):
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
    short = Corpus([Document(id=d.id, n_units=24, scores=d.scores[:-1]) for d in scored])
    with pytest.raises(ComparabilityError, match="it has 25 units, scorer 'm' 24"):
        without(docs, {"m": short})
    with pytest.raises(ComparabilityError, match="several scorers"):
        without(docs, {"a": scored, "b": scored}, ["ARPpair"], thresholds=[0.5], draws=2).recommended()


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
    alike = tuple(f"0 {place} alike" for place in range(25))
    changed = [Document(id=d.id, n_units=25, units=alike) if d.id == "d3" else d for d in docs]
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
        "up to 1 document at a threshold left out of SegReFree" in note and "same centroid" in note
        for note in notes
    )
    assert not any("Silhouette" in note for note in notes)


def test_one_unit_segments_are_told_and_never_marked(trapped):
    found = trapped.results()
    assert [p.scores["SegReFree"] for p in trapped.points["m"] if p.units_per_segment == 1] == [0.0]
    assert any(
        "at threshold 0 every segment has one unit, and SegReFree is 0" in note for note in found.notes
    )
    table = next(table for table in tables_of(found) if table.title == "m")
    lows = {
        (row, place): found.sweep.curves["m"][row].gain_intervals[metric][0]
        for row in range(3)
        for place, metric in zip(
            [n for n, column in enumerate(table.columns) if column.title == "above chance"],
            found.metrics,
            strict=True,
        )
    }
    assert table.best() <= {cell for cell, low in lows.items() if low is not None and low > 0}
    assert all(row != 0 for row, _ in table.best())
