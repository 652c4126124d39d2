# SPDX-License-Identifier: Apache-2.0
"""Baselines that do not read the text: the least that a system must beat.

Each is declared by name and makes hypotheses for a whole reference corpus. Some are oracles: they know how many boundaries
the reference has and show what that number alone is worth, but cannot be used in practice. A random baseline depends on
the seed and on the place of the document among the ids of the reference (`caesura.corpus.drawing_order`), not on their order
in a file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.corpus import Corpus, drawing_order, drawing_places
from caesura.declare import Card, param, snake_case, split_names
from caesura.errors import ComparabilityError, DeclarationError
from caesura.limits import check_units
from caesura.placements.even import even_of_each, every_of_each
from caesura.placements.random import checked_seed, random_gaps
from caesura.placements.streams import Streams, chosen_gaps, words_of
from caesura.scorers import Encoding, Features
from caesura.segmenters.base import SEGMENTERS, Cut, Segmenter

__all__ = [
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
    "baseline_systems",
]

_DENSE = 50
"""Gaps per boundary up to which a random choice takes memory for each gap."""
_CITATION = "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation"
_TABLE_3 = "section 6.5, Table 3"


@dataclasses.dataclass(frozen=True)
class Baseline(Segmenter):
    """The base of all baselines: the number of boundaries of each document, and their positions."""

    at_once: ClassVar[bool] = True

    @classmethod
    def name(cls) -> str:
        """Return the name in snake case: ``random_density`` for ``RandomDensity``."""
        return snake_case(cls.__name__)

    def _counts(self, reference: Corpus) -> Ints:
        """Return the number of boundaries of each document, or its expectation."""
        raise NotImplementedError  # pragma: no cover - every baseline has its own

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        """Segment all documents; by default ``counts`` gaps at random."""
        streams = Streams.of(words_of(seed), np.arange(len(n_units)))
        return Flat._known(n_units, starts_of(counts), chosen_gaps(n_units - 1, counts, streams))

    def cut(self, features: Features) -> Cut:
        """Segment one document, as a corpus of its own."""
        alone = self.segment_corpus(Corpus([features.document]), features.seed, features.encoding)
        return Cut(alone.segmentation(0))

    def segment_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> Corpus:
        """Return a hypothesis for each document of a reference."""
        reference = corpus
        counts = self._counts(reference)
        order, n_units = drawing_order(reference.ids), reference.flat.n_units
        made = np.where(counts > n_units // _DENSE, n_units, counts)[counts > np.diff(reference.flat.ptr)]
        check_units(int(made.sum()), len(reference), f"baseline {self} on the unit {reference.unit!r}")
        flat = self._placed(n_units[order], counts[order], checked_seed(seed))
        if not isinstance(order, slice):
            flat = flat.take(drawing_places(reference.ids))
        return reference.segmented(flat, name=str(self))


def _boundary_counts(reference: Corpus, baseline: Baseline) -> Ints:
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

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        return Flat.without_boundaries(n_units)

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

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        return every_of_each(n_units, 1)


@SEGMENTERS.register("periodic", "clock")
@dataclasses.dataclass(frozen=True)
class Every(Baseline):
    """A boundary after every n units.

    Without n it is the oracle of Table 3, with n = max(2, round(units / (boundaries + documents))), the mean segment of the
    whole reference.
    """

    n: int | None = param(None, "length of a segment; default the reference's mean segment", minimum=1)

    card = Card(title="a boundary after every n units", citation=_CITATION, equation=_TABLE_3)

    @property
    def oracle(self) -> bool:
        """Whether the length is that of the reference."""
        return self.n is None

    def _length(self, reference: Corpus) -> int:
        if self.n is not None:
            return self.n
        segments = int(_boundary_counts(reference, self).sum()) + len(reference)
        return max(2, round(int(reference.flat.n_units.sum()) / segments)) if segments else 2

    def _counts(self, reference: Corpus) -> Ints:
        return (reference.flat.n_units - 1) // self._length(reference)

    def segment_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> Corpus:
        """Segment with the given length, or with that of the reference."""
        made = Baseline.segment_corpus(Every(n=self._length(corpus)), corpus, seed, encoding)
        made.name = str(self)
        return made

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        return every_of_each(n_units, self.n or int(n_units.max(initial=1)))


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class Even(Baseline):
    """Boundaries at equal distances in each document.

    Without k it sets as many as the reference has: the oracle called periodic in Tables 4 and 6 of the granularity paper.
    """

    k: int | None = param(None, "boundaries in each document; default as many as the reference", minimum=0)

    card = Card(title="boundaries at equal distances", citation=_CITATION, equation="Tables 4 and 6")

    @property
    def oracle(self) -> bool:
        """Whether the number is that of the reference."""
        return self.k is None

    def _counts(self, reference: Corpus) -> Ints:
        return _boundary_counts(reference, self) if self.k is None else _at_most(self.k, reference)

    def _placed(self, n_units: Ints, counts: Ints, seed: int) -> Flat:
        return even_of_each(n_units, counts)


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
        return _at_most(self.k, reference)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class RandomDensity(Baseline):
    """As many random gaps as the reference has boundaries in the document: a density oracle (Table 3)."""

    card = Card(title="as many random gaps as the reference has boundaries", citation=_CITATION, equation=_TABLE_3)

    @property
    def oracle(self) -> bool:
        """Whether the number is that of the reference: always."""
        return True

    def _counts(self, reference: Corpus) -> Ints:
        return _boundary_counts(reference, self)


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


def baseline_systems(texts: str | Iterable[str], reference: Corpus, seed: int = 0) -> dict[str, Corpus]:
    """Return several baselines by name, to be scored next to systems; an oracle is marked in its name.

    Parameters
    ----------
    texts : str or iterable of str
        Names, or one string of names separated by commas: ``"none,every(n=4),random_density"``.
    reference : Corpus
        The documents to segment.
    seed : int
        Random seed of all baselines.
    """
    lists = [texts] if isinstance(texts, str) else texts
    names = [name for text in lists for name in split_names(text)]
    if not names:
        raise DeclarationError(f"no baseline given; choose from {', '.join(SEGMENTERS.names())}")
    systems: dict[str, Corpus] = {}
    for text in names:
        baseline = SEGMENTERS.parse(text)
        if baseline.label in systems:
            raise DeclarationError(f"baseline {baseline} is given twice; name it once")
        systems[baseline.label] = baseline.segment(reference, seed)
    return systems
