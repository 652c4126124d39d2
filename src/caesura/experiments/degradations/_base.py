# SPDX-License-Identifier: Apache-2.0
"""What a degradation is, what it reports, and the registry of all of them."""

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

__all__ = ["DEGRADATIONS", "Amount", "Degradation", "Degraded", "document_rng", "made"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Degraded:
    """A damaged segmentation, and how much of the damage could be done.

    Attributes
    ----------
    segmentation : Segmentation
        The result.
    asked, done : int
        Changes that were asked for, and changes that were made.
    skipped : mapping of str to int
        Why the others were not made, with how many.
    """

    segmentation: Segmentation
    asked: int
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
            What is damaged; it stays as it is.
        rng : numpy.random.Generator
            Where chance comes from; `document_rng` makes one for a document.
        """
        raise NotImplementedError  # pragma: no cover - every degradation has its own


DEGRADATIONS: Registry[Degradation] = Registry("degradation", "caesura.degradations")
"""Every degradation."""


class Amount:
    """How much damage: a share or a count, never both; one change where neither is said."""

    share: float | None
    count: int | None

    def check_amount(self) -> str | None:
        """Return what is wrong with the two together, or None."""
        if self.share is not None and self.count is not None:
            return f"share is {self.share} and count is {self.count}; give one of them"
        return None

    def amount(self, whole: int) -> int:
        """Return how many changes a whole of so many things is asked to bear; a share is rounded, halves up."""
        if self.share is not None:
            # 9 digits: a share such as 0.15 of 10 is a half, though its nearest float lies below.
            return math.floor(round(self.share * whole, 9) + 0.5)
        return 1 if self.count is None else self.count


def document_rng(seed: int, document: str, level: str = "", draw: int = 0) -> np.random.Generator:
    """Return the generator of one document: the same whatever other documents there are, and in whatever order.

    Parameters
    ----------
    seed : int
        From 0.
    document : str
        Its id.
    level : str
        What is done to it, such as ``"Removal(share=0.3)"``.
    draw : int
        Which of several draws.

    Examples
    --------
    >>> first, again = (document_rng(0, "d1", "Removal(share=0.3)").integers(1000) for _ in range(2))
    >>> bool(first == again)
    True
    """
    # The length of the id keeps ("ab", "c") and ("a", "bc") apart; a lone surrogate may stand in an id of a JSON file.
    text = f"{len(document)}:{document}{level}".encode("utf-8", "surrogatepass")
    words = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), dtype="<u4")
    return np.random.default_rng([checked_seed(seed), checked_seed(draw), *words.tolist()])


def made(segmentation: Segmentation, positions: Ints) -> Segmentation:
    """Return a segmentation of the same units with other boundaries, which are known to be right."""
    array = np.array(positions, dtype=np.int64)
    array.setflags(write=False)
    return Segmentation.from_positions(segmentation.n_units, array, segmentation.unit)
