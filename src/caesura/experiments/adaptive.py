# SPDX-License-Identifier: Apache-2.0
"""Whether an adaptive selector holds its rate, whatever the scorer calls a candidate."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from caesura.errors import DeclarationError
from caesura.selectors.adaptive import AdaptiveSelector

__all__ = ["Invariance", "adaptive_invariance"]


@dataclasses.dataclass(frozen=True)
class Invariance:
    """Rates of one stream of scores under several candidate thresholds.

    ``thresholds`` are those thresholds, ``candidates`` the shares of gaps at or above each, ``rates`` the shares that were
    selected, ``selected`` the gaps themselves, from 1, and ``overlap`` those that all selections share, as a part of those that
    any has (Jaccard).
    """

    thresholds: tuple[float, ...]
    candidates: tuple[float, ...]
    rates: tuple[float, ...]
    selected: tuple[tuple[int, ...], ...]
    overlap: float


def adaptive_invariance(
    scores: npt.NDArray[np.float64], shares: Sequence[float], selector: AdaptiveSelector
) -> Invariance:
    """Run a selector on one stream of scores, with candidate thresholds at which these shares of the gaps are candidates.

    Parameters
    ----------
    scores : array
        One score per gap.
    shares : sequence of float
        Between 0 and 1, one for each run.
    selector : AdaptiveSelector
        Its own candidate threshold is replaced.

    Examples
    --------
    >>> stream = np.random.default_rng(1).random(400)
    >>> found = adaptive_invariance(stream, (0.8, 0.5), AdaptiveSelector(rate=0.2, horizon=3))
    >>> [round(rate, 2) for rate in found.candidates]
    [0.8, 0.5]
    """
    if not len(scores) or not shares or not all(0 < share <= 1 for share in shares):
        raise DeclarationError("adaptive_invariance needs scores, and shares above 0 and at most 1")
    cuts = [float(np.quantile(scores, 1 - share)) for share in shares]
    runs = [
        {commit.gap for commit in dataclasses.replace(selector, candidate_threshold=cut).run(scores)}
        for cut in cuts
    ]
    some = set.union(*runs)
    return Invariance(
        thresholds=tuple(cuts),
        candidates=tuple(float((scores >= cut).mean()) for cut in cuts),
        rates=tuple(len(run) / len(scores) for run in runs),
        selected=tuple(tuple(sorted(run)) for run in runs),
        overlap=len(set.intersection(*runs)) / len(some) if some else 1.0,
    )
