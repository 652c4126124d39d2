# SPDX-License-Identifier: Apache-2.0
"""Tables of systems compared pair by pair against a reference."""

from __future__ import annotations

from caesura.results._tables import ends, few_note
from caesura.results.compare.facts import PartsBy
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["comparison_rows", "comparison_table"]

_HOW: dict[PartsBy, str] = {
    "equal density": "both have scores; placement is what is left when every document is selected again to the "
    "reference's number of boundaries, density the rest",
    "chance": "boundaries only; density is what as many boundaries give by chance, placement the rest",
}


def comparison_table(results: Results) -> Table:
    """Return one row per metric and pair of systems."""
    drawn = results.comparison_resampling or results.resampling
    level = 95.0 if drawn is None else 100 * drawn.level
    columns = columns_of("metric", "first - second", "difference")
    columns.append(Column(f"{level:g} % interval", style="interval"))
    columns += columns_of("p", "p (adjusted)", "better", "ΔBOR", "density", "placement", "regimes")
    rows: list[list[Value]] = []
    for c in results.comparisons or []:
        better = f"{c.better or '-'} {c.mark}".strip()
        regimes = " / ".join(dict.fromkeys(c.regimes or ()))
        row: list[Value] = [c.metric, f"{c.first} - {c.second}", c.difference, ends(c.interval)]
        row += [c.p, c.p_corrected, better, c.delta_bor, c.density, c.placement, regimes]
        rows.append(row)
    return Table(columns, rows, notes=_comparison_notes(results), title="Comparison", detail=True)


def comparison_rows(results: Results) -> Table:
    """Return one row per metric and pair of systems, every number as a number, for programs."""
    titles = (
        "metric", "first", "second", "first_score", "second_score", "difference", "low", "high", "p", "p_corrected",
        "better", "first_bor", "second_bor", "density", "placement", "documents",
    )  # fmt: skip
    rows: list[list[Value]] = [
        [
            c.metric, c.first, c.second, *c.scores, c.difference, *c.interval, c.p, c.p_corrected, c.better,
            *(c.bors or (None, None)), c.density, c.placement, c.documents,
        ]
        for c in results.comparisons or []
    ]  # fmt: skip
    return Table(columns_of(*titles), rows)


def _comparison_notes(results: Results) -> list[str]:
    comparisons, r = results.comparisons or [], results.comparison_resampling or results.resampling
    stars = "adjusted by Holm's method over the comparisons of one metric, baselines apart: * p < 0.05, ** p < 0.01, *** p < 0.001"
    lines = [f"{stars}; better: adjusted p < 0.05"]
    most, listed = max((c.family for c in comparisons), default=0), len({(c.first, c.second) for c in comparisons})
    if most > listed:
        lines.append(
            f"of {most:,} pairs of systems, those of the best system on each metric; their p is multiplied by the number of "
            "all pairs (Bonferroni)"
        )
    if r is not None and not r.resamples:
        lines.append("p, intervals: paired normal theory, from the moments of the documents")
    elif r is not None:
        lines.append(
            f"p: paired permutation test, {r.permutations} permutations or all of them; intervals: paired "
            f"bootstrap over documents, {r.resamples} resamples, seed {r.seed}"
        )
        lines += few_note(results)
    lines += [
        f"{name}: p is of the distance to {facts.perfect:g}"
        for name, facts in results.metrics.items()
        if facts.direction == "target" and facts.perfect is not None
    ]
    pairs: dict[PartsBy, dict[str, None]] = {}
    for c in comparisons:
        if c.parts_by is not None:
            pairs.setdefault(c.parts_by, {})[f"{c.first} - {c.second}"] = None
    lines += [f"density + placement = difference, {', '.join(of)}: {_HOW[how]}" for how, of in pairs.items()]
    dropped = (
        f"{c.metric}: {c.dropped} of {c.documents + c.dropped} documents dropped, undefined for a system"
        for c in comparisons
        if c.dropped
    )
    return lines + list(dict.fromkeys(dropped))
