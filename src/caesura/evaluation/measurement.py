# SPDX-License-Identifier: Apache-2.0
"""The base of every outcome with scores: answers beyond the scores, signatures, and the results file."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

import numpy as np

from caesura._version import __version__
from caesura.errors import ComparabilityError
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.intervals import PERMUTATIONS, ends_of, intervals, uneven_notes
from caesura.evaluation.measured import Bools, Measured, Rows
from caesura.evaluation.outcome import Corpora, Outcome, data_frame, metric_facts
from caesura.evaluation.signature import Signature, assumptions
from caesura.kernels import compiled
from caesura.metrics.base import Floats
from caesura.results import CountTables, Input, Resampling, Results, Score, number, tables_of, write_results
from caesura.results.schema import Question
from caesura.results.tables import narrowed
from caesura.table import Table, Value, as_html

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.null import Nulls
    from caesura.results import Blind, Comparison, Skill
    from caesura.results.compare.facts import Slices, Standing
    from caesura.results.evaluate.facts import Axis, ExtraFacts, ReferenceRow, Regimes
    from caesura.results.evaluate.verdict import Verdict
    from caesura.results.gate.facts import Gates
    from caesura.results.spans.facts import WorstSpan
    from caesura.statistics import Interval

__all__ = ["Answers", "Bools", "Measurement", "Rows", "ShownDict", "ShownList", "environment"]

T = TypeVar("T")


@dataclasses.dataclass
class Answers:
    """Every answer beyond the scores that was requested, as it becomes part of the results; None was not requested."""

    intervals: dict[str, dict[str, Interval]] | None = None
    interval_notes: list[str] = dataclasses.field(default_factory=list)
    resampling: Resampling | None = None
    comparisons: list[Comparison] | None = None
    comparison_resampling: Resampling | None = None
    standings: dict[str, Standing] | None = None
    skill: dict[str, dict[str, Skill]] = dataclasses.field(default_factory=dict)
    blind: dict[str, dict[str, Blind]] = dataclasses.field(default_factory=dict)  # by metric, then system
    verdicts: dict[str, Verdict] | None = None
    document_verdicts: dict[str, dict[str, Verdict]] | None = None
    regimes: Regimes | None = None
    extra: dict[str, ExtraFacts] | None = None
    references: list[ReferenceRow] | None = None
    axis: Axis | None = None
    gates: Gates | None = None
    nulls: Nulls | None = None
    worst_segments: int = 3  # of each system
    worst_spans: dict[str, list[WorstSpan]] | None = None
    slices: Slices | None = None
    questions_needed: int | None = None


class Measurement(Measured, Outcome):
    """Systems measured by metrics on the same documents, with every answer that was requested."""

    question: ClassVar[Question] = "evaluate"
    profile: str  # the conventions
    against: str  # which boundaries of the reference were scored against

    # ------------------------------------------------------------------ answers

    @functools.cached_property
    def answers(self) -> Answers:
        """Every answer beyond the scores that was requested; it becomes part of the results."""
        return Answers()

    def intervals(self, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> ShownDict[dict[str, Interval]]:
        """Return a bootstrap interval for every score, system to metric; see `caesura.intervals`."""
        resampled = intervals(self, resamples, seed, level)
        drawn = next((each.resamples for row in resampled.values() for each in row.values()), resamples)
        self.answers.intervals, self.answers.interval_notes = resampled, uneven_notes(self)
        self.answers.resampling = Resampling(resamples=drawn, seed=seed, level=level)
        return ShownDict(resampled).shown_by(self, "Intervals")

    def slices(
        self, field: str, *, resamples: int = 1000, permutations: int = PERMUTATIONS, seed: int = 0, level: float = 0.95
    ) -> Table:
        """Return the scores of every slice of the documents by a field that they carry, or by ``"length"`` in thirds.

        Every system is tested on every slice against the one that is best on all documents, by the metric of the answer, with
        Holm's correction over slices and systems.
        """
        from caesura.evaluation.slices import sliced
        from caesura.results.front import headline
        from caesura.results.slices import slice_table

        self.answers.slices = sliced(
            self,
            field,
            headline(self.results()),
            resamples=resamples,
            permutations=permutations,
            seed=seed,
            level=level,
        )
        return slice_table(self.answers.slices, self.results().metrics)

    # ------------------------------------------------------------------ recipes

    def signature(self, metric: str, system: str | None = None, *, short: bool = False) -> str:
        """Return the recipe of a number; unless a system is named, of the first that is no oracle, as it stands for all."""
        self._check_names(metric, system)
        first = min(self.systems, key=lambda name: self.systems[name].corpus.by_oracle)
        recipe = self.recipe(system or first, metric)
        return recipe.short() if short else recipe.long()

    def recipe(self, system: str, metric: str) -> Signature:
        """Return the recipe of a number in its parts."""
        documents = self.corpora().documents
        data = {"data": documents.read_as} if documents is not None and documents.read_as else {}
        oracle = {"n_segments": "oracle"} if self.systems[system].corpus.by_oracle else {}
        return Signature(
            metric=self.metrics[metric],
            aggregate=self.aggregates[system][metric],
            unit=self.unit,
            resolved=self.resolved(system, metric),
            profile=self.profile,
            missing=len(self.missing_documents(system)),
            against=self.against,
            assumed={**data, **oracle, **self.systems[system].assumed},
        )

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return what the data decided, such as the windows that were used."""
        return {}

    def lie_in(self) -> Sequence[str]:
        """Return the document of each row of the scores, by whose fields it is sliced."""
        return self.documents

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that a system lacks."""
        return ()

    # ------------------------------------------------------------------ the results

    def results(self, *, per_document: bool = False) -> Results:
        """Return all scores and requested answers as typed data."""
        return self.results_with(self.answers, per_document=per_document)

    def results_with(self, answers: Answers, *, per_document: bool = False) -> Results:
        """Return all scores as typed data, with these answers."""
        results = Results(
            question=self.question,
            caesura=__version__,
            profile=self.profile,
            against=self.against,
            unit=self.unit,
            environment=environment(),
            inputs=self.inputs(),
            metrics={name: metric_facts(m, *self.stored(name)) for name, m in self.metrics.items()},
            systems={s: {name: self.score(s, name, answers) for name in self.metrics} for s in self.systems},
            notes=[*self.notes(), *answers.interval_notes],
        )
        if per_document:
            results.documents = list(self.documents)
            results.per_document = {
                s: {name: [number(v) for v in self.per_document(s, name).tolist()] for name in self.metrics}
                for s in self.systems
            }
        if answers.resampling is not None:
            results.resampling, results.seed = answers.resampling, answers.resampling.seed
        results.slices = answers.slices
        self.complete(results, answers)
        return results

    def complete(self, results: Results, answers: Answers) -> None:
        """Add what only this kind of outcome has; a subclass may override it."""

    def size(self) -> str:
        """Return how many systems, metrics and documents there are."""
        counts = ((len(self.systems), "system"), (len(self.metrics), "metric"), (len(self.documents), "document"))
        systems, metrics, documents = (f"{n:,} {noun}{'' if n == 1 else 's'}" for n, noun in counts)
        return f" of {systems} by {metrics} on {documents}"

    def records(self, *, per_document: bool = False) -> list[dict[str, Value]]:
        """Return one row per system and metric, with the interval if there is one; or one per document as well.

        Undefined scores are None.
        """
        if per_document:
            return [
                {"system": system, "metric": name, "document": key, "score": number(score)}
                for system in self.systems
                for name in self.metrics
                for key, score in zip(self.documents, self.per_document(system, name).tolist(), strict=True)
            ]
        rows = []
        for system, scores in self.results().systems.items():
            for name, score in scores.items():
                row: dict[str, Value] = {"system": system, "metric": name, "score": score.score}
                if score.interval is not None:
                    row |= {"low": score.interval.low, "high": score.interval.high}
                if score.skill is not None:
                    row |= {"skill": score.skill.skill}
                rows.append(row | {"documents": score.documents, "signature": score.signature})
        return rows

    def to_frame(self, *, per_document: bool = False) -> Any:
        """Return the `records` as a data frame: of pandas if it is installed, else of polars."""
        return data_frame(self.records(per_document=per_document))

    def corpora(self) -> Corpora:
        """Return the systems; a subclass adds the documents or the reference."""
        return Corpora(None, {name: source.corpus for name, source in self.systems.items()})

    def inputs(self) -> list[Input]:
        """Return the inputs, as the results name them."""
        return [
            source.as_input("baseline" if source.baseline else "system", len(self.missing_documents(name)))
            for name, source in self.systems.items()
        ]

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns there."""
        return str(self.metrics[metric]), self.metrics[metric].columns

    def score(self, system: str, name: str, answers: Answers) -> Score:
        """Return a score with its recipe, as the results have it."""
        a, recipe = self.aggregates[system][name], self.recipe(system, name)
        interval = (answers.intervals or {}).get(system, {}).get(name)
        return Score(
            score=number(a.score),
            aggregation=a.aggregation,
            documents=a.documents,
            undefined=a.undefined,
            dropped=a.dropped,
            reason=self.metrics[name].why_undefined() if math.isnan(a.score) else None,
            signature=recipe.long(),
            short_signature=recipe.short(),
            interval=None if interval is None else ends_of(interval),
        )

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes, and what was left out."""
        return [*(self.signature(name, short=True) for name in self.metrics), *self.left_out()]

    def left_out(self) -> list[str]:
        """Return one line per assumption or reason to leave documents out, with the systems it concerns."""
        reasons: dict[str, list[str]] = {}
        for system, source in self.systems.items():
            for line in filter(None, (assumptions(source.assumed), source.remark)):
                reasons.setdefault(line, []).append(system)
        for system, row in self.aggregates.items():
            for name, a in row.items():
                for line in self._reasons(system, name, a):
                    reasons.setdefault(line, []).append(system)
        return [line if len(who) == len(self.systems) else f"{', '.join(who)}, {line}" for line, who in reasons.items()]

    def _reasons(self, system: str, metric: str, a: Aggregate) -> Iterable[str]:
        if a.undefined:
            why = self.metrics[metric].why_undefined()
            yield f"{metric}: {a.undefined} of {len(self.documents)} documents undefined ({why})"
        if a.dropped:
            yield f"{metric}: {a.dropped} documents dropped, undefined for or missing from another system"

    # ------------------------------------------------------------------ showing and saving

    @overload
    def per_document(self) -> Table: ...
    @overload
    def per_document(self, system: str, metric: str) -> Floats: ...
    def per_document(self, system: str | None = None, metric: str | None = None) -> Table | Floats:
        """Return the scores of a system by a metric, one per entry of `documents`; of all with their ids as a table if none is named.

        NaN, or an empty cell, is a document on which the metric is not defined.
        """
        if system is None or metric is None:
            if system is not None or metric is not None:
                raise ComparabilityError(
                    "name both a system and a metric, or none of them for the table of all documents"
                )
            return self.tables(per_document=True)[0]
        return super().per_document(system, metric)

    def tables(self, *, per_document: bool = False) -> list[Table]:
        """Return every table of the results."""
        return tables_of(self.results(per_document=per_document))

    def table(self) -> Table:
        """Return the first table: one row per system."""
        return self.tables()[0]

    def count_tables(self) -> CountTables:
        """Return system to key to table of counts, as they are stored beside the results."""
        return {
            system: {self.stored(name)[0]: self.counts(system, name) for name in self.metrics}
            for system in self.systems
        }

    def count_columns(self) -> dict[str, Sequence[str]]:
        """Return the columns of each stored table."""
        return dict(self.stored(name) for name in self.metrics)

    def count_rows(self) -> Sequence[str]:
        """Return the names of the rows of the stored tables."""
        return self.documents

    def save(
        self, path: str | Path, *, per_document: bool = False, results: Results | None = None, overwrite: bool = True
    ) -> Results:
        """Write the results file with the counts of every document beside it, and return the results."""
        results = results or self.results(per_document=per_document)
        write_results(path, results, self.count_tables(), self.count_rows(), self.count_columns(), overwrite=overwrite)
        return results


def environment() -> dict[str, str]:
    """Return when and with what the numbers were computed; they do not depend on it.

    The day is that of `SOURCE_DATE_EPOCH <https://reproducible-builds.org/specs/source-date-epoch/>`_ if it is set.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else time.time()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime(seconds)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": "compiled" if compiled() else "uncompiled",
    }


class _Shown:
    """Shows itself by the tables of a measurement, as they were when the answer was computed."""

    _made: tuple[Measurement, Answers, str] | None = None

    def shown_by(self, measurement: Measurement, title: str, answers: Answers | None = None) -> Self:
        """Remember the measurement, its answers as they are now or as they are given, and the title of the table to show."""
        self._made = measurement, dataclasses.replace(answers or measurement.answers), title
        return self

    def tables(self) -> list[Table]:
        """Return the tables of this answer."""
        if self._made is None:
            return []
        measurement, answers, title = self._made
        return [table for table in tables_of(measurement.results_with(answers)) if table.title == title]

    def records(self) -> list[dict[str, Value]]:
        """Return the rows of the first table as dictionaries."""
        return next((table.records() for table in self.tables()), [])

    def to_frame(self) -> Any:
        """Return the `records` as a data frame: of pandas if it is installed, else of polars."""
        return data_frame(self.records())

    def __repr__(self) -> str:
        """Return the tables, in 80 columns; `tables` has every column."""
        return "\n\n".join(str(narrowed(table)) for table in self.tables()) or super().__repr__()

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        return as_html([], self.tables())


class ShownList(_Shown, list[T]):
    """A list that prints as tables."""


class ShownDict(_Shown, dict[str, T]):
    """A dictionary that prints as tables."""
