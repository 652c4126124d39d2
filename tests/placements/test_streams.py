"""The streams of baselines: the gaps that NumPy draws with a generator for each document."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.batches.flat import starts_of
from caesura.placements import even, every
from caesura.placements.even import even_of_each, every_of_each
from caesura.placements.streams import Streams, chosen_gaps, words_of
from tests.kernels.test_compiled_equals_uncompiled import load


def _documents() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    gaps = np.concatenate([rng.integers(0, 60, 300), [1, 2, 9_999, 10_000, 10_001, 12_000, 2**18, 2**34]])
    counts = (gaps * rng.random(len(gaps))).astype(np.int64)
    counts[:20] = gaps[:20]
    counts[-2:] = 20
    return gaps, counts


def _drawn(gaps: np.ndarray, counts: np.ndarray, seed: int) -> list[int]:
    each = [
        np.sort(np.random.default_rng([seed, row]).choice(size, size=count, replace=False)) + 1
        for row, (size, count) in enumerate(zip(gaps.tolist(), counts.tolist(), strict=True))
        if count
    ]
    return np.concatenate(each).tolist()


@pytest.mark.parametrize("seed", [0, 1, 7, 2**32 - 1, 2**32, 2**70 + 5, 2**130 + 9])
def test_gaps_are_those_of_a_generator_for_each_document(seed: int) -> None:
    gaps, counts = _documents()
    streams = Streams.of(words_of(seed), np.arange(len(gaps)))
    assert chosen_gaps(gaps, counts, streams).tolist() == _drawn(gaps, counts, seed)


@pytest.mark.parametrize("shim", [True, False])
def test_uncompiled_gaps_are_the_same(shim: bool) -> None:
    gaps, counts = (side[:100] for side in _documents())
    pos = [0] * int(counts.sum())
    # Of Python's own numbers, since those of NumPy overflow.
    seeds = Streams.of([5], np.arange(100)).seeds().astype(object)
    load("draws", shim=shim).choose_gaps(seeds, gaps.tolist(), starts_of(counts).tolist(), pos, [0] * 60, [0] * 6)
    assert pos == _drawn(gaps, counts, 5)


def test_clocks_of_many_documents_are_those_of_each() -> None:
    rng = np.random.default_rng(5)
    n_units = rng.integers(1, 400, 500)
    counts = rng.integers(0, 40, 500)
    for length in (1, 2, 7, 500):
        many = every_of_each(n_units, length)
        assert [many.segmentation(row) for row in range(500)] == [every(int(n), length) for n in n_units]
    many = even_of_each(n_units, counts)
    assert [many.segmentation(row) for row in range(500)] == [
        even(int(n), int(count)) for n, count in zip(n_units, counts, strict=True)
    ]
