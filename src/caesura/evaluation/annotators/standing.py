# SPDX-License-Identifier: Apache-2.0
"""A system among people: every metric against every annotator, the people against each other, and the rank."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from caesura._version import __version__
from caesura.batches.flat import Flat
from caesura.batches.pairs import Missing, Pairs, pair
from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.aggregate import Aggregate, block_sum, mean_defined
from caesura.evaluation.annotators.scoring import (
    People,
    Scored,
    count_pairs,
    mean_rows,
    people_against_panel,
    reduce_to_documents,
)
from caesura.evaluation.inputs import Source, asked_metrics, default_metrics, with_length_classes
from caesura.evaluation.reference.report import environment
from caesura.evaluation.signature import Signature
from caesura.metrics.agreement import PanelMetric, annotator_pairs
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.metrics.base import Aggregation, Floats, Metric, PairwiseMetric, ratio
from caesura.metrics.profiles import profile as find_profile
from caesura.results import AmongPeople, MetricFacts, Results, Score, as_number, write_results
from caesura.segmentation import Segmentation
from caesura.table import Column, Table, Value

__all__ = ["PEOPLE", "PanelEvaluation", "Standing", "evaluate_among"]

PEOPLE = "people (each against the rest)"
"""The row of the annotators themselves."""

_TIE = 1e-12
_PANEL_METRICS = ("MultiWindowDiff", "ProminencePrecision", "ProminenceRecall")


@dataclasses.dataclass(frozen=True)
class Standing:
    """How a system stands among the people, by one metric.

    Attributes
    ----------
    mean, best, worst : float
        Mean over documents of the mean over annotators, and of the score against the annotator it agrees with most and
        least.
    people : float
        What an annotator scores against the rest, each left out in turn: the ceiling.
    rank : float
        The mean rank among the people of a document, the system being one more; ties share a rank.
    of : float
        The mean number it is ranked among.
    beats : float
        The share of people it is better than, ties counting half.
    """

    mean: float
    best: float
    worst: float
    people: float
    rank: float
    of: float
    beats: float


def evaluate_among(
    source: Source,
    systems: Mapping[str, Source],
    metrics: Iterable[str | Metric] | str | Metric | None,
    *,
    by: Aggregation | None = None,
    profile: str = "caesura",
    missing: Missing = "error",
    cut: int | str | None = None,
    threads: int = 1,
) -> PanelEvaluation:
    """Measure systems against all annotators of a reference; see `caesura.evaluate`."""
    if find_profile(profile).swap:
        raise MetricError(
            f"profile {profile!r} exchanges reference and hypothesis, which several annotators do not allow; "
            "take another profile"
        )
    panel, flats, lacking = _aligned(source.corpus, systems, missing)
    wanted = [*default_metrics(panel.unit), *_PANEL_METRICS] if metrics is None else metrics
    asked = (
        with_length_classes(asked_metrics(wanted, profile), cut) if cut else asked_metrics(wanted, profile)
    )
    usable: dict[str, PairwiseMetric | PanelMetric] = {}
    for name, metric in asked.items():
        if not isinstance(metric, (PairwiseMetric, PanelMetric)):
            raise MetricError(f"{name}: measures the annotators alone; see caesura agree")
        if by == "micro" and not metric.facts().additive:
            raise MetricError(
                f"{name}: the counts of documents do not add, so there is no micro score; use macro"
            )
        usable[name] = metric
    return PanelEvaluation(source, systems, usable, panel, flats, lacking, by, profile, threads)


def _aligned(
    corpus: Corpus, systems: Mapping[str, Source], missing: Missing
) -> tuple[Panel, dict[str, Flat], dict[str, tuple[str, ...]]]:
    """Return the panel and the hypotheses of the annotated documents that every system has."""
    panel = Panel.from_corpus(corpus)
    stand_in = Corpus(
        [_with_any_segmentation(document) for document in corpus if document.annotations],
        name=corpus.name,
        ids_are_given=corpus.ids_are_given,
    )
    unread = set(corpus.ids) - set(panel.ids)
    pairings = {
        name: pair(stand_in, _without(s.corpus, unread), name=name, missing=missing)
        for name, s in systems.items()
    }
    kept = set(panel.ids)
    for pairing in pairings.values():
        kept &= {panel.ids[row] for row in pairing.rows.tolist()}
    if not kept:
        raise ComparabilityError("no annotated document is in every system; check the ids")
    ids = [key for key in panel.ids if key in kept]
    place = {key: row for row, key in enumerate(panel.ids)}
    flats = {}
    for name, pairing in pairings.items():
        where = {panel.ids[row]: spot for spot, row in enumerate(pairing.rows.tolist())}
        p = pairing.pairs
        rows = np.array([where[key] for key in ids], dtype=np.int64)
        flats[name] = Flat(p.n_units, p.hyp_ptr, p.hyp_pos).take(rows)
    return panel.take([place[key] for key in ids]), flats, {name: p.skipped for name, p in pairings.items()}


def _without(corpus: Corpus, unread: set[str]) -> Corpus:
    """Leave out the documents that nobody annotated."""
    return corpus.subset(key for key in corpus.ids if key not in unread) if unread else corpus


def _with_any_segmentation(document: Document) -> Document:
    """Give a document boundaries, so that it can be paired; which ones does not matter."""
    # The annotators coded a length, so it is no longer open.
    any_one = document.segmentation or Segmentation(document.n_units, unit=document.unit)
    return dataclasses.replace(document, segmentation=any_one, open_ended=False)


@dataclasses.dataclass(frozen=True)
class PanelEvaluation:
    """Systems measured against all annotators of a reference.

    Attributes
    ----------
    reference : Source
        Documents with annotators.
    systems : mapping of str to Source
        What was judged.
    metrics : mapping of str to metric
        By the text each was asked for with.
    panel : Panel
        The annotators of the documents that every system has.
    hypotheses : mapping of str to Flat
        The systems' boundaries, in the order of the panel.
    missing : mapping of str to tuple of str
        The documents each system lacks.
    by : {"macro", "micro"} or None
        The aggregation asked for; None for each metric's own.
    profile : str
        Whose conventions hold.
    threads : int
        How many threads count.
    """

    reference: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, PairwiseMetric | PanelMetric]
    panel: Panel
    hypotheses: Mapping[str, Flat]
    missing: Mapping[str, tuple[str, ...]]
    by: Aggregation | None = None
    profile: str = "caesura"
    threads: int = 1

    @property
    def documents(self) -> list[str]:
        """The ids of the documents."""
        return list(self.panel.ids)

    @property
    def unit(self) -> str:
        """What was counted."""
        return self.panel.unit

    # ------------------------------------------------------------------ numbers

    @functools.cached_property
    def _scored(self) -> dict[str, dict[str, Scored]]:
        return {
            system: {name: self._score_system(metric, flat) for name, metric in self.metrics.items()}
            for system, flat in self.hypotheses.items()
        }

    def _score_system(self, metric: PairwiseMetric | PanelMetric, hypothesis: Flat) -> Scored:
        if isinstance(metric, PanelMetric):
            counts = metric.count(PanelPairs(self.panel, hypothesis))
            scores = metric.score(counts)
            unknown = np.full(len(scores), np.nan)
            return Scored(counts, scores, unknown, unknown, counts, _windows_used(metric, counts))
        counts, resolved = count_pairs(metric, self._pairs(hypothesis), self.threads)
        scored = reduce_to_documents(metric, counts, self.panel.document, len(self.panel))
        return dataclasses.replace(scored, resolved=resolved)

    @functools.cached_property
    def _people(self) -> dict[str, People]:
        """For each metric, what the annotators of each document score against the rest."""
        return {name: self._score_people(metric) for name, metric in self.metrics.items()}

    def _score_people(self, metric: PairwiseMetric | PanelMetric) -> People:
        if isinstance(metric, PanelMetric):
            return people_against_panel(metric, self.panel)
        pairs, _, _, hypothesis = annotator_pairs(self.panel, ordered=True)
        counts, _ = count_pairs(metric, pairs, self.threads)
        # One "document" per person: the pairs in which he is the hypothesis.
        person = reduce_to_documents(metric, counts, hypothesis, len(self.panel.annotator))
        return People(
            [person.per_document[start:stop] for start, stop in itertools.pairwise(self.panel.doc_ptr)],
            mean_rows(person.additive, self.panel.document, len(self.panel)),
        )

    def per_document(self, system: str, metric: str) -> Floats:
        """Return one score per document: the mean over its annotators."""
        return self._scored[system][metric].per_document

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        found: dict[str, dict[str, Aggregate]] = {system: {} for system in self.systems}
        for name, metric in self.metrics.items():
            how = self.by or metric.card.aggregation
            included = {s: ~np.isnan(self._scored[s][name].per_document) for s in self.systems}
            shared = np.logical_and.reduce(list(included.values()))
            for system in self.systems:
                scored = self._scored[system][name]
                undefined = int((~included[system]).sum())
                if how == "micro":
                    score = float(metric.score(block_sum(scored.additive)))
                    found[system][name] = Aggregate(score, "micro", len(self.panel), undefined)
                    continue
                used = int(shared.sum())
                score = (
                    float(block_sum(np.where(shared, scored.per_document, 0.0)) / used) if used else math.nan
                )
                dropped = int(included[system].sum()) - used
                found[system][name] = Aggregate(score, "macro", used, undefined, dropped)
        return found

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to metric to score."""
        return {system: {name: a.score for name, a in row.items()} for system, row in self.aggregates.items()}

    @functools.cached_property
    def ceiling(self) -> dict[str, float]:
        """What an annotator scores against the rest, each left out in turn: mean over people, then documents."""
        found = {}
        for name, metric in self.metrics.items():
            people = self._people[name]
            if (self.by or metric.card.aggregation) == "micro":
                found[name] = float(metric.score(block_sum(people.additive)))
            else:
                found[name] = mean_defined(np.array([mean_defined(values) for values in people.scores]))
        return found

    def standing(self, system: str, metric: str) -> Standing:
        """Say how a system stands among the people by one metric."""
        scored, people = self._scored[system][metric], self._people[metric].scores
        badness = self.metrics[metric].card.badness
        ranks, sizes, beats = [], [], []
        for score, others in zip(scored.per_document, people, strict=True):
            others = others[~np.isnan(others)]
            if math.isnan(score) or not len(others):
                continue
            mine = badness(float(score))
            theirs = np.array([badness(float(value)) for value in others])
            # Means of the same scores over other people may differ in their last digits: still a tie.
            better, ties = int((theirs < mine - _TIE).sum()), int((np.abs(theirs - mine) <= _TIE).sum())
            ranks.append(1 + better + ties / 2)
            sizes.append(len(others) + 1)
            beats.append((len(others) - better - ties / 2) / len(others))
        return Standing(
            mean=self.aggregates[system][metric].score,
            best=mean_defined(scored.best[np.isfinite(scored.best)]),
            worst=mean_defined(scored.worst[np.isfinite(scored.worst)]),
            people=self.ceiling[metric],
            rank=mean_defined(np.array(ranks)),
            of=mean_defined(np.array(sizes, dtype=np.float64)),
            beats=mean_defined(np.array(beats)),
        )

    @functools.cached_property
    def difficulty(self) -> Floats:
        """The best case of MultiWindowDiff for each document: how far the annotators disagree among themselves."""
        metric = MultiWindowDiff()
        counts = metric.count(PanelPairs(self.panel, next(iter(self.hypotheses.values()))))
        return metric.bounds_of(counts)[1]

    def parts(self, system: str, metric: str) -> dict[str, float]:
        """Return of what a score is made, where the metric tells: raw, best, worst, too many, too few."""
        chosen = self.metrics[metric]
        if not hasattr(chosen, "bounds_of"):
            return {}
        counts = self._scored[system][metric].counts
        raw, best, worst = chosen.bounds_of(counts)
        judgements = counts[:, 1] * counts[:, 2]
        made = {
            "raw": raw,
            "best": best,
            "worst": worst,
            "too_many": ratio(counts[:, 4], judgements),
            "too_few": ratio(counts[:, 5], judgements),
        }
        return {key: mean_defined(values[~np.isnan(values)]) for key, values in made.items()}

    # ------------------------------------------------------------------ recipes

    def signature(self, metric: str, system: str | None = None, *, short: bool = False) -> str:
        """Return the recipe of a number; of the first system unless one is named."""
        recipe = self._signature(metric, system or next(iter(self.systems)))
        return recipe.short() if short else recipe.long()

    def _signature(self, metric: str, system: str) -> Signature:
        return Signature(
            metric=self.metrics[metric],
            aggregate=self.aggregates[system][metric],
            unit=self.unit,
            resolved=self._scored[system][metric].resolved,
            profile=self.profile,
            missing=len(self.missing[system]),
            against="annotators",
        )

    def _pairs(self, hypothesis: Flat) -> Pairs:
        """Lay a hypothesis beside every coding of its documents."""
        codings, repeated = self.panel.codings, hypothesis.take(self.panel.document)
        return Pairs(codings.n_units, codings.ptr, codings.pos, repeated.ptr, repeated.pos, self.unit)

    # ------------------------------------------------------------------ tables

    def table(self) -> Table:
        """Return the ladder: one row per system, the people below, one column per metric."""
        rows: list[list[Value]] = [
            [s, *(row[name].score for name in self.metrics)] for s, row in self.aggregates.items()
        ]
        rows.append([PEOPLE, *(self.ceiling[name] for name in self.metrics)])
        columns = [Column(name, m.card.direction, m.card.perfect) for name, m in self.metrics.items()]
        return Table(
            [Column("system"), *columns], rows, notes=self.notes(), title="Against every annotator, mean"
        )

    def standing_table(self) -> Table:
        """Return, for each system and metric, the nearest and farthest annotator, the people, and the rank."""
        rows: list[list[Value]] = []
        for system in self.systems:
            for name in self.metrics:
                s = self.standing(system, name)
                rows.append(
                    [system, name, s.mean, s.best, s.worst, s.people, f"{s.rank:.1f} of {s.of:.1f}", s.beats]
                )
        titles = ("system", "metric", "mean", "nearest", "farthest", "people", "rank", "beats")
        notes = [
            "nearest, farthest: against the annotator of each document it agrees with most and least",
            "people: each annotator against the rest; rank: among the people of a document; beats: share of people it is better than",
            f"difficulty of the documents (best possible raw disagreement): {mean_defined(self.difficulty):.3f}",
        ]
        for system in self.systems:
            for name in self.metrics:
                made = ", ".join(
                    f"{key.replace('_', ' ')} {value:.3f}" for key, value in self.parts(system, name).items()
                )
                if made:
                    notes.append(f"{system}, {name} is made of: {made}")
        return Table([Column(title) for title in titles], rows, notes=notes, title="Among the people")

    def tables(self) -> list[Table]:
        """Return every table."""
        return [self.table(), self.standing_table()]

    def document_table(self) -> Table:
        """Return one row per system and document."""
        rows: list[list[Value]] = []
        for system in self.systems:
            scores = [self.per_document(system, name).tolist() for name in self.metrics]
            rows += [[system, key, *values] for key, *values in zip(self.panel.ids, *scores, strict=True)]
        columns = [Column(name) for name in self.metrics]
        return Table([Column("system"), Column("document"), *columns], rows, notes=self.notes())

    def notes(self) -> list[str]:
        """Return what must be said below the numbers."""
        first = next(iter(self.systems))
        notes = [self.signature(name, first, short=True) for name in self.metrics]
        for system, lacking in self.missing.items():
            if lacking:
                notes.append(
                    f"{system}: {len(lacking)} of {len(self.reference.corpus)} documents missing, skipped"
                )
        unannotated = len(self.reference.corpus) - len(Panel.from_corpus(self.reference.corpus))
        if unannotated:
            notes.append(f"{unannotated} documents of the reference have no annotator, left out")
        for system, row in self.aggregates.items():
            for name, a in row.items():
                if a.undefined:
                    why = self.metrics[name].why_undefined()
                    notes.append(
                        f"{system}, {name}: {a.undefined} of {len(self.panel)} documents undefined ({why})"
                    )
        return notes

    # ------------------------------------------------------------------ the results file

    def results(self, *, per_document: bool = False) -> Results:
        """Return the results as plain data."""
        return Results(
            caesura=__version__,
            profile=self.profile,
            against="annotators",
            environment=environment(),
            inputs=[self.reference.as_input("reference", 0)]
            + [s.as_input("system", len(self.missing[name])) for name, s in self.systems.items()],
            metrics={name: _facts(name, metric) for name, metric in self.metrics.items()},
            systems={s: {name: self._score(s, name) for name in self.metrics} for s in self.systems},
            documents=self.documents if per_document else None,
            per_document={
                s: {name: [as_number(v) for v in self.per_document(s, name)] for name in self.metrics}
                for s in self.systems
            }
            if per_document
            else None,
            notes=self.notes(),
        )

    def _score(self, system: str, name: str) -> Score:
        a, recipe, standing = (
            self.aggregates[system][name],
            self._signature(name, system),
            self.standing(system, name),
        )
        made = self.parts(system, name)
        return Score(
            score=as_number(a.score),
            aggregation=a.aggregation,
            documents=a.documents,
            undefined=a.undefined,
            dropped=a.dropped,
            reason=self.metrics[name].why_undefined() if math.isnan(a.score) else None,
            signature=recipe.long(),
            short_signature=recipe.short(),
            among=AmongPeople(
                best=as_number(standing.best),
                worst=as_number(standing.worst),
                people=as_number(standing.people),
                rank=as_number(standing.rank),
                of=as_number(standing.of),
                beats=as_number(standing.beats),
            ),
            parts={key: as_number(value) for key, value in made.items()} or None,
        )

    def to_json(
        self,
        path: str | Path,
        *,
        per_document: bool = False,
        results: Results | None = None,
        overwrite: bool = True,
    ) -> None:
        """Write the results file, or results that were added to; the counts have a row per coding, or per document."""
        codings = [
            f"{key}/{name}" for row, key in enumerate(self.panel.ids) for name in self.panel.of_document(row)
        ]
        counts = {s: {name: scored.counts for name, scored in row.items()} for s, row in self._scored.items()}
        write_results(
            path,
            results or self.results(per_document=per_document),
            counts,
            codings,
            {name: metric.columns for name, metric in self.metrics.items()},
            overwrite=overwrite,
        )


def _windows_used(metric: PanelMetric, counts: Floats) -> dict[str, str]:
    """Say which windows a panel metric used, if it has one."""
    if "m" not in metric.columns:
        return {}
    used = counts[:, metric.columns.index("m")]
    low, high = int(used.min()), int(used.max())
    return {"m": str(low) if low == high else f"{low}..{high}"}


def _facts(name: str, metric: Metric) -> MetricFacts:
    facts = metric.facts()
    return MetricFacts(
        metric=str(metric),
        title=facts.title,
        direction=facts.direction,
        perfect=facts.perfect,
        bounds=(as_number(facts.bounds[0]), as_number(facts.bounds[1])),
        request=name,
        columns=list(metric.columns),
    )
