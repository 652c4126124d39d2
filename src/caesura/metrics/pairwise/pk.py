# SPDX-License-Identifier: Apache-2.0
"""Pk."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics.base import METRICS, Floats, MetricCard, Request, columns, ratio
from caesura.metrics.pairwise._chances import share_without, too_long
from caesura.metrics.pairwise._windows import WindowMetric, window_sizes


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Pk(WindowMetric):
    r"""How often two units k apart are wrongly joined or separated.

    Definition
    ----------
    Two probes k units apart slide over the document. A window is an error if the probes lie in one segment according
    to the reference and in two according to the hypothesis, or the other way round. Pk is the share of errors.

    .. math::  P_k = \frac{1}{N-k} \sum_{i=1}^{N-k} [\delta_R(i, i+k) \ne \delta_H(i, i+k)]

    N is the number of units, :math:`\delta(i, j)` whether units i and j lie in one segment. k is half the mean
    reference segment, rounded half to even, at least 2, as in segeval. NLTK takes k from the boundary string
    (``k_from="boundaries"``, ``min_k=0``), and Kazantseva & Szpakowicz print the agreement instead of the error.

    Edge cases
    ----------
    A document not longer than k has no window: NaN (``short="shrink"`` takes k = N-1, ``"no_error"`` gives 0). An
    additional boundary inside a window that already has one goes unnoticed.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> Pk().counts(reference, hypothesis)  # k = 2; the windows at 3, 4, 5, 6, 7 and 9 differ
    {'windows': 11.0, 'errors': 6.0}

    See Also
    --------
    WindowDiff : counts the boundaries in the window, and so notices those that Pk overlooks.
    """

    card = MetricCard(
        title="share of windows whose ends are wrongly joined or parted",
        direction="lower",
        bounds=(0.0, 1.0),
        perfect=0.0,
        symmetric=False,
        blind_to=frozenset({"insertion", "removal", "shift"}),
        citation="Beeferman, Berger & Lafferty 1999, Statistical models for text segmentation, Machine Learning 34",
        formula="errors / windows",
    )
    columns = ("windows", "errors")

    def facts(self) -> MetricCard:
        """Return the card; symmetric with a given window, since only the default window depends on the reference."""
        return dataclasses.replace(super().facts(), symmetric=self.k is not None)

    def request(self, unit: str) -> Request:
        """Ask for the windows of Pk."""
        return Request("pk", **self.window_parameters(unit))

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the expected errors: a window that the reference cuts is one if none of its gaps is drawn, another if one is."""
        if swap or too_long(pairs) or self.string != "gaps":
            return None
        windows = counts[:, 0]
        # Against no boundary at all, the errors are the windows that the reference cuts.
        cut = self.count(pairs.against(Flat.without_boundaries(pairs.n_units)))[:, 1]
        uncut = share_without(window_sizes(windows, pairs), pairs, np.arange(len(pairs)))
        expected = counts.copy()
        expected[:, 1] = cut * uncut + (windows - cut) * (1 - uncut)
        return expected

    def score(self, counts: Floats) -> Floats:
        """Return errors / windows."""
        windows, errors = columns(counts)
        return ratio(errors, windows, empty=self.without_window)
