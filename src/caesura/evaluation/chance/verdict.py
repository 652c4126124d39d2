# SPDX-License-Identifier: Apache-2.0
"""The verdict: the joint interpretation of W-F1, precision, recall, purity, coverage and BOR.

None of them can be interpreted alone: a clock gets a fair W-F1, and every refinement raises purity. Each score is therefore
converted to a skill above chance at the same density, and W-F1 is also compared with a clock that does not read the text.
With hundreds of documents any skill is significant, so the verdict depends on its size.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.chance.clock import clock_pairs
from caesura.evaluation.chance.expected import Asked, Chance
from caesura.evaluation.chance.skill import chance_of, skill_of
from caesura.evaluation.chance.verdict_words import advice, next_step, timed_next, timed_words, words
from caesura.evaluation.intervals import ends_of
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.pairwise.boundaries import BoundaryF1, BoundaryPrecision, BoundaryRecall
from caesura.metrics.pairwise.overlap import Coverage, Purity
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Ends, number
from caesura.results.evaluate.verdict import Clock, Finding, Mode, Regime, Thresholds, Verdict
from caesura.statistics import Bootstrap, Permutation, Statistic, holm
from caesura.statistics.moments import Estimate
from caesura.statistics.statistic import is_normal
from caesura.units.quantity import default_tolerance

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["judge", "verdicts"]

_FEWEST = 4  # draws, so that the expectation of each document is not too rough to be resampled


def verdicts(
    evaluation: Evaluation,
    thresholds: Thresholds | None = None,
    *,
    tolerance: int | str | None = None,
    by_document: bool = False,
) -> tuple[dict[str, Verdict], dict[str, dict[str, Verdict]]]:
    """Judge every system; each of its documents too, by id, if requested."""
    corpus: dict[str, Verdict] = {}
    documents: dict[str, dict[str, Verdict]] = {}
    lines, arranged = thresholds or Thresholds(), find_profile(evaluation.profile)
    for system in evaluation.pairs:
        chance = chance_of(evaluation, system, lines.placements, lines.seed)
        if arranged.swap or arranged.longer_first:  # the scores of a verdict have their own definitions
            chance = Chance(chance.pairs, None, lines.placements, lines.seed)
        corpus[system], each = _judged(chance, lines, tolerance, by_document=by_document)
        if by_document:
            found = dict(zip(evaluation.drawn_documents, each, strict=True))
            documents[system] = {key: found[key] for key in evaluation.documents}
    return corpus, documents


def judge(
    pairs: Pairs, thresholds: Thresholds | None = None, *, tolerance: int | str | None = None, by_document: bool = False
) -> tuple[Verdict, list[Verdict]]:
    """Judge one hypothesis of many documents, and each document separately, if requested.

    The scores are counted by their definitions: W-F1, precision and recall by coverage, purity and coverage by units,
    macro over documents; BOR pooled. The tolerance of the first three is 1 unless given, 10 seconds on time, 40 characters
    on characters.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = Segmentation.from_masses([7, 12, 9, 14, 8, 10])
    >>> judge(Pairs.of(reference, reference))[0].verdict
    'calibrated'
    """
    lines = thresholds or Thresholds()
    chance = Chance(pairs, None, lines.placements, lines.seed)
    return _judged(chance, lines, tolerance, by_document=by_document)


def _judged(
    chance: Chance, lines: Thresholds, tolerance: int | str | None, *, by_document: bool
) -> tuple[Verdict, list[Verdict]]:
    pairs = chance.pairs
    if not len(pairs):
        raise MetricError("there is no document to judge")
    near = default_tolerance(pairs.unit) if tolerance is None else tolerance
    titled = pairs.titles is not None and any(pairs.titles[0])
    noun = ("chapters" if titled else "segments") if pairs.unit == "ms" else None
    judged = _Judged.of(chance, lines, near, lines.placements if by_document else _FEWEST, noun)
    each = [judged.verdict(np.array([row])) for row in range(len(pairs))] if by_document else []
    return judged.verdict(np.arange(len(pairs))), each


@dataclasses.dataclass(frozen=True)
class _Judged:
    """The data of every document that a verdict needs."""

    names: tuple[str, ...]
    scores: Floats  # [documents, names]
    chance: Floats  # [documents, names]: expected scores
    clocks: dict[str, Floats]  # W-F1 of each document
    numbers: Floats  # [documents, 2]: boundaries of the reference and of the hypothesis
    lines: Thresholds
    tolerance: int | str
    noun: str | None  # what the segments of recordings are called

    @classmethod
    def of(cls, chance: Chance, lines: Thresholds, near: int | str, draws: int, noun: str | None) -> _Judged:
        """Count the scores, the random placements (of each document at least so many ``draws``) and the clocks."""
        pairs = chance.pairs
        metrics: dict[str, PairwiseMetric] = {
            "W-F1": BoundaryF1(tolerance=near),
            "precision": BoundaryPrecision(tolerance=near),
            "recall": BoundaryRecall(tolerance=near),
            "purity": Purity(),
            "coverage": Coverage(),
        }
        requests = {name: metric.request(pairs.unit) for name, metric in metrics.items()}
        tables = {request: request.count(pairs) for request in dict.fromkeys(requests.values())}
        counts = {name: tables[requests[name]][:, metric.places(requests[name])] for name, metric in metrics.items()}
        expected = chance.expected(
            {
                name: Asked(metric, functools.partial(counts.__getitem__, name), documents=draws)
                for name, metric in metrics.items()
            }
        )
        f1 = metrics["W-F1"]
        return cls(
            tuple(metrics),
            np.stack([metric.score(counts[name]) for name, metric in metrics.items()], axis=1),
            np.stack([each.per_document for each in expected.values()], axis=1),
            {kind: f1.score(f1.count(clock)) for kind, clock in clock_pairs(pairs).items()},
            np.stack([np.diff(pairs.ref_ptr), np.diff(pairs.hyp_ptr)], axis=1).astype(np.float64),
            lines,
            near,
            noun,
        )

    def verdict(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Verdict:
        """Judge some of the documents together."""
        lines, numbers = self.lines, self.numbers[rows]
        bor, outside = float(BOR().score(numbers.sum(axis=0))), _outside(numbers)
        skills, clock_f1 = (
            _skills_of(self.scores[rows], self.chance[rows]),
            {kind: f1[rows] for kind, f1 in self.clocks.items()},
        )
        differences = (Statistic.mean(self.scores[rows, 0] - f1) for f1 in clock_f1.values())
        normal = is_normal(len(rows), (each.influences() for each in itertools.chain(skills, differences)))
        findings = self._findings(rows, _skill_intervals(skills, lines, normal=normal))
        clocks = _tested(self.scores[rows, 0], clock_f1, lines, normal=normal)
        above = _above(findings["W-F1"], clocks, lines)
        regime, uneven = lines.regime(bor), outside > lines.uneven
        judged = len(rows) > 1 or numbers[0, 0] >= lines.few_boundaries
        verdict = Verdict(
            verdict=_mode(findings, regime, uneven=uneven, above=above) if judged else "not judged",
            regime=regime,
            bor=number(bor),
            findings=findings,
            clocks=clocks,
            above_clock=above,
            outside=outside,
            uneven=uneven,
            documents=len(rows),
            suggests=len(rows) < lines.few_documents,
            interpretable=findings["W-F1"].size != "none",
            words="",
            next="",
            advice={},
            tolerance=self.tolerance,
            thresholds=lines,
            signature=f"verdict|tolerance:{self.tolerance}|{lines}{'|tests:normal' if normal else ''}",
        )
        if self.noun is None:
            verdict.words, verdict.next, verdict.advice = words(verdict), next_step(verdict), advice(verdict)
        else:
            verdict.words, verdict.next = timed_words(verdict, self.noun), timed_next(verdict, self.noun)
        return verdict

    def _findings(
        self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], ends: list[Ends | None]
    ) -> dict[str, Finding]:
        lines, scores, chance = self.lines, self.scores[rows], self.chance[rows]
        findings = {}
        for place, name in enumerate(self.names):
            score, expected = float(scores[:, place].mean()), float(chance[:, place].mean())
            skill, interval = skill_of(score, expected, 1.0), ends[place]
            low = None if interval is None else -math.inf if interval.low is None else interval.low
            size = "none" if math.isnan(skill) else lines.size(skill, low)
            findings[name] = Finding(
                score=number(score), chance=number(expected), skill=number(skill), interval=interval, size=size
            )
        return findings


def _outside(numbers: Floats) -> float:
    """Return the share of documents with less than half or more than twice the boundaries of the reference.

    >>> _outside(np.array([[4.0, 2.0], [4.0, 9.0], [0.0, 0.0], [0.0, 1.0]]))
    0.5
    """
    reference, hypothesis = numbers[:, 0], numbers[:, 1]
    return float(((hypothesis < reference / 2) | (hypothesis > 2 * reference)).mean())


def _above(f1: Finding, clocks: dict[str, Clock], lines: Thresholds) -> bool:
    """Return whether W-F1 is above the better clock; by the difference alone if there are too few documents for a test."""
    best = max(clocks.values(), key=lambda clock: clock.score or 0.0)
    higher = (f1.score or 0.0) > (best.score or 0.0) + 1e-12
    return higher and (best.p_corrected is None or best.p_corrected < lines.alpha)


def _mode(findings: dict[str, Finding], regime: Regime, *, uneven: bool, above: bool) -> Mode:
    """Return the first pattern that applies."""
    size = {name: finding.size for name, finding in findings.items()}
    detected = size["W-F1"] != "none" and above
    if size["purity"] == "strong" and regime == "aggressive" and not detected:
        return "granularity mismatch"
    if size["precision"] == "strong" and regime == "conservative":
        return "under-segmentation consistent with the reference"
    if not detected:
        return "no detection shown"
    if size["recall"] == "strong" and regime == "aggressive":
        return "over-segmentation consistent with the reference"
    if size["W-F1"] == "strong" and regime == "balanced" and not uneven:
        return "calibrated"
    return "partial detection" if size["W-F1"] == "weak" else "mixed"


def _skills_of(scores: Floats, chance: Floats) -> list[Statistic]:
    """Return the skill of each column of scores and chance, one row per document, in a form that can be resampled."""
    return [
        Statistic.pooled(np.stack(columns, axis=1), functools.partial(_skill, len(scores)))
        for columns in zip(scores.T, chance.T, strict=True)
    ]


def _skill_intervals(skills: list[Statistic], lines: Thresholds, *, normal: bool) -> list[Ends | None]:
    """Return the interval of each skill, normal or from resampled documents; None if there is one document."""
    documents = len(skills[0].columns)
    if documents < 2:
        return [None] * len(skills)
    if normal:
        return [ends_of(Estimate.of(skill).interval()) for skill in skills]
    bootstrap = Bootstrap(documents, lines.resamples, lines.seed)
    return [ends_of(bootstrap.interval(drawn, documents)) for drawn in bootstrap.replicates(skills)]


def _skill(documents: int, sums: Floats) -> Floats:
    """Return the skill of summed scores and summed chance."""
    score, expected = sums[..., 0] / documents, sums[..., 1] / documents
    out = np.full(np.shape(score), np.nan)
    return np.asarray(np.divide(score - expected, 1.0 - expected, out=out, where=expected < 1.0 - 1e-12))


def _tested(scores: Floats, clocks: dict[str, Floats], lines: Thresholds, *, normal: bool) -> dict[str, Clock]:
    """Return the mean of each clock, with the test of the paired difference from it.

    The test is a permutation test, or ``normal``. It is omitted if there are too few documents for any result below alpha.
    """
    n = len(scores)
    p_values = [float("nan")] * len(clocks)
    if normal:
        p_values = [Estimate.of(Statistic.mean(scores - clock)).p_value for clock in clocks.values()]
    elif len(clocks) * 2.0 ** (1 - n) < lines.alpha:
        couples = [(Statistic.mean(scores), Statistic.mean(clock)) for clock in clocks.values()]
        drawn = Permutation(n, lines.permutations, lines.seed).exchanged(couples)
        p_values = [each.p_value() for each in drawn]
    corrected = holm(p_values)
    return {
        kind: Clock(score=number(float(clock.mean())), p=number(p), p_corrected=number(q))
        for (kind, clock), p, q in zip(clocks.items(), p_values, corrected, strict=True)
    }
