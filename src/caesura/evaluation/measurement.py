# SPDX-License-Identifier: Apache-2.0
"""The base of every outcome: systems measured by metrics on the same documents, and what follows from the counts.

A macro score is the mean over the documents on which the metric is defined for every system (`Measurement.used`); a micro
score is the score of the summed counts of all documents. Aggregates, intervals, comparisons and chance all use this rule.
"""

from __future__ import annotations

import functools
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura._version import __version__
from caesura.evaluation.aggregate import Aggregate, aggregate
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import ends_of, intervals
from caesura.evaluation.signature import Signature
from caesura.kernels import compiled
from caesura.metrics.base import Aggregation, Floats, Metric
from caesura.results import (
    Ends,
    Input,
    MetricFacts,
    Resampling,
    Results,
    Score,
    number,
    tables_of,
    write_results,
)
from caesura.results.schema import Question
from caesura.statistics import Interval, Statistic
from caesura.table import Table

__all__ = ["Bools", "Measurement", "Rows", "environment"]

Bools = npt.NDArray[np.bool_]


class Rows(NamedTuple):
    """One system by one metric, one row per document: counts that add up, score, and whether it enters a macro mean."""

    counts: Floats
    scores: Floats
    included: Bools


class Measurement:
    """Systems measured by metrics on the same documents.

    A subclass is a frozen dataclass that has these attributes as fields or properties, and defines `counts`.

    Attributes
    ----------
    systems : mapping of str to Source
        The systems by name.
    metrics : mapping of str to metric
        By the string with which each was requested.
    documents : sequence of str
        The ids of the documents, one per row of every table of counts.
    unit : str
        The unit of the segmentations.
    by : {"macro", "micro"} or None
        The requested aggregation; None for each metric's default.
    profile, against : str
        The conventions, and which boundaries of the reference were scored against.
    """

    question: ClassVar[Question] = "evaluate"
    systems: Mapping[str, Source]
    metrics: Mapping[str, Metric]
    documents: Sequence[str]
    unit: str
    by: Aggregation | None
    profile: str
    against: str

    # ------------------------------------------------------------------ numbers

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document; its ``columns`` name them."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def rows(self, system: str, metric: str) -> Rows:
        """Return counts, score and inclusion of every document; a subclass may override it instead of `counts`."""
        counts = self.counts(system, metric)
        scores = self.metrics[metric].score(counts)
        return Rows(counts, scores, self.metrics[metric].included(counts, scores))

    def per_document(self, system: str, metric: str) -> Floats:
        """Return one score per entry of `documents`; NaN where it is not defined."""
        return self.rows(system, metric).scores

    def used(self, metric: str) -> Bools:
        """Say which documents the scores of a metric are made of: all, or those where every system is defined."""
        return self._used(metric, lambda: [self.rows(system, metric).included for system in self.systems])

    def _used(self, metric: str, included: Callable[[], list[Bools]]) -> Bools:
        known: dict[str, Bools] = self.__dict__.setdefault("_documents_used", {})
        if metric not in known:
            known[metric] = (
                np.ones(len(self.documents), dtype=bool)
                if self.aggregation(metric) == "micro"
                else np.asarray(np.logical_and.reduce(included()), dtype=bool)
            )
        return known[metric]

    def aggregation(self, metric: str) -> Aggregation:
        """Return how the documents of a metric are aggregated."""
        return self.by or self.metrics[metric].card.aggregation

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        found: dict[str, dict[str, Aggregate]] = {system: {} for system in self.systems}
        for name in self.metrics:
            rows = {system: self.rows(system, name) for system in self.systems}
            used = self._used(name, lambda: [row.included for row in rows.values()])  # noqa: B023
            for system, row in rows.items():
                found[system][name] = self.aggregate(system, name, row, used)
        return found

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Aggregate the documents of one system."""
        return aggregate(
            self.metrics[metric], rows.counts, self.aggregation(metric), used,
            scores=rows.scores, included=rows.included,
        )  # fmt: skip

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to metric to score."""
        return {system: {name: a.score for name, a in row.items()} for system, row in self.aggregates.items()}

    def statistics(self) -> dict[str, dict[str, Statistic]]:
        """Return every score in a form that can be resampled: metric to system."""
        known: dict[str, dict[str, Statistic]] | None = self.__dict__.get("_statistics")
        if known is None:
            known = {name: {s: self._statistic(s, name) for s in self.systems} for name in self.metrics}
            self.__dict__["_statistics"] = known
        return known

    def _statistic(self, system: str, metric: str) -> Statistic:
        rows = self.rows(system, metric)
        if self.aggregation(metric) == "micro":
            return Statistic.pooled(rows.counts, self.metrics[metric].score)
        return Statistic.mean(rows.scores, self.used(metric))

    # ------------------------------------------------------------------ answers

    @property
    def answers(self) -> dict[str, Any]:
        """What was asked beyond the scores, by name; it becomes part of the results."""
        known: dict[str, Any] = self.__dict__.setdefault("_answers", {})
        return known

    def intervals(
        self, resamples: int = 1000, seed: int = 0, level: float = 0.95
    ) -> dict[str, dict[str, Interval]]:
        """Return a bootstrap interval for every score, system to metric; see `caesura.intervals`."""
        found = intervals(self, resamples, seed, level)
        self.answers["intervals"] = found
        self.answers["resampling"] = Resampling(resamples=resamples, seed=seed, level=level)
        return found

    # ------------------------------------------------------------------ recipes

    def signature(self, metric: str, system: str | None = None, *, short: bool = False) -> str:
        """Return the recipe of a number; of the first system unless one is named."""
        recipe = self.recipe(system or next(iter(self.systems)), metric)
        return recipe.short() if short else recipe.long()

    def recipe(self, system: str, metric: str) -> Signature:
        """Return the recipe of a number in its parts."""
        return Signature(
            metric=self.metrics[metric],
            aggregate=self.aggregates[system][metric],
            unit=self.unit,
            resolved=self.resolved(system, metric),
            profile=self.profile,
            missing=len(self.missing_documents(system)),
            against=self.against,
        )

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return what the data decided, such as the windows that were used."""
        return {}

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that a system lacks."""
        return ()

    # ------------------------------------------------------------------ the results

    def results(self, *, per_document: bool = False) -> Results:
        """Return everything that was measured or asked, as typed data."""
        results = Results(
            question=self.question,
            caesura=__version__,
            profile=self.profile,
            against=self.against,
            unit=self.unit,
            environment=environment(),
            inputs=self.inputs(),
            metrics={name: self.facts(name) for name in self.metrics},
            systems={s: {name: self._score(s, name) for name in self.metrics} for s in self.systems},
            notes=self.notes(),
        )
        if per_document:
            results.documents = list(self.documents)
            results.per_document = {
                s: {name: [number(v) for v in self.per_document(s, name).tolist()] for name in self.metrics}
                for s in self.systems
            }
        resampling: Resampling | None = self.answers.get("resampling")
        if resampling is not None:
            results.resampling, results.seed = resampling, resampling.seed
        self.complete(results)
        return results

    def complete(self, results: Results) -> None:
        """Add what only this kind of outcome has; a subclass may override it."""

    def inputs(self) -> list[Input]:
        """Return the inputs, as the results name them."""
        return [
            source.as_input("system", len(self.missing_documents(name)))
            for name, source in self.systems.items()
        ]

    def facts(self, metric: str) -> MetricFacts:
        """Return what a reader of the numbers must know of a metric."""
        facts = self.metrics[metric].facts()
        request, columns = self.stored(metric)
        return MetricFacts(
            metric=str(self.metrics[metric]),
            title=facts.title,
            direction=facts.direction,
            perfect=number(facts.perfect),
            bounds=Ends(number(facts.bounds[0]), number(facts.bounds[1])),
            request=request,
            columns=list(columns),
        )

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns there."""
        return str(self.metrics[metric]), self.metrics[metric].columns

    def _score(self, system: str, name: str) -> Score:
        a, recipe = self.aggregates[system][name], self.recipe(system, name)
        interval: Interval | None = self.answers.get("intervals", {}).get(system, {}).get(name)
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
        first = next(iter(self.systems))
        return [*(self.signature(name, first, short=True) for name in self.metrics), *self.left_out()]

    def left_out(self) -> list[str]:
        """Return one line per reason for which documents were left out, with the systems it concerns."""
        reasons: dict[str, list[str]] = {}
        for system, row in self.aggregates.items():
            for name, a in row.items():
                for line in self._reasons(system, name, a):
                    reasons.setdefault(line, []).append(system)
        everyone = len(self.systems)
        return [
            line if len(who) == everyone else f"{', '.join(who)}, {line}" for line, who in reasons.items()
        ]

    def _reasons(self, system: str, metric: str, a: Aggregate) -> Iterable[str]:
        if a.undefined:
            why = self.metrics[metric].why_undefined()
            yield f"{metric}: {a.undefined} of {len(self.documents)} documents undefined ({why})"
        if a.dropped:
            yield f"{metric}: {a.dropped} documents dropped, undefined for or missing from another system"

    # ------------------------------------------------------------------ showing and saving

    def tables(self, *, per_document: bool = False) -> list[Table]:
        """Return every table of the results."""
        return tables_of(self.results(per_document=per_document))

    def table(self) -> Table:
        """Return the first table: one row per system."""
        return self.tables()[0]

    def count_tables(self) -> dict[str, dict[str, Floats]]:
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
        self,
        path: str | Path,
        *,
        per_document: bool = False,
        results: Results | None = None,
        overwrite: bool = True,
    ) -> Results:
        """Write the results file with the counts of every document beside it, and return the results."""
        results = results or self.results(per_document=per_document)
        write_results(
            path, results, self.count_tables(), self.count_rows(), self.count_columns(), overwrite=overwrite
        )
        return results


def environment() -> dict[str, str]:
    """Return what the numbers were computed with; they do not depend on it."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": "compiled" if compiled() else "uncompiled",
    }
