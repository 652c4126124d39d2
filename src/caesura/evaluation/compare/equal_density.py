# SPDX-License-Identifier: Apache-2.0
"""Systems with boundary scores, reselected so that each has as many boundaries as the reference."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.evaluation.inputs import Source
from caesura.evaluation.measured import Measured
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.metrics.profiles import Profile
from caesura.metrics.profiles import profile as find_profile
from caesura.statistics import Bootstrap, Interval
from caesura.statistics.moments import Joint

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["EqualDensity", "at_equal_density"]


@dataclasses.dataclass(frozen=True)
class EqualDensity(Measured):
    """Systems at the density of the reference, measured like the evaluation.

    ``pairs`` hold the reference with each reselected system.
    """

    systems: Mapping[str, Source]
    metrics: Mapping[str, PairwiseMetric]
    documents: Sequence[str]
    unit: str
    by: Aggregation | None
    pairs: Mapping[str, Pairs]
    bootstrap: Bootstrap
    profile: Profile
    normal: bool = False

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document."""
        request = self.metrics[metric].request(self.unit)
        if (system, request) not in self._counts:
            self._counts[system, request] = request.count(self.profile.arranged(self.pairs[system]))
        return self._counts[system, request][:, self.metrics[metric].places(request)]

    @functools.cached_property
    def _counts(self) -> dict[tuple[str, Request], Floats]:
        return {}

    @functools.cached_property
    def _replicates(self) -> dict[str, dict[str, Floats]]:
        return self.replicates(self.bootstrap)

    def difference(self, metric: str, first: str, second: str) -> tuple[float, Interval]:
        """Return the difference of two systems at equal density, and its interval."""
        statistics = self.statistics()[metric]
        value = statistics[first].value - statistics[second].value
        if self.normal:
            joint = Joint.of({system: statistics[system] for system in (first, second)})
            return value, joint.between(first, second, operator.sub).interval(self.bootstrap.level)
        replicates = self._replicates[metric]
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            spread = replicates[first] - replicates[second]
        return value, self.bootstrap.interval(spread, statistics[first].documents)


def at_equal_density(evaluation: Evaluation, bootstrap: Bootstrap, *, normal: bool = False) -> EqualDensity | None:
    """Reselect every system that has scores, each document with the reference's number of boundaries.

    The best gaps are taken, without spacing; ties go to the earlier gap. Systems that lack the scores of a document are left
    out; the result is None if fewer than two systems have scores. Intervals are resampled, or ``normal``.

    Examples
    --------
    >>> from caesura.corpus import Corpus, Document
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> made = lambda scores, gaps: Corpus(
    ...     [Document(id="d", n_units=5, scores=scores, segmentation=Segmentation(5, gaps))]
    ... )
    >>> e = evaluate({"d": Segmentation(5, (2,))}, {"a": made((0, 9, 1, 1), (1, 2, 3)), "b": made((9, 0, 1, 1), (1,))}, ["F1"])
    >>> at_equal_density(e, Bootstrap(1, 10, 0)).difference("F1", "a", "b")[0]
    1.0
    """
    again = {system: _selected_again(evaluation, system) for system in evaluation.systems}
    selected = {system: pairs for system, pairs in again.items() if pairs is not None}
    if len(selected) < 2:
        return None
    return EqualDensity(
        systems={system: evaluation.systems[system] for system in selected},
        metrics=evaluation.metrics,
        documents=evaluation.documents,
        unit=evaluation.unit,
        by=evaluation.by,
        pairs=selected,
        bootstrap=bootstrap,
        profile=find_profile(evaluation.profile),
        normal=normal,
    )


def _selected_again(evaluation: Evaluation, system: str) -> Pairs | None:
    """Return reference and system with equal numbers of boundaries; None if a document lacks scores or has other units."""
    corpus = evaluation.systems[system].corpus
    if corpus.bare:
        return None
    # Ids differ only if two single documents with different ids are compared.
    ids = evaluation.documents if len(corpus) > 1 or evaluation.documents[0] in corpus else corpus.ids
    if any(corpus[key].scores is None for key in ids):
        return None
    from caesura.selectors.scores import FlatScores

    flat = FlatScores.from_corpus(corpus, ids)
    pairs = evaluation.pairs[system]
    if not np.array_equal(flat.n_units, pairs.n_units):
        return None
    return pairs.against(flat.at_counts(np.diff(pairs.ref_ptr)))
