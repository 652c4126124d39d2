# SPDX-License-Identifier: Apache-2.0
"""What a measurement without a reference draws at random, and the random segmentations of all its systems."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from caesura.errors import DeclarationError
from caesura.evaluation.cohesion.null import KINDS, Counted, Kind, NullDistribution, RandomSegmentations
from caesura.evaluation.intervals import check_resampling

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["Drawn", "Nulls", "Sampling", "draw_nulls"]

Nulls = dict[str, dict[str, dict[Kind, NullDistribution]]]
"""System to metric to kind of chance."""
Drawn = Mapping[str, Counted]
"""The counts of random segmentations of each system."""


@dataclasses.dataclass(frozen=True)
class Sampling:
    """What is drawn: the kinds of random segmentations, how many of each, resamples of the documents, and the seed."""

    kinds: tuple[Kind, ...]
    draws: int
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        check_resampling(resamples=self.resamples, seed=self.seed)
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise DeclarationError(f"null {unknown[0]!r} is unknown; choose from {', '.join(KINDS)}")
        if self.draws < 2:
            raise DeclarationError(f"draws is {self.draws}; it must be at least 2")

    @property
    def segmentations(self) -> RandomSegmentations:
        """The random segmentations."""
        return RandomSegmentations(self.kinds, self.draws, self.seed)


def draw_nulls(
    cohesion: Cohesion, progress: Callable[[int, int], None] | None = None, drawn: Drawn | None = None
) -> Nulls:
    """Draw random segmentations for every system, unless that was done, and return where the scores lie among theirs."""
    sampling = cohesion.sampling
    nulls: Nulls = {system: {name: {} for name in cohesion.metrics} for system in cohesion.systems}
    steps = itertools.count(1)
    total = len(cohesion.systems) * len(cohesion.documents)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    for system, batch in cohesion.batches.items() if sampling.kinds else ():
        scores = {name: cohesion.per_document(system, name) for name in cohesion.metrics}
        placed = sampling.segmentations.distributions(
            scores,
            cohesion.metrics,
            batch,
            by=cohesion.pooling,
            drawn=None if drawn is None else drawn[system],
            advance=advance,
        )
        for kind, name in itertools.product(placed, cohesion.metrics):
            nulls[system][name][kind] = placed[kind][name]
    return nulls
