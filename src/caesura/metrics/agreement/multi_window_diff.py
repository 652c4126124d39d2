# SPDX-License-Identifier: Apache-2.0
"""MultiWindowDiff."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.batches.panel import Panel, PanelLike, PanelPairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.agreement._base import PANEL, PanelMetric, turns
from caesura.metrics.agreement._tables import (
    WINDOW_COLUMNS,
    count_windows,
    count_windows_left_out,
    pooled_window,
    windows_left_out,
)
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, quantity, ratio
from caesura.segmentation import Segmentation
from caesura.units.quantity import resolve_quantity


@PANEL.register()
@dataclasses.dataclass(frozen=True)
class MultiWindowDiff(PanelMetric):
    r"""How often a window disagrees with annotators, between the best and the worst that could be done.

    Definition
    ----------
    A window of m gaps slides over the document. In each position the hypothesis disagrees with the annotators who have
    another number of boundaries there. The best possible choice is the count that most annotators have, the worst is the
    count that fewest have. The score is the position of the hypothesis between the two.

    .. math::  \frac{raw - best}{worst - best}, \quad raw = \frac{1}{h(N-m)} \sum_{a=1}^{h} \sum_{i=1}^{N-m} [ref_{ai} \ne hyp_i]

    .. math::  best = \frac{1}{h(N-m)} \sum_i (h - \max_j s_{ij}), \quad worst = \frac{1}{h(N-m)} \sum_i (h - \min_j s_{ij})

    h annotators; :math:`s_{ij}` of them have j boundaries in window i, j = 0 .. m. m is half the mean segment over all
    annotators, rounded half-even, at least 2. The printed bounds lack 1/h and the printed eq. 10 is not 0 at the best case;
    this reading is proved by the paper's values (best 0.21, worst 1.0). The bounds are computed window by window, so a single
    segmentation need not reach them. The best case measures how much the annotators disagree: the difficulty of the document.

    Edge cases
    ----------
    No window, or best and worst meet (annotators split evenly everywhere): NaN. ``as_run=True`` is the authors' program,
    which counts one window more for the bounds than it divides the errors by, and may leave [0, 1].

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> parts = MultiWindowDiff().parts(readers, readers[0])
    >>> parts["raw"], round(parts["best"], 3), round(parts["worst"], 3), round(parts["score"], 3)
    (0.25, 0.205, 0.977, 0.059)

    See Also
    --------
    WindowDiff : one reference.
    """

    m: int | str | None = quantity(
        None, "window in units, or a length such as '30s'; default half the mean segment over all annotators"
    )
    rounding: str = param("half_even", "how the default m is rounded", choices=("half_even", "half_up", "floor"))
    min_m: int = param(2, "least default m", minimum=0)
    as_run: bool = param(False, "the windows of the authors' program: half-up, no minimum, the end counted")

    card = MetricCard(
        title="disagreement with all annotators, between the best and the worst possible",
        direction="lower",
        bounds=(0.0, 1.0),
        perfect=0.0,
        symmetric=False,
        blind_to=ANY_DAMAGE,
        citation="Kazantseva & Szpakowicz 2012, Topical segmentation: a study of human performance and a new measure of quality, NAACL",
        equation="Eq. 7-10",
        formula="(raw - best) / (worst - best)",
    )
    columns = WINDOW_COLUMNS
    undefined = "no window, or the best and the worst case meet"

    def facts(self) -> MetricCard:
        """Return the card; the authors' program leaves the bounds, reads one way, and its two divisors do not add."""
        if not self.as_run:
            return self.card
        return dataclasses.replace(self.card, bounds=(-math.inf, math.inf), mirror=False, additive=False)

    def count(self, pairs: PanelPairs) -> Floats:
        """Slide the window over every document."""
        panel, fixed = pairs.panel, self._fixed(pairs.panel)
        windows = pooled_window(panel, *self._rounded()) if fixed is None else np.full(len(panel), fixed)
        return count_windows(pairs, windows, closed=self.as_run)

    def leave_one_out(self, panel: Panel) -> Floats:
        """Slide the windows over each coding and the others of its document; their boundaries are sorted once."""
        fixed, counts = self._fixed(panel), np.zeros((len(panel.annotator), len(self.columns)))
        for part, each in turns(panel):
            size = len(part.annotator)
            windows = windows_left_out(part, *self._rounded()) if fixed is None else np.full(size, fixed)
            places = [turn.place for turn in each]
            counted = count_windows_left_out(part, places, windows, closed=self.as_run)
            for turn, table in zip(each, counted, strict=True):
                counts[turn.coding] = table
        return counts

    def _rounded(self) -> tuple[str, int]:
        """Return how the default window is rounded, and the least."""
        return ("half_up", 0) if self.as_run else (self.rounding, self.min_m)

    def _fixed(self, panel: Panel) -> int | None:
        """Return the window that was given."""
        if self.m is None:
            return None
        m = resolve_quantity(self.m, panel.unit, owner=self.name(), name="m")
        if m < 1:
            raise MetricError(f"{self.name()}: m={self.m!r} makes no window; it must be at least one {panel.unit}")
        return m

    def score(self, counts: Floats) -> Floats:
        """Return (raw - best) / (worst - best)."""
        raw, best, worst = self.bounds_of(counts)
        return ratio(raw - best, worst - best)

    def bounds_of(self, counts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return raw disagreement, best and worst case."""
        judgements = counts[..., 2] * counts[..., 1]
        # The authors' program divides the errors by one window fewer than it visits.
        for_raw = counts[..., 2] * (counts[..., 1] - 1) if self.as_run else judgements
        best, worst = ratio(counts[..., 6], judgements), ratio(counts[..., 7], judgements)
        return ratio(counts[..., 3], for_raw), best, worst

    def parts(self, references: PanelLike, hypothesis: Segmentation) -> dict[str, float]:
        """Return score, raw, best, worst, and the raw disagreement split into too many and too few boundaries."""
        counts = self.count(PanelPairs.of(references, hypothesis))[0]
        raw, best, worst = self.bounds_of(counts)
        judgements = counts[2] * counts[1]
        many, few = ratio(counts[4], judgements), ratio(counts[5], judgements)
        names = ("score", "raw", "best", "worst", "too_many", "too_few", "m")
        values = (self.score(counts), raw, best, worst, many, few, counts[0])
        return {name: float(value) for name, value in zip(names, values, strict=True)}
