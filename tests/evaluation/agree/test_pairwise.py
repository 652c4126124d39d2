"""Every two annotators, block by block: the blocks change nothing, and many pairs are announced and sampled."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree import contested as disagreement
from caesura.evaluation.agree.contested import disagreements, tally
from caesura.evaluation.agree.scoring import score_people
from caesura.metrics import METRICS
from caesura.metrics.agreement import PANEL, PanelMetric, count_pairs, pair_blocks
from caesura.metrics.agreement import _tables as _pairs
from caesura.segmentation import Segmentation
from tests.strategies import panels


@pytest.fixture(scope="module")
def panel() -> Panel:
    """Return documents of 3, 1, 5 and 2 annotators."""
    rng = np.random.default_rng(5)
    made = []
    for number, people in enumerate((3, 1, 5, 2)):
        codings = {f"a{who}": Segmentation(30, np.flatnonzero(rng.random(29) < 0.2) + 1) for who in range(people)}
        made.append(Document(id=f"d{number}", n_units=30, annotations=codings))
    return Panel.from_corpus(Corpus(made))


@pytest.mark.parametrize("size", [1, 4, 10_000])
def test_blocks_hold_every_pair_once(panel: Panel, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(_pairs, "_AT_ONCE", size)
    seen = []
    for block in pair_blocks(panel):
        for place, (d, a, b) in enumerate(zip(block.document, block.first, block.second, strict=True)):
            seen.append((d, a, b))
            pairs = block.pairs
            for ptr, pos, coding in ((pairs.ref_ptr, pairs.ref_pos, a), (pairs.hyp_ptr, pairs.hyp_pos, b)):
                own = pos[ptr[place] : ptr[place + 1]].tolist()
                assert own == list(panel.codings.segmentation(int(coding)).boundaries)
    expected = [
        (d, a, b)
        for d in range(len(panel))
        for a in range(panel.doc_ptr[d], panel.doc_ptr[d + 1])
        for b in range(a + 1, panel.doc_ptr[d + 1])
    ]
    assert seen == expected
    assert count_pairs(panel) == len(expected) == 3 + 0 + 10 + 1


def test_blocks_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = agreement(bundled("moonstone"), resamples=20).results()
    metrics = {name: METRICS.parse(name) for name in ("Pk", "BOR")}
    people = score_people(metrics, Panel.from_corpus(bundled("moonstone")), pooled=metrics)
    monkeypatch.setattr(_pairs, "_AT_ONCE", 1)
    told: list[tuple[int, int]] = []
    small = agreement(bundled("moonstone"), resamples=20, progress=lambda *step: told.append(step)).results()
    assert small.agreement == whole.agreement
    assert told[-1] == (4 * 6 + 4 * 15, 4 * 6 + 4 * 15)
    assert len(told) == 8
    for name, after in score_people(metrics, Panel.from_corpus(bundled("moonstone")), pooled=metrics).items():
        np.testing.assert_array_equal(after.scores, people[name].scores)
        assert after.additive is not None
        np.testing.assert_array_equal(after.additive, people[name].additive)


def test_of_many_pairs_some_are_labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Panel.from_corpus(bundled("moonstone"))
    everything = disagreements(panel)
    monkeypatch.setattr(disagreement, "_MOST_LABELLED", 20)
    some, other = disagreements(panel, seed=1), disagreements(panel, seed=2)
    assert len(some) == sum(tally(some).values()) == 20
    places = [everything.index(item) for item in some]
    assert places == sorted(set(places))
    assert some == disagreements(panel, seed=1) != other


def test_a_symmetric_window_is_counted_once(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pk and WindowDiff of a given window read alike both ways, so half of the pairs are enough."""
    for name in ("Pk", "WindowDiff"):
        metric = METRICS.parse(name)
        assert not metric.facts().symmetric
        assert dataclasses.replace(metric, k=3).facts().symmetric


@given(people=st.lists(panels(min_units=2, max_units=14, min_annotators=1, max_annotators=5), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize(
    "name", ["MultiWindowDiff", "MultiWindowDiff(m=3)", "MultiWindowDiff(as_run=True)", "ProminencePrecision"]
)
def test_leaving_one_out_is_counting_the_rest_anew(name: str, people: list[dict[str, Segmentation]]) -> None:
    corpus = Corpus([Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(people)])
    metric, panel = PANEL.parse(name), Panel.from_corpus(corpus)
    np.testing.assert_array_equal(metric.leave_one_out(panel), PanelMetric.leave_one_out(metric, panel))
    coding = 0
    for codings in people:
        for who, own in codings.items():
            rest = {key: value for key, value in codings.items() if key != who}
            expected = metric.count(PanelPairs.of(rest, own))[0] if rest else np.zeros(len(metric.columns))
            np.testing.assert_array_equal(metric.leave_one_out(panel)[coding], expected)
            coding += 1
