# SPDX-License-Identifier: Apache-2.0
"""Random placement: every set of gaps equally likely, the numbers kept, the same seed the same draws."""

from __future__ import annotations

import itertools
from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import first_fault, starts_of
from caesura.errors import SegmentationError
from caesura.kernels import draws
from caesura.placements import RandomPlacements
from caesura.placements.random import _words_of
from tests.kernels.test_compiled_equals_uncompiled import load

documents = st.lists(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))), max_size=8)


@given(documents, st.integers(0, 2**32))
def test_numbers_are_kept_and_positions_are_right(shape, seed):
    n_units, counts = (np.array([pair[side] for pair in shape], dtype=np.int64) for side in (0, 1))
    flat = RandomPlacements(n_units, counts, seed=seed).draw()
    assert np.diff(flat.ptr).tolist() == counts.tolist()
    assert first_fault(flat.n_units, flat.ptr, flat.pos) is None


@pytest.mark.skipif(not draws.COMPILED, reason="there is one way to draw without a compiler")
@given(documents, st.integers(0, 2**32), st.integers(1, 3))
def test_marking_draws_what_sorting_draws(shape, seed, min_gap):
    n_units, counts = (np.array([pair[side] for pair in shape], dtype=np.int64) for side in (0, 1))
    counts = np.minimum(counts, (n_units - 2) // min_gap + 1).clip(0)
    marked = RandomPlacements(n_units, counts, seed=seed, min_gap=min_gap)
    assert marked._state is not None
    with mock.patch.object(draws, "COMPILED", False):
        by_sorting = RandomPlacements(n_units, counts, seed=seed, min_gap=min_gap)
    for first, second in zip(marked.draws(3), by_sorting.draws(3), strict=True):
        assert first.pos.tolist() == second.pos.tolist()


@pytest.mark.parametrize("shim", [True, False])
def test_uncompiled_marking_is_the_same(shim):
    n_units, counts = np.array([30, 1, 9, 12, 5]), np.array([7, 0, 8, 6, 1])
    by_numpy = RandomPlacements(n_units, counts, seed=4)
    words = [int(word) for word in _words_of(np.random.default_rng([4]))]
    gaps, ptr = (n_units - 1).tolist(), starts_of(counts).tolist()
    drawn = [min(count, size - count) for count, size in zip(counts.tolist(), gaps, strict=True)]
    for flat in by_numpy.draws(3):
        pos, marks, again = [0] * ptr[-1], [0] * sum(gaps), [0] * (sum(drawn) + 1)
        own = [0] * len(gaps)
        load("draws", shim=shim).place_gaps(
            gaps, drawn, starts_of(gaps).tolist(), ptr, 0, words, marks, own, again, pos
        )
        assert pos == flat.pos.tolist()


def test_what_was_given_is_not_changed_or_kept():
    n_units, counts = np.array([9, 8]), np.array([2, 3])
    placements = RandomPlacements(n_units, counts, seed=0)
    n_units[:] = counts[:] = 1
    flat = placements.draw()
    assert flat.n_units.tolist() == [9, 8]
    assert np.diff(flat.ptr).tolist() == [2, 3]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_set_is_equally_likely(count):
    """Chi-square against the uniform law, beside other documents; 20,000 draws, 1 in 10,000 fails by chance."""
    placements = RandomPlacements(np.array([9, 6, 3]), np.array([4, count, 2]), seed=count)
    seen = Counter(tuple(flat.pos[4 : 4 + count].tolist()) for flat in placements.draws(20_000))
    sets = list(itertools.combinations(range(1, 6), count))
    assert set(seen) == set(sets)
    expected = 20_000 / len(sets)
    chi_square = sum((seen[s] - expected) ** 2 / expected for s in sets)
    assert chi_square < {5: 23.5, 10: 33.7}[len(sets)]


def test_long_documents_cost_no_memory():
    flat = RandomPlacements(np.array([2**40, 5]), np.array([1000, 2]), seed=0).draw()
    assert first_fault(flat.n_units, flat.ptr, flat.pos) is None
    assert len(flat.pos) == 1002


def test_seeds():
    shape = np.array([50, 60]), np.array([5, 55])
    first = [f.pos.tolist() for f in RandomPlacements(*shape, seed=3).draws(3)]
    assert first == [f.pos.tolist() for f in RandomPlacements(*shape, seed=3).draws(3)]
    assert first != [f.pos.tolist() for f in RandomPlacements(*shape, seed=4).draws(3)]
    assert first[0] != first[1]


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
def test_a_wrong_seed_is_refused(seed):
    with pytest.raises(SegmentationError, match=r"seed is .*; it must be a whole number, at least 0"):
        RandomPlacements(np.array([5]), np.array([1]), seed=seed)


@pytest.mark.parametrize("count", [-1, 5])
def test_too_many_are_refused(count):
    with pytest.raises(SegmentationError, match=f"count is {count}, but 5 units have 4 gaps"):
        RandomPlacements(np.array([5]), np.array([count]), seed=0)


def test_spaced_sets_are_equally_likely():
    valid = [c for c in itertools.combinations(range(1, 9), 3) if all(b - a >= 3 for a, b in itertools.pairwise(c))]
    source = RandomPlacements(np.array([9, 4]), np.array([3, 0]), seed=2, min_gap=3)
    seen = Counter(tuple(flat.pos.tolist()) for flat in source.draws(2000 * len(valid)))
    assert set(seen) == set(valid)
    # Four sets: a chi-square of 16.3 has probability 0.001 with three degrees of freedom.
    assert len(valid) == 4
    assert sum((n - 2000) ** 2 / 2000 for n in seen.values()) < 16.3


def test_spacing_that_leaves_no_room():
    with pytest.raises(SegmentationError, match="3 boundaries at least 4 apart do not fit into 9 units"):
        RandomPlacements(np.array([9]), np.array([3]), seed=0, min_gap=4)
    with pytest.raises(SegmentationError, match="min_gap is 0"):
        RandomPlacements(np.array([9]), np.array([3]), seed=0, min_gap=0)
