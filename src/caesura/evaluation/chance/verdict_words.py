# SPDX-License-Identifier: Apache-2.0
"""The words of a verdict: what the scores mean together, what to do next, and what the density suits."""

from __future__ import annotations

import math
from collections.abc import Mapping

from caesura.results.reference import Finding, Mode, Regime

__all__ = ["advice", "is_perfect", "next_step", "words"]

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


def words(mode: Mode, regime: Regime, bor: float, findings: Mapping[str, Finding], *, identical: bool) -> str:
    """Return the verdict in a sentence or two."""
    parts = [f"{mode} ({regime}, BOR {bor:.2f}): {_MEANING[mode]}"]
    if mode == "mixed":
        parts.append(
            "; ".join(
                f"{name} {f.score:.3f} is {'high' if f.high else 'low'} (chance {f.chance:.3f})"
                for name, f in findings.items()
            )
        )
    if identical and not findings["W-F1"].high:
        parts.append("identical to the reference, but random placement does as well here")
    elif not findings["W-F1"].high:
        parts.append("W-F1 is not above chance, so purity and coverage are not interpretable alone")
    return ". ".join(parts) + "."


def next_step(mode: Mode, regime: Regime, findings: Mapping[str, Finding]) -> str:
    """Return what to do next; where no row of the table fits, the density is mended first."""
    if mode != "mixed":
        return _NEXT[mode]
    if regime == "conservative":
        placed = "what is there is well placed; " if findings["W-F1"].high else ""
        return f"{placed}select more boundaries until BOR is near 1 and look again (caesura sweep)"
    if regime == "aggressive":
        return "select fewer boundaries until BOR is near 1 and look again (caesura sweep)"
    return "the density is right; look at the documents one by one (--per-document)"


def advice(regime: Regime, findings: Mapping[str, Finding]) -> dict[str, str]:
    """Say whether this density suits summarising, retrieval and exploration (section 9 of the paper)."""
    return {
        "summarising": _summarising(regime, findings),
        "retrieval": _retrieval(regime, findings),
        "exploration": _exploration(regime, findings),
    }


def _summarising(regime: Regime, findings: Mapping[str, Finding]) -> str:
    if regime == "aggressive":
        return (
            "select fewer boundaries: each one may discard context that is still needed; aim at BOR below 1"
        )
    if not findings["W-F1"].high and regime == "balanced":
        if is_perfect(findings["W-F1"].score):
            return "cannot be told: as many random boundaries would do as well here"
        return "not yet: the boundaries are not where the topics change"
    return "suits: few boundaries keep context together, even where distinct topics are merged"


def _retrieval(regime: Regime, findings: Mapping[str, Finding]) -> str:
    if findings["Purity"].high and findings["W-F1"].high:
        return "suits: segments seldom mix topics" + (
            ", and finer ones are finer entries of an index" if regime == "aggressive" else ""
        )
    if regime == "conservative":
        return "select more boundaries: segments that hold several topics are poor entries of an index"
    return "check first: it is not shown that segments keep to one topic better than by chance"


def _exploration(regime: Regime, findings: Mapping[str, Finding]) -> str:
    if regime == "conservative":
        return (
            "select more boundaries: for reading and annotating, too fine is easier to mend than too coarse"
        )
    if findings["Purity"].high:
        return "suits: read purity and coverage rather than W-F1 here; extra boundaries do little harm"
    return "usable as a first cut; boundaries are to be checked by a reader"


def is_perfect(score: float | None) -> bool:
    """Say whether a score is 1, but for rounding."""
    return score is not None and math.isclose(score, 1.0, rel_tol=0, abs_tol=1e-12)
