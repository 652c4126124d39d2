# SPDX-License-Identifier: Apache-2.0
"""Seeded corpora of pairs: geometric reference segments or drawn dialogues, and a hypothesis that is partly right."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.formats import load

__all__ = ["DIALOGUES", "SEED", "SHAPES", "Shape", "draw_dialogues", "generate", "prefix"]

SEED = 20130801
MEAN_SEGMENT = 8
KEPT, SHIFTED = 0.6, 0.2  # of the reference's boundaries; the rest is dropped
NOISE = 0.05  # of all gaps
SHIFTS = np.array([-2, -1, 1, 2])

DIALOGUES = (
    "dailydialog/dailydialog_concat_test.jsonl.gz",
    "dialseg711/dialseg711_shared500.jsonl.gz",
    "taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz",
    "topical_chat/topicalchat_concat_test_freq.jsonl.gz",
)
"""Corpora of dialogues, 31 units long on average, in the folder that ``CAESURA_DATA`` names."""

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
    "R": Shape("R", 10_000, 32, spread=0.5),
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
    return _guessed(np.flatnonzero(chosen), n_units, rng)


def draw_dialogues(folder: Path, documents: int, seed: int = SEED) -> Pairs:
    """Return dialogues drawn from the gold of `DIALOGUES` in a folder, each with a hypothesis as in `generate`."""
    rng = np.random.default_rng(seed)
    gold = [load(folder / name).flat for name in DIALOGUES]
    n_units = np.concatenate([flat.n_units for flat in gold])
    ptr = np.cumsum([0, *np.concatenate([np.diff(flat.ptr) for flat in gold])])
    drawn = Flat(n_units, ptr, np.concatenate([flat.pos for flat in gold])).take(
        rng.integers(len(n_units), size=documents)
    )
    starts = np.repeat(np.cumsum(drawn.n_units) - drawn.n_units, np.diff(drawn.ptr))
    return _guessed(starts + drawn.pos - 1, drawn.n_units, rng)


def _guessed(reference: Ints, n_units: Ints, rng: np.random.Generator) -> Pairs:
    """Return the boundaries of a reference, as places in the whole corpus, with those of a hypothesis."""
    ends = np.cumsum(n_units)
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
