"""The loops over vectors give the same numbers compiled and uncompiled."""

from __future__ import annotations

import platform
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from caesura.kernels import placements, scatter, silhouettes, variants
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
            int(module.WIDE),
            np.empty(UNITS),
            out,
        )
        found.append(out)
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0][2] == 0.0


def _short(module: ModuleType, given: np.ndarray, n_units: list[int], adjacent: int, wide: int) -> np.ndarray:
    """Silhouettes of documents in segments of three units, the second document twice; one of a single segment is left out."""
    starts = np.array([0, n_units[0], n_units[0], n_units[0] + n_units[1]])
    units = np.array([n_units[0], n_units[1], n_units[1], n_units[2]])
    cuts = [np.arange(3, n, 3) for n in units[:3]] + [np.array([], dtype=np.int64)]
    rows, columns = max(n_units) + module.COLUMNS, -(-given.shape[1] // module.LANES) * module.LANES
    out = np.full(units.sum(), np.nan)
    # Whatever the work arrays hold before must not matter.
    whole, products, squares, found, sums = (
        np.full(shape, np.nan) for shape in ((rows, columns), (rows, rows), rows, rows, 48)
    )
    ptr = np.cumsum([0, *map(len, cuts)])
    module.measure_short(
        given, starts, units, ptr, np.concatenate(cuts), max(n_units), adjacent, 1e-6, wide,
        whole, products, squares, found, sums, np.empty(rows, dtype=np.int64), out,
    )  # fmt: skip
    return out


@pytest.mark.skipif(not silhouettes.COMPILED, reason="the kernels are not compiled")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_units", "dimension"), [([7, 9, 4], 5), ([4, 13, 6], 8), ([5, 6, 2], 1), ([50, 11, 3], 30)])
@pytest.mark.parametrize("adjacent", [0, 1])
def test_short_documents(n_units: list[int], dimension: int, adjacent: int, dtype: type) -> None:
    """Wide registers, plain ones and plain Python have the same digits."""
    given = np.random.default_rng(dimension).normal(size=(sum(n_units), dimension)).astype(dtype)
    given[2] = given[0]
    expected = _short(load("silhouettes", shim=True), given.astype(np.float64), n_units, adjacent, 0)
    for wide in {0, int(silhouettes.WIDE)}:
        np.testing.assert_array_equal(_short(silhouettes, given, n_units, adjacent, wide), expected)
    assert np.isnan(expected[-n_units[2] :]).all()
    assert not np.isnan(expected[: -n_units[2]]).any()


def test_wide_registers_are_found() -> None:
    flags = next((line for line in _processor() if line.startswith("flags")), "")
    if not (silhouettes.COMPILED and flags and platform.machine() == "x86_64"):
        pytest.skip("no compiled kernel, or nothing says what the processor has")
    assert silhouettes.WIDE is ("avx2" in flags.split())


def _processor() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.parametrize("distinct", [0, 1])
def test_placements(vectors: np.ndarray, distinct: int) -> None:
    mine = vectors[:UNITS]
    found = []
    for module in (placements, load("placements", shim=True)):
        table = np.zeros((UNITS + 1, UNITS + 1))
        scatter_of = module.measure_likenesses(mine @ mine.T, distinct, np.empty(UNITS), table)
        sums = np.empty(UNITS - 1)
        module.sum_rotations(table, np.array([2, 3, 6]), np.arange(UNITS - 1), sums)
        found.append(np.concatenate((np.triu(table, 1).ravel(), sums, [scatter_of])))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-13)
    x = mine - mine.mean(axis=0)
    assert found[0][-1] == pytest.approx((x**2).sum())


def test_shared_sums(vectors: np.ndarray) -> None:
    distances = np.linalg.norm(vectors[:UNITS, None] - vectors[None, :UNITS], axis=2)
    summed = np.concatenate((np.zeros((UNITS, 1)), distances.cumsum(axis=1)), axis=1)
    found = []
    for module in (variants, load("variants", shim=True)):
        running, out = np.zeros((2 * UNITS + 1, DIMENSION)), np.full(3 * UNITS, np.nan)
        module.add_up(vectors, running)
        ptr, pos = np.array([0, 3, 5, 6]), np.array([2, 3, 6, 1, 4, 8])
        module.measure_shared_silhouettes(summed, ptr, pos, 1, 3, UNITS, UNITS, out)
        found.append(np.concatenate((running.ravel(), out)))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_allclose(running[-1], vectors.sum(axis=0))
    # The first segmentation was left out; units alone in their segment have 0.
    assert np.isnan(out[:UNITS]).all()
    assert [out[UNITS], out[-1]] == [0.0, 0.0]
    inside, before, after = distances[1, 2:4].sum() / 2, distances[1, 0], distances[1, 4:].mean()
    nearest = min(before, after)
    assert out[UNITS + 1] == pytest.approx((nearest - inside) / max(nearest, inside))
