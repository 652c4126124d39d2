# SPDX-License-Identifier: Apache-2.0
"""The base class and the registry of degradations, and what a degradation returns."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded, Vectors
from caesura.batches.flat import Flat
from caesura.declare import Declared, Registry
from caesura.kernels import draws
from caesura.placements.random import checked_seed
from caesura.placements.streams import Streams, Words, words_of
from caesura.segmentation import Segmentation

__all__ = ["DEGRADATIONS", "Amount", "Degradation", "Degraded", "document_rng", "rebuilt"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Degraded:
    """A damaged segmentation; ``skipped`` maps the reasons why requested changes were not made to their numbers."""

    segmentation: Segmentation
    requested: int
    done: int
    skipped: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Degradation(Declared):
    """Base of all degradations."""

    random: ClassVar[bool] = True
    """Whether draws differ."""

    reads: ClassVar[bool] = False
    """Whether it reads the vectors of the units, and so is done by `apply_to`."""

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Return a damaged copy of a segmentation; `document_rng` makes the random generator of a document."""
        raise NotImplementedError  # pragma: no cover - every degradation has its own

    def apply_to(self, segmentation: Segmentation, rng: np.random.Generator, vectors: Vectors | None) -> Degraded:
        """Return a damaged copy of a segmentation of units with these vectors, which few degradations read."""
        return self.apply(segmentation, rng)

    def apply_to_all(self, batch: Embedded, seed: int, number: int = 1) -> Iterator[Flat]:
        """Yield the segmentations of all documents as `apply_to` damages each with its `document_rng`, once per draw."""
        own = _words_of_each(batch.ids, str(self))
        for draw in range(number):
            streams = _streams(seed, own, draw)
            if draws.COMPILED and self.is_at_once:
                yield self._at_once(batch.segmentations, batch.unit, streams)
            else:
                shared = None if self.random else streams.generator(0)  # what is not random draws nothing
                each = (
                    self.apply_to(batch.segmentation(row), shared or streams.generator(row), batch.vectors_of(row))
                    for row in range(len(batch))
                )
                yield Flat.from_segmentations([degraded.segmentation for degraded in each])

    @property
    def is_at_once(self) -> bool:
        """Whether `apply_to_all` can damage all documents without an object for each; most cannot."""
        return False

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        """Return all documents damaged as `apply` damages each, if it ``is_at_once``."""
        raise NotImplementedError  # pragma: no cover - asked only of those that have one


DEGRADATIONS: Registry[Degradation] = Registry("degradation", "caesura.degradations")
"""Every degradation."""


class Amount(Degradation):
    """Base of degradations by a share or a count, never both; one change if neither is given."""

    share: float | None
    count: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.share is not None and self.count is not None:
            amounts = f"share is {self.share} and count is {self.count}"
            raise self.error(f"{type(self).__name__}: {amounts}; give one of them")

    def amount(self, whole: int) -> int:
        """Return the number of changes to make to this many things; a share is rounded, halves up."""
        if self.share is not None:
            # 9 digits: a share such as 0.15 of 10 is a half, though its nearest float lies below.
            return math.floor(round(self.share * whole, 9) + 0.5)
        return 1 if self.count is None else self.count

    def amounts(self, wholes: Ints) -> Ints:
        """Return the number of changes to make to each of many documents, at most as many as there are things."""
        kinds, which = np.unique(wholes, return_inverse=True)
        each = [min(self.amount(whole), whole) for whole in kinds.tolist()]
        return np.array(each, dtype=np.int64)[which]


def document_rng(seed: int, document: str, level: str = "", draw: int = 0) -> np.random.Generator:
    """Return the random generator of a document id, which does not depend on other documents or their order.

    ``level`` is what is done to the document, such as ``"Removal(share=0.3)"``, ``draw`` which of several independent draws.

    >>> first, again = (document_rng(0, "d1", "Removal(share=0.3)").integers(1000) for _ in range(2))
    >>> bool(first == again)
    True
    """
    return _streams(seed, _words_of_each([document], level), draw).generator(0)


def _words_of_each(documents: Sequence[str], level: str) -> Words:
    """Return the four words of each document id from which its random numbers come, whatever seed and draw."""
    # The length of the id keeps ("ab", "c") and ("a", "bc") apart; the id in a JSON file may contain a lone surrogate.
    texts = (f"{len(key)}:{key}{level}".encode("utf-8", "surrogatepass") for key in documents)
    digests = b"".join(hashlib.blake2b(text, digest_size=16).digest() for text in texts)
    return np.frombuffer(digests, dtype="<u4").reshape(-1, 4).T


def _streams(seed: int, own: Words, draw: int) -> Streams:
    return Streams.of([*words_of(checked_seed(seed)), *words_of(checked_seed(draw))], own)


def rebuilt(segmentation: Segmentation, positions: Ints) -> Segmentation:
    """Return a segmentation of the same units with other boundaries."""
    return Segmentation(segmentation.n_units, positions, unit=segmentation.unit)
