"""What every metric without a reference promises; a new one is tested the moment its file exists."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.embedded import Embedded
from caesura.declare import parameters
from caesura.errors import ComparabilityError, MetricError
from caesura.metrics import METRICS, families, metric
from caesura.metrics.cohesion import COHESION, CohesionMetric, PooledMetric, count_in_one_pass
from caesura.segmentation import Segmentation
from tests.metrics.cohesion.brute import Document, documents, random_vectors
from tests.strategies import metrics, per_segment, segmentations

pytestmark = pytest.mark.filterwarnings("ignore:SegReFree. every segment has one unit")
"""Such segmentations are meant here."""

EVERY = pytest.mark.parametrize("cls", list(COHESION), ids=COHESION.names())
TINY = 1e-9
POOLED = pytest.mark.parametrize(
    "cls", [cls for cls in COHESION if issubclass(cls, PooledMetric)],
    ids=[cls.name() for cls in COHESION if issubclass(cls, PooledMetric)],
)  # fmt: skip


def drawn(cls: type[CohesionMetric], data: st.DataObject) -> CohesionMetric:
    candidate = data.draw(metrics(cls))  # type: ignore[arg-type]
    # Here documents have vectors; tests/metrics/cohesion/test_placement.py reads words.
    return dataclasses.replace(candidate, of="vectors") if "of" in candidate.options() else candidate  # type: ignore[call-arg,return-value]


def batch_of(several: list[Document]) -> Embedded:
    dimension = min(vectors.shape[1] for _, vectors in several)
    return Embedded.of(
        {str(place): cut for place, (cut, _) in enumerate(several)},
        {str(place): np.asarray(v[:, :dimension], dtype=np.float64) for place, (_, v) in enumerate(several)},
    )


def close(first: np.ndarray | float, second: np.ndarray | float) -> None:
    np.testing.assert_allclose(first, second, rtol=TINY, atol=TINY)


def test_the_family_is_known() -> None:
    assert COHESION in families()
    assert {"ARPcos", "Silhouette"} < set(COHESION.names())


# ---------------------------------------------------------------------------------------------- the value of a score


@EVERY
@given(data=st.data(), document=documents())
def test_score_lies_within_its_bounds(cls: type[CohesionMetric], data: st.DataObject, document: Document) -> None:
    candidate = drawn(cls, data)
    score = candidate(*document)
    low, high = candidate.facts().bounds
    assert isinstance(score, float)
    assert math.isnan(score) or low - TINY <= score <= high + TINY
    values = per_segment(candidate, *document)
    assert values.shape == (document[0].n_boundaries + 1,)
    values = values[~np.isnan(values)]
    assert ((values >= low - TINY) & (values <= high + TINY)).all()
    if len(values) and isinstance(candidate, PooledMetric):
        assert values.min() - TINY <= score <= values.max() + TINY


@POOLED
@pytest.mark.parametrize("n_units", [1, 2, 7])
def test_one_segment(cls: type[CohesionMetric], n_units: int) -> None:
    document = (Segmentation(n_units), random_vectors(n_units, 1))
    assert math.isnan(cls()(*document))
    assert np.isnan(per_segment(cls(), *document)).all()
    worst = cls(on_single="worst")
    facts = worst.facts()
    expected = 10.0 if math.isinf(facts.bounds[1]) and facts.direction == "lower" else facts.bounds[0]
    for pooling in ("mean", "median", "length"):
        assert dataclasses.replace(worst, pooling=pooling)(*document) == expected
    if "loss" in worst.options():
        assert dataclasses.replace(worst, loss=True)(*document) == 1.0  # type: ignore[call-arg]


@EVERY
@pytest.mark.parametrize("n_units", [2, 3, 8])
def test_units_cut_apart(cls: type[CohesionMetric], n_units: int) -> None:
    document = (Segmentation(n_units, range(1, n_units)), random_vectors(n_units, 2))
    score = cls()(*document)
    low, high = cls().facts().bounds
    assert math.isnan(score) or low <= score <= high
    if cls.name() == "SegReFree":
        assert score == 0.0
        for singletons in ("mean", "mean_score"):
            assert metric(f"SegReFree(singletons={singletons!r})")(*document) == 10.0
            assert metric(f"SegReFree(singletons={singletons!r}, cap=3)")(*document) == 3.0
    if cls.name() == "Silhouette":
        assert score == 0.0


@EVERY
@given(data=st.data(), cut=segmentations(max_units=12))
def test_equal_vectors_give_no_noise(cls: type[CohesionMetric], data: st.DataObject, cut: Segmentation) -> None:
    """All differences are rounding at most: nothing may be made of them."""
    candidate = drawn(cls, data)
    vector = data.draw(st.sampled_from(([0.1, 0.7, -0.3], [1.0, 1.0, 1.0], [1e-3, 5.0, 1e4])))
    if not issubclass(cls, PooledMetric):
        # Placement has nothing to place; evenness reads lengths only.
        close(candidate(cut, np.tile(vector, (cut.n_units, 1))), candidate(cut, np.zeros((cut.n_units, 1))))
        return
    score = dataclasses.replace(candidate, on_single="nan")(cut, np.tile(vector, (cut.n_units, 1)))
    if cls.name().startswith("ARP") or cls.name() == "CalinskiHarabasz" or not cut.n_boundaries:
        assert math.isnan(score)
    else:
        # All units apart borrow from no longer segment: the cap.
        apart = cut.n_segments == cut.n_units and candidate.options().get("singletons", "zero") != "zero"
        wanted = candidate.cap if apart else 0.5 if candidate.options().get("loss") else 0.0  # type: ignore[attr-defined]
        assert score == wanted


@EVERY
@given(data=st.data(), cut=segmentations(max_units=12))
def test_zero_vectors_are_scored_or_undefined(
    cls: type[CohesionMetric], data: st.DataObject, cut: Segmentation
) -> None:
    candidate = drawn(cls, data)
    vectors = random_vectors(cut.n_units, 4)
    zeros = data.draw(st.lists(st.integers(0, cut.n_units - 1)))
    vectors[zeros] = 0.0
    low, high = candidate.facts().bounds
    score = candidate(cut, vectors)
    assert math.isnan(score) or low - TINY <= score <= high + TINY


# ---------------------------------------------------------------------------------------------- symmetries


def by_angle(candidate: CohesionMetric) -> bool:
    return candidate.name() in ("ARPcos", "ARPpair", "Support") or candidate.options().get("distance") == "cosine"


@EVERY
@given(data=st.data(), document=documents(segments=2))
def test_rotation_scale_and_translation(cls: type[CohesionMetric], data: st.DataObject, document: Document) -> None:
    candidate = drawn(cls, data)
    cut, vectors = document[0], document[1].astype(np.float64)
    expected = candidate(cut, vectors)
    close(candidate(cut, vectors * 37.5), expected)
    close(candidate(cut, vectors / 1024), expected)
    if candidate.options().get("distance") != "l1":
        rng = np.random.default_rng(5)
        rotation = np.linalg.qr(rng.normal(size=(vectors.shape[1], vectors.shape[1])))[0]
        close(candidate(cut, vectors @ rotation), expected)
    if not by_angle(candidate):
        close(candidate(cut, vectors + 3.25), expected)
    else:
        close(candidate(cut, vectors * np.linspace(1, 3, cut.n_units)[:, None]), expected) if cls.name() in (
            "ARPpair",
            "Silhouette",
        ) else None


@EVERY
@given(data=st.data(), document=documents())
def test_mirror_image_changes_nothing_where_declared(
    cls: type[CohesionMetric], data: st.DataObject, document: Document
) -> None:
    candidate = drawn(cls, data)
    if candidate.facts().mirror:
        close(candidate(document[0].mirrored(), document[1][::-1]), candidate(*document))


@EVERY
@given(data=st.data(), document=documents())
def test_loss_is_the_score_turned_round(cls: type[CohesionMetric], data: st.DataObject, document: Document) -> None:
    candidate = drawn(cls, data)
    if "loss" not in candidate.options():
        assert math.isinf(candidate.facts().bounds[1])
        return
    score, loss = (dataclasses.replace(candidate, loss=flag) for flag in (False, True))  # type: ignore[call-arg]
    close(loss(*document), (1 - score(*document)) / 2)
    close(per_segment(loss, *document), (1 - per_segment(score, *document)) / 2)
    assert (loss.facts().direction, loss.facts().bounds, loss.facts().perfect) == ("lower", (0.0, 1.0), 0.0)


@EVERY
def test_good_segmentations_beat_bad_ones(cls: type[CohesionMetric]) -> None:
    rng = np.random.default_rng(9)
    points = rng.normal(scale=3.0, size=(4, 8))
    vectors = np.repeat(points, 6, axis=0) + rng.normal(size=(24, 8)) / 4
    good, bad = Segmentation.from_masses([6, 6, 6, 6]), Segmentation.from_masses([3, 6, 6, 9])
    pooled = issubclass(cls, PooledMetric)
    for candidate in (cls(), *([cls(pooling="median"), cls(pooling="length")] if pooled else [])):
        better, worse = candidate(good, vectors), candidate(bad, vectors)
        assert better > worse if candidate.facts().direction == "higher" else better < worse


# ---------------------------------------------------------------------------------------------- text and value


@EVERY
@given(data=st.data())
def test_text_and_metric_are_inverse(cls: type[CohesionMetric], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    again = metric(str(candidate))
    assert again == candidate
    assert hash(again) == hash(candidate)


@EVERY
def test_card_is_filled(cls: type[CohesionMetric]) -> None:
    assert str(cls()) == cls.name() == cls.__name__
    assert metric(cls.name()) == cls()
    assert cls.name() not in METRICS
    card = cls().facts()
    assert card.title
    assert card.citation
    assert card.equation
    assert card.formula
    assert card.aggregation == "macro"
    low, high = card.bounds
    assert card.perfect == (high if card.direction == "higher" else low)
    assert card.additive
    assert not issubclass(cls, PooledMetric) or not cls(pooling="median").facts().additive
    assert cls().why_undefined()
    assert all(p.help for p in parameters(cls))
    for p in parameters(cls):
        with pytest.raises(MetricError, match=rf"^{cls.name()}: parameter {p.name} is \[\]; it must be "):
            cls(**{p.name: []})


# ---------------------------------------------------------------------------------------------- counts


@EVERY
@given(data=st.data(), several=st.lists(documents(), min_size=1, max_size=4))
def test_batch_rows_are_document_rows(cls: type[CohesionMetric], data: st.DataObject, several: list[Document]) -> None:
    candidate = drawn(cls, data)
    batch = batch_of(several)
    table = candidate.count(batch)
    assert table.shape == (len(several), len(candidate.columns))
    values = candidate.segment_values(batch)
    begin = 0
    for row in range(len(several)):
        alone = (batch.segmentation(row), batch.vectors_of(row))
        assert list(candidate.counts(*alone)) == list(candidate.columns)
        close(candidate.score(table[row]), candidate(*alone))
        mine = per_segment(candidate, *alone)
        close(values[begin : begin + len(mine)], mine)
        begin += len(mine)
    np.testing.assert_array_equal(candidate.included(table), ~np.isnan(candidate.score(table)))


@EVERY
@given(data=st.data(), several=st.lists(documents(), min_size=1, max_size=4))
def test_counts_add_over_documents(cls: type[CohesionMetric], data: st.DataObject, several: list[Document]) -> None:
    candidate = drawn(cls, data)
    if not candidate.facts().additive:
        return
    batch = batch_of(several)
    pooled = float(candidate.score(candidate.count(batch).sum(axis=0)))
    close(candidate.score(candidate.count(batch_of(several + several)).sum(axis=0)), pooled)
    options = candidate.options()
    if options.get("pooling") == "mean" and options.get("weighting", "segment") == "segment":
        values = candidate.segment_values(batch)
        if not np.isnan(values).all():
            close(pooled, values[~np.isnan(values)].mean())


@given(data=st.data(), several=st.lists(documents(), min_size=1, max_size=4))
def test_counting_together_changes_nothing(data: st.DataObject, several: list[Document]) -> None:
    candidates = [drawn(cls, data) for cls in COHESION]
    together = count_in_one_pass(candidates, batch_of(several))
    for candidate, table in zip(candidates, together, strict=True):
        np.testing.assert_array_equal(table, candidate.count(batch_of(several)))


@EVERY
@given(data=st.data(), document=documents(min_units=2))
def test_many_segmentations_of_one_document(cls: type[CohesionMetric], data: st.DataObject, document: Document) -> None:
    candidate = drawn(cls, data)
    n_units = document[0].n_units
    cuts = data.draw(st.lists(segmentations(n_units=n_units), min_size=1, max_size=6))
    batch = Embedded.of({"d": document[0]}, {"d": document[1]})
    scores = candidate.score(candidate.count(batch.variants(0, cuts)))
    close(scores, [candidate(cut, document[1]) for cut in cuts])


@EVERY
@given(data=st.data(), several=st.lists(documents(), min_size=1, max_size=4))
def test_many_segmentations_of_several_documents_are_counted_as_those_of_each(
    cls: type[CohesionMetric], data: st.DataObject, several: list[Document]
) -> None:
    candidate = drawn(cls, data)
    batch = batch_of(several)
    each = [
        data.draw(st.lists(segmentations(n_units=int(n_units)), min_size=2, max_size=4)) for n_units in batch.n_units
    ]
    rows = np.repeat(np.arange(len(each)), [len(cuts) for cuts in each])
    together = candidate.count(batch.variants(rows, [cut for cuts in each for cut in cuts]))
    alone = [candidate.count(batch.variants(row, cuts)) for row, cuts in enumerate(each)]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@EVERY
@given(data=st.data(), several=st.lists(documents(), min_size=2, max_size=5))
def test_documents_may_be_taken_in_any_order(
    cls: type[CohesionMetric], data: st.DataObject, several: list[Document]
) -> None:
    candidate = drawn(cls, data)
    batch = batch_of(several)
    order = data.draw(st.permutations(range(len(several))))
    expected = candidate.score(candidate.count(batch))[order]
    close(candidate.score(candidate.count(batch.take(order))), expected)


@EVERY
@given(data=st.data(), document=documents())
def test_single_precision_is_read_exactly(cls: type[CohesionMetric], data: st.DataObject, document: Document) -> None:
    candidate = drawn(cls, data)
    vectors = document[1].astype(np.float32)
    close(candidate(document[0], vectors), candidate(document[0], vectors.astype(np.float64)))


@EVERY
def test_no_document(cls: type[CohesionMetric]) -> None:
    assert cls().count(Embedded.of({}, {})).shape == (0, len(cls.columns))


# ---------------------------------------------------------------------------------------------- inputs


@EVERY
def test_unlike_inputs_are_refused(cls: type[CohesionMetric]) -> None:
    ten = Segmentation(10, (4,))
    for arguments, error, says in (
        ((ten, np.ones((9, 3))), ComparabilityError, "9 vectors for 10 units"),
        ((ten, np.ones(10)), ComparabilityError, "shape"),
        ((ten, np.full((10, 3), np.nan)), ComparabilityError, "unit 1 is not finite"),
        (("0001", np.ones((4, 3))), MetricError, f"{cls.name()}: segmentation is a str"),
        ((ten, "vectors.npy"), ComparabilityError, "they must be numbers"),
    ):
        with pytest.raises(error) as caught:
            cls()(*arguments)
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)


def test_distances_may_be_written_as_the_papers_do():
    from caesura.metrics import metric

    assert metric("SegReFree(distance='L1')") == metric("SegReFree(distance='l1')")
    assert str(metric("Silhouette(distance='L2')")) == "Silhouette"
