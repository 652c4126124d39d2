# SPDX-License-Identifier: Apache-2.0
"""The answer of a sweep: the best point of each scorer, the comparison at equal density, and the chosen point."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caesura.results.base import as_float, required
from caesura.results.schema import Results
from caesura.results.sweep.facts import EqualDensity, Point, Sweep, WithoutReference
from caesura.results.sweep.tables import SAID, best_point, choice_lines, headline
from caesura.results.validate.facts import may_be_used
from caesura.results.validate.usable import OWN, not_recommended, output_of, same_vectors, usable
from caesura.table import format_number

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Return the best point of each scorer, the scorers at equal density, the chosen point, and remarks."""
    sweep = required(results.sweep)
    sentences = []
    if sweep.without_reference is None:
        metric = headline(results)
        leading = _leading(results, sweep, metric)
        sentences += [_best(results, name, metric) for name in leading]
        sentences += _blind(sweep, best_point(results, leading[0], metric), metric)
        pairs = [each for each in sweep.equal_density or [] if each.metric == metric]
        sentences += [s for each in pairs if {each.first, each.second} == set(leading) for s in _equal(each)]
    else:
        sentences += _without(sweep.without_reference)
    sentences += [f"{line}." for line in choice_lines(results)[:SAID]]
    if sweep.without_reference is None:
        sentences.append(
            "The threshold was chosen on these documents; evaluate it on held-out ones."
            if sweep.choices
            else "A threshold chosen on these documents should be evaluated on held-out ones; --best or --target-bor with "
            "--save-policy saves one."
        )
    return (*sentences, *results.notes)


def _without(facts: WithoutReference) -> Iterator[str]:
    """Yield which scorers share the judging vectors, by what may be recommended, and for which scorers nothing is."""
    if facts.same_vectors:
        yield f"{same_vectors(facts.same_vectors)}."
    said = set()
    for scorer, checks in facts.checks.items():
        for metric, check in checks.items():
            if may_be_used(check.verdict):
                sentence = usable({metric: check}, OWN if check.reference else output_of([scorer]))
            else:
                sentence = f"{not_recommended(scorer, metric, check)}."
            # Of the documents' own boundaries the same is found for every scorer.
            if sentence not in said:
                yield sentence
            said.add(sentence)


def _leading(results: Results, sweep: Sweep, metric: str) -> list[str]:

    def worth(name: str) -> float:
        best = best_point(results, name, metric)
        return math.inf if best is None else results.metrics[metric].badness(best.scores[metric])

    return sorted(sweep.curves, key=worth)[:2]


def _best(results: Results, name: str, metric: str) -> str:
    best = best_point(results, name, metric)
    if best is None:
        return f"{name} has no {metric} at any threshold."
    low, high = best.intervals[metric]
    ends = "" if low is None else f" (95 % interval {format_number(low)} to {format_number(high)})"
    bor = best.scores.get("BOR")
    density = "" if bor is None else f", with BOR {format_number(bor, 2)}"
    return f"{name} reaches its best {metric}, {format_number(best.scores[metric])}{ends}, at threshold {best.threshold:g}{density}."


def _blind(sweep: Sweep, best: Point | None, metric: str) -> list[str]:
    """Return the scores of evenly spaced and random boundaries near the density of a point."""
    bor = None if best is None else best.scores.get("BOR")
    if not bor or not sweep.blind:
        return []
    near = {
        kind: min(dense, key=lambda point: abs(math.log(as_float(point["BOR"]) / bor)))
        for kind, points in sweep.blind.items()
        if (dense := [point for point in points if point.get("BOR") and point.get(metric) is not None])
    }
    if set(near) != {"clock", "chance"}:
        return []
    clock, chance = (format_number(near[kind][metric]) for kind in ("clock", "chance"))
    density = format_number(near["clock"]["BOR"], 2)
    return [f"Near that density (BOR {density}) evenly spaced boundaries score {metric} {clock}, random ones {chance}."]


def _equal(each: EqualDensity) -> list[str]:
    low, high = each.interval
    if low is None or high is None:
        return []
    excludes = "excludes" if low > 0 or high < 0 else "includes"
    first, second = map(format_number, each.scores)
    scores = f"{each.first} has {first} and {each.second} has {second}"
    return [
        f"At the reference's density, {scores} in {each.metric}; the 95 % interval of the difference, {low:.3f} to "
        f"{high:.3f}, {excludes} 0."
    ]
