# SPDX-License-Identifier: Apache-2.0
"""What was found of spans and chunks: scores with intervals, tables, the results file."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura._version import __version__
from caesura.evaluation.evaluation import environment
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import check_resampling
from caesura.evaluation.spans.measures import MEASURES, Measure, SystemSpans
from caesura.results import Input, MetricFacts, Results, Score, as_number, write_results
from caesura.statistics import Bootstrap, Interval, Statistic
from caesura.table import Column, Table, Value

__all__ = ["SpanReport"]

Floats = npt.NDArray[np.float64]


_SHOWN = ("Inside", "InsideByChance", "Chunks", "PaddingTokens", "PaddingUnits")


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
        Of the bootstrap over documents.
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
            number = np.bincount(where, minlength=len(self.documents)).astype(np.float64)
            found[system] = {}
            for name, measure in self.measures.items():
                values = np.array([measure.of(row) for row in outcome.rows], dtype=np.float64)
                sums = np.bincount(where, weights=values, minlength=len(self.documents))
                found[system][name] = Statistic.pooled(np.column_stack([sums, number]), _mean)
        return found

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to measure to its mean over all spans."""
        return {system: {name: s.value for name, s in row.items()} for system, row in self.statistics.items()}

    @functools.cached_property
    def intervals(self) -> dict[str, dict[str, Interval]]:
        """System to measure to a 95 % interval: documents, with all their spans, drawn with replacement."""
        check_resampling(resamples=self.resamples)
        bootstrap = Bootstrap(len(self.documents), self.resamples, self.seed)
        keys = [(system, name) for system, row in self.statistics.items() for name in row]
        replicates = bootstrap.replicates([self.statistics[system][name] for system, name in keys])
        found: dict[str, dict[str, Interval]] = {system: {} for system in self.systems}
        for (system, name), values in zip(keys, replicates, strict=True):
            found[system][name] = bootstrap.interval(values, len(self.documents))
        return found

    @property
    def density(self) -> dict[str, dict[str, float]]:
        """System to how many chunks it makes, and how long they are on average."""
        length = "tokens_per_chunk" if self.has_text else "units_per_chunk"
        return {
            system: {"chunks": float(outcome.chunks), length: outcome.tokens / max(outcome.chunks, 1)}
            for system, outcome in self.systems.items()
        }

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

    # ------------------------------------------------------------------ tables

    def tables(self, worst: int = 3) -> list[Table]:
        """Return the scores, and the worst spans of each system."""
        tables = [self.table()]
        rows: list[list[Value]] = [
            [system, entry["document"], entry["chunks"], entry["padding"], _quote(entry["span"])]
            for system, entries in self.worst(worst).items()
            for entry in entries
        ]
        if rows:
            heads = ("system", "document", "chunks", "padding", "span")
            tables.append(Table([Column(head) for head in heads], rows, title="Worst spans"))
        return tables

    def table(self) -> Table:
        """Return one row per system, the best marked."""
        shown = [name for name in _SHOWN if name in self.measures]
        length = "tokens a chunk" if self.has_text else "units a chunk"
        columns = [Column("system"), Column("spans"), Column("cut")]
        for name in shown:
            direction = None if name == "InsideByChance" else MEASURES[name].direction
            columns.append(Column(name, direction, digits=MEASURES[name].digits))
            if name == "Inside":
                columns += [Column("low"), Column("high")]
        rows: list[list[Value]] = []
        for system, outcome in self.systems.items():
            row: list[Value] = [system, len(outcome.rows), sum(not each.inside for each in outcome.rows)]
            for name in shown:
                row.append(self.scores[system][name])
                if name == "Inside":
                    row += [self.intervals[system][name].low, self.intervals[system][name].high]
            rows.append([*row, list(self.density[system].values())[1]])
        return Table([*columns, Column(length, digits=1)], rows, notes=self.notes())

    def notes(self) -> list[str]:
        """Return what must be said below the numbers."""
        many = "1 document" if len(self.documents) == 1 else f"{len(self.documents)} documents"
        notes = [
            f"Means over {self.n_spans} spans of {many}; low and high: 95 %, documents resampled {self.resamples} times, "
            f"seed {self.seed}; a token is what stands between white space"
        ]
        sizes = {system: list(row.values())[1] for system, row in self.density.items()}
        if len(sizes) > 1 and max(sizes.values()) > 1.1 * min(sizes.values()):
            notes.append(
                f"Chunks are {min(sizes.values()):.1f} to {max(sizes.values()):.1f} long on average: longer ones cut fewer "
                "spans wherever they end, and pad more; read Inside beside InsideByChance, or compare at equal length"
            )
        for system, outcome in self.systems.items():
            if outcome.overlap:
                notes.append(
                    f"{system}: chunks overlap, so a span counts by the chunk that holds it best; no chance level"
                )
            if self.missing.get(system):
                notes.append(
                    f"{system}: {self.missing[system]} documents with spans missing, skipped for all"
                )
            lost = sum(row.lost > 0 for row in outcome.rows)
            if lost:
                notes.append(f"{system}: {lost} spans stand partly or wholly in no chunk")
        for where in ("units", "tokens"):
            who = [
                s
                for s, outcome in self.systems.items()
                if not outcome.overlap and outcome.at_units == (where == "units")
            ]
            if who:
                notes.append(
                    f"InsideByChance of {', '.join(who)}: as many boundaries, each place between {where} equally likely"
                )
        if self.repeated:
            notes.append(
                f"{self.repeated} spans given by words that occur several times: the first place was taken"
            )
        return notes

    # ------------------------------------------------------------------ the results file

    def signature(self, system: str, name: str) -> str:
        """Return the recipe of a number."""
        outcome = self.systems[system]
        fields = {
            "unit": "character" if self.has_text else "unit",
            "agg": "micro",
            "ref": "spans",
            "docs": len(self.documents),
            "spans": len(outcome.rows),
        }
        if name == "InsideByChance":
            fields["places"] = "units" if outcome.at_units else "tokens"
        if self.missing.get(system):
            fields["missing"] = self.missing[system]
        return "|".join(
            [name, *(f"{key}:{value}" for key, value in fields.items()), f"caesura:{__version__}"]
        )

    def results(self, worst: int = 3) -> Results:
        """Return the results as plain data, in the form of every results file."""
        scores = self.scores
        return Results(
            caesura=__version__,
            against="spans",
            seed=self.seed,
            environment=environment(),
            inputs=self._inputs(),
            metrics={name: self._facts(name) for name in self.measures},
            systems={
                system: {name: self._score(system, name, value) for name, value in row.items()}
                for system, row in scores.items()
            },
            intervals={
                system: {name: [as_number(i.low), as_number(i.high)] for name, i in row.items()}
                for system, row in self.intervals.items()
            },
            density={s: {key: as_number(v) for key, v in row.items()} for s, row in self.density.items()},
            worst=self.worst(worst),
            notes=self.notes(),
        )

    def to_json(self, path: str | Path, *, worst: int = 3, overwrite: bool = True) -> None:
        """Write the results file."""
        write_results(path, self.results(worst), overwrite=overwrite)

    def _score(self, system: str, name: str, value: float) -> Score:
        recipe = self.signature(system, name)
        reason = "chunks overlap: there is no chance level" if value != value else None
        return Score(
            score=as_number(value),
            aggregation="micro",
            documents=len(self.documents),
            reason=reason,
            signature=recipe,
            short_signature=recipe,
        )

    def _facts(self, name: str) -> MetricFacts:
        measure = MEASURES[name]
        return MetricFacts(
            metric=name,
            title=measure.title,
            direction=measure.direction,
            perfect=measure.perfect,
            bounds=(as_number(measure.bounds[0]), as_number(measure.bounds[1])),
            request="spans",
            columns=["sum", "spans"],
        )

    def _inputs(self) -> list[Input]:
        sources = [("documents", "documents", self.source)]
        sources += [("system", name, source) for name, source in self.chunkers.items()]
        return [
            Input(
                role=role,
                name=name,
                documents=len(source.corpus),
                unit=source.corpus.unit,
                file=source.file,
                sha256=source.sha256,
                missing=self.missing.get(name, 0) if role == "system" else 0,
            )
            for role, name, source in sources
        ]


def _quote(words: str) -> str:
    text = " ".join(words.split())
    return text if len(text) <= 70 else text[:67] + "..."
