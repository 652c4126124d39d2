# SPDX-License-Identifier: Apache-2.0
"""Correlations of many losses: of each document with the level of damage, and of a metric with a reference metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.flat import Ints
from caesura.evaluation.correlate.coefficients import pearson
from caesura.evaluation.validate.trials import Trial
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.validate.facts import GRADED, Correlation, Kind, LevelCorrelation

__all__ = ["Losses", "correlate", "means_of", "over_levels", "rank_correlations"]

_FEWEST_LEVELS = 3  # points below which no correlation is given
_FEWEST = 3  # points below which a correlation is not defined
Losses = Sequence[Sequence[Floats]]
"""Losses of each document, by trial and draw."""


def rank_correlations(losses: Floats) -> Floats:
    """Return the rank correlation of the losses of each row with their places in it; NaN is left out.

    A row has none if it has fewer than three losses, or all of them are equal.

    >>> rank_correlations(np.array([[0.0, 5, 7], [0, np.nan, 7], [0, 2, np.inf]])).tolist()
    [1.0, nan, 1.0]
    """
    there = ~np.isnan(losses)
    points = there.sum(axis=1)
    left, right = losses[:, :, None], losses[:, None, :]
    ranks = (right < left).sum(axis=2) + ((right == left).sum(axis=2) + 1) / 2
    middle = (points[:, None] + 1) / 2
    x, y = (np.where(there, side - middle, 0.0) for side in (np.cumsum(there, axis=1), ranks))
    # Ranks are halves, so that these sums are exact.
    xy, xx, yy = (np.einsum("ij,ij->i", *sides) for sides in ((x, y), (x, x), (y, y)))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 1 / (points - 1)
        found = np.clip(xy * share / np.sqrt(yy * share) / np.sqrt(xx * share), -1, 1)
    return np.where((points >= _FEWEST) & (yy > 0), found, np.nan)


def correlate(ours: Mapping[str, Losses], theirs: Mapping[str, Losses]) -> dict[str, dict[str, Correlation]]:
    """Correlate the losses of each metric with those of each reference metric, over documents, trials and draws."""
    first, second = ({name: _coded(losses) for name, losses in side.items()} for side in (ours, theirs))
    return {one: {other: _correlated(*first[one], *second[other]) for other in theirs} for one in ours}


def _correlated(x: Floats, first: Ints, y: Floats, second: Ints) -> Correlation:
    """Correlate values, whose ranks are those of their codes, where both are finite."""
    finite = np.isfinite(x) & np.isfinite(y)
    x, first, y, second = x[finite], first[finite], y[finite], second[finite]
    if len(x) < _FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(pearson=None, spearman=None, kendall=None, points=len(x))
    from scipy.stats import kendalltau  # type: ignore[import-untyped]

    return Correlation(
        pearson=number(float(pearson(x[None], y[None])[0])),
        spearman=number(float(pearson(_ranks(first)[None], _ranks(second)[None])[0])),
        kendall=number(float(kendalltau(first, second).statistic)),
        points=len(x),
    )


def _coded(losses: Losses) -> tuple[Floats, Ints]:
    """Return all losses, and the place of each among the different ones, in as few bits as sort fastest."""
    values = np.concatenate([loss for runs in losses for loss in runs])
    kinds, codes = np.unique(values, return_inverse=True)
    return values, codes.astype(np.uint16 if len(kinds) <= np.iinfo(np.uint16).max else np.int64)


def _ranks(codes: Ints) -> Floats:
    """Return ranks from 1; equal values share the mean of theirs."""
    counts = np.bincount(codes)
    ends = np.cumsum(counts)
    shared: Floats = (2 * ends - counts + 1) / 2
    return shared[codes]


def means_of(losses: Losses) -> Floats:
    """Return the mean loss of each document over the draws, by trial."""
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return np.stack([np.mean(runs, axis=0) for runs in losses])


def over_levels(means: Floats, their_means: Floats, planned: Sequence[Trial]) -> dict[Kind, LevelCorrelation]:
    """Correlate the mean loss of a metric with that of a reference metric, over the levels of each kind of damage.

    Both have a row per trial, with the mean over its draws of each document. Level 0, no damage and no loss, is a point too.
    Every point is a mean over the same documents: those with finite losses at each level used. A level is used if it has half as
    many such documents as the best one, since near 100 % removal hardly a document keeps a score.
    """
    found: dict[Kind, LevelCorrelation] = {}
    for kind in GRADED:
        places = [place for place, trial in enumerate(planned) if trial.kind == kind]
        if not places:
            continue
        ours, theirs = means[places], their_means[places]
        usable = np.isfinite(ours) & np.isfinite(theirs)
        there = usable.sum(axis=1)
        levels = (there > 0) & (there >= there.max() / 2)
        documents = usable[levels].all(axis=0)
        if levels.sum() + 1 < _FEWEST_LEVELS or not documents.any():
            found[kind] = LevelCorrelation(pearson=None, levels=int(levels.sum()), documents=0)
            continue
        x, y = (np.append(0.0, table[levels][:, documents].mean(axis=1)) for table in (ours, theirs))
        found[kind] = LevelCorrelation(
            pearson=number(float(pearson(x[None], y[None])[0])),
            levels=int(levels.sum()),
            documents=int(documents.sum()),
        )
    return found
