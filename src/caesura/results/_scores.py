# SPDX-License-Identifier: Apache-2.0
"""Sentences shared by the answers about a reference: the best systems, the baselines, the next step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from caesura.results._sentences import is_are, joined, number_of
from caesura.results.evaluate.verdict import Mode, Verdict
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = [
    "best_on", "clock_sentence", "few_sentence", "headline", "judged_sentences", "ranked", "run_sentences", "spoken", "systems_of",
]  # fmt: skip

_HEADLINE = "W-F1"
_NAMED = 3  # systems whose extra boundaries are spoken of
_DID: Mapping[Mode, str] = {
    "granularity mismatch": "cut{s} finer than the reference, and miss{es} its {noun}",
    "under-segmentation consistent with the reference": "set{s} too few {noun}, which are right",
    "no detection shown": "show{s} no detection",
    "over-segmentation consistent with the reference": "find{s} the reference's {noun} but add{s} more",
    "calibrated": "set{s} {noun} where the reference has them, and about as many",
    "partial detection": "find{s} some of the reference's {noun}",
    "mixed": "fit{s} no single pattern",
    "not judged": "{be} not judged",
}
"""What one system, or several, did by each verdict."""
_UNSEEN = "{be} not shown to place {noun} better than evenly spaced or random ones"
"""The same of lists of chapters for "no detection shown", without the terms of text segmentation."""


def systems_of(results: Results) -> list[str]:
    """Return the systems that are not baselines."""
    baselines = {item.name for item in results.inputs if item.role == "baseline"}
    return [system for system in results.systems if system not in baselines]


def headline(results: Results) -> str:
    """Return the headline metric: W-F1, or F1 on time, else the first that does not measure density."""
    # A page has one name for each metric, such as F1 (10s).
    candidates = [
        name for name, facts in results.metrics.items() if name == _HEADLINE or facts.metric.startswith("BoundaryF1(")
    ]
    if candidates:
        return _HEADLINE if _HEADLINE in candidates else candidates[0]
    graded = [name for name, facts in results.metrics.items() if facts.direction != "target"]
    return next(iter([*graded, *results.metrics]))


def spoken(results: Results, sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences in which the F1 of the verdicts has its short name."""
    verdict = next(iter((results.verdicts or {}).values()), None)
    if verdict is None:
        return tuple(sentences)
    return tuple(sentence.replace(verdict.f1_metric, verdict.f1) for sentence in sentences)


def best_on(results: Results, metric: str) -> list[str]:
    """Return the systems with the best score on a metric; several if they tie, none if no score is defined."""
    scores = {system: results.systems[system][metric].score for system in systems_of(results)}
    scored = {s: results.metrics[metric].badness(score) for s, score in scores.items() if score is not None}
    least = min(scored.values(), default=0.0)
    return [system for system, bad in scored.items() if bad == least]


def ranked(results: Results, metric: str, names: Sequence[str]) -> list[str]:
    """Return systems by their score on a metric, the best first, those without a score last."""
    scores = {system: results.systems[system][metric].score for system in names}
    return sorted(names, key=lambda system: (scores[system] is None, results.metrics[metric].badness(scores[system])))


def clock_sentence(results: Results, names: Sequence[str]) -> list[str]:
    """Return the scores of evenly spaced and random boundaries at the density of each system, and the systems that beat the first."""
    verdicts = {name: v for name, v in (results.verdicts or {}).items() if name in names}
    if not verdicts:
        return _blind_sentence(results, names)
    clock = _range([v.clock.score for v in verdicts.values()])
    chance = _range([v.findings["W-F1"].chance for v in verdicts.values()])
    above = [name for name, v in verdicts.items() if v.above_clock and v.clock.p_corrected is not None]
    untested = [name for name, v in verdicts.items() if v.above_clock and name not in above]
    below = [name for name, v in verdicts.items() if not v.above_clock]
    what = _evenly(next(iter(verdicts.values())).f1, clock, chance)
    if all(v.verdict == "not judged" for v in verdicts.values()):
        return [what]
    few = next((v.documents for v in verdicts.values() if v.suggests), None)
    shown = "is not shown to beat" if few is None else f"is not shown by {number_of(few, 'document')} to beat"
    if not above and not untested:
        who = "No system"
        if len(verdicts) == 1:
            ((who, verdict),) = verdicts.items()
            who = f"{who} ({format_number(verdict.findings['W-F1'].score)})"
        return [f"{what} {who} {shown if len(verdicts) == 1 else shown.replace('not ', '')} the evenly spaced ones."]
    parts = [] if not above else [f"{joined(above)} {'beats' if len(above) == 1 else 'beat'} the evenly spaced ones"]
    if untested:
        score = "scores" if len(untested) == 1 else "score"
        parts.append(f"{joined(untested)} {score} higher than the evenly spaced ones, untested")
    if below and few is not None:
        parts.append(f"for {joined(below)}, {number_of(few, 'document')} {'does' if few == 1 else 'do'} not show it")
    elif below:
        parts.append(f"{joined(below)} {is_are(below)} not shown to")
    return [f"{what} {'; '.join(parts)}."]


def _evenly(metric: str, clock: str, chance: str) -> str:
    return f"Evenly spaced boundaries at the same density score {metric} {clock}, random ones {chance}."


def _blind_sentence(results: Results, names: Sequence[str]) -> list[str]:
    """Return what random and evenly spaced boundaries score by the first metric that has them, without a claim: no test was run."""
    for metric in results.metrics:
        found = [results.systems[name][metric].blind for name in names]
        blind = [each for each in found if each is not None]
        if blind:
            clock, chance = (_range([getattr(each, what) for each in blind]) for what in ("clock", "chance"))
            return [_evenly(metric, clock, chance)]
    return []


def judged_sentences(results: Results, names: Sequence[str]) -> list[str]:
    """Return the verdict on one system and the next step; for several systems only the verdicts."""
    verdicts: dict[str, Verdict] = {n: v for n, v in (results.verdicts or {}).items() if n in names}
    if len(verdicts) == 1:
        ((name, verdict),) = verdicts.items()
        return [f"{name}: {verdict.words}", f"Next: {verdict.next}."]
    modes: dict[Mode, list[str]] = {}
    for name, verdict in verdicts.items():
        modes.setdefault(verdict.verdict, []).append(name)
    if not modes:
        return []
    if list(modes) == ["not judged"]:
        who = modes["not judged"]
        return [f"{joined(who)} {is_are(who)} not judged: documents or boundaries are too few."]
    few = next((v.documents for v in verdicts.values() if v.suggests), None)
    timed, show = results.chapters, "document" if results.chapters is None else "show"
    noun = "boundaries" if timed is None else "chapters" if timed.titled else "segments"
    lead = "Verdict" if few is None else f"Verdict ({number_of(few, show)}, so tentative)"
    parts = []
    for mode, who in modes.items():
        s, es = ("s", "es") if len(who) == 1 else ("", "")
        did = _UNSEEN if timed is not None and mode == "no detection shown" else _DID[mode]
        parts.append(f"{joined(who)} {did.format(s=s, es=es, be=is_are(who), noun=noun)}")
    return [f"{lead}: {'; '.join(parts)}.", *_extra_sentences(results, names)]


def _extra_sentences(results: Results, names: Sequence[str]) -> list[str]:
    """Return what the text says of the extra boundaries of the first systems."""
    if not results.extra:
        return []
    from caesura.results.evaluate.extra import extra_sentence

    said = {name: extra_sentence(facts) for name, facts in results.extra.items() if name in names}
    return [f"{name}: {text}." for name, text in said.items() if text][:_NAMED]


def run_sentences(results: Results) -> list[str]:
    """Return one sentence on each system that was run several times: its spread, the agreement of its runs, and how many are enough."""
    sentences, name = [], headline(results)
    for system, facts in (results.runs or {}).items():
        known = [score for score in facts.scores[name] if score is not None]
        if len(known) < 2:
            continue
        kappa = facts.agreement.get("FleissKappa")
        agree = "" if kappa is None else f", and agree with each other by kappa {format_number(kappa)}"
        enough = facts.enough[name]
        few = len(facts.runs)
        said = "" if enough is None else "; that is enough" if enough <= few else f"; about {enough} would be enough"
        sentences.append(
            f"{number_of(few, 'run')} of {system} have {name} {format_number(min(known))} to {format_number(max(known))}{agree}{said}."
        )
    return sentences


def few_sentence(documents: int, family: int = 1, permutations: int = 0) -> list[str]:
    """Return the caveat for few documents: with n documents no p is below 2 of the 2 ** n assignments.

    ``family`` is the number of comparisons, 0 if there is nothing to compare. With many documents, no p is below 1 of the
    ``permutations`` and the observed one, if any were drawn.
    """
    if documents >= 10:
        if not permutations or family < 0.05 * (1 + permutations):
            return []
        return [
            f"No difference can be significant after correction for {family:,} comparisons: compare fewer systems, or all "
            "with one (--with NAME)."
        ]
    if family * 2.0 ** (1 - documents) < 0.05:
        are = "is" if documents == 1 else "are"
        return [f"{number_of(documents, 'document')} {are} few: intervals are rough and may be too narrow."]
    needed = next(n for n in range(documents, 60) if family * 2.0 ** (1 - n) < 0.05)
    return [f"With {number_of(documents, 'document')} no difference can be significant; at least {needed} are needed."]


def _range(values: Sequence[float | None]) -> str:
    texts = sorted({format_number(value) for value in values})
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"
