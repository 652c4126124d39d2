# SPDX-License-Identifier: Apache-2.0
"""The answer of a reference-free measurement: the metric that may be used, better systems, systems above chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from caesura.results._sentences import is_are, joined, p_text
from caesura.results.base import as_float, required
from caesura.results.cohesion.facts import CohesionFacts
from caesura.results.schema import Results
from caesura.results.validate.facts import BLIND, MetricCheck, may_be_used, reads_words
from caesura.results.validate.usable import OWN, judged_by_words, output_of, refused, usable
from caesura.table import format_number

__all__ = ["answer"]

Checks = Mapping[str, Mapping[str, MetricCheck]]
"""System to metric."""


def answer(results: Results) -> tuple[str, ...]:
    """Return whether a metric may be used here, which system is better by it, and which is better than chance."""
    facts = required(results.cohesion)
    fair = [name for name in results.metrics if name != BLIND and (not facts.same_vectors or reads_words(name))]
    sentences = []
    if facts.same_vectors:
        sentences.append(judged_by_words(facts.same_vectors, words=any(map(reads_words, results.metrics))))
    if facts.checks is None:
        sentences += [*_better(results, fair[0]), *_disagree(results, fair[0], fair)] if fair else ()
        sentences += _chance(results, fair[0]) if fair else ()
    else:
        lead = next((name for name in fair if _passing(facts.checks, name)), None)
        if lead is not None:
            passing = _passing(facts.checks, lead)
            lowest = min((facts.checks[system][lead] for system in passing), key=lambda check: as_float(check.worst))
            of = OWN if lowest.reference else output_of(passing)
            sentences += [usable({lead: lowest}, of), *_better(results, lead), *_disagree(results, lead, fair)]
        else:
            sentences += _refusal(facts.checks, fair if facts.same_vectors else fair or list(results.metrics))
        # That a system is better placed than chance is a large difference.
        told = (name for name in fair if _passing(facts.checks, name, large=True))
        sentences += _chance(results, lead or next(told, ""))
    return (*sentences, *_density(facts, list(results.metrics)))


def _passing(checks: Checks, metric: str, *, large: bool = False) -> list[str]:
    """Return the systems that a metric may judge, or tell from chance (``large``)."""
    verdicts = {system: of[metric].verdict for system, of in checks.items()}
    return [
        system
        for system, verdict in verdicts.items()
        if may_be_used(verdict) or (large and verdict == "only for large differences")
    ]


def _refusal(checks: Checks, names: Sequence[str]) -> Iterator[str]:
    """Yield that no metric may be used, and what to do instead; ``names`` are those that do not judge their own vectors."""
    every = {(name, system): of[name] for system, of in checks.items() for name in names}
    so = "No system is called better" if len(checks) > 1 else "The scores say little"
    if every:
        name, system = max(every, key=lambda key: (every[key].worst is not None, as_float(every[key].worst)))
        check = every[name, system]
        yield refused(name, check, OWN if check.reference else output_of([system]), so)
    else:
        yield f"{so}: no metric that was scored may judge what its own vectors made."
    if any(check.reference for of in checks.values() for check in of.values()):
        yield "The documents have boundaries: score against them instead (caesura compare, or bench --gold)."
    else:
        yield "Instead, mark the boundaries of at least ten documents and score against them (caesura compare)."


def _better(results: Results, lead: str) -> Iterator[str]:
    pairs = [c for c in results.comparisons or [] if c.metric == lead]
    if not pairs:
        return
    top = min(results.systems, key=lambda system: results.metrics[lead].badness(results.systems[system][lead].score))
    mine = {c.second if c.first == top else c.first: c for c in pairs if top in (c.first, c.second)}
    beaten = [system for system, c in mine.items() if c.better == top]
    level = [system for system in mine if system not in beaten]
    claims = []
    if beaten:
        tested = [mine[system].equal or mine[system] for system in beaten]
        worst = max(as_float(each.p_corrected) for each in tested)
        shown = f"{_scores(results, lead, [top, *beaten])}; {p_text(worst, pairs[0].family)}"
        claims.append(f"better than {joined(beaten)} ({shown})")
    if level:
        shown = _scores(results, lead, [top, *level])
        claims.append(f"not significantly better than {joined(level, 'or')} ({shown})")
    if claims:
        yield f"By {lead}, {top} is {', but '.join(claims)}."


def _disagree(results: Results, lead: str, fair: Sequence[str]) -> Iterator[str]:
    """Yield that the other of Support and Placement scores a system higher that the leading metric calls worse."""
    other = next((name for name in fair if _family(name) not in ("", _family(lead))), None)
    if other is None or not _family(lead):
        return
    pairs = [
        (c.better, c.second if c.better == c.first else c.first)
        for c in results.comparisons or []
        if c.metric == lead and c.better
    ]
    score = {system: as_float(row[other].score) for system, row in results.systems.items()}
    shown = [
        f"{lower} above {better} ({_scores(results, other, [lower, better])})"
        for better, lower in pairs
        if score[lower] > score[better]
    ]
    if shown:
        yield f"{other} disagrees: it places {joined(shown)}; without a reference nothing decides between the two metrics."


def _family(metric: str) -> str:
    """Return whether a metric is one of those whose 0 is chance: learned, or not; "" if it is neither.

    >>> [_family(name) for name in ("Placement(of='words')", "Support", "model:mine", "ARPpair")]
    ['Placement', 'Support', 'Support', '']
    """
    if metric.startswith("Placement"):
        return "Placement"
    return "Support" if metric.startswith(("Support", "model:")) else ""


def _scores(results: Results, metric: str, systems: list[str]) -> str:
    shown = [format_number(results.systems[system][metric].score, 2) for system in systems]
    return f"{shown[0]} against {joined(shown[1:])}"


def _chance(results: Results, lead: str) -> Iterator[str]:
    """Yield which systems are better placed than chance; only Placement and Support show this directly, since their 0 is chance."""
    if not _family(lead):
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
        claims.append(f"{joined(level)} {is_are(level)} not shown to be{'' if above else ' better placed than chance'}")
    if claims:
        yield "; ".join(claims) + "."


def _density(facts: CohesionFacts, metrics: Sequence[str]) -> Iterator[str]:
    neutral = [name for name in metrics if _family(name)]
    dense = {system: density.segments_per_100 for system, density in facts.density.items()}
    if len({round(value, 6) for value in dense.values()}) > 1:
        shown = joined(f"{system} {value:.1f}" for system, value in dense.items())
        kept = f" other than {joined(neutral)}" if neutral else ""
        yield f"Segments per 100 units: {shown}; raw scores{kept} are not comparable between them."
