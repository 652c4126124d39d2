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
from caesura.evaluation.agree.chance import Level, chance_among, clocks_among
from caesura.evaluation.agree.scoring import People, Scored, score_people, score_system
from caesura.evaluation.agree.support import support_correlation
from caesura.evaluation.chance.skill import skill_of
from caesura.evaluation.inputs import (
    Source,
    default_metrics,
    requested_metrics,
    standard_metrics,
    with_length_classes,
    wrong_family,
)
from caesura.evaluation.intervals import DRAWS
from caesura.evaluation.measurement import Answers, Rows
from caesura.evaluation.outcome import Corpora
from caesura.evaluation.referenced import Referenced
from caesura.metrics.agreement import PanelMetric
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.metrics.base import Aggregation, Floats, Metric, PairwiseMetric, ratio
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.profiles import profile as find_profile
from caesura.metrics.profiles import under_profile
from caesura.results import Among, Blind, CountTables, Input, Results, Skill, number
from caesura.segmentation import Segmentation
from caesura.statistics.exact import exact_sum
from caesura.table import format_number

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
    against: str = "annotators",
) -> PanelEvaluation:
    """Measure systems against all annotators of a reference, or the best of each document; see `caesura.evaluate`."""
    if find_profile(profile).swap:
        raise MetricError(
            f"profile {profile!r} exchanges reference and hypothesis, which is not possible with several annotators; "
            "use another profile"
        )
    panel, flats, lacking = _aligned(source.corpus, systems, missing)
    standard = default_metrics(panel.unit, standard_metrics(profile), profile)
    untitled = [name for name in standard_metrics(profile) if under_profile(name, profile).needs_titles()]
    if untitled and metrics is None:
        remark = f"{', '.join(untitled)}: not scored, since annotations have no titles"
        systems = {name: system.remarked(remark) for name, system in systems.items()}
    names = [*standard, *(_PANEL_METRICS if against == "annotators" else ())] if metrics is None else metrics
    requested = with_length_classes(requested_metrics(names, profile), cut)
    usable: dict[str, PairwiseMetric | PanelMetric] = {}
    for name, metric in requested.items():
        if not isinstance(metric, (PairwiseMetric, PanelMetric)):
            raise wrong_family(name, metric)
        if against == "best" and isinstance(metric, PanelMetric):
            raise MetricError(f"{name}: is of all annotators at once, so none is the best; use --against annotators")
        if by == "micro" and not metric.facts().additive:
            why = "the counts of documents do not add, so there is no micro score"
            raise MetricError(f"{name}: {why}; use macro")
        usable[name] = metric
    return PanelEvaluation(source, systems, usable, panel, flats, lacking, by, profile, threads, against)


@dataclasses.dataclass(frozen=True)
class PanelEvaluation(Referenced):
    """Systems measured against all annotators of a reference: the mean over them or, ``against="best"``, the nearest of each document.

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
        return score_people(self.metrics, self.panel, self.threads, pooled=pooled, nearest=self.against == "best")

    def _by_document(self, scores: Floats) -> list[Floats]:
        """Split the scores of codings by document."""
        return np.split(scores, self.panel.doc_ptr[1:-1])

    def rows(self, system: str, metric: str) -> Rows:
        """Return counts and score of every document: means over annotators, or those of the nearest."""
        return self._rows(self._scored[system][metric])

    def _rows(self, scored: Scored) -> Rows:
        if self.against == "best":
            return Rows(scored.nearest, scored.best, ~np.isnan(scored.best))
        return Rows(scored.additive, scored.per_document, ~np.isnan(scored.per_document))

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts of every document: the mean over annotators, or those of the nearest."""
        return self.rows(system, metric).counts

    def only(self, systems: Mapping[str, Source]) -> PanelEvaluation:
        """Return the evaluation of some of the systems."""
        return dataclasses.replace(
            self,
            systems=systems,
            hypotheses={name: self.hypotheses[name] for name in systems},
            missing={name: self.missing[name] for name in systems},
        )

    # ------------------------------------------------------------------ chance and density

    def expectations(self, draws: int = DRAWS, seed: int = 0) -> dict[str, dict[str, Skill]]:
        """Return the expectation by chance of every score, and its skill: system to metric."""
        return {
            system: {name: self._skill(system, name, level, seed) for name, level in found.items()}
            for system in self.systems
            for found in [self._chance(system, self.metrics, draws, seed)]
        }

    def blind_scores(self, metric: str, draws: int = DRAWS, seed: int = 0) -> dict[str, Blind]:
        """Return the scores of random and evenly spaced boundaries by a metric."""
        found, bors, chosen = {}, self.bors(), self.metrics[metric]
        for system, flat in self.hypotheses.items():
            level = self._chance(system, {metric: chosen}, draws, seed)[metric]
            score = functools.partial(self._score_of, system, metric)
            clocks = clocks_among(self.panel, flat, chosen, score)
            found[system] = Blind(
                chance=number(level.mean),
                error=number(level.error),
                clock=number(min(clocks, key=chosen.facts().badness)),
                bor=number(bors[system]),
                signature=level.signature(seed),
            )
        return found

    def bors(self) -> dict[str, float]:
        """Return the boundaries of every system per boundary of the mean annotator, of all documents."""
        p = self.panel
        mean = float((np.bincount(p.document, weights=p.n_boundaries, minlength=len(p)) / p.n_annotators).sum())
        return {system: float(BOR().score(np.array([mean, len(flat.pos)]))) for system, flat in self.hypotheses.items()}

    def _chance(
        self, system: str, metrics: Mapping[str, PairwiseMetric | PanelMetric], draws: int, seed: int
    ) -> dict[str, Level]:
        micro = [name for name in metrics if self.aggregation(name) == "micro"]
        whole = frozenset(metrics if self.against == "best" else micro)
        score = functools.partial(self._score_of, system)
        return chance_among(
            self.panel, self.hypotheses[system], metrics, score, each=whole, draws=draws, seed=seed
        )  # fmt: skip

    def _score_of(self, system: str, metric: str, scored: Scored) -> float:
        """Return the score of other boundaries of the same documents."""
        return self.aggregate(system, metric, self._rows(scored), self.used(metric)).score

    def _skill(self, system: str, metric: str, level: Level, seed: int) -> Skill:
        perfect = self.metrics[metric].facts().perfect
        return Skill(
            expected=number(level.mean),
            skill=number(skill_of(self.scores[system][metric], level.mean, perfect)),
            exact=level.draws == 0,
            error=number(level.error),
            draws=level.draws,
            seed=seed,
            signature=level.signature(seed),
        )

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

    def against_others(self, metric: str) -> Floats:
        """Return the score of each coding against the other annotators of its document; NaN where there are none."""
        return self._people[metric].scores

    def standing(self, system: str, metric: str) -> Among:
        """Return the rank of a system among the annotators by one metric."""
        self._check_names(metric, system)
        scored, badness = self._scored[system][metric], self.metrics[metric].card.badness
        own = self._rows(scored).scores
        people = self._by_document(badness(self._people[metric].scores))
        ranks, sizes, beats = [], [], []
        for mine, others in zip(badness(own).tolist(), people, strict=True):
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
        super().complete(results, answers)
        for system, row in results.systems.items():
            for name, score in row.items():
                score.among = self.standing(system, name)
                parts = self.parts(system, name)
                score.parts = {key: number(value) for key, value in parts.items()} or None
        results.references, results.axis = answers.references, answers.axis
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
