"""How often a metric prefers the gold."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.batches.embedded import Embedded
from caesura.evaluation.validate.curves import directional_share
from caesura.metrics import metric
from caesura.segmentation import Segmentation

RNG = np.random.default_rng(4)
GOLD = {f"d{n}": Segmentation.from_masses([3, 4, 5]) for n in range(5)}
VECTORS = {key: np.repeat(RNG.normal(size=(3, 6)), [3, 4, 5], axis=0) + RNG.normal(size=(12, 6)) for key in GOLD}


@pytest.mark.parametrize("name", ["SegReFree", "ARPpair"])
def test_the_share_is_that_of_single_scores_whichever_way_is_better(name):
    other = {key: Segmentation(12, (1 + n, 8)) for n, key in enumerate(GOLD)}
    found = directional_share(name, Embedded.of(GOLD, VECTORS), {**other, "further": Segmentation(3)})
    scores = [(metric(name)(GOLD[key], VECTORS[key]), metric(name)(other[key], VECTORS[key])) for key in GOLD]
    better = [a < b if name == "SegReFree" else a > b for a, b in scores]
    assert found.share == pytest.approx(np.mean(better))
    assert found.gold == pytest.approx([a for a, _ in scores])


def test_ties_are_not_better_and_undefined_documents_are_left_out():
    batch = Embedded.of(GOLD, VECTORS)
    assert directional_share("SegReFree", batch, GOLD).share == 0.0
    assert np.isnan(directional_share("SegReFree", batch, {key: Segmentation(12) for key in GOLD}).share)
