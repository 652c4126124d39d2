# SPDX-License-Identifier: Apache-2.0
"""Intervals of skills over documents, from the score and the expectation by chance of each document."""

from __future__ import annotations

import functools

import numpy as np

from caesura.evaluation.intervals import ends_of
from caesura.metrics.base import Floats
from caesura.results import Ends
from caesura.results.evaluate.verdict import Thresholds
from caesura.statistics import Bootstrap, Statistic
from caesura.statistics.moments import Estimate

__all__ = ["skill_intervals", "skills_of"]


def skills_of(scores: Floats, chance: Floats) -> list[Statistic]:
    """Return the skill of each column of scores and chance, one row per document, in a form that can be resampled."""
    return [
        Statistic.pooled(np.stack(columns, axis=1), functools.partial(_skill, len(scores)))
        for columns in zip(scores.T, chance.T, strict=True)
    ]


def skill_intervals(skills: list[Statistic], lines: Thresholds, *, normal: bool) -> list[Ends | None]:
    """Return the interval of each skill, normal or from resampled documents; None if there is one document."""
    documents = len(skills[0].columns)
    if documents < 2:
        return [None] * len(skills)
    if normal:
        return [ends_of(Estimate.of(skill).interval()) for skill in skills]
    bootstrap = Bootstrap(documents, lines.resamples, lines.seed)
    return [ends_of(bootstrap.interval(drawn, documents)) for drawn in bootstrap.replicates(skills)]


def _skill(documents: int, sums: Floats) -> Floats:
    """Return the skill of summed scores and summed chance."""
    score, expected = sums[..., 0] / documents, sums[..., 1] / documents
    out = np.full(np.shape(score), np.nan)
    return np.asarray(np.divide(score - expected, 1.0 - expected, out=out, where=expected < 1.0 - 1e-12))
