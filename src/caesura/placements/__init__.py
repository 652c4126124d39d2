# SPDX-License-Identifier: Apache-2.0
"""Boundaries that nobody read for: chance, evenly spaced baselines, perturbations."""

from caesura.placements.even import all_gaps, even, every, none
from caesura.placements.random import RandomPlacements, random_boundaries, random_gaps

__all__ = ["RandomPlacements", "all_gaps", "even", "every", "none", "random_boundaries", "random_gaps"]
