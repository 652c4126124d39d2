# SPDX-License-Identifier: Apache-2.0
"""A results file of any question as something that a gate can check: scores, and counts for the tests."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from caesura.corpus import Corpus
from caesura.errors import CaesuraError, ComparabilityError
from caesura.evaluation.inputs import Source
from caesura.evaluation.measured import Measured
from caesura.metrics import Metric, metric
from caesura.metrics.base import Aggregation, Floats, MetricCard, ratio
from caesura.results import CountTables, Results, as_float, read_results, stored_counts
from caesura.results.agree.facts import AgreementFacts
from caesura.results.base import MetricFacts

__all__ = ["ALONE", "Stored"]

ALONE = ["all"]  # in place of documents: scores that stand alone


@dataclasses.dataclass(frozen=True)
class _Mean(Metric):
    """A mean over documents, questions or spans, whose counts are a sum and a number."""

    columns: ClassVar[tuple[str, ...]] = ("sum", "number")
    known: MetricCard = dataclasses.field(kw_only=True)

    def facts(self) -> MetricCard:
        """Return direction, bounds and the perfect score, as the results file has them."""
        return self.known

    def score(self, counts: Floats) -> Floats:
        """Return the mean."""
        return ratio(counts[..., 0], counts[..., 1])


def _card(facts: MetricFacts) -> MetricCard:
    low, high = (as_float(end) for end in facts.bounds)
    return MetricCard(
        title=facts.title, formula=facts.title, direction=facts.direction, bounds=(low, high),
        perfect=facts.target if facts.perfect is not None else 1.0, symmetric=False,
    )  # fmt: skip


_AGREEMENT = MetricFacts("", "agreement", "higher", 1.0, (-1.0, 1.0), "", ["sum", "number"])  # type: ignore[arg-type]


class Stored(Measured):
    """The scores of a results file, of whatever question, and the counts behind them if they lie beside it.

    Scores whose counts are not there can be checked against a limit, but a drop of them cannot be tested (``untested``).
    """

    by: Aggregation | None = None

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.results: Results = read_results(path)
        self.profile = self.results.profile
        self.unit = self.results.unit
        self._counts: dict[tuple[str, str], Floats] = {}
        self.untested: list[str] = []
        agreement = self.results.agreement
        found = self._systems() if agreement is None else self._agreement(agreement)
        if not found:
            raise ComparabilityError(
                f"{path}: results of {self.results.question!r} have no score of a system or of annotators; give a results file "
                "of evaluate, compare, spans, cohesion, bench, agree or check"
            )
        self.metrics: Mapping[str, Metric] = found
        self.systems: Mapping[str, Source] = {name: self._source(name) for name in self._names}

    def _source(self, name: str) -> Source:
        baselines = {entry.name for entry in self.results.inputs if entry.role == "baseline"}
        return Source(Corpus([], name=name), name, baseline=name in baselines)

    def _systems(self) -> dict[str, Metric]:
        """Return the metrics of a file with systems, and read their counts."""
        results = self.results
        self._names = list(results.systems)
        self.documents: Sequence[str] = results.documents or ALONE
        tables: CountTables = {}
        if results.counts is not None and results.against != "annotators":
            self.documents, tables = stored_counts(self.path, results)
        metrics: dict[str, Metric] = {}
        for name, facts in results.metrics.items():
            metrics[name] = self._read(name, facts, tables)
        return metrics

    def _read(self, name: str, facts: MetricFacts, tables: CountTables) -> Metric:
        """Return one metric, with the counts of every system: stored, of documents, or of the score alone."""
        plain = _Mean(known=_card(facts))
        if tables and self.results.counts is not None:
            known = self.results.counts.requests[facts.request]
            at = [known.index(column) for column in facts.columns]
            for system in self._names:
                self._counts[system, name] = tables[system][facts.request][:, at].astype(np.float64)
            try:
                return plain if facts.columns[:1] == ["sum"] and len(at) == 2 else metric(facts.metric)
            except CaesuraError:  # a metric of a package that is not installed here
                pass
        if not tables and self.results.per_document is not None:
            for system, values in self.results.per_document.items():
                self._counts[system, name] = _of_scores([as_float(each) for each in values[name]])
            return plain
        self.untested.append(name)
        for system, row in self.results.systems.items():
            alone = np.full((len(self.documents), 2), 0.0)
            alone[0] = as_float(row[name].score if name in row else None), 1
            self._counts[system, name] = alone
        return plain

    def _agreement(self, facts: AgreementFacts) -> dict[str, Metric]:
        """Return the coefficients of annotators, one system called annotators."""
        self._names = ["annotators"]
        self.documents = self.results.documents or list(facts.units)
        metrics: dict[str, Metric] = {}
        for name, each in facts.coefficients.items():
            rows = [as_float(score) for score in each.per_document]
            whole = each.aggregation == "macro" and len(rows) == len(self.documents) and bool(rows)
            self._counts["annotators", name] = _of_scores(rows if whole else [as_float(each.score)])
            if not whole:
                self.untested.append(name)
            metrics[name] = _Mean(known=_card(_AGREEMENT))
        return metrics

    def counts(self, system: str, metric: str, columns: Sequence[str] = ()) -> Floats:
        """Return the counts of a metric, one row per document or question."""
        return self._counts[system, metric]

    def aggregation(self, metric: str) -> Aggregation:
        """Return how the score was made: of sums, or as a mean of documents."""
        rows = self.results.systems.get(self._names[0], {})
        stored = rows[metric].aggregation if metric in rows else "macro"
        # A mean that is stored as sum and number is pooled, and so is a score that stands alone.
        return "micro" if stored == "micro" or metric in self.untested else "macro"

    def heaviest(self, metric: str) -> list[str]:
        """Return the documents with the worst places of a rule of a check."""
        rules = [] if self.results.check is None else self.results.check.rules
        return list(
            dict.fromkeys(at.document for rule in rules if metric in (rule.short, rule.name) for at in rule.worst)
        )

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns there."""
        facts = self.results.metrics.get(metric)
        return (metric, ()) if facts is None else (facts.request, facts.columns)

    def signature(self, metric: str, system: str | None = None) -> str:
        """Return the recipe of a number, as the file has it."""
        row = self.results.systems.get(system or self._names[0], {})
        return row[metric].signature if metric in row else metric

    @functools.cached_property
    def gold(self) -> str | None:
        """The hash of the reference, the spans or the documents that were scored against."""
        roles = ("reference", "spans", "documents")
        found = [entry for role in roles for entry in self.results.inputs if entry.role == role]
        return found[0].sha256 if found else None


def _of_scores(scores: Sequence[float]) -> Floats:
    """Return one sum and number per document; a document without a score has neither."""
    values = np.array(scores, dtype=np.float64)
    defined = ~np.isnan(values)
    return np.column_stack((np.where(defined, values, 0.0), defined.astype(np.float64)))
