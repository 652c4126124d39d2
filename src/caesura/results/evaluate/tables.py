# SPDX-License-Identifier: Apache-2.0
"""Tables of an evaluation against a reference: scores, intervals, skill, comparisons, verdicts, regimes, levels, gates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from caesura.results._scores import headline
from caesura.results._tables import (
    document_table,
    ends,
    every_score,
    few_note,
    interval_table,
    metric_columns,
    score_table,
    with_marks,
)
from caesura.results.base import as_float
from caesura.results.compare.facts import PartsBy
from caesura.results.evaluate.facts import Axis, Levels, ReferenceRow, RunFacts, WindowRow
from caesura.results.evaluate.small import small_table
from caesura.results.evaluate.verdict_tables import clock_columns, meaning_table, regime_tables, verdict_table
from caesura.results.gate.facts import Gates
from caesura.results.schema import Results
from caesura.results.shards import shard_tables
from caesura.table import Column, Table, Value, columns_of, format_number

__all__ = ["brief_tables", "csv_table", "latex_tables", "marked", "page_tables", "tables"]

_HOW: dict[PartsBy, str] = {
    "equal density": "both have scores; placement is what is left when every document is selected again to the "
    "reference's number of boundaries, density the rest",
    "chance": "boundaries only; density is what as many boundaries give by chance, placement the rest",
}


_TITLES = {"annotators": "Against every annotator, mean", "best": "Against the nearest annotator of each document"}


def tables(results: Results) -> list[Table]:
    """Return every table, marked if the reference is a pseudo-reference."""
    if results.levels is not None:
        return [_levels(results, results.levels), *_trees(results.levels)]
    tables = [document_table(results) if results.per_document is not None else _scores(results)]
    if results.chapters is not None:
        from caesura.results.evaluate.chapters import chapter_tables

        tables += chapter_tables(results.chapters)
    scores = [score for _, _, score in every_score(results)]
    if results.per_document is None and any(score.among is not None for score in scores):
        tables.append(_standing(results))
    if results.references is not None:
        tables += _references(results, results.references)
    if results.axis is not None:
        tables += _axis(results.axis, list(results.metrics))
    if results.runs is not None:
        tables.append(_runs(results.runs))
    if any(score.interval is not None for score in scores):
        tables.append(dataclasses.replace(interval_table(results), detail=results.question == "compare"))
    if any(score.skill is not None for score in scores):
        tables.append(_skill(results))
    if results.comparisons is not None:
        tables.append(_comparison_table(results))
    if results.verdicts is not None:
        tables.append(meaning_table(results.verdicts))
        tables.append(verdict_table({system: {"": v} for system, v in results.verdicts.items()}))
    if results.document_verdicts is not None:
        tables.append(verdict_table(results.document_verdicts, by_document=True))
    if results.extra:
        from caesura.results.evaluate.extra import extra_table

        tables.append(extra_table(results.extra))
    if results.regimes is not None:
        tables += regime_tables(results.regimes, results.unit)
    if results.shards is not None:
        tables += shard_tables(results.shards)
    if results.gates is not None and results.gates.drops:
        tables.append(_drops(results.gates))
    return [marked(table, results.against) for table in tables]


def brief_tables(results: Results) -> list[Table]:
    """Return one small table and the requested ones; for a gate, the changes, if any."""
    first, *others = tables(results)
    if results.levels is None and results.per_document is None:
        first = small_table(first, results)
    if results.gates is not None and results.gates.drops:
        return others[-1:]
    return [first, *others]


def page_tables(results: Results) -> list[Table]:
    """Return every table; the first has density, chance and the clock beside the scores, and all other metrics as details."""
    first, *others = tables(results)
    if results.levels is not None or results.per_document is not None:
        return [first, *others]
    small = small_table(first, results)
    notes = [note for note in small.notes if note not in first.notes]
    return [dataclasses.replace(small, notes=[*notes, *first.notes]), *others]


def csv_table(results: Results) -> Table:
    """Return one row per system, or per system and document, with everything about a metric beside its score.

    Of a comparison the pairs of systems, unless costs belong beside the systems; of a gate the changes, if there are any.
    """
    if results.levels is not None:
        return _levels(results, results.levels)
    if results.question == "compare" and results.comparisons is not None and results.costs is None:
        return marked(_comparison_rows(results), results.against)
    if results.gates is not None and results.gates.drops:
        return marked(_drops(results.gates), results.against)
    if results.per_document is None:
        table, by_system = _with_additions(_scores(results), results), results.verdicts
        verdicts = None if by_system is None else [by_system.get(str(row[0])) for row in table.rows]
    else:
        table, found = document_table(results), results.document_verdicts
        verdicts = None if found is None else [found[str(row[0])].get(str(row[1])) for row in table.rows]
    if verdicts is not None:
        columns, values = clock_columns(verdicts)
        rows = [[*row, *more] for row, more in zip(table.rows, values, strict=True)]
        table = Table([*table.columns, *columns], rows)
    return marked(table, results.against)


def _with_additions(table: Table, results: Results) -> Table:
    """Return the table of scores with interval, chance, clock, density and skill behind every score that has them."""
    scores = [score for _, _, score in every_score(results)]
    drawn = any(score.interval is not None for score in scores)
    skilled = any(score.skill is not None for score in scores)
    blind = {name for _, name, score in every_score(results) if score.blind is not None}
    density = [] if any(column.title == "BOR" for column in table.columns) else ["BOR"]  # unless it is a metric
    columns, rows = [table.columns[0]], [[row[0]] for row in table.rows]
    for place, column in enumerate(table.columns[1:], start=1):
        name = column.title
        columns += [column, *([Column(name, style="interval")] if drawn else [])]
        columns += columns_of(*(f"{name} {what}" for what in ("chance", "chance error", "skill") if skilled))
        if name in blind:
            columns += columns_of(
                *(f"{name} {what}" for what in ("chance", "chance error") if not skilled), f"{name} clock", *density
            )
        for row, values in zip(rows, table.rows, strict=True):
            found = results.systems.get(str(values[0]), {}).get(name)
            row += [values[place], *([None if found is None else found.interval] if drawn else [])]
            s = None if found is None else found.skill
            if skilled:
                row += [None, None, None] if s is None else [s.expected, s.error, s.skill]
            b = None if found is None else found.blind
            if name in blind:
                placed = [None] * 3 if b is None else [b.chance, b.error, b.clock]
                placed += [None if b is None else b.bor for _ in density]
                row += placed[2:] if skilled else placed
    return Table(columns, rows)


def latex_tables(results: Results) -> list[Table]:
    """Return every table for a paper, with intervals and significance after the scores."""
    first, *others = tables(results)
    whole = results.levels is not None or results.per_document is not None
    return [first if whole else with_marks(first, results), *others]


def marked(table: Table, against: str) -> Table:
    """Mark a table as scored against a pseudo-reference."""
    kind, _, name = against.partition(":")
    if kind != "pseudo" or not name:
        return table
    words = f"against the pseudo-reference {name}, not gold"
    first, *others = table.columns
    return dataclasses.replace(
        table,
        title=f"{table.title} {words}".strip() if table.title else words[:1].upper() + words[1:],
        columns=[dataclasses.replace(first, title=f"{first.title} (pseudo:{name})"), *others],
    )


def _scores(results: Results) -> Table:
    """Return the score table; against annotators, with a row for the annotators themselves."""
    title = _TITLES.get(results.against)
    if title is None:
        return score_table(results)
    table = score_table(results, title)
    first = next(iter(results.systems.values()))
    rest = "the nearest" if results.against == "best" else "the rest"
    people = [None if score.among is None else score.among.people for score in first.values()]
    return dataclasses.replace(table, rows=[*table.rows, [f"people (each against {rest})", *people]])


def _standing(results: Results) -> Table:
    """Return, for each system and metric, the nearest and farthest annotator, the annotators' own score, and the rank."""
    rows: list[list[Value]] = []
    notes = [
        "nearest, farthest: against the annotator of each document it agrees with most and least",
        "people: each annotator against the rest; rank: among the annotators of a document; beats: the share of "
        "annotators it is better than",
    ]
    if results.difficulty is not None:
        notes.append(f"difficulty of the documents (best possible raw disagreement): {results.difficulty:.3f}")
    for system, name, score in every_score(results):
        a = score.among
        if a is None:
            continue
        rank = None if a.rank is None or a.of is None else f"{a.rank:.1f} of {a.of:.1f}"
        rows.append([system, name, score.score, a.best, a.worst, a.people, rank, a.beats])
        if score.parts:
            parts = (
                f"{key.replace('_', ' ')} {'-' if value is None else format(value, '.3f')}"
                for key, value in score.parts.items()
            )
            notes.append(f"{system}, {name} is made of: {', '.join(parts)}")
    titles = ("system", "metric", "mean", "nearest", "farthest", "people", "rank", "beats")
    return Table(columns_of(*titles), rows, notes=notes, title="Among the annotators", detail=True)


def _runs(runs: Mapping[str, RunFacts]) -> Table:
    """Return the spread of every score over runs, beside that over documents."""
    rows: list[list[Value]] = []
    notes = [
        "over runs, over documents: standard deviations of the runs' scores, and of a document's mean over runs",
        "enough: runs after which more of them would make the interval at most 5 % narrower",
    ]
    for system, facts in runs.items():
        for name, scores in facts.scores.items():
            known = [score for score in scores if score is not None]
            ends_ = (min(known), max(known)) if known else (None, None)
            spread = (facts.over_runs[name], facts.over_documents[name])
            rows.append([system, name, len(scores), *ends_, *spread, facts.enough[name]])
        agreed = ", ".join(f"{name} {format_number(value)}" for name, value in facts.agreement.items())
        notes.append(
            f"{system}: its runs agree with each other by {agreed}; least in {', '.join(facts.apart) or 'none'}"
        )
    titles = ("system", "metric", "runs", "lowest", "highest", "over runs", "over documents", "enough")
    return Table(columns_of(*titles), rows, notes=notes, title="Runs", detail=True)


def _references(results: Results, references: Sequence[ReferenceRow]) -> list[Table]:
    """Return one table of references and systems for each metric, the headline metric first."""
    first, made = headline(results), []
    for metric in sorted(results.metrics, key=lambda name: name != first):
        rows: list[list[Value]] = [
            [row.against, row.documents, row.per_100_units, *(each.get(metric) for each in row.systems.values())]
            for row in references
            if any(metric in each for each in row.systems.values())
        ]
        columns = columns_of("reference", "documents", "per 100", *results.systems)
        columns[2] = dataclasses.replace(columns[2], digits=1)
        notes = ["per 100: boundaries of the reference per 100 units; scores of one row are comparable with each other"]
        title = f"{metric} against each reference"
        made.append(Table(columns, rows, notes=notes if metric == first else [], title=title, detail=metric != first))
    return made


def _axis(axis: Axis, metrics: Sequence[str]) -> list[Table]:
    """Return people and systems by ascending density, and the order of the systems under each window of MultiWindowDiff."""
    rows: list[list[Value]] = [
        [point.name, point.what, point.bor, *(point.scores[name] for name in metrics if name != "BOR")]
        for point in sorted(axis.points, key=lambda point: as_float(point.bor))
    ]
    columns = [*columns_of("name", "what"), Column("BOR", digits=2)]
    columns += columns_of(*(name for name in metrics if name != "BOR"))
    notes = [
        "BOR: boundaries per boundary of the mean annotator; scores: means over the annotators; an annotator is scored against the "
        "others, a consensus against all, those included who made it"
    ]
    made = [Table(columns, rows, notes=notes, title="People and systems on one axis", detail=True)]
    if axis.windows:
        systems = list(axis.windows[0].systems)
        heads = columns_of("window", *systems, "people", "order")
        rows = [[w.window, *w.systems.values(), w.people, " < ".join(_ordered(w))] for w in axis.windows]
        notes = ["window: m of every document; people: each against the rest; order: the systems, the best first"]
        made.append(Table(heads, rows, notes=notes, title="MultiWindowDiff over window sizes", detail=True))
    return made


def _ordered(row: WindowRow) -> list[str]:
    """Return the systems that have a score with a window, the best first."""
    known = {name: score for name, score in row.systems.items() if score is not None}
    return sorted(known, key=known.__getitem__)


def _skill(results: Results) -> Table:
    scores = [(system, name, score.score, score.skill) for system, name, score in every_score(results)]
    rows: list[list[Value]] = [
        [system, name, score, s.expected, None if s.exact else s.error, s.skill]
        for system, name, score, s in scores
        if s is not None
    ]
    drawn = {(s.draws, s.seed) for *_, s in scores if s is not None and not s.exact}
    notes = [
        "chance: the same number of boundaries in each document, every set of gaps equally likely",
        *(f"chance without ± is exact, the others are means of {n} draws (seed {seed})" for n, seed in sorted(drawn)),
        "skill: 0 is chance at that density, 1 is perfect; - where chance is perfect already",
    ]
    columns = columns_of("system", "metric", "score", "chance", "±", "skill")
    return Table(columns, rows, notes=notes, title="Skill")


def _levels(results: Results, levels: Levels) -> Table:
    rows: list[list[Value]] = []
    notes: list[str] = []
    for system, match in levels.matches.items():
        nearest = {"W-F1": match.by_score, "density": match.by_density}
        for level in levels.levels:
            signs = [word for word, by in nearest.items() if by == level.level]
            shown = level.level if level.name is None else f"{level.level} {level.name}"
            rows.append([system, shown, *level.systems[system].values(), ", ".join(signs)])
        by_score, by_density = ("no level" if by is None else f"level {by}" for by in nearest.values())
        same = by_score == by_density != "no level"
        how = f"{by_score}, by W-F1 and by density" if same else f"{by_score} by W-F1, {by_density} by density"
        notes.append(f"{system} matches {how}")
    notes.append(f"nearest by W-F1 (tolerance {levels.tolerance}, macro) and by density (least |log BOR|)")
    notes += [
        f"level {level.level}: {level.filled} of {levels.documents} documents have no such level; their finest one is used"
        for level in levels.levels
        if level.filled
    ]
    columns = [*columns_of("system", "level"), *metric_columns(results, ranked=False), Column("nearest by")]
    return Table(columns, rows, notes=notes, title="Levels of the reference, 1 the coarsest")


def _trees(levels: Levels) -> list[Table]:
    """Return the measures of systems that have levels themselves, and each of their levels against each of the reference."""
    if not levels.trees:
        return []
    rows: list[list[Value]] = [
        [system, own.l_precision, own.l_recall, own.l_f, own.t_precision, own.t_recall, own.t_f]
        for system, own in levels.trees.items()
    ]
    heads = ("system", "L-precision", "L-recall", "L-measure", "T-precision", "T-recall", "T-measure")
    notes = [
        "share of units that are ordered alike by how deep a segment they share: L by any difference in depth, T by one level",
        *(
            f"{system}: {own.documents} of {levels.documents} documents"
            for system, own in levels.trees.items()
            if own.documents < levels.documents
        ),
    ]
    made = [Table(columns_of(*heads), rows, notes=notes, title="Hierarchies")]
    for system, own in levels.trees.items():
        cells: list[list[Value]] = [[place, *row] for place, row in enumerate(own.by_level, start=1)]
        columns = [Column("level"), *(Column(str(place + 1), digits=2) for place in range(len(own.by_level[0])))]
        note = [f"rows: levels of the reference, columns: levels of {system}; tolerance {levels.tolerance}"]
        made.append(Table(columns, cells, notes=note, title=f"W-F1 of the levels of {system}", detail=True))
    return made


def _drops(gates: Gates) -> Table:
    rows: list[list[Value]] = [[d.system, d.metric, d.before, d.now, d.drop, d.p, d.documents] for d in gates.drops]
    test = "normal test" if gates.normal else "permutation test"
    notes = [f"drop: how much worse the score is now, by the metric's direction; p: one-sided {test}"]
    columns = columns_of("system", "metric", "before", "now", "drop", "p", "documents")
    return Table(columns, rows, notes=notes, title=f"Since {gates.last}")


def _comparison_table(results: Results) -> Table:
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


def _comparison_rows(results: Results) -> Table:
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
