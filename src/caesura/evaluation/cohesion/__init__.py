# SPDX-License-Identifier: Apache-2.0
"""Segmentations measured without a reference: scores, intervals, chance, comparison at equal density, worst segments."""

from caesura.evaluation.cohesion.equal_density import EqualDensity
from caesura.evaluation.cohesion.null import KINDS, Null
from caesura.evaluation.cohesion.report import Cohesion, Vectors
from caesura.evaluation.cohesion.run import DEFAULT_COHESION, cohesion
from caesura.evaluation.cohesion.worst import WorstSegment

__all__ = [
    "DEFAULT_COHESION",
    "KINDS",
    "Cohesion",
    "EqualDensity",
    "Null",
    "Vectors",
    "WorstSegment",
    "cohesion",
]
