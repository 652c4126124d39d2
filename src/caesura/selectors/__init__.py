# SPDX-License-Identifier: Apache-2.0
"""Selectors: one score per gap in, boundaries out.

Conventions
-----------
``scores[i]`` belongs to gap ``i + 1``; a document of n units has n - 1 scores. ``min_gap`` is the least distance of two
boundaries, 1 is none. A higher score means more of a boundary. All are deterministic: ties go to the earlier gap.

``StaticSelector``
    a threshold, gaps taken by descending score.
``TopKSelector``
    the k best gaps.
``DensitySelector``
    as many boundaries as a density asks for.
``DeviationSelector``
    a threshold of mean + alpha standard deviations of the document's own scores.
``LocalMaximaSelector``
    gaps that no neighbour exceeds.
``AdaptiveSelector``
    evidence gathered over time against a threshold that follows a target rate; also on a live stream.
"""

from caesura.selectors._base import SELECTORS, Scores, Selector, selector
from caesura.selectors.adaptive import AdaptiveSelector
from caesura.selectors.density import DensitySelector
from caesura.selectors.deviation import DeviationSelector
from caesura.selectors.local_maxima import LocalMaximaSelector
from caesura.selectors.static import StaticSelector
from caesura.selectors.top_k import TopKSelector

__all__ = [
    "SELECTORS",
    "AdaptiveSelector",
    "DensitySelector",
    "DeviationSelector",
    "LocalMaximaSelector",
    "Scores",
    "Selector",
    "StaticSelector",
    "TopKSelector",
    "selector",
]

SELECTORS.discover(__path__, __name__)
