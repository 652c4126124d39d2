# SPDX-License-Identifier: Apache-2.0
"""Silhouettes of units from the products of their vectors, which a matrix product makes faster than any loop here.

Callers without a compiler do the same with NumPy.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

COMPILED = cython.compiled
Table = cython.typedef(cython.double[:, ::1])
Doubles = cython.typedef(cython.double[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(column=i64, j=i64, mine=f64, square=f64, step=f64)
def _distances(
    products: Table, vectors: Table, squares: Doubles, row: i64, begin: i64, left: i64, lo: i64, hi: i64, nearly: f64, out: Doubles,
) -> cython.void:
    """Write the distances of a unit to a run of units; near ones from differences, for digits."""
    mine = squares[row]
    for column in range(lo, hi):
        out[column] = mine + squares[column] - 2.0 * products[row - begin, column - left]
    for column in range(lo, hi):
        if out[column] <= nearly * (mine + squares[column]):
            square = 0.0
            if column != row:
                for j in range(vectors.shape[1] if cython.compiled else len(vectors[0])):
                    step = vectors[row, j] - vectors[column, j]
                    square += step * step
            out[column] = square
    for column in range(lo, hi):
        out[column] = sqrt(out[column])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(column=i64, total=f64)
def _summed(found: Doubles, lo: i64, hi: i64) -> f64:
    """Return the sum of a run of distances."""
    total = 0.0
    for column in range(lo, hi):
        total += found[column]
    return total


@cython.locals(row=i64, own=i64, other=i64, first=i64, last=i64, final=i64, size=i64, a=f64, b=f64, mean=f64, larger=f64)
def measure_silhouettes(
    products: Table, vectors: Table, squares: Doubles, bounds: cython.const[i64][::1], begin: i64, end: i64,
    left: i64, own: i64, adjacent: i64, nearly: f64, found: Doubles, out: Doubles,
):
    """Write the silhouettes of the units ``begin .. end - 1`` of a document of at least two segments.

    ``products[i, j]`` is the product of units ``begin + i`` and ``left + j``; ``bounds`` are the first units of the
    segments and the number of units; ``own`` is the segment of ``begin``; ``found`` has room for a distance to every unit.
    """
    final = len(bounds) - 2
    with cython.nogil:
        for row in range(begin, end):
            while bounds[own + 1] <= row:
                own += 1
            size = bounds[own + 1] - bounds[own]
            if size == 1:
                out[row] = 0.0
                continue
            first = own - 1 if adjacent and own > 0 else 0
            last = own + 1 if adjacent and own < final else final
            _distances(products, vectors, squares, row, begin, left, bounds[first], bounds[last + 1], nearly, found)
            a = _summed(found, bounds[own], bounds[own + 1]) / (size - 1)
            b = -1.0
            for other in range(first, last + 1):
                if other != own:
                    mean = _summed(found, bounds[other], bounds[other + 1]) / (bounds[other + 1] - bounds[other])
                    if b < 0 or mean < b:
                        b = mean
            larger = a if a > b else b
            out[row] = (b - a) / larger if larger > 0 else 0.0
