# SPDX-License-Identifier: Apache-2.0
"""The outcome of an evaluation: counts of every document, and all that is made of them."""

from __future__ import annotations

import dataclasses
import functools
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from caesura._version import __version__
from caesura.evaluation.aggregate import BLOCK, Aggregate, Running
from caesura.evaluation.inputs import Source
from caesura.evaluation.reference.pseudo import marked, pseudo_name, remark
from caesura.evaluation.signature import Signature
from caesura.kernels import Counts, compiled
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.results import Input, MetricFacts, Results, Score, as_number, write_results
from caesura.table import Column, Table, Value

__all__ = ["Counted", "Evaluation", "environment"]


@dataclasses.dataclass(frozen=True)
class Counted:
    """The counts of one system: a table per request, which documents lack or were fitted, how many another system lacks."""

    tables: Mapping[Request, Counts]
    missing: tuple[str, ...] = ()
    fitted: tuple[str, ...] = ()
    elsewhere: int = 0


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """Systems measured against a reference.

    Attributes
    ----------
    reference : Source
        What is right.
    systems : mapping of str to Source
        What was judged.
    metrics : mapping of str to metric
        By the text each was asked for with.
    requests : mapping of str to Request
        Which counts each metric reads.
    counted : mapping of str to Counted
        The counts of each system.
    documents : list of str
        The ids of the rows of every table.
    unit : str
        What was counted.
    by : {"macro", "micro"} or None
        The aggregation asked for; None for each metric's own.
    profile : str
        Whose conventions hold.
    against : str
        What of the reference counts.
    """

    reference: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, PairwiseMetric]
    requests: Mapping[str, Request]
    counted: Mapping[str, Counted]
    documents: Sequence[str]
    unit: str
    by: Aggregation | None = None
    profile: str = "caesura"
    against: str = "boundaries"

    # ------------------------------------------------------------------ numbers

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document; its ``columns`` name them."""
        request = self.requests[metric]
        return self.counted[system].tables[request].take(self.metrics[metric].places(request))

    def per_document(self, system: str, metric: str) -> Floats:
        """Return one score per entry of `documents`; NaN where it is not defined."""
        return self.metrics[metric].score(self.counts(system, metric))

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        running = {
            name: Running(metric, self.by or metric.card.aggregation, len(self.systems))
            for name, metric in self.metrics.items()
        }
        for request in dict.fromkeys(self.requests.values()):
            # Block by block, so that the counts of all systems are read once for all metrics, and never unpacked at once.
            readers = {
                name: self._columns_of(name) for name, asked in self.requests.items() if asked == request
            }
            tables = [self.counted[system].tables[request] for system in self.systems]
            for blocks in zip(*(table.blocks(BLOCK) for table in tables), strict=True):
                for name, columns in readers.items():
                    running[name].add([block[:, columns] for block in blocks])
        found = {name: each.aggregates() for name, each in running.items()}
        return {
            system: {name: self._also_dropped(system, found[name][place]) for name in self.metrics}
            for place, system in enumerate(self.systems)
        }

    def _also_dropped(self, system: str, a: Aggregate) -> Aggregate:
        """Count the documents that were left out because another system lacks them."""
        elsewhere = self.counted[system].elsewhere
        return dataclasses.replace(a, dropped=a.dropped + elsewhere) if elsewhere else a

    def _columns_of(self, metric: str) -> slice | list[int]:
        """Return the places of a metric's columns; neighbours as a slice, which copies nothing."""
        places = self.metrics[metric].places(self.requests[metric])
        first, end = places[0], places[0] + len(places)
        return slice(first, end) if places == list(range(first, end)) else places

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to metric to score."""
        return {system: {name: a.score for name, a in row.items()} for system, row in self.aggregates.items()}

    def signature(self, metric: str, system: str | None = None, *, short: bool = False) -> str:
        """Return the recipe of a number; of the first system unless one is named."""
        recipe = self._signature(metric, system or next(iter(self.systems)))
        return recipe.short() if short else recipe.long()

    def _signature(self, metric: str, system: str) -> Signature:
        request = self.requests[metric]
        table = self.counted[system].tables[request].extremes
        return Signature(
            metric=self.metrics[metric],
            aggregate=self.aggregates[system][metric],
            unit=self.unit,
            resolved=self.metrics[metric].resolved(table, request.columns),
            profile=self.profile,
            missing=len(self.counted[system].missing),
            against=self.against,
        )

    # ------------------------------------------------------------------ tables

    def table(self) -> Table:
        """Return one row per system and one column per metric, the best marked."""
        rows: list[list[Value]] = [
            [system, *(row[name].score for name in self.metrics)] for system, row in self.aggregates.items()
        ]
        return self.marked(Table([Column("system"), *self._columns()], rows, notes=self.notes()))

    def tables(self) -> list[Table]:
        """Return every table."""
        return [self.table()]

    def document_table(self) -> Table:
        """Return one row per system and document."""
        rows: list[list[Value]] = []
        for system in self.systems:
            scores = [self.per_document(system, name).tolist() for name in self.metrics]
            rows += [[system, key, *values] for key, *values in zip(self.documents, *scores, strict=True)]
        columns = [dataclasses.replace(column, direction=None) for column in self._columns()]
        return self.marked(Table([Column("system"), Column("document"), *columns], rows, notes=self.notes()))

    def marked(self, table: Table) -> Table:
        """Return a table of this evaluation, marked if the reference is a pseudo-reference."""
        return marked(table, self.against)

    def _columns(self) -> list[Column]:
        return [
            Column(name, metric.card.direction, metric.card.perfect) for name, metric in self.metrics.items()
        ]

    def notes(self) -> list[str]:
        """Return what must be said below the numbers: recipes, and what was left out."""
        first = next(iter(self.systems))
        notes = [self.signature(name, first, short=True) for name in self.metrics]
        for system, counted in self.counted.items():
            if counted.missing:
                notes.append(
                    f"{system}: {len(counted.missing)} of {len(self.reference.corpus)} documents missing, skipped"
                )
            if counted.fitted:
                notes.append(
                    f"{system}: the end of {len(counted.fitted)} open-ended documents taken from the other side"
                )
        return remark(self.against) + notes + self._left_out()

    def _left_out(self) -> list[str]:
        """Return one line per reason for which documents were left out, with the systems it holds for."""
        found: dict[str, list[str]] = {}
        for system, row in self.aggregates.items():
            for name, a in row.items():
                if a.undefined:
                    why = self.metrics[name].why_undefined()
                    line = f"{name}: {a.undefined} of {len(self.documents)} documents undefined ({why})"
                    found.setdefault(line, []).append(system)
                if a.dropped:
                    line = (
                        f"{name}: {a.dropped} documents dropped, undefined for or missing from another system"
                    )
                    found.setdefault(line, []).append(system)
        everyone = len(self.systems)
        return [line if len(who) == everyone else f"{', '.join(who)}, {line}" for line, who in found.items()]

    # ------------------------------------------------------------------ the results file

    def results(self, *, per_document: bool = False) -> Results:
        """Return the results as plain data."""
        return Results(
            caesura=__version__,
            profile=self.profile,
            against=self.against,
            environment=environment(),
            inputs=self._inputs(),
            metrics={name: self._facts(name) for name in self.metrics},
            systems={
                system: {name: self._score(system, name) for name in self.metrics} for system in self.systems
            },
            documents=list(self.documents) if per_document else None,
            per_document={
                system: {
                    name: [as_number(v) for v in self.per_document(system, name)] for name in self.metrics
                }
                for system in self.systems
            }
            if per_document
            else None,
            notes=self.notes(),
        )

    def to_json(
        self,
        path: str | Path,
        *,
        per_document: bool = False,
        results: Results | None = None,
        overwrite: bool = True,
    ) -> None:
        """Write the results file, or results that were added to, with the counts of every document beside it."""
        keys = {request: str(request) for request in self.requests.values()}
        write_results(
            path,
            results or self.results(per_document=per_document),
            {
                system: {keys[request]: table.array() for request, table in counted.tables.items()}
                for system, counted in self.counted.items()
            },
            self.documents,
            {key: request.columns for request, key in keys.items()},
            overwrite=overwrite,
        )

    def _score(self, system: str, name: str) -> Score:
        a, recipe = self.aggregates[system][name], self._signature(name, system)
        return Score(
            score=as_number(a.score),
            aggregation=a.aggregation,
            documents=a.documents,
            undefined=a.undefined,
            dropped=a.dropped,
            reason=self.metrics[name].why_undefined() if a.score != a.score else None,
            signature=recipe.long(),
            short_signature=recipe.short(),
        )

    def _facts(self, name: str) -> MetricFacts:
        metric, facts = self.metrics[name], self.metrics[name].facts()
        columns = self.requests[name].columns
        return MetricFacts(
            metric=str(metric),
            title=facts.title,
            direction=facts.direction,
            perfect=as_number(facts.perfect),
            bounds=(as_number(facts.bounds[0]), as_number(facts.bounds[1])),
            request=str(self.requests[name]),
            columns=[columns[place] for place in metric.places(self.requests[name])],
        )

    def _inputs(self) -> list[Input]:
        role = "reference" if pseudo_name(self.against) is None else "pseudo-reference"
        systems = [s.as_input("system", len(self.counted[name].missing)) for name, s in self.systems.items()]
        return [self.reference.as_input(role), *systems]


def environment() -> dict[str, str]:
    """Return what the numbers were made with; they do not depend on it."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": "compiled" if compiled() else "uncompiled",
    }
