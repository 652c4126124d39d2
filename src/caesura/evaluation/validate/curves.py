# SPDX-License-Identifier: Apache-2.0
"""Scores at rising levels of damage: the curves that papers draw, and the correlations that they print.

A paper damages every document at each level several times, takes the mean score over all of them, and correlates the means of
two metrics over the levels. `caesura.validate` does the same, in addition to a test over single documents. `directional_share`
says how often a metric prefers the gold to another segmentation known to be worse.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.errors import DeclarationError
from caesura.evaluation.correlate.coefficients import pearson
from caesura.evaluation.degrade import Degradation, document_rng
from caesura.metrics.base import Floats, Metric, PairwiseMetric
from caesura.metrics.cohesion import COHESION, CohesionMetric, count_in_one_pass
from caesura.metrics.profiles import profile as find_profile
from caesura.metrics.profiles import under_profile
from caesura.segmentation import Segmentation

__all__ = ["Curves", "degradation_curves", "directional_share"]

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

    ``batch`` has the gold boundaries and a vector for each unit. ``damage`` gives the damage of a level above 0; level 0 is none.
    The ``metrics`` need no reference; ``references`` score the damaged against the undamaged boundaries, under each of the
    ``profiles``. Every document is damaged ``draws`` times at each level.

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


class _Direction(NamedTuple):
    """Scores of the gold and of the other segmentation by document, and the share of documents in which gold is better.

    Documents on which one of the two has no score are left out of the share, and a tie is not better.
    """

    gold: Floats
    other: Floats
    share: float


def directional_share(metric: str, gold: Embedded, other: Mapping[str, Segmentation]) -> _Direction:
    """Score gold and another segmentation of the same documents, and count the documents in which gold is better.

    >>> vectors = np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.1], [0.0, 1.0]])
    >>> batch = Embedded.of({"d": Segmentation(4, (2,))}, {"d": vectors})
    >>> directional_share("SegReFree", batch, {"d": Segmentation(4, (1,))}).share
    1.0
    """
    judge = COHESION.parse(metric)
    scored = gold, gold.with_segmentations({key: other[key] for key in gold.ids})
    first, second = (np.asarray(judge.score(judge.count(each))) for each in scored)
    gains = judge.facts().gain(first, second)
    defined = ~np.isnan(gains)
    return _Direction(first, second, float((gains[defined] > 0).mean()) if defined.any() else float("nan"))
