# SPDX-License-Identifier: Apache-2.0
"""MetricOptimiser: the boundaries that a reference-free metric likes best, to show how it can be gamed."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.declare import Card, param
from caesura.errors import CaesuraWarning
from caesura.metrics.cohesion import COHESION, CohesionMetric
from caesura.metrics.cohesion.silhouette import Silhouette
from caesura.scorers import Features, Floats
from caesura.segmentation import Segmentation
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter

__all__ = ["MetricOptimiser"]

Cuts = tuple[int, ...]

_ALL_UP_TO = 11  # units of a document whose segmentations are all tried
_MOST = 64  # segments up to which the search goes, unless more are requested
_STEPS = (-3, -2, -1, 1, 2, 3)
_ROUNDS = 20  # of moves at one number of segments
_UNITS = 1 << 22  # units of all segmentations that are tried to insert one boundary


def _metric_fault(text: object) -> str | None:
    COHESION.parse(str(text))  # the error names the nearest metric
    return None


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class MetricOptimiser(SizedSegmenter):
    """Cut where a reference-free metric is best; what it reaches shows how far the metric can be gamed.

    Definition
    ----------
    Boundaries are inserted one by one, each where the metric becomes best; after each insertion boundaries move by up to
    three units as long as the metric improves. Of a document of up to eleven units all segmentations are tried. Without a
    given number of segments the best number up to ``most`` is taken, which may be one segment for each unit. Any metric of ``caesura cohesion`` can be optimised,
    whatever its parameters. The search is local: a better segmentation may exist. In a document of more than 2,048 units one gap
    in several is tried for each boundary, then those around the best, so that the time grows with the length only. The scores
    are the order in which gaps enter along growing numbers of segments.

    See Also
    --------
    Scatter : the same vectors, and an objective that no metric reports.
    """

    metric: str = param("ARPpair", "the reference-free metric and its parameters", check=_metric_fault)
    most: int = param(_MOST, "segments up to which the search goes without a given number", minimum=2)

    needs_vectors: ClassVar[bool] = True
    finds_topics: ClassVar[bool] = False  # it finds what games the metric
    card = Card(title="the best score of a reference-free metric")

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        n = features.n_units
        wanted = self.wanted(features)
        search = _Search(COHESION.parse(self.metric), features.vectors, n)
        most = min(n, wanted or self.most)
        stride = -(-n * n // _UNITS)
        if stride > 1:
            message = f"{self.name()}: {n} units; one gap in {stride} is tried, then those around the best"
            if isinstance(search.metric, Silhouette) and search.metric.distance in ("l1", "l2"):
                message += (
                    "; Silhouette measures all pairs of units at each try, which takes minutes or more for each boundary "
                    "(distance='cosine' takes seconds)"
                )
            warnings.warn(CaesuraWarning(message), stacklevel=2)
        path = search.all(most) if n <= _ALL_UP_TO else search.grow(most, stride)
        number = int(np.argmin([badness for badness, _ in path])) + 1 if wanted is None else wanted
        scores = _entry_scores([cuts for _, cuts in path], n)
        return Cut.at(features, path[number - 1][1], scores)


class _Search:
    """The best segmentations found with 1, 2, … segments, each with how bad its score is."""

    def __init__(self, metric: CohesionMetric, vectors: npt.NDArray[np.float32], n_units: int) -> None:
        self.metric, self._n = metric, n_units
        self._document = Embedded.of({"d": Segmentation(n_units)}, {"d": vectors})

    def badness(self, options: Sequence[Cuts]) -> Floats:
        """Return how bad the score of each segmentation is; infinite if it has none."""
        variants = self._document.variants(0, [Segmentation(self._n, cuts) for cuts in options])
        scores = self.metric.score(self.metric.count(variants))
        bad = np.asarray(self.metric.facts().badness(scores), dtype=np.float64)
        return np.where(np.isnan(bad), np.inf, bad)

    def best(self, options: Sequence[Cuts]) -> tuple[float, Cuts]:
        """Return the best of some segmentations; of equal ones the first."""
        bad = self.badness(options)
        place = int(bad.argmin())
        return float(bad[place]), options[place]

    def all(self, most: int) -> list[tuple[float, Cuts]]:
        """Try every segmentation."""
        return [self.best(list(itertools.combinations(range(1, self._n), number - 1))) for number in range(1, most + 1)]

    def grow(self, most: int, stride: int = 1) -> list[tuple[float, Cuts]]:
        """Insert boundary after boundary, each at one of every ``stride`` gaps or around the best, and move them after each."""
        cuts: Cuts = ()
        path = [self.best([cuts])]
        while len(path) < most:
            free = sorted(set(range(1, self._n)).difference(cuts))
            tried = free[::stride]
            if stride > 1:
                (gap,) = set(self._inserted(cuts, tried)[1]).difference(cuts)
                tried = [near for near in free if abs(near - gap) < stride]
            bad, cuts = self._inserted(cuts, tried)
            for _ in range(_ROUNDS):
                moved = self._moves(cuts)
                better = self.best(moved) if moved else (np.inf, cuts)
                if better[0] >= bad:
                    break
                bad, cuts = better
            path.append((bad, cuts))
        return path

    def _inserted(self, cuts: Cuts, gaps: Sequence[int]) -> tuple[float, Cuts]:
        return self.best([tuple(sorted((*cuts, gap))) for gap in gaps])

    def _moves(self, cuts: Cuts) -> list[Cuts]:
        return [
            tuple(sorted((*cuts[:place], gap + step, *cuts[place + 1 :])))
            for place, gap in enumerate(cuts)
            for step in _STEPS
            if 0 < gap + step < self._n and gap + step not in cuts
        ]


def _entry_scores(path: Sequence[Cuts], n_units: int) -> Floats:
    """Return 1 - k / n for each gap, where k is the largest number of segments at which it is no boundary."""
    absent = np.zeros(n_units - 1)
    for number, cuts in enumerate(path, start=1):
        present = np.zeros(n_units - 1, dtype=bool)
        present[np.array(cuts, dtype=np.int64) - 1] = True
        absent[~present] = number
    return np.asarray(1 - absent / n_units, dtype=np.float64)
