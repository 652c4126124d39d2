# SPDX-License-Identifier: Apache-2.0
"""Seeded corpora of pairs: geometric reference segments, and a hypothesis that is partly right."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs

__all__ = ["SEED", "SHAPES", "Shape", "generate", "prefix"]

SEED = 20130801
MEAN_SEGMENT = 8
KEPT, SHIFTED = 0.6, 0.2  # of the reference's boundaries; the rest is dropped
NOISE = 0.05  # of all gaps
SHIFTS = np.array([-2, -1, 1, 2])

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Shape:
    """How many documents of which length: all alike, or log-normal around a mean."""

    name: str
    documents: int
    mean_units: int
    spread: float = 0.0

    def lengths(self, rng: np.random.Generator) -> Ints:
        """Return the units of each document."""
        if not self.spread:
            return np.full(self.documents, self.mean_units, dtype=np.int64)
        centre = np.log(self.mean_units) - self.spread**2 / 2
        return np.maximum(2, np.rint(rng.lognormal(centre, self.spread, self.documents))).astype(np.int64)


SHAPES = {
    "S": Shape("S", 1_000, 100),
    "M": Shape("M", 10_000, 200),
    "L": Shape("L", 727_000, 48, spread=0.75),
    "G": Shape("G", 1, 1_000_000),
}


def generate(shape: Shape, seed: int = SEED) -> Pairs:
    """Return the corpus of a shape; the same for the same seed.

    A gap is a reference boundary with probability 1/8, which makes segments geometric with mean 8. Of these 60 % are
    kept in the hypothesis, 20 % move by one or two gaps, the others are dropped; 5 % of all gaps are added.
    """
    rng = np.random.default_rng(seed)
    n_units = shape.lengths(rng)
    ends = np.cumsum(n_units)
    chosen = rng.random(int(ends[-1]), dtype=np.float32) < 1 / MEAN_SEGMENT
    chosen[ends - 1] = False  # the end of a document is no gap
    reference = np.flatnonzero(chosen)
    fate = rng.random(len(reference), dtype=np.float32)
    guessed = rng.random(int(ends[-1]), dtype=np.float32) < NOISE
    guessed[reference[fate < KEPT]] = True
    moved = reference[(fate >= KEPT) & (fate < KEPT + SHIFTED)]
    moved = moved + rng.choice(SHIFTS, len(moved))
    guessed[np.clip(moved, 0, len(guessed) - 1)] = True
    guessed[ends - 1] = False
    return Pairs(n_units, *_flat(reference, n_units, ends), *_flat(np.flatnonzero(guessed), n_units, ends))


def prefix(pairs: Pairs, documents: int) -> Pairs:
    """Return the first documents of a corpus."""
    ref_end, hyp_end = pairs.ref_ptr[documents], pairs.hyp_ptr[documents]
    return Pairs(
        pairs.n_units[:documents],
        pairs.ref_ptr[: documents + 1],
        pairs.ref_pos[:ref_end],
        pairs.hyp_ptr[: documents + 1],
        pairs.hyp_pos[:hyp_end],
    )


def _flat(places: Ints, n_units: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Turn places in the whole corpus, counted from 0, into pointers and boundaries of each document."""
    ptr = np.concatenate(([0], np.searchsorted(places, ends))).astype(np.int64)
    return ptr, places - np.repeat(ends - n_units, np.diff(ptr)) + 1
