# SPDX-License-Identifier: Apache-2.0
"""Least cost of the first units in a given number of segments, from the costs of all segments."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Costs = cython.typedef(cython.const[cython.double][:, ::1])
Sums = cython.typedef(cython.double[::1])
Cells = cython.typedef(cython.longlong[:, ::1])
Row = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.locals(n=i64, longest=i64, level=i64, end=i64, start=i64, first=i64, best=i64, shift=i64, least=f64, total=f64)
def least_costs(costs: Costs, before: Sums, after: Sums, totals: Sums, starts: Cells):
    """Write the least total cost of the document in 1, 2, … segments, and the starts of the last ones.

    ``costs[end - 1, j]`` is the cost of the segment from ``end - longest + j`` to ``end``. ``before`` and ``after`` are work
    space of a cell per unit and one more; ``before`` must be infinite but for a 0 at its start. ``starts[k, end - 1]`` is the
    start of the last of k + 1 segments that cover the units before ``end``; of equal ones the first.
    """
    n = costs.shape[0]
    longest = costs.shape[1]
    with cython.nogil:
        for level in range(totals.shape[0]):
            after[level] = 1e308 * 10
            for end in range(level + 1, n + 1):
                first = end - longest if end - longest > level else level
                shift = longest - end
                least = before[first] + costs[end - 1, first + shift]
                best = first
                for start in range(first + 1, end):
                    total = before[start] + costs[end - 1, start + shift]
                    if total < least:
                        least = total
                        best = start
                after[end] = least
                starts[level, end - 1] = best
            totals[level] = after[n]
            for end in range(level, n + 1):
                before[end] = after[end]


@cython.locals(n=i64, level=i64, step=i64, end=i64, place=i64)
def largest_absent(totals: Sums, starts: Cells, present: Row, absent: Row):
    """Write for each gap the largest number of segments at which it is no boundary; ``present`` is work space.

    Both have a cell per unit and one more; the gap after unit i has cell i. Numbers without a segmentation do not count.
    """
    n = starts.shape[1]
    with cython.nogil:
        for level in range(totals.shape[0]):
            if totals[level] > 1e308:
                continue
            end = n
            for step in range(level):
                end = starts[level - step, end - 1]
                present[end] = level + 1
            for place in range(1, n):
                if present[place] != level + 1:
                    absent[place] = level + 1
