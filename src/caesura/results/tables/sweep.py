# SPDX-License-Identifier: Apache-2.0
"""Tables of a sweep: the curve of each scorer, areas, scorers at equal density, operating points."""

from __future__ import annotations

from caesura.results.base import Ends
from caesura.results.schema import Results
from caesura.results.sweep import Point, Sweep
from caesura.results.tables._common import columns_of, resampling_note
from caesura.table import Column, Table, Value

__all__ = ["SAID", "choice_lines", "tables"]

SAID = 3
"""How many operating points the answer names; the others stand under their table."""


def tables(results: Results) -> list[Table]:
    """Return every table of a sweep."""
    sweep = results.sweep
    if sweep is None:
        return []
    tables = [_curve(results, sweep, name) for name in sweep.curves]
    if sweep.areas is not None:
        tables.append(_areas(sweep))
    if sweep.equal_density:
        tables.append(_equal_density(sweep))
    if sweep.annotators:
        tables.append(_annotators(sweep))
    if sweep.choices:
        tables.append(_choices(results, sweep))
    return tables


def choice_lines(results: Results) -> list[str]:
    """Return one sentence per operating point: the scorer, its selector, and how it was chosen."""
    sweep = results.sweep
    if sweep is None:
        return []
    verb = "Chosen" if sweep.without_reference is None else "Recommended"
    return [
        f"{verb} for {name}: {choice.selector} ({choice.why})"
        for name, choice in (sweep.choices or {}).items()
    ]


def _curve(results: Results, sweep: Sweep, name: str) -> Table:
    columns = [*columns_of("threshold", "boundaries"), *_density_columns(sweep)]
    for metric, facts in results.metrics.items():
        perfect = 1.0 if facts.perfect is None else facts.perfect
        direction = None if metric == "BOR" or sweep.without_reference is not None else facts.direction
        columns.append(Column(metric, direction, perfect))
        if sweep.without_reference is not None:
            columns.append(Column("above chance", "higher"))
        columns.append(Column("95 %"))
    points = sweep.curves[name]
    rows = [_row(results, sweep, point) for point in points]
    notes, detail = _notes(results, sweep, name), bool(sweep.choices)
    marked = None if sweep.without_reference is None else _above_chance(columns, results, points)
    return Table(columns, rows, notes=notes, title=name, detail=detail, marked=marked)


def _above_chance(columns: list[Column], results: Results, points: list[Point]) -> frozenset[tuple[int, int]]:
    """Return the cell of the highest gain of each metric, if its interval lies above 0: no other gain is shown to be one."""
    places = [place for place, column in enumerate(columns) if column.direction is not None]
    marked = set()
    for metric, place in zip(results.metrics, places, strict=True):
        gains = {row: (p.gains or {}).get(metric) for row, p in enumerate(points)}
        known = {row: gain for row, gain in gains.items() if gain is not None}
        if known:
            top = max(known, key=lambda row: known[row])
            low = (points[top].gain_intervals or {})[metric][0]
            if low is not None and low > 0:
                marked.add((top, place))
    return frozenset(marked)


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
            row.append(_span(point.intervals[metric]))
        else:
            row += [point.gains[metric], _span(point.gain_intervals[metric])]
    return row


def _span(interval: Ends) -> str:
    """Return an interval in one cell; empty where it is not defined."""
    low, high = interval
    return "" if low is None or high is None else f"{low:.3f}..{high:.3f}"


def _notes(results: Results, sweep: Sweep, name: str) -> list[str]:
    profile = [] if results.profile == "caesura" else [f"profile {results.profile}"]
    notes = ["; ".join([*profile, f"min_gap {sweep.min_gap}", *resampling_note(results)])]
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


def _equal_density(sweep: Sweep) -> Table:
    rows: list[list[Value]] = [
        [d.metric, d.first, d.second, *d.scores, d.difference, _span(d.interval)]
        for d in sweep.equal_density or []
        if d.metric != "BOR"
    ]
    titles = ("metric", "first", "second", "first score", "second score", "difference", "95 %")
    note = "every document selected again to the reference's number of boundaries: same density, other places"
    return Table(columns_of(*titles), rows, notes=[note], title="At equal density")


def _annotators(sweep: Sweep) -> Table:
    """Return how densely each annotator cuts, and what each scores."""
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
