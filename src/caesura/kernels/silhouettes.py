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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    column=cython.longlong,
    j=cython.longlong,
    square=cython.double,
    limit=cython.double,
    total=cython.double,
    step=cython.double,
)
@cython.returns(cython.double)
def _summed(
    products: cython.double[:, ::1],
    vectors: cython.double[:, ::1],
    squares: cython.double[::1],
    row: cython.longlong,
    begin: cython.longlong,
    left: cython.longlong,
    lo: cython.longlong,
    hi: cython.longlong,
    nearly: cython.double,
):
    """Return the summed distance of a unit to a run of units; near ones from differences, for digits."""
    total = 0.0
    for column in range(lo, hi):
        limit = squares[row] + squares[column]
        square = limit - 2.0 * products[row - begin, column - left]
        if square <= nearly * limit:
            square = 0.0
            if column != row:
                for j in range(vectors.shape[1] if cython.compiled else len(vectors[0])):
                    step = vectors[row, j] - vectors[column, j]
                    square += step * step
        total += sqrt(square)
    return total


@cython.locals(
    row=cython.longlong,
    own=cython.longlong,
    other=cython.longlong,
    first=cython.longlong,
    last=cython.longlong,
    size=cython.longlong,
    a=cython.double,
    b=cython.double,
    mean=cython.double,
    larger=cython.double,
)
def measure_silhouettes(
    products: cython.double[:, ::1],
    vectors: cython.double[:, ::1],
    squares: cython.double[::1],
    bounds: cython.const[cython.longlong][::1],
    begin: cython.longlong,
    end: cython.longlong,
    left: cython.longlong,
    own: cython.longlong,
    adjacent: cython.longlong,
    nearly: cython.double,
    out: cython.double[::1],
):
    """Write the silhouettes of the units ``begin .. end - 1`` of a document of at least two segments.

    ``products[i, j]`` is the product of units ``begin + i`` and ``left + j``; ``bounds`` are the first units of the
    segments and the number of units; ``own`` is the segment of ``begin``.
    """
    with cython.nogil:
        for row in range(begin, end):
            while bounds[own + 1] <= row:
                own += 1
            size = bounds[own + 1] - bounds[own]
            if size == 1:
                out[row] = 0.0
                continue
            a = _summed(
                products, vectors, squares, row, begin, left, bounds[own], bounds[own + 1], nearly
            ) / (size - 1)
            first = own - 1 if adjacent else 0
            last = own + 1 if adjacent else (bounds.shape[0] if cython.compiled else len(bounds)) - 2
            if first < 0:
                first = 0
            if last > (bounds.shape[0] if cython.compiled else len(bounds)) - 2:
                last = (bounds.shape[0] if cython.compiled else len(bounds)) - 2
            b = -1.0
            for other in range(first, last + 1):
                if other != own:
                    mean = _summed(
                        products, vectors, squares, row, begin, left, bounds[other], bounds[other + 1], nearly
                    )
                    mean /= bounds[other + 1] - bounds[other]
                    if b < 0 or mean < b:
                        b = mean
            larger = a if a > b else b
            out[row] = (b - a) / larger if larger > 0 else 0.0
