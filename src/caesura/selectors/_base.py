# SPDX-License-Identifier: Apache-2.0
"""The base of all selectors, and the spacing rule that most of them share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from caesura.declare import Declared, Registry
from caesura.errors import SegmentationError, and_more
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation

__all__ = ["SELECTORS", "SPACING", "Selector", "by_score", "checked_scores", "selector", "spaced"]

Floats = npt.NDArray[np.float64]
Scores = Sequence[float] | Floats
SPACING = "minimum distance between two boundaries; 1 means no spacing"


@dataclasses.dataclass(frozen=True)
class Selector(Declared):
    """A rule that turns one score per gap into boundaries."""

    def _gaps(self, scores: Floats) -> Iterable[int]:
        """Return the selected gaps of validated scores, in any order."""
        raise NotImplementedError  # pragma: no cover - every selector has its own

    def select(self, scores: Scores, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Return the segmentation of ``len(scores) + 1`` units."""
        values = checked_scores(scores)
        return Segmentation(len(values) + 1, sorted(self._gaps(values)), unit=unit)


SELECTORS: Registry[Selector] = Registry("selector", "caesura.selectors")
"""The registry of selectors."""


def selector(text: str) -> Selector:
    """Return a selector by name, such as ``"StaticSelector(threshold=0.5, min_gap=3)"``."""
    return SELECTORS.parse(text)


def checked_scores(scores: Scores) -> Floats:
    """Return scores as an array, or raise if one is not a finite number."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise SegmentationError("scores must be numbers, one per gap") from None
    if values.ndim != 1:
        raise SegmentationError(f"scores have {values.ndim} dimensions; they must be a list, one number per gap")
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise SegmentationError(
            f"score {wrong[0] + 1}{and_more(len(wrong))} is {values[wrong[0]]}; scores must be finite numbers"
        )
    return values


def by_score(scores: Floats) -> list[int]:
    """Return all gaps by descending score, ties by position."""
    best_first: list[int] = (np.argsort(-scores, kind="stable") + 1).tolist()
    return best_first


def spaced(candidates: Iterable[int], min_gap: int, most: int | None = None) -> list[int]:
    """Take up to ``most`` candidates in order, each at least ``min_gap`` from all taken earlier.

    >>> spaced([5, 6, 3, 8], min_gap=2)
    [5, 3, 8]
    """
    taken: list[int] = []
    blocked: set[int] = set()
    for gap in candidates:
        if most is not None and len(taken) >= most:
            break
        if gap in blocked:
            continue
        taken.append(gap)
        blocked.update(range(gap - min_gap + 1, gap + min_gap))
    return taken
