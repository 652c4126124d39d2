# SPDX-License-Identifier: Apache-2.0
"""The card of a metric: its public facts, and what is better."""

from __future__ import annotations

import dataclasses
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from caesura.declare import Card
from caesura.table import badness

__all__ = ["ANY_DAMAGE", "Aggregation", "Damage", "MetricCard"]

Aggregation = Literal["macro", "micro"]
Damage = Literal["removal", "insertion", "shift"]
N = TypeVar("N", float, npt.NDArray[np.float64])
ANY_DAMAGE: frozenset[Damage] = frozenset({"removal", "insertion", "shift"})


@dataclasses.dataclass(frozen=True, kw_only=True)
class MetricCard(Card):
    """The public facts of a metric; the contract tests, the tables and the docs read them.

    Attributes
    ----------
    direction : {"higher", "lower", "target"}
        Which way is better; "target" means as near to ``perfect`` as can be.
    bounds : (float, float)
        Least and greatest score.
    perfect : float
        The score of a hypothesis equal to its reference.
    symmetric : bool
        Whether exchanging reference and hypothesis changes nothing.
    mirror : bool
        Whether reading the document backwards changes nothing.
    additive : bool
        Whether the counts of documents add, so that a micro score exists.
    aggregation : {"macro", "micro"}
        How documents are aggregated by default.
    blind_to : frozenset
        Kinds of damage to a perfect hypothesis that may go unnoticed: a removed, an inserted, a shifted boundary.
    formula : str
        The score in one line of plain text.
    """

    direction: Literal["higher", "lower", "target"]
    bounds: tuple[float, float]
    perfect: float
    symmetric: bool
    mirror: bool = True
    additive: bool = True
    aggregation: Aggregation = "macro"
    blind_to: frozenset[Damage] = frozenset()
    formula: str

    def badness(self, value: N) -> N:
        """Return how bad a score is, or each of an array: the least is the best.

        >>> from caesura.metrics import metric
        >>> [metric(name).card.badness(0.75) for name in ("F1", "Pk", "BOR")]
        [-0.75, 0.75, 0.25]
        """
        return badness(value, self.direction, self.perfect)

    def gain(self, new: N, old: N) -> N:
        """Return by how much new scores are better than old ones; below 0 they are worse.

        >>> from caesura.metrics import metric
        >>> [round(metric(name).card.gain(0.9, 1.3), 3) for name in ("F1", "Pk", "BOR")]
        [-0.4, 0.4, 0.2]
        """
        with np.errstate(invalid="ignore"):  # infinity less infinity
            return self.badness(old) - self.badness(new)

    def reaches(self, score: float, limit: float) -> bool:
        """Say whether a score is good enough; for a target the limit is the distance to it. NaN never is."""
        return self.badness(score) <= (limit if self.direction == "target" else self.badness(limit))

    def demand(self, limit: float) -> str:
        """Return in words what `reaches` demands.

        >>> from caesura.metrics import metric
        >>> metric("Pk").card.demand(0.3), metric("BOR").card.demand(0.2)
        ('at most 0.3', 'within 0.2 of 1')
        """
        if self.direction == "target":
            return f"within {limit:g} of {self.perfect:g}"
        return f"{'at most' if self.direction == 'lower' else 'at least'} {limit:g}"
