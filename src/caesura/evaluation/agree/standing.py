# SPDX-License-Identifier: Apache-2.0
"""A system among annotators: every metric against every annotator, the annotators against each other, and the rank."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Missing, pair
from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.agree.scoring import People, Scored, score_people, score_system
from caesura.evaluation.inputs import (
    Source,
    default_metrics,
    requested_metrics,
    standard_metrics,
    with_length_classes,
    wrong_family,
)
from caesura.evaluation.measurement import Answers, Measurement, Rows
from caesura.evaluation.outcome import Corpora
from caesura.metrics.agreement import Candidates, PanelMetric, pooled_window, supporters
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.metrics.base import Aggregation, Floats, Metric, PairwiseMetric, ratio
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Among, CountTables, Input, Results, number
from caesura.results.agree.facts import SupportCorrelation
from caesura.segmentation import Segmentation
from caesura.statistics.exact import exact_sum
from caesura.table import format_number

__all__ = ["PanelEvaluation", "evaluate_among", "gap_support", "support_correlation"]

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
            f"profile {profile!r} exchanges reference and hypothesis, which is not possible with several annotators; "
            "use another profile"
        )
    panel, flats, lacking = _aligned(source.corpus, systems, missing)
    standard = default_metrics(panel.unit, standard_metrics(profile), profile)
    names = [*standard, *_PANEL_METRICS] if metrics is None else metrics
    requested = with_length_classes(requested_metrics(names, profile), cut)
    usable: dict[str, PairwiseMetric | PanelMetric] = {}
    for name, metric in requested.items():
        if not isinstance(metric, (PairwiseMetric, PanelMetric)):
            raise wrong_family(name, metric)
        if by == "micro" and not metric.facts().additive:
            why = "the counts of documents do not add, so there is no micro score"
            raise MetricError(f"{name}: {why}; use macro")
        usable[name] = metric
    return PanelEvaluation(source, systems, usable, panel, flats, lacking, by, profile, threads)


@dataclasses.dataclass(frozen=True)
class PanelEvaluation(Measurement):
    """Systems measured against all annotators of a reference.

    ``panel`` holds the annotators of the documents that every system has, ``hypotheses`` the systems' boundaries in the same
    order, ``missing`` the documents each system lacks. Results do not depend on the number of ``threads``.
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
        """The unit of the segmentations."""
        return self.panel.unit

    @functools.cached_property
    def _scored(self) -> dict[str, dict[str, Scored]]:
        return {
            system: {n: score_system(m, self.panel, flat, self.threads) for n, m in self.metrics.items()}
            for system, flat in self.hypotheses.items()
        }

    @functools.cached_property
    def _people(self) -> dict[str, People]:
        pooled = [name for name in self.metrics if self.aggregation(name) == "micro"]
        return score_people(self.metrics, self.panel, self.threads, pooled=pooled)

    def _by_document(self, scores: Floats) -> list[Floats]:
        """Split the scores of codings by document."""
        return np.split(scores, self.panel.doc_ptr[1:-1])

    def rows(self, system: str, metric: str) -> Rows:
        """Return the mean counts over annotators, and the mean of the scores against them, of every document."""
        scored = self._scored[system][metric]
        return Rows(scored.additive, scored.per_document, ~np.isnan(scored.per_document))

    def counts(self, system: str, metric: str) -> Floats:
        """Return the mean over annotators of the counts of every document."""
        return self._scored[system][metric].additive

    @functools.cached_property
    def ceiling(self) -> dict[str, float]:
        """The score of an annotator against the rest, each left out in turn: mean over annotators, then documents."""
        ceiling = {}
        for name, metric in self.metrics.items():
            people = self._people[name]
            if people.additive is not None:
                ceiling[name] = float(metric.score(exact_sum(people.additive)))
            else:
                means = [mean_defined(scores) for scores in self._by_document(people.scores)]
                ceiling[name] = mean_defined(np.array(means))
        return ceiling

    def standing(self, system: str, metric: str) -> Among:
        """Return the rank of a system among the annotators by one metric."""
        self._check_names(metric, system)
        scored, badness = self._scored[system][metric], self.metrics[metric].card.badness
        people = self._by_document(badness(self._people[metric].scores))
        ranks, sizes, beats = [], [], []
        for mine, others in zip(badness(scored.per_document).tolist(), people, strict=True):
            theirs = others[~np.isnan(others)]
            if math.isnan(mine) or not len(theirs):
                continue
            # Means of the same scores over different annotators may differ by rounding: still a tie.
            better, ties = int((theirs < mine - _TIE).sum()), int((np.abs(theirs - mine) <= _TIE).sum())
            ranks.append(1 + better + ties / 2)
            sizes.append(len(theirs) + 1)
            beats.append((len(theirs) - better - ties / 2) / len(theirs))
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
        """Return the mean components of a score, if the metric has bounds: raw, best, worst, too many, too few."""
        ours, counts = self.metrics[metric], self._scored[system][metric].counts
        if not isinstance(ours, MultiWindowDiff):
            return {}
        judgements = counts[:, 1] * counts[:, 2]
        too_many, too_few = ratio(counts[:, 4], judgements), ratio(counts[:, 5], judgements)
        names = ("raw", "best", "worst", "too_many", "too_few")
        values = (*ours.bounds_of(counts), too_many, too_few)
        return {name: mean_defined(value) for name, value in zip(names, values, strict=True)}

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return the parameters resolved from the data, such as window sizes."""
        return self._scored[system][metric].resolved

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that a system lacks."""
        return self.missing[system]

    def complete(self, results: Results, answers: Answers) -> None:
        """Add the rank of every system among the annotators, and the components of its scores."""
        for system, row in results.systems.items():
            for name, score in row.items():
                score.among = self.standing(system, name)
                parts = self.parts(system, name)
                score.parts = {key: number(value) for key, value in parts.items()} or None
        results.difficulty = number(mean_defined(self.difficulty))
        found = {system: support_correlation(self.panel, s.corpus) for system, s in self.systems.items()}
        correlations = {system: c for system, c in found.items() if c is not None}
        results.support_correlations = correlations or None
        results.notes += [
            f"{system}: rank correlation of its scores with the annotators' support {format_number(c.spearman)} "
            f"(mean of {c.documents} documents)"
            for system, c in correlations.items()
        ]

    def corpora(self) -> Corpora:
        """Return the documents with their annotators, and the systems."""
        return super().corpora()._replace(documents=self.reference.corpus)

    def inputs(self) -> list[Input]:
        """Return the reference and the systems as named in the results."""
        return [self.reference.as_input("reference"), *super().inputs()]

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns."""
        return metric, self.metrics[metric].columns

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes and omissions."""
        first = next(iter(self.systems))
        notes = [self.signature(name, first, short=True) for name in self.metrics]
        corpus = self.reference.corpus
        notes += [
            f"{system}: {len(lacking)} of {len(corpus)} documents missing, skipped"
            for system, lacking in self.missing.items()
            if lacking
        ]
        unannotated = sum(not document.annotations for document in corpus)
        if unannotated:
            notes.append(f"{unannotated} documents of the reference have no annotator, left out")
        return notes + self.left_out()

    def count_tables(self) -> CountTables:
        """Return system to metric to counts, one row per coding, or per document for a metric of a panel."""
        return {s: {name: each.counts for name, each in row.items()} for s, row in self._scored.items()}

    def count_rows(self) -> Sequence[str]:
        """Return the codings, as ``document/annotator``."""
        p = self.panel
        return [f"{p.ids[d]}/{p.names[a]}" for d, a in zip(p.document, p.annotator, strict=True)]


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
        name: pair(stand_in, _without(s.corpus, unread), name=name, missing=missing) for name, s in systems.items()
    }
    # The annotated documents have the same order in the panel and in the pairing.
    common = np.arange(len(panel))
    for pairing in pairings.values():
        common = np.intersect1d(common, pairing.rows)
    if not len(common):
        raise ComparabilityError("no annotated document is in every system; check the ids")
    flats = {}
    for name, pairing in pairings.items():
        places = np.intersect1d(common, pairing.rows, return_indices=True)[2]
        flats[name] = pairing.pairs.hypothesis.take(places)
    return panel.take(common.tolist()), flats, {name: p.skipped for name, p in pairings.items()}


def _without(corpus: Corpus, unread: set[str]) -> Corpus:
    return corpus.subset(key for key in corpus.ids if key not in unread) if unread else corpus


def _with_any_segmentation(document: Document) -> Document:
    """Give a document any boundaries, so that it can be paired."""
    # The annotators segmented a known length, so the end is no longer open.
    any_one = document.segmentation or Segmentation(document.n_units, unit=document.unit)
    return dataclasses.replace(document, segmentation=any_one, open_ended=False)


def gap_support(panel: Panel) -> list[Floats]:
    """Return the share of annotators with a boundary within half a window of each gap, for every document.

    >>> from caesura.segmentation import Segmentation
    >>> gap_support(Panel.of([Segmentation(6, (2,)), Segmentation(6, (3,))]))[0].tolist()
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    sizes = panel.n_units - 1
    starts = np.cumsum(sizes) - sizes
    document = np.repeat(np.arange(len(panel)), sizes)
    gaps = np.arange(int(sizes.sum())) - starts[document] + 1
    empty = np.empty(0, dtype=np.int64)
    votes = supporters(panel, Candidates(document, gaps, empty, empty), pooled_window(panel) // 2)
    return np.split(votes / panel.n_annotators[document], starts[1:])


def support_correlation(panel: Panel, system: Corpus) -> SupportCorrelation | None:
    """Return the mean over documents of Spearman's correlation of scores with support; None if there are no scores."""
    scored = [(row, system[key].scores) for row, key in enumerate(panel.ids)]
    known = {row: scores for row, scores in scored if scores is not None and len(scores) == panel.n_units[row] - 1}
    if not known:
        return None
    correlations = [
        _spearman(np.asarray(scores, dtype=np.float64), support)
        for scores, support in zip(known.values(), gap_support(panel.take(list(known))), strict=True)
    ]
    defined = np.array(correlations)
    return SupportCorrelation(spearman=number(mean_defined(defined)), documents=int((~np.isnan(defined)).sum()))


def _spearman(first: Floats, second: Floats) -> float:
    """Return Spearman's correlation, equal values sharing their mean rank; NaN if one side has a single value."""
    ranks = [_ranks(first), _ranks(second)]
    if any(np.ptp(rank) == 0 for rank in ranks):
        return float("nan")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Sequence[float] | Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[inverse]
    return ranks
