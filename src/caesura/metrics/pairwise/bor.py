# SPDX-License-Identifier: Apache-2.0
"""BOR."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, Request, either, ratio


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BOR(PairwiseMetric):
    r"""How many boundaries the hypothesis sets per boundary of the reference: the boundary over-segmentation ratio.

    Definition
    ----------
    .. math::  BOR = |P| / |G|

    P and G are the boundaries of hypothesis and reference. 1 is the reference's density, 2 is twice as many boundaries,
    0.5 half as many. It does not depend on their placement. A corpus is pooled, as in the tables of the granularity paper:
    all boundaries of the hypothesis over all of the reference.

    Edge cases
    ----------
    No boundary in the reference: 1 if there is none in the hypothesis either, else infinity. The macro mean leaves such
    documents out.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> BOR()(Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 2, 2, 5]))
    1.5

    See Also
    --------
    BoundaryF1 : whether boundaries are in the right places.
    """

    card = MetricCard(
        title="boundaries of the hypothesis per boundary of the reference",
        direction="target",
        bounds=(0.0, float("inf")),
        perfect=1.0,
        symmetric=False,
        aggregation="micro",
        blind_to=frozenset({"shift"}),
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="section 6.2",
        formula="boundaries of the hypothesis / boundaries of the reference",
    )
    columns = ("n_ref", "n_hyp")
    undefined = "no boundary in the reference"

    def request(self, unit: str) -> Request:
        """Ask for the numbers of boundaries; where they are does not matter."""
        return Request("boundaries", (0, 0, 2**62))

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool = False) -> Floats | None:
        """Return the counts: they do not depend on where the boundaries are."""
        return counts

    def score(self, counts: Floats) -> Floats:
        """Return |P| / |G|."""
        ref, hyp = counts[..., 0], counts[..., 1]
        return either(ref == 0, either(hyp == 0, 1.0, np.inf), ratio(hyp, ref))

    def included(self, counts: Floats, scores: Floats | None = None) -> npt.NDArray[np.bool_]:
        """Say which documents enter the macro mean: those with a boundary in the reference."""
        return np.asarray(counts[..., 0] > 0)
