# SPDX-License-Identifier: Apache-2.0
"""Segmenters: documents in, boundaries out.

`base`
    what every segmenter is, and how it is found by name: ``segmenter("TextTiling(window=6)")``.
`others`
    systems that are not ours: functions, commands, servers, libraries.
`run`
    several segmenters on one corpus, with their cost.
`score_then_select`
    any scorer with any selector; the other systems are one file each.
`baselines`
    segmenters that a system must beat, for a whole corpus.
"""

from caesura.segmenters.base import SEGMENTERS, Cut, Segmenter, SizedSegmenter
from caesura.segmenters.baselines import Baseline, baseline_systems
from caesura.segmenters.others.spec import segmenter
from caesura.segmenters.score_then_select import ScoreThenSelect

__all__ = [
    "SEGMENTERS",
    "Baseline",
    "Cut",
    "ScoreThenSelect",
    "Segmenter",
    "SizedSegmenter",
    "baseline_systems",
    "segmenter",
]

SEGMENTERS.discover(__path__, __name__, lazy=True)
