# SPDX-License-Identifier: Apache-2.0
"""Boundaries found within a tolerance: by coverage (many to one) and one to one.

Two pointers: both lists are sorted, so the nearest neighbour of each boundary is found in one walk. Taking the first
free partner within reach from left to right gives the size of a maximum matching (which pairs it names is another
question: see `caesura.kernels.matching`).

A boundary belongs to the length class of the segment it opens; boundaries whose segment is not in ``low <= length <
high`` are not counted, but still serve as neighbours of the others.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

KERNELS = {
    "boundaries": ("n_ref", "n_hyp", "near_ref", "near_hyp", "matched"),
}
COMPILED = cython.compiled


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    place=cython.longlong, p=cython.longlong, length=cython.longlong, total=cython.longlong,
    near=cython.longlong,
)
@cython.returns(cython.void)
def _near(
    n: cython.longlong, pos: cython.const[cython.longlong][::1], start: cython.longlong,
    end: cython.longlong, other: cython.const[cython.longlong][::1], at: cython.longlong,
    other_end: cython.longlong, tolerance: cython.longlong, low: cython.longlong, high: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, total_column: cython.longlong,
    near_column: cython.longlong,
):
    """Count the boundaries of one side in the length class, and those with one of the other side within reach."""
    total = 0
    near = 0
    for place in range(start, end):
        p = pos[place]
        while at < other_end and other[at] < p - tolerance:
            at += 1
        length = (pos[place + 1] if place + 1 < end else n) - p
        if low <= length < high:
            total += 1
            if at < other_end and other[at] <= p + tolerance:
                near += 1
    out[row, total_column] = total
    out[row, near_column] = near


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    a=cython.longlong, b=cython.longlong, last_ref=cython.longlong, last_hyp=cython.longlong,
    r_takes=cython.longlong, h_takes=cython.longlong, near_ref=cython.longlong, near_hyp=cython.longlong,
    next_near=cython.longlong,
)
@cython.returns(cython.void)
def _near_any_length(
    ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, tolerance: cython.longlong,
):
    """Count the boundaries of both sides with one of the other within reach, in one merge.

    When a boundary's turn comes, the nearest of the other side are the one that was taken last and the one that is next.
    No branch but the loops' own: which side comes next cannot be predicted.
    """
    near_ref = 0
    near_hyp = 0
    # Before every boundary, and out of reach of all.
    last_ref = -tolerance - 1
    last_hyp = -tolerance - 1
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        r_takes = a <= b
        h_takes = b <= a
        next_near = (b - a <= tolerance) & (a - b <= tolerance)
        near_ref += r_takes & (next_near | (a - last_hyp <= tolerance))
        near_hyp += h_takes & (next_near | (b - last_ref <= tolerance))
        last_ref += (a - last_ref) & -r_takes
        last_hyp += (b - last_hyp) & -h_takes
        r += r_takes
        h += h_takes
    while r < r_end and ref[r] - last_hyp <= tolerance:
        near_ref += 1
        r += 1
    while h < h_end and hyp[h] - last_ref <= tolerance:
        near_hyp += 1
        h += 1
    out[row, 2] = near_ref
    out[row, 3] = near_hyp


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    matched=cython.longlong, a=cython.longlong, b=cython.longlong, exact=cython.longlong,
    r_alone=cython.longlong, h_alone=cython.longlong,
)
@cython.returns(cython.void)
def _boundaries_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, tolerance: cython.longlong, low: cython.longlong,
    high: cython.longlong,
):
    """Count one document."""
    if low <= 1 and high > n:
        # Every length is in the class.
        out[row, 0] = r_end - r
        out[row, 1] = h_end - h
        if tolerance == 0:
            # Exact hits need one merge only: every kind of match is the same.
            exact = 0
            while r < r_end and h < h_end:
                a = ref[r]
                b = hyp[h]
                exact += a == b
                r += a <= b
                h += b <= a
            out[row, 2] = exact
            out[row, 3] = exact
            out[row, 4] = exact
            return
        _near_any_length(ref, r, r_end, hyp, h, h_end, out, row, tolerance)
    else:
        _near(n, ref, r, r_end, hyp, h, h_end, tolerance, low, high, out, row, 0, 2)
        _near(n, hyp, h, h_end, ref, r, r_end, tolerance, low, high, out, row, 1, 3)
    matched = 0
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        r_alone = a < b - tolerance
        h_alone = b < a - tolerance
        matched += 1 - r_alone - h_alone
        r += 1 - h_alone
        h += 1 - r_alone
    out[row, 4] = matched


@cython.locals(
    row=cython.longlong,
)
def count_boundaries(
    n_units: cython.const[cython.longlong][::1], ref_ptr: cython.const[cython.longlong][::1],
    ref_pos: cython.const[cython.longlong][::1], hyp_ptr: cython.const[cython.longlong][::1],
    hyp_pos: cython.const[cython.longlong][::1], out: cython.double[:, ::1], start: cython.longlong,
    stop: cython.longlong, scratch, tolerance: cython.longlong, low: cython.longlong, high: cython.longlong,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _boundaries_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, tolerance, low, high,
            )


def count_boundaries_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], hyp: cython.const[cython.longlong][::1],
    out: cython.double[:, ::1], scratch, tolerance: cython.longlong, low: cython.longlong,
    high: cython.longlong,
):
    """Fill the first row of ``out`` for one pair."""
    _boundaries_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, tolerance, low, high)
