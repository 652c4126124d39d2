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

if cython.compiled:
    from cython.cimports.caesura.kernels._bits import caesura_ones as _ones
else:
    _ones = int.bit_count

KERNELS = {"boundaries": ("n_ref", "n_hyp", "found_ref", "found_hyp", "matched")}
BY_BITS = ("boundaries",)
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Words = cython.typedef(cython.const[cython.ulonglong][::1])
Bits = cython.typedef(cython.ulonglong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

_ONE = cython.declare(u64, 1)
_ALL = cython.declare(u64, 0xFFFFFFFFFFFFFFFF)  # uncompiled, this cuts numbers to the 64 bits that they have in C
_SHORT = cython.declare(i64, 64)  # units of a document whose boundaries are the bits of one number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(place=i64, p=i64, length=i64, total=i64, near=i64)
def _near(
    n: i64, pos: Ints, start: i64, end: i64, other: Ints, at: i64, other_end: i64, tolerance: i64, low: i64,
    high: i64, out: Table, row: i64, total_column: i64, near_column: i64,
) -> cython.void:
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
    a=i64, b=i64, last_ref=i64, last_hyp=i64, r_takes=i64, h_takes=i64, near_ref=i64, near_hyp=i64, next_near=i64,
)
def _near_any_length(
    ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, tolerance: i64,
) -> cython.void:
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
@cython.locals(both=u64, ref_only=u64, hyp_only=u64, after_ref=u64, after_hyp=u64, linked=u64, first=u64, matched=i64)
def _match_neighbours(ref: u64, hyp: u64) -> i64:
    """Return the size of a maximum matching of two rows of bits whose partners are at most one place apart.

    A place that both have is a match, whatever it is matched with, and hands on a partner that is still free: so two bits of different
    sides are neighbours if only such places lie between them. A carry passes over these.
    """
    both = ref & hyp
    ref_only = ref & ~hyp
    hyp_only = hyp & ~ref
    after_ref = (((ref_only << 1) & _ALL) + both) & ~both
    after_hyp = (((hyp_only << 1) & _ALL) + both) & ~both
    # The right ends of all possible pairs, taken from left to right; taking one takes what it could share with the next.
    linked = (after_ref & hyp_only) | (after_hyp & ref_only)
    matched = _ones(both)
    while linked != 0:
        first = linked & -linked
        linked &= ~(first | ((first << 1) + both) & ~both)
        matched += 1
    return matched


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(matched=i64, a=i64, b=i64, exact=i64, r_alone=i64, h_alone=i64)
def _boundaries_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, by_bits: i64, ref_bits: u64, hyp_bits: u64,
    out: Table, row: i64, tolerance: i64, low: i64, high: i64,
) -> cython.void:
    """Count one document, which may be given as bits too."""
    if low <= 1 and high > n:
        # Every length is in the class.
        out[row, 0] = r_end - r
        out[row, 1] = h_end - h
        if by_bits and tolerance <= 1:
            if tolerance == 0:
                exact = _ones(ref_bits & hyp_bits)
                out[row, 2] = exact
                out[row, 3] = exact
                out[row, 4] = exact
            else:
                out[row, 2] = _ones(ref_bits & (hyp_bits | (hyp_bits << 1) | (hyp_bits >> 1)))
                out[row, 3] = _ones(hyp_bits & (ref_bits | (ref_bits << 1) | (ref_bits >> 1)))
                out[row, 4] = _match_neighbours(ref_bits, hyp_bits)
            return
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


@cython.locals(row=i64)
def count_boundaries(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, ref_bits: Words, hyp_bits: Words,
    out: Table, start: i64, stop: i64, scratch, tolerance: i64, low: i64, high: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _boundaries_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                n_units[row] <= _SHORT, ref_bits[row], hyp_bits[row], out, row, tolerance, low, high,
            )


def count_boundaries_one(
    n: i64, ref: Ints, hyp: Ints, out: Table, scratch, tolerance: i64 = 0, low: i64 = 0, high: i64 = 0x4000000000000000,
):
    """Fill the first row of ``out`` for one pair."""
    _boundaries_one(n, ref, 0, len(ref), hyp, 0, len(hyp), 0, 0, 0, out, 0, tolerance, low, high)


@cython.locals(row=i64, place=i64, word=u64)
def set_bits(n_units: Ints, ptr: Ints, pos: Ints, out: Bits):
    """Write the boundaries of each document of up to 64 units as bits, boundary p as bit p; those of longer documents are 0."""
    with cython.nogil:
        for row in range((n_units.shape[0] if cython.compiled else len(n_units))):
            word = 0
            if n_units[row] <= _SHORT:
                for place in range(ptr[row], ptr[row + 1]):
                    word |= _ONE << pos[place]
            out[row] = word
