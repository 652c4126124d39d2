# SPDX-License-Identifier: Apache-2.0
"""The base class and the registry of degradations, and what a degradation returns."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from caesura.declare import Declared, Registry
from caesura.segmentation import Segmentation
from caesura.segmenters.random import checked_seed

__all__ = ["DEGRADATIONS", "Amount", "Degradation", "Degraded", "document_rng", "rebuilt"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Degraded:
    """A damaged segmentation, and how many of the requested changes could be made.

    Attributes
    ----------
    segmentation : Segmentation
        The damaged segmentation.
    requested, done : int
        Number of changes requested, and made.
    skipped : mapping of str to int
        Reasons why changes were not made, with the number of each.
    """

    segmentation: Segmentation
    requested: int
    done: int
    skipped: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Degradation(Declared):
    """Base of all degradations."""

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Damage a segmentation.

        Parameters
        ----------
        segmentation : Segmentation
            The segmentation to damage; it is not changed.
        rng : numpy.random.Generator
            Source of randomness; `document_rng` makes one for a document.
        """
        raise NotImplementedError  # pragma: no cover - every degradation has its own


DEGRADATIONS: Registry[Degradation] = Registry("degradation", "caesura.degradations")
"""Every degradation."""


class Amount:
    """How much damage: a share or a count, never both; one change if neither is given."""

    share: float | None
    count: int | None

    def check_amount(self) -> str | None:
        """Return what is wrong with giving both, or None."""
        if self.share is not None and self.count is not None:
            return f"share is {self.share} and count is {self.count}; give one of them"
        return None

    def amount(self, whole: int) -> int:
        """Return the number of changes to make to this many things; a share is rounded, halves up."""
        if self.share is not None:
            # 9 digits: a share such as 0.15 of 10 is a half, though its nearest float lies below.
            return math.floor(round(self.share * whole, 9) + 0.5)
        return 1 if self.count is None else self.count


def document_rng(seed: int, document: str, level: str = "", draw: int = 0) -> np.random.Generator:
    """Return the random generator of one document, which does not depend on other documents or their order.

    Parameters
    ----------
    seed : int
        Random seed, at least 0.
    document : str
        Id of the document.
    level : str
        What is done to the document, such as ``"Removal(share=0.3)"``.
    draw : int
        Which of several independent draws.

    Examples
    --------
    >>> first, again = (document_rng(0, "d1", "Removal(share=0.3)").integers(1000) for _ in range(2))
    >>> bool(first == again)
    True
    """
    # The length of the id keeps ("ab", "c") and ("a", "bc") apart; the id in a JSON file may contain a lone surrogate.
    text = f"{len(document)}:{document}{level}".encode("utf-8", "surrogatepass")
    words = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), dtype="<u4")
    return np.random.default_rng([checked_seed(seed), checked_seed(draw), *words.tolist()])


def rebuilt(segmentation: Segmentation, positions: Ints) -> Segmentation:
    """Return a segmentation of the same units with other boundaries, which are known to be valid."""
    array = np.array(positions, dtype=np.int64)
    array.setflags(write=False)
    return Segmentation.from_positions(segmentation.n_units, array, segmentation.unit)
