# SPDX-License-Identifier: Apache-2.0
"""What every outcome can do once it has results: show them as tables, and save them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from caesura.corpus import Corpus
from caesura.errors import MissingExtraError
from caesura.metrics.base import Metric
from caesura.results import Ends, MetricFacts, Results, answer_of, brief_of, csv_table, number, tables_of, write_results
from caesura.table import Table, Value, as_html, as_lines

__all__ = ["Answered", "Corpora", "Outcome", "Shown", "data_frame", "metric_facts"]

Ranges = Sequence[tuple[int, int]]


class Answered(NamedTuple):
    """The spans of a document and the chunks of every system, as half-open ranges of characters, or of units without a text.

    ``needed`` has for each system and span the fewest chunks that hold it, and the share of it that lies in no chunk.
    """

    text: str | None
    spans: Ranges
    chunks: Mapping[str, Ranges]
    needed: Mapping[str, Sequence[tuple[int, float]]]


class Corpora(NamedTuple):
    """What numbers were measured on: the documents or the reference, and the systems; ``lacking`` files are not at hand.

    For spans, ``spans`` has every document with spans by its id.
    """

    documents: Corpus | None = None
    systems: Mapping[str, Corpus] = {}
    lacking: tuple[str, ...] = ()
    spans: Mapping[str, Answered] = {}


class Outcome:
    """Something that was measured, and gives its `results`."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep outcomes short to look at: a dataclass of its own accord would print every document."""
        super().__init_subclass__(**options)
        cls.__repr__ = Outcome.__repr__  # type: ignore[method-assign]

    def results(self) -> Results:
        """Return everything that was measured, as typed data."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def tables(self) -> list[Table]:
        """Return every table of the results."""
        return tables_of(self.results())

    def answer(self) -> tuple[str, ...]:
        """Return what the results say, in sentences; empty if this kind of results has none."""
        return answer_of(self.results())

    def __str__(self) -> str:
        """Return what a command prints without --full: the answer, then the small table, and what else there is."""
        results = self.results()
        tables, more = brief_of(results)
        parts = (as_lines(answer_of(results)), *map(str, tables), as_lines(_more(more)))
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        """Return what it is, in one line; print it to read the answer."""
        return f"<{type(self).__name__}{self.size()}; print it, or see its tables() and results()>"

    def size(self) -> str:
        """Return the size of what was measured in words, for the repr; a subclass may override it."""
        return ""

    def _repr_html_(self) -> str:
        """Return the answer and the small table for a notebook."""
        results = self.results()
        tables, more = brief_of(results)
        return "\n".join(filter(None, [as_html(answer_of(results), tables), as_html(_more(more), [])]))

    def records(self) -> list[dict[str, Value]]:
        """Return the rows that ``--format csv`` prints as dictionaries."""
        return csv_table(self.results()).records()

    def to_frame(self) -> Any:
        """Return the `records` as a data frame: of pandas if it is installed, else of polars."""
        return data_frame(self.records())

    def to_latex(self, path: str | Path | None = None, *, full: bool = False) -> str:
        """Return the main table as LaTeX, with intervals and marks if they were computed, or every table if ``full``.

        It is also written if a path is given.
        """
        return str(_shown_by("latex_of")(self, path, full=full))

    def report(self, path: str | Path | None = None, *, title: str | None = None) -> Shown:
        """Return the page with all documents, which a notebook shows; write it if a path is given."""
        return cast("Shown", _shown_by("page_of")(self, path, title=title))

    def figure(self, path: str | Path | None = None) -> Shown:
        """Return the figure, which a notebook shows; write it if a path (.svg, .png, .pdf, .html, .json) is given."""
        return cast("Shown", _shown_by("figure_of")(self, path))

    def corpora(self) -> Corpora:
        """Return what was measured, for those who want to show it; a subclass may override it."""
        return Corpora()

    def save(self, path: str | Path, *, overwrite: bool = True) -> Results:
        """Write the results file, and return the results."""
        results = self.results()
        write_results(path, results, overwrite=overwrite)
        return results


class Shown(Protocol):
    """A page or a figure, which a notebook shows."""

    def save(self, path: str | Path) -> None:
        """Write it to a file."""


def _shown_by(name: str) -> Callable[..., object]:
    """Return a function of the reports, which lie above: a method finds it when it is called, and not before."""
    found: Callable[..., object] = getattr(importlib.import_module("caesura.reports.notebook"), name)
    return found


def _more(left_out: str) -> tuple[str, ...]:
    return (f"tables() adds {left_out}.",) if left_out else ()


def metric_facts(metric: Metric, request: str = "", columns: Sequence[str] = ()) -> MetricFacts:
    """Return what a reader of the numbers must know of a metric, and where its counts are stored, if they are."""
    facts = metric.facts()
    return MetricFacts(
        metric=str(metric),
        title=facts.title,
        direction=facts.direction,
        perfect=number(facts.perfect),
        bounds=Ends(number(facts.bounds[0]), number(facts.bounds[1])),
        request=request,
        columns=list(columns),
    )


def data_frame(records: Sequence[Mapping[str, Value]]) -> Any:
    """Return records as a data frame: of pandas if it is installed, else of polars."""
    for package in ("pandas", "polars"):
        try:
            return importlib.import_module(package).DataFrame(list(records))
        except ImportError:
            continue
    raise MissingExtraError("a data frame", "frames")
