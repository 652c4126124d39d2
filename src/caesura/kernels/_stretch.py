# SPDX-License-Identifier: Apache-2.0
"""Some neighbouring documents, as the kernels read them."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.errors import ComparabilityError
from caesura.kernels import boundaries

__all__ = ["Arrays", "Stretch", "arrays_of"]

Ints = npt.NDArray[np.int64]
Arrays = tuple[Ints, Ints, Ints, Ints, Ints]
Words = npt.NDArray[np.uint64]


def arrays_of(pairs: Pairs) -> Arrays:
    """Return units, pointers and boundaries of both sides, which were checked when the pairs were made."""
    if not isinstance(pairs, Pairs):
        raise ComparabilityError(f"a kernel counts Pairs, not a {type(pairs).__name__}")
    return pairs.n_units, pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr, pairs.hyp_pos


@dataclasses.dataclass(frozen=True)
class Stretch:
    """The documents ``start`` to ``stop`` of some arrays; nothing is copied."""

    arrays: Arrays

    @classmethod
    def of(cls, arrays: Arrays, start: int, stop: int) -> Stretch:
        """Take the documents from ``start`` to ``stop``."""
        n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos = arrays
        return cls(
            (n_units[start:stop], ref_ptr[start : stop + 1], ref_pos, hyp_ptr[start : stop + 1], hyp_pos)
        )

    def __len__(self) -> int:
        return len(self.arrays[0])

    @functools.cached_property
    def most(self) -> int:
        """How many boundaries the document with most has, both sides together."""
        if not len(self):
            return 0
        return int((np.diff(self.arrays[1]) + np.diff(self.arrays[3])).max())

    @functools.cached_property
    def lists(self) -> tuple[list[Any], ...]:
        """The same as lists, which uncompiled loops read several times faster than arrays."""
        n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos = self.arrays
        found = [n_units.tolist()]
        for ptr, pos in ((ref_ptr, ref_pos), (hyp_ptr, hyp_pos)):
            found += [(ptr - ptr[0]).tolist(), pos[ptr[0] : ptr[-1]].tolist()]
        return tuple(found)

    @functools.cached_property
    def bits(self) -> tuple[Words, Words]:
        """The boundaries of both sides as bits (`caesura.kernels.boundaries`), for the kernels that read short documents so."""
        if not boundaries.COMPILED:
            ref, hyp = (np.array(side, dtype=np.uint64) for side in self.bit_lists)
            return ref, hyp
        n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos = self.arrays
        ref, hyp = np.empty((2, len(self)), dtype=np.uint64)
        boundaries.set_bits(n_units, ref_ptr, ref_pos, ref)
        boundaries.set_bits(n_units, hyp_ptr, hyp_pos, hyp)
        return ref, hyp

    @functools.cached_property
    def bit_lists(self) -> tuple[list[int], list[int]]:
        """The same as lists."""
        if boundaries.COMPILED:
            return self.bits[0].tolist(), self.bits[1].tolist()
        n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos = self.lists
        ref, hyp = [0] * len(self), [0] * len(self)
        boundaries.set_bits(n_units, ref_ptr, ref_pos, ref)
        boundaries.set_bits(n_units, hyp_ptr, hyp_pos, hyp)
        return ref, hyp
