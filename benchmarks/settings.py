# SPDX-License-Identifier: Apache-2.0
"""How large a run is."""

from __future__ import annotations

import dataclasses
import functools

from benchmarks.corpora import SEED, SHAPES, Shape, generate
from benchmarks.results import Part
from caesura.batches.pairs import Pairs

__all__ = ["FULL", "QUICK", "Settings"]

_QUICK_SHAPES = {
    "S": Shape("S", 200, 100),
    "M": Shape("M", 1_000, 200),
    "L": Shape("L", 20_000, 48, spread=0.75),
    "G": Shape("G", 1, 100_000),
    "R": Shape("R", 1_000, 32, spread=0.5),
}


@dataclasses.dataclass(frozen=True)
class Settings:
    """Sizes and numbers of rounds.

    Attributes
    ----------
    quick : bool
        Whether corpora are small; the goals are then only an indication.
    rounds : int
        Rounds of quick things; slow ones take ``slow_rounds``.
    shortest : float
        Seconds that a piece of work takes at least in its turn; shorter work is repeated.
    growth : tuple of int
        Units of the single documents whose times give the slopes.
    """

    quick: bool
    rounds: int
    slow_rounds: int
    shortest: float
    growth: tuple[int, ...]
    seed: int = SEED

    def shape(self, name: str) -> Shape:
        """Return the shape of a corpus."""
        return (_QUICK_SHAPES if self.quick else SHAPES)[name]

    def corpus(self, name: str, part: Part) -> Pairs:
        """Return a corpus, and note its size."""
        pairs = _corpus(self.shape(name), self.seed)
        part.corpora[name] = {
            "documents": len(pairs),
            "units": int(pairs.n_units.sum()),
            "boundaries": len(pairs.ref_pos) + len(pairs.hyp_pos),
        }
        return pairs


@functools.cache
def _corpus(shape: Shape, seed: int) -> Pairs:
    return generate(shape, seed)


FULL = Settings(
    quick=False, rounds=9, slow_rounds=5, shortest=0.1, growth=(10_000, 31_623, 100_000, 316_228, 1_000_000)
)
QUICK = Settings(quick=True, rounds=5, slow_rounds=5, shortest=0.01, growth=(1_000, 3_162, 10_000, 31_623, 100_000))
