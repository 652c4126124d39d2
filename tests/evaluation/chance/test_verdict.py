# SPDX-License-Identifier: Apache-2.0
"""The verdict: one constructed case for each row of Table 2, the lines, the words; the annotation regime."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import MetricError
from caesura.evaluation import evaluate
from caesura.evaluation.chance.regime import annotation_regime, density_error
from caesura.evaluation.chance.verdict import Thresholds, default_tolerance, judge, verdicts
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from caesura.segmenters import baseline_systems, random_boundaries
from tests.strategies import Pair, batch, pairs, segmentations

# Five segments of 20 units: boundaries at 20, 40, 60, 80.
GOLD = Segmentation.from_masses([20] * 5)
CASES = {
    "calibrated": (21, 40, 59, 80),
    # every boundary found, every segment divided once more
    "over-segmentation consistent with the reference": (10, 20, 30, 40, 50, 60, 70, 80, 90),
    # two boundaries around each of the reference, none within one unit of it
    "granularity mismatch": (18, 22, 38, 42, 58, 62, 78, 82),
    # two segments that keep the topics together, cut two units off
    "under-segmentation": (42,),
    # as many boundaries, each in the middle of a topic
    "detection failure": (10, 30, 50, 70),
    # half of the boundaries, in the right places: no row of the table
    "mixed": (40, 60),
}


def judged(boundaries, *, copies=30, reference=GOLD, **options):
    hypothesis = Segmentation(reference.n_units, boundaries)
    return judge(batch([(reference, hypothesis)] * copies), **options)[0]


@pytest.mark.parametrize("mode", CASES)
def test_each_row_of_the_table(mode):
    verdict = judged(CASES[mode])
    assert verdict.verdict == mode, verdict.words
    assert verdict.words.startswith(mode)
    assert verdict.next
    assert set(verdict.advice) == {"summarising", "retrieval", "exploration"}


def test_regimes():
    found = {mode: judged(gaps).regime for mode, gaps in CASES.items()}
    assert found == {
        "calibrated": "balanced",
        "over-segmentation consistent with the reference": "aggressive",
        "granularity mismatch": "aggressive",
        "under-segmentation": "conservative",
        "detection failure": "balanced",
        "mixed": "conservative",
    }
    assert [Thresholds().regime(bor) for bor in (0.79, 0.8, 1.2, 1.21, math.inf)] == [
        "conservative",
        "balanced",
        "balanced",
        "aggressive",
        "aggressive",
    ]


def test_not_interpretable_alone_below_chance():
    for mode, gaps in CASES.items():
        verdict = judged(gaps)
        wanted = mode in ("granularity mismatch", "under-segmentation", "detection failure")
        assert ("not interpretable alone" in verdict.words) == wanted
        assert verdict.interpretable != wanted


def test_mixed_lists_its_findings():
    words = judged(CASES["mixed"]).words
    assert all(f"{name} " in words for name in ("W-F1", "Purity", "Coverage"))


def test_thresholds_change_the_verdict():
    assert judged(CASES["mixed"], thresholds=Thresholds(low_bor=0.4)).verdict == "calibrated"
    assert judged(CASES["calibrated"], thresholds=Thresholds(high_bor=0.9)).regime == "aggressive"
    assert judged(CASES["calibrated"], tolerance=0).findings["W-F1"].score == 0.5
    # Above all placements is a stricter line than above their median.
    gaps = random_boundaries(100, 4, seed=8).boundaries
    chance = [
        judged(gaps, copies=1, thresholds=Thresholds(percentile=p)).findings["Purity"].chance
        for p in (0, 50, 100)
    ]
    assert chance == sorted(chance)
    assert chance[0] < chance[2]


def test_nothing_and_everything():
    """No boundary is the utmost of under-segmentation, all are the utmost of over-segmentation, though chance is equal."""
    assert judged(()).verdict == "under-segmentation"
    assert judged(()).findings["Coverage"].high
    assert judged(range(1, 100)).verdict == "granularity mismatch"


@pytest.mark.parametrize("reference", [Segmentation(1), Segmentation(5), Segmentation(5, (1, 2, 3, 4)), GOLD])
def test_the_reference_itself_is_calibrated(reference):
    verdict = judged(reference.boundaries, reference=reference, copies=2)
    assert verdict.verdict == "calibrated"
    assert verdict.bor == 1.0
    assert ("random placement does as well" in verdict.words) == (reference is not GOLD)


def test_no_boundary_in_the_reference():
    verdict = judged((5,), reference=Segmentation(40))
    assert verdict.bor == math.inf
    assert verdict.bor == math.inf
    assert verdict.regime == "aggressive"


def test_chance_is_seldom_high():
    """At the 95th percentile one in twenty random systems is high on a score: of 60, more than 9 in 1 of 1,000 runs."""
    rng = np.random.default_rng(1)
    high = np.zeros(3)
    modes = Counter()
    for seed in range(60):
        drawn = [Segmentation(100, np.sort(rng.choice(99, 4, replace=False) + 1)) for _ in range(40)]
        verdict, _ = judge(batch([(GOLD, d) for d in drawn]), Thresholds(seed=seed))
        high += [finding.high for finding in verdict.findings.values()]
        modes[verdict.verdict] += 1
    assert high.max() <= 9
    assert modes.most_common(1)[0][0] == "detection failure"


@pytest.fixture(scope="module")
def evaluation():
    reference = Corpus.from_segmentations({f"d{i}": GOLD for i in range(12)})
    systems = {
        mode: Corpus.from_segmentations({f"d{i}": Segmentation(100, gaps) for i in range(12)})
        for mode, gaps in CASES.items()
    }
    return evaluate(reference, systems, ["Pk"])


def test_of_systems_and_documents(evaluation):
    found, single = verdicts(evaluation, by_document=True)
    assert {mode: verdict.verdict for mode, verdict in found.items()} == {mode: mode for mode in CASES}
    assert list(single["calibrated"]) == list(evaluation.documents)
    assert all(verdict.verdict == "calibrated" for verdict in single["calibrated"].values())
    evaluation.verdicts(by_document=True)
    corpus, documents = [table for table in evaluation.tables() if table.title == "Verdict"]
    assert "detection failure" in str(corpus)
    assert "d11" in str(documents)


def test_seeds(evaluation):
    one, again, other = (evaluation.verdicts(Thresholds(seed=seed, placements=50)) for seed in (1, 1, 2))
    assert one == again
    assert one["mixed"].findings != other["mixed"].findings
    assert one["mixed"].signature.endswith("placements:50|seed:1")


def test_the_definitions_hold_whatever_the_evaluation_asked_for(evaluation):
    corpus = evaluation.reference.corpus
    swapped = evaluate(corpus, {"a": evaluation.systems["mixed"].corpus}, ["Pk"], profile="swapped")
    (verdict,) = swapped.verdicts().values()
    assert verdict.bor == 0.5
    scores = evaluate(
        corpus, {"a": evaluation.systems["mixed"].corpus}, ["W-F1", "Purity", "Coverage"]
    ).scores["a"]
    assert {name: f.score for name, f in verdict.findings.items()} == pytest.approx(scores)


def test_many_documents_are_judged_in_blocks(monkeypatch):
    from caesura.evaluation.chance import verdict as module

    documents = batch([(GOLD, Segmentation(100, CASES["calibrated"]))] * 10)
    monkeypatch.setattr(module, "BLOCK", 3)
    verdict, each = judge(documents, by_document=True)
    assert [v.verdict for v in (verdict, *each)] == ["calibrated"] * 11


def test_time_needs_a_distance():
    assert default_tolerance("ms") == "10s"
    assert default_tolerance("character") == "40c"
    reference = Segmentation(600_000, (100_000, 300_000, 450_000), unit="ms")
    hypothesis = Segmentation(600_000, (104_000, 299_000, 451_000), unit="ms")
    verdict, _ = judge(Pairs.of(reference, hypothesis))
    assert verdict.tolerance == "10s"
    assert verdict.verdict == "calibrated"
    assert judge(Pairs.of(reference, hypothesis), tolerance="2s")[0].findings["W-F1"].score < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low_bor": 2}, "low_bor=2"),
        ({"percentile": 101}, "percentile is 101"),
        ({"placements": 0}, "placements is 0"),
    ],
)
def test_wrong_thresholds(options, message):
    with pytest.raises(MetricError, match=message):
        Thresholds(**options)


# ------------------------------------------------------------------------------------------- Appendix C


@given(pairs(min_units=2), st.data())
def test_monotone_under_refinement(pair: Pair, data: st.DataObject):
    """By units, adding boundaries never lowers purity and never raises coverage (lemma of Appendix C)."""
    reference, hypothesis = pair
    more = data.draw(segmentations(n_units=reference.n_units))
    finer = Segmentation(reference.n_units, sorted({*hypothesis.boundaries, *more.boundaries}))
    assert metric("Purity")(reference, finer) >= metric("Purity")(reference, hypothesis)
    assert metric("Coverage")(reference, finer) <= metric("Coverage")(reference, hypothesis)


def test_not_monotone_by_segments():
    """The mean over segments may fall: of 4 + 1 units whole, 4 of 5 are of one topic; cut 3 + 2, 3 of 3 and 1 of 2."""
    reference = Segmentation.from_masses([4, 1])
    whole, finer = Segmentation(5), Segmentation.from_masses([3, 2])
    by_segment = metric("Purity(weighting='segment')")
    assert (by_segment(reference, whole), by_segment(reference, finer)) == (0.8, 0.75)
    assert (metric("Purity")(reference, whole), metric("Purity")(reference, finer)) == (0.8, 0.8)


# ------------------------------------------------------------------------------------------- annotation regime


def test_annotation_regime_by_hand():
    flat = Flat.from_segmentations([Segmentation(10, (2, 5)), Segmentation(30, (9,)), Segmentation(10)])
    regime = annotation_regime(flat)
    assert (regime.documents, regime.without) == (3, 1)
    assert regime.per_100_units == 6.0
    assert regime.mean == pytest.approx((20 + 100 / 30 + 0) / 3)
    assert regime.sd == pytest.approx(np.std([20, 100 / 30, 0], ddof=1))
    assert regime.mean_segment == 50 / 6
    assert regime.variation == pytest.approx(regime.sd / regime.mean)
    assert regime.without == 1


def test_concentration_of_the_density_error():
    off = [9, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    documents = [(Segmentation(20), Segmentation(20, range(1, 1 + n))) for n in off]
    error = density_error(batch(documents), [f"d{i}" for i in range(10)])
    assert (error.total, error.net, error.documents_off) == (10, 10, 2)
    assert error.worst_documents == 1
    assert error.worst == ["d0"]
    assert error.worst_share == 0.9


def test_no_density_error():
    error = density_error(batch([(GOLD, GOLD)] * 5), list("abcde"))
    assert error.worst_share is None
    assert error.worst == []


def test_eleven_documents_have_a_tenth_of_two():
    documents = [(Segmentation(20, (3,)), Segmentation(20))] * 11
    error = density_error(batch(documents), [f"d{i}" for i in range(10)])
    assert error.worst_documents == 2
    assert error.net == -11
    assert error.worst_share == pytest.approx(2 / 11)


def test_regime_tables(evaluation):
    corpus = evaluation.reference.corpus
    e = evaluate(corpus, baseline_systems("none,even", corpus), ["BOR"])
    e.verdicts()
    regime, error = e.tables()[-2:]
    assert regime.rows[0][:3] == [12, 0, 4.0]
    assert [row[1] for row in error.rows] == [48, 0]
    assert "2 worst of 12" in error.notes[0]
