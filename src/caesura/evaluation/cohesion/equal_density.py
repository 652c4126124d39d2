# SPDX-License-Identifier: Apache-2.0
"""Two systems compared without a reference, and compared again at equal density.

More boundaries change every cohesion score, wherever they stand. So each pair is also compared with density taken out:
where the denser system of a document gives scores of its gaps, it keeps its best-scored boundaries, as many as the other
has; otherwise each score is taken above what as many boundaries give at random places in the same document.

Both differences are means over the same documents: those where all four numbers are finite. What was left out is counted.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from caesura.batches.flat import Flat
from caesura.metrics.base import Floats
from caesura.results import as_number
from caesura.statistics import Bootstrap, Interval, Permutation, Statistic, holm

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["EqualDensity", "equal_density"]

How = Literal["equal", "scores", "chance", "none"]
_ALPHA = 0.05


@dataclasses.dataclass(frozen=True)
class EqualDensity:
    """Two systems on one metric, first less second, as they are and at equal density.

    Attributes
    ----------
    metric, first, second : str
        What is compared.
    scores : (float, float)
        The mean score of each over the documents of the comparison.
    difference, interval, p
        Of the scores as they are.
    equal_difference, equal_interval, equal_p
        With density taken out; ``equal_p`` is corrected by Holm over the pairs of one metric.
    how : {"equal", "scores", "chance", "none"}
        How density was taken out: it was equal in every document already; by scores; by chance; not at all, where there are
        neither scores nor random segmentations.
    densities : (float, float)
        Segments per 100 units.
    better : str or None
        The better system at equal density, if the corrected p is below 0.05.
    documents, dropped : int
        Documents behind both differences, and those left out because a number is not defined or infinite.
    """

    metric: str
    first: str
    second: str
    scores: tuple[float, float]
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
    dropped: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "aggregation": "macro",
            "scores": [as_number(score) for score in self.scores],
            "difference": as_number(self.difference),
            "ci": [as_number(self.interval.low), as_number(self.interval.high)],
            "p": as_number(self.p),
            "documents": self.documents,
            "dropped": self.dropped,
            "equal_density": {
                "how": self.how,
                "difference": as_number(self.equal_difference),
                "ci": [as_number(self.equal_interval.low), as_number(self.equal_interval.high)],
                "p_corrected": as_number(self.equal_p),
            },
            "segments_per_100": list(self.densities),
            "better": self.better,
        }


def equal_density(cohesion: Cohesion) -> list[EqualDensity]:
    """Compare every two systems on every metric, as means over documents."""
    pairs = list(itertools.combinations(cohesion.systems, 2))
    found: list[EqualDensity] = []
    for name, metric in cohesion.metrics.items():
        lower = metric.facts().direction == "lower"
        rows = [_compare(cohesion, name, pair) for pair in pairs]
        corrected = holm([row.equal_p for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            ahead = row.first if (row.equal_difference > 0) != lower else row.second
            found.append(dataclasses.replace(row, equal_p=p, better=ahead if p < _ALPHA else None))
    return found


def _compare(cohesion: Cohesion, name: str, pair: tuple[str, str]) -> EqualDensity:
    own = [cohesion.per_document(system, name) for system in pair]
    how, level = _levelled(cohesion, name, pair, own)
    kept = np.isfinite(own[0]) & np.isfinite(own[1])
    if how != "none":
        kept &= np.isfinite(level[0]) & np.isfinite(level[1])
    difference, interval, p = _paired(cohesion, own, kept)
    equal_difference, equal_interval, equal_p = _paired(cohesion, level, kept & (how != "none"))
    return EqualDensity(
        metric=name,
        first=pair[0],
        second=pair[1],
        scores=(_mean(own[0][kept]), _mean(own[1][kept])),
        difference=difference,
        interval=interval,
        p=p,
        equal_difference=equal_difference,
        equal_interval=equal_interval,
        equal_p=equal_p,
        how=how,
        densities=(cohesion.segments_per_100(pair[0]), cohesion.segments_per_100(pair[1])),
        better=None,
        documents=int(kept.sum()),
        dropped=int(len(kept) - kept.sum()),
    )


def _levelled(
    cohesion: Cohesion, name: str, pair: tuple[str, str], own: list[Floats]
) -> tuple[How, list[Floats]]:
    """Return the scores of both systems with density taken out, and how."""
    both = [np.diff(cohesion.batches[system].segmentations.ptr) for system in pair]
    if (both[0] == both[1]).all():
        return "equal", own
    counts = np.minimum(*both)
    thinned = [_thinned(cohesion, system, counts) for system in pair]
    if all(flat is not None for flat in thinned):
        metric = cohesion.metrics[name]
        return "scores", [
            metric.score(metric.count(cohesion.batches[system].with_segmentations(flat)))
            for system, flat in zip(pair, thinned, strict=True)
            if flat is not None
        ]
    if "count" in cohesion.chance.kinds:
        return "chance", [
            score - cohesion.nulls[system][name]["count"].mean
            for system, score in zip(pair, own, strict=True)
        ]
    return "none", [np.full(len(score), np.nan) for score in own]


def _thinned(cohesion: Cohesion, system: str, counts: Any) -> Flat | None:
    """Return the best-scored boundaries of a system, as many as asked for in each document; None where scores lack.

    A document that has no more boundaries than asked for stays as it is and needs no scores. Only own boundaries are kept, so
    whatever spacing the system's selector had stays too.
    """
    flat = cohesion.batches[system].segmentations
    corpus = cohesion.systems[system].corpus
    parts = []
    for row, key in enumerate(cohesion.documents):
        own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
        if len(own) > counts[row]:
            document = corpus[key]
            if document.scores is None or len(document.scores) != flat.n_units[row] - 1:
                return None
            values = np.array([document.scores[gap - 1] for gap in own.tolist()])
            own = np.sort(own[np.argsort(-values, kind="stable")[: counts[row]]])
        parts.append(own)
    ptr = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=ptr[1:])
    return Flat(flat.n_units, ptr, np.concatenate(parts))


def _paired(cohesion: Cohesion, scores: list[Floats], kept: Any) -> tuple[float, Interval, float]:
    """Return the mean difference over some documents, with interval and p."""
    n, seed = len(kept), cohesion.chance.seed
    bootstrap = Bootstrap(n, cohesion.resamples, seed)
    if not kept.any():
        return math.nan, bootstrap.interval(np.full(1, np.nan)), math.nan
    first, second = (Statistic.mean(np.where(kept, score, 0.0), kept) for score in scores)
    drawn = bootstrap.replicates([first, second])
    p = Permutation(n, seed=seed).exchanged([(first, second)])[0].p_value() if kept.sum() > 1 else math.nan
    return first.value - second.value, bootstrap.interval(drawn[0] - drawn[1], first.documents), p


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
