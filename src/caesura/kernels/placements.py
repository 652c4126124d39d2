# SPDX-License-Identifier: Apache-2.0
"""The likeness of every segment of a document from the products of its vectors, and its sum after each rotation.

Callers without a compiler do the same with NumPy.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Table = cython.typedef(cython.double[:, ::1])
Doubles = cython.typedef(cython.double[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.locals(n=i64, i=i64, j=i64, mean=f64, scatter=f64, own=f64, added=f64, total=f64)
def measure_likenesses(products: Table, distinct: i64, means: Doubles, out: Table) -> float:
    """Write the likeness of the units i to j - 1 to (i, j), i < j, and return the summed squares of all.

    The vectors, whose products are given, are centred here. ``means`` is room for one number per unit.
    """
    n = len(means)
    mean = scatter = 0.0
    with cython.nogil:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += products[i, j]
            means[i] = total / n
            mean += means[i] / n
        for i in range(n - 1, -1, -1):
            own = products[i, i] - 2.0 * means[i] + mean
            scatter += own
            added = 0.0 if distinct else own
            out[i, i + 1] = added
            for j in range(i + 2, n + 1):
                added += 2.0 * (products[i, j - 1] - means[i] - means[j - 1] + mean)
                out[i, j] = out[i + 1, j] + added
            if i + 1 < n:
                # The row below has been read, and can be divided.
                for j in range(i + 3 if distinct else i + 2, n + 1):
                    out[i + 1, j] /= j - i - 2 if distinct else j - i - 1
        for j in range(2 if distinct else 1, n + 1):
            out[0, j] /= j - 1 if distinct else j
    return scatter


@cython.locals(gaps=i64, last=i64, wrapped=i64, row=i64, shift=i64, place=i64, before=i64, here=i64, total=f64)
def sum_rotations(
    table: Table, boundaries: cython.const[i64][::1], shifts: cython.const[i64][::1], out: Doubles
):
    """Write the sum over the segments that the boundaries make after each shift, from the value of every segment."""
    last = len(boundaries)
    gaps = len(table) - 2
    with cython.nogil:
        for row in range(len(out) if not cython.compiled else out.shape[0]):
            shift = shifts[row]
            wrapped = last
            while wrapped > 0 and boundaries[wrapped - 1] + shift > gaps:
                wrapped -= 1
            total = 0.0
            before = 0
            for place in range(wrapped, last):
                here = boundaries[place] + shift - gaps
                total += table[before, here]
                before = here
            for place in range(wrapped):
                here = boundaries[place] + shift
                total += table[before, here]
                before = here
            out[row] = total + table[before, gaps + 1]
