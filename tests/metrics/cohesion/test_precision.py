"""Near and equal vectors: closed forms lose all digits there, and must not be believed."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.errors import CaesuraWarning
from caesura.metrics import metric
from caesura.metrics.cohesion import _measures, _prefix, cautions
from caesura.metrics.cohesion import silhouette as _silhouettes
from caesura.segmentation import Segmentation
from tests.metrics.cohesion.test_against_brute import _Uncompiled
from tests.strategies import per_segment


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "compiled":
        yield request.param
        return
    with (
        mock.patch.object(_measures, "scatter_kernel", _Uncompiled),
        mock.patch.object(_prefix, "scatter_kernel", _Uncompiled),
        mock.patch.object(_silhouettes, "kernel", _Uncompiled),
    ):
        yield request.param


def steps(n_units: int, power: int) -> np.ndarray:
    """Return small steps that can be added to 1 without rounding."""
    return np.random.default_rng(2).integers(-64, 64, (n_units, 6)) * 2.0**-power


@pytest.mark.parametrize("power", [10, 25, 40])
def test_standard_deviations_far_from_the_origin(power: int) -> None:
    cut, small = Segmentation(12, (4, 5, 9)), steps(12, power)
    near = per_segment(metric("ARPstd"), cut, small)
    np.testing.assert_allclose(per_segment(metric("ARPstd"), cut, 1.0 + small), near, rtol=1e-9, atol=1e-9)
    if power == 40:
        return  # the centroid itself is rounded to six digits of the distances to it
    for name in ("SegReFree", "Silhouette", "CalinskiHarabasz", "DaviesBouldin"):
        assert metric(name)(cut, 1.0 + small) == pytest.approx(metric(name)(cut, small), rel=1e-8)


@pytest.mark.parametrize("power", [10, 22, 34])
def test_cosines_of_near_vectors(power: int) -> None:
    """1 - cos loses its digits where half the squared distance of unit vectors keeps them."""
    vectors = 1.0 + steps(10, power)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def apart(*rows: int) -> float:
        pairs = [((units[j] - units[k]) ** 2).sum() / 2 for j, k in itertools.combinations(rows, 2)]
        return float(np.mean(pairs))

    within, across = apart(0, 1, 2, 3), apart(2, 3, 4, 5)
    ours = metric("ARPpair")(Segmentation(10, (4,)), vectors)
    # Rounding of the unit vectors themselves is all that may be left.
    assert ours == pytest.approx((across - within) / (across + within), abs=max(1e-9, 1e-15 * 2.0**power))
    halves = per_segment(metric("Silhouette(distance='cosine')"), Segmentation(4, (2,)), vectors[:4])
    values = []
    for own, mate in ((0, 1), (1, 0)):
        a, b = apart(own, mate), (apart(own, 2) + apart(own, 3)) / 2
        values.append((b - a) / max(a, b))
    assert halves[0] == pytest.approx(np.mean(values), abs=max(1e-9, 1e-14 * 2.0**power))


def test_repeated_units_lie_exactly_on_each_other() -> None:
    rng = np.random.default_rng(8)
    turn, other = rng.normal(size=(2, 16)) * 100
    vectors = np.array([turn, turn, turn, other, other, other, other])
    cut = Segmentation(7, (3,))
    assert metric("Silhouette")(cut, vectors) == 1.0
    assert metric("SegReFree")(cut, vectors) == 0.0
    assert metric("ARPstd")(cut, vectors) == metric("ARPcos")(cut, vectors) == metric("ARPpair")(cut, vectors) == 1.0
    assert metric("CalinskiHarabasz")(cut, vectors) == math.inf
    wrong = Segmentation(7, (1,))
    assert per_segment(metric("Silhouette"), wrong, vectors)[0] == 0.0
    three = Segmentation(7, (1, 3))
    assert per_segment(metric("SegReFree"), three, vectors).tolist() == [0.0, 0.0, 0.0]


def test_equal_centroids_of_scattered_segments() -> None:
    vectors = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1], [0.3, 0.1], [-0.3, -0.1]])
    cut = Segmentation(6, (2, 4))
    assert per_segment(metric("SegReFree"), cut, vectors).tolist() == [math.inf] * 3
    assert per_segment(metric("SegReFree(degenerate='zero')"), cut, vectors).tolist() == [0.0] * 3
    assert math.isnan(metric("SegReFree(distance='cosine')")(cut, vectors))
    assert metric("SegReFree(pooling='median')")(cut, vectors) == math.inf


def test_segments_of_one_unit_only_are_told() -> None:
    """The index is 0 there, its best value, whatever the text."""
    vectors = np.random.default_rng(0).normal(size=(4, 3))
    with pytest.warns(CaesuraWarning, match="every segment has one unit, so the score is 0, the best"):
        assert metric("SegReFree")(Segmentation(4, (1, 2, 3)), vectors) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric("SegReFree")(Segmentation(4, (1, 2)), vectors)
        assert metric("SegReFree(singletons='mean')")(Segmentation(4, (1, 2, 3)), vectors) == 10.0
        assert math.isnan(metric("SegReFree")(Segmentation(1), vectors[:1]))


def test_cautions() -> None:
    vectors = {"a": np.array([[1.0, 0], [1, 0], [0, 0], [0, 2]]), "b": np.array([[1.0, 2], [3, 4]])}
    found = cautions(Embedded.of({"a": Segmentation(4, (1, 2)), "b": Segmentation(2)}, vectors))
    assert found.segments.tolist() == [3, 1]
    assert found.single_unit.tolist() == [2, 0]
    assert found.same_centroids.tolist() == [1, 0]
    assert found.zero_vectors.tolist() == [1, 0]
    assert found.repeated_vectors.tolist() == [1, 0]
    lines = found.sentences()
    assert lines[0].startswith("2 of 4 (50.0%) segments have one unit")
    assert lines[1].startswith("1 of 2 (50.0%) neighbouring segments have the same centroid")
    assert lines[-1] == "1 of 2 documents have one segment and no score"
    assert len(lines) == 5
    fine = {"a": np.arange(8.0).reshape(4, 2) ** 2}
    assert cautions(Embedded.of({"a": Segmentation(4, (2,))}, fine)).sentences() == []


def test_the_traps_of_segrefree_are_named() -> None:
    """One-unit segments score 0, its best value; centroids that differ by rounding score some ten thousand."""
    every = {"a": Segmentation(3, (1, 2))}, {"a": np.eye(3)}
    with pytest.warns(CaesuraWarning, match="every segment has one unit"):
        assert metric("SegReFree")(every[0]["a"], every[1]["a"]) == 0.0
    (_, line) = cautions(Embedded.of(*every)).sentences()
    assert line.startswith("1 of 1 (100.0%) documents have segments of one unit only: SegReFree is 0 there")
    twice = np.array([[1.0, 0], [0, 1], [1.0001, 0], [0, 1]])
    near = {"a": Segmentation(4, (2,))}, {"a": twice}
    assert metric("SegReFree")(near[0]["a"], twice) > 10_000
    (line,) = cautions(Embedded.of(*near)).sentences()
    assert line.startswith("1 of 1 (100.0%) neighbouring segments have nearly the same centroid")


@pytest.mark.parametrize("name", ["ARPstd", "ARPstd(cut='half')", "ARPpair(cut='half')", "SegReFree", "Silhouette"])
def test_no_digit_of_a_document_depends_on_its_neighbours(name: str) -> None:
    rng = np.random.default_rng(8)
    units = rng.integers(6, 30, 12).tolist()
    segmentations = {f"d{n}": Segmentation(n_units, (2, n_units // 2)) for n, n_units in enumerate(units)}
    vectors = {key: rng.normal(size=(s.n_units, 7)).astype(np.float32) for key, s in segmentations.items()}
    chosen = metric(name)
    together = chosen.score(chosen.count(Embedded.of(segmentations, vectors)))
    alone = [
        chosen.score(chosen.count(Embedded.of({key: s}, {key: vectors[key]})))[0] for key, s in segmentations.items()
    ]
    assert together.tolist() == alone


@pytest.mark.parametrize("name", ["ARPstd", "ARPstd(cut='half')"])
def test_documents_may_share_rows(name: str) -> None:
    """The second begins inside the first."""
    vectors = np.random.default_rng(9).normal(size=(20, 5)).astype(np.float32)
    flat = Flat.from_segmentations([Segmentation(12, (4, 8)), Segmentation(15, (6,))])
    chosen = metric(name)
    found = chosen.score(chosen.count(Embedded(("a", "b"), flat, vectors, np.array([0, 5]))))
    first = Embedded.of({"a": flat.segmentation(0)}, {"a": vectors[:12]})
    second = Embedded.of({"b": flat.segmentation(1)}, {"b": vectors[5:]})
    assert found.tolist() == [chosen.score(chosen.count(each))[0] for each in (first, second)]
