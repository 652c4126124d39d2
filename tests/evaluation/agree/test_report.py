"""`agreement`: coefficients with intervals, the annotators one by one, pairs, contested gaps, planning."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.errors import CaesuraError, ComparabilityError, MetricError, OutputExistsError
from caesura.evaluation.agree import Agreement, agreement, planning, report
from caesura.evaluation.agree.coefficients import DEFAULT_COEFFICIENTS
from caesura.metrics import metric
from caesura.results import as_float as as_nan
from caesura.results import as_text, tables_of
from caesura.results.agree.answer import answer
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap
from caesura.table import Table
from tests.metrics import brute_panels as brute
from tests.metrics.brute import as_float
from tests.strategies import panels


def table(report: Agreement, title: str) -> Table:
    """Return the table whose title begins so."""
    return next(table for table in report.tables() if table.title.startswith(title))


def corpus_of(*documents: tuple[int, dict[str, tuple[int, ...]]], unit: str = "unit") -> Corpus:
    """Return documents d1, d2, ... of so many units, with the boundaries of each annotator."""
    return Corpus(
        [
            Document(
                id=f"d{place}",
                n_units=n,
                unit=unit,
                annotations={name: Segmentation(n, gaps, unit=unit) for name, gaps in people.items()},
            )
            for place, (n, people) in enumerate(documents, start=1)
        ]
    )


SMALL = corpus_of(
    (20, {"x": (5, 10), "y": (5, 10, 15), "z": (10,)}),
    (10, {"x": (5,), "y": (5,), "z": ()}),
    (10, {"x": (3,), "w": (3, 6)}),
)


@pytest.fixture(scope="module")
def moonstone() -> Agreement:
    return agreement(bundled("moonstone"), resamples=300)


# ---------------------------------------------------------------------------------------------- coefficients


@pytest.mark.parametrize("name", DEFAULT_COEFFICIENTS)
def test_a_coefficient_is_the_mean_over_documents(name: str) -> None:
    found = agreement(SMALL).coefficients[name]
    alone = [metric(name)(document.annotations) for document in SMALL]
    parts = [metric(name).parts(document.annotations) for document in SMALL]
    assert [as_nan(value) for value in found.per_document] == pytest.approx(alone, nan_ok=True)
    assert found.metric == str(metric(name))
    assert found.score == pytest.approx(np.mean(alone))
    assert found.sd == pytest.approx(np.std(alone, ddof=1))
    assert found.observed == pytest.approx(np.mean([p["observed"] for p in parts]))
    assert found.expected == pytest.approx(np.mean([p["expected"] for p in parts]))
    assert (found.documents, found.undefined, found.reason) == (3, 0, None)


def test_the_interval_resamples_documents() -> None:
    found = agreement(SMALL, ["FleissKappa"], resamples=400, seed=7).coefficients["FleissKappa"]
    resampling = Bootstrap(3, 400, 7)
    interval = resampling.interval(resampling.mean(np.array(found.per_document)))
    assert found.interval == (interval.low, interval.high)
    assert found.score in interval
    assert interval.low >= min(found.per_document)
    assert interval.high <= max(found.per_document)


def test_seeds_decide(moonstone: Agreement) -> None:
    again = agreement(bundled("moonstone"), resamples=300)
    other = agreement(bundled("moonstone"), resamples=300, seed=1)
    for name, found in moonstone.coefficients.items():
        assert again.coefficients[name].interval == found.interval
        assert other.coefficients[name].interval != found.interval
        assert other.coefficients[name].score == found.score


def test_undefined_documents_are_counted_and_left_out() -> None:
    corpus = corpus_of((9, {"x": (3,), "y": (3, 6)}), (9, {"x": (), "y": ()}), (9, {"x": (4,)}))
    found = agreement(corpus).coefficients["FleissKappa"]
    assert (found.documents, found.undefined) == (1, 2)
    assert found.score == pytest.approx(as_float(brute.fleiss(list(corpus["d1"].annotations.values()))))
    assert found.sd is None


@pytest.mark.parametrize("gaps", [(), (1, 2, 3, 4)])
def test_unanimity_in_one_category_is_undefined_with_its_reason(gaps: tuple[int, ...]) -> None:
    report = agreement(corpus_of((5, {"x": gaps, "y": gaps}), (5, {"x": gaps, "y": gaps})))
    for name, found in report.coefficients.items():
        if "include_end" in name and not gaps:
            assert found.score == 1.0  # the end is the other category
            continue
        assert found.score is None, name
        assert (
            found.reason == "one annotator only, or all chose the same everywhere, so that chance explains everything"
        )
        assert found.documents == 0
        assert found.interval == (None, None)
        assert (found.observed, found.expected, found.bias) == (None, None, None)
        assert found.undefined == 2
    assert any("FleissKappa: undefined (one annotator only" in note for note in table(report, "Agreement").notes)


def test_one_annotator_so_far_is_told_density_and_progress() -> None:
    report = agreement(corpus_of((50, {"x": (2, 20)}), (60, {"x": (2,)}), (30, {})))
    assert answer(report.results()) == (
        "x has coded 2 of 3 documents, 110 units with 3 boundaries (1.5 per document): a segment has 22.0 units on average.",
        "Agreement needs a second annotator on the same documents.",
    )
    assert report.annotators["x"].per_100_units == pytest.approx(100 * 3 / 110)
    # Two people who share no document.
    first, second, last = answer(agreement(corpus_of((5, {"x": (2,)}), (6, {"y": (2, 4)}))).results())
    assert first.startswith(
        "x has coded 1 of 2 documents, 5 units with 1 boundary (1.0 per document): a segment has 2.5"
    )
    assert second.startswith(
        "y has coded 1 of 2 documents, 6 units with 2 boundaries (2.0 per document): a segment has 2.0"
    )
    assert last == "Agreement needs a second annotator on the same documents."


def test_no_coefficient() -> None:
    with pytest.raises(MetricError, match="'Pk' is not an agreement coefficient; choose from AgreementB"):
        _ = agreement(SMALL, ["Pk"]).coefficients
    with pytest.raises(MetricError, match="is not a metric"):
        _ = agreement(SMALL, ["Kappa"]).coefficients


def test_the_public_door() -> None:
    assert cz.agreement is agreement
    assert agreement(SMALL).panel.names == ("x", "y", "z", "w")


def test_time_and_characters_need_no_distance() -> None:
    """B and S mean nothing in milliseconds; what does is still shown."""
    for unit in ("ms", "character"):
        report = agreement(corpus_of((9000, {"x": (3000,), "y": (3100, 6000)}), unit=unit))
        assert set(report.coefficients) == {
            "FleissKappa",
            "FleissKappa(include_end=True)",
            "MultiKappa",
            "KrippendorffAlpha",
        }
        assert set(report.results().agreement.pairwise) == {"Pk", "WindowDiff"}
        assert report.by == "WindowDiff"
        assert len(report.tables()) == 9
    spoken = agreement(
        corpus_of((9000, {"x": (3000,), "y": (3100, 6000)}), unit="ms"), ["AgreementB(n_t='1s')"], by="B(n_t='1s')"
    )
    assert spoken.coefficients["AgreementB(n_t='1s')"].score > 0
    assert spoken.annotators["x"].agreement == pytest.approx(0.45)  # one near miss by a tenth of n_t, one addition


# ---------------------------------------------------------------------------------------------- annotators


def test_annotators_by_hand() -> None:
    rows = agreement(SMALL).annotators
    assert {name: (row.documents, row.boundaries) for name, row in rows.items()} == {
        "x": (3, 4),
        "y": (2, 4),
        "z": (2, 1),
        "w": (1, 2),
    }
    assert {name: row.per_100_units for name, row in rows.items()} == pytest.approx(
        {"x": 10.0, "y": 100 * 4 / 30, "z": 100 / 30, "w": 20.0}
    )
    # x: the others set 2 + 0.5 + 2 on average where x set 4; y: 1.5 + 0.5; z: 2.5 + 1; w: 1.
    assert {name: row.bias for name, row in rows.items()} == pytest.approx(
        {"x": 4 / 4.5 - 1, "y": 1.0, "z": 1 / 3.5 - 1, "w": 1.0}
    )
    # B: x and y 2/3, x and z 1/2, y and z 1/3 in d1; 1, 0, 0 in d2; x and w 1/2 in d3.
    assert {name: row.agreement for name, row in rows.items()} == pytest.approx(
        {"x": (7 / 12 + 1 / 2 + 1 / 2) / 3, "y": (1 / 2 + 1 / 2) / 2, "z": (5 / 12 + 0) / 2, "w": 1 / 2}
    )
    assert rows["w"].interval == (None, None)  # one document has no spread
    # y agrees with the others by one half in both documents, z in no resample by more than 5/12.
    assert [name for name, row in rows.items() if row.outlier] == ["z"]


def test_bias_where_nobody_or_silence_is_beside() -> None:
    rows = agreement(corpus_of((9, {"x": (3,), "y": ()}), (9, {"z": (4,)}), (9, {"u": (), "v": ()}))).annotators
    assert rows["x"].bias == math.inf  # the other set none
    assert rows["y"].bias == -1.0
    assert rows["u"].bias == 0.0
    assert rows["z"].bias is None
    assert rows["z"].agreement is None


OUTLIER = [(20, {"a": (5, 10), "b": (5, 10), "c": (5, 10), "d": (3, 14)})] * 4
APART = [(20, {"e": (4,), "f": (9,), "g": (14,)})] * 4


def test_an_outlier_stands_apart_from_colleagues() -> None:
    rows = agreement(corpus_of(*OUTLIER, *APART)).annotators
    # e, f and g agree with nobody, but nobody of those who read the same documents does better.
    assert [name for name, row in rows.items() if row.outlier] == ["d"]
    assert (rows["d"].agreement, rows["e"].agreement) == (0.0, 0.0)
    assert rows["a"].agreement == pytest.approx(2 / 3)
    shown = table(agreement(corpus_of(*OUTLIER)), "Annotators")
    assert [row[-1] for row in shown.rows] == ["", "", "", "agreement"]


def test_a_penalty_turns_the_outlier_round() -> None:
    rows = agreement(corpus_of(*OUTLIER, *APART), by="WindowDiff").annotators
    assert [name for name, row in rows.items() if row.outlier] == ["d"]
    assert rows["d"].agreement > rows["a"].agreement


def test_two_annotators_have_no_outlier() -> None:
    rows = agreement(corpus_of(*[(20, {"a": (5, 10), "b": (7,)})] * 3)).annotators
    assert not any(row.outlier for row in rows.values())


def test_documents_without_a_window_are_left_out() -> None:
    """Two units have no window, so Pk is not defined; the others count."""
    report = agreement(corpus_of((2, {"x": (1,), "y": ()}), (10, {"x": (3,), "y": (3, 5)})), by="Pk")
    both = [metric("Pk(k=2)")(a, b) for a, b in itertools.permutations(report.panel.of_document(1).values())]
    assert report.annotators["x"].agreement == pytest.approx(both[0])
    assert report.pairwise("Pk").per_document.tolist() == pytest.approx([math.nan, np.mean(both)], nan_ok=True)


def test_the_metric_of_the_table_must_be_one_of_pairs() -> None:
    with pytest.raises(MetricError, match="'FleissKappa' is not a pairwise metric"):
        _ = agreement(SMALL, by="FleissKappa").annotators
    with pytest.raises(MetricError, match="'MultiWindowDiff' is not a pairwise metric"):
        agreement(SMALL).pairwise("MultiWindowDiff")


# ---------------------------------------------------------------------------------------------- pairs


@settings(max_examples=25)
@given(documents=st.lists(panels(max_units=14, max_annotators=4), min_size=1, max_size=3))
@pytest.mark.parametrize("name", ["Pk", "WindowDiff", "B", "EditPrecision", "WindowDiff(k=3)"])
def test_pairs_restated(name: str, documents: list[dict[str, Segmentation]]) -> None:
    corpus = Corpus([Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(documents)])
    report, windowed = agreement(corpus, resamples=2), name in ("Pk", "WindowDiff")
    for window in ("pooled", "reference"):
        found = report.pairwise(name, window)  # type: ignore[arg-type]
        assert found.names == report.panel.names
        cells: dict[tuple[str, str], list[float]] = {}
        for row, people in enumerate(documents):
            k = brute.pooled(list(people.values()))
            ours = metric(f"{name}(k={k})" if windowed and window == "pooled" else name)
            scores = {(a, b): ours(people[a], people[b]) for a, b in itertools.permutations(people, 2)}
            known = [score for score in scores.values() if not math.isnan(score)]
            assert found.per_document[row] == pytest.approx(np.mean(known) if known else math.nan, nan_ok=True)
            for pair, score in scores.items():
                cells.setdefault(pair, []).append(score)
        for (a, b), both in cells.items():
            known = [score for score in both if not math.isnan(score)]
            place = found.names.index(a), found.names.index(b)
            assert found.documents[place] == len(known)
            assert found.matrix[place] == pytest.approx(np.mean(known) if known else math.nan, nan_ok=True)
        assert np.isnan(np.diag(found.matrix)).all()


def test_annotators_with_no_document_in_common_have_no_score() -> None:
    found = agreement(corpus_of((9, {"x": (3,), "y": (3,)}), (9, {"u": (4,), "v": (4,)}))).pairwise("B")
    place = found.names.index("x"), found.names.index("u")
    assert math.isnan(found.matrix[place])
    assert found.documents[place] == 0
    assert found.matrix[found.names.index("x"), found.names.index("y")] == 1.0
    assert found.row().matrix[0][2] is None


def test_no_pair_at_all_is_undefined() -> None:
    report = agreement(corpus_of((9, {"x": (3,)}), (2, {"u": (1,), "v": ()})))
    assert math.isnan(report.pairwise("Pk").mean)
    assert math.isnan(report.pairwise("Pk").sd)


# ---------------------------------------------------------------------------------------------- contested gaps


def settled(people: dict[str, Segmentation], gap: int) -> dict[str, Segmentation]:
    """Let everybody vote on a gap like the majority; a tie marks it."""
    votes = sum(gap in coding.boundaries for coding in people.values())
    marked = 2 * votes >= len(people)
    return {
        name: Segmentation(c.n_units, sorted({*c.boundaries, gap} if marked else {*c.boundaries} - {gap}))
        for name, c in people.items()
    }


@settings(max_examples=40)
@given(documents=st.lists(panels(min_units=2, max_units=10), min_size=1, max_size=3))
def test_a_gain_is_kappa_afterwards(documents: list[dict[str, Segmentation]]) -> None:
    corpus = Corpus([Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(documents)])
    kappa, report = metric("FleissKappa"), agreement(corpus, resamples=2)
    defined = sum(not math.isnan(kappa(people)) for people in documents)
    wanted = set()
    for item in report.contested:
        people = documents[int(item.document)]
        gain = (kappa(settled(people, item.gap)) - kappa(people)) / defined
        assert as_nan(item.gain) == pytest.approx(gain, abs=1e-12, nan_ok=True)
        assert set(item.votes_for) | set(item.votes_against) == set(people)
        assert all(item.gap in people[name].boundaries for name in item.votes_for)
        assert not any(item.gap in people[name].boundaries for name in item.votes_against)
        wanted.add((item.document, item.gap))
    expected = {
        (str(i), gap)
        for i, people in enumerate(documents)
        for gap, share in brute.support(people, 0).items()
        if share < 1
    }
    assert wanted == expected
    gains = [item.gain for item in report.contested if item.gain is not None]
    assert gains == sorted(gains, reverse=True)
    assert all(item.gain is None for item in report.contested[len(gains) :])


def test_contested_gaps_quote_the_text(moonstone: Agreement) -> None:
    first = moonstone.contested[0]
    units = bundled("moonstone")[first.document].units
    assert units is not None
    assert first.before is not None
    assert " ".join(units[first.gap - 1].split()).startswith(first.before.rstrip("…"))
    assert all(len(item.before or "") <= 120 and len(item.after or "") <= 120 for item in moonstone.contested)
    assert agreement(SMALL).contested[0].before is None
    assert "more" in table(moonstone, "Contested").notes[-1]


# ---------------------------------------------------------------------------------------------- planning


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_DRAWS", 400)
    monkeypatch.setattr(planning, "_SUBSETS", 60)


@pytest.mark.usefixtures("quick")
def test_a_wider_interval_needs_fewer_documents(moonstone: Agreement) -> None:
    narrow, wide, enough = (moonstone.plan(width) for width in (0.08, 0.12, 0.9))
    assert narrow.documents_needed is not None
    assert wide.documents_needed is not None
    assert narrow.documents_needed > wide.documents_needed > 8
    assert (enough.documents, enough.documents_needed) == (8, 2)
    assert enough.annotators_needed == 2
    assert (narrow.annotators, narrow.coefficient, narrow.level) == (6, "FleissKappa", 0.95)
    # The width falls with the root of the documents: 1.5 times narrower, 2.25 times as many.
    assert narrow.documents_needed / wide.documents_needed == pytest.approx(2.25, rel=0.35)
    assert set(narrow.by_annotators) == {2, 3, 4, 5, 6}


@pytest.mark.usefixtures("quick")
def test_a_plan_starts_from_the_interval_that_is_reported(moonstone: Agreement) -> None:
    low, high = moonstone.coefficients["FleissKappa"].interval
    assert moonstone.plan(0.1).width_now == pytest.approx(high - low, rel=0.1)


@pytest.mark.usefixtures("quick")
def test_a_plan_depends_on_its_seed_alone(moonstone: Agreement) -> None:
    assert moonstone.plan(0.1) == moonstone.plan(0.1)
    other = dataclasses.replace(moonstone, bootstrap=dataclasses.replace(moonstone.bootstrap, seed=5))
    assert other.plan(0.1).width_now != moonstone.plan(0.1).width_now
    assert other.plan(0.1).width_now == pytest.approx(moonstone.plan(0.1).width_now, rel=0.25)


@pytest.mark.usefixtures("quick")
def test_what_cannot_be_reached_is_none(moonstone: Agreement, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_MOST_DOCUMENTS", 100)
    assert moonstone.plan(0.01).documents_needed is None
    two = corpus_of((20, {"x": (5, 10), "y": (5, 15)}), (20, {"x": (5, 10), "y": (5, 10)}), (9, {"x": (1,), "y": (3,)}))
    assert agreement(two).plan(0.01).annotators_needed is None  # two annotators tell nothing of three


def test_annotators_are_extrapolated() -> None:
    """Squared width 0.04 + 0.1 / h: 0.25 is reached at h = 0.1 / 0.0225 = 4.4, 0.1 never, 0.3 within the pilot."""
    widths = {h: math.sqrt(0.04 + 0.1 / h) for h in (2, 3, 4)}
    needed = planning._annotators_needed
    assert needed(widths, 0.25) == 5
    assert needed(widths, 0.1) is None
    assert needed(widths, 0.3) == 2
    assert needed({2: 0.3, 3: 0.2}, 0.1) is None
    assert needed({2: 0.2, 3: 0.3, 4: 0.4}, 0.1) is None  # no gain to continue
    assert needed({}, 0.1) is None


@pytest.mark.usefixtures("quick")
def test_two_documents_that_are_alike_are_enough() -> None:
    same = agreement(corpus_of(*[(20, {"x": (5, 10), "y": (5,)})] * 3)).plan(0.1)
    assert (same.width_now, same.documents_needed) == (0.0, 2)


@pytest.mark.parametrize("width", [0.1, 0.2, 0.4])
def test_a_large_pilot_may_have_more_documents_than_are_needed(width: float) -> None:
    """Normal values with sd 0.149: the fewest documents n with 2 t s / sqrt(n) below the width; 9 by the normal limit at 0.2."""
    from scipy.stats import t

    values = np.random.default_rng(4).normal(0.4, 1, 100)
    values = 0.4 + 0.149 * (values - values.mean()) / values.std(ddof=1)
    rng = np.random.default_rng(0)
    found = planning._documents_needed(values, width, rng, 0.95)
    expected = next(n for n in range(2, 200) if 2 * t.ppf(0.975, n - 1) * 0.149 / math.sqrt(n) <= width)
    assert found is not None
    assert found < 100
    assert abs(found - expected) <= max(1, 0.1 * expected)
    if width == 0.2:
        assert math.ceil((2 * 1.96 * 0.149 / width) ** 2) == 9 <= found <= 12 == expected


@pytest.mark.parametrize(
    ("width", "coefficient", "says"),
    [
        (0.0, "FleissKappa", "it must be above 0"),
        (-1.0, "FleissKappa", "it must be above 0"),
        (math.nan, "FleissKappa", "it must be above 0"),
        (0.1, "Pk", "'Pk' is not an agreement coefficient"),
    ],
)
def test_no_plan(width: float, coefficient: str, says: str) -> None:
    with pytest.raises(CaesuraError, match=says):
        agreement(SMALL).plan(width, coefficient)


def test_a_pilot_needs_two_documents() -> None:
    with pytest.raises(ComparabilityError, match="defined on 1 documents; a pilot needs at least two"):
        agreement(corpus_of((9, {"x": (3,), "y": (4,)}))).plan(0.1)


# ---------------------------------------------------------------------------------------------- whole


def test_results_hold_everything(moonstone: Agreement) -> None:
    results = moonstone.results()
    facts = results.agreement
    assert facts is not None
    assert (results.question, results.unit, results.seed) == ("agree", "paragraph", 0)
    assert results.documents == list(moonstone.panel.ids)
    assert results.inputs[0].role == "annotations"
    assert facts.coefficients == moonstone.coefficients
    assert set(facts.coefficients) == set(DEFAULT_COEFFICIENTS)
    assert facts.names == [f"an{i}" for i in range(1, 11)]
    assert set(facts.annotators) == set(facts.names)
    assert len(facts.support) == 132
    assert set(facts.pairwise) == {"Pk", "WindowDiff", "B", "S"}
    assert len(facts.disagreements) == sum(facts.tally.values()) == 4 * 6 + 4 * 15
    assert len(facts.contested) == sum(len(s.marked_by) < s.annotators for s in moonstone.support)
    assert facts.statistics["segments_mean"] == moonstone.statistics()["segments_mean"]
    assert facts.segment_counts == moonstone.segment_counts()


@pytest.mark.usefixtures("quick")
def test_a_plan_becomes_part_of_the_results() -> None:
    report = agreement(bundled("moonstone"), resamples=50)
    before = report.results().agreement
    assert before is not None
    assert before.plan is None
    plan = report.plan(0.1)
    results = report.results()
    assert results.agreement is not None
    assert results.agreement.plan == plan
    last = report.tables()[-1]
    assert [row[0] for row in last.rows] == [2, 3, 4, 5, 6]
    assert f"{plan.documents_needed} documents like these" in last.notes[-1]


UNDEFINED = corpus_of((9, {"x": (3,), "y": ()}), (9, {"z": (4,)}), (2, {"u": (1,), "v": ()}))
TIMED = corpus_of((90000, {"x": (30000,), "y": (31000,)}), unit="ms")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("corpus", [SMALL, UNDEFINED, TIMED], ids=["small", "undefined", "timed"])
def test_a_saved_file_is_read_back_and_shown_alike(corpus: Corpus, tmp_path: Path) -> None:
    report = agreement(corpus, resamples=50)
    if corpus is SMALL:
        report.plan(0.5)
    results = report.save(tmp_path / "a.json")
    again = cz.read_results(tmp_path / "a.json")
    assert again == results
    assert [str(table) for table in tables_of(again)] == [str(table) for table in report.tables()]
    assert as_text(again) == as_text(results)


def test_infinity_and_undefined_in_a_file(tmp_path: Path) -> None:
    agreement(UNDEFINED, resamples=50).save(tmp_path / "a.json")
    rows = json.loads((tmp_path / "a.json").read_text())["agreement"]["annotators"]
    assert (rows["x"]["bias"], rows["z"]["bias"], rows["z"]["agreement"]) == ("inf", None, None)
    facts = cz.read_results(tmp_path / "a.json").agreement
    assert facts is not None
    assert facts.annotators["x"].bias == math.inf


def test_an_existing_file_is_kept_if_asked(tmp_path: Path) -> None:
    report = agreement(SMALL, resamples=50)
    report.save(tmp_path / "a.json")
    with pytest.raises(OutputExistsError, match="exists"):
        report.save(tmp_path / "a.json", overwrite=False)


def test_tables_hold_the_numbers(moonstone: Agreement) -> None:
    assert [each.detail for each in moonstone.tables()][:7] == [False] + [True] * 6
    assert table(moonstone, "Agreement").rows[0][:2] == ["FleissKappa", moonstone.coefficients["FleissKappa"].score]
    pairs = table(moonstone, "Every annotator against every other").rows[1]
    assert pairs[0] == "WindowDiff"
    assert pairs[1] == moonstone.pairwise("WindowDiff").mean
    assert pairs[3] == moonstone.pairwise("WindowDiff", "reference").mean
    assert sum(int(row[1]) for row in table(moonstone, "Boundaries marked").rows) == 132  # type: ignore[arg-type]
    matrix = table(moonstone, "B between every two annotators").rows
    assert matrix[0][2] == matrix[1][1] == moonstone.pairwise("B").matrix[0, 1]


def test_results_list_the_most_contested_gaps_and_count_all(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = agreement(bundled("moonstone"), resamples=20)
    before = whole.results()
    facts = before.agreement
    assert facts is not None
    assert facts.contested_gaps == facts.n_contested == len(facts.contested) == len(whole.contested) > 10
    monkeypatch.setattr(report, "_MOST_CONTESTED", 10)
    after = whole.results()
    assert after.agreement is not None
    assert after.agreement.contested == facts.contested[:10]
    assert after.agreement.contested_gaps == len(whole.contested)
    assert tables_of(after) == tables_of(before)
    assert answer(after) == answer(before)


def test_planning_with_many_annotators_draws_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    people = [
        {f"a{who}": tuple((np.flatnonzero(rng.random(29) < 0.2) + 1).tolist()) for who in range(30)} for _ in range(6)
    ]
    panel = Panel.from_corpus(corpus_of(*((30, codings) for codings in people)))
    drawn: list[int] = []

    def counting(panel: Panel, h: int, rng: np.random.Generator) -> object:
        drawn.append(h)
        return subset(panel, h, rng)

    subset = planning._subset
    monkeypatch.setattr(planning, "_subset", counting)
    monkeypatch.setattr(planning, "_SUBSETS", 12)
    monkeypatch.setattr(planning, "_FEWEST_SUBSETS", 5)
    monkeypatch.setattr(
        planning, "_MOST_DRAWN", 8 * (360 + 2 * 180)
    )  # about eight times ten annotators of six documents
    found = planning.plan(panel, "FleissKappa", 0.05)
    assert list(found.by_annotators) == [*range(2, 21), 26, 30]
    assert drawn.count(2) == 12
    assert 5 < drawn.count(10) < 12
    assert drawn.count(30) == 5
