# SPDX-License-Identifier: Apache-2.0
"""Measurements without a reference: scores, intervals, chance, comparison at equal density, worst segments."""

from caesura.evaluation.cohesion.null import KINDS, NullDistribution
from caesura.evaluation.cohesion.report import Cohesion
from caesura.evaluation.cohesion.run import DEFAULT_COHESION, cohesion

__all__ = ["DEFAULT_COHESION", "KINDS", "Cohesion", "NullDistribution", "cohesion"]
