# SPDX-License-Identifier: Apache-2.0
"""Many counts of the same documents together.

The documents are cut into stretches whose boundaries stay in the cache while one kernel after the other reads them; each
writes into the same small table, from which the counts are packed (`caesura.kernels._counts`). Threads take whole
stretches, so that every number is made by one thread in one way and all ways of running agree bit for bit.
"""

from __future__ import annotations

import dataclasses
import os
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.kernels._counts import Counts, Piece, Table
from caesura.kernels._stretch import Arrays, Stretch, arrays_of

if TYPE_CHECKING:
    from caesura.kernels import Kernel

__all__ = ["Wanted", "count_blocks", "run_kernels"]

Wanted = tuple["Kernel", tuple[int, ...]]
"""A kernel and its parameters."""

_MOST_ROWS = 4_096
_EACH = 4
_ENOUGH = 1 << 18  # boundaries of all batches, some milliseconds of counting
_BOUNDARIES = 1 << 16  # of both sides in one stretch, on average: they take half of a common second cache


def run_kernels(
    batches: Sequence[Pairs], wanted: Sequence[Wanted], *, threads: int | None = 1
) -> list[list[Counts]]:
    """Return for each batch (several systems, say) the counts of each kernel.

    All batches share the threads; None is one per processor, if there is enough to count.
    """
    threads = _threads(batches) if threads is None else threads
    wanted = [(kernel, kernel.checked(parameters)) for kernel, parameters in wanted]
    plans = [_Plan.of(pairs, len(wanted), threads) for pairs in batches]
    jobs = deque((plan, number) for plan in plans for number in range(len(plan.cuts) - 1))
    threads = min(threads, len(jobs))
    if threads <= 1:
        _work(jobs, wanted)
    else:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads - 1) as pool:
            others = [pool.submit(_work, jobs, wanted) for _ in range(threads - 1)]
            _work(jobs, wanted)
            for other in others:
                other.result()
    return [
        [
            Counts(pieces, kernel.columns, kernel.fractional)
            for pieces, (kernel, _) in zip(plan.pieces, wanted, strict=True)
        ]
        for plan in plans
    ]


def count_blocks(pairs: Pairs, wanted: Sequence[Wanted], size: int) -> Iterator[list[Table]]:
    """Yield the tables of each kernel for ``size`` documents after the other, in the same memory; at least once.

    Nothing is kept and nothing packed: this is for those who score the counts while they are in the cache.
    """
    wanted = [(kernel, kernel.checked(parameters)) for kernel, parameters in wanted]
    arrays, room = arrays_of(pairs), _Room()
    tables = [np.empty((min(size, len(pairs)), len(kernel.columns))) for kernel, _ in wanted]
    for start in range(0, max(len(pairs), 1), size):
        stretch = Stretch.of(arrays, start, min(start + size, len(pairs)))
        found = [table[: len(stretch)] for table in tables]
        for out, (kernel, parameters) in zip(found, wanted, strict=True):
            kernel._fill(stretch, out, room.cells(kernel._room(stretch, parameters)), parameters)
        yield found


def _threads(batches: Sequence[Pairs]) -> int:
    """Return one thread per processor that may be used; one alone where starting others takes longer than they save."""
    if sum(len(pairs.ref_pos) + len(pairs.hyp_pos) for pairs in batches) < _ENOUGH:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclasses.dataclass(frozen=True)
class _Plan:
    """A batch as contiguous arrays, where it is cut, and what was counted of each stretch by each kernel."""

    arrays: Arrays
    cuts: Sequence[int]
    pieces: list[list[Any]]

    @classmethod
    def of(cls, pairs: Pairs, kernels: int, threads: int) -> _Plan:
        arrays = arrays_of(pairs)
        boundaries = (len(pairs.ref_pos) + len(pairs.hyp_pos)) / max(len(pairs), 1)
        rows = min(_MOST_ROWS, int(_BOUNDARIES / max(boundaries, 1.0)))
        if threads > 1:
            # Several for each thread, so that none waits long for the last.
            rows = min(rows, -(-len(pairs) // (_EACH * threads)))
        rows = max(rows, 1)
        cuts = [*range(0, len(pairs), rows), len(pairs)]
        return cls(arrays, cuts, [[None] * (len(cuts) - 1) for _ in range(kernels)])


class _Room:
    """Work space of the kernels of one thread, kept from one stretch to the next."""

    def __init__(self) -> None:
        self._cells: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def cells(self, number: int) -> npt.NDArray[np.int64]:
        """Return at least so many cells."""
        if len(self._cells) < number:
            self._cells = np.empty(number, dtype=np.int64)
        return self._cells


def _work(jobs: deque[tuple[_Plan, int]], wanted: Sequence[Wanted]) -> None:
    """Take stretches until there are none; the memory to work in is kept from one to the next."""
    space, room = np.empty(0), _Room()
    while True:
        try:
            plan, number = jobs.popleft()
        except IndexError:
            return
        stretch = Stretch.of(plan.arrays, plan.cuts[number], plan.cuts[number + 1])
        for place, (kernel, parameters) in enumerate(wanted):
            shape = (len(stretch), len(kernel.columns))
            if len(space) < shape[0] * shape[1]:
                space = np.empty(shape[0] * shape[1])
            out = space[: shape[0] * shape[1]].reshape(shape)
            kernel._fill(stretch, out, room.cells(kernel._room(stretch, parameters)), parameters)
            plan.pieces[place][number] = Piece.of(out, kernel.fractional)
