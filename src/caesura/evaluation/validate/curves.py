# SPDX-License-Identifier: Apache-2.0
"""Scores at rising levels of damage: the curves that papers draw, and the correlations that they print.

A paper damages every document at each level several times, takes the mean score over all of them, and correlates the means of
two metrics over the levels. `caesura.validate` does the same, in addition to a test over single documents.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.errors import DeclarationError
from caesura.evaluation.correlate.coefficients import pearson
from caesura.evaluation.degrade import Degradation, document_rng
from caesura.metrics.base import Floats, Metric, PairwiseMetric
from caesura.metrics.cohesion import CohesionMetric, count_in_one_pass
from caesura.metrics.profiles import profile as find_profile
from caesura.metrics.profiles import under_profile

__all__ = ["Curves", "degradation_curves"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Curves:
    """Mean scores over the levels of a damage.

    ``means`` has the mean of the finite scores of all documents and draws at each level, ``infinite`` the number of infinite ones.
    ``emptied`` is the number of documents that have no boundary left at each level, as a mean over the draws: a metric without a
    reference is undefined there, or the worst by decree (``on_single='worst'``), whatever the text. A metric under a profile is
    named ``"Pk [swapped]"``.
    """

    levels: tuple[int, ...]
    metrics: Mapping[str, Metric]
    means: Mapping[str, Floats]
    infinite: Mapping[str, Ints]
    emptied: Floats
    documents: int
    draws: int

    def losses(self, name: str) -> Floats:
        """Return the curve of a metric, converted so that lower is better: 1 - score if 1 is the best score."""
        facts = self.metrics[name].facts()
        if facts.direction == "lower":
            return self.means[name]
        best = facts.bounds[1] if np.isfinite(facts.bounds[1]) else 0.0
        return best - self.means[name]

    def scaled(self, name: str) -> Floats:
        """Return the losses of a metric between 0, the best level, and 1, the worst; NaN if all are equal."""
        losses = self.losses(name)
        width = np.ptp(losses)
        return (losses - losses.min()) / width if width > 0 else np.full(len(losses), np.nan)

    def pearson(self, first: str, second: str, levels: Sequence[int] | None = None) -> float:
        """Return the correlation of two metrics over the levels, or over some of them."""
        places = [place for place, level in enumerate(self.levels) if levels is None or level in levels]
        x, y = (self.losses(name)[places] for name in (first, second))
        return float(pearson(x[None], y[None])[0])


def degradation_curves(
    batch: Embedded,
    damage: Callable[[int], Degradation],
    levels: Sequence[int],
    metrics: Sequence[str],
    references: Sequence[str] = (),
    *,
    profiles: Sequence[str] = ("caesura",),
    draws: int = 1,
    seed: int = 0,
) -> Curves:
    """Score a corpus at rising levels of damage.

    Parameters
    ----------
    batch : Embedded
        The gold boundaries, and a vector for each unit.
    damage : callable
        The damage of a level above 0, such as ``lambda level: Removal(count=level)``; level 0 is no damage.
    levels : sequence of int
        The levels, ascending.
    metrics, references : sequence of str
        Metrics without a reference, and metrics of the damaged against the undamaged boundaries.
    profiles : sequence of str
        The profiles under which the references are scored.
    draws : int
        The number of times every document is damaged at each level.
    seed : int
        Random seed.

    Examples
    --------
    >>> from caesura.evaluation.degrade.removal import Removal
    >>> from caesura.segmentation import Segmentation
    >>> batch = Embedded.of({"d": Segmentation(6, (2, 4))}, {"d": np.repeat(np.eye(3), 2, axis=0)})
    >>> curves = degradation_curves(batch, lambda n: Removal(count=n), (0, 1), ["ARPpair"], ["B"])
    >>> curves.losses("B").tolist(), curves.scaled("ARPpair").tolist()
    ([0.0, 0.5], [0.0, 1.0])
    >>> degradation_curves(batch, lambda n: Removal(count=n), range(4), ["ARPpair"]).emptied.tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    if len(levels) < 2 or list(levels) != sorted(set(levels)) or levels[0] < 0:
        raise DeclarationError(f"the levels are {list(levels)}; give two or more, ascending, from 0 on")
    free = {text: cast(CohesionMetric, under_profile(text)) for text in metrics}
    judges = [
        (text if name == "caesura" else f"{text} [{name}]", cast(PairwiseMetric, under_profile(text, name)), name)
        for name in profiles
        for text in references
    ]
    means: dict[str, list[float]] = {name: [] for name in [*free, *(name for name, *_ in judges)]}
    infinite: dict[str, list[int]] = {name: [] for name in means}
    emptied: list[float] = []
    for level in levels:
        scores: dict[str, list[Floats]] = {name: [] for name in means}
        empty: list[int] = []
        for draw in range(draws if level else 1):
            flat = _damaged(batch, damage(level), seed, draw) if level else batch.segmentations
            empty.append(int((np.diff(flat.ptr) == 0).sum()))
            tables = count_in_one_pass(list(free.values()), batch.with_segmentations(flat))
            for (name, metric), table in zip(free.items(), tables, strict=True):
                scores[name].append(metric.score(table))
            pairs = Pairs.beside(batch.segmentations, flat, batch.unit)
            for name, judge, profile in judges:
                scores[name].append(judge.score(judge.count(find_profile(profile).arranged(pairs))))
        emptied.append(float(np.mean(empty)))
        for name, found in scores.items():
            values = np.concatenate(found)
            finite = values[np.isfinite(values)]
            means[name].append(float(finite.mean()) if len(finite) else np.nan)
            infinite[name].append(int(np.isinf(values).sum()))
    return Curves(
        levels=tuple(levels),
        metrics={**free, **{name: judge for name, judge, _ in judges}},
        means={name: np.array(values) for name, values in means.items()},
        infinite={name: np.array(values) for name, values in infinite.items()},
        emptied=np.array(emptied),
        documents=len(batch),
        draws=draws,
    )


def _damaged(batch: Embedded, degradation: Degradation, seed: int, draw: int) -> Flat:
    return Flat.from_segmentations(
        [
            degradation.apply_to(
                batch.segmentation(row), document_rng(seed, key, str(degradation), draw), batch.vectors_of(row)
            ).segmentation
            for row, key in enumerate(batch.ids)
        ]
    )
