# SPDX-License-Identifier: Apache-2.0
"""Boundary edit distance for one type of boundary: matches, near misses, additions.

Boundaries that both sides have match. Of the rest, a boundary of one side and one of the other that lie d < n_t slots
apart are one transposition; nearer ones are taken first, among equal ones the left-most, and each boundary once
(Fournier 2013; the order is part of the definition). Such a pair is always adjacent among the boundaries that are
still free: anything free between its ends would make a nearer pair with one of them.
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

KERNELS = {"edits": ("gaps", "matches", "ref_only", "hyp_only", "transpositions", "weighted", "distance")}
FRACTIONAL = ("weighted",)
RANGES = {"n_t": (1, 1 << 62)}
BY_BITS = ("edits",)
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Words = cython.typedef(cython.const[cython.ulonglong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

_PASSES_UP_TO = cython.declare(i64, 8)  # up to this n_t one pass per span is quicker than keeping stacks
_FAR = cython.declare(i64, 1 << 62)
_SHORT = cython.declare(i64, 64)  # units of a document whose boundaries are the bits of one number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(count=i64, a=i64, b=i64)
def _list_differing(ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, differing: Cells) -> i64:
    """List the boundaries that only one side has, signed: + reference, - hypothesis; return how many."""
    count = 0
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        # No branch, since which side comes next cannot be predicted; what is written for a boundary of both sides is
        # overwritten by the next.
        differing[count] = a if a < b else -b
        count += a != b
        r += a <= b
        h += b <= a
    while r < r_end:
        differing[count] = ref[r]
        count += 1
        r += 1
    while h < h_end:
        differing[count] = -hyp[h]
        count += 1
        h += 1
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(span=i64, kept=i64, place=i64, a=i64, b=i64, distance=i64, total=i64)
def _pair_by_passes(differing: Cells, count: i64, n_t: i64) -> i64:
    """Pair near misses span by span, moving what stays free to the front.

    Return the sum of their distances; the first cell then holds how many boundaries stay free.
    """
    total = 0
    for span in range(1, n_t):
        # Farther from every boundary than a span, so that looking at the next entry needs no check.
        differing[count] = _FAR
        kept = 0
        place = 0
        while place < count:
            a = differing[place]
            b = differing[place + 1]
            distance = a + b
            # Opposite signs, so that the sum is their signed distance; one branch, and seldom taken.
            if ((a ^ b) < 0) & ((distance == span) | (distance == -span)):
                total += span
                place += 2
            else:
                differing[kept] = a
                kept += 1
                place += 1
        count = kept
        if count < 2:
            break
    differing[0] = count
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    tops=i64, level=i64, mine=i64, lowest=i64, highest=i64, place=i64, here=i64, side=i64, top=i64, gap=i64, under=i64,
    total=i64, pairs=i64, node=i64,
)
def _pair_by_levels(differing: Cells, count: i64, n_t: i64, work: i64) -> i64:
    """Pair near misses in one pass, however wide ``n_t`` is; it must be small beside `_FAR`.

    Let a boundary of the reference lead one level up, one of the hypothesis one level down. Whatever lies between two that
    are paired is paired before them, so both cross the same level, and each level is a task of its own. On one level the sides
    alternate, so a pair that is nearer than the pair on its left and not farther than the pair on its right is taken, whatever
    else is. A stack for each level holds what waits for its right side: each is nearer to the one below it than that is to its own.

    Return the sum of the distances; the first cell then holds how many boundaries stay free. From ``work`` on, ``differing``
    holds for the floor of the stacks and for each boundary where it is, how far from the one below (`_FAR` if n_t or more), and
    the place of that; then the tops of the stacks.
    """
    differing[work] = -(_FAR >> 1)
    differing[work + 1] = _FAR
    tops = work + 3 + 4 * count
    level = 0
    lowest = 0
    highest = -1
    total = 0
    pairs = 0
    node = work
    for place in range(count):
        here = differing[place]
        # No branch, since the side cannot be predicted: -1 for the hypothesis, 0 for the reference.
        side = here >> 63
        here = (here ^ side) - side
        mine = level + side
        level = mine + side + 1
        if mine < lowest:
            lowest = mine
            differing[tops + mine] = work
        if mine > highest:
            highest = mine
            differing[tops + mine] = work
        top = differing[tops + mine]
        gap = here - differing[top]
        under = differing[top + 1]
        while under <= gap:
            total += under
            pairs += 1
            top = differing[differing[top + 2] + 2]
            gap = here - differing[top]
            under = differing[top + 1]
        node += 3
        differing[node] = here
        differing[node + 1] = gap if gap < n_t else _FAR
        differing[node + 2] = top
        differing[tops + mine] = node
    for level in range(lowest, highest + 1):
        top = differing[tops + level]
        while differing[top + 1] < _FAR:
            total += differing[top + 1]
            pairs += 1
            top = differing[differing[top + 2] + 2]
    differing[0] = count - 2 * pairs
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(ref_only=u64, hyp_only=u64, linked=u64, first=u64, pairs=i64)
def _pair_neighbours(ref: u64, hyp: u64) -> i64:
    """Pair the near misses one slot apart of two rows of bits, from left to right; return how many pairs there are."""
    ref_only = ref & ~hyp
    hyp_only = hyp & ~ref
    # The left ends of all possible pairs; taking one takes what it could share with the next.
    linked = (ref_only & (hyp_only >> 1)) | (hyp_only & (ref_only >> 1))
    pairs = 0
    while linked != 0:
        first = linked & -linked
        linked &= ~(first | (first << 1))
        pairs += 1
    return pairs


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(count=i64, distance=i64, matches=i64, pairs=i64)
def _edit_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, by_bits: i64, ref_bits: u64, hyp_bits: u64,
    out: Table, row: i64, n_t: i64, work: Cells,
) -> cython.void:
    """Count the edits of one document, which may be given as bits too."""
    if by_bits and n_t == 2:
        matches = _ones(ref_bits & hyp_bits)
        pairs = _pair_neighbours(ref_bits, hyp_bits)
        distance = pairs
    else:
        count = _list_differing(ref, r, r_end, hyp, h, h_end, work)
        if n_t <= _PASSES_UP_TO:
            distance = _pair_by_passes(work, count, n_t)
        else:
            # No two boundaries are n apart.
            distance = _pair_by_levels(work, count, n_t if n_t < n else n, count + 1)
        matches = (r_end - r + h_end - h - count) // 2
        pairs = (count - work[0]) // 2
    out[row, 0] = n - 1
    out[row, 1] = matches
    # A near miss takes one boundary from either side.
    out[row, 2] = r_end - r - matches - pairs
    out[row, 3] = h_end - h - matches - pairs
    out[row, 4] = pairs
    out[row, 5] = cython.cast(cython.double, distance) / n_t
    out[row, 6] = distance


@cython.locals(row=i64)
def count_edits(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, ref_bits: Words, hyp_bits: Words,
    out: Table, start: i64, stop: i64, scratch: Cells, n_t: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _edit_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                n_units[row] <= _SHORT, ref_bits[row], hyp_bits[row], out, row, n_t, scratch,
            )


def count_edits_one(n: i64, ref: Ints, hyp: Ints, out: Table, scratch: Cells, n_t: i64 = 2):
    """Fill the first row of ``out`` for one pair."""
    _edit_one(n, ref, 0, len(ref), hyp, 0, len(hyp), 0, 0, 0, out, 0, n_t, scratch)
