# SPDX-License-Identifier: Apache-2.0
"""Baselines that place boundaries at random."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import ComparabilityError
from caesura.placements.random import random_gaps
from caesura.segmenters.base import SEGMENTERS
from caesura.segmenters.baselines import CITATION, TABLE_3, Baseline, at_most, boundary_counts

__all__ = ["Random", "RandomAnnotators", "RandomCount", "RandomDensity", "RandomShare"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class Random(Baseline):
    """Each gap a boundary with probability p, independently."""

    p: float = param(0.1, "probability of a boundary at a gap", minimum=0, maximum=1)

    card = Card(title="each gap a boundary with probability p")

    def _counts(self, reference: Corpus) -> Ints:
        return np.asarray(np.ceil((reference.flat.n_units - 1) * self.p), dtype=np.int64)

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        streams = (np.random.default_rng([seed, row]) for row in range(len(n_units)))
        each = zip(n_units.tolist(), streams, strict=True)
        return Flat.from_segmentations([random_gaps(units, self.p, seed=stream) for units, stream in each])


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomCount(Baseline):
    """k random gaps in each document, or all gaps if there are fewer."""

    k: int = param(1, "boundaries in each document", minimum=0)

    card = Card(title="k random gaps in each document")

    def _counts(self, reference: Corpus) -> Ints:
        return at_most(self.k, reference)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomDensity(Baseline):
    """As many random gaps as the reference has boundaries in the document: a density oracle (Table 3)."""

    card = Card(title="as many random gaps as the reference has boundaries", citation=CITATION, equation=TABLE_3)

    @property
    def oracle(self) -> bool:
        """Whether the number is that of the reference: always."""
        return True

    def _counts(self, reference: Corpus) -> Ints:
        return boundary_counts(reference, self)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomShare(Baseline):
    """A fixed share of the gaps at random, rounded down: the random baseline of Table 4."""

    share: float = param(0.1, "share of the gaps that become boundaries", minimum=0, maximum=1)

    card = Card(title="a fixed share of the gaps at random", citation=CITATION, equation="Table 4")

    def _counts(self, reference: Corpus) -> Ints:
        return np.asarray(np.floor(self.share * (reference.flat.n_units - 1)), dtype=np.int64)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomAnnotators(Baseline):
    """As many random gaps as the mean number of boundaries over annotators of the document, rounded half-even."""

    card = Card(
        title="as many random gaps as the mean number of boundaries over annotators",
        citation="Kazantseva and Szpakowicz, Topical segmentation: a study of human performance and a new measure of quality",
        equation="Table 2",
    )

    @property
    def oracle(self) -> bool:
        """Whether the number is that of the reference: always."""
        return True

    def _counts(self, reference: Corpus) -> Ints:
        counts: list[int] = []
        for document in reference:
            if not document.annotations:
                raise ComparabilityError(
                    f"baseline {self}: document {document.id!r} has no annotators; "
                    "give 'annotations', or use random_density"
                )
            total = sum(coding.n_boundaries for coding in document.annotations.values())
            counts.append(round(total / len(document.annotations)))
        return np.array(counts, dtype=np.int64)
