# SPDX-License-Identifier: Apache-2.0
"""What many segmentations of one document share: running sums of its vectors and of the distances between its units.

Callers without a compiler do the same with NumPy.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Rows = cython.typedef(cython.const[cython.double][:, ::1])
Table = cython.typedef(cython.double[:, ::1])
Doubles = cython.typedef(cython.double[::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.locals(row=i64, column=i64, width=i64)
def add_up(values: Rows, out: Table):
    """Write the sum of the rows before each row, and of all, below the first row of ``out``, which is 0."""
    width = values.shape[1] if cython.compiled else len(values[0])
    with cython.nogil:
        for row in range((values.shape[0] if cython.compiled else len(values))):
            for column in range(width):
                out[row + 1, column] = out[row, column] + values[row, column]


@cython.locals(
    row=i64, place=i64, end=i64, cell=i64, unit=i64, before=i64, lo=i64, hi=i64, after=i64, a=f64, b=f64, other=f64, larger=f64,
)
def measure_shared_silhouettes(
    sums: Rows, ptr: Ints, pos: Ints, first: i64, stop: i64, n: i64, cell: i64, out: Doubles
):
    """Write the silhouettes of n units in the segmentations ``first .. stop - 1``, from ``cell`` on; there are two segments or more.

    ``sums[i, j]`` is the summed distance of unit i to the units before j. Only neighbouring segments are compared.
    """
    with cython.nogil:
        for row in range(first, stop):
            before = lo = 0
            end = ptr[row + 1]
            for place in range(ptr[row], end + 1):
                hi = pos[place] if place < end else n
                after = n if place + 1 >= end else pos[place + 1]
                for unit in range(lo, hi):
                    if hi - lo == 1:
                        out[cell + unit] = 0.0
                        continue
                    a = (sums[unit, hi] - sums[unit, lo]) / (hi - lo - 1)
                    b = -1.0
                    if lo > 0:
                        b = (sums[unit, lo] - sums[unit, before]) / (lo - before)
                    if hi < n:
                        other = (sums[unit, after] - sums[unit, hi]) / (after - hi)
                        if b < 0 or other < b:
                            b = other
                    larger = a if a > b else b
                    out[cell + unit] = (b - a) / larger if larger != 0 else 0.0
                before = lo
                lo = hi
            cell += n
