# SPDX-License-Identifier: Apache-2.0
"""WindowDiff."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.kernels import expected
from caesura.metrics.base import ANY_DAMAGE, METRICS, Floats, MetricCard, Request, ratio
from caesura.metrics.pairwise._chances import share_with, too_long
from caesura.metrics.pairwise._windows import WindowMetric, window_sizes

EDGES = ("none", "lamprier", "lamprier_segeval")


@METRICS.register("WD")
@dataclasses.dataclass(frozen=True)
class WindowDiff(WindowMetric):
    r"""How often a window holds a wrong number of boundaries.

    Definition
    ----------
    A window of k gaps slides over the document. It is an error if reference and hypothesis have different numbers of
    boundaries in it. WindowDiff is the share of errors.

    .. math::  WD = \frac{1}{N-k} \sum_{i=1}^{N-k} [b_R(i, i+k) \ne b_H(i, i+k)]

    b counts the boundaries between units i and i+k; k is chosen as for Pk. ``weighted=True`` sums the differences
    instead of counting them (NLTK), and may exceed 1. ``edge="lamprier"`` adds k units on both sides, so that
    boundaries near the ends weigh as much as others, and divides by the N+k windows; ``"lamprier_segeval"`` divides
    by N+k+1, as segeval does.

    Edge cases
    ----------
    A document not longer than k has no window: NaN (``short="shrink"`` takes k = N-1, ``"no_error"`` gives 0, as
    Episodic does). In a document that is hardly longer, a boundary may be shifted within every window and go unnoticed.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> WindowDiff().counts(reference, hypothesis)  # k = 2; the windows at 3, 4, 5, 6, 7 and 9 differ
    {'windows': 11.0, 'errors': 6.0, 'surplus': 3.0, 'deficit': 3.0}

    See Also
    --------
    WinF1 : the same windows as precision and recall, which separate too many boundaries from too few.
    """

    edge: str = param("none", "windows over the ends: none, Lamprier et al., or segeval's reading of it", choices=EDGES)
    weighted: bool = param(False, "sum the differences instead of counting them")

    card = MetricCard(
        title="share of windows with another number of boundaries",
        direction="lower",
        bounds=(0.0, 1.0),
        perfect=0.0,
        symmetric=False,
        blind_to=frozenset({"shift"}),
        citation="Pevzner & Hearst 2002, A critique and improvement of an evaluation metric for text segmentation, "
        "Computational Linguistics 28(1)",
        formula="errors / windows",
    )
    columns = ("windows", "errors", "surplus", "deficit")

    def facts(self) -> MetricCard:
        """Return the card; symmetric with a given window, unbounded if weighted, blind where the window may be 0."""
        card = dataclasses.replace(super().facts(), symmetric=self.k is not None)
        if self.k is None and self.k_from == "boundaries" and self.min_k == 0:
            card = dataclasses.replace(card, blind_to=ANY_DAMAGE)
        return dataclasses.replace(card, bounds=(0.0, math.inf)) if self.weighted else card

    def request(self, unit: str) -> Request:
        """Ask for the windows of WindowDiff."""
        return Request("window_diff", **self.window_parameters(unit), edge=EDGES.index(self.edge))

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the expected errors: a window with c boundaries of the reference is one unless c of its gaps are drawn."""
        if swap or too_long(pairs) or self.string != "gaps" or self.edge != "none" or self.weighted:
            return None
        windows = counts[:, 0].astype(np.int64)
        k = window_sizes(counts[:, 0], pairs)
        document, inside, width = _runs(pairs, k, windows)
        equal = share_with(inside, k[document], pairs, document)
        found = counts.copy()
        found[:, 1] = np.bincount(document, weights=width * (1 - equal), minlength=len(pairs))
        return found

    def score(self, counts: Floats) -> Floats:
        """Return errors / windows, or the sum of differences / windows."""
        errors = counts[..., 2] + counts[..., 3] if self.weighted else counts[..., 1]
        return ratio(errors, counts[..., 0], empty=self.without_window)


def _runs(pairs: Pairs, k: Ints, windows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the runs of windows with the same number of boundaries of the reference: document, that number, windows."""
    given = pairs.ref_ptr, pairs.ref_pos, k, windows
    runs = np.empty((3, len(pairs) + 2 * len(pairs.ref_pos)), dtype=np.int64)
    if expected.COMPILED:
        number = expected.list_runs(*given, *runs)
    else:
        lists = runs.tolist()
        number = expected.list_runs(*(each.tolist() for each in given), *lists)
        runs = np.array(lists, dtype=np.int64)
    document, inside, width = runs[:, :number]
    return document, inside, width
