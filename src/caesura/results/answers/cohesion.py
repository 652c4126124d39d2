# SPDX-License-Identifier: Apache-2.0
"""The answer of a reference-free measurement: metrics that notice damage, better systems, systems above chance."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.answers._common import is_are, joined, number_of, p_text, percent
from caesura.results.base import as_float
from caesura.results.cohesion import CohesionFacts, MetricCheck
from caesura.results.comparison import Comparison
from caesura.results.schema import Results
from caesura.results.validity import BLIND, Limits
from caesura.table import badness, format_number

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Return whether any metric notices damage here, which system is better by it, and which is better than chance."""
    facts = results.cohesion
    if facts is None:
        return ()
    lead, sentences = _check(results, facts)
    sentences = [*_same_vectors(results, facts), *sentences]
    if lead is not None:
        sentences += _better(results, lead)
        sentences += _chance(results, lead)
    sentences += _density(facts)
    return tuple(sentences)


def _check(results: Results, facts: CohesionFacts) -> tuple[str | None, list[str]]:
    """Return the first metric that notices damage (the first of all if nothing was tested), with its sentence."""
    if facts.checks is None:
        return next((name for name in results.metrics if _trustworthy(name, facts)), None), []
    for name in results.metrics:
        checks = {system: of[name] for system, of in facts.checks.items()}
        noticed = [system for system, check in checks.items() if check.verdict != "not usable here"]
        if noticed and name != BLIND and _trustworthy(name, facts):
            worst = max(as_float(checks[system].worst) for system in noticed)
            return name, [
                f"{name} notices damage to {joined(noticed)}: even the worst of six damages costs score in {percent(worst)} of "
                "documents."
            ]
    every = [
        (as_float(check.worst), name, system, check)
        for system, of in facts.checks.items()
        for name, check in of.items()
        if name != BLIND
    ]
    return None, [
        _refusal(*max(every, key=lambda item: (item[0] == item[0], item[0]))[1:], len(facts.checks))
    ]


def _trustworthy(metric: str, facts: CohesionFacts) -> bool:
    """Return whether a metric reads more than the vectors with which a system was made."""
    return not facts.same_vectors or (metric.startswith("Placement") and "of='words'" in metric)


def _same_vectors(results: Results, facts: CohesionFacts) -> Iterator[str]:
    if not facts.same_vectors:
        return
    made = f"{joined(facts.same_vectors)} {'was' if len(facts.same_vectors) == 1 else 'were'} made with the judging encoder"
    if any("of='words'" in name for name in results.metrics):
        yield f"{made}, whose vectors overrate such systems; Placement(of='words') reads words instead."
    else:
        yield f"{made}, whose vectors overrate such systems; add -m \"Placement(of='words')\", or judge with another encoder."


def _refusal(name: str, system: str, check: MetricCheck, systems: int) -> str:
    so = "so no system is called better" if systems > 1 else "so the scores say little"
    least = Limits().documents
    if check.documents < least:
        judged = number_of(check.documents, "document")
        return (
            f"{judged} could be used to test whether metrics notice damage, and {least} are required, {so}."
        )
    return (
        f"No metric notices every kind of damage to these segmentations, {so}: the nearest, {name}, prefers the boundaries of "
        f"{system} to the worst of six damages in {percent(check.worst)} of documents, where a coin gets 50 %."
    )


def _better(results: Results, lead: str) -> Iterator[str]:
    """Yield the better systems by the metric that notices damage."""
    pairs = [c for c in results.comparisons or [] if c.metric == lead]
    if not pairs:
        return
    facts = results.metrics[lead]
    target = 1.0 if facts.perfect is None else facts.perfect
    top = min(
        results.systems,
        key=lambda system: badness(as_float(results.systems[system][lead].score), facts.direction, target),
    )
    mine = {c.second if c.first == top else c.first: c for c in pairs if top in (c.first, c.second)}
    beaten = [system for system, c in mine.items() if c.better == top]
    level = [system for system in mine if system not in beaten]
    claims = []
    if beaten:
        worst = max(_p(mine[system]) for system in beaten)
        shown = f"{_scores(results, lead, [top, *beaten])}; {p_text(worst)}"
        claims.append(f"better than {joined(beaten)} ({shown})")
    if level:
        shown = _scores(results, lead, [top, *level])
        claims.append(f"not shown to differ from {joined(level, 'or')} ({shown})")
    if claims:
        yield f"By {lead} {top} is {', and '.join(claims)}."


def _p(comparison: Comparison) -> float:
    return as_float(comparison.p_corrected if comparison.equal is None else comparison.equal.p_corrected)


def _scores(results: Results, metric: str, systems: list[str]) -> str:
    shown = [format_number(results.systems[system][metric].score, 2) for system in systems]
    return f"{shown[0]} against {joined(shown[1:])}"


def _chance(results: Results, lead: str) -> Iterator[str]:
    """Yield which systems are better placed than chance; only Placement shows this directly, since its 0 is chance."""
    if not lead.startswith("Placement"):
        return
    above: list[str] = []
    level: list[str] = []
    for system, row in results.systems.items():
        ends = row[lead].interval
        low = None if ends is None else ends[0]
        (above if low is not None and low > 0 else level).append(system)
    claims = []
    if above:
        claims.append(
            f"{joined(above)} {is_are(above)} better placed than chance (the interval of {lead} lies above 0)"
        )
    if level:
        claims.append(
            f"{joined(level)} {is_are(level)} not shown to be{'' if above else ' better placed than chance'}"
        )
    if claims:
        yield "; ".join(claims) + "."


def _density(facts: CohesionFacts) -> Iterator[str]:
    dense = {system: density.segments_per_100 for system, density in facts.density.items()}
    if len({round(value, 6) for value in dense.values()}) > 1:
        shown = joined(f"{system} {value:.1f}" for system, value in dense.items())
        yield f"Segments per 100 units: {shown}; raw scores other than Placement are not comparable between them."
