"""Segments in a random order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import Flat, first_fault
from caesura.errors import SegmentationError
from caesura.placements.random import ShuffledLengths
from caesura.segmentation import Segmentation

masses = st.lists(st.integers(1, 6), min_size=1, max_size=6)


def orders(flat: Flat, seed: int | list[int], number: int) -> list[Flat]:
    shuffled = ShuffledLengths(flat, seed=seed)
    return [shuffled.draw() for _ in range(number)]


@given(st.lists(masses, min_size=1, max_size=5), st.integers(0, 99))
def test_every_document_keeps_its_lengths(documents, seed):
    flat = Flat.from_segmentations([Segmentation.from_masses(m) for m in documents])
    for drawn in orders(flat, seed, 3):
        assert first_fault(drawn.n_units, drawn.ptr, drawn.pos) is None
        for row, m in enumerate(documents):
            pos = drawn.pos[drawn.ptr[row] : drawn.ptr[row + 1]]
            assert sorted(np.diff([0, *pos, sum(m)]).tolist()) == sorted(m)


def test_every_order_is_equally_likely():
    flat = Flat.from_segmentations([Segmentation.from_masses([1, 2, 4]), Segmentation.from_masses([3, 3])])
    seen = Counter(tuple(d.pos[:2].tolist()) for d in orders(flat, 0, 6000))
    assert len(seen) == 6
    # Six cells of 1,000: a chi-square of 20.5 has probability 0.001 with five degrees of freedom.
    assert sum((n - 1000) ** 2 / 1000 for n in seen.values()) < 20.5


def test_same_seed_same_orders():
    flat = Flat.from_segmentations([Segmentation.from_masses([1, 2, 3, 4])])
    first, again, other = ([tuple(d.pos) for d in orders(flat, seed, 9)] for seed in (5, 5, [5, 1]))
    assert first == again != other


def test_a_seed_is_a_whole_number():
    with pytest.raises(SegmentationError, match="seed is -1"):
        ShuffledLengths(Flat.from_segmentations([Segmentation(3, (1,))]), seed=-1)
