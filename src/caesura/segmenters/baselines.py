# SPDX-License-Identifier: Apache-2.0
"""Baselines that do not read the text: the least that a system must beat.

Each is declared by name and makes hypotheses for a whole reference corpus. Some are oracles: they know how many boundaries
the reference has and show what that number alone is worth, but cannot be used in practice. A random baseline depends on
the seed and on the index of the document in the reference, and on no other document.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import ComparabilityError, DeclarationError
from caesura.segmentation import Segmentation
from caesura.segmenters.base import SEGMENTERS, Segmenter
from caesura.segmenters.placed import all_gaps, even, every, none, random_boundaries, random_gaps
from caesura.segmenters.random import checked_seed

__all__ = [
    "MOST_BOUNDARIES",
    "All",
    "Baseline",
    "Even",
    "Every",
    "NoBoundary",
    "Random",
    "RandomAnnotators",
    "RandomCount",
    "RandomDensity",
    "RandomShare",
]

MOST_BOUNDARIES = 2**28
"""The maximum number of boundaries of a baseline; ``all`` on milliseconds would otherwise exhaust the memory."""

_CITATION = "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation"
_TABLE_3 = "section 6.5, Table 3"


@dataclasses.dataclass(frozen=True)
class Baseline(Segmenter):
    """The base of all baselines: the number of boundaries of each document, and their positions."""

    def _counts(self, reference: Corpus) -> Ints:
        """Return the number of boundaries of each document, or its expectation."""
        raise NotImplementedError  # pragma: no cover - every baseline has its own

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        """Segment one document; by default ``count`` gaps at random."""
        return random_boundaries(n_units, count, seed=rng)

    def segment(self, reference: Corpus, seed: int = 0) -> Corpus:
        """Return a hypothesis for each document of a reference."""
        counts = self._counts(reference)
        total = int(counts.sum())
        if total > MOST_BOUNDARIES:
            raise DeclarationError(
                f"baseline {self}: {total} boundaries exceed the limit of {MOST_BOUNDARIES}; "
                f"choose a baseline with fewer on the unit {reference.unit!r}"
            )
        base = checked_seed(seed)
        sizes = zip(reference.flat.n_units.tolist(), counts.tolist(), strict=True)
        segmentations = [
            self._segmented(n_units, count, np.random.default_rng([base, row]))
            for row, (n_units, count) in enumerate(sizes)
        ]
        flat, given = Flat.from_segmentations(segmentations), reference.ids_are_given
        return Corpus.from_flat(reference.ids, flat, unit=reference.unit, name=str(self), ids_are_given=given)


def _boundaries(reference: Corpus, baseline: Baseline) -> Ints:
    """Return the number of boundaries of each document of the reference."""
    absent = np.flatnonzero(~reference.present)
    if len(absent):
        raise ComparabilityError(
            f"baseline {baseline}: document {reference.ids[int(absent[0])]!r} of the reference has no segmentation "
            "to count boundaries in; choose annotators, or another baseline"
        )
    return np.diff(reference.flat.ptr)


def _at_most(count: int, reference: Corpus) -> Ints:
    """Return a number for each document, at most its number of gaps."""
    return np.asarray(np.minimum(count, reference.flat.n_units - 1), dtype=np.int64)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class NoBoundary(Baseline):
    """No boundary at all (Table 3 of the granularity paper)."""

    card = Card(title="no boundary", citation=_CITATION, equation=_TABLE_3)

    def _counts(self, reference: Corpus) -> Ints:
        return np.zeros(len(reference), dtype=np.int64)

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        return none(n_units)

    @classmethod
    def name(cls) -> str:
        """Return the name in the registry."""
        return "none"


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class All(Baseline):
    """A boundary at every gap."""

    card = Card(title="a boundary at every gap")

    def _counts(self, reference: Corpus) -> Ints:
        return reference.flat.n_units - 1

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        return all_gaps(n_units)


@SEGMENTERS.register("periodic")
@dataclasses.dataclass(frozen=True)
class Every(Baseline):
    """A boundary after every n units.

    Without n it is the oracle of Table 3, with n = max(2, round(units / (boundaries + documents))), the mean segment of the
    whole reference.
    """

    n: int | None = param(None, "length of a segment; default the reference's mean segment", minimum=1)

    card = Card(title="a boundary after every n units", citation=_CITATION, equation=_TABLE_3)

    def _length(self, reference: Corpus) -> int:
        if self.n is not None:
            return self.n
        segments = int(_boundaries(reference, self).sum()) + len(reference)
        return max(2, round(int(reference.flat.n_units.sum()) / segments)) if segments else 2

    def _counts(self, reference: Corpus) -> Ints:
        return (reference.flat.n_units - 1) // self._length(reference)

    def segment(self, reference: Corpus, seed: int = 0) -> Corpus:
        """Segment with the given length, or with that of the reference."""
        corpus = Baseline.segment(Every(n=self._length(reference)), reference, seed)
        corpus.name = str(self)
        return corpus

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        return every(n_units, self.n or n_units)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class Even(Baseline):
    """Boundaries at equal distances in each document.

    Without k it sets as many as the reference has: the oracle called periodic in Tables 4 and 6 of the granularity paper.
    """

    k: int | None = param(None, "boundaries in each document; default as many as the reference", minimum=0)

    card = Card(title="boundaries at equal distances", citation=_CITATION, equation="Tables 4 and 6")

    def _counts(self, reference: Corpus) -> Ints:
        return _boundaries(reference, self) if self.k is None else _at_most(self.k, reference)

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        return even(n_units, count)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class Random(Baseline):
    """Each gap a boundary with probability p, independently."""

    p: float = param(0.1, "probability of a boundary at a gap", minimum=0, maximum=1)

    card = Card(title="each gap a boundary with probability p")

    def _counts(self, reference: Corpus) -> Ints:
        return np.asarray(np.ceil((reference.flat.n_units - 1) * self.p), dtype=np.int64)

    def _segmented(self, n_units: int, count: int, rng: np.random.Generator) -> Segmentation:
        return random_gaps(n_units, self.p, seed=rng)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomCount(Baseline):
    """k random gaps in each document, or all gaps if there are fewer."""

    k: int = param(1, "boundaries in each document", minimum=0)

    card = Card(title="k random gaps in each document")

    def _counts(self, reference: Corpus) -> Ints:
        return _at_most(self.k, reference)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomDensity(Baseline):
    """As many random gaps as the reference has boundaries in the document: a density oracle (Table 3)."""

    card = Card(
        title="as many random gaps as the reference has boundaries", citation=_CITATION, equation=_TABLE_3
    )

    def _counts(self, reference: Corpus) -> Ints:
        return _boundaries(reference, self)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomShare(Baseline):
    """A fixed share of the gaps at random, rounded down: the random baseline of Table 4."""

    share: float = param(0.1, "share of the gaps that become boundaries", minimum=0, maximum=1)

    card = Card(title="a fixed share of the gaps at random", citation=_CITATION, equation="Table 4")

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
