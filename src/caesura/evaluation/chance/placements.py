# SPDX-License-Identifier: Apache-2.0
"""Random placements of as many boundaries as a hypothesis has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.placements.random import RandomPlacements

__all__ = ["BLOCK", "MANY_BOUNDARIES", "in_blocks", "placed"]

MANY_BOUNDARIES = 20_000
"""From this number of boundaries in a hypothesis on, drawing may stop early."""
BLOCK = 8_192
"""Documents per block when each is counted separately, so that their tables stay in the cache."""


def in_blocks(pairs: Pairs) -> Iterator[Pairs]:
    """Yield the documents in blocks; one empty block if there are none."""
    if len(pairs) <= BLOCK:
        yield pairs
        return
    for start in range(0, len(pairs), BLOCK):
        yield pairs.between(start, start + BLOCK)


def placed(pairs: Pairs, draws: int, seed: int | Sequence[int]) -> Iterator[Pairs]:
    """Yield the reference beside each random placement of as many boundaries as the hypothesis has."""
    placements = RandomPlacements(pairs.n_units, np.diff(pairs.hyp_ptr), seed=seed)
    return map(pairs.against, placements.draws(draws))
