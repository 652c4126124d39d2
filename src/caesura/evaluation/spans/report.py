# SPDX-License-Identifier: Apache-2.0
"""What was found of spans and chunks: scores with intervals, and chunkers compared."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import check_resampling
from caesura.evaluation.spans.compare import SpanComparison, compared
from caesura.evaluation.spans.measures import MEASURES, Measure, SystemSpans
from caesura.evaluation.spans.plain import plain_results, signature
from caesura.evaluation.spans.tables import comparison_table, notes, score_table, worst_table
from caesura.results import Results, write_results
from caesura.statistics import Bootstrap, Interval, Permutation, Statistic
from caesura.table import Table

__all__ = ["SpanReport"]

Floats = npt.NDArray[np.float64]


def _mean(sums: Floats) -> Floats:
    total, number = sums[..., 0], sums[..., 1]
    out = np.full(np.shape(total), np.nan)
    return np.asarray(np.divide(total, number, out=out, where=number > 0.5))


@dataclasses.dataclass(frozen=True)
class SpanReport:
    """How chunkers treat spans that must stand whole.

    Attributes
    ----------
    documents : sequence of str
        The ids of the documents that count.
    systems : mapping of str to SystemSpans
        Every span against each system.
    source : Source
        Where the documents came from.
    chunkers : mapping of str to Source
        Where the chunks of each system came from.
    missing : mapping of str to int
        Documents with spans that a system lacks.
    has_text : bool
        Whether tokens and characters can be counted.
    repeated : int
        Spans given by words that occur several times, where the first place was taken.
    resamples, seed : int
        Of the bootstrap over documents; the seed also of the permutations.
    """

    documents: Sequence[str]
    systems: Mapping[str, SystemSpans]
    source: Source
    chunkers: Mapping[str, Source]
    missing: Mapping[str, int]
    has_text: bool
    repeated: int = 0
    resamples: int = 1000
    seed: int = 0

    @property
    def measures(self) -> dict[str, Measure]:
        """What can be measured of these documents."""
        return {name: m for name, m in MEASURES.items() if self.has_text or not m.needs_text}

    @property
    def n_spans(self) -> int:
        """How many spans there are."""
        return len(next(iter(self.systems.values())).rows)

    @functools.cached_property
    def statistics(self) -> dict[str, dict[str, Statistic]]:
        """System to measure to a mean over spans, with documents as what is resampled."""
        found: dict[str, dict[str, Statistic]] = {}
        for system, outcome in self.systems.items():
            where = [row.document for row in outcome.rows]
            found[system] = {}
            for name, measure in self.measures.items():
                values = np.array([measure.of(row) for row in outcome.rows], dtype=np.float64)
                defined = ~np.isnan(values)
                columns = [
                    np.bincount(where, weights=weights, minlength=len(self.documents))
                    for weights in (np.where(defined, values, 0.0), defined.astype(np.float64))
                ]
                found[system][name] = Statistic.pooled(np.column_stack(columns), _mean)
        return found

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to measure to its mean over all spans."""
        return {system: {name: s.value for name, s in row.items()} for system, row in self.statistics.items()}

    @functools.cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """System to measure to a 95 % interval: documents, with all their spans, drawn with replacement."""
        bootstrap = self._bootstrap()
        keys = [(system, name) for system, row in self.statistics.items() for name in row]
        replicates = bootstrap.replicates([self.statistics[system][name] for system, name in keys])
        found: dict[str, dict[str, Interval]] = {system: {} for system in self.systems}
        for (system, name), values in zip(keys, replicates, strict=True):
            found[system][name] = bootstrap.interval(values, len(self.documents))
        return found

    @functools.cached_property
    def comparisons(self) -> Sequence[SpanComparison]:
        """Every two systems on the share of spans that they leave whole."""
        permutation = Permutation(len(self.documents), seed=self.seed)
        return compared(self.statistics, self._bootstrap(), permutation)

    def _bootstrap(self) -> Bootstrap:
        check_resampling(resamples=self.resamples)
        return Bootstrap(len(self.documents), self.resamples, self.seed)

    @property
    def loses(self) -> bool:
        """Whether some span stands partly or wholly in no chunk of some system."""
        return any(row.lost > 0 for outcome in self.systems.values() for row in outcome.rows)

    def length_of_chunks(self, system: str) -> float:
        """Return how long the chunks of a system are on average: in tokens, or in units where there are no texts."""
        outcome = self.systems[system]
        return outcome.tokens / max(outcome.chunks, 1)

    @property
    def density(self) -> dict[str, dict[str, float]]:
        """System to how many chunks it makes, how long they are on average, and how many characters no or several ones hold."""
        length = "tokens_per_chunk" if self.has_text else "units_per_chunk"
        found: dict[str, dict[str, float]] = {}
        for system, outcome in self.systems.items():
            found[system] = {"chunks": float(outcome.chunks), length: self.length_of_chunks(system)}
            if self.has_text:
                found[system]["gap_characters"] = float(outcome.gap_characters)
                found[system]["overlap_characters"] = float(outcome.overlap_characters)
        return found

    def worst(self, number: int = 3) -> dict[str, list[dict[str, Any]]]:
        """Return each system's spans that need the most chunks, then the most padding, with their words."""
        found: dict[str, list[dict[str, Any]]] = {}
        for system, outcome in self.systems.items():
            ranked = sorted(
                outcome.rows,
                key=lambda row: (-row.lost, -row.chunks, -row.padding_characters, row.document, row.words),
            )
            found[system] = [
                {
                    "document": self.documents[row.document],
                    "span": row.words,
                    "chunks": row.chunks,
                    "padding": row.padding_tokens if self.has_text else row.padding_units,
                    "lost": row.lost,
                }
                for row in ranked[:number]
                if not row.inside
            ]
        return found

    def tables(self, worst: int = 3) -> list[Table]:
        """Return the scores, the systems compared if there are several, and the worst spans of each."""
        tables = [self.table()]
        if len(self.systems) > 1:
            tables.append(comparison_table(self))
        quoted = worst_table(self, worst)
        return [*tables, quoted] if quoted.rows else tables

    def table(self) -> Table:
        """Return one row per system, the best marked."""
        return score_table(self)

    def notes(self) -> list[str]:
        """Return what must be said below the numbers."""
        return notes(self)

    def signature(self, system: str, name: str) -> str:
        """Return the recipe of a number."""
        return signature(self, system, name)

    def results(self, worst: int = 3) -> Results:
        """Return the results as plain data, in the form of every results file."""
        return plain_results(self, worst)

    def to_json(self, path: str | Path, *, worst: int = 3, overwrite: bool = True) -> None:
        """Write the results file."""
        write_results(path, self.results(worst), overwrite=overwrite)
