# SPDX-License-Identifier: Apache-2.0
"""Greedy selection by score: one walk per document serves every threshold.

Gaps come by descending score, ties by position; one is accepted if it is at least ``min_gap`` from all accepted before.
What a threshold selects is then what was accepted with a score that reaches it, because the walk for a threshold is the
head of the walk for any lower one.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)


@cython.locals(row=i64, place=i64, gap=i64, first=i64, last=i64, near=i64, rank=i64, base=i64, size=i64)
def accept_by_score(ptr: Ints, order: Ints, min_gap: i64, ranks: Cells, scratch: Cells):
    """Write into ``ranks`` the order of acceptance of each gap from 0, or -1 for one that stands too near a better one.

    ``order`` lists the gaps of each document by descending score, as places in the whole array.
    """
    with cython.nogil:
        for row in range((ptr.shape[0] if cython.compiled else len(ptr)) - 1):
            base = ptr[row]
            size = ptr[row + 1] - base
            for place in range(size):
                scratch[place] = 0
            rank = 0
            for place in range(base, base + size):
                gap = order[place] - base
                if scratch[gap] == 1:
                    ranks[base + gap] = -1
                    continue
                ranks[base + gap] = rank
                rank += 1
                first = gap - min_gap + 1 if gap - min_gap + 1 > 0 else 0
                last = gap + min_gap if gap + min_gap < size else size
                for near in range(first, last):
                    scratch[near] = 1
