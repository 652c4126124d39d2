# SPDX-License-Identifier: Apache-2.0
"""A system among people: every metric against every annotator, the people against each other, and the rank."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Missing, Pairs, pair
from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.aggregate import block_sum, mean_defined
from caesura.evaluation.annotators.scoring import (
    People,
    Scored,
    count_pairs,
    mean_rows,
    people_against_panel,
    reduce_to_documents,
)
from caesura.evaluation.inputs import Source, asked_metrics, default_metrics, with_length_classes
from caesura.evaluation.measurement import Measurement, Rows
from caesura.metrics.agreement import PanelMetric, annotator_pairs
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.metrics.base import Aggregation, Floats, Metric, PairwiseMetric, ratio
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Among, Input, Results, number
from caesura.segmentation import Segmentation
from caesura.table import Column

__all__ = ["PanelEvaluation", "evaluate_among"]

_TIE = 1e-12
_PANEL_METRICS = ("MultiWindowDiff", "ProminencePrecision", "ProminenceRecall")


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
class PanelEvaluation(Measurement):
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
    against: str = "annotators"

    @property
    def documents(self) -> list[str]:  # type: ignore[override]
        """The ids of the documents."""
        return list(self.panel.ids)

    @property
    def unit(self) -> str:  # type: ignore[override]
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

    def rows(self, system: str, metric: str) -> Rows:
        """Return the mean counts over annotators, and the mean of the scores against them, of every document."""
        scored = self._scored[system][metric]
        return Rows(scored.additive, scored.per_document, ~np.isnan(scored.per_document))

    def counts(self, system: str, metric: str) -> Floats:
        """Return the mean over annotators of the counts of every document."""
        return self._scored[system][metric].additive

    @functools.cached_property
    def ceiling(self) -> dict[str, float]:
        """What an annotator scores against the rest, each left out in turn: mean over people, then documents."""
        found = {}
        for name, metric in self.metrics.items():
            people = self._people[name]
            if self.aggregation(name) == "micro":
                found[name] = float(metric.score(block_sum(people.additive)))
            else:
                found[name] = mean_defined(np.array([mean_defined(values) for values in people.scores]))
        return found

    def standing(self, system: str, metric: str) -> Among:
        """Say how a system ranks among the annotators by one metric."""
        scored, people = self._scored[system][metric], self._people[metric].scores
        badness = Column("", self.metrics[metric].card.direction, self.metrics[metric].card.perfect).badness
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
        return Among(
            best=number(mean_defined(scored.best[np.isfinite(scored.best)])),
            worst=number(mean_defined(scored.worst[np.isfinite(scored.worst)])),
            people=number(self.ceiling[metric]),
            rank=number(mean_defined(np.array(ranks))),
            of=number(mean_defined(np.array(sizes, dtype=np.float64))),
            beats=number(mean_defined(np.array(beats))),
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

    # ------------------------------------------------------------------ the results

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return what the data decided, such as the windows that were used."""
        return self._scored[system][metric].resolved

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that a system lacks."""
        return self.missing[system]

    def _pairs(self, hypothesis: Flat) -> Pairs:
        """Lay a hypothesis beside every coding of its documents."""
        codings, repeated = self.panel.codings, hypothesis.take(self.panel.document)
        return Pairs(codings.n_units, codings.ptr, codings.pos, repeated.ptr, repeated.pos, self.unit)

    def complete(self, results: Results) -> None:
        """Add how every system ranks among the annotators, and what its scores are made of."""
        for system, row in results.systems.items():
            for name, score in row.items():
                score.among = self.standing(system, name)
                parts = self.parts(system, name)
                score.parts = {key: number(value) for key, value in parts.items()} or None
        results.difficulty = number(mean_defined(self.difficulty))

    def inputs(self) -> list[Input]:
        """Return the reference and the systems, as the results name them."""
        return [self.reference.as_input("reference"), *super().inputs()]

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns."""
        return metric, self.metrics[metric].columns

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes, and what was left out."""
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
        return notes + self.left_out()

    def count_tables(self) -> dict[str, dict[str, Floats]]:
        """Return system to metric to counts, one row per coding, or per document for a metric of a panel."""
        return {s: {name: each.counts for name, each in row.items()} for s, row in self._scored.items()}

    def count_rows(self) -> Sequence[str]:
        """Return the codings, as ``document/annotator``."""
        return [
            f"{key}/{name}" for row, key in enumerate(self.panel.ids) for name in self.panel.of_document(row)
        ]


def _windows_used(metric: PanelMetric, counts: Floats) -> dict[str, str]:
    """Say which windows a panel metric used, if it has one."""
    if "m" not in metric.columns:
        return {}
    used = counts[:, metric.columns.index("m")]
    low, high = int(used.min()), int(used.max())
    return {"m": str(low) if low == high else f"{low}..{high}"}
