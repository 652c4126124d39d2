# SPDX-License-Identifier: Apache-2.0
"""One-to-one matching of boundaries within a tolerance: most pairs, then least total distance, then left-most.

On a line some best matching never crosses, so it is a shortest path over (reference, hypothesis) prefixes. Boundaries
farther apart than the tolerance from the next one of either side cannot be matched across that hole, so the path is
searched piece by piece between holes. The largest piece says how much work space is needed; it is looked for first.
"""

from __future__ import annotations

import array

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

KERNELS = {"matching": ("n_ref", "n_hyp", "found_ref", "found_hyp", "distance")}
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(taken=i64, end=i64, at=i64)
def _piece(ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, tolerance: i64) -> i64:
    """Return how many boundaries of both sides belong to the piece that starts at r and h.

    It grows while the next boundary of either side is within the tolerance of the one before it.
    """
    taken = 0
    end = 0
    while r < r_end or h < h_end:
        if h >= h_end or (r < r_end and ref[r] <= hyp[h]):
            at = ref[r]
            r += 1
        else:
            at = hyp[h]
            h += 1
        if taken > 0 and at - end > tolerance:
            break
        end = at
        taken += 1
    return taken


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(stop=i64)
def _ref_part(ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, taken: i64) -> i64:
    """Return how many of the next boundaries of both sides, in order, are the reference's."""
    stop = r
    while taken > 0:
        if h >= h_end or (stop < r_end and ref[stop] <= hyp[h]):
            stop += 1
        else:
            h += 1
        taken -= 1
    return stop - r


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    rows=i64, columns=i64, width=i64, i=i64, j=i64, here=i64, right=i64, below=i64, across=i64, gap=i64, pairs=i64,
    cost=i64,
)
def _match_piece(
    ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, tolerance: i64, work: Cells, partners: i64,
    base: i64,
) -> cython.void:
    """Match one piece: from ``base`` on stand (pairs, distance) of the best matching of the boundaries from i and j on.

    The partner of each of the piece's reference boundaries is written from ``partners`` on, as a place in ``hyp``.
    """
    rows = r_end - r
    columns = h_end - h
    width = 2 * (columns + 1)
    for j in range(width):
        work[base + rows * width + j] = 0
    for i in range(rows):
        work[base + i * width + width - 2] = 0
        work[base + i * width + width - 1] = 0
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            here = base + i * width + 2 * j
            right = here + 2
            below = here + width
            across = below + 2
            if work[right] > work[below] or (work[right] == work[below] and work[right + 1] <= work[below + 1]):
                pairs = work[right]
                cost = work[right + 1]
            else:
                pairs = work[below]
                cost = work[below + 1]
            gap = ref[r + i] - hyp[h + j]
            gap = gap if gap > 0 else -gap
            if gap <= tolerance and (
                work[across] + 1 > pairs or (work[across] + 1 == pairs and work[across + 1] + gap < cost)
            ):
                pairs = work[across] + 1
                cost = work[across + 1] + gap
            work[here] = pairs
            work[here + 1] = cost
    i = 0
    j = 0
    while i < rows and j < columns:
        here = base + i * width + 2 * j
        if work[here] == 0:
            break
        right = here + 2
        across = here + width + 2
        gap = ref[r + i] - hyp[h + j]
        gap = gap if gap > 0 else -gap
        if gap <= tolerance and work[across] + 1 == work[here] and work[across + 1] + gap == work[here + 1]:
            work[partners + i] = h + j
            i += 1
            j += 1
        elif work[right] == work[here] and work[right + 1] == work[here + 1]:
            j += 1
        else:
            i += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(first=i64, base=i64, taken=i64, r_stop=i64, h_stop=i64, place=i64)
def _match(ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, tolerance: i64, work: Cells) -> cython.void:
    """Write the partner of each reference boundary, as a place in ``hyp``, or -1."""
    first = r
    base = r_end - r
    for place in range(base):
        work[place] = -1
    while r < r_end and h < h_end:
        taken = _piece(ref, r, r_end, hyp, h, h_end, tolerance)
        r_stop = r + _ref_part(ref, r, r_end, hyp, h, h_end, taken)
        h_stop = h + taken - (r_stop - r)
        if r_stop > r and h_stop > h:
            _match_piece(ref, r, r_stop, hyp, h, h_stop, tolerance, work, r - first, base)
        r = r_stop
        h = h_stop


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(most=i64, taken=i64, rows=i64, cells=i64, n_ref=i64)
def _cells(ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, tolerance: i64) -> i64:
    """Return the work space that matching a document needs."""
    n_ref = r_end - r
    most = 0
    while r < r_end and h < h_end:
        taken = _piece(ref, r, r_end, hyp, h, h_end, tolerance)
        rows = _ref_part(ref, r, r_end, hyp, h, h_end, taken)
        cells = 2 * (rows + 1) * (taken - rows + 1)
        most = cells if cells > most else most
        r += rows
        h += taken - rows
    return most + n_ref


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(length=i64)
def _in_class(n: i64, pos: Ints, place: i64, end: i64, low: i64, high: i64) -> i64:
    """Say whether the segment that a boundary opens is in the length class."""
    length = (pos[place + 1] if place + 1 < end else n) - pos[place]
    return 1 if low <= length < high else 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(place=i64, partner=i64, gap=i64, n_ref=i64, n_hyp=i64, matched_ref=i64, matched_hyp=i64, distance=i64)
def _matching_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, tolerance: i64,
    low: i64, high: i64, work: Cells,
) -> cython.void:
    """Count one document."""
    _match(ref, r, r_end, hyp, h, h_end, tolerance, work)
    n_ref = 0
    n_hyp = 0
    matched_ref = 0
    matched_hyp = 0
    distance = 0
    for place in range(h, h_end):
        n_hyp += _in_class(n, hyp, place, h_end, low, high)
    for place in range(r, r_end):
        n_ref += _in_class(n, ref, place, r_end, low, high)
        partner = work[place - r]
        if partner >= 0:
            matched_ref += _in_class(n, ref, place, r_end, low, high)
            matched_hyp += _in_class(n, hyp, partner, h_end, low, high)
            gap = ref[place] - hyp[partner]
            distance += gap if gap > 0 else -gap
    out[row, 0] = n_ref
    out[row, 1] = n_hyp
    out[row, 2] = matched_ref
    out[row, 3] = matched_hyp
    out[row, 4] = distance


@cython.locals(row=i64, cells=i64, most=i64)
def scratch_matching(
    ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, start: i64, stop: i64, tolerance: i64, low: i64,
    high: i64,
):
    """Return the work space that the rows ``start`` to ``stop`` need, in cells."""
    most = 0
    with cython.nogil:
        for row in range(start, stop):
            cells = _cells(
                ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1], tolerance
            )
            most = cells if cells > most else most
    return most


@cython.locals(row=i64)
def count_matching(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, out: Table, start: i64, stop: i64,
    scratch: Cells, tolerance: i64, low: i64, high: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _matching_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, tolerance, low, high, scratch,
            )


def count_matching_one(
    n: i64, ref: Ints, hyp: Ints, out: Table, scratch: Cells, tolerance: i64 = 0, low: i64 = 0,
    high: i64 = 0x4000000000000000,
):
    """Fill the first row of ``out`` for one pair."""
    _matching_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, tolerance, low, high, scratch)


def match_boundaries(ref, hyp, tolerance):
    """Return the matched pairs as places (reference, hypothesis), counted from 0, from left to right."""
    partners = _partners(array.array("q", ref), array.array("q", hyp), tolerance)
    return [(place, partner) for place, partner in enumerate(partners) if partner >= 0]


def _partners(ref: Ints, hyp: Ints, tolerance: i64):
    """Return the partner of each reference boundary, as a place in ``hyp``, or -1."""
    cells = _cells(ref, 0, len(ref), hyp, 0, len(hyp), tolerance)
    scratch = array.array("q", bytes(8 * cells))
    _match(ref, 0, len(ref), hyp, 0, len(hyp), tolerance, scratch)
    return scratch[: len(ref)].tolist()
