# SPDX-License-Identifier: Apache-2.0
"""Systems that were run several times: scores are means over runs, and tests know the spread over runs and over documents."""

from __future__ import annotations

import dataclasses
import functools
import zlib
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from caesura.batches.flat import Flat, starts_of
from caesura.batches.panel import Panel
from caesura.evaluation.agree.coefficients import coefficient
from caesura.evaluation.agree.standing import PanelEvaluation
from caesura.evaluation.chance.skill import skill_of
from caesura.evaluation.evaluate.report import Evaluation
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import DRAWS
from caesura.evaluation.measurement import Answers, Rows
from caesura.evaluation.outcome import Corpora
from caesura.evaluation.referenced import Referenced
from caesura.metrics.base import Aggregation, Floats, Metric
from caesura.results import Among, Blind, CountTables, Input, Number, Results, Skill, as_float, number
from caesura.results.evaluate.facts import AxisPoint, RunFacts
from caesura.statistics import Bootstrap, Statistic
from caesura.statistics.runs import RunSpread, run_spread

__all__ = ["RunEvaluation", "grouped"]

_AGREEMENT = ("FleissKappa", "AgreementB")
_MANY = 100  # documents from which on the draws of chance are shared among the runs
_APART = 3  # documents on which runs differ most


def grouped(single: Evaluation | PanelEvaluation) -> RunEvaluation | Evaluation | PanelEvaluation:
    """Return an evaluation in which the runs of a system are one; without runs it is unchanged."""
    groups: dict[str, list[str]] = {}
    for name, source in single.systems.items():
        groups.setdefault(source.run_of or name, []).append(name)
    if len(groups) == len(single.systems):
        return single
    return RunEvaluation(single, {name: tuple(runs) for name, runs in groups.items()})


@dataclasses.dataclass(frozen=True)
class RunEvaluation(Referenced):
    """Systems of which some were run several times; ``single`` has every run as a system, ``groups`` the runs of each system.

    A document's score is the mean over runs, on documents where every run is defined; of a pooled metric, the counts are averaged.
    """

    single: Evaluation | PanelEvaluation
    groups: Mapping[str, tuple[str, ...]]

    @property
    def systems(self) -> dict[str, Source]:  # type: ignore[override]
        """The systems, each by its first run; recipes tell how many there are."""
        found = {}
        for name, runs in self.groups.items():
            first = self.single.systems[runs[0]]
            assumed = {**first.assumed, "runs": str(len(runs))} if len(runs) > 1 else first.assumed
            found[name] = dataclasses.replace(first, name=name, assumed=assumed)
        return found

    @property
    def metrics(self) -> Mapping[str, Metric]:  # type: ignore[override]
        """The metrics, as they were requested."""
        return self.single.metrics

    @property
    def documents(self) -> Sequence[str]:  # type: ignore[override]
        """The documents that every run has."""
        return self.single.documents

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The unit of the segmentations."""
        return self.single.unit

    @property
    def by(self) -> Aggregation | None:  # type: ignore[override]
        """How documents are aggregated, as requested."""
        return self.single.by

    @property
    def profile(self) -> str:  # type: ignore[override]
        """The conventions."""
        return self.single.profile

    @property
    def against(self) -> str:  # type: ignore[override]
        """What was scored against."""
        return self.single.against

    @property
    def reference(self) -> Source:  # type: ignore[override]
        """The reference."""
        return self.single.reference

    # ------------------------------------------------------------------ means over runs

    def rows(self, system: str, metric: str) -> Rows:
        """Return counts and scores of every document, means over the runs; a document counts if it does in every run."""
        rows = [self.single.rows(run, metric) for run in self.groups[system]]
        if len(rows) == 1:
            return rows[0]
        scores = np.mean([row.scores for row in rows], axis=0)
        included = np.logical_and.reduce([row.included for row in rows])
        return Rows(np.mean([row.counts for row in rows], axis=0), scores, included)

    def counts(self, system: str, metric: str) -> Floats:
        """Return the mean counts over the runs of every document."""
        return self.rows(system, metric).counts

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return what the data decided, such as the windows that were used."""
        return self.single.resolved(self.groups[system][0], metric)

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that any run of a system lacks."""
        return list(dict.fromkeys(key for run in self.groups[system] for key in self.single.missing_documents(run)))

    def expectations(self, draws: int = DRAWS, seed: int = 0) -> dict[str, dict[str, Skill]]:
        """Return the expectation by chance of every score: the mean over the runs, each at its own density."""
        single = self.single.expectations(self._fewer(draws), seed)
        found: dict[str, dict[str, Skill]] = {}
        for system, runs in self.groups.items():
            found[system] = {}
            for name, metric in self.metrics.items():
                each = [single[run][name] for run in runs]
                expected = float(np.mean([as_float(skill.expected) for skill in each]))
                skill = skill_of(self.scores[system][name], expected, metric.facts().perfect)
                found[system][name] = Skill(
                    expected=number(expected), skill=number(skill), exact=each[0].exact, error=each[0].error,
                    draws=each[0].draws, seed=seed, signature=each[0].signature,
                )  # fmt: skip
        return found

    def blind_scores(self, metric: str, draws: int = DRAWS, seed: int = 0) -> dict[str, Blind]:
        """Return the scores of random and evenly spaced boundaries by a metric, means over the runs."""
        single = self.single.blind_scores(metric, self._fewer(draws), seed)

        def mean(runs: Sequence[str], what: str) -> float:
            return float(np.mean([as_float(getattr(single[run], what)) for run in runs]))

        return {
            system: Blind(
                chance=number(mean(runs, "chance")), error=single[runs[0]].error, clock=number(mean(runs, "clock")),
                bor=number(mean(runs, "bor")), signature=single[runs[0]].signature,
            )
            for system, runs in self.groups.items()
        }  # fmt: skip

    def _fewer(self, draws: int) -> int:
        """Return the draws of every run: of many documents so many that all runs together have as many as one system."""
        runs = min(len(runs) for runs in self.groups.values() if len(runs) > 1)
        return draws if len(self.documents) < _MANY else -(-draws // runs)

    def bors(self) -> dict[str, float]:
        """Return the mean density of the runs of every system."""
        single = self.single.bors()
        return {system: float(np.mean([single[run] for run in runs])) for system, runs in self.groups.items()}

    # ------------------------------------------------------------------ the spread over runs

    @functools.cached_property
    def _spreads(self) -> dict[tuple[str, str], RunSpread]:
        return {}

    def spread(self, system: str, metric: str) -> RunSpread:
        """Return the variances of a score over documents and runs."""
        if (system, metric) not in self._spreads:
            order, used = self.drawn_in, self.used(metric)[self.drawn_in]
            statistics = []
            for run in self.groups[system]:
                rows = self.single.rows(run, metric)
                if self.aggregation(metric) == "micro":
                    statistics.append(Statistic.pooled(rows.counts[order], self.metrics[metric].score))
                else:
                    statistics.append(Statistic.mean(rows.scores[order], used))
            self._spreads[system, metric] = run_spread(statistics)
        return self._spreads[system, metric]

    @property
    def has_runs(self) -> bool:
        """Whether a system was run several times."""
        return True

    def run_draws(self, system: str, metric: str, number: int, seed: int) -> Floats:
        """Return what other runs of a system would add to its score; independent between systems and metrics."""
        # The same for any order of systems.
        return self.spread(system, metric).draws(number, seed + zlib.crc32(f"{system}|{metric}".encode()))

    def replicates(self, bootstrap: Bootstrap) -> dict[str, dict[str, Floats]]:
        """Return every score of every resample: documents are drawn, and the effect of other runs is added."""
        drawn = super().replicates(bootstrap)
        return {
            name: {s: each + self.run_draws(s, name, len(each), bootstrap.seed) for s, each in row.items()}
            for name, row in drawn.items()
        }

    # ------------------------------------------------------------------ the results

    def complete(self, results: Results, answers: Answers) -> None:
        """Add the runs of every system: their scores, their spread, and how far they agree with each other."""
        super().complete(results, answers)
        results.runs = {system: self._facts(system) for system, runs in self.groups.items() if len(runs) > 1}
        if isinstance(self.single, PanelEvaluation):
            self._among(results, self.single)

    def _among(self, results: Results, single: PanelEvaluation) -> None:
        """Add what annotators add: the rank among them, and every choice of the reference; means over the runs."""
        for system, row in results.systems.items():
            for name, score in row.items():
                each = [msgspec.structs.asdict(single.standing(run, name)) for run in self.groups[system]]
                score.among = Among(**{key: _mean([values[key] for values in each]) for key in each[0]})
        for reference in single.answers.references or ():
            scored = replace(
                reference, systems={s: self._means(reference.systems, runs) for s, runs in self.groups.items()}
            )
            results.references = [*(results.references or ()), scored]
        axis = single.answers.axis
        if axis is not None:
            points = {point.name: point for point in axis.points if point.what == "system"}
            scores = {name: point.scores for name, point in points.items()}
            systems = [
                AxisPoint(
                    name=system,
                    what="system",
                    bor=_mean([points[run].bor for run in runs]),
                    scores=self._means(scores, runs),
                )
                for system, runs in self.groups.items()
            ]
            others = [point for point in axis.points if point.what != "system"]
            windows = [
                replace(row, systems={s: _mean([row.systems[run] for run in runs]) for s, runs in self.groups.items()})
                for row in axis.windows
            ]
            results.axis = replace(axis, points=systems + others, windows=windows)

    def _means(self, scores: Mapping[str, Mapping[str, Number]], runs: Sequence[str]) -> dict[str, Number]:
        """Return the mean over the runs of every score that they have."""
        return {name: _mean([scores[run][name] for run in runs]) for name in scores[runs[0]]}

    def _facts(self, system: str) -> RunFacts:
        runs = self.groups[system]
        panel = self._panel(system)
        bootstrap = Bootstrap(len(panel), 100)
        found = {name: coefficient(name, panel, bootstrap) for name in _AGREEMENT}
        kappas = [as_float(value) for value in found[_AGREEMENT[0]].per_document]
        apart = [place for place in np.argsort(kappas).tolist() if kappas[place] == kappas[place]]
        spreads = {name: self.spread(system, name) for name in self.metrics}
        return RunFacts(
            runs=list(runs),
            scores={name: [number(v) for v in each.values.tolist()] for name, each in spreads.items()},
            over_runs={name: number(float(each.values.std(ddof=1))) for name, each in spreads.items()},
            over_documents={name: number(each.of_documents**0.5) for name, each in spreads.items()},
            enough={name: each.enough for name, each in spreads.items()},
            agreement={name: each.score for name, each in found.items()},
            apart=[panel.ids[place] for place in apart[:_APART]],
        )

    def _panel(self, system: str) -> Panel:
        """Return the runs of a system as annotators of the documents."""
        runs = self.groups[system]
        flats = [self._flat(run) for run in runs]
        n, size = len(self.documents), len(runs)
        # The runs of one document lie side by side.
        rows = (np.arange(size) * n + np.arange(n)[:, None]).ravel()
        return Panel(
            tuple(self.documents), flats[0].n_units, starts_of([size] * n), np.tile(np.arange(size), n), runs,
            Flat.joined(flats).take(rows), self.unit,
        )  # fmt: skip

    def _flat(self, run: str) -> Flat:
        single = self.single
        return single.pairs[run].hypothesis if isinstance(single, Evaluation) else single.hypotheses[run]

    def corpora(self) -> Corpora:
        """Return the reference and every run."""
        return self.single.corpora()

    def inputs(self) -> list[Input]:
        """Return the reference and every run, as the results name them."""
        return self.single.inputs()

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns."""
        return self.single.stored(metric)

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes and omissions."""
        return [*(self.signature(name, short=True) for name in self.metrics), *self.left_out()]

    def count_tables(self) -> CountTables:
        """Return the counts of every run."""
        return self.single.count_tables()

    def count_columns(self) -> dict[str, Sequence[str]]:
        """Return the columns of each stored table."""
        return self.single.count_columns()

    def count_rows(self) -> Sequence[str]:
        """Return the names of the rows of the stored tables."""
        return self.single.count_rows()


def _mean(values: Sequence[Number]) -> Number:
    return number(float(np.mean([as_float(value) for value in values])))
