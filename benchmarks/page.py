# SPDX-License-Identifier: Apache-2.0
"""The page of the docs, made from the numbers of a run and nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from benchmarks.results import Goal, Part, Ratio, Report

__all__ = ["render"]

_INTRODUCTION = """\
# Benchmarks

<!-- Made by `python -m benchmarks` (`make bench`) from benchmarks/results.json; do not edit. -->

Every goal is a ratio from one run. The compared programs run in turn, round after round. Each round gives one ratio, and the
table shows the median with the least and the greatest. Times are CPU time unless stated otherwise. Scores are compared
before anything is timed; if they differ, the page shows the difference and no ratio. Absolute times on a shared machine
mean little, and are given only to show the two sides of a ratio."""


def render(report: Report, parts: Iterable[str] = ()) -> str:
    """Return the whole page as Markdown; of ``parts``, those that the report lacks are named."""
    blocks = [_INTRODUCTION]
    if report.quick:
        blocks.append("**A quick run on small corpora: an indication only.**")
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    blocks.append(f"Seed {report.seed}. {versions}.")
    goals = sorted((goal for part in report.parts for goal in part.goals), key=lambda goal: goal.number)
    here = {part.name.replace(" ", "-") for part in report.parts}
    missing = " ".join(f"--only {name}" for name in parts if name not in here)
    lacks = f" **Not on this page:** what `python -m benchmarks {missing}` measures." if missing else ""
    blocks.append("## Goals\n\n" + _verdict(goals) + lacks + "\n\n" + _goal_table(goals))
    blocks.extend(_section(part) for part in report.parts)
    return "\n\n".join(blocks) + "\n"


def _verdict(goals: Sequence[Goal]) -> str:
    met, missed = (sum(goal.met is wanted for goal in goals) for wanted in (True, False))
    return f"{met} lines met, {missed} not met, {len(goals) - met - missed} not measured."


def _goal_table(goals: Iterable[Goal]) -> str:
    rows = []
    for goal in goals:
        relation = "≥" if goal.relation == ">=" else "≤"
        if goal.reached is None:
            reached, verdict = "not measured", goal.why
        else:
            reached = _spread(goal.reached, goal.kind)
            verdict = "met" if goal.met else "**not met**"
        rows.append((str(goal.number), goal.text, f"{relation} {_number(goal.limit, goal.kind)}", reached, verdict))
    return _table(("goal", "what", "wanted", "reached (least .. greatest)", ""), rows)


def _section(part: Part) -> str:
    blocks = [f"## {part.title}", *part.notes]
    if part.corpora:
        rows = [
            (name, *(f"{size[key]:,}" for key in ("documents", "units", "boundaries")))
            for name, size in part.corpora.items()
        ]
        blocks.append(_table(("corpus", "documents", "units", "boundaries, both sides"), rows))
    if part.agreement:
        rows = [
            (each["task"], each["peer"], f"{each['documents']:,}", f"{each['largest_difference']:.1e}")
            for each in part.agreement
        ]
        blocks.append(_table(("scores compared", "library", "documents", "largest difference"), rows))
    if part.mismatches:
        blocks.append("Disagreements, hence no ratio:")
        blocks.append("\n".join(f"- {label}: {wrong}" for label, wrong in part.mismatches.items()))
    if part.skipped:
        blocks.append("Skipped:")
        blocks.append("\n".join(f"- {label}: {why}" for label, why in part.skipped.items()))
    # Slopes say all that the times of single sizes say.
    slopes = {name: value for name, value in part.numbers.items() if name.startswith("slope of ")}
    if slopes:
        blocks.append(
            _table(("metric", "slope"), [(n.removeprefix("slope of "), f"{v:.3f}") for n, v in slopes.items()])
        )
    elif part.rounds:
        blocks.append(_time_table(part))
    others = {name: value for name, value in part.numbers.items() if name not in slopes}
    if others:
        blocks.append(_table(("number", ""), [(name, f"{value:,.0f}") for name, value in others.items()]))
    return "\n\n".join(blocks)


def _time_table(part: Part) -> str:
    rows = []
    for label, seconds in part.rounds.items():
        documents = part.documents.get(label, 1)
        each = [_seconds(value / documents) for value in (statistics.median(seconds), min(seconds), max(seconds))]
        row = [label, str(len(seconds)), each[0], f"{each[1]} .. {each[2]}"]
        if part.documents:
            row.insert(1, f"{documents:,}")
        rows.append(tuple(row))
    heads = ("what", "rounds", "median", "least .. greatest")
    if part.documents:
        heads = ("what", "documents", "rounds", "median per document", "least .. greatest")
    return _table(heads, rows)


def _seconds(value: float) -> str:
    for limit, factor, unit in ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs")):
        if value >= limit:
            return f"{value * factor:.3g} {unit}" if value * factor < 1000 else f"{value * factor:,.0f} {unit}"
    return f"{value} s"


def _spread(ratio: Ratio, kind: str) -> str:
    middle = _number(ratio.median, kind)
    if ratio.least == ratio.greatest:
        return middle
    return f"{middle} ({_number(ratio.least, kind)} .. {_number(ratio.greatest, kind)})"


def _number(value: float, kind: str) -> str:
    if kind == "difference":
        return f"{value:.1e}"
    if kind == "count":
        return f"{value:.0f}"
    if kind == "slope":
        return f"{value:.2f}"
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
