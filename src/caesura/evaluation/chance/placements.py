# SPDX-License-Identifier: Apache-2.0
"""Random placements of as many boundaries as a hypothesis has, their counts, and when to stop drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats, Request
from caesura.segmenters.random import RandomPlacements

__all__ = [
    "BLOCK", "ERROR", "FEWEST", "MANY_BOUNDARIES", "chance_counts", "in_blocks", "placed", "settled", "standard_error",
]  # fmt: skip

MANY_BOUNDARIES = 20_000
"""From this number of boundaries in a hypothesis on, drawing may stop early."""
BLOCK = 8_192
"""Documents per block when each is counted separately, so that their tables stay in the cache."""
FEWEST = 8
"""The minimum number of draws."""
ERROR = 2e-4
"""The standard error of a mean over draws at which drawing stops."""


def standard_error(values: Floats) -> float:
    """Return the standard error of the mean of some draws; NaN for a single draw."""
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def settled(drawn: Sequence[Sequence[float]], error: float = ERROR) -> bool:
    """Return whether there are enough draws: their mean has a standard error of at most 0.0002, unless another is given.

    >>> settled([[0.3] * 7]), settled([[0.3] * 8]), settled([[0.3] * 8, [0.2, 0.4] * 4])
    (False, True, False)
    """
    # An undefined mean stays undefined with more draws.
    return len(drawn[0]) >= FEWEST and not any(standard_error(np.array(each)) > error for each in drawn)


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


def chance_counts(
    pairs: Pairs, requests: Sequence[Request], draws: int, seed: int | Sequence[int]
) -> Iterator[dict[Request, Floats]]:
    """Yield the counts of every request for each random placement, in the same tables as those of the one before."""
    tables: dict[Request, Floats] = {}
    for batch in placed(pairs, draws, seed):
        tables = {request: request.count(batch, out=tables.get(request)) for request in requests}
        yield tables
