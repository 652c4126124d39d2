# SPDX-License-Identifier: Apache-2.0
"""Boundary precision, recall and F1, with a tolerance: W-F1 is ``BoundaryF1(tolerance=1)``."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from bisect import bisect_left, bisect_right
from fractions import Fraction

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, METRICS, Floats, MetricCard, Request, either, quantity, ratio
from caesura.metrics.counting import OwnCounts
from caesura.metrics.pairwise._chances import share_without, too_long
from caesura.metrics.pairwise._rates import LENGTHS, POOLING, RateMetric, length_class, pooled_card, rate_card
from caesura.units.quantity import check_quantity, needs_distance, resolve_quantity

__all__ = ["BoundaryF1", "BoundaryMetric", "BoundaryPrecision", "BoundaryRecall"]

_card = functools.partial(
    rate_card,
    citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
    equation="Appendix A (coverage), Appendix G (one to one)",
)
EMPTY = ("zero", "vacuous", "always_zero")
MATCHINGS = ("coverage", "one_to_one", "nearest_first", "in_order", "as_run", "as_run_one_to_one")
_SHARE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*")


def _check_tolerance(value: object) -> str | None:
    return None if isinstance(value, str) and _SHARE.fullmatch(value) else check_quantity(value)


@dataclasses.dataclass(frozen=True)
class BoundaryMetric(RateMetric):
    r"""A metric of boundaries found within a tolerance.

    Definition
    ----------
    With P and G the boundaries of hypothesis and reference and w the tolerance, ``matching="coverage"`` counts a boundary
    as right if any of the other side lies within w of it; ``"one_to_one"`` counts the pairs M of a largest one-to-one
    matching within w, ``"nearest_first"`` those that are left if the nearest pair is taken first (chunkseg's collar), ``"in_order"``
    those where each boundary of the reference in turn takes the nearest that is free (GEBD); both may be fewer. Precision is

    .. math::  \frac{|\{p \in P : \exists g \in G, |p - g| \le w\}|}{|P|} \quad\text{or}\quad \frac{|M|}{|P|},

    recall the same with P and G exchanged. ``length`` and ``cut`` restrict precision to boundaries that open a short or a
    long segment of the hypothesis, recall to those of the reference. ``strict`` demands less than w, and ``start`` counts the start
    of the document as a boundary that both sides have. A tolerance such as ``'5%'`` is a share of the document.

    Edge cases
    ----------
    No boundary on either side: 1 (``empty="always_zero"``: 0, as scikit-learn with ``zero_division=0``). Boundaries on one side
    only: 0 (``empty="vacuous"``: precision is 1 without a boundary in the hypothesis, recall without one in the reference, as in
    pyannote and Episodic). In a length class without boundaries: NaN.
    """

    tolerance: int | str = param(
        0,
        "how far a boundary may be off and still be found; a length such as '10s' on time, or a share of the document such as '5%'",
        minimum=0,
        check=_check_tolerance,
    )
    matching: str = param(
        "coverage",
        "coverage: near any; one_to_one: each at most once; nearest_first, in_order: the same, taken greedily; as_run, "
        "as_run_one_to_one: the granularity paper's code",
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
    strict: bool = param(False, "whether a boundary must be nearer than the tolerance")
    start: bool = param(False, "whether the start of the document is a boundary of both sides")
    f1: str = POOLING
    decimals: int | None = param(
        None,
        "digits to which precision and recall in per cent are rounded before F1, as Chapter-Llama does",
        minimum=0,
        maximum=12,
    )

    columns = ("n_ref", "n_hyp", "found_ref", "found_hyp")

    def facts(self) -> MetricCard:
        """Return the card, which changes with the parameters.

        A tolerance or a length class overlooks more; read backwards, a boundary opens another segment; the paper's code
        depends on the order of its sets.
        """
        card = pooled_card(self.card, self.f1)
        if self.tolerance != 0 or self.length != "all":
            card = dataclasses.replace(card, blind_to=ANY_DAMAGE, mirror=self.length == "all" and not self.start)
        if self.matching.startswith("as_run") or self.matching == "in_order":
            card = dataclasses.replace(card, symmetric=False, mirror=False)
        if self.matching == "nearest_first":
            card = dataclasses.replace(card, symmetric=False, mirror=False)  # of equal distances the first is taken
        return card

    def reach(self, unit: str) -> int:
        """Return the tolerance in units."""
        reach = resolve_quantity(self.tolerance, unit, owner=self.name(), name="tolerance", default_limit=1)
        if self.strict and not reach:
            raise MetricError(f"{self.name()}: nothing is nearer than tolerance={self.tolerance!r}; leave strict out")
        return reach - self.strict

    @property
    def _by_kernel(self) -> bool:
        """Whether a kernel counts it."""
        greedy = self.matching not in ("coverage", "one_to_one")
        return not (greedy or self.start or self.f1 == "of_means" or str(self.tolerance).rstrip().endswith("%"))

    def needs_distance(self, unit: str) -> bool:
        """Say whether the tolerance must be given as a length."""
        return needs_distance(self.tolerance, unit, 1)

    def request(self, unit: str) -> Request:
        """Ask for the boundaries found."""
        lengths = length_class(self, unit)
        if not self._by_kernel:
            if self.length != "all":
                without = dataclasses.replace(self, length="all", cut=None)
                raise MetricError(f"{without} does not know length classes; leave length out")
            # Precision, recall and F1 share their counts.
            return OwnCounts(BoundaryF1(**{**self.options(), "decimals": None}))
        if self.matching == "one_to_one" and self.length != "all":
            return Request("matching", tolerance=self.reach(unit), **lengths)
        return Request("boundaries", tolerance=self.reach(unit), **lengths)

    def count(self, pairs: Pairs) -> Floats:
        """Count with a kernel, greedily, or as the paper's code does; of mean precision and recall as shares of one."""
        if self._by_kernel:
            return super().count(pairs)
        self.request(pairs.unit)
        if self.f1 == "of_means":
            plain = dataclasses.replace(self, f1="per_document", decimals=None)
            counts = plain.count(pairs)
            return np.column_stack([np.ones((len(pairs), 2)), plain.share(counts, 0), plain.share(counts, 1)])
        if self.start:
            return dataclasses.replace(self, start=False).count(pairs.with_start())
        share = _SHARE.fullmatch(str(self.tolerance))
        if self.matching.startswith("as_run") and share is None:
            return _count_as_run(pairs, self.reach(pairs.unit), one_to_one=self.matching == "as_run_one_to_one")
        if share is None:
            return _count_near(pairs, self.reach(pairs.unit), None, self.matching)
        if self.matching.startswith("as_run"):
            raise MetricError(f"{self}: takes no share of the document; give the tolerance in units")
        return _count_near(pairs, 0, Fraction(share[1]) / 100, self.matching, strict=self.strict)

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
        found = found if self.empty == "always_zero" else either(nothing, 1.0, found)
        return found if self.decimals is None else np.round(100 * found, self.decimals) / 100

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
        known = self._by_kernel or self.matching.startswith("as_run")
        if not known or self.start or self.f1 == "of_means" or self.length != "all" or self.decimals is not None:
            return None
        reach = self.reach(pairs.unit)
        if reach != 0 and (self.matching != "coverage" or too_long(pairs)):
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


def _count_near(pairs: Pairs, reach: int, part: Fraction | None, matching: str, *, strict: bool = False) -> Floats:
    """Return the boundaries of both sides, and how many of each are found within a reach, or a part of each document."""
    counts = np.empty((len(pairs), 4))
    sides = pairs.reference, pairs.hypothesis
    for row, length in enumerate(pairs.n_units.tolist()):
        limit = reach
        if part is not None:
            limit = math.ceil(part * length) - 1 if strict else math.floor(part * length)
        ref, hyp = (side.pos[side.ptr[row] : side.ptr[row + 1]].tolist() for side in sides)
        found: tuple[int, int]
        if matching == "coverage":
            found = sum(bool(_near(hyp, at, limit)) for at in ref), sum(bool(_near(ref, at, limit)) for at in hyp)
        else:
            found = (_MATCHED[matching](ref, hyp, limit),) * 2
        counts[row] = len(ref), len(hyp), *found
    return counts


def _nearest_first(reference: list[int], hypothesis: list[int], limit: int) -> int:
    """Return the number of pairs if the nearest is taken first, of equal ones the first."""
    near = sorted(
        (abs(hypothesis[other] - at), one, other)
        for one, at in enumerate(reference)
        for other in _near(hypothesis, at, limit)
    )
    free = set(range(len(reference))), set(range(len(hypothesis)))
    taken = 0
    for _, one, other in near:
        if one in free[0] and other in free[1]:
            free[0].remove(one)
            free[1].remove(other)
            taken += 1
    return taken


def _in_order(reference: list[int], hypothesis: list[int], limit: int) -> int:
    """Return the number of pairs if each boundary of the reference in turn takes the nearest that is free."""
    free, taken = set(range(len(hypothesis))), 0
    for at in reference:
        near = [other for other in _near(hypothesis, at, limit) if other in free]
        if near:
            free.remove(min(near, key=lambda other, at=at: abs(hypothesis[other] - at)))  # type: ignore[misc]
            taken += 1
    return taken


def _most(reference: list[int], hypothesis: list[int], limit: int) -> int:
    """Return the number of pairs of a largest matching: each boundary takes the first within reach that is free."""
    start = taken = 0
    for at in reference:
        near = [other for other in _near(hypothesis, at, limit) if other >= start]
        if near:
            start, taken = near[0] + 1, taken + 1
    return taken


_MATCHED = {"nearest_first": _nearest_first, "in_order": _in_order, "one_to_one": _most}


def _near(boundaries: list[int], at: int, limit: int) -> range:
    """Return the places of the boundaries within a limit."""
    return range(bisect_left(boundaries, at - limit), bisect_right(boundaries, at + limit))


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
    met = [near for at in hypothesis if (near := [reference[place] for place in _near(reference, at, tolerance)])]
    return len({min(near, key=ranks.__getitem__) for near in met}), len(met)


def _greedy(reference: list[int], hypothesis: list[int], tolerance: int) -> tuple[int, int]:
    """Return the number of pairs taken nearest first; of equal ones in the order of the two sets; twice."""
    order = {boundary: rank for rank, boundary in enumerate(set(hypothesis))}
    near = [
        (abs(one - hypothesis[place]), rank, order[hypothesis[place]], one, hypothesis[place])
        for rank, one in enumerate(set(reference))
        for place in _near(hypothesis, one, tolerance)
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    for *_, one, other in sorted(near):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
    return len(taken[0]), len(taken[1])
