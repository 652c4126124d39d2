# SPDX-License-Identifier: Apache-2.0
"""What a measurement without a reference draws at random, and the random segmentations of all its systems."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from caesura.errors import DeclarationError
from caesura.evaluation.cohesion.null import KINDS, Kind, NullDistribution, null_distributions
from caesura.evaluation.intervals import check_resampling
from caesura.metrics.base import Floats
from caesura.segmenters.random import checked_seed

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["Drawn", "Nulls", "Sampling", "draw_nulls"]

Nulls = dict[str, dict[str, dict[Kind, NullDistribution]]]
"""System to metric to kind of chance."""
Drawn = Mapping[str, Mapping[Kind, Mapping[str, Floats]]]
"""System to kind of chance to metric: the counts of random segmentations, as `null_tables` returns them."""


@dataclasses.dataclass(frozen=True)
class Sampling:
    """What is drawn: the kinds of random segmentations, how many of each, resamples of the documents, and the seed."""

    kinds: tuple[Kind, ...]
    draws: int
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        check_resampling(resamples=self.resamples)
        checked_seed(self.seed)
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise DeclarationError(f"null {unknown[0]!r} is unknown; choose from {', '.join(KINDS)}")
        if self.draws < 2:
            raise DeclarationError(f"draws is {self.draws}; it must be at least 2")


def draw_nulls(
    cohesion: Cohesion, progress: Callable[[int, int], None] | None = None, drawn: Drawn | None = None
) -> Nulls:
    """Draw random segmentations for every system, unless that was done, and return where the scores lie among theirs."""
    sampling = cohesion.sampling
    nulls: Nulls = {system: {name: {} for name in cohesion.metrics} for system in cohesion.systems}
    steps = itertools.count(1)
    total = len(cohesion.systems) * len(sampling.kinds) * len(cohesion.documents)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    for system, batch in cohesion.batches.items():
        scores = {name: cohesion.per_document(system, name) for name in cohesion.metrics}
        for kind in sampling.kinds:
            placed = null_distributions(
                scores, cohesion.metrics, batch, kind, sampling.draws, sampling.seed, advance, by=cohesion.pooling,
                drawn=None if drawn is None else drawn[system][kind],
            )  # fmt: skip
            for name, null in placed.items():
                nulls[system][name][kind] = null
    return nulls
