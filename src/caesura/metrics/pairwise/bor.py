# SPDX-License-Identifier: Apache-2.0
"""How many boundaries there are: BOR and the error of the count, wherever the boundaries lie."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, Request, either, ratio

__all__ = ["BOR", "BoundaryCountError", "DensityMetric"]


@dataclasses.dataclass(frozen=True)
class DensityMetric(PairwiseMetric):
    """A metric of the numbers of boundaries."""

    columns = ("n_ref", "n_hyp")

    def request(self, unit: str) -> Request:
        """Ask for the numbers of boundaries; where they are does not matter."""
        return Request("boundaries")

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the counts: they do not depend on where the boundaries are."""
        return counts


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BOR(DensityMetric):
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
    BoundaryCountError : the difference of the two numbers instead of their ratio.
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
    undefined = "no boundary in the reference"

    def score(self, counts: Floats) -> Floats:
        """Return |P| / |G|."""
        ref, hyp = counts[..., 0], counts[..., 1]
        return either(ref == 0, either(hyp == 0, 1.0, np.inf), ratio(hyp, ref))

    def included(self, counts: Floats, scores: Floats | None = None) -> npt.NDArray[np.bool_]:
        """Say which documents enter the macro mean: those with a boundary in the reference."""
        return np.asarray(counts[..., 0] > 0)


@METRICS.register("MAE", "CountError")
@dataclasses.dataclass(frozen=True)
class BoundaryCountError(DensityMetric):
    r"""How many boundaries too many or too few the hypothesis sets in a document.

    Definition
    ----------
    .. math::  MAE = \bigl| |P| - |G| \bigr|

    P and G are the boundaries of hypothesis and reference. Of a corpus it is the mean over documents: the mean absolute error
    of the number of boundaries, or, what is the same, of the number of segments. It does not depend on their placement.
    ``part="under"``, ``"equal"`` and ``"over"`` are 1 where there are too few, as many or too many: shares of the documents.

    Edge cases
    ----------
    Always defined. There is no pooled form: too many in one document would make up for too few in another.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> BoundaryCountError()(Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 2, 2, 5]))
    1.0

    See Also
    --------
    BOR : the ratio of the two numbers, which says in which direction, and does not grow with the length of documents.
    """

    part: str = param(
        "error",
        "the error, or whether there are too few, as many, too many",
        choices=("error", "under", "equal", "over"),
    )

    card = MetricCard(
        title="boundaries too many or too few",
        direction="lower",
        bounds=(0.0, float("inf")),
        perfect=0.0,
        symmetric=True,
        additive=False,
        blind_to=frozenset({"shift"}),
        citation="Jiang et al. 2023, SuperDialseg: a large-scale dataset for supervised dialogue segmentation, EMNLP",
        formula="|boundaries of the hypothesis - boundaries of the reference|",
    )

    def facts(self) -> MetricCard:
        """Return the card: shares end at 1, as many is good, and one side may have too few where the other has too many."""
        if self.part == "error":
            return self.card
        card = dataclasses.replace(self.card, bounds=(0.0, 1.0), symmetric=self.part == "equal")
        if self.part == "equal":
            return dataclasses.replace(card, direction="higher", perfect=1.0)
        return dataclasses.replace(
            card, blind_to=frozenset({"shift", "insertion" if self.part == "under" else "removal"})
        )

    def score(self, counts: Floats) -> Floats:
        """Return the absolute difference, or 1 where the part is the case."""
        more = counts[..., 1] - counts[..., 0]
        if self.part == "error":
            return np.abs(more)
        sign = {"under": -1, "equal": 0, "over": 1}[self.part]
        return np.asarray(np.sign(more) == sign, dtype=np.float64)
