"""What chance holds in memory: the counts of every draw once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from caesura.batches import embedded
from caesura.batches.embedded import Embedded
from caesura.evaluation.cohesion.null import KINDS, RandomSegmentations
from caesura.metrics.cohesion import COHESION
from caesura.segmentation import Segmentation


def test_counts_of_draws_are_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_UNITS", 1 << 12)
    rng = np.random.default_rng(1)
    documents = {f"d{row}": Segmentation(12, (3, 7)) for row in range(600)}
    batch = Embedded.of(documents, {key: rng.standard_normal((12, 4)) for key in documents})
    metrics = {name: COHESION.parse(name) for name in ("ARPcos", "SegReFree")}
    draws = RandomSegmentations(KINDS, 50, 0)
    draws.counts(metrics, batch.take(range(10)))
    tracemalloc.start()
    try:
        counts = draws.counts(metrics, batch)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    held = sum(table.nbytes for tables in counts.values() for table in tables.values())
    assert held == 2 * 50 * 600 * 2 * 2 * 8
    assert peak < 1.5 * held
