# SPDX-License-Identifier: Apache-2.0
"""Results for people who did not run the command: a title, what was measured, one sentence, one picture, columns in words."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.files import stem
from caesura.results._scores import headline, ranked, systems_of
from caesura.results._sentences import joined, number_of, percent
from caesura.results._sentences import number_of as counted
from caesura.results._tables import with_marks
from caesura.results.base import Input, MetricFacts, Number
from caesura.results.schema import Question, Results
from caesura.results.tables import answer_of, brief_of
from caesura.table import Table, one_line

__all__ = [
    "Picture",
    "Row",
    "about",
    "counted",
    "headline",
    "heads",
    "lead",
    "main_tables",
    "picture",
    "some",
    "title_of",
]

_WORDS: Mapping[Question, str] = {
    "evaluate": "Evaluation", "compare": "Comparison", "gate": "Gate", "agree": "Agreement of annotators",
    "cohesion": "Cohesion", "sweep": "Thresholds", "validate": "Check of reference-free metrics", "spans": "Chunks",
    "reproduce": "Reproduction", "select": "Selected boundaries", "calibrate": "Calibration",
    "correlate": "Correlation of metrics", "tune": "Tuning", "train": "Training",
    "check": "Check",
}  # fmt: skip
_NAMED, _ROWS = 3, 12
Blind = Mapping[str, Mapping[str, float | None]]


class Row(NamedTuple):
    """A value of the picture, with its interval, and what random and evenly spaced boundaries get at its density."""

    name: str
    value: float
    low: Number = None
    high: Number = None
    chance: Number = None
    clock: Number = None


class Picture(NamedTuple):
    """Values of a metric in rows on one axis; ``rule`` is a line across all of them, and its name."""

    metric: str
    title: str
    rows: Sequence[Row]
    ends: tuple[float, float]
    rule: tuple[float, str] | None = None
    left_out: int = 0


def title_of(results: Results) -> str:
    """Return a title that says what was measured, on what."""
    if results.reproduction is not None:
        return f"Reproduction: {one_line(results.reproduction.title)}"
    names = systems_of(results)
    what = "Bench" if results.costs else _WORDS[results.question]
    of = f" of {joined(names) if len(names) <= _NAMED else number_of(len(names), 'system')}" if names else ""
    on = f" on {data}" if (data := _data(results)) else ""
    return one_line(f"{what}{of}{on}")


def _data(results: Results) -> str:
    """Return the names of what the systems were scored on."""
    return joined(dict.fromkeys(stem(e.file) if e.file and e.name == e.role else e.name for e in _main(results)))


def _main(results: Results) -> list[Input]:
    """Return the reference or the documents, or else every input that is no system."""
    others = [entry for entry in results.inputs if entry.role not in ("system", "baseline", "spans")]
    return [entry for entry in others if entry.role == "documents" or entry.role.endswith("reference")] or others


def about(results: Results, command: str) -> list[tuple[str, str]]:
    """Return the data set, the date and the command, as far as they are known."""
    main = [entry for entry in results.inputs if entry.role not in ("system", "baseline", "spans")]
    files = [
        f"{Path(entry.file).name if entry.file else entry.name} ({number_of(entry.documents, 'document')})"
        for entry in main
    ]
    facts = [("Data", joined(files)), ("Date", _day(results.environment.get("date", ""))), ("Command", command)]
    return [(name, one_line(text)) for name, text in facts if text]


def _day(text: str) -> str:
    """Return a date in words.

    >>> _day("2026-03-01"), _day("soon")
    ('1 March 2026', '')
    """
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return ""
    return f"{day.day} {day:%B %Y}"


def lead(results: Results, blind: Blind) -> str:
    """Return the answer in one sentence of plain words; of questions whose answer begins so, that one.

    ``blind`` has the scores of chance and the clock by the headline metric.
    """
    if results.spans is not None:
        found = _whole_spans(results, results.spans.spans)
    elif results.chapters is not None and len(systems_of(results)) == 1:
        found = ""  # the answer begins with what was found, in seconds
    else:
        found = _closest(results, blind) if _scored(results) else ""
    return one_line(found) or next(iter(answer_of(results)), "")


def _scored(results: Results) -> bool:
    """Return whether systems were scored against a reference."""
    return results.question in ("evaluate", "compare", "gate") and results.levels is None and bool(systems_of(results))


def _closest(results: Results, blind: Blind) -> str:
    names, metric = systems_of(results), headline(results)
    facts = results.metrics[metric]
    best = ranked(results, metric, names)[0]
    score = results.systems[best][metric].score
    if score is None or math.isinf(score) or facts.direction == "target":
        return ""
    tied = [name for name in names if results.systems[name][metric].score == score]
    kind, _, name = results.against.partition(":")
    to = {"annotators": "the annotators", "pseudo": f"the pseudo-reference {name}"}.get(kind, "the reference")
    who = joined(tied) if len(tied) <= _NAMED else number_of(len(tied), "system")
    come, get = ("comes", "it gets") if len(tied) == 1 else ("come", "they get")
    size = f"{score:.2f} out of {facts.target:g}" if facts.direction == "higher" else f"{score:.2f} ({_perfect(facts)})"
    lead = f"Of {number_of(len(names), 'system')}, {who} {come} closest to {to}: {get} {metric} {size}"
    if len(names) == 1:
        lead = f"Against {to}, {best} gets {metric} {size}"
    clock = (blind.get(best) or {}).get("clock")
    lead += "" if clock is None else f"; as many evenly spaced boundaries would get {clock:.2f}"
    return f"{lead}.{_tested(results, metric, best, len(names))}"


def _perfect(facts: MetricFacts) -> str:
    return f"{'lower' if facts.direction == 'lower' else 'higher'} is better, {facts.target:g} is perfect"


def _tested(results: Results, metric: str, best: str, systems: int) -> str:
    standing = (results.standings or {}).get(metric)
    if systems < 2 or standing is None or standing.best != best:
        return "" if systems < 2 or results.comparisons else " Whether its lead is more than luck was not tested."
    if not standing.not_ruled_out:
        return " A test shows that its lead over the others is more than luck."
    others = standing.not_ruled_out
    named = joined(others, "or") if len(others) <= _NAMED else f"{len(others)} of the others"
    return f" It is not shown to be better than {named}."


def _whole_spans(results: Results, spans: int) -> str:
    row = _best_row(results, "Inside")
    if row is None:
        return ""
    random = "" if row.chance is None else f"; with boundaries at random it would be {percent(row.chance)}"
    return f"{row.name} keeps {percent(row.value)} of {number_of(spans, 'span')} whole in one chunk{random}."


def _best_row(results: Results, metric: str) -> Row | None:
    rows = _rows(results, metric, {})
    return rows[0] if rows else None


def _rows(results: Results, metric: str, blind: Blind) -> list[Row]:
    """Return the score of every system, the best first."""
    rows = []
    for name in ranked(results, metric, list(results.systems)):
        score = results.systems[name].get(metric)
        if score is None or score.score is None or math.isinf(score.score):
            continue
        low, high = score.interval or (None, None)
        by_chance = results.systems[name].get("InsideByChance")
        chance = by_chance.score if by_chance is not None else (blind.get(name) or {}).get("chance")
        rows.append(Row(name, score.score, low, high, chance, (blind.get(name) or {}).get("clock")))
    return rows


def picture(results: Results, blind: Blind) -> Picture | None:
    """Return the picture of the answer; None if there is nothing to compare on one axis.

    ``blind`` has the scores of chance and the clock by the headline metric.
    """
    if results.agreement is not None:
        people = [
            Row(name, row.agreement, *row.interval)
            for name, row in results.agreement.annotators.items()
            if row.agreement is not None
        ]
        ordered = sorted(people, key=lambda row: -row.value)
        by = results.agreement.by
        return _framed(by, f"{by} of each annotator against the others", ordered, (0.0, 1.0))
    if results.validity is not None:
        facts = next(iter(results.validity.encoders.values()), None)
        metrics = {} if facts is None else facts.metrics
        rows = [Row(name, trust.worst) for name, trust in metrics.items() if trust.worst is not None]
        rule = (results.validity.limits.better, "required")
        title = "Share of documents in which each metric notices the perturbation it notices least"
        return _framed("", title, sorted(rows, key=lambda row: -row.value), (0.0, 1.0), rule)
    if results.sweep is not None or not results.systems or results.levels is not None:
        return None
    metric = "Inside" if results.spans is not None else headline(results)
    measured = results.metrics.get(metric)
    if measured is None or (results.cohesion is None and measured.direction == "target"):
        return None
    better = "lower is better" if measured.direction == "lower" else "higher is better"
    rows = _rows(results, metric, {} if results.spans is not None else blind)
    low, high = measured.bounds
    ends = (low, high) if low is not None and high is not None and math.isfinite(high - low) else None
    return _framed(metric, f"{metric} of each system ({measured.title}; {better})", rows, ends)


def _framed(
    metric: str, title: str, rows: list[Row], ends: tuple[float, float] | None, rule: tuple[float, str] | None = None
) -> Picture | None:
    """Return a picture of the first rows, wide enough for all that is in it."""
    if not rows:
        return None
    shown = rows[:_ROWS]
    values = [v for row in shown for v in row[1:] if isinstance(v, float) and math.isfinite(v)]
    low, high = ends or (min(0.0, *values), max(values))
    low, high = min(low, *values), max(high, *values)
    return Picture(metric, title, shown, (low, high if high > low else low + 1), rule, len(rows) - len(shown))


def heads(results: Results, table: Table) -> list[str]:
    """Return what each column of a table of systems holds, in words; empty where the title says it."""
    f1 = next(
        (c.title for c, after in zip(table.columns, table.columns[1:], strict=False) if after.title == "chance"), ""
    )
    same = f"{f1} of as many boundaries in each document"
    words = {"chance": f"{same}, placed at random", "clock": f"{same}, evenly spaced"}
    level = 95.0 if results.resampling is None else 100 * results.resampling.level
    scores = [score for row in results.systems.values() for score in row.values()]
    ends = (
        f"; below it or in brackets its {level:g} % interval"
        if _scored(results) and any(score.interval for score in scores)
        else ""
    )
    for name, facts in results.metrics.items():
        better = {"lower": "lower is better", "higher": "higher is better", "target": f"best at {facts.target:g}"}
        perfect = "" if facts.direction == "target" or math.isinf(facts.target) else f", {facts.target:g} is perfect"
        words[name] = f"{facts.title}; {better[facts.direction]}{perfect}{ends if f1 in ('', name) else ''}"
    return [words.get(column.title, "") for column in table.columns]


def main_tables(results: Results) -> list[Table]:
    """Return the tables that a command prints, with intervals and marks after the scores."""
    tables = brief_of(results).tables
    return [with_marks(table, results) for table in tables] if _scored(results) else tables


def some(names: Sequence[str], most: int = _NAMED) -> str:
    """Return the first of several names.

    >>> some(["a", "b"]), some(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    rest = len(names) - most
    return joined(names if rest <= 0 else [*names[:most], f"{rest:,} more"])
