# SPDX-License-Identifier: Apache-2.0
"""Skill: expectations against the enumeration of all placements; 0 for chance, 1 for perfect."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import MetricError
from caesura.evaluation.chance.clock import clock_pairs
from caesura.evaluation.chance.expected import Asked, Expected, tangent
from caesura.evaluation.chance.skill import chance_of, expectations, skill_of
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.metrics.profiles import profile as find_profile
from caesura.segmentation import Segmentation
from caesura.segmenters import baseline_systems, segmenter
from tests.strategies import UNTITLED, corpora

EXACT = ["F1", "BoundaryPrecision", "BoundaryRecall", "BoundaryF1(matching='one_to_one')", "BOR"]
NEAR = [f"Boundary{rate}(tolerance={reach})" for rate in ("Precision", "Recall") for reach in (1, 2, 30)]
RETRIEVED = ["CovN", "CovNPrecision", "CovNRecall", "CovDPrecision", "CovDRecall"]
GAMMAS = [
    "CovN(gamma=1)",
    "CovN(gamma=1, strict=False)",
    "CovDRecall(gamma=0.67)",
    "CovDPrecision(gamma=0.75, strict=False)",
]
PARTLY = ["W-F1", "BoundaryF1(tolerance=3)", "W-F1(empty='vacuous')", "CovD", "CovD(gamma=0.7, strict=False)"]
WINDOWS = [
    "Pk",
    "Pk(k=3)",
    "Pk(short='shrink')",
    "Pk(k_from='boundaries', min_k=0)",
    "WindowDiff",
    "WindowDiff(k=2)",
    "WindowDiff(rounding='floor', min_k=1)",
    "WindowDiff(short='shrink')",
    "WindowDiff(short='no_error', rounding='floor')",
    "Score",
    "Score(empty='always_zero', k=3)",
]
EMPTY = ["BoundaryF1(empty='vacuous')", "BoundaryPrecision(empty='vacuous')", "F1(empty='always_zero')"]


def of_documents(e, name, draws=200, seed=0):
    """Return the expectation of each document of system a, as given."""
    order = e.drawn_in
    asked = Asked(
        e.metrics[name], lambda: e.counts("a", name)[order], micro=e.aggregation(name) == "micro", used=e.used(name)[order],
        documents=draws,
    )  # fmt: skip
    found = chance_of(e, "a", draws, seed).expected({name: asked})[name].per_document
    given_as = np.empty_like(found)
    given_as[order] = found
    return given_as


def placements(hypothesis):
    """Return every segmentation with as many boundaries."""
    gaps = range(1, hypothesis.n_units)
    return [
        Segmentation(hypothesis.n_units, chosen) for chosen in itertools.combinations(gaps, hypothesis.n_boundaries)
    ]


def enumerated(name, reference, hypothesis):
    """Return the mean score over all placements, by calling the metric on each."""
    scores = [metric(name)(reference, placed) for placed in placements(hypothesis)]
    defined = [score for score in scores if not math.isnan(score)]
    return sum(defined) / len(defined) if defined else math.nan


def laid_out(documents):
    reference = {str(i): r for i, (r, _) in enumerate(documents)}
    return reference, {"a": {str(i): h for i, (_, h) in enumerate(documents)}}


# ------------------------------------------------------------------------------------------- closed form


@settings(deadline=None, max_examples=60)
@given(corpora(max_documents=3, max_units=9), st.sampled_from(WINDOWS))
def test_closed_form_of_windows_is_the_enumeration(documents, name):
    documents = [*documents, (Segmentation(9, (4,)), Segmentation(9, (3, 5)))]  # one that has a window
    e = evaluate(*laid_out(documents), [name])
    found = expectations(e)["a"][name]
    wanted = [enumerated(name, r, h) for r, h in documents]
    assert found.exact
    assert of_documents(e, name).tolist() == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert found.expected == pytest.approx(float(np.nanmean(wanted)), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(corpora(max_documents=3, max_units=9), st.sampled_from(EXACT[:-1] + EMPTY + NEAR + RETRIEVED + GAMMAS))
def test_closed_form_is_the_enumeration(documents, name):
    e = evaluate(*laid_out(documents), [name], by="macro")
    found = expectations(e)["a"][name]
    wanted = [enumerated(name, r, h) for r, h in documents]
    assert found.exact
    assert found.draws == 0
    assert of_documents(e, name).tolist() == pytest.approx(wanted, abs=1e-12)
    assert found.expected == pytest.approx(sum(wanted) / len(wanted), abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(corpora(max_documents=2, max_units=6), st.sampled_from(EXACT + NEAR[::3] + RETRIEVED))
def test_closed_form_of_pooled_counts(documents, name):
    """Micro: all combinations of placements in all documents, each scored as one corpus."""
    reference, systems = laid_out(documents)
    found = expectations(evaluate(reference, systems, [name], by="micro"))["a"][name]
    scores = []
    for placed in itertools.product(*(placements(h) for _, h in documents)):
        hypothesis = {str(i): p for i, p in enumerate(placed)}
        scores.append(evaluate(reference, {"a": hypothesis}, [name], by="micro").scores["a"][name])
    assert found.exact
    assert found.expected == pytest.approx(float(np.mean(scores)), abs=1e-12)


def test_the_edges_by_hand():
    pairs = {
        "both empty": (Segmentation(5), Segmentation(5), 1.0),
        "reference empty": (Segmentation(5), Segmentation(5, (2,)), 0.0),
        "hypothesis empty": (Segmentation(5, (2,)), Segmentation(5), 0.0),
        "one unit": (Segmentation(1), Segmentation(1), 1.0),
        "all": (Segmentation(4, (1,)), Segmentation(4, (1, 2, 3)), 0.5),
    }
    e = evaluate({k: r for k, (r, _, _) in pairs.items()}, {"a": {k: h for k, (_, h, _) in pairs.items()}}, ["F1"])
    assert of_documents(e, "F1").tolist() == [wanted for _, _, wanted in pairs.values()]


@settings(deadline=None, max_examples=60)
@given(corpora(max_documents=1, max_units=9), st.sampled_from(PARTLY), st.booleans())
def test_the_linear_part_is_the_enumeration(documents, name, swap):
    (reference, hypothesis), m = documents[0], metric(name)
    swap = swap and "Cov" not in name

    def given_as(placed):
        return Pairs.of(placed, reference) if swap else Pairs.of(reference, placed)

    expected = m.expected_counts(m.count(given_as(hypothesis)), Pairs.of(reference, hypothesis), swap=swap)
    every = np.array([m.count(given_as(placed))[0] for placed in placements(hypothesis)])
    assert expected[0].tolist() == pytest.approx(every.mean(axis=0).tolist(), abs=1e-12)
    linear = tangent(m, every, np.repeat(expected, len(every), axis=0), "sentence")
    assert tangent(m, expected, expected, "sentence").tolist() == pytest.approx([linear.mean()], abs=1e-12)


@pytest.mark.parametrize("by", ["macro", "micro"])
@pytest.mark.parametrize("name", PARTLY)
def test_only_the_rest_of_a_nearly_linear_score_is_drawn(name, by):
    """The mean stays that of all placements; the spread of the draws shrinks to that of what is not linear."""
    m = metric(name)
    found = expectations(evaluate(*laid_out(DOCUMENTS), [name], by=by), draws=1500)["a"][name]
    pairs = [Pairs.of(*each) for each in DOCUMENTS]
    expected = np.concatenate([m.expected_counts(m.count(each), each, swap=False) for each in pairs])
    expected = expected if by == "macro" else expected.sum(axis=0, keepdims=True)
    scores, rests = [], []
    for placed in itertools.product(*(placements(h) for _, h in DOCUMENTS)):
        counts = np.array([m.count(Pairs.of(r, p))[0] for (r, _), p in zip(DOCUMENTS, placed, strict=True)])
        counts = counts if by == "macro" else counts.sum(axis=0, keepdims=True)
        scores.append(m.score(counts).mean())
        rests.append(m.score(counts).mean() - tangent(m, counts, expected, "sentence").mean())
    assert found.expected == pytest.approx(np.mean(scores), abs=5 * np.std(rests) / math.sqrt(1500) + 1e-12)
    assert found.error == pytest.approx(np.std(rests) / math.sqrt(1500), rel=0.2, abs=1e-12)
    assert np.std(rests) < 0.3 * np.std(scores)
    assert found.signature == "chance:uniform|linear:exact|draws:1500|seed:0"


# ------------------------------------------------------------------------------------------- simulation


DOCUMENTS = [
    (Segmentation(9, (3, 6)), Segmentation(9, (3, 7))),
    (Segmentation(8, (4,)), Segmentation(8, (2, 4, 5))),
    (Segmentation(7, (2, 3, 5)), Segmentation(7, (6,))),
]


@pytest.mark.parametrize("profile", ["caesura", "swapped", "swapped_first_plus_one"])
def test_every_metric_is_near_its_enumeration(profile):
    """Within five standard errors of the mean over all placements; under ``swapped`` the system is still drawn."""
    names = [*UNTITLED, "W-F1", "BoundaryF1(tolerance=1, matching='as_run')", "Purity(weighting='segment')"]
    e = evaluate(*laid_out(DOCUMENTS), names, profile=profile, by="macro")
    found = expectations(e, draws=1500, seed=1)["a"]
    for name in names:
        wanted, m = [], metric(name)
        for reference, hypothesis in DOCUMENTS:
            arranged = [find_profile(profile).arranged(Pairs.of(reference, p)) for p in placements(hypothesis)]
            wanted.append(float(np.mean([m.score(m.count(each))[0] for each in arranged])))
        each = found[name]
        assert abs(each.expected - np.mean(wanted)) <= 5 * each.error + 1e-9, name
        assert of_documents(e, name, 1500, 1).tolist() == pytest.approx(wanted, abs=0.06), name
        assert each.exact == (
            name
            in (
                *(*EXACT, "BoundaryF1", "BoundaryCountError"),
                *((*WINDOWS, "DialogueScore", *RETRIEVED) if profile == "caesura" else ()),
            )
        )


def test_simulation_agrees_with_the_closed_form():
    """A length class without an end holds every boundary, but is not known to: the same number, simulated."""
    names = ["F1", "BoundaryF1(length='long', cut=1)"]
    found = expectations(evaluate(*laid_out(DOCUMENTS), names), draws=2000)["a"]
    exact, simulated = found[names[0]], found[names[1]]
    assert exact.exact
    assert not simulated.exact
    assert simulated.expected == pytest.approx(exact.expected, abs=5 * simulated.error)


def test_micro_simulation():
    e = evaluate(*laid_out(DOCUMENTS), ["W-F1"], by="micro")
    found = expectations(e, draws=2000)["a"]["W-F1"]
    scores = []
    m = metric("W-F1")
    for placed in itertools.product(*(placements(h) for _, h in DOCUMENTS)):
        counts = [m.counts(r, p) for (r, _), p in zip(DOCUMENTS, placed, strict=True)]
        scores.append(float(m.score(np.array([sum(c[k] for c in counts) for k in m.columns]))))
    assert found.expected == pytest.approx(float(np.mean(scores)), abs=5 * found.error)


# ------------------------------------------------------------------------------------------- what it says


@pytest.fixture(scope="module")
def reference():
    rng = np.random.default_rng(3)
    documents = {}
    for i in range(60):
        n = int(rng.integers(30, 60))
        documents[str(i)] = Segmentation(n, np.sort(rng.choice(n - 1, 5, replace=False) + 1))
    return Corpus.from_segmentations(documents)


def test_pooled_metrics_of_one_table_do_not_share_what_differs():
    # Both read the counts of a tolerance of 1, but other columns of them; CovN and CovD the same ones.
    reference = {str(n): Segmentation(30, (5, 6, 7, 20)) for n in range(4)}
    system = {"a": {key: Segmentation(30, (6, 12, 13)) for key in reference}}
    names = ["W-F1", "W-F1(matching='one_to_one')", "CovN", "CovD"]
    together = expectations(evaluate(reference, system, names, by="micro"), 40)["a"]
    for name in names:
        alone = expectations(evaluate(reference, system, [name], by="micro"), 40)["a"][name]
        assert together[name].expected == alone.expected
    assert together["W-F1"].expected > together[names[1]].expected


def test_chance_has_no_skill_and_perfect_has_one(reference):
    systems = {**baseline_systems("random_density,none,all", reference, seed=4), "perfect": reference}
    names = ["Pk", "WindowDiff", "F1", "W-F1", "B", "Purity", "Coverage", "CovN"]
    found = expectations(evaluate(reference, systems, names))
    for name in names:
        assert found["perfect"][name].skill == pytest.approx(1.0)
        assert abs(found["random_density (oracle)"][name].skill) < 0.08
        for still in ("none", "all"):
            assert found[still][name].skill in (0.0, None)
    assert found["none"]["Coverage"].skill is None
    assert found["all"]["Purity"].skill is None


def test_density_alone_is_no_skill(reference):
    """Half of all gaps at random find nearly every boundary within one unit; none of it is skill."""
    systems = {str(seed): segmenter("random(p=0.5)").segment(reference, seed) for seed in range(12)}
    evaluation = evaluate(reference, systems, ["BoundaryRecall(tolerance=1)"])
    every = [e for row in expectations(evaluation).values() for e in row.values()]
    assert min(score for row in evaluation.scores.values() for score in row.values()) > 0.8
    assert abs(np.mean([e.skill for e in every])) < 0.12


def test_equal_numbers_of_boundaries_have_equal_chance(reference):
    systems = {**baseline_systems("random_density", reference, seed=9), "perfect": reference}
    found = expectations(evaluate(reference, systems, ["W-F1"]), draws=30)
    assert found["perfect"]["W-F1"].expected == found["random_density (oracle)"]["W-F1"].expected


def test_deterministic_and_seeded(reference):
    e = evaluate(reference, baseline_systems("random_density", reference), ["W-F1", "F1"])
    one, again, other = (expectations(e, 30, seed)["random_density (oracle)"]["W-F1"] for seed in (1, 1, 2))
    assert one.expected == again.expected != other.expected
    assert one.signature == "chance:uniform|linear:exact|draws:30|seed:1"
    assert expectations(e, 30)["random_density (oracle)"]["F1"].signature == "chance:uniform|exact"


def test_documents_left_out_of_the_score_are_left_out_of_chance():
    """Pk is not defined on a document of two units: its score and its expectation speak of the other one."""
    documents = [(Segmentation(2, (1,)), Segmentation(2, (1,))), DOCUMENTS[0]]
    e = evaluate(*laid_out(documents), ["Pk"])
    first, second = of_documents(e, "Pk", 400)
    assert math.isnan(first)
    assert expectations(e, draws=400)["a"]["Pk"].expected == pytest.approx(second)


def test_only_documents_that_all_systems_have():
    documents, systems = laid_out(DOCUMENTS)
    systems["b"] = {key: value for key, value in systems["a"].items() if key != "1"}
    e = evaluate(documents, systems, ["W-F1"], missing="skip")
    assert len(e.pairs["a"]) == 2
    found = expectations(e, draws=10)
    assert len(of_documents(e, "W-F1", 10)) == 2
    assert found["a"]["W-F1"].expected == found["b"]["W-F1"].expected


def test_milliseconds_and_characters():
    hour = 3_600_000
    reference = {"d": Segmentation(hour, (600_000, 1_800_000), unit="ms")}
    systems = {"a": {"d": Segmentation(hour, (605_000, 2_500_000), unit="ms")}}
    names = ["BoundaryF1(tolerance='10s')", "Pk", "CovD", "BoundaryF1(tolerance='0s')"]
    found = expectations(evaluate(reference, systems, names), draws=50)["a"]
    assert found[names[0]].skill == pytest.approx(0.5, abs=0.05)
    assert found[names[3]].exact


def test_table_and_numbers(reference):
    e = evaluate(reference, baseline_systems("random_density,none", reference), ["F1", "B"])
    e.skill(draws=20, seed=7)
    text = str(e.tables()[1])
    assert "20 draws (seed 7)" in text
    assert text.splitlines()[1].split() == ["system", "metric", "score", "chance", "±", "skill"]
    assert expectations(e, 20)["none"]["B"].exact is False
    assert skill_of(math.inf, math.inf, 1.0) != skill_of(math.inf, math.inf, 1.0)  # NaN


def test_no_draw_is_refused(reference):
    e = evaluate(reference, {"a": reference}, ["Pk"])
    with pytest.raises(MetricError, match="draws is 0"):
        expectations(e, draws=0)


def test_with_many_boundaries_few_draws_are_enough(monkeypatch):
    rng = np.random.default_rng(3)
    reference, hypothesis = (
        {"d": Segmentation(200_000, np.flatnonzero(rng.random(199_999) < 0.2) + 1)} for _ in range(2)
    )

    def evaluation():
        return evaluate(reference, {"a": hypothesis}, ["B", "Pk"])

    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 10**9)
    every = expectations(evaluation())["a"]["B"]
    assert every.draws == 200
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 30_000)
    few = expectations(evaluation())["a"]["B"]
    assert 8 <= few.draws < 200
    assert few.error <= 2e-4
    assert few.signature == f"chance:uniform|draws:{few.draws}|seed:0"
    assert few.expected == pytest.approx(every.expected, abs=1e-3)
    assert few.expected != every.expected
    assert expectations(evaluation(), draws=7)["a"]["B"].draws == 7
    assert expectations(evaluation())["a"]["Pk"].draws == 0
    small = evaluate({"d": Segmentation(12, (3, 6, 9))}, {"a": {"d": Segmentation(12, (2, 6))}}, ["B"])
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 1)
    assert expectations(small)["a"]["B"].draws == 200  # the error stays above


@pytest.mark.parametrize(("n", "reach"), [(5_000, 50), (1_000_000, 50)])
def test_crowded_boundaries_are_drawn_as_precisely(n, reach):
    """All boundaries of the reference are found or missed together, so that precision and recall differ widely."""
    reference = {"d": Segmentation(n, range(2_000, 2_041))}
    system = {"a": {"d": Segmentation(n, range(100, 3_600, 100))}}
    whole, part = f"BoundaryF1(tolerance={reach})", f"BoundaryF1(tolerance={reach}, length='long', cut=1)"
    found = [expectations(evaluate(reference, system, [whole, part]), 400, seed)["a"] for seed in range(5)]
    plain = np.array([each[part].expected for each in found])
    quick = np.array([each[whole].expected for each in found])
    assert quick.min() > 0
    assert quick.std() <= plain.std() / 4
    assert abs(quick.mean() - plain.mean()) <= 4 * plain.std()


def drawn_of(documents):
    """Return the expectation of B of some documents, without a draw."""
    pairs = Pairs.beside(*[Flat.from_segmentations([Segmentation(9, (3,))] * documents)] * 2)
    return Expected(Asked(metric("B"), lambda: np.zeros((documents, 5))), pairs, None, 200)


def test_one_block_that_varies_is_one_block():
    """Seven more that do not say nothing of the error of two draws."""
    varies = drawn_of(8)
    for value in (0.3, 0.302):
        varies.totals.append(np.array([[value, 1.0], *[[0.5, 1.0]] * 7]))
    assert 2e-5 < varies.error < 2e-4
    assert not varies.drawn_enough(early=True)
    for _ in range(3):
        varies.totals += varies.totals[:2]
    assert varies.drawn_enough(early=True)
    alike = drawn_of(8)
    for sign in (-1, 1):
        alike.totals.append(np.array([[0.5 + sign * 3e-4, 1.0]] * 8))
    assert 2e-5 < alike.error < 2e-4
    assert alike.drawn_enough(early=True)


def test_an_error_far_below_is_believed_sooner_but_not_no_error_at_all():
    for step, wanted in ((1e-6, 3), (0.0, 8)):
        mean = drawn_of(1)
        draws = 0
        while not (mean.totals and mean.drawn_enough(early=True)):
            draws += 1
            mean.totals.append(np.array([[0.5 + step * (draws % 2), 1.0]]))
        assert draws == wanted


@pytest.mark.parametrize("by", ["macro", "micro"])
def test_the_standard_error_of_blocks_is_that_of_the_mean(reference, monkeypatch, by):
    """From four draws of nine blocks: the spread of the mean over forty seeds, which nothing but the draws changes."""
    monkeypatch.setattr("caesura.evaluation.chance.expected._BLOCK", 7)
    names = ["B", "W-F1", "Purity", "CovD", "S"]
    e = evaluate(reference, baseline_systems("random_density", reference), names, by=by)
    runs = [expectations(e, 4, seed)["random_density (oracle)"] for seed in range(40)]
    for name in names:
        errors = [run[name].error for run in runs]
        spread = np.std([run[name].expected for run in runs], ddof=1)
        pooled_rest = by == "micro" and name in PARTLY  # the larger of two estimates
        found = math.sqrt(np.mean(np.square(errors)))
        assert 0.75 * spread < found < (1.6 if pooled_rest else 1.3) * spread, name
        if name not in PARTLY:  # of four draws of one block it would vary by two fifths
            assert np.std(errors) < 0.3 * np.mean(errors), name


def test_a_metric_does_not_depend_on_the_others(reference, monkeypatch):
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 1)
    monkeypatch.setattr("caesura.evaluation.chance.expected._ERROR", 2e-3)
    monkeypatch.setattr("caesura.evaluation.chance.expected._BLOCK", 7)
    names = ["B", "W-F1", "Purity", "CovD", "Coverage"]
    systems = baseline_systems("random_density", reference)
    together = expectations(evaluate(reference, systems, names))["random_density (oracle)"]
    assert len({each.draws for each in together.values()}) > 1
    for name in names:
        alone = expectations(evaluate(reference, systems, [name]))["random_density (oracle)"][name]
        assert (alone.expected, alone.draws, alone.error) == (
            together[name].expected, together[name].draws, together[name].error
        )  # fmt: skip


def test_segments_of_very_many_units_are_drawn():
    """A sum over every length would take as long as a document has units."""
    reference = {"d": Segmentation(2**40, (2**20, 2**30))}
    found = expectations(evaluate(reference, {"a": reference}, ["CovN", "W-F1", "Pk"]), draws=5)["a"]
    assert [each.draws for each in found.values()] == [5, 5, 5]
    day = {"d": Segmentation(86_400_000, (2**20, 2**24))}
    recall = expectations(evaluate(day, {"a": day}, ["BoundaryRecall(tolerance=10000)"]))["a"]
    assert [each.expected for each in recall.values()] == pytest.approx([2 * 20_001 / 86_399_999], rel=1e-3)


def test_closed_forms_do_not_depend_on_blocks(monkeypatch):
    names = ["Pk", "WindowDiff", "F1", "BOR", "BoundaryRecall(tolerance=1)", "CovN"]
    e, again = (evaluate(*laid_out(DOCUMENTS), names) for _ in range(2))
    whole = {name: (expectations(e)["a"][name], of_documents(e, name)) for name in names}
    monkeypatch.setattr("caesura.evaluation.chance.expected._BLOCK", 2)
    for name, found in expectations(again)["a"].items():
        assert (found.exact, found.expected) == (True, whole[name][0].expected)
        np.testing.assert_array_equal(of_documents(again, name), whole[name][1])


def test_what_needs_no_reading_stands_beside_any_metric(reference):
    systems = {"a": segmenter("random(p=0.2)").segment(reference, 3), "perfect": reference}
    e = evaluate(reference, systems, ["B", "CovN"])
    for name in ("B", "CovN"):
        found, chance = e.blind(name), expectations(e)
        for system, blind in found.items():
            assert (blind.chance, blind.error) == (chance[system][name].expected, chance[system][name].error)
            assert blind.signature == chance[system][name].signature
            clocks = [evaluate(reference, {"c": each}, [name]).scores["c"][name] for each in even_and_every(e, system)]
            assert blind.clock == pytest.approx(max(clocks))
            assert blind.bor == pytest.approx(sum(s.n_boundaries for s in map(by_id(e, system), e.documents)) / 300)
        results = e.results()
        assert results.systems["a"][name].blind == found["a"]


def even_and_every(e, system):
    """Return the two clocks of a system as corpora."""
    return [
        Corpus.from_segmentations({key: pairs.hypothesis.segmentation(row) for row, key in enumerate(e.documents)})
        for pairs in clock_pairs(e.pairs[system]).values()
    ]


def by_id(e, system):
    """Return a function from a document to what the system gave."""
    flat, rows = e.pairs[system].hypothesis, {key: row for row, key in enumerate(e.documents)}
    return lambda key: flat.segmentation(rows[key])
