# SPDX-License-Identifier: Apache-2.0
"""Segmenters: documents in, boundaries out. Here only those that look at no text.

`placed`
    one document: nothing, every gap, like a clock, evenly, at random.
`baselines`
    the same declared by name, for a whole reference corpus: ``make_baseline("random_density", reference)``.
`placements`
    random placement of given numbers of boundaries in all documents at once, for chance levels.
"""

from caesura.segmenters.baselines import BASELINES, Baseline, baseline_systems, make_baseline
from caesura.segmenters.placed import all_gaps, even, every, none, random_boundaries, random_gaps
from caesura.segmenters.random import RandomPlacements

__all__ = [
    "BASELINES",
    "Baseline",
    "RandomPlacements",
    "all_gaps",
    "baseline_systems",
    "even",
    "every",
    "make_baseline",
    "none",
    "random_boundaries",
    "random_gaps",
]
