# SPDX-License-Identifier: Apache-2.0
"""How vectors scatter: the dispersions of windows around the ends of segments, and distances to centroids.

One row of ``out`` per segment. A document is read while it stays in the cache: squared lengths first, then for each
segment its sums, the window across its end, and the distances to its centroid. Sums are float64 whatever the vectors
are. Uncompiled, these loops would be far slower than NumPy; callers without a compiler use that instead.
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

SCATTER_COLUMNS = (
    "std_intra", "std_inter", "cos_intra", "cos_inter", "pair_intra", "pair_inter", "spread", "gap", "inertia",
)
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Table = cython.typedef(cython.double[:, ::1])
Rows = cython.typedef(cython.const[cython.double][:, ::1])
Row = cython.typedef(cython.const[cython.double][::1])
Doubles = cython.typedef(cython.double[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(row=i64, j=i64, whole=i64, s0=f64, s1=f64, s2=f64, s3=f64)
def _lengths(
    vectors: cython.const[cython.floating][:, ::1], start: i64, n: i64, d: i64, squares: Doubles, inverse: Doubles,
) -> cython.void:
    """Write the squared length of each vector and the inverse of its length, 0 for a zero vector."""
    whole = d - d % 4
    for row in range(n):
        s0 = s1 = s2 = s3 = 0.0
        for j in range(0, whole, 4):
            s0 += cython.cast(f64, vectors[start + row, j]) * vectors[start + row, j]
            s1 += cython.cast(f64, vectors[start + row, j + 1]) * vectors[start + row, j + 1]
            s2 += cython.cast(f64, vectors[start + row, j + 2]) * vectors[start + row, j + 2]
            s3 += cython.cast(f64, vectors[start + row, j + 3]) * vectors[start + row, j + 3]
        for j in range(whole, d):
            s0 += cython.cast(f64, vectors[start + row, j]) * vectors[start + row, j]
        s0 = (s0 + s1) + (s2 + s3)
        squares[row] = s0
        inverse[row] = 1.0 / sqrt(s0) if s0 > 0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(row=i64, j=i64, i0=f64, i1=f64, x0=f64, x1=f64)
def _sums(
    vectors: cython.const[cython.floating][:, ::1], start: i64, lo: i64, hi: i64, d: i64, inverse: Doubles,
    total: Doubles, units: Doubles,
) -> cython.void:
    """Write the sum of some vectors and of the same as unit vectors, two rows at a time."""
    for j in range(d):
        total[j] = 0.0
        units[j] = 0.0
    row = lo
    while row + 1 < hi:
        i0 = inverse[row]
        i1 = inverse[row + 1]
        for j in range(d):
            x0 = vectors[start + row, j]
            x1 = vectors[start + row + 1, j]
            total[j] += x0 + x1
            units[j] += x0 * i0 + x1 * i1
        row += 2
    if row < hi:
        i0 = inverse[row]
        for j in range(d):
            x0 = vectors[start + row, j]
            total[j] += x0
            units[j] += x0 * i0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    j=i64, row=i64, whole=i64, square=f64, proper=f64, norms=f64, t0=f64, t1=f64, u0=f64, u1=f64, c0=f64, c1=f64,
    size=f64, variance=f64, length=f64, cosine=f64, pair=f64,
)
def _dispersions(
    lo: i64, hi: i64, d: i64, squares: Doubles, inverse: Doubles, total: Doubles, units: Doubles, out: Table,
    where: i64, column: i64, nearly: f64,
) -> cython.void:
    """Write the three dispersions of a window from its sums.

    Where less than ``nearly`` of what was subtracted is left, too few digits are: -1 asks the caller for differences.
    """
    square = proper = norms = 0.0
    for row in range(lo, hi):
        square += squares[row]
        if inverse[row] > 0:
            proper += 1.0
            norms += squares[row] * inverse[row]
    t0 = t1 = u0 = u1 = c0 = c1 = 0.0
    whole = d - d % 2
    for j in range(0, whole, 2):
        t0 += total[j] * total[j]
        t1 += total[j + 1] * total[j + 1]
        u0 += units[j] * units[j]
        u1 += units[j + 1] * units[j + 1]
        c0 += total[j] * units[j]
        c1 += total[j + 1] * units[j + 1]
    if whole < d:
        t0 += total[whole] * total[whole]
        u0 += units[whole] * units[whole]
        c0 += total[whole] * units[whole]
    t0 += t1
    u0 += u1
    c0 += c1
    size = hi - lo
    variance = square / size - t0 / (size * size)
    length = sqrt(t0)
    cosine = 1.0 - c0 / (size * length) if length > 0 else 1.0
    pair = 1.0 - (u0 - proper) / (size * (size - 1.0))
    if variance <= nearly * square / size or cosine <= nearly or pair <= nearly or length <= nearly * norms:
        out[where, column] = -1.0
        return
    out[where, column] = sqrt(variance)
    out[where, column + 2] = cosine
    out[where, column + 4] = pair


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(j=i64, whole=i64, s0=f64, s1=f64, s2=f64, s3=f64, x0=f64, x1=f64, x2=f64, x3=f64)
def _squared(vectors: cython.const[cython.floating][:, ::1], row: i64, d: i64, middle: Doubles) -> f64:
    """Return the squared distance of a vector to a point."""
    s0 = s1 = s2 = s3 = 0.0
    whole = d - d % 4
    for j in range(0, whole, 4):
        x0 = vectors[row, j] - middle[j]
        x1 = vectors[row, j + 1] - middle[j + 1]
        x2 = vectors[row, j + 2] - middle[j + 2]
        x3 = vectors[row, j + 3] - middle[j + 3]
        s0 += x0 * x0
        s1 += x1 * x1
        s2 += x2 * x2
        s3 += x3 * x3
    for j in range(whole, d):
        x0 = vectors[row, j] - middle[j]
        s0 += x0 * x0
    return (s0 + s1) + (s2 + s3)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(row=i64, size=f64, spread=f64, inertia=f64, square=f64)
def _around(
    vectors: cython.const[cython.floating][:, ::1], start: i64, lo: i64, hi: i64, d: i64, middle: Doubles, out: Table,
    where: i64,
) -> cython.void:
    """Write the mean and the summed squared distance of a segment's units to its centroid."""
    size = hi - lo
    spread = inertia = 0.0
    if hi - lo > 1:
        for row in range(lo, hi):
            square = _squared(vectors, start + row, d, middle)
            spread += sqrt(square)
            inertia += square
    out[where, 6] = spread / size
    out[where, 8] = inertia


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    document=i64, start=i64, n=i64, d=i64, lo=i64, hi=i64, after=i64, place=i64, end=i64, where=i64, cut=i64,
    known=i64, reach=i64, j=i64, size=f64, gap=f64, x0=f64, step=f64, length=f64, before=f64,
)
def _documents(
    vectors: cython.const[cython.floating][:, ::1], starts: Ints, n_units: Ints, ptr: Ints, pos: Ints, out: Table,
    first: i64, stop: i64, squares: Doubles, inverse: Doubles, total: Doubles, units: Doubles, middle: Doubles,
    windows: i64, centroids: i64, nearly: f64, same: f64,
) -> cython.void:
    """Fill the rows of some documents."""
    d = vectors.shape[1]
    known = reach = -1
    for document in range(first, stop):
        start = starts[document]
        n = n_units[document]
        if windows and (start != known or n != reach):
            _lengths(vectors, start, n, d, squares, inverse)
            known = start
            reach = n
        lo = 0
        before = 0.0
        end = ptr[document + 1]
        for place in range(ptr[document], end + 1):
            where = place + document
            hi = pos[place] if place < end else n
            _sums(vectors, start, lo, hi, d, inverse, total, units)
            if centroids:
                size = hi - lo
                gap = length = 0.0
                # The centroid before stands there until it is overwritten. One loop, since each sum mostly waits for itself.
                for j in range(d):
                    x0 = total[j] / size
                    step = x0 - middle[j]
                    gap += step * step
                    length += x0 * x0
                    middle[j] = x0
                length = sqrt(length)
                _around(vectors, start, lo, hi, d, middle, out, where)
                if out[where, 6] <= same * length:
                    out[where, 6] = 0.0
                    out[where, 8] = 0.0
                if lo > 0:
                    gap = sqrt(gap)
                    out[where - 1, 7] = 0.0 if gap <= same * length or gap <= same * before else gap
                before = length
            if windows and place < end:
                after = (pos[place + 1] if place + 1 < end else n) - hi
                cut = 2 * after if 2 * after < hi - lo else hi - lo
                if hi - lo > 1:
                    if cut < hi - lo:
                        _sums(vectors, start, hi - cut, hi, d, inverse, total, units)
                    _dispersions(hi - cut, hi, d, squares, inverse, total, units, out, where, 0, nearly)
                    lo = hi - (cut + 1) // 2
                    cut = hi + cut // 2
                else:
                    cut = hi + 1
                _sums(vectors, start, lo, cut, d, inverse, total, units)
                _dispersions(lo, cut, d, squares, inverse, total, units, out, where, 1, nearly)
            lo = hi


def measure_scatter(
    vectors: cython.const[cython.floating][:, ::1], starts: Ints, n_units: Ints, ptr: Ints, pos: Ints, out: Table,
    first: i64, stop: i64, squares: Doubles, inverse: Doubles, total: Doubles, units: Doubles, middle: Doubles,
    windows: i64, centroids: i64, nearly: f64, same: f64,
):
    """Fill the rows of ``out`` that belong to the documents ``first .. stop - 1``; NaN must stand there before.

    ``squares`` and ``inverse`` need a cell per unit of the longest document, the other work arrays one per dimension.
    """
    with cython.nogil:
        _documents(
            vectors, starts, n_units, ptr, pos, out, first, stop, squares, inverse, total, units, middle, windows, centroids,
            nearly, same,
        )


@cython.locals(
    window=i64, j=i64, lo=i64, hi=i64, size=f64, x=f64, y=f64, u=f64, s0=f64, t0=f64, u0=f64, c0=f64, variance=f64,
    length=f64, square=f64, cosine=f64, pair=f64, s1=f64, t1=f64, u1=f64, c1=f64, d=i64, whole=i64,
)
def measure_windows(
    sums: Rows, units: Rows, squares: Row, proper: Row, lengths: Row, shift: Row, lows: Ints, highs: Ints, out: Table,
    nearly: f64,
):
    """Write the three dispersions of windows of at least two units from running sums, -1 where digits are lost.

    ``sums`` and ``squares`` are of the vectors less ``shift``, ``units`` of the unit vectors, ``proper`` counts those
    that are not zero.
    """
    with cython.nogil:
        d = shift.shape[0]
        whole = d - d % 2
        for window in range(lows.shape[0]):
            lo = lows[window]
            hi = highs[window]
            size = hi - lo
            s0 = s1 = t0 = t1 = u0 = u1 = c0 = c1 = 0.0
            for j in range(0, whole, 2):
                x = sums[hi, j] - sums[lo, j]
                y = x + size * shift[j]
                u = units[hi, j] - units[lo, j]
                s0 += x * x
                t0 += y * y
                u0 += u * u
                c0 += y * u
                x = sums[hi, j + 1] - sums[lo, j + 1]
                y = x + size * shift[j + 1]
                u = units[hi, j + 1] - units[lo, j + 1]
                s1 += x * x
                t1 += y * y
                u1 += u * u
                c1 += y * u
            if whole < d:
                x = sums[hi, whole] - sums[lo, whole]
                y = x + size * shift[whole]
                u = units[hi, whole] - units[lo, whole]
                s0 += x * x
                t0 += y * y
                u0 += u * u
                c0 += y * u
            s0 += s1
            t0 += t1
            u0 += u1
            c0 += c1
            square = squares[hi] - squares[lo]
            variance = square / size - s0 / (size * size)
            length = sqrt(t0)
            cosine = 1.0 - c0 / (size * length) if length > 0 else 1.0
            pair = 1.0 - (u0 - (proper[hi] - proper[lo])) / (size * (size - 1.0))
            out[window, 0] = -1.0
            if variance > nearly * square / size and cosine > nearly and pair > nearly:
                if length > nearly * (lengths[hi] - lengths[lo]):
                    out[window, 0] = sqrt(variance)
                    out[window, 1] = cosine
                    out[window, 2] = pair
