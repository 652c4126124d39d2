# SPDX-License-Identifier: Apache-2.0
"""The metrics without a reference as their authors' programs go about them, said in our own words.

Segment by segment, a call of NumPy or scikit-learn for each dispersion, each centroid and each distance. The programs
themselves are no packages and cannot be installed. What they get wrong (definitions of ARP: pairs of cosine 0 are dropped)
does not occur in the benchmark's vectors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["DISPERSIONS", "arp", "seg_re_free", "silhouette"]

Floats = npt.NDArray[np.float64]


def _std(units: Floats) -> float:
    return float(np.linalg.norm(np.nanstd(units, axis=0)))


def _cos(units: Floats) -> float:
    from sklearn.metrics.pairwise import cosine_similarity

    middle = np.nanmean(units, axis=0)[None, :]
    return 1.0 - float(np.nanmean(cosine_similarity(middle, units)))


def _pair(units: Floats) -> float:
    from sklearn.metrics.pairwise import cosine_similarity

    above = np.triu(cosine_similarity(units), k=1)
    above[above == 0] = np.nan
    return 1.0 - float(np.nanmean(above))


DISPERSIONS: dict[str, Callable[[Floats], float]] = {"ARPstd": _std, "ARPcos": _cos, "ARPpair": _pair}


def arp(segments: Sequence[Floats], dispersion: Callable[[Floats], float]) -> float:
    """Return the score of one document."""
    if len(segments) < 2:
        return math.nan
    values, withins, alone = [], [], []
    for own, following in itertools.pairwise(segments):
        if len(own) == 1:
            alone.append(dispersion(np.concatenate((own, following[:1]))))
            continue
        cut = min(2 * len(following), len(own))
        within = dispersion(own[-cut:])
        across = dispersion(np.concatenate((own[-math.ceil(cut / 2) :], following[: cut // 2])))
        withins.append(within)
        values.append((across - within) / (across + within))
    usual = np.mean(withins) if withins else np.mean(alone)
    values += [(across - usual) / (across + usual) for across in alone]
    return float(np.nanmean(values))


def seg_re_free(segments: Sequence[Floats]) -> float:
    """Return the score of one document, segments of one unit without scatter."""
    from sklearn.metrics.pairwise import euclidean_distances

    if len(segments) < 2:
        return math.nan
    middles: list[Any] = []
    spreads = []
    for units in segments:
        middles.append(np.nanmean(units, axis=0)[None, :])
        if len(units) == 1:
            spreads.append(0.0)
            continue
        spreads.append(float(np.nanmean(euclidean_distances(middles[-1], units))) / (1 - len(units) ** -0.5))
    values = []
    for place in range(len(segments)):
        found = [
            (spreads[place] + spreads[other]) / euclidean_distances(middles[place], middles[other])[0][0]
            for other in (place - 1, place + 1)
            if 0 <= other < len(segments)
        ]
        values.append(max(found))
    return float(np.nanmean(values))


def silhouette(vectors: Floats, labels: npt.NDArray[np.int64]) -> float:
    """Return scikit-learn's silhouette of one document; it refuses one label, and one label per unit."""
    from sklearn.metrics import silhouette_score

    if not 1 < len(np.unique(labels)) < len(labels):
        return math.nan
    return float(silhouette_score(vectors, labels))
