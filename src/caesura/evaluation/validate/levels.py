# SPDX-License-Identifier: Apache-2.0
"""Correlation over the levels of a damage, as papers report it: one point per level, the mean over documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.evaluation.correlate.coefficients import pearson
from caesura.evaluation.validate.trials import Trial
from caesura.metrics.base import Floats, Metric
from caesura.results import number
from caesura.results.validate.facts import GRADED, Kind, LevelCorrelation

__all__ = ["over_levels"]

_FEWEST = 3  # points below which no correlation is given


def over_levels(
    metric: Metric,
    before: Floats,
    after: Sequence[Sequence[Floats]],
    losses: Sequence[Sequence[Floats]],
    planned: Sequence[Trial],
) -> dict[Kind, LevelCorrelation]:
    """Correlate the mean loss of a metric with that of a reference metric, over the levels of each kind of damage.

    Scores after the damage and losses of the reference metric are by trial and draw. Level 0, no damage and no loss, is a point
    too. Every point is a mean over the same documents: those with finite losses at each level used. A level is used if it has
    half as many such documents as the best one, since near 100 % removal hardly a document keeps a score.
    """
    found: dict[Kind, LevelCorrelation] = {}
    for kind in GRADED:
        places = [place for place, trial in enumerate(planned) if trial.kind == kind]
        if not places:
            continue
        gains = metric.facts().gain
        with np.errstate(invalid="ignore"):  # infinity less infinity, over draws
            ours = np.stack([np.mean([gains(before, s) for s in after[place]], axis=0) for place in places])
            theirs = np.stack([np.mean(losses[place], axis=0) for place in places])
        usable = np.isfinite(ours) & np.isfinite(theirs)
        there = usable.sum(axis=1)
        levels = (there > 0) & (there >= there.max() / 2)
        documents = usable[levels].all(axis=0)
        if levels.sum() + 1 < _FEWEST or not documents.any():
            found[kind] = LevelCorrelation(pearson=None, levels=int(levels.sum()), documents=0)
            continue
        x, y = (np.append(0.0, table[levels][:, documents].mean(axis=1)) for table in (ours, theirs))
        found[kind] = LevelCorrelation(
            pearson=number(float(pearson(x[None], y[None])[0])),
            levels=int(levels.sum()),
            documents=int(documents.sum()),
        )
    return found
