# SPDX-License-Identifier: Apache-2.0
"""What a sweep says: where each scorer is best, how scorers compare at equal density, and what was chosen."""

from __future__ import annotations

from caesura.results.answers._common import joined
from caesura.results.base import as_float
from caesura.results.schema import Results
from caesura.results.sweep import EqualDensity, Sweep
from caesura.results.tables.sweep import SAID, choice_lines
from caesura.table import badness, format_number

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Return the best point of each scorer, the scorers at equal density, the chosen point, and remarks."""
    sweep = results.sweep
    if sweep is None:
        return ()
    sentences = []
    if sweep.without_reference is None:
        metric = _headline(results)
        sentences += [s for name in list(sweep.curves)[:3] for s in _best(results, sweep, name, metric)]
        sentences += [s for each in sweep.equal_density or [] if each.metric == metric for s in _equal(each)][
            :3
        ]
    sentences += [f"{line}." for line in choice_lines(results)[:SAID]]
    if sweep.without_reference is None and not sweep.choices:
        sentences.append(
            "A threshold chosen here is tuned to these documents; --best or --target-bor with --save-policy chooses one "
            "for others."
        )
    return (*sentences, *results.notes)


def _headline(results: Results) -> str:
    graded = [name for name, facts in results.metrics.items() if facts.direction != "target"]
    return "W-F1" if "W-F1" in graded else next(iter([*graded, *results.metrics]))


def _best(results: Results, sweep: Sweep, name: str, metric: str) -> list[str]:
    facts = results.metrics[metric]
    points = [point for point in sweep.curves[name] if point.scores[metric] is not None]
    if not points:
        return [f"{name} has no {metric} at any threshold."]
    best = min(
        points, key=lambda p: badness(as_float(p.scores[metric]), facts.direction, as_float(facts.perfect))
    )
    low, high = best.intervals[metric]
    ends = "" if low is None else f" (95 % interval {format_number(low)} to {format_number(high)})"
    bor = best.scores.get("BOR")
    density = "" if bor is None else f", where BOR is {format_number(bor, 2)}"
    return [
        f"{name} has its best {metric}, {format_number(best.scores[metric])}{ends}, at threshold {best.threshold:g}{density}."
    ]


def _equal(each: EqualDensity) -> list[str]:
    low, high = each.interval
    if low is None or high is None:
        return []
    excludes = "excludes" if low > 0 or high < 0 else "includes"
    scores = joined(
        f"{name} has {format_number(score)}"
        for name, score in zip((each.first, each.second), each.scores, strict=True)
    )
    return [
        f"At the reference's density, {scores} in {each.metric}; the 95 % interval of the difference, {low:.3f} to "
        f"{high:.3f}, {excludes} 0."
    ]
