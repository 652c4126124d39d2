# SPDX-License-Identifier: Apache-2.0
"""The verdict: what W-F1, BOR, purity and coverage say together (Table 2 of the granularity paper, made computable).

No single one of them can be read alone: a clock gets a fair W-F1, and every refinement raises purity. "High" means here:
above what chance gives with the same number of boundaries in each document.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.aggregate import BLOCK
from caesura.evaluation.chance.skill import chance_counts
from caesura.evaluation.chance.verdict_words import advice, is_perfect, next_step, words
from caesura.metrics.base import Floats, PairwiseMetric, Request
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.metrics.pairwise.overlap import Coverage, Purity
from caesura.results import number
from caesura.results.reference import Finding, Mode, Regime, Thresholds, Verdict
from caesura.units.quantity import default_tolerance

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = ["judge", "verdicts"]

_NAMES = ("W-F1", "Purity", "Coverage")


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
    for system, pairs in evaluation.pairs.items():
        corpus[system], each = judge(pairs, thresholds, tolerance=tolerance, by_document=by_document)
        documents[system] = dict(zip(evaluation.documents, each, strict=by_document))
    return corpus, documents


def judge(
    pairs: Pairs,
    thresholds: Thresholds | None = None,
    *,
    tolerance: int | str | None = None,
    by_document: bool = False,
) -> tuple[Verdict, list[Verdict]]:
    """Judge one hypothesis of many documents, and each document against the placements in it alone, if requested.

    The four scores are counted by their definitions: W-F1 by coverage, purity and coverage by units, macro over
    documents; BOR pooled. The tolerance of W-F1 is 1 unless given, 10 seconds on time, 40 characters on characters.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = Segmentation.from_masses([10] * 6)
    >>> judge(Pairs.of(reference, reference))[0].verdict
    'calibrated'
    """
    if not len(pairs):
        raise MetricError("there is no document to judge")
    lines = thresholds or Thresholds()
    near = default_tolerance(pairs.unit) if tolerance is None else tolerance
    metrics = (BoundaryF1(tolerance=near), Purity(), Coverage())
    numbers = np.stack([np.diff(pairs.ref_ptr), np.diff(pairs.hyp_ptr)], axis=1).astype(np.float64)
    ratios, same = BOR().score(numbers), _identical(pairs)
    sums, chance_sums = np.zeros(3), np.zeros((lines.placements, 3))
    documents: list[Verdict] = []
    for place, block in enumerate(_blocks(pairs)):
        scores = np.stack([metric.score(metric.count(block)) for metric in metrics], axis=1)
        chance = _chance(metrics, block, lines, place)
        sums += scores.sum(axis=0)
        chance_sums += chance.sum(axis=1)
        if by_document:
            for own, level in zip(scores, np.percentile(chance, lines.percentile, axis=0), strict=True):
                row = len(documents)
                documents.append(_judged(own, level, float(ratios[row]), bool(same[row]), lines, near))
    level = np.percentile(chance_sums / len(pairs), lines.percentile, axis=0)
    bor = float(BOR().score(numbers.sum(axis=0)))
    return _judged(sums / len(pairs), level, bor, bool(same.all()), lines, near), documents


# ---------------------------------------------------------------------------------------------- counting


def _blocks(pairs: Pairs) -> Iterable[Pairs]:
    """Yield the documents in blocks, so that the placements of each fit the memory."""
    if len(pairs) <= BLOCK:
        yield pairs
        return
    for start in range(0, len(pairs), BLOCK):
        yield pairs.take(np.arange(start, min(start + BLOCK, len(pairs))))


def _chance(metrics: Sequence[PairwiseMetric], pairs: Pairs, lines: Thresholds, block: int) -> Floats:
    """Return the scores of the random placements: (placements, documents, metrics)."""
    requests = [metric.request(pairs.unit) for metric in metrics]
    scores = np.empty((lines.placements, len(pairs), len(metrics)))
    drawn = chance_counts(pairs, list(dict.fromkeys(requests)), lines.placements, [lines.seed, block])
    for place, tables in enumerate(drawn):
        for column, (metric, request) in enumerate(zip(metrics, requests, strict=True)):
            scores[place, :, column] = metric.score(tables[request][:, metric.places(request)])
    return scores


def _identical(pairs: Pairs) -> npt.NDArray[np.bool_]:
    """Say of each document whether both sides are the same: every exact hit counts on both."""
    table = Request("boundaries", (0, 0, 2**62)).count(pairs)
    return np.asarray((table[:, 0] == table[:, 4]) & (table[:, 1] == table[:, 4]), dtype=bool)


# ---------------------------------------------------------------------------------------------- judging


def _judged(
    scores: Floats, chance: Floats, bor: float, identical: bool, lines: Thresholds, tolerance: int | str
) -> Verdict:
    findings = {
        name: Finding(
            score=number(score), chance=number(level), high=_is_high(name, float(score), float(level))
        )
        for name, score, level in zip(_NAMES, scores, chance, strict=True)
    }
    regime = lines.regime(bor)
    mode = "calibrated" if identical else _mode(regime, *(finding.high for finding in findings.values()))
    if mode == "detection failure" and is_perfect(findings["W-F1"].score):
        # Every boundary is found, as it would be by chance: that is neither a failure nor a success.
        mode = "mixed"
    return Verdict(
        verdict=mode,
        regime=regime,
        bor=number(bor),
        findings=findings,
        interpretable=findings["W-F1"].high,
        words=words(mode, regime, bor, findings, identical=identical),
        next=next_step(mode, regime, findings),
        advice=advice(regime, findings),
        tolerance=tolerance,
        thresholds=lines,
        signature=f"verdict|tolerance:{tolerance}|{lines}",
    )


def _is_high(name: str, score: float, chance: float) -> bool:
    """Say whether a score is above chance.

    A perfect purity or coverage is high also where chance reaches it: nothing could be higher, and without it no
    boundary at all would not be under-segmentation. W-F1 must be above chance, since it decides what may be interpreted.
    """
    # The scores of placements are sums in another order; equal ones may differ by rounding.
    above = score > chance and not math.isclose(score, chance, rel_tol=0, abs_tol=1e-12)
    return above or (name != "W-F1" and is_perfect(score))


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
