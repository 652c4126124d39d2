"""The loops over vectors give the same numbers compiled and uncompiled."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.kernels import placements, scatter, silhouettes
from tests.kernels.test_compiled_equals_uncompiled import load

UNITS, DIMENSION = 9, 5


@pytest.fixture
def vectors() -> np.ndarray:
    made = np.random.default_rng(4).normal(size=(2 * UNITS, DIMENSION))
    made[3] = made[4] = made[5]
    made[12] = 0.0
    return made


@pytest.mark.parametrize("windows", [0, 1])
@pytest.mark.parametrize("centroids", [0, 1])
def test_scatter(vectors: np.ndarray, windows: int, centroids: int) -> None:
    tables = []
    for module in (scatter, load("scatter", shim=True)):
        out = np.full((9, len(module.SCATTER_COLUMNS)), np.nan)
        module.measure_scatter(
            vectors, np.array([0, UNITS, 0]), np.array([UNITS] * 3), np.array([0, 3, 5, 6]), np.array([2, 3, 6, 1, 4, 8]),
            out, 0, 3, *np.zeros((2, UNITS)), *np.zeros((3, DIMENSION)), windows, centroids, 1e-6, 1e-12,
        )  # fmt: skip
        tables.append(out)
    np.testing.assert_array_equal(tables[0], tables[1])
    # A window of equal vectors is left to the caller.
    assert (tables[0] == -1.0).any() == bool(windows)


def test_windows(vectors: np.ndarray) -> None:
    zeros = np.zeros((1, DIMENSION))
    lengths = np.linalg.norm(vectors, axis=1)
    units = vectors / np.where(lengths == 0, 1, lengths)[:, None]
    shift = vectors.mean(axis=0)
    moved = vectors - shift
    sums = [
        np.concatenate((zeros, moved.cumsum(axis=0))),
        np.concatenate((zeros, units.cumsum(axis=0))),
        np.append(0, (moved**2).sum(axis=1).cumsum()),
        np.append(0.0, (lengths > 0).cumsum()),
        np.append(0, lengths.cumsum()),
    ]
    tables = []
    for module in (scatter, load("scatter", shim=True)):
        out = np.full((4, 3), np.nan)
        module.measure_windows(*sums, shift, np.array([0, 3, 2, 10]), np.array([4, 6, 9, 15]), out, 1e-6)
        tables.append(out)
    np.testing.assert_array_equal(tables[0], tables[1])
    assert (tables[0][:, 0] == -1).tolist() == [False, True, False, False]


@pytest.mark.parametrize("adjacent", [0, 1])
def test_silhouettes(vectors: np.ndarray, adjacent: int) -> None:
    whole = vectors[:UNITS]
    products = whole @ whole.T
    found = []
    for module in (silhouettes, load("silhouettes", shim=True)):
        out = np.full(UNITS, np.nan)
        module.measure_silhouettes(
            products,
            whole,
            products.diagonal().copy(),
            np.array([0, 2, 3, 6, 9]),
            0,
            UNITS,
            0,
            0,
            adjacent,
            1e-6,
            np.empty(UNITS),
            out,
        )
        found.append(out)
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0][2] == 0.0


def test_rotations() -> None:
    table = np.random.default_rng(4).normal(size=(UNITS + 1, UNITS + 1))
    found = []
    for module in (placements, load("placements", shim=True)):
        sums = np.empty(UNITS - 1)
        module.sum_rotations(table, np.array([2, 3, 6]), np.arange(UNITS - 1), sums)
        found.append(sums)
    np.testing.assert_array_equal(found[0], found[1])
    for shift, total in enumerate(found[0]):
        edges = [0, *sorted((gap - 1 + shift) % (UNITS - 1) + 1 for gap in (2, 3, 6)), UNITS]
        assert total == pytest.approx(sum(table[lo, hi] for lo, hi in itertools.pairwise(edges)))


def test_shared_sums(vectors: np.ndarray) -> None:
    distances = np.linalg.norm(vectors[:UNITS, None] - vectors[None, :UNITS], axis=2)
    summed = np.concatenate((np.zeros((UNITS, 1)), distances.cumsum(axis=1)), axis=1)
    found = []
    for module in (silhouettes, load("silhouettes", shim=True)):
        out = np.full(3 * UNITS, np.nan)
        ptr, pos = np.array([0, 3, 5, 6]), np.array([2, 3, 6, 1, 4, 8])
        module.measure_shared_silhouettes(summed, ptr, pos, 1, 3, UNITS, UNITS, out)
        found.append(out)
    np.testing.assert_array_equal(found[0], found[1])
    # The first segmentation was left out; units alone in their segment have 0.
    assert np.isnan(out[:UNITS]).all()
    assert [out[UNITS], out[-1]] == [0.0, 0.0]
    inside, before, after = distances[1, 2:4].sum() / 2, distances[1, 0], distances[1, 4:].mean()
    nearest = min(before, after)
    assert out[UNITS + 1] == pytest.approx((nearest - inside) / max(nearest, inside))
