"""A metric with a count that no kernel has is one class: here the Rand index, counted in NumPy."""

# No postponed annotations: a plug-in need not have them.
import dataclasses
import itertools
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import caesura as cz
from caesura.batches.pairs import Pairs
from caesura.declare import param, parameters
from caesura.errors import DeclarationError, MetricError
from caesura.evaluation.chance.skill import expectations
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.gate.run import gate
from caesura.evaluation.intervals import intervals
from caesura.kernels import Counts
from caesura.metrics import METRICS, Metric, MetricCard, PairwiseMetric
from caesura.metrics._one_pair import Row
from caesura.metrics.base import Floats, ratio
from caesura.metrics.counting import Request, count_requests
from caesura.results import read_counts, read_results
from caesura.segmentation import Segmentation
from tests.strategies import Pair, batch, corpora, forget, pairs


@dataclasses.dataclass(frozen=True)
class Wrong(PairwiseMetric):
    """Counts something else than it says."""

    returns: str = param("", "what")

    card = MetricCard(title="wrong", direction="higher", bounds=(0.0, 1.0), perfect=1.0, symmetric=True, formula="")
    columns = ("a", "b")

    def count(self, pairs: Pairs) -> Floats:
        """Return what the parameter says."""
        return {"short": np.ones((len(pairs) - 1, 2)), "row": np.ones(len(pairs))}.get(self.returns, [["x", "y"]])

    def score(self, counts: Floats) -> Floats:
        """Return a ratio."""
        return ratio(counts[..., 0], counts[..., 1])


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        ("short", r"Wrong: count returns an array of shape \(1, 2\); it must be \(2, 2\), one row per document"),
        ("row", r"Wrong: count returns an array of shape \(2,\); it must be \(2, 2\)"),
        ("words", r"Wrong: count does not return numbers \(ValueError: could not convert"),
    ],
)
def test_counts_of_the_wrong_shape_are_refused(returns: str, message: str) -> None:
    documents = {"d": Segmentation(5, (2,)), "e": Segmentation(3, (1,))}
    with pytest.raises(MetricError, match=message):
        cz.evaluate(documents, {"h": documents}, metrics=[Wrong(returns)]).results()


@dataclasses.dataclass(frozen=True)
class RandIndex(PairwiseMetric):
    """Of all pairs of units, the share that both sides put together or both put apart."""

    adjacent: bool = param(False, "only neighbouring units")
    least: int = param(1, "fewest units of a document", minimum=1)

    card = MetricCard(
        title="share of pairs of units treated alike",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        formula="pairs treated alike / pairs",
    )
    columns = ("pairs", "alike")

    def count(self, pairs: Pairs) -> Floats:
        """Count by the sizes of segments and of their intersections."""
        n = pairs.n_units.astype(np.float64)
        if self.adjacent:
            hits = METRICS.parse("F1").count(pairs)
            return np.column_stack([n - 1, n - 1 - hits[:, 0] - hits[:, 1] + 2 * hits[:, 2]])
        rows = []
        for row, units in enumerate(pairs.n_units.tolist()):
            ref = pairs.ref_pos[pairs.ref_ptr[row] : pairs.ref_ptr[row + 1]]
            hyp = pairs.hyp_pos[pairs.hyp_ptr[row] : pairs.hyp_ptr[row + 1]]
            together = [
                (masses * (masses - 1)).sum() / 2
                for masses in (np.diff(cuts, prepend=0, append=units) for cuts in (ref, hyp, np.union1d(ref, hyp)))
            ]
            every = units * (units - 1) / 2
            rows.append([every, every - together[0] - together[1] + 2 * together[2]])
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def score(self, counts: Floats) -> Floats:
        """Return the share of pairs treated alike."""
        return ratio(counts[..., 1], counts[..., 0])


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    METRICS.register("Rand")(RandIndex)
    yield
    forget(METRICS, RandIndex)


def brute(reference: Segmentation, hypothesis: Segmentation) -> tuple[int, int]:
    """Look at every pair of units."""
    ours, theirs = reference.labels, hypothesis.labels
    couples = list(itertools.combinations(range(reference.n_units), 2))
    return len(couples), sum((ours[i] == ours[j]) == (theirs[i] == theirs[j]) for i, j in couples)


@given(pair=pairs(max_units=14))
def test_one_pair_agrees_with_looking_at_every_pair_of_units(pair: Pair) -> None:
    every, alike = brute(*pair)
    rand = cz.metric("RandIndex")
    assert METRICS.parse("Rand").counts(*pair) == {"pairs": every, "alike": alike}
    score = rand(*pair)
    assert score == alike / every if every else np.isnan(score)


@given(documents=corpora(max_units=14))
def test_a_batch_agrees_too(documents: list[Pair]) -> None:
    expected = np.array([brute(*pair) for pair in documents], dtype=np.float64)
    rand = RandIndex()
    np.testing.assert_array_equal(rand.count(batch(documents)), expected)
    request = rand.request("unit")
    (tables,) = count_requests([batch(documents)], [request, METRICS.parse("Pk").request("unit")])
    np.testing.assert_array_equal(tables[request].take(rand.places(request)), expected)


REFERENCE = {f"d{n}": Segmentation(12 + n, (3 + n % 3, 8)) for n in range(9)}
SYSTEMS = {
    "near": {key: Segmentation(s.n_units, (s.boundaries[0] + 1, 8)) for key, s in REFERENCE.items()},
    "far": {key: Segmentation(s.n_units, (1, s.n_units - 1)) for key, s in REFERENCE.items()},
}


def test_it_goes_through_evaluation_and_everything_after_it(tmp_path: Path) -> None:
    e = evaluate(REFERENCE, SYSTEMS, ["Rand", "RandIndex(adjacent=True)", "Pk"], threads=2)
    for system, documents in SYSTEMS.items():
        scores = [alike / every for every, alike in (brute(REFERENCE[k], documents[k]) for k in REFERENCE)]
        assert e.scores[system]["Rand"] == pytest.approx(np.mean(scores), abs=1e-15)
        np.testing.assert_array_equal(e.per_document(system, "Rand"), scores)
        assert e.scores[system]["Rand"] in intervals(e, 200)[system]["Rand"]
    rows = [row for row in compare(e, permutations=200, resamples=200) if row.metric == "Rand"]
    assert [(row.first, row.second, row.better) for row in rows] == [("near", "far", "near")]
    chance = expectations(e, 50)["near"]["Rand"]
    assert not chance.exact
    assert 0 < chance.expected < e.scores["near"]["Rand"]
    assert gate(e, {"Rand": 0.99}).breaches
    assert "RandIndex" in e.signature("Rand")
    path = tmp_path / "results.json"
    e.save(path)
    results = read_results(path)
    documents, tables = read_counts(path, results)
    assert results.metrics["Rand"].columns == ["pairs", "alike"]
    assert documents == list(REFERENCE)
    np.testing.assert_array_equal(tables["far"][results.metrics["Rand"].request], e.counts("far", "Rand"))
    assert {drop.drop for drop in gate(e, last=path).drops} == {0.0}


def test_fractions_are_kept_as_they_are() -> None:
    table = np.array([[0.1, -3.0], [1e300, 2.0]])
    assert Counts.of(table, ("a", "b")).array().tobytes() == table.tobytes()


def test_a_metric_that_counts_nowhere_is_refused() -> None:
    class Nothing(PairwiseMetric):
        card = RandIndex.card
        columns = ("pairs",)

    with pytest.raises(MetricError, match="Nothing has neither 'request' nor 'count'; declare one of them"):
        Nothing()(Segmentation(3), Segmentation(3))


def test_annotations_need_not_be_postponed() -> None:
    assert [p.type for p in parameters(RandIndex)] == ["bool", "int"]
    with pytest.raises(MetricError, match="parameter least is '2'; it must be int"):
        cz.metric("RandIndex", least="2")


def test_a_type_that_no_parameter_has_is_named() -> None:
    @dataclasses.dataclass(frozen=True)
    class Listed(PairwiseMetric):
        sizes: list = param((), "several")  # type: ignore[type-arg]  # noqa: RUF009

    with pytest.raises(ValueError, match="Listed: parameter sizes is declared as list; declare it as one of int"):
        Listed()


def test_it_can_be_copied_through_pickle_after_use() -> None:
    for name in ("RandIndex", "Pk"):
        pair, used = (Segmentation(4, (2,)), Segmentation(4)), cz.metric(name)
        score = used(*pair)
        again = pickle.loads(pickle.dumps(used))
        assert again == used
        assert again(*pair) == score


# ---------------------------------------------------------------------------------------------- by name


def test_parameters_may_be_given_beside_the_text() -> None:
    assert cz.metric("Pk", k=3) == cz.metric("Pk(k=3)")
    assert cz.metric("WindowDiff(k=3)", weighted=True) == cz.metric("WindowDiff(k=3, weighted=True)")
    assert cz.metric("W-F1", tolerance=2) == cz.metric("F1(tolerance=2)")
    assert cz.metric("MultiWindowDiff", m=4) == cz.metric("MultiWindowDiff(m=4)")
    with pytest.raises(MetricError, match=r"'Pk\(k=3\)': parameter k is given twice, in the text and as an argument"):
        cz.metric("Pk(k=3)", k=4)
    with pytest.raises(MetricError, match="Pk: unknown parameter 'kk'; did you mean k"):
        cz.metric("Pk", kk=4)


def test_a_text_seen_before_is_remembered_until_the_registry_changes() -> None:
    assert cz.metric("Rand") is cz.metric("Rand")
    forget(METRICS, RandIndex)
    with pytest.raises(MetricError, match="'Rand' is not a metric"):
        cz.metric("Rand")
    METRICS.register("Rand")(RandIndex)
    found: Metric = cz.metric("Rand")
    assert isinstance(found, RandIndex)


# ---------------------------------------------------------------------------------------------- one row


def test_a_row_is_its_array_but_for_single_columns() -> None:
    row = Row([9.0, 5.0])
    array = np.asarray(row)
    assert array.tolist() == [9.0, 5.0]
    assert isinstance(row[..., 1], float)
    assert row[..., 1] == 5.0
    assert row[..., -1] == 5.0
    assert row[..., :2].tolist() == [9.0, 5.0]
    assert row[0] == 9.0
    assert row[[1, 0]].tolist() == [5.0, 9.0]
    assert row[..., [1, 0]].tolist() == [5.0, 9.0]
    assert len(row) == 2
    assert (row + array).tolist() == [18.0, 10.0]
    assert (row > 6).tolist() == [True, False]
    assert row.shape == (2,)
    assert np.where(row > 6, row, 0.0).tolist() == [9.0, 0.0]


def test_a_request_names_its_parameters_and_has_defaults() -> None:
    pair = Segmentation(9, (2, 5)), Segmentation(9, (3, 5))
    counts = Request("boundaries").count(batch([pair]))[0]
    assert dict(zip(Request("boundaries").columns, counts.tolist(), strict=True)) == {
        "n_ref": 2.0, "n_hyp": 2.0, "found_ref": 1.0, "found_hyp": 1.0, "matched": 1.0
    }  # fmt: skip
    assert Request("boundaries") == Request("boundaries", tolerance=0, low=0, high=2**62)
    assert Request("boundaries").places(("matched", "n_ref")) == [4, 0]


@pytest.mark.parametrize(
    ("kernel", "given", "message"),
    [
        ("boundaries", {"near": 1}, "kernel 'boundaries' has no parameter 'near'; it takes tolerance, low, high"),
        ("alignment", {"n_t": 1}, "kernel 'alignment' has no parameter 'n_t'; it takes none"),
        (
            "retrieval",
            {"numerator": 1},
            "kernel 'retrieval' needs the parameter 'denominator'; it takes numerator, denom",
        ),
        ("window_diff", {"edge": 4}, "kernel 'window_diff': edge is 4; it must be a whole number from 0 to 3"),
        ("boundary", {}, "'boundary' is not a kernel; did you mean boundaries"),
    ],
)
def test_a_request_that_a_kernel_cannot_meet(kernel: str, given: dict[str, int], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        Request(kernel, **given)


def test_a_column_that_the_kernel_lacks_is_named() -> None:
    @dataclasses.dataclass(frozen=True)
    class Misread(PairwiseMetric):
        card = RandIndex.card
        columns = ("n_ref", "near_ref")

        def request(self, unit: str) -> Request:
            return Request("boundaries")

    message = "kernel 'boundaries' has no column 'near_ref'; it has n_ref, n_hyp, found_ref, found_hyp, matched"
    pair = Segmentation(9, (2, 5)), Segmentation(9, (3, 5))
    for call in (lambda: Misread().count(batch([pair])), lambda: Misread()(*pair)):
        with pytest.raises(DeclarationError, match=message):
            call()


def test_requests_name_their_tables() -> None:
    assert str(Request("edits", n_t=2)) == "edits(2)"
    assert str(RandIndex(adjacent=True).request("unit")) == "RandIndex(adjacent=True)"
