# SPDX-License-Identifier: Apache-2.0
"""Tables of a sweep: the curve of each scorer, areas, scorers at equal density, operating points."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from caesura.results._tables import ends, few_note, resampling_note
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.results.sweep.facts import Point, Sweep
from caesura.results.validate.facts import MetricCheck, may_be_used
from caesura.table import Column, Table, Value, columns_of

__all__ = ["SAID", "best_point", "brief_tables", "choice_lines", "csv_table", "headline", "tables"]

SAID = 3
"""The number of operating points named in the answer; the others are listed under their table."""


def tables(results: Results) -> list[Table]:
    """Return every table of a sweep."""
    sweep = required(results.sweep)
    tables = [_curve(results, sweep, name) for name in sweep.curves]
    if sweep.areas is not None:
        tables.append(_areas(sweep))
    if sweep.equal_density:
        tables.append(_equal_density(results, sweep))
    if sweep.annotators:
        tables.append(_annotators(sweep))
    if sweep.choices:
        tables.append(_choices(results, sweep))
    return tables


def brief_tables(results: Results) -> list[Table]:
    """Return one small table: the chosen points, the curve of one scorer, or the best point of each scorer."""
    sweep = required(results.sweep)
    if sweep.choices:
        return tables(results)
    metric = headline(results)
    if len(sweep.curves) > 1 and sweep.without_reference is None:
        return [_best_points(results, sweep, metric)]
    curve, *others = tables(results)
    return [_brief_curve(curve, results, metric), *others]


def csv_table(results: Results) -> Table:
    """Return one row per scorer and threshold, with the ends of every interval; or the points that were chosen."""
    sweep = required(results.sweep)
    if sweep.choices:
        return tables(results)[-1]
    columns = [*columns_of("scorer", "threshold", "boundaries"), *_density_columns(sweep)]
    for metric in results.metrics:
        behind = metric if sweep.without_reference is None else f"{metric} above chance"
        columns += columns_of(metric, *([] if behind == metric else [behind]))
        columns.append(Column(behind, style="interval"))
    rows: list[list[Value]] = [
        [name, *_row(results, sweep, point)] for name, points in sweep.curves.items() for point in points
    ]
    return Table(columns, rows)


def _brief_curve(curve: Table, results: Results, metric: str) -> Table:
    """Return a curve with BOR and one metric only, without thresholds that select the same boundaries."""
    of, columns = "", []
    for column in curve.columns:
        of, new = (column.title, True) if column.title in results.metrics else (of, False)
        # Columns after the score of a metric belong to it.
        detail = of not in ("", metric) and not (of == "BOR" and new)
        columns.append(dataclasses.replace(column, detail=detail))
    rows = [row for place, row in enumerate(curve.rows) if not place or row[1] != curve.rows[place - 1][1]]
    same = "left out: thresholds that select the same boundaries as the one above them"
    notes = [*curve.notes, *([same] if len(rows) < len(curve.rows) else [])]
    return dataclasses.replace(curve, columns=columns, rows=rows, notes=notes)


def headline(results: Results) -> str:
    """Return the headline metric: W-F1, or the first that does not measure density."""
    graded = [name for name, facts in results.metrics.items() if facts.direction != "target"]
    return "W-F1" if "W-F1" in graded else next(iter([*graded, *results.metrics]))


def best_point(results: Results, name: str, metric: str) -> Point | None:
    """Return the point of a scorer with the best score on a metric; None if it has no score anywhere."""
    points = [point for point in required(results.sweep).curves[name] if point.scores[metric] is not None]
    return min(points, key=lambda point: results.metrics[metric].badness(point.scores[metric]), default=None)


def choice_lines(results: Results) -> list[str]:
    """Return one sentence per operating point: the scorer, its selector, and how it was chosen."""
    sweep = required(results.sweep)
    verb = "Chosen" if sweep.without_reference is None else "Recommended"
    return [f"{verb} for {name}: {choice.selector} ({choice.why})" for name, choice in (sweep.choices or {}).items()]


def _curve(results: Results, sweep: Sweep, name: str) -> Table:
    columns = [*columns_of("threshold", "boundaries"), *_density_columns(sweep)]
    for metric, facts in results.metrics.items():
        direction = None if metric == "BOR" or sweep.without_reference is not None else facts.direction
        columns.append(Column(metric, direction, facts.target))
        if sweep.without_reference is not None:
            columns.append(Column("above chance", "higher"))
        columns.append(Column("95 %", style="interval"))
    points = sweep.curves[name]
    rows = [_row(results, sweep, point) for point in points]
    notes, detail = _notes(results, sweep), bool(sweep.choices)
    without = sweep.without_reference
    marked = None if without is None else _above_chance(columns, results, points, without.checks.get(name, {}))
    return Table(columns, rows, notes=notes, title=name, detail=detail, marked=marked)


def _above_chance(
    columns: list[Column], results: Results, points: list[Point], checks: Mapping[str, MetricCheck]
) -> frozenset[tuple[int, int]]:
    """Return the cell of the highest gain of each metric that may be used, if its interval is above 0."""
    places = [place for place, column in enumerate(columns) if column.direction is not None]
    marked = set()
    for metric, place in zip(results.metrics, places, strict=True):
        gains = {row: (p.gains or {}).get(metric) for row, p in enumerate(points)}
        defined = {row: gain for row, gain in gains.items() if gain is not None}
        check = checks.get(metric)
        if defined and check is not None and may_be_used(check.verdict):
            top = max(defined, key=lambda row: defined[row])
            low = (points[top].gain_intervals or {})[metric][0]
            if low is not None and low > 0:
                marked.add((top, place))
    return frozenset(marked)


def _best_points(results: Results, sweep: Sweep, metric: str) -> Table:
    rows: list[list[Value]] = []
    for name in sweep.curves:
        best = best_point(results, name, metric)
        if best is not None:
            bor = best.scores.get("BOR")
            rows.append([name, best.threshold, best.boundaries, bor, best.scores[metric], ends(best.intervals[metric])])
    columns = columns_of("scorer", "threshold", "boundaries", "BOR", metric)
    columns.append(Column("95 %", style="interval"))
    return Table(columns, rows, notes=resampling_note(results), title=f"Best {metric} of each scorer")


def _density_columns(sweep: Sweep) -> list[Column]:
    if sweep.without_reference is None:
        return []
    limits = sweep.without_reference.limits
    titles = ["segments/100"]
    titles += [] if limits.units is None else [f"> {limits.units} units %"]
    titles += [] if limits.tokens is None else [f"> {limits.tokens} tokens %"]
    return [Column(title, digits=1) for title in titles]


def _row(results: Results, sweep: Sweep, point: Point) -> list[Value]:
    row: list[Value] = [point.threshold, point.boundaries]
    if sweep.without_reference is not None:
        row.append(100 / point.units_per_segment)
        row += [100 * share for share in (point.over_units, point.over_tokens) if share is not None]
    for metric in results.metrics:
        row.append(point.scores[metric])
        if point.gains is None or point.gain_intervals is None:
            row.append(ends(point.intervals[metric]))
        else:
            row += [point.gains[metric], ends(point.gain_intervals[metric])]
    return row


def _notes(results: Results, sweep: Sweep) -> list[str]:
    profile = [] if results.profile == "caesura" else [f"profile {results.profile}"]
    notes = ["; ".join([*profile, f"min_gap {sweep.min_gap}"]), *resampling_note(results)]
    if sweep.without_reference is not None:
        w = sweep.without_reference
        notes += [
            f"no reference; vectors of {w.encoder.name} ({w.encoder.fingerprint})",
            f"above chance: the score minus that of as many random boundaries ({w.draws} draws), 0 for a document "
            "without a boundary",
        ]
    return notes


def _areas(sweep: Sweep) -> Table:
    areas, covered = sweep.areas or {}, sweep.covered or {}
    rows: list[list[Value]] = [[name, *covered[name], *row.values()] for name, row in areas.items()]
    low, high = sweep.area_range or (0.0, 0.0)
    notes = [
        f"area under each metric over the logarithm of BOR, from the first to the last point within [{low:g}, {high:g}], "
        "divided by the width of that range"
    ]
    if len(areas) > 1:
        notes.append(
            "no best is marked: scorers that cover different ranges of BOR cannot be compared by area; see equal density"
        )
    columns = [Column("scorer"), Column("from BOR", digits=2), Column("to BOR", digits=2)]
    columns += columns_of(*next(iter(areas.values()), {}))
    return Table(columns, rows, notes=notes, title="Area under the curve", detail=True)


def _equal_density(results: Results, sweep: Sweep) -> Table:
    rows: list[list[Value]] = [
        [d.metric, d.first, d.second, *d.scores, d.difference, ends(d.interval)]
        for d in sweep.equal_density or []
        if d.metric != "BOR"
    ]
    columns = columns_of("metric", "first", "second", "first score", "second score", "difference")
    columns.append(Column("95 %", style="interval"))
    note = "every document selected again to the reference's number of boundaries: same density, other places"
    return Table(columns, rows, notes=[note, *few_note(results)], title="At equal density")


def _annotators(sweep: Sweep) -> Table:
    people = sweep.annotators or {}
    rows: list[list[Value]] = [[name, *scores.values()] for name, scores in people.items()]
    note = "each on the documents that they coded; in a consensus their own votes count"
    columns = columns_of("annotator", *next(iter(people.values()), {}))
    return Table(columns, rows, notes=[note], title="Annotators against the reference", detail=True)


def _choices(results: Results, sweep: Sweep) -> Table:
    choices = sweep.choices or {}
    rows: list[list[Value]] = [[name, c.threshold, *c.reached.values()] for name, c in choices.items()]
    reached = next(iter(choices.values())).reached
    titles = ["units per segment" if name == "units_per_segment" else name for name in reached]
    columns = columns_of("scorer", "threshold", *titles)
    return Table(columns, rows, notes=choice_lines(results)[SAID:], title="Operating point")
