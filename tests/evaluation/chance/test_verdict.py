# SPDX-License-Identifier: Apache-2.0
"""The verdict: one constructed case for each row, cases that must come out, the clocks; the annotation regime."""

from __future__ import annotations

import gzip
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import MetricError
from caesura.evaluation.chance.clock import clock_pairs, period_of
from caesura.evaluation.chance.verdict import default_tolerance, judge, verdicts
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.report import annotation_regime, density_error
from caesura.metrics import metric
from caesura.placements import RandomPlacements, even
from caesura.results.evaluate.verdict import Thresholds
from caesura.segmentation import Segmentation
from caesura.segmenters import baseline_systems
from tests.corpora import corpus_file, needs
from tests.strategies import Pair, batch, pairs, segmentations

STOPS, DIALSEG = "stopwords_nltk_english.txt", "dialseg711/dialseg711_shared500.jsonl.gz"

# Sixty documents of 400 units with 4 to 6 boundaries at random: no clock can know them.
N = 400


def drawn(n_units, count, rng):
    return Segmentation(n_units, np.sort(rng.choice(n_units - 1, count, replace=False) + 1))


_RNG = np.random.default_rng(3)
GOLDS = [drawn(N, 4 + row % 3, _RNG) for row in range(60)]


def finer(gold, rng):
    """Every boundary found, and every segment divided once more."""
    ends = [0, *gold.boundaries, N]
    return {*gold.boundaries, *((a + b) // 2 for a, b in itertools.pairwise(ends) if b - a > 1)}


def around(gold, rng):
    """Boundaries two units before and after, and one in each segment, none within one unit of the reference's."""
    near = {b + side for b in gold.boundaries for side in (-2, 2)} | finer(gold, rng)
    return {b for b in near if 0 < b < N and all(abs(b - g) > 1 for g in gold.boundaries)}


def mixture(gold, share, rng):
    """This share of the boundaries right, the others at random."""
    kept = {b for b in gold.boundaries if rng.random() < share}
    return kept | set(drawn(N, gold.n_boundaries - len(kept), rng).boundaries)


CASES = {
    "calibrated": lambda g, rng: {min(N - 1, b + int(rng.integers(0, 2))) for b in g.boundaries},
    "over-segmentation consistent with the reference": finer,
    "granularity mismatch": around,
    "under-segmentation consistent with the reference": lambda g, rng: g.boundaries[::2],
    "no detection shown": lambda g, rng: drawn(N, g.n_boundaries, rng).boundaries,
    "partial detection": lambda g, rng: mixture(g, 0.4, rng),
    # most boundaries right, but in half of the documents there is none
    "mixed": lambda g, rng: g.boundaries if g.n_boundaries > 4 else (),
}


MIXED = Thresholds(low_bor=0.5, uneven=0.3)


def hypotheses(make, golds=GOLDS):
    rng = np.random.default_rng(7)
    return [Segmentation(g.n_units, sorted(make(g, rng))) for g in golds]


def judged(make, *, golds=GOLDS, **options):
    return judge(batch(list(zip(golds, hypotheses(make, golds), strict=True))), **options)[0]


@pytest.mark.parametrize("mode", CASES)
def test_each_row_of_the_table(mode):
    verdict = judged(CASES[mode], thresholds=MIXED if mode == "mixed" else None)
    assert verdict.verdict == mode, verdict.words
    assert verdict.words.endswith(f" Verdict: {mode}.")
    assert verdict.next
    assert verdict.interpretable == (verdict.findings["W-F1"].size != "none")
    assert ("not interpretable alone" in verdict.words) != verdict.interpretable


def test_the_words_print_the_numbers_that_decided():
    calibrated = judged(CASES["calibrated"])
    f1 = calibrated.findings["W-F1"]
    assert f"W-F1 {f1.score:.3f}, skill {f1.skill:.2f}" in calibrated.words
    assert f"evenly spaced ones get {calibrated.clock.score:.3f}" in calibrated.words
    assert f"BOR {calibrated.bor:.2f}" in calibrated.words
    under = judged(CASES["under-segmentation consistent with the reference"])
    assert "precision 1.000, skill 1.00" in under.words
    mixed = judged(CASES["mixed"], thresholds=MIXED)
    assert all(f"{name} " in mixed.words for name in mixed.findings)
    assert "33 % of the documents have less than half" in mixed.words


# ------------------------------------------------------------------------------------------- cases that must come out


def test_three_per_cent_of_the_boundaries_on_many_documents_is_no_detection():
    golds = [drawn(40, 5, np.random.default_rng(seed)) for seed in range(1500)]

    def three_per_cent(gold, rng):
        kept = {b for b in gold.boundaries if rng.random() < 0.03}
        others = [gap for gap in range(1, 40) if gap not in kept]
        return kept | set(rng.choice(others, 5 - len(kept), replace=False).tolist())

    verdict = judged(three_per_cent, golds=golds)
    assert verdict.findings["W-F1"].skill < 0.1
    assert verdict.verdict == "no detection shown"
    assert verdict.advice == {}


def test_half_of_the_documents_empty_and_half_doubled_is_not_calibrated():
    empty = iter(itertools.cycle([True, False]))
    verdict = judged(lambda g, rng: () if next(empty) else {*g.boundaries, *drawn(N, g.n_boundaries, rng).boundaries})
    assert 0.8 < verdict.bor < 1.2
    assert verdict.uneven
    assert verdict.verdict != "calibrated"


@pytest.mark.parametrize("period", [1, 7, 10, 30, 99])
def test_a_clock_never_beats_the_clock(period):
    """Even where the reference itself is periodic."""
    for golds in (GOLDS, [Segmentation(N, range(10, N, 10))] * 40):
        clocks = (
            lambda g, rng: range(period, N, period),
            lambda g, rng: even(N, period).boundaries,
            lambda g, rng: even(N, g.n_boundaries).boundaries,
        )
        for clock in clocks:
            verdict = judged(clock, golds=golds)
            assert not verdict.above_clock
            assert verdict.verdict in ("no detection shown", "granularity mismatch", _UNDER), verdict.words
            assert "retrieval" not in verdict.advice


_UNDER = "under-segmentation consistent with the reference"  # rests on precision, which a clock on a grid may have


def test_an_exact_half_of_the_gold_is_consistent_under_segmentation():
    verdict = judged(lambda g, rng: g.boundaries[: g.n_boundaries // 2])
    assert verdict.verdict == "under-segmentation consistent with the reference"
    assert verdict.advice.keys() == {"summarising"}


@needs(STOPS, DIALSEG)
def test_texttiling_on_dialseg711_finds_nothing():
    texttiling = pytest.importorskip("nltk.tokenize.texttiling")
    stop = corpus_file(STOPS).read_text().split()
    with gzip.open(corpus_file(DIALSEG), "rt") as lines:
        rows = [json.loads(line) for line in itertools.islice(lines, 60)]
    couples = []
    for row in rows:
        units = row["units"]
        starts = np.cumsum([2, *(len(unit) + 2 for unit in units)])[1:-1]
        tiles = texttiling.TextTilingTokenizer(w=10, k=5, stopwords=stop).tokenize("\n\n" + "\n\n".join(units) + "\n\n")
        cuts = np.cumsum([len(tile) for tile in tiles])[:-1]
        found = sorted({int(np.abs(starts - cut).argmin()) + 1 for cut in cuts})
        couples.append((Segmentation(len(units), row["boundaries"]), Segmentation(len(units), found)))
    verdict, _ = judge(batch(couples))
    assert verdict.findings["W-F1"].skill < 0.2
    assert not verdict.above_clock
    assert verdict.verdict == "no detection shown"
    assert verdict.advice == {}


# ------------------------------------------------------------------------------------------- sizes, clocks, few documents


def test_skill_and_interval_by_hand():
    """One boundary of 3 gaps, exact: chance hits with 1/3. Half of the documents hit: (1/2 - 1/3) / (2/3) = 1/4."""
    golds = [Segmentation(4, (2,))] * 40
    hits = iter(itertools.cycle([(2,), (1,)]))
    finding = judged(
        lambda g, rng: next(hits), golds=golds, tolerance=0, thresholds=Thresholds(placements=3000)
    ).findings["W-F1"]
    assert finding.chance == pytest.approx(1 / 3, abs=0.01)
    assert finding.skill == pytest.approx(1 / 4, abs=0.02)
    assert finding.interval.low == pytest.approx((0.5 - 0.158 - 1 / 3) / (2 / 3), abs=0.06)
    assert finding.size == "weak"


def test_sizes():
    lines = Thresholds()
    assert [lines.size(skill, 0.01) for skill in (0.19, 0.2, 0.49, 0.5)] == ["none", "weak", "weak", "strong"]
    assert lines.size(0.9, 0.0) == "none"
    assert Thresholds(strong=0.9).size(0.8, 0.7) == "weak"


def test_regimes():
    assert [Thresholds().regime(bor) for bor in (0.79, 0.8, 1.2, 1.21, math.inf)] == [
        "conservative",
        "balanced",
        "balanced",
        "aggressive",
        "aggressive",
    ]


def test_the_clocks_by_hand():
    gold, hypothesis = Segmentation(12, (3, 6, 9)), Segmentation(12, (3, 7))
    clocks = clock_pairs(batch([(gold, hypothesis), (Segmentation(6, (3,)), Segmentation(6))]))
    five = batch([(gold, hypothesis), (gold, Segmentation(12, (1, 2, 4)))])
    assert period_of(five) == 4  # 2 + 2 boundaries; 3 gives 3 + 3, as near
    assert clocks["even"].hyp_pos.tolist() == [4, 8]
    # A period of 6 gives 1 + 0 boundaries, 5 gives 2 + 1: equally near to 2, so the coarser.
    assert clocks["every"].hyp_pos.tolist() == [6]


def test_few_documents_only_suggest():
    few = judged(lambda g, rng: g.boundaries, golds=GOLDS[:9])
    assert few.suggests
    assert few.words.endswith("Verdict: calibrated (9 documents, so tentative).")
    assert few.clock.p_corrected < 0.05
    # Of six documents no assignment is rare enough: the difference alone decides.
    assert judged(lambda g, rng: g.boundaries, golds=GOLDS[:6]).clock.p is None
    assert not judged(lambda g, rng: g.boundaries, golds=GOLDS[:10]).suggests


def test_a_single_document():
    many, few = Segmentation(100, (11, 25, 46, 60, 88)), Segmentation(100, (11, 46, 60, 88))
    one = judged(lambda g, rng: g.boundaries, golds=[many])
    assert one.verdict == "calibrated"
    assert one.findings["W-F1"].interval is None
    assert judged(lambda g, rng: g.boundaries, golds=[few]).verdict == "not judged"


def test_limits_are_parameters():
    assert judged(CASES["calibrated"], thresholds=Thresholds(high_bor=0.9)).regime == "aggressive"
    assert (
        judged(CASES["partial detection"], thresholds=Thresholds(weak=0.6, strong=0.7)).verdict == "no detection shown"
    )
    assert not judged(CASES["mixed"], thresholds=Thresholds(uneven=0.4)).uneven
    assert judged(CASES["calibrated"], tolerance=0).findings["W-F1"].score < 0.8


@pytest.mark.parametrize("reference", [Segmentation(1), Segmentation(5), Segmentation(5, (1, 2, 3, 4))])
def test_where_chance_is_perfect_nothing_is_shown(reference):
    verdict = judged(lambda g, rng: g.boundaries, golds=[reference] * 20)
    assert verdict.bor == 1.0
    assert verdict.findings["W-F1"].skill is None
    assert "random boundaries get W-F1 1.000 too" in verdict.words


def test_no_boundary_in_the_reference():
    verdict = judged(lambda g, rng: (5,), golds=[Segmentation(40)] * 20)
    assert verdict.bor == math.inf
    assert verdict.regime == "aggressive"
    assert verdict.outside == 1.0


def test_no_boundary_in_the_hypothesis_shows_nothing():
    assert judged(lambda g, rng: ()).verdict == "no detection shown"


def test_chance_is_never_detection():
    modes = {
        judged(lambda g, rng, seed=seed: drawn(N, 5, np.random.default_rng([seed, *g.boundaries])).boundaries).verdict
        for seed in range(20)
    }
    assert modes == {"no detection shown"}


@pytest.fixture(scope="module")
def evaluation():
    reference = Corpus.from_segmentations({f"d{i}": g for i, g in enumerate(GOLDS)})
    systems = {
        mode: Corpus.from_segmentations({f"d{i}": h for i, h in enumerate(hypotheses(make))})
        for mode, make in CASES.items()
        if mode != "mixed"
    }
    return evaluate(reference, systems, ["Pk"])


def test_of_systems_and_documents(evaluation):
    found, single = verdicts(evaluation, by_document=True)
    assert {mode: verdict.verdict for mode, verdict in found.items()} == {mode: mode for mode in found}
    assert list(single["calibrated"]) == list(evaluation.documents)
    by_document = {verdict.verdict for verdict in single["calibrated"].values()}
    assert by_document <= {"calibrated", "partial detection", "mixed", "no detection shown", "not judged"}
    assert [v.verdict == "not judged" for v in single["calibrated"].values()] == [g.n_boundaries < 5 for g in GOLDS]
    evaluation.verdicts(by_document=True)
    corpus, documents = [table for table in evaluation.tables() if table.title == "Verdict"]
    assert "no detection shown" in str(corpus)
    assert "d11" in str(documents)


def test_seeds(evaluation):
    one, again, other = (evaluation.verdicts(Thresholds(seed=seed, placements=50)) for seed in (1, 1, 2))
    assert one == again
    assert one["calibrated"].findings != other["calibrated"].findings
    assert "placements:50" in one["calibrated"].signature
    assert one["calibrated"].signature.endswith("seed:1")


def test_the_definitions_hold_whatever_the_evaluation_asked_for(evaluation):
    corpus = evaluation.reference.corpus
    partial = evaluation.systems["partial detection"].corpus
    swapped = evaluate(corpus, {"a": partial}, ["Pk"], profile="swapped")
    (verdict,) = swapped.verdicts().values()
    names = {
        "W-F1": "W-F1", "precision": "BoundaryPrecision(tolerance=1)", "recall": "BoundaryRecall(tolerance=1)",
        "purity": "Purity", "coverage": "Coverage",
    }  # fmt: skip
    scores = evaluate(corpus, {"a": partial}, list(names.values())).scores["a"]
    assert {names[name]: f.score for name, f in verdict.findings.items()} == pytest.approx(scores)


def test_many_documents_are_judged_in_blocks(monkeypatch):
    documents = batch(list(zip(GOLDS, GOLDS, strict=True)))
    whole = judge(documents)[0].findings
    monkeypatch.setattr("caesura.evaluation.chance.expected._BLOCK", 7)
    verdict, each = judge(documents, by_document=True)
    assert (verdict.verdict, len(each)) == ("calibrated", 60)
    assert verdict.findings["W-F1"].skill == 1.0
    assert verdict.findings == whole


def test_time_needs_a_distance():
    assert default_tolerance("ms") == "10s"
    assert default_tolerance("character") == "40c"
    reference = Segmentation(600_000, (100_000, 230_000, 300_000, 450_000, 520_000), unit="ms")
    hypothesis = Segmentation(600_000, (104_000, 231_000, 299_000, 451_000, 521_000), unit="ms")
    verdict, _ = judge(Pairs.of(reference, hypothesis))
    assert verdict.tolerance == "10s"
    assert verdict.verdict == "calibrated"
    assert judge(Pairs.of(reference, hypothesis), tolerance="2s")[0].findings["W-F1"].score < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low_bor": 2}, "low_bor=2"),
        ({"weak": 0.6}, "weak=0.6, strong=0.5"),
        ({"uneven": 2}, "uneven is 2"),
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
    error = density_error(batch([(GOLDS[0], GOLDS[0])] * 5), list("abcde"))
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
    assert regime.rows[0][:3] == [60, 0, 1.25]
    assert [row[1] for row in error.rows] == [300, 0]
    assert "6 worst of 60" in error.notes[0]


def test_with_many_boundaries_few_placements_are_enough(monkeypatch):
    rng = np.random.default_rng(4)
    found = Pairs.of(*(Segmentation(200_000, np.flatnonzero(rng.random(199_999) < 0.2) + 1) for _ in range(2)))
    counted = []

    class Counting(RandomPlacements):
        def draw(self):
            counted.append(1)
            return super().draw()

    monkeypatch.setattr("caesura.evaluation.chance.expected.RandomPlacements", Counting)
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 10**9)
    every = judge(found)[0].findings
    assert len(counted) == 200
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 30_000)
    counted.clear()
    few = judge(found)[0].findings
    assert 8 <= len(counted) < 200
    for name, finding in few.items():
        assert finding.chance == pytest.approx(every[name].chance, abs=1e-3)
        assert finding.size == every[name].size == "none"
    counted.clear()
    assert judge(found, by_document=True)[0].findings == every  # each document by itself: all placements
    assert len(counted) == 200


def test_advice_where_the_documents_cannot_tell():
    """A perfect answer on halves is also the clock's: the scorer is not to blame, and a poor one is."""
    perfect = judged(lambda g, rng: g.boundaries, golds=[Segmentation(8, [4]), Segmentation(12, [6])] * 20)
    assert perfect.verdict == "no detection shown"
    assert perfect.next.startswith("score it on more or longer documents, or with a smaller tolerance")
    poor = judged(lambda g, rng: drawn(N, g.n_boundaries, rng).boundaries)
    assert poor.verdict == "no detection shown"
    assert poor.next.startswith("change the scorer")
