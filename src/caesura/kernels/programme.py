# SPDX-License-Identifier: Apache-2.0
"""Least cost of the first units in a given number of segments, from the costs of all segments."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Costs = cython.typedef(cython.const[cython.double][:, ::1])
Table = cython.typedef(cython.double[:, ::1])
Values = cython.typedef(cython.const[cython.double][::1])
Sums = cython.typedef(cython.double[::1])
Cells = cython.typedef(cython.longlong[:, ::1])
Row = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(i=i64, a=f64, b=f64, c=f64, d=f64, x=f64)
def _least_of_16(costs: Costs, before: Sums, end: i64, start: i64, cell: i64) -> f64:
    """Return the least total of sixteen starts, without a branch."""
    a = before[start] + costs[end - 1, start + cell]
    b = before[start + 1] + costs[end - 1, start + cell + 1]
    c = before[start + 2] + costs[end - 1, start + cell + 2]
    d = before[start + 3] + costs[end - 1, start + cell + 3]
    for i in range(start + 4, start + 16, 4):
        x = before[i] + costs[end - 1, i + cell]
        a = x if x < a else a
        x = before[i + 1] + costs[end - 1, i + cell + 1]
        b = x if x < b else b
        x = before[i + 2] + costs[end - 1, i + cell + 2]
        c = x if x < c else c
        x = before[i + 3] + costs[end - 1, i + cell + 3]
        d = x if x < d else d
    a = b if b < a else a
    c = d if d < c else c
    return c if c < a else a


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(n=i64, longest=i64, end=i64, start=i64, lowest=i64, place=i64, least=f64, cost=f64)
def _least_of_blocks(costs: Costs, lows: Table) -> cython.void:
    """Write for each end the least cost of the segments from each block of sixteen starts, from the first block on."""
    n = costs.shape[0]
    longest = costs.shape[1]
    for end in range(1, n + 1):
        lowest = end - longest if end > longest else 0
        start = lowest
        place = 0
        while start < end:
            least = costs[end - 1, start + longest - end]
            start += 1
            while start < end and start & 15:
                cost = costs[end - 1, start + longest - end]
                least = cost if cost < least else least
                start += 1
            lows[end - 1, place] = least
            place += 1


@cython.locals(
    n=i64, longest=i64, level=i64, end=i64, start=i64, lowest=i64, first=i64, best=i64, block=i64, edge=i64, cell=i64, least=f64,
    total=f64, found=f64,
)
def least_costs(costs: Costs, lows: Table, before: Sums, after: Sums, floors: Sums, totals: Sums, starts: Cells):
    """Write the least total cost of the document in 1, 2, … segments, and the starts of the last ones.

    ``costs[end - 1, j]`` is the cost of the segment from ``end - longest + j`` to ``end``. ``before`` and ``after`` are work
    space of a cell per unit and one more; ``before`` must be infinite but for a 0 at its start. ``starts[k, end - 1]`` is the
    start of the last of k + 1 segments that cover the units before ``end``; of equal ones the first.

    Starts are tried from the last to the first, in blocks of sixteen. No start of a block has a lower total than the least of
    what is before them plus the least of their costs, also after rounding, so a block that cannot reach the least total is left
    out. ``lows`` and ``floors`` are work space for these two: n rows of ``longest // 16 + 2`` cells, and ``n // 16 + 1`` cells.
    """
    n = costs.shape[0]
    longest = costs.shape[1]
    with cython.nogil:
        _least_of_blocks(costs, lows)
        for level in range(totals.shape[0]):
            for block in range((n >> 4) + 1):
                edge = (block << 4) + 16 if (block << 4) + 16 < n + 1 else n + 1
                least = before[block << 4]
                for start in range((block << 4) + 1, edge):
                    least = before[start] if before[start] < least else least
                floors[block] = least
            after[level] = 1e308 * 10
            for end in range(level + 1, n + 1):
                lowest = end - longest if end > longest else 0
                first = lowest if lowest > level else level
                cell = longest - end
                least = 1e308 * 10
                best = first
                start = end - 1
                block = start >> 4
                while start >= first:
                    edge = block << 4 if block << 4 > first else first
                    if floors[block] + lows[end - 1, block - (lowest >> 4)] <= least:
                        if start - edge == 15:
                            found = _least_of_16(costs, before, end, edge, cell)
                            if found <= least:
                                least = found
                                best = edge
                                while before[best] + costs[end - 1, best + cell] > least:
                                    best += 1
                        else:
                            while start >= edge:
                                total = before[start] + costs[end - 1, start + cell]
                                if total <= least:
                                    least = total
                                    best = start
                                start -= 1
                    start = edge - 1
                    block -= 1
                after[end] = least
                starts[level, end - 1] = best
            totals[level] = after[n]
            for end in range(level, n + 1):
                before[end] = after[end]


@cython.locals(longest=i64, end=i64, start=i64, first=i64, best=i64, cell=i64, least=f64, total=f64)
def least_penalised(costs: Costs, penalty: f64, totals: Sums, starts: Row):
    """Write the least sum of costs and penalties of the first units, one penalty per segment, and the starts of the last ones.

    Both have a cell per unit and one more; ``totals`` must begin with 0. Of equal starts the first.
    """
    longest = costs.shape[1]
    with cython.nogil:
        for end in range(1, costs.shape[0] + 1):
            first = end - longest if end > longest else 0
            cell = longest - end
            least = 1e308 * 10
            best = first
            start = end - 1
            while start >= first:
                total = totals[start] + costs[end - 1, start + cell]
                if total <= least:
                    least = total
                    best = start
                start -= 1
            totals[end] = least + penalty
            starts[end] = best


@cython.locals(n=i64, d=i64, whole=i64, row=i64, j=i64, x=f64, y=f64, s0=f64, s1=f64, t0=f64, t1=f64)
def running_sums(vectors: cython.const[cython.float][:, ::1], sums: Table, squares: Sums, lengths: Sums):
    """Write the sums of the first vectors, those of their squared lengths, and the squared lengths of the sums; all begin with 0."""
    n = vectors.shape[0]
    d = vectors.shape[1]
    whole = d - d % 2
    with cython.nogil:
        for row in range(n):
            s0 = s1 = t0 = t1 = 0.0
            for j in range(0, whole, 2):
                x = vectors[row, j]
                y = sums[row, j] + x
                sums[row + 1, j] = y
                s0 += x * x
                t0 += y * y
                x = vectors[row, j + 1]
                y = sums[row, j + 1] + x
                sums[row + 1, j + 1] = y
                s1 += x * x
                t1 += y * y
            if whole < d:
                x = vectors[row, whole]
                y = sums[row, whole] + x
                sums[row + 1, whole] = y
                s0 += x * x
                t0 += y * y
            squares[row + 1] = squares[row] + (s0 + s1)
            lengths[row + 1] = t0 + t1


@cython.locals(longest=i64, row=i64, end=i64, start=i64, lowest=i64, cost=f64)
def scatter_costs(products: Costs, squares: Values, lengths: Values, costs: Table, first: i64, base: i64):
    """Write the scatter of the segments that end after unit ``first`` and the next ones, a row of ``products`` each.

    ``squares`` are running sums of squared lengths, ``lengths`` the squared lengths of running sums, and ``products`` those of
    the running sums at the end and at each start from ``base`` on.
    """
    longest = costs.shape[1]
    with cython.nogil:
        for row in range(products.shape[0]):
            end = first + row
            lowest = end - longest if end > longest else 0
            for start in range(lowest, end):
                cost = (lengths[end] + lengths[start] - 2 * products[row, start - base]) / (end - start)
                cost = squares[end] - squares[start] - cost
                costs[end - 1, start + longest - end] = cost if cost > 0.0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(size=i64, whole=i64, i=i64, a=f64, b=f64, c=f64, d=f64, x=f64)
def _exemplar_cost(sums: Costs, longest: i64, start: i64, end: i64) -> f64:
    """Return the negative of what the best exemplar of a segment gives."""
    size = end - start
    whole = size - size % 4
    a = b = c = d = -1e308 * 10
    for i in range(0, whole, 4):
        x = sums[end, longest - size + i] - sums[start, longest + i]
        a = x if x > a else a
        x = sums[end, longest - size + i + 1] - sums[start, longest + i + 1]
        b = x if x > b else b
        x = sums[end, longest - size + i + 2] - sums[start, longest + i + 2]
        c = x if x > c else c
        x = sums[end, longest - size + i + 3] - sums[start, longest + i + 3]
        d = x if x > d else d
    for i in range(whole, size):
        x = sums[end, longest - size + i] - sums[start, longest + i]
        a = x if x > a else a
    a = b if b > a else a
    c = d if d > c else c
    return -(c if c > a else a)


@cython.locals(n=i64, longest=i64, first=i64, start=i64, end=i64, last=i64)
def exemplar_costs(sums: Costs, costs: Table):
    """Write for each segment the negative of what its best exemplar gives, of eight ends together while a start is in the cache.

    ``sums[i, c - i + longest]`` is the sum of the similarities of the units before i to unit c, from a unit on that may differ
    from one c to another.
    """
    n = costs.shape[0]
    longest = costs.shape[1]
    with cython.nogil:
        for first in range(1, n + 1, 8):
            last = first + 7 if first + 7 < n else n
            for start in range(first - longest if first > longest else 0, last):
                for end in range(first if first > start else start + 1, last + 1):
                    if end - start <= longest:
                        costs[end - 1, longest - end + start] = _exemplar_cost(sums, longest, start, end)


@cython.locals(n=i64, level=i64, step=i64, end=i64, place=i64)
def largest_absent(totals: Sums, starts: Cells, present: Row, absent: Row):
    """Write for each gap the largest number of segments at which it is not a boundary; ``present`` is work space.

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
