"""Correlation over systems: four readings, what baselines and the reference itself do to them, and metrics against each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.correlate.run import correlate
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.validate.run import validate
from caesura.formats import load
from caesura.results import answer_of, tables_of
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from caesura.statistics.bootstrap import Bootstrap
from tests.corpora import corpus_file, needs

CHOI = "choi/choi_3_3-11.jsonl.gz"
TOPICS = (("cat", "kitten", "purr", "whisker"), ("rain", "cloud", "storm", "wind"), ("bread", "oven", "flour", "dough"))


def corpus(n=12):
    rng = np.random.default_rng(3)
    made = []
    for key in range(n):
        sizes = rng.integers(3, 7, 3)
        units = [" ".join(rng.choice(TOPICS[t], 4)) for t, size in enumerate(sizes) for _ in range(size)]
        gold = Segmentation.from_masses(sizes.tolist())
        made.append(Document(id=str(key), n_units=len(units), units=tuple(units), segmentation=gold))
    return Corpus(made)


GOLD = corpus()


@pytest.fixture(scope="module")
def systems():
    methods = (
        "TextTiling(window=2)",
        "TextTiling(per_100=30)",
        "Scatter",
        "C99",
        "VectorTiling(window=2)",
        "random_density",
    )
    return {name: run_method(GOLD, segmenter(name)) for name in methods}


def test_values_are_those_of_the_scores(systems):
    outcome = correlate(GOLD, systems, ["ARPpair", "Pk"], baselines="even", resamples=50)
    rows = {row.reading: row for row in outcome.facts.rows}
    pk = evaluate(GOLD, systems, ["Pk"], baselines="even").scores
    arp = cohesion(
        GOLD, {**systems, "even": segmenter("even").segment(GOLD)}, ["ARPpair"], nulls=(), check=False
    ).scores
    names = list(systems)
    x, y = [arp[name]["ARPpair"] for name in [*names, "even"]], [-row["Pk"] for row in pk.values()]
    assert rows["all"].systems == 7
    assert rows["all"].pearson.value == pytest.approx(np.corrcoef(x, y)[0, 1])
    # random_density says in its file that it is a baseline, even was made here.
    assert rows["without baselines"].systems == rows["density removed"].systems == 5
    assert rows["without baselines"].pearson.value == pytest.approx(np.corrcoef(x[:5], y[:5])[0, 1])
    assert [name for name, system in outcome.facts.ranked.items() if system.baseline] == [
        "random_density",
        "even (oracle)",
    ]
    assert outcome.facts.same_vectors == {"default": ["Scatter", "VectorTiling(window=2)"]}
    low, high = rows["all"].pearson.interval
    assert low <= rows["all"].pearson.value <= high


def test_shown_from_the_results_alone(systems):
    results = correlate(GOLD, systems, ["ARPpair", "Pk", "B"], resamples=50).results()
    main, pairs, scores = tables_of(results)
    assert [row[0] for row in main.rows] == ["ARPpair ~ Pk"] * 4
    assert len(pairs.rows) == 8
    assert [str(row[0]) for row in scores.rows][-1] == "random_density *"
    sentences = answer_of(results)
    assert sentences[0].startswith("Over all 6 systems, ARPpair and Pk ")
    assert sentences[1].startswith("Without the 1 baseline, they ")
    assert "; with density held constant, they " in sentences[1]
    assert sentences[2].startswith("Of the 10 pairs of these systems, ARPpair orders ")
    assert sentences[3].startswith("No reference-free metric passes the check. The best, ARPpair: ")
    assert len(sentences) <= 5
    assert "made with the judging vectors" in " ".join(sentences)
    assert sentences[-1].endswith("; 5 systems are few: take the correlation for these only.")


def test_raw_scores_without_a_reference_are_warned_of_and_not_marked_as_best(systems):
    every = {key: Segmentation(d.n_units, range(1, d.n_units)) for key, d in zip(GOLD.ids, GOLD, strict=True)}
    results = correlate(GOLD, {**systems, "every": every}, ["SegReFree", "Pk"], resamples=50).results()
    scores = tables_of(results)[-1]
    assert results.systems["every"]["SegReFree"].score == 0.0
    assert [column.title for column in scores.columns if column.direction] == ["Pk"]
    assert any(note.startswith("every: ") and "SegReFree is 0 there" in note for note in scores.notes)


def test_a_system_that_equals_the_reference_is_marked_and_left_out_of_systems_only(systems):
    """Gold is a leverage point: every metric tells it from systems."""
    metrics = ["ARPpair", "Pk"]
    moved = {key: GOLD[key].segmentation for key in GOLD.ids[1:]}
    nearly = {GOLD.ids[0]: Segmentation(GOLD[GOLD.ids[0]].n_units, (1,)), **moved}
    found = correlate(GOLD, {**systems, "gold": GOLD, "nearly": nearly}, metrics, resamples=20)
    assert [name for name, system in found.facts.ranked.items() if system.reference] == ["gold"]
    rows = {row.reading: row for row in found.facts.rows}
    assert list(rows) == ["all", "without baselines", "density removed", "systems only"]
    assert [row.systems for row in rows.values()] == [8, 7, 7, 6]
    without = correlate(GOLD, {**systems, "nearly": nearly}, metrics, resamples=20)
    theirs = {row.reading: row for row in without.facts.rows}
    assert rows["systems only"].pearson == theirs["without baselines"].pearson
    assert rows["systems only"].kendall == theirs["systems only"].kendall
    results = found.results()
    assert "and gold, which equals the reference, they " in answer_of(results)[1]
    scores = tables_of(results)[-1]
    assert "gold =" in [str(row[0]) for row in scores.rows]
    assert "= equals the reference" in scores.notes


def test_metrics_are_compared_on_the_same_resamples(systems):
    """The difference of two correlations, and its interval, against arithmetic on the resamples themselves."""
    outcome = correlate(GOLD, systems, ["ARPpair", "SegReFree", "Silhouette", "Pk", "B"], resamples=60, seed=3)
    facts = outcome.facts
    assert len(facts.differences) == 3 * 2 * 4
    bootstrap = Bootstrap(len(GOLD), 60, 3)
    names = list(systems)
    drawn = {
        metric: np.stack([measured.replicates(bootstrap)[metric][name] for name in names], axis=1)
        for measured in (outcome.cohesions["default"], outcome.evaluation)
        for metric in measured.metrics
    }

    def r(metric, rows):
        sign = {"Pk": -1, "SegReFree": -1}.get(metric, 1)
        return [np.corrcoef(sign * drawn[metric][row], -drawn["Pk"][row])[0, 1] for row in rows]

    (pair,) = (
        each
        for each in facts.differences
        if (each.first, each.second, each.reference, each.reading) == ("ARPpair", "SegReFree", "Pk", "all")
    )
    by = {row.metric: row.pearson.value for row in facts.rows if (row.reference, row.reading) == ("Pk", "all")}
    assert pair.pearson.value == pytest.approx(by["ARPpair"] - by["SegReFree"])
    expected = np.subtract(r("ARPpair", range(60)), r("SegReFree", range(60)))
    assert list(pair.pearson.interval) == pytest.approx(np.percentile(expected, [2.5, 97.5]).tolist())
    titles = [table.title for table in tables_of(outcome.results())]
    assert "Differences between metrics" in titles


def test_pairs_ordered_rightly_are_counted_pair_by_pair(systems):
    outcome = correlate(GOLD, {**systems, "twin": systems["C99"]}, ["Silhouette", "Pk"], resamples=20)
    row = next(row for row in outcome.facts.rows if row.reading == "all")
    scores = outcome.results().systems
    right, pairs, tied = 0.0, 0, 0
    for one, other in itertools.combinations(scores, 2):
        pk = scores[other]["Pk"].score - scores[one]["Pk"].score
        gain = scores[one]["Silhouette"].score - scores[other]["Silhouette"].score
        tied += pk == 0
        pairs += pk != 0
        right += 0 if pk == 0 else 0.5 if gain == 0 else float(gain * pk > 0)
    assert tied >= 1
    assert (row.pairs, row.tied) == (pairs, tied)
    assert row.ordered.value == pytest.approx(right / pairs)
    assert next(row for row in outcome.facts.rows if row.reading == "density removed").ordered is None


def test_the_test_of_validate_is_said_too(systems):
    outcome = correlate(GOLD, systems, ["ARPpair", "SegReFree", "Pk"], resamples=20)
    trusts = validate(GOLD, metrics=["ARPpair", "SegReFree"])
    for name, check in outcome.facts.checks["default"].items():
        assert (check.verdict, check.damages) == (trusts.trust(name).verdict, trusts.trust(name).damages)
    assert trusts.answer()[0] in outcome.answer()
    assert not correlate(GOLD, systems, ["ARPpair", "Pk"], resamples=20, check=False).facts.checks


def test_two_systems_are_refused(systems):
    two = dict(list(systems.items())[:2])
    with pytest.raises(ComparabilityError, match="needs at least 3 of them, and there are 2"):
        correlate(GOLD, two)


def test_a_system_without_boundaries_is_left_out_with_a_note(systems):
    metrics = ["ARPpair", "Pk"]
    found = correlate(GOLD, systems, metrics, baselines="none", resamples=20)
    assert found.facts.left_out == ["none"]
    assert found.facts.rows == correlate(GOLD, systems, metrics, resamples=20).facts.rows
    assert "none" not in found.results().systems
    assert any(note.startswith("left out") and note.endswith(": none") for note in tables_of(found.results())[0].notes)


def test_too_few_systems_with_boundaries_are_refused(systems):
    two = dict(list(systems.items())[:2])
    with pytest.raises(ComparabilityError, match=r"none: not defined.*2 systems are left"):
        correlate(GOLD, two, ["ARPpair", "Pk"], baselines="none", resamples=20)


def test_three_systems_have_no_partial_correlation(systems):
    three = dict(list(systems.items())[:3])
    rows = correlate(GOLD, three, ["Silhouette", "Pk"], resamples=20).facts.rows
    assert rows[0].pearson.value is not None
    assert rows[2].reading == "density removed"
    assert rows[2].pearson.value is None


@pytest.mark.filterwarnings("ignore:.*unknown keys")
@needs(CHOI)
def test_the_correlation_on_choi_comes_from_the_random_rows():
    """Nine systems, the gold boundaries and nine random rows, as in the paper of ARP; the first 12 documents."""
    whole = load(corpus_file(CHOI))
    gold = whole.subset(list(whole.ids)[:12])
    methods = (
        "TextTiling", "C99", "BayesSeg", "MinCutSeg", "APS", "VectorTiling(window=1)", "VectorTiling", "Scatter", "TreeSeg",
    )  # fmt: skip
    systems = {name: run_method(gold, segmenter(name)) for name in methods}
    random = ",".join(["random", *(f"random(p={1 / k:.4g})" for k in range(2, 10))])
    outcome = correlate(gold, {**systems, "gold": gold}, ["ARPpair", "Pk"], baselines=random, resamples=200)
    every, without, _, only = outcome.facts.rows
    assert (every.systems, without.systems, only.systems) == (19, 10, 9)
    assert outcome.facts.ranked["gold"].reference
    assert every.pearson.value == pytest.approx(0.88, abs=0.05)
    assert without.pearson.value == pytest.approx(0.04, abs=0.1)
    assert without.pearson.interval.low < 0 < without.pearson.interval.high
    sentences = answer_of(outcome.results())
    assert sentences[0].startswith("Over all 19 systems, ARPpair and Pk agree")
    assert sentences[1].startswith("Without the 9 baselines and gold, which equals the reference, they ")
    assert "so most of the agreement comes from these" in sentences[1]
    del systems["VectorTiling(window=1)"]  # the one system on which this hangs
    fewer = correlate(gold, {**systems, "gold": gold}, ["ARPpair", "Pk"], baselines=random, resamples=20)
    assert fewer.facts.rows[1].pearson.value > 0.6


def test_paper000_adds_the_gold_and_its_nine_random_systems(systems):
    """The gold is a system, marked as equal to the reference; the random ones are baselines with probability 1/k and 1/2 to 1/9."""
    gold = corpus()
    found = correlate(gold, systems, ["ARPpair", "Pk"], baselines="paper000,even", resamples=20, check=False)
    segments = 1 + len(gold.flat.pos) / len(gold)
    ranked = found.facts.ranked
    assert ranked["gold"].reference
    assert not ranked["gold"].baseline
    random = [f"random(p={1 / k:.6g})" for k in (segments, *range(2, 10))]
    added = [name for name, one in ranked.items() if one.baseline and name not in systems]
    assert added == [*dict.fromkeys(random), "even (oracle)"]
    rows = {row.reading: row.systems for row in found.facts.rows if row.metric == "ARPpair"}
    assert rows["all"] - rows["without baselines"] == sum(one.baseline for one in ranked.values())
    assert rows["without baselines"] - rows["systems only"] == sum(
        one.reference and not one.baseline for one in ranked.values()
    )
    with pytest.raises(ComparabilityError, match="a system is named 'gold', as paper000 names the reference"):
        correlate(gold, {**systems, "gold": gold}, ["ARPpair", "Pk"], baselines="paper000", resamples=2, check=False)
