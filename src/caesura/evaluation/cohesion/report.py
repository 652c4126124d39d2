# SPDX-License-Identifier: Apache-2.0
"""The outcome of a measurement without a reference, and all that is made of it."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.cohesion.equal_density import EqualDensity, equal_density
from caesura.evaluation.cohesion.null import Kind, Null, null_distributions
from caesura.evaluation.cohesion.plain import plain_results, write
from caesura.evaluation.cohesion.pooling import DocumentPooling, pool_documents, pool_resamples
from caesura.evaluation.cohesion.tables import (
    all_tables,
    caution_lines,
    document_table,
    long_table,
    notes,
    null_table,
    score_table,
)
from caesura.evaluation.cohesion.worst import WorstSegment, worst_segments
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import intervals
from caesura.evaluation.measurement import aggregates_of
from caesura.evaluation.signature import Signature
from caesura.metrics.base import Aggregation, Floats
from caesura.metrics.cohesion import CohesionMetric, cautions, count_in_one_pass
from caesura.results import Results
from caesura.statistics import Bootstrap, Interval
from caesura.table import Table

__all__ = ["Chance", "Cohesion", "Vectors"]


@dataclasses.dataclass(frozen=True)
class Vectors:
    """Whose vectors were read: name, fingerprint and dimension of the encoder."""

    name: str
    fingerprint: str
    dim: int


@dataclasses.dataclass(frozen=True)
class Chance:
    """Which random segmentations are drawn, how many, and with which seed."""

    kinds: tuple[Kind, ...]
    draws: int
    seed: int


@dataclasses.dataclass(frozen=True)
class Cohesion:
    """Segmentations measured without a reference.

    Attributes
    ----------
    source : Source
        The documents.
    systems : mapping of str to Source
        What was judged.
    metrics : mapping of str to metric
        By the text each was asked for with.
    batches : mapping of str to Embedded
        The segmentations of each system beside the vectors.
    vectors : Vectors
        Whose vectors they are; scores of others must not be compared with these.
    documents : list of str
        The ids of the rows of every table.
    pooling : {"macro", "micro", "median", "length"} or None
        How documents are put together (`caesura.evaluation.cohesion.pooling`); None for each metric's own way.
    chance : Chance
        The random segmentations.
    resamples : int
        Of the bootstrap.
    missing : mapping of str to tuple of str
        The documents that each system lacks.
    remarks : tuple of str
        What was done to the input.
    """

    source: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, CohesionMetric]
    batches: Mapping[str, Embedded]
    vectors: Vectors
    documents: Sequence[str]
    pooling: DocumentPooling | None
    chance: Chance
    resamples: int
    missing: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()

    # ------------------------------------------------------------------ numbers

    @property
    def by(self) -> Aggregation | None:
        """The pooling, where it is one that every evaluation has."""
        return self.pooling if self.pooling in ("macro", "micro") else None

    @functools.cached_property
    def tables_of_counts(self) -> dict[str, dict[str, Floats]]:
        """System to metric to one row of counts per document."""
        return {system: self._count(batch) for system, batch in self.batches.items()}

    def _count(self, batch: Embedded) -> dict[str, Floats]:
        return dict(zip(self.metrics, count_in_one_pass(list(self.metrics.values()), batch), strict=True))

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric makes, one row per document."""
        return self.tables_of_counts[system][metric]

    def per_document(self, system: str, metric: str) -> Floats:
        """Return one score per entry of `documents`; NaN where it is not defined."""
        return self.metrics[metric].score(self.counts(system, metric))

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        found = aggregates_of(self)
        how = self.pooling
        if how not in ("median", "length"):
            return found
        # Over the same documents as the mean: those on which every system is defined.
        return {
            system: {
                name: dataclasses.replace(a, score=self._pooled(system, name, how), aggregation=how)
                for name, a in row.items()
            }
            for system, row in found.items()
        }

    def _shared(self, metric: str) -> npt.NDArray[np.bool_]:
        """Say where a metric is defined for every system."""
        defined = np.stack([~np.isnan(self.per_document(system, metric)) for system in self.systems])
        return np.asarray(defined.all(axis=0))

    def _pooled(self, system: str, metric: str, how: DocumentPooling) -> float:
        kept = self._shared(metric)
        units = self.batches[system].n_units.astype(np.float64)
        return pool_documents(how, self.per_document(system, metric)[kept], units[kept])

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to metric to score."""
        return {system: {name: a.score for name, a in row.items()} for system, row in self.aggregates.items()}

    @functools.cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """System to metric to the bootstrap interval of the score."""
        how = self.pooling
        if how not in ("median", "length"):
            return intervals(self, self.resamples, self.chance.seed)
        bootstrap = Bootstrap(len(self.documents), self.resamples, self.chance.seed)
        found: dict[str, dict[str, Interval]] = {}
        for system, batch in self.batches.items():
            units = batch.n_units.astype(np.float64)
            found[system] = {}
            for name in self.metrics:
                kept = self._shared(name)
                scores = np.where(kept, self.per_document(system, name), np.nan)
                drawn = pool_resamples(how, bootstrap, scores, units)
                found[system][name] = bootstrap.interval(drawn, int(kept.sum()))
        return found

    @functools.cached_property
    def nulls(self) -> dict[str, dict[str, dict[str, Null]]]:
        """System to metric to kind: the score among random segmentations."""
        return self.place_among_chance()

    def place_among_chance(
        self, progress: Callable[[int, int], None] | None = None
    ) -> dict[str, dict[str, dict[str, Null]]]:
        """Draw the random segmentations, telling how many are done, of how many; the result is kept as `nulls`."""
        known = self.__dict__.get("nulls")
        if known is not None:
            found: dict[str, dict[str, dict[str, Null]]] = known
            return found
        found = {system: {name: {} for name in self.metrics} for system in self.systems}
        steps = itertools.count(1)
        whole = len(self.systems) * len(self.chance.kinds) * len(self.documents)

        def advance() -> None:
            if progress is not None:
                progress(next(steps), whole)

        for system, batch in self.batches.items():
            scores = {name: self.per_document(system, name) for name in self.metrics}
            for kind in self.chance.kinds:
                made = null_distributions(
                    scores,
                    self.metrics,
                    batch,
                    kind,
                    self.chance.draws,
                    self.chance.seed,
                    advance,
                    by=self.pooling,
                )
                for name, null in made.items():
                    found[system][name][kind] = null
        self.__dict__["nulls"] = found
        return found

    @functools.cached_property
    def comparisons(self) -> list[EqualDensity]:
        """Every two systems on every metric, as they are and at equal density."""
        return equal_density(self)

    def worst(self, system: str, metric: str | None = None, number: int = 5) -> list[WorstSegment]:
        """Return the segments with the worst values of a metric (the first if none is named), quoted."""
        name = metric or next(iter(self.metrics))
        return worst_segments(self.metrics[name], self.batches[system], self.source.corpus, number)

    def segments_per_100(self, system: str) -> float:
        """Return how many segments a system makes of 100 units."""
        flat = self.batches[system].segmentations
        return 100 * (len(flat.pos) + len(flat)) / int(flat.n_units.sum())

    def singletons(self, system: str) -> float:
        """Return the share of segments that have one unit only."""
        facts = cautions(self.batches[system])
        return float(facts.single_unit.sum() / facts.segments.sum())

    def signature(self, metric: str, system: str | None = None, *, short: bool = False) -> str:
        """Return the recipe of a number; of the first system unless one is named."""
        recipe = self.recipe(metric, system or next(iter(self.systems)))
        return recipe.short() if short else recipe.long()

    def recipe(self, metric: str, system: str) -> Signature:
        """Return the recipe of a number in its parts."""
        return Signature(
            metric=self.metrics[metric],
            aggregate=self.aggregates[system][metric],
            unit=self.batches[system].unit,
            missing=len(self.missing[system]),
            encoder=self.vectors.fingerprint,
        )

    # ------------------------------------------------------------------ showing

    def table(self) -> Table:
        """Return one row per system: density, one-unit segments, and each score with its interval."""
        return score_table(self)

    def tables(self, number: int = 3) -> list[Table]:
        """Return every table; the worst segments so many per system."""
        return all_tables(self, number)

    def document_table(self) -> Table:
        """Return one row per system and document: scores, and z and percentile against each kind of chance."""
        return document_table(self)

    def long_table(self) -> Table:
        """Return one row per system and metric with everything known of it: for programs."""
        return long_table(self)

    def null_table(self) -> Table:
        """Return one row per system, metric and kind of chance."""
        return null_table(self)

    def notes(self) -> list[str]:
        """Return what must be said below the numbers: recipes, cautions, and what was left out."""
        return notes(self)

    def cautions(self) -> list[str]:
        """Return the reasons to mistrust the scores: one-unit segments, and neighbours with one centroid."""
        return caution_lines(self)

    def results(self, *, per_document: bool = False, worst: int = 3) -> Results:
        """Return the results as plain data."""
        return plain_results(self, per_document=per_document, worst=worst)

    def to_json(self, path: str | Path, *, results: Results | None = None, overwrite: bool = True) -> None:
        """Write the results file, with the counts of every document beside it."""
        write(self, path, results=results, overwrite=overwrite)
