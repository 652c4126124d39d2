# SPDX-License-Identifier: Apache-2.0
"""Boundary precision, recall and F1, with a tolerance: W-F1 is ``BoundaryF1(tolerance=1)``."""

from __future__ import annotations

import dataclasses
import functools
from bisect import bisect_left, bisect_right

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, METRICS, Floats, MetricCard, Request, either, quantity, ratio
from caesura.metrics.pairwise._chances import share_without, too_long
from caesura.metrics.pairwise._rates import LENGTHS, RateMetric, length_class, rate_card
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["BoundaryF1", "BoundaryMetric", "BoundaryPrecision", "BoundaryRecall"]

_card = functools.partial(
    rate_card,
    citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
    equation="Appendix A (coverage), Appendix G (one to one)",
)
EMPTY = ("zero", "vacuous", "always_zero")
MATCHINGS = ("coverage", "one_to_one", "as_run", "as_run_one_to_one")


@dataclasses.dataclass(frozen=True)
class BoundaryMetric(RateMetric):
    r"""A metric of boundaries found within a tolerance.

    Definition
    ----------
    With P and G the boundaries of hypothesis and reference and w the tolerance, ``matching="coverage"`` counts a boundary
    as right if any of the other side lies within w of it; ``"one_to_one"`` counts the pairs M of a largest one-to-one
    matching within w. Precision is

    .. math::  \frac{|\{p \in P : \exists g \in G, |p - g| \le w\}|}{|P|} \quad\text{or}\quad \frac{|M|}{|P|},

    recall the same with P and G exchanged. ``length`` and ``cut`` restrict precision to boundaries that open a short or a
    long segment of the hypothesis, recall to those of the reference.

    Edge cases
    ----------
    No boundary on either side: 1 (``empty="always_zero"``: 0, as scikit-learn with ``zero_division=0``). Boundaries on one side
    only: 0 (``empty="vacuous"``: precision is 1 without a boundary in the hypothesis, recall without one in the reference, as in
    pyannote and Episodic). In a length class without boundaries: NaN.
    """

    tolerance: int | str = quantity(
        0, "how far a boundary may be off and still be found; a length such as '10s' on time", minimum=0
    )
    matching: str = param(
        "coverage",
        "coverage: near any; one_to_one: each at most once; as_run, as_run_one_to_one: the granularity paper's code",
        choices=MATCHINGS,
    )
    empty: str = param(
        "zero",
        "boundaries on one side only: 0 on both counts (paper), or 1 for the side with nothing to judge; always_zero: 0 also "
        "where neither side has any (scikit-learn)",
        choices=EMPTY,
    )
    length: str = param("all", "only boundaries that open a segment of this length class", choices=LENGTHS)
    cut: int | str | None = quantity(None, "where short ends and long begins; a length such as '30s' on time")

    columns = ("n_ref", "n_hyp", "found_ref", "found_hyp")

    def facts(self) -> MetricCard:
        """Return the card, which changes with the parameters.

        A tolerance or a length class overlooks more; read backwards, a boundary opens another segment; the paper's code
        depends on the order of its sets.
        """
        card = self.card
        if self.tolerance != 0 or self.length != "all":
            card = dataclasses.replace(card, blind_to=ANY_DAMAGE, mirror=self.length == "all")
        if self.matching.startswith("as_run"):
            card = dataclasses.replace(card, symmetric=False, mirror=False)
        return card

    def reach(self, unit: str) -> int:
        """Return the tolerance in units."""
        return resolve_quantity(self.tolerance, unit, owner=self.name(), name="tolerance", default_limit=1)

    def needs_distance(self, unit: str) -> bool:
        """Say whether the tolerance must be given as a length."""
        return needs_distance(self.tolerance, unit, 1)

    def request(self, unit: str) -> Request:
        """Ask for the boundaries found."""
        lengths = length_class(self, unit)
        if self.matching.startswith("as_run"):
            if self.length != "all":
                raise MetricError(
                    f"{self.name()}: matching={self.matching!r} does not know length classes; leave length out"
                )
            return super().request(unit)
        if self.matching == "one_to_one" and self.length != "all":
            return Request("matching", tolerance=self.reach(unit), **lengths)
        return Request("boundaries", tolerance=self.reach(unit), **lengths)

    def count(self, pairs: Pairs) -> Floats:
        """Count with a kernel, or as the paper's code does."""
        if not self.matching.startswith("as_run"):
            return super().count(pairs)
        self.request(pairs.unit)
        return _count_as_run(pairs, self.reach(pairs.unit), one_to_one=self.matching == "as_run_one_to_one")

    def places(self, request: Request) -> list[int]:
        """Return the places of the counts; pairs matched one to one are found on both sides."""
        if request.kernel == "boundaries" and self.matching == "one_to_one":
            return request.places(("n_ref", "n_hyp", "matched", "matched"))
        return super().places(request)

    def share(self, counts: Floats, total: int) -> Floats:
        """Return found / total; with nothing to judge, what the paper fixes (or NaN in a length class)."""
        if self.length != "all":
            return ratio(counts[..., total + 2], counts[..., total])
        nothing = (counts[..., 0] + counts[..., 1]) == 0
        found = ratio(counts[..., total + 2], counts[..., total], empty=1.0 if self.empty == "vacuous" else 0.0)
        return found if self.empty == "always_zero" else either(nothing, 1.0, found)

    def recall(self, counts: Floats) -> Floats:
        """Return the share of the reference's boundaries that are found."""
        return self.share(counts, 0)

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' boundaries that are right."""
        return self.share(counts, 1)

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the expected hits: those of exact matching are hypergeometric with mean |P| |G| / gaps.

        Within a tolerance, a boundary of the reference is found unless none of the gaps within reach is drawn, and a drawn gap
        is right if it is one of those within reach of the reference's.
        """
        reach = self.reach(pairs.unit)
        if self.length != "all" or (reach != 0 and (self.matching != "coverage" or too_long(pairs))):
            return None
        expected = counts.copy()
        gaps = np.maximum(pairs.n_units - 1, 1)
        if reach == 0:
            expected[:, 2] = expected[:, 3] = counts[:, 0] * counts[:, 1] / gaps
            return expected
        document = np.repeat(np.arange(len(pairs)), np.diff(pairs.ref_ptr))
        first = np.maximum(pairs.ref_pos - reach, 1)
        last = np.minimum(pairs.ref_pos + reach, gaps[document])
        # Gaps within reach of several boundaries are counted for the first of them.
        before = np.where(np.diff(document, prepend=-1) == 0, np.roll(last, 1), 0)
        near = np.bincount(document, last - np.maximum(first - 1, before), len(pairs))
        missed = share_without(last - first + 1, pairs, document)
        fixed, drawn = (3, 2) if swap else (2, 3)
        expected[:, fixed] = np.bincount(document, 1 - missed, len(pairs))
        expected[:, drawn] = np.diff(pairs.hyp_ptr) * near / gaps
        return expected

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return f"no boundary opens a {self.length} segment"


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BoundaryPrecision(BoundaryMetric):
    r"""Share of the hypothesis' boundaries that are right within the tolerance.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryPrecision(tolerance=1)(reference, hypothesis)  # 8 lies beside 9, 4 beside nothing
    0.5

    See Also
    --------
    BoundaryRecall, BoundaryF1
    """

    rate = "precision"
    card = _card(
        title="share of the hypothesis' boundaries that are right",
        symmetric=False,
        blind_to=frozenset({"removal"}),
        formula="right / boundaries of the hypothesis",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BoundaryRecall(BoundaryMetric):
    r"""Share of the reference's boundaries that are found within the tolerance.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryRecall(tolerance=2)(reference, hypothesis)
    1.0

    See Also
    --------
    BoundaryPrecision, BoundaryF1
    """

    rate = "recall"
    card = _card(
        title="share of the reference's boundaries that are found",
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        formula="found / boundaries of the reference",
    )


@METRICS.register("F1", **{"W-F1": {"tolerance": 1}})
@dataclasses.dataclass(frozen=True)
class BoundaryF1(BoundaryMetric):
    r"""How well boundaries are hit within a tolerance, with equal weight for misses and false alarms.

    Definition
    ----------
    The harmonic mean of `BoundaryPrecision` and `BoundaryRecall`, with the same parameters.

    .. math::  F = 2PR / (P + R)

    ``F1`` is exact (tolerance 0), and ``W-F1`` is the window-tolerant variant of the granularity paper (tolerance 1,
    coverage). Under coverage one boundary may match two, so a hypothesis with twice the boundaries can score 1.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryF1(tolerance=1)(reference, hypothesis)
    0.5

    See Also
    --------
    BOR : how many boundaries there are; read F1 together with it.
    BoundarySimilarity : lets near misses count in part.
    """

    rate = "f1"
    card = _card(title="harmonic mean of boundary precision and recall", symmetric=True, formula="2PR / (P + R)")


def _count_as_run(pairs: Pairs, tolerance: int, *, one_to_one: bool) -> Floats:
    """Return the boundaries of reference and hypothesis, and how many of each are found."""
    counts = np.empty((len(pairs), 4))
    references, hypotheses = pairs.reference, pairs.hypothesis
    for row in range(len(pairs)):
        reference, hypothesis = (
            side.pos[side.ptr[row] : side.ptr[row + 1]].tolist() for side in (references, hypotheses)
        )
        find = _greedy if one_to_one else _credited
        counts[row] = len(reference), len(hypothesis), *find(reference, hypothesis, tolerance)
    return counts


def _credited(reference: list[int], hypothesis: list[int], tolerance: int) -> tuple[int, int]:
    """Return how many boundaries of the reference are the first that one meets, and how many meet one."""
    ranks = {boundary: rank for rank, boundary in enumerate(set(reference))}
    met = [near for at in hypothesis if (near := _near(reference, at, tolerance))]
    return len({min(near, key=ranks.__getitem__) for near in met}), len(met)


def _greedy(reference: list[int], hypothesis: list[int], tolerance: int) -> tuple[int, int]:
    """Return the number of pairs taken nearest first; of equal ones in the order of the two sets; twice."""
    order = {boundary: rank for rank, boundary in enumerate(set(hypothesis))}
    near = [
        (abs(one - other), rank, order[other], one, other)
        for rank, one in enumerate(set(reference))
        for other in _near(hypothesis, one, tolerance)
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    for *_, one, other in sorted(near):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
    return len(taken[0]), len(taken[1])


def _near(boundaries: list[int], at: int, tolerance: int) -> list[int]:
    return boundaries[bisect_left(boundaries, at - tolerance) : bisect_right(boundaries, at + tolerance)]
