"""The dynamic programme against all segmentations, its scores against their definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.errors import CaesuraWarning, SegmentationError
from caesura.kernels import programme as kernel
from caesura.segmenters import _search as _dynamic
from caesura.segmenters._search import Band, Programme, longest, penalised, solve
from tests.segmenters.brute import least, segmentations, spans


def random_band(n: int, length: int, seed: int) -> Band:
    rng = np.random.default_rng(seed)
    band = Band(n, length)
    for end in range(1, n + 1):
        starts = band.starts(end)
        # Few different costs, so that ties occur.
        band.fill(end, rng.integers(0, 6, starts.stop - starts.start).astype(float))
    return band


@pytest.fixture(params=["compiled", "rows"])
def way(request, monkeypatch):
    if request.param == "compiled" and not kernel.COMPILED:
        pytest.skip("the kernel is not compiled")
    monkeypatch.setattr(_dynamic.kernel, "COMPILED", request.param == "compiled")


CASES = list(itertools.product((1, 2, 5, 8, 10), range(3)))


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_least_cost_of_every_number_of_segments(n, seed, way):
    band = random_band(n, n, seed)
    found = solve(band)
    assert len(found.totals) == n
    for k in range(1, n + 1):
        best = least(n, band.cost, k)
        assert found.totals[k - 1] == best
        assert sum(band.cost(a, b) for a, b in spans(n, tuple(found.boundaries(k)))) == best


@pytest.mark.skipif(not kernel.COMPILED, reason="the kernel is not compiled")
@pytest.mark.parametrize("kinds", [2, 6, 10**6])
@pytest.mark.parametrize("length", [16, 17, 40, 75])
def test_the_kernel_leaves_out_only_what_cannot_win(length, kinds, monkeypatch):
    """It looks at sixteen starts at a time, and tries few of them; of equal ones both take the first."""
    rng = np.random.default_rng(length)
    band = Band(75, length)
    for end in range(1, 76):
        starts = np.arange(75)[band.starts(end)]
        band.fill(end, (end - starts) ** 1.5 + rng.integers(0, kinds, len(starts)) * 6 / kinds)
    band.require(2)
    found, cuts = solve(band), penalised(band, 9.0)
    monkeypatch.setattr(kernel, "COMPILED", False)
    plain = solve(band)
    assert found.totals.tolist() == plain.totals.tolist()
    for k in np.flatnonzero(np.isfinite(plain.totals)) + 1:
        assert found.boundaries(k) == plain.boundaries(k)
    assert cuts == penalised(band, 9.0)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_penalised(n, seed, way):
    band = random_band(n, n, seed)
    best = min(least(n, band.cost, k) + 1.5 * k for k in range(1, n + 1))
    found = penalised(band, 1.5)
    assert sum(band.cost(a, b) + 1.5 for a, b in spans(n, tuple(found))) == best


@pytest.mark.parametrize("length", [1, 2, 4])
def test_limits_on_length(length, way):
    band = random_band(9, length, 4)
    found = solve(band)
    for k in range(1, 10):
        allowed = [
            sum(band.cost(a, b) for a, b in spans(9, cuts))
            for cuts in segmentations(9, k)
            if max(b - a for a, b in spans(9, cuts)) <= length
        ]
        assert found.totals[k - 1] == min(allowed, default=np.inf)
        if not allowed:
            with pytest.raises(SegmentationError, match=f"{k} segments are not possible within the limits"):
                found.boundaries(k)
    short = random_band(9, 9, 5)
    short.require(3)
    assert np.flatnonzero(np.isfinite(solve(short).totals)).tolist() == [0, 1, 2]
    tiny = random_band(2, 2, 5)
    tiny.require(3)
    assert np.isfinite(solve(tiny).totals).tolist() == [True, False]


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_the_order_of_entry(seed, way):
    """By definition: the largest number of segments at which a gap is no boundary."""
    found = solve(random_band(8, 8, seed))
    scores = found.entry_scores()
    for gap in range(1, 8):
        absent = max(k for k in range(1, 9) if k == 1 or gap not in found.boundaries(k))
        assert scores[gap - 1] == 1 - absent / 8
    assert Programme(1, np.zeros(1), np.zeros((1, 1), dtype=np.int64)).entry_scores().tolist() == []


def test_long_documents_are_banded_and_said_so():
    assert longest(1000, None, "X") == 1000
    assert longest(10**6, 10, "X") == 10
    with pytest.warns(CaesuraWarning, match=r"X: 1000000 units; segments are limited to 16 units"):
        assert longest(10**6, None, "X") == 16


def test_a_long_document_is_ranked_up_to_numbers_that_cover_it(monkeypatch):
    monkeypatch.setattr(_dynamic, "_WORK", 1)
    found = solve(random_band(40, 5, 1))
    assert np.flatnonzero(np.isfinite(found.totals)).tolist() == list(range(7, 16))
