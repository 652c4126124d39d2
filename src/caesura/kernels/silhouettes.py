# SPDX-License-Identifier: Apache-2.0
"""Silhouettes of units from the products of their vectors.

Many short documents are measured in one call, which makes the products too: the library of matrix products takes twice
as long for fifty units, and its digits depend on the processor. For long documents it is faster, and the caller gives the
products. Callers without a compiler do the same with NumPy.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

if cython.compiled:
    from cython.cimports.caesura.kernels._wide import (
        caesura_has_wide,
        caesura_products,
        caesura_products_wide,
        caesura_roots_wide,
        caesura_widen_wide,
    )
    from cython.cimports.libc.math import sqrt
else:
    from math import sqrt

COMPILED = cython.compiled
# Whether the processor has registers of four numbers: they are faster, and give the same digits.
WIDE = bool(caesura_has_wide()) if cython.compiled else False
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
Doubles = cython.typedef(cython.double[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)

# Of a block of products, and of the sums that make one, as below and in `_wide.h`.
ROWS = 3
COLUMNS = 4
LANES = 4


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(column=i64, j=i64, near=i64, mine=f64, square=f64, step=f64)
def _distances(
    products: Table, vectors: Table, squares: Doubles, row: i64, begin: i64, left: i64, lo: i64, hi: i64, nearly: f64,
    wide: i64, out: Doubles,
) -> cython.void:
    """Write the distances of a unit to a run of units that holds it; near ones from differences, for digits."""
    mine = squares[row]
    near = 0
    for column in range(lo, hi):
        out[column] = mine + squares[column] - 2.0 * products[row - begin, column - left]
        near += out[column] <= nearly * (mine + squares[column])
    # Counted first, which takes no branch: mostly a unit is near to none but itself.
    if near > 1:
        for column in range(lo, hi):
            if out[column] <= nearly * (mine + squares[column]):
                square = 0.0
                for j in range(vectors.shape[1] if cython.compiled else len(vectors[0])):
                    step = vectors[row, j] - vectors[column, j]
                    square += step * step
                out[column] = square
    out[row] = 0.0
    if cython.compiled and wide:
        caesura_roots_wide(cython.address(out[lo]), hi - lo)
    else:
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(row=i64, other=i64, first=i64, last=i64, size=i64, a=f64, b=f64, mean=f64, larger=f64)
def _rows(
    products: Table, vectors: Table, squares: Doubles, bounds: Ints, final: i64, begin: i64, end: i64, left: i64, own: i64,
    adjacent: i64, nearly: f64, wide: i64, found: Doubles, out: Doubles, at: i64,
) -> cython.void:
    """Write the silhouettes of some units of a document, whose first has place ``at``; ``final`` is its last segment."""
    for row in range(begin, end):
        while bounds[own + 1] <= row:
            own += 1
        size = bounds[own + 1] - bounds[own]
        if size == 1:
            out[at + row] = 0.0
            continue
        first = own - 1 if adjacent and own > 0 else 0
        last = own + 1 if adjacent and own < final else final
        _distances(products, vectors, squares, row, begin, left, bounds[first], bounds[last + 1], nearly, wide, found)
        a = _summed(found, bounds[own], bounds[own + 1]) / (size - 1)
        b = -1.0
        for other in range(first, last + 1):
            if other != own:
                mean = _summed(found, bounds[other], bounds[other + 1]) / (bounds[other + 1] - bounds[other])
                if b < 0 or mean < b:
                    b = mean
        larger = a if a > b else b
        out[at + row] = (b - a) / larger if larger > 0 else 0.0


@cython.locals(final=i64)
def measure_silhouettes(
    products: Table, vectors: Table, squares: Doubles, bounds: Ints, begin: i64, end: i64, left: i64, own: i64,
    adjacent: i64, nearly: f64, wide: i64, found: Doubles, out: Doubles,
):
    """Write the silhouettes of the units ``begin .. end - 1`` of a document of at least two segments.

    ``products[i, j]`` is the product of units ``begin + i`` and ``left + j``; ``bounds`` are the first units of the
    segments and the number of units; ``own`` is the segment of ``begin``; ``found`` has room for a distance to every unit.
    """
    final = len(bounds) - 2
    with cython.nogil:
        _rows(
            products, vectors, squares, bounds, final, begin, end, left, own, adjacent, nearly, wide, found, out, 0,
        )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(row=i64, column=i64, i=i64, j=i64, k=i64, d=i64, total=f64)
def _products(whole: Table, n: i64, wide: i64, sums: Doubles, products: Table) -> cython.void:
    """Write the products of all units, and of some rows and columns beside that nobody reads."""
    d = whole.shape[1]
    for column in range(0, n, 4):
        for row in range(column, n, 3):
            if cython.compiled:
                if wide:
                    caesura_products_wide(
                        cython.address(whole[row, 0]), cython.address(whole[column, 0]), d, cython.address(sums[0])
                    )
                else:
                    caesura_products(
                        cython.address(whole[row, 0]), cython.address(whole[column, 0]), d, cython.address(sums[0])
                    )
            else:
                for i in range(48):
                    sums[i] = 0.0
                    for k in range(i % 4, d, 4):
                        sums[i] += whole[row + i // 16, k] * whole[column + i // 4 % 4, k]
            for i in range(3):
                for j in range(4):
                    k = 4 * (4 * i + j)
                    total = (sums[k] + sums[k + 1]) + (sums[k + 2] + sums[k + 3])
                    products[row + i, column + j] = total
                    products[column + j, row + i] = total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    document=i64, start=i64, n=i64, d=i64, width=i64, known=i64, reach=i64, row=i64, j=i64, place=i64, final=i64, at=i64,
)
def _documents(
    vectors: cython.const[cython.floating][:, ::1], starts: Ints, n_units: Ints, ptr: Ints, pos: Ints, longest: i64,
    adjacent: i64, nearly: f64, wide: i64, whole: Table, products: Table, squares: Doubles, found: Doubles, sums: Doubles,
    bounds: Cells, out: Doubles,
) -> cython.void:
    """Write the silhouettes of short documents."""
    d = vectors.shape[1]
    width = whole.shape[1]
    known = reach = -1
    at = 0
    for document in range(n_units.shape[0]):
        n = n_units[document]
        start = starts[document]
        final = ptr[document + 1] - ptr[document]
        if final > 0 and n <= longest:
            if start != known or n != reach:
                for row in range(n):
                    if cython.compiled and cython.floating is cython.float and wide:
                        caesura_widen_wide(cython.address(vectors[start + row, 0]), d, cython.address(whole[row, 0]))
                    else:
                        for j in range(d):
                            whole[row, j] = vectors[start + row, j]
                    for j in range(d, width):
                        whole[row, j] = 0.0
                _products(whole, n, wide, sums, products)
                for row in range(n):
                    squares[row] = products[row, row]
                known = start
                reach = n
            bounds[0] = 0
            for place in range(final):
                bounds[place + 1] = pos[ptr[document] + place]
            bounds[final + 1] = n
            _rows(products, whole, squares, bounds, final, 0, n, 0, 0, adjacent, nearly, wide, found, out, at)
        at += n


def measure_short(
    vectors: cython.const[cython.floating][:, ::1], starts: Ints, n_units: Ints, ptr: Ints, pos: Ints, longest: i64,
    adjacent: i64, nearly: f64, wide: i64, whole: Table, products: Table, squares: Doubles, found: Doubles, sums: Doubles,
    bounds: Cells, out: Doubles,
):
    """Write the silhouettes of all units of documents of at least two segments and at most ``longest`` units.

    The work arrays: ``whole`` has `COLUMNS` more rows than ``longest`` and as many columns as dimensions, up to the next multiple
    of `LANES`; ``products`` is square with as many rows; ``sums`` has `ROWS` times `COLUMNS` times `LANES` cells, each other one as
    many as ``whole`` has rows. All may hold anything before; rows beyond a document are read, and lead nowhere.
    """
    with cython.nogil:
        _documents(
            vectors, starts, n_units, ptr, pos, longest, adjacent, nearly, wide, whole, products, squares, found, sums, bounds,
            out,
        )
