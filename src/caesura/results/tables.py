# SPDX-License-Identifier: Apache-2.0
"""Conversion of results to tables: ``tables(results)`` of the question's folder."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NamedTuple

from caesura.errors import FormatError
from caesura.results._scores import headline, ranked, systems_of
from caesura.results._sentences import joined as listed
from caesura.results._sentences import number_of
from caesura.results._tables import drawn_notes, fitted, joined
from caesura.results.costs import cost_notes, cost_table, with_costs
from caesura.results.schema import Results
from caesura.table import Table, one_line

__all__ = [
    "Brief",
    "answer_of",
    "brief_of",
    "csv_table",
    "damaged",
    "joined_table",
    "narrowed",
    "paper_tables",
    "tables_of",
]

_MANY, _LEADING = 20, 10  # of more systems, or notes, a command shows so many
_FILES = {"compare": "evaluate", "gate": "evaluate"}


def damaged(results: Results) -> FormatError:
    """Return the error for results whose parts are missing or do not fit together."""
    return FormatError(
        f"is a damaged results file: the parts of question {results.question!r} are missing or do not fit together; "
        "run the command again"
    )


def tables_of(results: Results, target: str = "table") -> list[Table]:
    """Return every table of the results, in the order in which the command prints them; ``detail`` only with ``--full``.

    A question may have other tables for a target, such as ``latex_tables(results)`` in its module. Like every function here it
    raises FormatError if parts of the results are missing or do not fit together, as in a file that was edited by hand.
    """
    file = _file(results)
    tables = _made(results, getattr(file, f"{target}_tables", file.tables))
    tables += _slices(results)
    return tables if results.costs is None else [*tables, cost_table(results.costs)]


def _slices(results: Results) -> list[Table]:
    slices = results.slices
    if slices is None:
        return []
    from caesura.results.slices import slice_table

    return _made(results, lambda given: [slice_table(slices, given.metrics)])


def paper_tables(results: Results) -> list[Table]:
    """Return the tables of a paper: the main one, and the scores of slices if there are any."""
    return [tables_of(results, "latex")[0], *map(_without_details, _slices(results))]


def csv_table(results: Results) -> Table:
    """Return the one table of the results that is for programs: numbers as numbers, every title once.

    A question may have ``csv_table(results)`` in its file; else it is the first of the `tables_of`.
    """
    if results.slices is not None:
        return _slices(results)[0]
    file = _file(results)
    make = getattr(file, "csv_table", None)
    table = _made(results, file.tables if make is None else lambda results: [make(results)])[0]
    return table if results.costs is None else with_costs(table, results.costs)


def _file(results: Results) -> ModuleType:
    file = _FILES.get(results.question, results.question)
    if results.question == "gate":  # a gate may stand behind any question, whose tables it shows
        sections = {
            "spans": results.spans, "cohesion": results.cohesion, "agree": results.agreement, "check": results.check
        }  # fmt: skip
        file = next((name for name, section in sections.items() if section is not None), file)
    return importlib.import_module(f"caesura.results.{file}.tables")


def _made(results: Results, make: Callable[[Results], list[Table]]) -> list[Table]:
    """Return the tables that a question makes of the results, at least one."""
    try:
        tables = make(results)
    except (LookupError, StopIteration, ValueError) as error:
        raise damaged(results) from error
    if not tables:
        raise damaged(results)
    return tables


class Brief(NamedTuple):
    """The output of a command without ``--full``, and a phrase for what it leaves out, empty if nothing."""

    tables: list[Table]
    left_out: str


def brief_of(results: Results) -> Brief:
    """Return the tables and columns that are not detail and fit 80 characters; tables of documents are complete.

    A question may have ``brief_tables(results)`` in its file. Of many systems it has the leading ones.
    """
    tables = [table for table in tables_of(results, "brief") if not table.detail]
    if results.costs is not None:
        first = tables[0]
        tables[0] = dataclasses.replace(first, notes=[*cost_notes(results.costs), *first.notes])
    if results.per_document is None:
        tables = [fitted(_leading(table, results)) for table in tables]
    tables = [dataclasses.replace(table, notes=_first_notes(table, results)) for table in tables]
    shown = {table.title for table in tables}
    hidden = [column.title for table in tables for column in table.columns if column.detail]
    noun = "metric" if all(title in results.metrics for title in hidden) else "column"
    more = [number_of(len(hidden), noun)] if hidden else []
    others = list(dict.fromkeys(table.title for table in tables_of(results) if table.title not in shown))
    more += ["the scores"] if None in others or "" in others else []
    titles = [f'"{title}"' for title in others if title]
    more += [f"the table{'s' if len(titles) > 1 else ''} {listed(titles)}"] if titles else []
    return Brief([_without_details(table) for table in tables], listed(more))


def _leading(table: Table, results: Results) -> Table:
    """Return a table of many systems with the best by the headline metric, and the baselines; without a reference, the first."""
    compared = systems_of(results)
    if len(compared) <= _MANY or not any(row[0] in results.systems for row in table.rows):
        return table
    order = "the first are shown"
    if results.cohesion is None:
        metric = headline(results)
        compared, order = ranked(results, metric, compared), f"best {metric} first"
    places = {system: place for place, system in enumerate(compared)}
    kept = [row for row, values in enumerate(table.rows) if places.get(str(values[0]), 0) < _LEADING]
    kept.sort(key=lambda row: places.get(str(table.rows[row][0]), _LEADING))
    new = {row: position for position, row in enumerate(kept)}
    more = f"{len(compared) - _LEADING:,} more systems with --full; {order}"
    return dataclasses.replace(
        table,
        rows=[table.rows[row] for row in kept],
        notes=[more, *table.notes],
        after={(new[row], column): text for (row, column), text in table.after.items() if row in new},
        marked=frozenset((new[row], column) for row, column in table.best() if row in new),
    )


def _first_notes(table: Table, results: Results) -> list[str]:
    """Return the notes without those on resampling, and of many, such as one for each system, the first."""
    notes = [note for note in table.notes if note not in drawn_notes(results)]
    return notes if len(notes) <= _MANY else [*notes[:_LEADING], f"{len(notes) - _LEADING:,} more notes with --full"]


def narrowed(table: Table) -> Table:
    """Return a table without the columns that are details or do not fit 80 characters."""
    return _without_details(fitted(table))


def _without_details(table: Table) -> Table:
    return table.at([place for place, column in enumerate(table.columns) if not column.detail])


def joined_table(results: Mapping[str, Results], target: str = "table") -> Table:
    """Return the main tables of several results, by name, as one."""
    made = {
        name: csv_table(each).for_programs() if target == "csv" else tables_of(each, target)[0]
        for name, each in results.items()
    }
    return joined(made)


def answer_of(results: Results) -> tuple[str, ...]:
    """Return the answer of results as two to five sentences.

    Sentences are generated for display and are not part of the results file, whose numbers are the only source.
    """
    try:
        answer = importlib.import_module(f"caesura.results.{results.question}.answer").answer
        sentences: tuple[str, ...] = answer(results)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        raise damaged(results) from error
    if results.slices is not None:
        from caesura.results.slices import slice_sentences

        sentences += tuple(slice_sentences(results.slices))
    return tuple(one_line(sentence) for sentence in sentences)
