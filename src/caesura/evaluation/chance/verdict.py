# SPDX-License-Identifier: Apache-2.0
"""The verdict: what W-F1, BOR, purity and coverage say together (Table 2 of the granularity paper, made computable).

No single one of them can be read alone: a clock gets a fair W-F1, and every refinement raises purity. "High" means here:
above what chance gives with the same number of boundaries in each document.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.aggregate import BLOCK
from caesura.evaluation.chance.skill import chance_counts, system_pairs
from caesura.evaluation.reference.report import Evaluation
from caesura.metrics.base import Floats, PairwiseMetric, Request
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.metrics.pairwise.overlap import Coverage, Purity
from caesura.results import Number, as_number
from caesura.table import Column, Table, Value
from caesura.units.quantity import default_tolerance

__all__ = [
    "Finding",
    "Mode",
    "Regime",
    "Thresholds",
    "Verdict",
    "verdict_of_pairs",
    "verdict_table",
    "verdicts",
]

Regime = Literal["conservative", "balanced", "aggressive"]
Mode = Literal[
    "calibrated",
    "over-segmentation consistent with the reference",
    "granularity mismatch",
    "under-segmentation",
    "detection failure",
    "mixed",
]

_NAMES = ("W-F1", "Purity", "Coverage")
_MEANING: Mapping[Mode, str] = {
    "calibrated": "boundaries are where the reference has them, and as many",
    "over-segmentation consistent with the reference": "the reference's boundaries are found, and its segments are "
    "divided further",
    "granularity mismatch": "segments are finer than the reference's and seldom mix its topics; the reference's "
    "boundaries are not met better than by chance",
    "under-segmentation": "segments are coarser than the reference's and seldom divide its topics",
    "detection failure": "there are as many boundaries as in the reference, but they are not where it has them",
    "mixed": "the findings fit no single failure mode",
}
_NEXT: Mapping[Mode, str] = {
    "calibrated": "compare with other systems at this density; what is left to gain is placement",
    "over-segmentation consistent with the reference": "raise the threshold or the least distance until BOR is near 1, "
    "or keep it if finer segments serve; the scorer needs no retraining",
    "granularity mismatch": "compare with a finer level of the reference if there is one (--levels), or select fewer "
    "boundaries and look again; do not read the low W-F1 as noise yet",
    "under-segmentation": "lower the threshold until BOR is near 1 and look again; compare with a coarser level of the "
    "reference if there is one (--levels)",
    "detection failure": "the density is right, so no threshold will help: the scorer, or the units, must change",
}
_USES = ("summarising", "retrieval", "exploration")


@dataclasses.dataclass(frozen=True)
class Thresholds:
    """Where the verdict draws its lines.

    Attributes
    ----------
    low_bor, high_bor : float
        Below the first a system is conservative, above the second aggressive, else balanced.
    percentile : float
        A score above this percentile of the random placements is high.
    placements : int
        How many random placements are drawn.
    seed : int
        Of the draws.
    """

    low_bor: float = 0.8
    high_bor: float = 1.2
    percentile: float = 95.0
    placements: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.low_bor <= self.high_bor:
            raise MetricError(
                f"low_bor={self.low_bor}, high_bor={self.high_bor}; the first must not be above the second"
            )
        if not 0 <= self.percentile <= 100:
            raise MetricError(f"percentile is {self.percentile}; it must lie between 0 and 100")
        if self.placements < 1:
            raise MetricError(f"placements is {self.placements}; at least one must be drawn")

    def regime(self, bor: float) -> Regime:
        """Return the density regime of a BOR.

        >>> Thresholds().regime(0.5), Thresholds().regime(1.0), Thresholds(high_bor=3).regime(2.5)
        ('conservative', 'balanced', 'balanced')
        """
        if bor < self.low_bor:
            return "conservative"
        return "aggressive" if bor > self.high_bor else "balanced"

    def text(self) -> str:
        """Return them as a signature."""
        return (
            f"bor:{self.low_bor:g}..{self.high_bor:g}|high:>p{self.percentile:g}|"
            f"placements:{self.placements}|seed:{self.seed}"
        )


@dataclasses.dataclass(frozen=True)
class Finding:
    """One score against chance.

    Attributes
    ----------
    metric : str
        W-F1, Purity or Coverage.
    score : float
        The score.
    chance : float
        The percentile of the random placements it must exceed.
    high : bool
        Whether it does.
    """

    metric: str
    score: float
    chance: float
    high: bool

    def __str__(self) -> str:
        level = "high" if self.high else "low"
        return f"{self.metric} {self.score:.3f} is {level} (chance {self.chance:.3f})"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What the scores of a system, or of one document, say together.

    Attributes
    ----------
    mode : str
        The failure mode, or ``"calibrated"``, or ``"mixed"``.
    regime : {"conservative", "balanced", "aggressive"}
        By BOR.
    bor : float
        Boundaries of the hypothesis per boundary of the reference, pooled.
    findings : mapping of str to Finding
        W-F1, Purity and Coverage against chance.
    thresholds : Thresholds
        Where the lines were drawn.
    tolerance : int or str
        Of W-F1.
    identical : bool
        Whether the hypothesis is the reference, boundary by boundary.
    """

    mode: Mode
    regime: Regime
    bor: float
    findings: Mapping[str, Finding]
    thresholds: Thresholds
    tolerance: int | str
    identical: bool = False

    @property
    def above_chance(self) -> bool:
        """Whether W-F1 is above chance; if not, purity and coverage are not interpretable alone."""
        return self.findings["W-F1"].high

    @property
    def words(self) -> str:
        """The verdict in a sentence or two."""
        parts = [f"{self.mode} ({self.regime}, BOR {self.bor:.2f}): {_MEANING[self.mode]}"]
        if self.mode == "mixed":
            parts.append("; ".join(str(finding) for finding in self.findings.values()))
        if self.identical and not self.above_chance:
            parts.append("identical to the reference, but random placement does as well here")
        elif not self.above_chance:
            parts.append("W-F1 is not above chance, so purity and coverage are not interpretable alone")
        return ". ".join(parts) + "."

    @property
    def next_step(self) -> str:
        """What to do next."""
        return _mixed_next(self) if self.mode == "mixed" else _NEXT[self.mode]

    @property
    def advice(self) -> dict[str, str]:
        """Whether this density suits summarising, retrieval and exploration (section 9 of the paper)."""
        return dict(zip(_USES, (_summarising(self), _retrieval(self), _exploration(self)), strict=True))

    @property
    def signature(self) -> str:
        """The recipe."""
        return f"verdict|tolerance:{self.tolerance}|{self.thresholds.text()}"

    def as_dict(self) -> dict[str, object]:
        """Return it as the results file writes it."""
        return {
            "verdict": self.mode,
            "regime": self.regime,
            "BOR": as_number(self.bor),
            "findings": {name: _plain(finding) for name, finding in self.findings.items()},
            "interpretable": self.above_chance,
            "words": self.words,
            "next": self.next_step,
            "advice": self.advice,
            "signature": self.signature,
        }

    def __str__(self) -> str:
        return self.words


@overload
def verdicts(
    evaluation: Evaluation,
    thresholds: Thresholds | None = None,
    *,
    tolerance: int | str | None = None,
    by_document: Literal[False] = False,
) -> dict[str, Verdict]: ...
@overload
def verdicts(
    evaluation: Evaluation,
    thresholds: Thresholds | None = None,
    *,
    tolerance: int | str | None = None,
    by_document: Literal[True],
) -> dict[str, dict[str, Verdict]]: ...
def verdicts(
    evaluation: Evaluation,
    thresholds: Thresholds | None = None,
    *,
    tolerance: int | str | None = None,
    by_document: bool = False,
) -> dict[str, Verdict] | dict[str, dict[str, Verdict]]:
    """Say of each system what its scores mean together.

    The four scores are counted anew by their definitions, whatever metrics and profile the evaluation has: W-F1 by
    coverage, purity and coverage by units, macro over documents; BOR pooled.

    Parameters
    ----------
    evaluation : Evaluation
        Systems against a reference.
    thresholds : Thresholds, optional
        Where the lines are drawn.
    tolerance : int or str, optional
        Of W-F1; 1 unless given, 10 seconds on time, 40 characters on characters.
    by_document : bool
        Judge each document by itself, against the placements in it alone.

    Returns
    -------
    dict
        System to `Verdict`; by document, system to document id to `Verdict`.
    """
    lines = Thresholds() if thresholds is None else thresholds
    if not by_document:
        return {
            system: verdict_of_pairs(system_pairs(evaluation, system), lines, tolerance=tolerance)
            for system in evaluation.systems
        }
    return {
        system: dict(
            zip(
                evaluation.documents,
                _each_document(system_pairs(evaluation, system), lines, tolerance),
                strict=True,
            )
        )
        for system in evaluation.systems
    }


def verdict_of_pairs(
    pairs: Pairs, thresholds: Thresholds | None = None, *, tolerance: int | str | None = None
) -> Verdict:
    """Judge one hypothesis of many documents.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = Segmentation.from_masses([10] * 6)
    >>> verdict_of_pairs(Pairs.of(reference, reference)).mode
    'calibrated'
    """
    lines = Thresholds() if thresholds is None else thresholds
    near = default_tolerance(pairs.unit) if tolerance is None else tolerance
    if not len(pairs):
        raise MetricError("there is no document to judge")
    metrics = _metrics(near)
    sums, chance = np.zeros(3), np.zeros((lines.placements, 3))
    for number, block in enumerate(_blocks(pairs)):
        sums += _scores(metrics, block).sum(axis=0)
        chance += _chance(metrics, block, lines, number).sum(axis=1)
    level = np.percentile(chance / len(pairs), lines.percentile, axis=0)
    total = np.array([[pairs.ref_ptr[-1], pairs.hyp_ptr[-1]]], dtype=np.float64)
    return _judged(
        sums / len(pairs), level, float(BOR().score(total)[0]), bool(_identical(pairs).all()), lines, near
    )


def _each_document(pairs: Pairs, lines: Thresholds, tolerance: int | str | None) -> Iterable[Verdict]:
    """Judge each document against the placements in it."""
    near = default_tolerance(pairs.unit) if tolerance is None else tolerance
    metrics = _metrics(near)
    numbers = np.stack([np.diff(pairs.ref_ptr), np.diff(pairs.hyp_ptr)], axis=1).astype(np.float64)
    ratios, same = BOR().score(numbers), _identical(pairs)
    done = 0
    for number, block in enumerate(_blocks(pairs)):
        scores = _scores(metrics, block)
        levels = np.percentile(_chance(metrics, block, lines, number), lines.percentile, axis=0)
        for row in range(len(block)):
            place = done + row
            yield _judged(scores[row], levels[row], float(ratios[place]), bool(same[place]), lines, near)
        done += len(block)


def verdict_table(found: Mapping[str, Verdict] | Mapping[str, Mapping[str, Verdict]]) -> Table:
    """Return one row per system, or per system and document."""
    rows: list[list[Value]] = []
    documents = False
    last: Verdict | None = None
    for system, value in found.items():
        named = [("", value)] if isinstance(value, Verdict) else list(value.items())
        for key, verdict in named:
            documents = not isinstance(value, Verdict)
            last = verdict
            scores: list[Value] = [
                f"{finding.score:.3f} {'high' if finding.high else 'low'}"
                for finding in verdict.findings.values()
            ]
            who: list[Value] = [system, key] if documents else [system]
            rows.append([*who, verdict.mode, verdict.regime, verdict.bor, *scores])
    heads = ["system", *(["document"] if documents else []), "verdict", "regime", "BOR", *_NAMES]
    columns = [Column(title, digits=2 if title == "BOR" else 3) for title in heads]
    return Table(columns, rows, notes=_notes(found, documents, last), title="Verdict")


def _notes(
    found: Mapping[str, Verdict] | Mapping[str, Mapping[str, Verdict]], documents: bool, last: Verdict | None
) -> list[str]:
    if last is None:
        return []
    lines = last.thresholds
    notes = [
        f"high: above the {lines.percentile:g}th percentile of {lines.placements} random placements of as many "
        f"boundaries in each document (seed {lines.seed}); purity and coverage also where perfect",
        f"BOR below {lines.low_bor:g} is conservative, above {lines.high_bor:g} aggressive; W-F1 with tolerance "
        f"{last.tolerance}",
    ]
    if not documents:
        for system, verdict in found.items():
            if isinstance(verdict, Verdict):
                notes += [f"{system}: {verdict.words}", f"{system}: next: {verdict.next_step}"]
                notes += [f"{system}: for {use}: {advice}" for use, advice in verdict.advice.items()]
    return notes


# ---------------------------------------------------------------------------------------------- counting


def _metrics(tolerance: int | str) -> tuple[PairwiseMetric, ...]:
    return BoundaryF1(tolerance=tolerance), Purity(), Coverage()


def _blocks(pairs: Pairs) -> Iterable[Pairs]:
    """Yield the documents in blocks, so that the placements of each fit the memory."""
    if len(pairs) <= BLOCK:
        yield pairs
        return
    for start in range(0, len(pairs), BLOCK):
        yield pairs.take(np.arange(start, min(start + BLOCK, len(pairs))))


def _scores(metrics: Sequence[PairwiseMetric], pairs: Pairs) -> Floats:
    """Return the scores of each document, one column per metric."""
    return np.stack([metric.score(metric.count(pairs)) for metric in metrics], axis=1)


def _chance(metrics: Sequence[PairwiseMetric], pairs: Pairs, lines: Thresholds, block: int) -> Floats:
    """Return the scores of the random placements: (placements, documents, metrics)."""
    requests = [metric.request(pairs.unit) for metric in metrics]
    found = np.empty((lines.placements, len(pairs), len(metrics)))
    drawn = chance_counts(pairs, list(dict.fromkeys(requests)), lines.placements, [lines.seed, block])
    for place, tables in enumerate(drawn):
        for column, (metric, request) in enumerate(zip(metrics, requests, strict=True)):
            found[place, :, column] = metric.score(tables[request][:, metric.places(request)])
    return found


def _identical(pairs: Pairs) -> npt.NDArray[np.bool_]:
    """Say of each document whether both sides are the same: every exact hit counts on both."""
    table = Request("boundaries", (0, 0, 2**62)).count(pairs)
    return np.asarray((table[:, 0] == table[:, 4]) & (table[:, 1] == table[:, 4]), dtype=bool)


# ---------------------------------------------------------------------------------------------- judging


def _judged(
    scores: Floats, chance: Floats, bor: float, identical: bool, lines: Thresholds, tolerance: int | str
) -> Verdict:
    findings = {
        name: Finding(name, float(score), float(level), _is_high(name, float(score), float(level)))
        for name, score, level in zip(_NAMES, scores, chance, strict=True)
    }
    regime = lines.regime(bor)
    mode = "calibrated" if identical else _mode(regime, *(finding.high for finding in findings.values()))
    if mode == "detection failure" and _is_perfect(findings["W-F1"].score):
        # Every boundary is found, as it would be by chance: that is no failure, and no success either.
        mode = "mixed"
    return Verdict(mode, regime, bor, findings, lines, tolerance, identical)


def _is_high(name: str, score: float, chance: float) -> bool:
    """Say whether a score is above chance.

    A perfect purity or coverage is high also where chance reaches it: nothing could be higher, and without it no
    boundary at all would not be under-segmentation. W-F1 must be above chance, since it decides what may be interpreted.
    """
    # The scores of placements are sums in another order; equal ones may differ by rounding.
    above = score > chance and not math.isclose(score, chance, rel_tol=0, abs_tol=1e-12)
    return above or (name != "W-F1" and _is_perfect(score))


def _is_perfect(score: float) -> bool:
    return math.isclose(score, 1.0, rel_tol=0, abs_tol=1e-12)


def _mode(regime: Regime, wf1: bool, purity: bool, coverage: bool) -> Mode:
    """Return the row of Table 2."""
    match (wf1, regime, purity, coverage):
        case (True, "balanced", True, True):
            return "calibrated"
        case (True, "aggressive", True, _):
            return "over-segmentation consistent with the reference"
        case (False, "aggressive", True, _):
            return "granularity mismatch"
        case (False, "conservative", _, True):
            return "under-segmentation"
        case (False, "balanced", False, False):
            return "detection failure"
        case _:
            return "mixed"


def _mixed_next(verdict: Verdict) -> str:
    """Say what to do where no row of the table fits: mend the density first, since everything else depends on it."""
    if verdict.regime == "conservative":
        kept = "what is there is well placed; " if verdict.above_chance else ""
        return f"{kept}select more boundaries until BOR is near 1 and look again (caesura sweep)"
    if verdict.regime == "aggressive":
        return "select fewer boundaries until BOR is near 1 and look again (caesura sweep)"
    return "the density is right; look at the documents one by one (--per-document)"


def _plain(finding: Finding) -> dict[str, Number | bool]:
    return {"score": as_number(finding.score), "chance": as_number(finding.chance), "high": finding.high}


# ---------------------------------------------------------------------------------------------- advice


def _summarising(verdict: Verdict) -> str:
    if verdict.regime == "aggressive":
        return (
            "select fewer boundaries: each one may discard context that is still needed; aim at BOR below 1"
        )
    if not verdict.above_chance and verdict.regime == "balanced":
        if _is_perfect(verdict.findings["W-F1"].score):
            return "cannot be told: as many random boundaries would do as well here"
        return "not yet: the boundaries are not where the topics change"
    return "suits: few boundaries keep context together, even where distinct topics are merged"


def _retrieval(verdict: Verdict) -> str:
    if verdict.findings["Purity"].high and verdict.above_chance:
        return "suits: segments seldom mix topics" + (
            ", and finer ones are finer entries of an index" if verdict.regime == "aggressive" else ""
        )
    if verdict.regime == "conservative":
        return "select more boundaries: segments that hold several topics are poor entries of an index"
    return "check first: it is not shown that segments keep to one topic better than by chance"


def _exploration(verdict: Verdict) -> str:
    if verdict.regime == "conservative":
        return (
            "select more boundaries: for reading and annotating, too fine is easier to mend than too coarse"
        )
    if verdict.findings["Purity"].high:
        return "suits: read purity and coverage rather than W-F1 here; extra boundaries do little harm"
    return "usable as a first cut; boundaries are to be checked by a reader"
