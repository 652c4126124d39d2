# SPDX-License-Identifier: Apache-2.0
"""Segmenters: documents in, boundaries out. So far only those that do not read the text.

`base`
    what every segmenter is, and how it is found by name: ``segmenter("every(n=4)")``.
`baselines`
    segmenters that a system must beat, for a whole corpus.
`placed`
    one document: nothing, every gap, like a clock, evenly, at random.
`random`
    random placements and shuffles in all documents at once, for chance levels.
"""

from caesura.segmenters.base import SEGMENTERS, Segmenter, baseline_systems, segmenter
from caesura.segmenters.baselines import Baseline
from caesura.segmenters.placed import all_gaps, even, every, none, random_boundaries, random_gaps
from caesura.segmenters.random import RandomPlacements

__all__ = [
    "SEGMENTERS",
    "Baseline",
    "RandomPlacements",
    "Segmenter",
    "all_gaps",
    "baseline_systems",
    "even",
    "every",
    "none",
    "random_boundaries",
    "random_gaps",
    "segmenter",
]

SEGMENTERS.discover(__path__, __name__)
