# SPDX-License-Identifier: Apache-2.0
"""Two systems compared without a reference, and compared again at equal density.

More boundaries change every cohesion score, wherever they stand. So each pair is also compared with density taken out:
where both systems give scores of gaps, both are selected again to the smaller number of boundaries of each document;
otherwise each score is taken above what as many boundaries give at random places in the same document.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from caesura.flat import Flat
from caesura.metrics.base import Floats
from caesura.results import as_number
from caesura.selectors.many import FlatScores
from caesura.statistics import Bootstrap, Interval, Permutation, Statistic, holm

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["EqualDensity", "equal_density"]

How = Literal["scores", "chance", "none"]
_ALPHA = 0.05


@dataclasses.dataclass(frozen=True)
class EqualDensity:
    """Two systems on one metric, first less second, as they are and at equal density.

    Attributes
    ----------
    metric, first, second : str
        What is compared.
    difference, interval, p
        Of the scores as they are, over documents where both are defined.
    equal_difference, equal_interval, equal_p
        With density taken out; ``equal_p`` is corrected by Holm over the pairs of one metric.
    how : {"scores", "chance", "none"}
        How density was taken out; none where there are neither scores nor random segmentations.
    densities : (float, float)
        Segments per 100 units.
    better : str or None
        The better system at equal density, if the corrected p is below 0.05.
    documents : int
        Documents behind the difference at equal density.
    """

    metric: str
    first: str
    second: str
    difference: float
    interval: Interval
    p: float
    equal_difference: float
    equal_interval: Interval
    equal_p: float
    how: How
    densities: tuple[float, float]
    better: str | None
    documents: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "difference": as_number(self.difference),
            "ci": [as_number(self.interval.low), as_number(self.interval.high)],
            "p": as_number(self.p),
            "equal_density": {
                "how": self.how,
                "difference": as_number(self.equal_difference),
                "ci": [as_number(self.equal_interval.low), as_number(self.equal_interval.high)],
                "p_corrected": as_number(self.equal_p),
                "documents": self.documents,
            },
            "segments_per_100": list(self.densities),
            "better": self.better,
        }


def equal_density(cohesion: Cohesion) -> list[EqualDensity]:
    """Compare every two systems on every metric."""
    pairs = list(itertools.combinations(cohesion.systems, 2))
    scored = _gap_scores(cohesion)
    found: list[EqualDensity] = []
    for name, metric in cohesion.metrics.items():
        lower = metric.facts().direction == "lower"
        rows = [_compare(cohesion, name, pair, scored) for pair in pairs]
        corrected = holm([row.equal_p for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            ahead = row.first if (row.equal_difference > 0) != lower else row.second
            found.append(dataclasses.replace(row, equal_p=p, better=ahead if p < _ALPHA else None))
    return found


def _compare(
    cohesion: Cohesion, name: str, pair: tuple[str, str], scored: dict[str, FlatScores]
) -> EqualDensity:
    own = [cohesion.per_document(system, name) for system in pair]
    how, level = _levelled(cohesion, name, pair, own, scored)
    difference, interval, p, _ = _paired(cohesion, own)
    equal_difference, equal_interval, equal_p, documents = _paired(cohesion, level)
    return EqualDensity(
        metric=name,
        first=pair[0],
        second=pair[1],
        difference=difference,
        interval=interval,
        p=p,
        equal_difference=equal_difference,
        equal_interval=equal_interval,
        equal_p=equal_p,
        how=how,
        densities=(cohesion.segments_per_100(pair[0]), cohesion.segments_per_100(pair[1])),
        better=None,
        documents=documents,
    )


def _levelled(
    cohesion: Cohesion,
    name: str,
    pair: tuple[str, str],
    own: list[Floats],
    scored: dict[str, FlatScores],
) -> tuple[How, list[Floats]]:
    """Return the scores of both systems with density taken out, and how."""
    if all(system in scored for system in pair):
        batches = [cohesion.batches[system] for system in pair]
        counts = np.minimum(*(np.diff(batch.segmentations.ptr) for batch in batches))
        chosen: list[Flat] = [scored[system].at_counts(counts) for system in pair]
        metric = cohesion.metrics[name]
        return "scores", [
            metric.score(metric.count(batch.with_segmentations(flat)))
            for batch, flat in zip(batches, chosen, strict=True)
        ]
    if "count" in cohesion.chance.kinds:
        return "chance", [
            score - cohesion.nulls[system][name]["count"].mean
            for system, score in zip(pair, own, strict=True)
        ]
    return "none", [np.full(len(score), np.nan) for score in own]


def _gap_scores(cohesion: Cohesion) -> dict[str, FlatScores]:
    """Return the scores of gaps of the systems that have them for every document."""
    found = {}
    for name, source in cohesion.systems.items():
        units = cohesion.batches[name].n_units
        documents = [source.corpus[key] for key in cohesion.documents]
        if all(d.scores is not None and d.n_units == n for d, n in zip(documents, units, strict=True)):
            found[name] = FlatScores.from_corpus(source.corpus, cohesion.documents)
    return found


def _paired(cohesion: Cohesion, scores: list[Floats]) -> tuple[float, Interval, float, int]:
    """Return the mean difference over documents where both are finite, with interval and p."""
    kept = np.isfinite(scores[0]) & np.isfinite(scores[1])
    n, seed = len(kept), cohesion.chance.seed
    bootstrap = Bootstrap(n, cohesion.resamples, seed)
    if not kept.any():
        return math.nan, bootstrap.interval(np.full(1, np.nan)), math.nan, 0
    first, second = (Statistic.mean(np.where(kept, score, 0.0), kept) for score in scores)
    drawn = bootstrap.replicates([first, second])
    p = Permutation(n, seed=seed).exchanged([(first, second)])[0].p_value() if kept.sum() > 1 else math.nan
    return (
        first.value - second.value,
        bootstrap.interval(drawn[0] - drawn[1], first.documents),
        p,
        first.documents,
    )
