# SPDX-License-Identifier: Apache-2.0
"""Segmenters: from documents to boundaries. Those here do not read the text.

`placed`
    one document: no boundary, every gap, at a fixed period, evenly, at random.
`baselines`
    the same by name, for a whole reference corpus: ``make_baseline("random_density", reference)``.
`random`
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
