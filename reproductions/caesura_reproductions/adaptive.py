# SPDX-License-Identifier: Apache-2.0
"""Whether an adaptive selector holds its rate under every candidate threshold."""

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
    selected, ``selected`` the gaps themselves, from 1, and ``overlap`` the Jaccard index of the selections: gaps in all of them over
    gaps in any.
    """

    thresholds: tuple[float, ...]
    candidates: tuple[float, ...]
    rates: tuple[float, ...]
    selected: tuple[tuple[int, ...], ...]
    overlap: float


def adaptive_invariance(
    scores: npt.NDArray[np.float64] | Sequence[npt.NDArray[np.float64]],
    shares: Sequence[float],
    selector: AdaptiveSelector,
) -> Invariance:
    """Run a selector on a stream of scores, with candidate thresholds that make these shares of the gaps candidates.

    Parameters
    ----------
    scores : array, or sequence of arrays
        One score per gap: of one stream, or of each document, over which the selector carries its threshold (`run_all`). Gaps
        are numbered consecutively over all documents.
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
    documents = [scores] if isinstance(scores, np.ndarray) else list(scores)
    stream = np.concatenate(documents) if documents else np.empty(0)
    if not len(stream) or not shares or not all(0 < share <= 1 for share in shares):
        raise DeclarationError("adaptive_invariance needs scores, and shares above 0 and at most 1")
    cuts = [float(np.quantile(stream, 1 - share)) for share in shares]
    before = np.cumsum([0, *map(len, documents[:-1])]).tolist()
    runs = []
    for cut in cuts:
        commits = dataclasses.replace(selector, candidate_threshold=cut).run_all(documents)
        runs.append({start + commit.gap for start, found in zip(before, commits, strict=True) for commit in found})
    some = set.union(*runs)
    return Invariance(
        thresholds=tuple(cuts),
        candidates=tuple(float((stream >= cut).mean()) for cut in cuts),
        rates=tuple(len(run) / len(stream) for run in runs),
        selected=tuple(tuple(sorted(run)) for run in runs),
        overlap=len(set.intersection(*runs)) / len(some) if some else 1.0,
    )
