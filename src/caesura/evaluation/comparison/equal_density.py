# SPDX-License-Identifier: Apache-2.0
"""Systems whose scores are at hand, selected again so that all have as many boundaries as the reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.evaluation.chance.skill import system_pairs
from caesura.evaluation.intervals import statistics_of
from caesura.evaluation.reference.report import Evaluation
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.metrics.profiles import profile as find_profile
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap, Interval, Statistic

__all__ = ["EqualDensity", "at_equal_density"]


@dataclasses.dataclass(frozen=True)
class EqualDensity:
    """Systems at the density of the reference.

    Attributes
    ----------
    systems : frozenset of str
        Those that have scores.
    statistics : mapping of str to mapping of str to Statistic
        Metric to system.
    replicates : mapping of str to mapping of str to float64[resamples]
        The same resampled.
    bootstrap : Bootstrap
        How documents are resampled.
    """

    systems: frozenset[str]
    statistics: Mapping[str, Mapping[str, Statistic]]
    replicates: Mapping[str, Mapping[str, Floats]]
    bootstrap: Bootstrap

    def difference(self, metric: str, first: str, second: str) -> tuple[float, Interval]:
        """Return the difference of two systems at equal density, and its interval."""
        statistics, replicates = self.statistics[metric], self.replicates[metric]
        with np.errstate(invalid="ignore"):  # infinity less infinity
            spread = replicates[first] - replicates[second]
        interval = self.bootstrap.interval(spread, statistics[first].documents)
        return statistics[first].value - statistics[second].value, interval


@dataclasses.dataclass(frozen=True)
class _Again:
    """The systems selected again, measured as the evaluation measures."""

    systems: Mapping[str, Pairs]
    metrics: Mapping[str, PairwiseMetric]
    documents: Sequence[str]
    by: Aggregation | None
    tables: Mapping[str, Mapping[Request, Floats]]
    requests: Mapping[str, Request]

    def counts(self, system: str, metric: str) -> Floats:
        request = self.requests[metric]
        return self.tables[system][request][:, self.metrics[metric].places(request)]


def at_equal_density(evaluation: Evaluation, bootstrap: Bootstrap) -> EqualDensity | None:
    """Select again every system that has scores, each document to the reference's number of boundaries.

    The best gaps are taken, whatever their distance; ties go to the earlier gap. Systems that lack the scores of a
    document stay out.

    Returns
    -------
    EqualDensity or None
        None if fewer than two systems have scores.

    Examples
    --------
    >>> from caesura.corpus import Corpus, Document
    >>> from caesura.evaluation import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> made = lambda scores, gaps: Corpus(
    ...     [Document(id="d", n_units=5, scores=scores, segmentation=Segmentation(5, gaps))]
    ... )
    >>> e = evaluate({"d": Segmentation(5, (2,))}, {"a": made((0, 9, 1, 1), (1, 2, 3)), "b": made((9, 0, 1, 1), (1,))}, ["F1"])
    >>> at_equal_density(e, Bootstrap(1, 10, 0)).difference("F1", "a", "b")[0]
    1.0
    """
    selected: dict[str, Pairs] = {}
    for system in evaluation.systems:
        pairs = _selected_again(evaluation, system)
        if pairs is not None:
            selected[system] = pairs
    if len(selected) < 2:
        return None
    swap = find_profile(evaluation.profile).swap
    requests = dict.fromkeys(evaluation.requests.values())
    tables = {
        system: {request: request.count(pairs.swapped() if swap else pairs) for request in requests}
        for system, pairs in selected.items()
    }
    made = statistics_of(
        _Again(selected, evaluation.metrics, evaluation.documents, evaluation.by, tables, evaluation.requests)
    )
    drawn = iter(bootstrap.replicates([statistic for row in made.values() for statistic in row.values()]))
    replicates = {name: {system: next(drawn) for system in row} for name, row in made.items()}
    return EqualDensity(frozenset(selected), made, replicates, bootstrap)


def _selected_again(evaluation: Evaluation, system: str) -> Pairs | None:
    """Return reference and system with as many boundaries each; None if a document has no scores, or other units."""
    corpus = evaluation.systems[system].corpus
    # One document compared with one under another id is the only case in which ids differ.
    ids = evaluation.documents if len(corpus) > 1 or evaluation.documents[0] in corpus else corpus.ids
    if any(corpus[key].scores is None for key in ids):
        return None
    flat = FlatScores.from_corpus(corpus, ids)
    pairs = system_pairs(evaluation, system)
    if not np.array_equal(flat.n_units, pairs.n_units):
        return None
    chosen = flat.at_counts(np.diff(pairs.ref_ptr))
    return dataclasses.replace(pairs, hyp_ptr=chosen.ptr, hyp_pos=chosen.pos)
