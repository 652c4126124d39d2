# SPDX-License-Identifier: Apache-2.0
"""Planning from a pilot: the number of documents or annotators that brings the interval of a coefficient under a width."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.errors import ComparabilityError
from caesura.evaluation.agree.coefficients import agreement_metric
from caesura.metrics.agreement import AgreementMetric
from caesura.metrics.base import Floats
from caesura.results.agree.facts import Plan
from caesura.statistics import Bootstrap

__all__ = ["plan"]

_MOST_DOCUMENTS = 100_000
_DRAWS = 2_000
_SUBSETS = 200
_FEWEST_SUBSETS = 40
_MOST_DRAWN = 10_000_000  # maximum boundaries in all subsets of one size; selecting a coding counts as two
_EACH = 20  # up to this number, every number of annotators is drawn
_FARTHEST = 10


def plan(panel: Panel, coefficient: str, width: float, *, seed: int = 0, level: float = 0.95) -> Plan:
    """Estimate the number of documents or annotators that brings the interval of a coefficient under a width.

    Documents: means of n documents drawn from the pilot with replacement, for growing n, or smaller n if the pilot has more than
    enough; at least two. Annotators: subsets of 2, 3, ...
    annotators drawn without replacement from each document of the pilot; the squared width is assumed to fall as
    a + b / annotators, and extrapolated beyond the pilot. Beyond 20 annotators the numbers grow by a third, and from large
    panels fewer than 200 subsets are drawn, at least 40.
    """
    if not width > 0:
        raise ComparabilityError(f"width is {width!r}; it must be above 0, such as 0.1")
    metric, rng = agreement_metric(coefficient), np.random.default_rng(seed)
    values = _defined_scores(metric, panel)
    if len(values) < 2:
        raise ComparabilityError(f"{coefficient}: defined on {len(values)} documents; a pilot needs at least two")
    by_annotators = _widths_by_annotators(panel, metric, rng, level)
    return Plan(
        coefficient=coefficient,
        width=width,
        level=level,
        documents=len(values),
        annotators=int(panel.n_annotators.max()),
        width_now=_width(values, len(values), rng, level),
        documents_needed=_documents_needed(values, width, rng, level),
        annotators_needed=_annotators_needed(by_annotators, width),
        by_annotators=by_annotators,
    )


def _defined_scores(metric: AgreementMetric, panel: Panel) -> Floats:
    scores = metric.score(metric.count(panel))
    return scores[~np.isnan(scores)]


def _width(values: Floats, n: int, rng: np.random.Generator, level: float) -> float:
    """Return the width of the interval of a mean of n documents drawn from the pilot."""
    return _spread([rng.choice(values, size=n).mean() for _ in range(_DRAWS)], n, level)


def _spread(means: list[float], n: int, level: float) -> float:
    """Return the width of the interval of n documents, as one is reported."""
    interval = Bootstrap(n, len(means), level=level).interval(np.array(means), n)
    return float(interval.high - interval.low)


def _documents_needed(values: Floats, width: float, rng: np.random.Generator, level: float) -> int | None:
    """Double the documents until the interval is narrow enough, then bisect; a pilot may have more than are needed."""
    low, high = 1, len(values)
    while _width(values, high, rng, level) > width:
        low, high = high, high * 2
        if high > _MOST_DOCUMENTS:
            return None
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        if _width(values, middle, rng, level) > width:
            low = middle
        else:
            high = middle
    return high


def _widths_by_annotators(
    panel: Panel, metric: AgreementMetric, rng: np.random.Generator, level: float
) -> dict[int, float]:
    widths = {}
    for h in _sizes(int(panel.n_annotators.max())):
        share = np.minimum(h / panel.n_annotators, 1.0)[panel.document]
        drawn = int((share * panel.n_boundaries).sum()) + 2 * len(panel.annotator)
        subsets = min(_SUBSETS, max(_FEWEST_SUBSETS, _MOST_DRAWN // drawn))
        means, documents = [], 0
        for _ in range(subsets):
            values = _defined_scores(metric, panel.keep(_subset(panel, h, rng)))
            if len(values):
                means.append(rng.choice(values, size=len(values)).mean())
                documents = max(documents, len(values))
        if len(means) > subsets // 2 and documents > 1:
            widths[h] = _spread(means, documents, level)
    return widths


def _sizes(most: int) -> list[int]:
    """Return the numbers of annotators to draw: all up to 20, then each a third more, and all annotators.

    >>> _sizes(4), _sizes(50)[-6:]
    ([2, 3, 4], [19, 20, 26, 34, 45, 50])
    """
    sizes = list(range(2, min(most, _EACH) + 1))
    while sizes and sizes[-1] < most:
        sizes.append(min(sizes[-1] * 4 // 3, most))
    return sizes


def _subset(panel: Panel, h: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Draw at most h annotators of each document, without replacement."""
    order = np.lexsort((rng.random(len(panel.annotator)), panel.document))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(panel.doc_ptr[:-1], panel.n_annotators)
    return rank < h


def _annotators_needed(widths: dict[int, float], width: float) -> int | None:
    """Extrapolate squared width = a + b / annotators, fitted by least squares, until it falls under the width."""
    for h, reached in widths.items():
        if reached <= width:
            return h
    if len(widths) < 3:
        return None
    annotators, squared = np.array(list(widths), dtype=np.float64), np.array(list(widths.values())) ** 2
    slope, floor = np.polyfit(1 / annotators, squared, 1)
    if slope <= 0 or floor >= width**2:
        return None
    needed = int(np.ceil(slope / (width**2 - max(floor, 0.0))))
    # The fit does not extrapolate far beyond the pilot.
    return needed if needed <= _FARTHEST * max(widths) else None
