# SPDX-License-Identifier: Apache-2.0
"""Selectors: from one score per gap to boundaries.

Conventions
-----------
``scores[i]`` belongs to gap ``i + 1``; a document of n units has n - 1 scores. ``min_gap`` is the minimum distance
between two boundaries; 1 means no spacing. A higher score means a more likely boundary. All selectors are deterministic:
ties go to the earlier gap.
"""

from caesura.selectors._base import SELECTORS, SPACING, Scores, Selector, selector
from caesura.selectors.adaptive import AdaptiveSelector
from caesura.selectors.greedy import (
    DensitySelector,
    DeviationSelector,
    LocalMaximaSelector,
    StaticSelector,
    TopKSelector,
)

__all__ = [
    "SELECTORS",
    "SPACING",
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
