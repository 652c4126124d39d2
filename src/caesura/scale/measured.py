# SPDX-License-Identifier: Apache-2.0
"""Merged shards as a measurement: aggregates, recipes, notes and intervals; documents only if counts are kept."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from caesura.batches.flat import Flat
from caesura.corpus import Corpus, Numbered
from caesura.errors import ComparabilityError
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.evaluate.report import reading_notes
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import check_resampling, normal_intervals
from caesura.evaluation.measurement import Answers, Measurement, ShownDict
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.results import CountTables, Input, Resampling, Results, as_float
from caesura.results.shards import BadDocument, ShardFacts
from caesura.scale.shard import ShardResult
from caesura.statistics import Interval
from caesura.statistics.moments import Joint

__all__ = ["Merged"]


class Merged(Measurement):
    """The systems of merged shards."""

    def __init__(self, result: ShardResult) -> None:
        self.result = result
        kept = result.counts
        self.documents: Sequence[str] = Numbered(result.documents) if kept is None else kept.documents
        self.metrics: Mapping[str, PairwiseMetric] = {
            name: cast(PairwiseMetric, find_metric(part.metric)) for name, part in result.metrics.items()
        }
        nothing = Corpus.from_flat([], Flat.without_boundaries(np.empty(0, dtype=np.int64)))
        self.systems = {
            name: Source(nothing, name, assumed=reading.assumed, remark="; ".join(reading.remarks))
            for name, reading in result.readings.items()
        }
        self.unit, self.profile = result.unit, str(result.recipe["profile"])
        self.by = cast("Aggregation | None", result.recipe["by"])
        pseudo = next((i.name for i in result.inputs if i.role == "pseudo-reference"), None)
        self.against = str(result.recipe["against"]) if pseudo is None else f"pseudo:{pseudo}"
        self.moments = {name: part.moments.moments() for name, part in result.metrics.items()}

    def joint(self, metric: str) -> Joint:
        """Return the scores of all systems on a metric, as functions of the moments."""
        scored, pooled = self.metrics[metric], self.aggregation(metric) == "micro"
        places = Joint.layout(self.systems, len(scored.columns) if pooled else None)
        return Joint(self.moments[metric], places, scored.score if pooled else _mean)

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document, of shards that keep them."""
        scored = self.metrics[metric]
        request = scored.request(self.unit)
        return self._table(system, request)[:, list(scored.places(request))]

    def _table(self, system: str, request: Request) -> Floats:
        if self.result.counts is None:  # pragma: no cover - not requested in this case
            raise ComparabilityError("the shards keep no counts; count them with --keep-counts")
        return self.result.counts.table(system, str(request), len(request.columns))

    def count_tables(self) -> CountTables:
        """Return system to request to table of counts, as stored next to the results."""
        requests = {str(each): each for each in (m.request(self.unit) for m in self.metrics.values())}
        return {system: {name: self._table(system, each) for name, each in requests.items()} for system in self.systems}

    def count_columns(self) -> dict[str, Sequence[str]]:
        """Return the columns of each stored table."""
        requests = [metric.request(self.unit) for metric in self.metrics.values()]
        return {str(request): request.columns for request in requests}

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        return {system: {name: self._aggregate(system, name) for name in self.metrics} for system in self.systems}

    def _aggregate(self, system: str, name: str) -> Aggregate:
        part, how = self.result.metrics[name], self.aggregation(name)
        undefined, n = part.systems[system].undefined, self.result.documents
        dropped = n - undefined - part.used if how == "macro" else 0
        dropped += self.result.readings[system].elsewhere
        documents = part.used if how == "macro" else n
        return Aggregate(self.joint(name).value(system), how, documents, undefined, dropped)

    def intervals(self, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> ShownDict[dict[str, Interval]]:
        """Return an interval for every score, system to metric: a normal one where there is nothing to resample."""
        if self.result.counts is not None:
            return super().intervals(resamples, seed, level)
        check_resampling(level=level)
        found = normal_intervals(self, lambda system, name: self.joint(name).estimate(system), level)
        self.answers.intervals, self.answers.resampling = found, Resampling(resamples=0, seed=0, level=level)
        return ShownDict(found).shown_by(self, "Intervals")

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return the parameters resolved from the data, such as window sizes."""
        extremes = self.result.metrics[metric].systems[system].extremes
        scored = self.metrics[metric]
        columns = scored.request(self.unit).columns
        table = np.array([[as_float(value) for value in row] for row in extremes], dtype=np.float64)
        return scored.resolved(table.reshape(-1, len(columns)), columns)

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return a placeholder for each missing document; their ids are not kept."""
        return Numbered(self.result.readings[system].missing)

    def inputs(self) -> list[Input]:
        """Return the inputs of all shards."""
        return self.result.inputs

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the request and the columns of a metric, named as in an evaluation."""
        request = self.metrics[metric].request(self.unit)
        return str(request), [request.columns[place] for place in self.metrics[metric].places(request)]

    def notes(self) -> list[str]:
        """Return the lines below the first table."""
        total = self.result.inputs[0].documents
        notes = [self.signature(name, short=True) for name in self.metrics]
        for system, reading in self.result.readings.items():
            notes += reading_notes(system, self.unit, total, reading.missing, reading.fitted, reading.endless)
        return notes + self.left_out()

    def complete(self, results: Results, answers: Answers) -> None:
        """Add the distribution of the scores and the worst documents."""
        parts = self.result.metrics
        results.shards = ShardFacts(
            shards=len(self.result.keys) or 1,
            histograms={s: {name: part.systems[s].histogram for name, part in parts.items()} for s in self.systems},
            worst={
                s: {
                    name: [BadDocument(document=w.document, score=w.score) for w in part.systems[s].worst]
                    for name, part in parts.items()
                }
                for s in self.systems
            },
        )


def _mean(sums: Floats) -> float:
    total, documents = sums.tolist()
    return total / documents if documents > 0.5 else math.nan
