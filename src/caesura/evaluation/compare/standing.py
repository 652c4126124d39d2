# SPDX-License-Identifier: Apache-2.0
"""The best system on a metric, the others that may be best, and the number of documents needed to decide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.metrics.base import Floats
from caesura.metrics.card import MetricCard
from caesura.results import Comparison, Standing, as_float, number
from caesura.results.compare.facts import DIFFERENT
from caesura.statistics.distributions import normal_quantile

__all__ = ["best_of", "documents_needed", "shares_best", "standing"]

_POWER = 0.8
_MOST = 1_000_000


def standing(
    facts: MetricCard, scores: Mapping[str, float], replicates: Mapping[str, Floats], compared: Sequence[Comparison]
) -> Standing | None:
    """Return the standing of systems of which the best was compared with all others; None if no score is defined.

    ``replicates`` are their scores on the same resamples of the documents.
    """
    best = best_of(facts, scores)
    if best is None:
        return None
    rivals = [item for item in compared if best in (item.first, item.second)]
    open_ = [item for item in rivals if item.better is None]
    nearest = min(open_, key=lambda item: abs(as_float(item.difference)), default=None)
    needed = None
    if nearest is not None:
        gains = facts.gain(replicates[nearest.first], replicates[nearest.second])
        gain = float(facts.gain(scores[nearest.first], scores[nearest.second]))
        needed = documents_needed(gain, gains, nearest.documents, DIFFERENT / max(1, nearest.family))
    return Standing(
        best=best,
        p_best=shares_best({system: facts.badness(values) for system, values in replicates.items()}),
        not_ruled_out=[item.second if item.first == best else item.first for item in open_],
        documents=rivals[0].documents if rivals else 0,
        documents_needed=needed,
    )


def best_of(facts: MetricCard, scores: Mapping[str, float]) -> str | None:
    """Return the first system with the best score; None if no score is defined."""
    defined = {system: score for system, score in scores.items() if not math.isnan(score)}
    return min(defined, key=lambda system: float(facts.badness(defined[system])), default=None)


def shares_best(badness: Mapping[str, Floats]) -> dict[str, float | None]:
    """Return the share of resamples in which each system is the best; ties are shared.

    >>> shares_best({"a": np.array([0.1, 0.2, 0.3, 0.3]), "b": np.array([0.2, 0.1, 0.3, 0.4])})
    {'a': 0.625, 'b': 0.375}
    """
    table = np.stack(list(badness.values()))
    if np.isnan(table).any():
        table = table[:, ~np.isnan(table).any(axis=0)]
    if not table.size:
        return dict.fromkeys(badness)
    least = table <= table.min(axis=0) + 1e-12
    if np.count_nonzero(least) > table.shape[1]:
        least = least / least.sum(axis=0)
    shares = least.mean(axis=1)
    return {system: number(float(share)) for system, share in zip(badness, shares, strict=True)}


def documents_needed(gain: float, gains: Floats, documents: int, alpha: float) -> int | None:
    """Return the number of documents with which a test at ``alpha`` finds a difference of this size with a power of 80 %.

    The difference and its spread over documents, estimated from the resamples, are assumed to stay the same.
    None if there is no difference, or if more than a million documents are needed.

    >>> rng = np.random.default_rng(0)
    >>> documents_needed(0.1, 0.1 + 0.1 * rng.standard_normal(4000), 50, 0.05)  # 50 (1.96 + 0.84)^2, about 392
    392
    """
    spread = float(np.nanstd(gains)) if np.isfinite(gains).any() else math.nan
    if not abs(gain) > 1e-12 or not spread > 0 or not math.isfinite(spread):
        return None
    needed = documents * ((normal_quantile(1 - alpha / 2) + normal_quantile(_POWER)) * spread / abs(gain)) ** 2
    return None if needed > _MOST else max(documents + 1, math.ceil(needed))
