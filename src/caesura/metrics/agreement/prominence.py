# SPDX-License-Identifier: Apache-2.0
"""Precision and recall weighted by how many annotators marked a boundary."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from caesura.batches.panel import Ints, Panel, PanelPairs
from caesura.metrics.agreement._base import PANEL, PanelMetric, turns
from caesura.metrics.agreement._support import candidates_of, offsets, supporters
from caesura.metrics.agreement._tables import pooled_window, windows_left_out
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, ratio

__all__ = ["ProminenceMetric", "ProminencePrecision", "ProminenceRecall"]

_card = functools.partial(
    MetricCard,
    direction="higher",
    bounds=(0.0, 1.0),
    perfect=1.0,
    symmetric=False,
    blind_to=ANY_DAMAGE,
    citation="after Kazantseva & Szpakowicz 2012, section 4.2 (support of boundaries)",
    equation="section 4.2",
)


@dataclasses.dataclass(frozen=True)
class ProminenceMetric(PanelMetric):
    """A metric that weighs boundaries by their support within half a window."""

    columns = ("found", "weight", "support", "n_hyp")

    def count(self, pairs: PanelPairs) -> Floats:
        """Sum the support of candidates found, of all candidates, and of the hypothesis' boundaries."""
        panel = pairs.panel
        # Distances are whole numbers, so "within half a window" is within its floor.
        tolerance, gaps = pooled_window(panel) // 2, candidates_of(panel)
        support = supporters(panel, gaps, tolerance) / panel.n_annotators[gaps.document]
        found = supporters(panel, gaps, tolerance, pairs.hypothesis)
        return _sums(pairs, tolerance, gaps.document, gaps.gap, support, found)

    def leave_one_out(self, panel: Panel) -> Floats:
        """Sum the support that the others of its document give each coding: support of all less the coding's own."""
        return panel.remember("prominence, each coding left out", lambda: _left_out(panel, len(self.columns)))


def _left_out(panel: Panel, columns: int) -> Floats:
    counts = np.zeros((len(panel.annotator), columns))
    for part, each in turns(panel):
        gaps = candidates_of(part)
        tolerances = windows_left_out(part) // 2
        others = (part.n_annotators - 1)[gaps.document]
        # Leaving one of many out rarely changes the tolerance, so few are counted: the first, second, ... of a document.
        level, values = _levels(part.document, tolerances, len(part))
        support = np.stack([supporters(part, gaps, tolerance) for tolerance in values])
        every = np.arange(len(gaps.gap))
        for turn in each:
            hypothesis, tolerance = part.codings.take(turn.place), tolerances[turn.place]
            own = supporters(part, gaps, tolerance, hypothesis)
            marked = supporters(part, gaps, np.zeros_like(tolerance), hypothesis)
            chosen = support[level[turn.place][gaps.document], every]
            left = gaps.votes > marked
            counts[turn.coding] = _sums(
                PanelPairs(part, hypothesis),
                tolerance,
                gaps.document[left],
                gaps.gap[left],
                ((chosen - own) / others)[left],
                own[left],
            )
    return counts


def _levels(document: Ints, tolerances: Ints, size: int) -> tuple[Ints, list[Ints]]:
    """Return the number of each tolerance in its document, and the first, second, ... of every document.

    >>> level, values = _levels(np.array([0, 0, 0, 1, 1]), np.array([2, 1, 2, 3, 3]), 2)
    >>> level.tolist(), [value.tolist() for value in values]
    ([1, 0, 1, 0, 0], [[1, 3], [2, 3]])
    """
    distinct, which = np.unique(np.stack([document, tolerances], axis=1), axis=0, return_inverse=True)
    starts = np.searchsorted(distinct[:, 0], np.arange(size + 1))
    level = which.reshape(-1) - starts[document]
    last = np.diff(starts) - 1
    return level, [distinct[starts[:-1] + np.minimum(k, last), 1] for k in range(int(last.max()) + 1)]


def _sums(pairs: PanelPairs, tolerance: Ints, rows: Ints, gaps: Ints, support: Floats, found: Ints) -> Floats:
    """Return the counts of each document from the support of its candidates, and which of them were found."""
    panel, hypothesis, n_hyp = pairs.panel, pairs.hypothesis, np.diff(pairs.hypothesis.ptr)
    own = np.zeros(len(hypothesis.pos))
    document = np.repeat(np.arange(len(panel)), n_hyp)
    if len(gaps):
        offset = offsets(panel, tolerance)
        points, at = gaps + offset[rows], hypothesis.pos + offset[document]
        nearest = _nearest(points, at)
        own = support[nearest] * (np.abs(points[nearest] - at) <= tolerance[document])
    sums = ((rows, support * found), (rows, support), (document, own))
    columns = [np.bincount(at, weights=values, minlength=len(panel)) for at, values in sums]
    return np.column_stack([*columns, n_hyp]).astype(np.float64)


def _nearest(candidates: Ints, points: Ints) -> Ints:
    """Return the place of the nearest candidate of each point, the left one of two."""
    right = np.clip(np.searchsorted(candidates, points), 0, len(candidates) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(np.abs(candidates[left] - points) <= np.abs(candidates[right] - points), left, right)


@PANEL.register()
@dataclasses.dataclass(frozen=True)
class ProminencePrecision(ProminenceMetric):
    r"""How much support, on average, the annotators give the boundaries of the hypothesis.

    Definition
    ----------
    Each boundary of the hypothesis is assigned to the nearest gap that any annotator marked, if that lies within half a window,
    and takes the support of that gap: the share of annotators with a boundary within half a window of it. Otherwise it takes
    0. The score is the mean.

    .. math::  \frac{1}{|H|} \sum_{b \in H} s(c(b))

    The window is half the mean segment over all annotators.

    Edge cases
    ----------
    No boundary in the hypothesis: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(20, (5, 12)), Segmentation(20, (5,)), Segmentation(20, (5, 16))]
    >>> round(ProminencePrecision()(readers, Segmentation(20, (5, 12))), 4)  # supports 1 and 1/3
    0.6667

    See Also
    --------
    ProminenceRecall, MultiWindowDiff
    """

    card = _card(
        title="mean support of the boundaries that the hypothesis sets",
        mirror=False,  # of two candidates equally near, the left one
        formula="support of the hypothesis / its boundaries",
    )
    undefined = "no boundary in the hypothesis"

    def score(self, counts: Floats) -> Floats:
        """Return the mean support of the boundaries of the hypothesis."""
        return ratio(counts[..., 2], counts[..., 3])


@PANEL.register()
@dataclasses.dataclass(frozen=True)
class ProminenceRecall(ProminenceMetric):
    r"""How much of the annotators' support the hypothesis finds.

    Definition
    ----------
    Every gap that any annotator marked weighs its support: the share of annotators with a boundary within half a window of
    it. A gap is found if the hypothesis has a boundary within half a window of it.

    .. math::  \frac{\sum_{c\ found} s(c)}{\sum_c s(c)}

    The window is half the mean segment over all annotators.

    Edge cases
    ----------
    Nobody marked anything: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(20, (5, 12)), Segmentation(20, (5,)), Segmentation(20, (5, 16))]
    >>> round(ProminenceRecall()(readers, Segmentation(20, (5,))), 4)  # 1 of 1 + 1/3 + 1/3
    0.6

    See Also
    --------
    ProminencePrecision, MultiWindowDiff
    """

    card = _card(
        title="share of the support of all marked gaps that is found", formula="support found / support of all"
    )
    undefined = "nobody marked a boundary"

    def score(self, counts: Floats) -> Floats:
        """Return the share of support found."""
        return ratio(counts[..., 0], counts[..., 1])
