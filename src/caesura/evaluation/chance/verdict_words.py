# SPDX-License-Identifier: Apache-2.0
"""The text of a verdict: what the scores mean together, what to do next, and what the segmentation suits.

Every sentence gives the numbers on which it is based.
"""

from __future__ import annotations

from collections.abc import Mapping

from caesura.results.base import Number
from caesura.results.evaluate.verdict import Finding, Mode, Verdict

__all__ = ["advice", "next_step", "no_detection", "timed_next", "timed_words", "words"]

_NEXT: Mapping[Mode, str] = {
    "granularity mismatch": "score against a finer level of the reference if there is one (--levels), or select fewer "
    "boundaries and look again",
    "under-segmentation consistent with the reference": "select more boundaries until BOR is near 1 (caesura sweep); keep "
    "the scorer",
    "over-segmentation consistent with the reference": "select fewer boundaries until BOR is near 1 (caesura sweep), or keep "
    "them if finer segments serve; keep the scorer",
    "calibrated": "compare with other systems (caesura compare)",
    "partial detection": "see which boundaries are missed (caesura explain), and compare with other systems",
    "not judged": "judge it together with other documents",
}
_TIMED_NEXT: Mapping[Mode, str] = {
    "granularity mismatch": "ask for fewer {noun} and look again",
    "under-segmentation consistent with the reference": "ask for more {noun}",
    "over-segmentation consistent with the reference": "ask for fewer {noun}, or keep them if finer ones serve",
    "calibrated": "look at the pairs of {noun} row by row (caesura explain)",
    "partial detection": "see which {noun} are missed (caesura explain), and compare with other systems",
    "not judged": "judge it together with other shows",
}
"""The next step for recordings: somebody asked for chapters there, and there is no scorer to keep or change."""


def timed_words(v: Verdict, noun: str) -> str:
    """Return the verdict on the ``noun`` (chapters or segments) of recordings, without the terms of text segmentation."""
    if v.verdict == "not judged":
        return f"one show with fewer than {v.thresholds.few_boundaries} {noun} says too little for a verdict."
    if v.bor == 0:
        return f"nothing to judge, since there are no {noun} after 0:00."
    f, rate = v.findings, f"{_number(v.bor, 2)} for each of the reference"
    compared = f"{v.f1} {_number(f['W-F1'].score)}; evenly spaced ones get {_number(v.clock.score)}"
    match v.verdict:
        case "granularity mismatch":
            text = f"there are more {noun} than in the reference ({rate}), and too little to tell them from chance: {no_detection(v)}"
        case "under-segmentation consistent with the reference":
            text = f"{noun} start in the right places (precision {_number(f['precision'].score)}), but are too few ({rate})"
        case "no detection shown":
            text = (
                f"{noun} are not shown to start in better places than evenly spaced or random ones: {no_detection(v)}"
            )
        case "over-segmentation consistent with the reference":
            text = f"the starts of the reference are found (recall {_number(f['recall'].score)}), but others are added ({rate})"
        case "calibrated":
            text = f"{noun} start where the reference has them ({compared}), and are about as many ({rate})"
        case "partial detection":
            text = f"some {noun} of the reference are found ({compared}; {rate})"
        case _:
            text = f"{compared}; {rate}"
    if v.uneven and v.documents > 1:
        text += f". In {100 * (v.outside or 0):.0f} % of the shows they are less than half or more than twice as many as in the reference"
    few = "One show is" if v.documents == 1 else f"{v.documents} shows are"
    return f"{text}. {few} few, so this is tentative." if v.suggests else f"{text}."


def timed_next(v: Verdict, noun: str) -> str:
    """Return what to do next with the ``noun`` of recordings."""
    if v.bor == 0:
        return f"look at the output of the system, which has no {noun}"
    if v.verdict in _TIMED_NEXT:
        return _TIMED_NEXT[v.verdict].format(noun=noun)
    if v.verdict == "no detection shown" and v.suggests:
        return f"score more shows, {v.thresholds.few_documents} or more"
    if v.regime != "balanced" and v.findings["W-F1"].size != "none":
        return f"ask for {'more' if v.regime == 'conservative' else 'fewer'} {noun} and look again"
    if v.verdict == "no detection shown":
        return "check that both sides are of the same recordings and that their times were read as meant"
    return "look at the shows one by one (--per-document, or caesura explain --document ID)"


def words(verdict: Verdict) -> str:
    """Return the verdict in a sentence or two."""
    if verdict.verdict == "not judged":
        return (
            f"{verdict.verdict}: a single document with fewer than {verdict.thresholds.few_boundaries} boundaries "
            "says too little."
        )
    parts = [_meaning(verdict)]
    if verdict.uneven:
        parts.append(
            f"{100 * (verdict.outside or 0):.0f} % of the documents have less than half or more than twice the boundaries of "
            "the reference"
        )
    if not verdict.interpretable:
        parts.append("Purity and coverage are not interpretable alone")
    few = f" ({verdict.documents} document{'s' * (verdict.documents != 1)}, so tentative)" if verdict.suggests else ""
    parts.append(f"Verdict: {verdict.verdict}{few}")
    return ". ".join(parts) + "."


def _meaning(v: Verdict) -> str:
    f, bor = v.findings, f"BOR {_number(v.bor, 2)}"
    clock = f"evenly spaced ones get {_number(v.clock.score)}"
    match v.verdict:
        case "granularity mismatch":
            return (
                f"segments are finer than the reference's ({bor}) and seldom mix its topics ({_skill('purity', f)}), but its "
                f"boundaries are not found: {no_detection(v)}"
            )
        case "under-segmentation consistent with the reference":
            return f"boundaries are right where they are set ({_skill('precision', f)}), but too few ({bor})"
        case "no detection shown":
            return f"{no_detection(v)}; {bor}"
        case "over-segmentation consistent with the reference":
            return f"the reference's boundaries are found ({_skill('recall', f)}), but others are added ({bor})"
        case "calibrated":
            return f"boundaries are where the reference has them ({_skill('W-F1', f, v.f1)}; {clock}), and about as many ({bor})"
        case "partial detection":
            return f"some of the reference's boundaries are found ({_skill('W-F1', f, v.f1)}; {clock}; {bor})"
        case _:
            findings = ", ".join(
                f"{_skill(name, f, v.f1 if name == 'W-F1' else name)} is {each.size}" for name, each in f.items()
            )
            return f"the findings fit no single pattern ({bor}): {findings}; {clock}"


def no_detection(v: Verdict) -> str:
    """Return why no detection is shown: the skill of W-F1, the clock, or both, with the numbers."""
    f1, reasons = v.findings["W-F1"], []
    if f1.skill is None:
        reasons.append(f"random boundaries get {v.f1} {_number(f1.chance)} too")
    elif f1.size == "none":
        low = "" if f1.interval is None else f", 95 % interval {_ends(f1)}"
        reasons.append(
            f"{v.f1} is {_number(f1.score)}, random boundaries get {_number(f1.chance)} (skill {_number(f1.skill, 2)}{low})"
        )
    if not v.above_clock:
        p = v.clock.p_corrected
        test = "" if p is None else ", adjusted p < 0.001" if p < 0.001 else f", adjusted p = {p:.3f}"
        above = (v.clock.score or 0) < (f1.score or 0)
        spaced = "evenly spaced ones" if reasons else f"{v.f1} is {_number(f1.score)}, evenly spaced boundaries get"
        reasons.append(f"{spaced} {_number(v.clock.score)}{f' (not significantly less{test})' if above else ''}")
    return " and ".join(reasons)


def next_step(v: Verdict) -> str:
    """Return what to do next; if no pattern fits, correct the density first."""
    if v.verdict in _NEXT:
        return _NEXT[v.verdict]
    if v.regime != "balanced" and v.findings["W-F1"].size != "none":
        more = "more" if v.regime == "conservative" else "fewer"
        return f"select {more} boundaries until BOR is near 1 and look again (caesura sweep)"
    f1 = v.findings["W-F1"]
    if v.verdict == "no detection shown" and (f1.skill is None or f1.size == "strong"):
        return (
            "score it on more or longer documents, or with a smaller tolerance: here it is not shown to do better than "
            "boundaries that ignore the text"
        )
    if v.verdict == "no detection shown":
        return "change the scorer or the units before tuning a threshold, and check that both files were read as meant"
    if v.uneven:
        return "the density is right over all but not in each document: select by document, or see --per-document"
    return "look at the documents one by one (--per-document)"


def advice(v: Verdict) -> dict[str, str]:
    """Return what the segmentation suits, if a finding is strong and W-F1 is above the clock."""
    f, found = v.findings, {}
    detected = v.interpretable and v.above_clock
    if f["precision"].size == "strong" and v.regime != "aggressive":
        found["summarising"] = (
            f"suits: boundaries that are set are right ({_skill('precision', f)}), so little context is cut off"
        )
    if detected and f["purity"].size == "strong":
        found["retrieval"] = f"suits: segments seldom mix topics ({_skill('purity', f)})"
    if detected and f["recall"].size == "strong":
        found["exploration"] = f"suits: most boundaries of the reference are among those set ({_skill('recall', f)})"
    return found


def _skill(name: str, findings: Mapping[str, Finding], shown: str = "") -> str:
    finding = findings[name]
    return f"{shown or name} {_number(finding.score)}, skill {_number(finding.skill, 2)}"


def _ends(finding: Finding) -> str:
    low, high = finding.interval or (None, None)
    return f"{_number(low, 2)} to {_number(high, 2)}"


def _number(value: Number, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
