# SPDX-License-Identifier: Apache-2.0
"""Boundary matching as the released code of the granularity paper runs it, for reproducing its printed tables.

It differs from the paper in three ways: a prediction credits only the first gold boundary it meets; "first" means the
iteration order of a Python set of ints, which is not ascending; and one-to-one pairs are taken greedily, nearest
first, which is not a maximum matching.

The order of a set is that of its hash table, and a small int is its own hash. So the table is filled here in the same
way, without a Python object: the place of each boundary in it is its rank.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

KERNELS = {
    "as_run": ("n_ref", "n_hyp", "credited_ref", "matched_hyp", "greedy"),
}
COMPILED = cython.compiled

if cython.compiled:
    _LEAST_TABLE = cython.declare(cython.longlong, 8)
    _NEIGHBOURS = cython.declare(cython.longlong, 9)
    _MANY = cython.declare(cython.longlong, 50_000)
else:
    # CPython's PySet_MINSIZE and LINEAR_PROBES, and the size from which on its sets grow more slowly.
    _LEAST_TABLE = 8
    _NEIGHBOURS = 9
    _MANY = 50_000


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    slot=cython.longlong, rest=cython.longlong, tries=cython.longlong, step=cython.longlong,
)
@cython.returns(cython.longlong)
def _free_slot(
    work: cython.longlong[::1], table: cython.longlong, mask: cython.longlong, value: cython.longlong,
):
    """Return the slot that a set gives to a new value: a few neighbours are tried, then the hash leads elsewhere."""
    slot = value & mask
    rest = value
    while True:
        tries = _NEIGHBOURS + 1 if slot + _NEIGHBOURS <= mask else 1
        for step in range(tries):
            if work[table + slot + step] == 0:
                return slot + step
        rest >>= 5
        slot = (slot * 5 + 1 + rest) & mask


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    mask=cython.longlong, size=cython.longlong, count=cython.longlong, wanted=cython.longlong,
    table=cython.longlong, other=cython.longlong, place=cython.longlong, slot=cython.longlong,
)
@cython.returns(cython.longlong)
def _fill_set(
    pos: cython.const[cython.longlong][::1], start: cython.longlong, end: cython.longlong,
    work: cython.longlong[::1], ranks: cython.longlong, table: cython.longlong, other: cython.longlong,
):
    """Fill a set with ascending boundaries; write the rank of each, and return where its table starts.

    A slot holds the place of a boundary plus 1, or 0. ``table`` and ``other`` are two areas that take turns.
    """
    mask = _LEAST_TABLE - 1
    for slot in range(mask + 1):
        work[table + slot] = 0
    for place in range(end - start):
        slot = _free_slot(work, table, mask, pos[start + place])
        count = place + 1
        work[table + slot] = count
        if 5 * count >= 3 * mask:
            wanted = 2 * count if count > _MANY else 4 * count
            size = _LEAST_TABLE
            while size <= wanted:
                size *= 2
            for slot in range(size):
                work[other + slot] = 0
            for slot in range(mask + 1):
                if work[table + slot] != 0:
                    work[other + _free_slot(work, other, size - 1, pos[start + work[table + slot] - 1])] = work[
                        table + slot
                    ]
            mask = size - 1
            slot = table
            table = other
            other = slot
    for slot in range(mask + 1):
        if work[table + slot] != 0:
            work[ranks + work[table + slot] - 1] = slot
    return table


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    child=cython.longlong, parent=cython.longlong,
)
@cython.returns(cython.void)
def _sift_up(
    work: cython.longlong[::1], heap: cython.longlong, child: cython.longlong, gap: cython.longlong,
    rank: cython.longlong,
):
    """Put (gap, rank) into the binary heap that stands in pairs of cells from ``heap``, at its free end ``child``."""
    while child > 0:
        parent = (child - 1) >> 1
        if work[heap + 2 * parent] < gap or (
            work[heap + 2 * parent] == gap and work[heap + 2 * parent + 1] < rank
        ):
            break
        work[heap + 2 * child] = work[heap + 2 * parent]
        work[heap + 2 * child + 1] = work[heap + 2 * parent + 1]
        child = parent
    work[heap + 2 * child] = gap
    work[heap + 2 * child + 1] = rank


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    child=cython.longlong, parent=cython.longlong,
)
@cython.returns(cython.void)
def _sift_down(
    work: cython.longlong[::1], heap: cython.longlong, size: cython.longlong, gap: cython.longlong,
    rank: cython.longlong,
):
    """Put (gap, rank) in the place of the least entry of a heap of ``size`` entries."""
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        if child + 1 < size and (
            work[heap + 2 * child + 2] < work[heap + 2 * child]
            or (
                work[heap + 2 * child + 2] == work[heap + 2 * child]
                and work[heap + 2 * child + 3] < work[heap + 2 * child + 1]
            )
        ):
            child += 1
        if work[heap + 2 * child] > gap or (work[heap + 2 * child] == gap and work[heap + 2 * child + 1] > rank):
            break
        work[heap + 2 * parent] = work[heap + 2 * child]
        work[heap + 2 * parent + 1] = work[heap + 2 * child + 1]
        parent = child
    work[heap + 2 * parent] = gap
    work[heap + 2 * parent + 1] = rank


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    to_left=cython.longlong, to_right=cython.longlong,
)
@cython.returns(cython.longlong)
def _nearest(
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong, at: cython.longlong,
    left: cython.longlong, right: cython.longlong, tolerance: cython.longlong,
):
    """Return how far the nearer of two predictions lies, or -1 if neither is within the tolerance."""
    to_left = at - hyp[left] if left >= h else tolerance + 1
    to_right = hyp[right] - at if right < h_end else tolerance + 1
    to_left = to_left if to_left < to_right else to_right
    return to_left if to_left <= tolerance else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    at=cython.longlong, place=cython.longlong,
    first=cython.longlong, other=cython.longlong, best=cython.longlong, credited=cython.longlong,
    matched=cython.longlong,
)
@cython.returns(cython.void)
def _credit(
    ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, tolerance: cython.longlong, work: cython.longlong[::1],
    ranks: cython.longlong, flags: cython.longlong,
):
    """Count the predictions near a gold boundary, and the gold boundaries that are the first that one meets."""
    for place in range(r_end - r):
        work[flags + place] = 0
    credited = 0
    matched = 0
    first = r
    for place in range(h, h_end):
        at = hyp[place]
        while first < r_end and ref[first] < at - tolerance:
            first += 1
        best = -1
        other = first
        while other < r_end and ref[other] <= at + tolerance:
            if best < 0 or work[ranks + other - r] < work[ranks + best - r]:
                best = other
            other += 1
        if best >= 0:
            matched += 1
            credited += 1 - work[flags + best - r]
            work[flags + best - r] = 1
    out[row, 2] = credited
    out[row, 3] = matched


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    n_ref=cython.longlong, at=cython.longlong, place=cython.longlong,
    size=cython.longlong, gap=cython.longlong, rank=cython.longlong, left=cython.longlong,
    right=cython.longlong, taken=cython.longlong, pairs=cython.longlong, lefts=cython.longlong,
    rights=cython.longlong, used=cython.longlong, heap=cython.longlong, goes_left=cython.longlong,
)
@cython.returns(cython.longlong)
def _greedy(
    ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    tolerance: cython.longlong, work: cython.longlong[::1], ref_ranks: cython.longlong,
    hyp_ranks: cython.longlong, ref_table: cython.longlong, base: cython.longlong,
):
    """Return how many pairs are taken nearest first, of equal ones in the order of the gold set, then of the other.

    A heap holds for each gold boundary that is still free its next candidate; candidates lie to its left and right.
    """
    n_ref = r_end - r
    lefts = base
    rights = lefts + n_ref
    used = rights + n_ref
    heap = used + h_end - h
    for place in range(h_end - h):
        work[used + place] = 0
    size = 0
    right = h
    for place in range(n_ref):
        at = ref[r + place]
        while right < h_end and hyp[right] <= at:
            right += 1
        work[lefts + place] = right - 1
        work[rights + place] = right
        gap = _nearest(hyp, h, h_end, at, right - 1, right, tolerance)
        if gap >= 0:
            _sift_up(work, heap, size, gap, work[ref_ranks + place])
            size += 1
    pairs = 0
    while size > 0:
        gap = work[heap]
        rank = work[heap + 1]
        place = work[ref_table + rank] - 1
        at = ref[r + place]
        left = work[lefts + place]
        right = work[rights + place]
        goes_left = 1 if left >= h and at - hyp[left] == gap else 0
        if goes_left == 1 and right < h_end and hyp[right] - at == gap:
            goes_left = 1 if work[hyp_ranks + left - h] < work[hyp_ranks + right - h] else 0
        if goes_left == 1:
            taken = left
            left -= 1
            work[lefts + place] = left
        else:
            taken = right
            right += 1
            work[rights + place] = right
        gap = -1
        if work[used + taken - h] == 0:
            work[used + taken - h] = 1
            pairs += 1
        else:
            gap = _nearest(hyp, h, h_end, at, left, right, tolerance)
        if gap < 0:
            # This gold boundary is done with: the last entry of the heap takes its place.
            size -= 1
            gap = work[heap + 2 * size]
            rank = work[heap + 2 * size + 1]
        if size > 0:
            _sift_down(work, heap, size, gap, rank)
    return pairs


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.returns(cython.longlong)
def _cells(
    n_ref: cython.longlong, n_hyp: cython.longlong,
):
    """Return the work space of a document: ranks, two tables of each set, flags, and a heap."""
    return 22 * (n_ref + n_hyp) + 4 * _LEAST_TABLE


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    n_ref=cython.longlong, n_hyp=cython.longlong, ref_ranks=cython.longlong, hyp_ranks=cython.longlong,
    ref_area=cython.longlong, hyp_area=cython.longlong, ref_table=cython.longlong, base=cython.longlong,
    ref_room=cython.longlong, hyp_room=cython.longlong,
)
@cython.returns(cython.void)
def _as_run_one(
    ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, tolerance: cython.longlong, work: cython.longlong[::1],
):
    """Count one document."""
    n_ref = r_end - r
    n_hyp = h_end - h
    # A table grows to more than four and at most eight times what it holds.
    ref_room = 8 * n_ref + _LEAST_TABLE
    hyp_room = 8 * n_hyp + _LEAST_TABLE
    ref_ranks = 0
    hyp_ranks = ref_ranks + n_ref
    ref_area = hyp_ranks + n_hyp
    hyp_area = ref_area + 2 * ref_room
    base = hyp_area + 2 * hyp_room
    ref_table = _fill_set(ref, r, r_end, work, ref_ranks, ref_area, ref_area + ref_room)
    _fill_set(hyp, h, h_end, work, hyp_ranks, hyp_area, hyp_area + hyp_room)
    out[row, 0] = n_ref
    out[row, 1] = n_hyp
    _credit(ref, r, r_end, hyp, h, h_end, out, row, tolerance, work, ref_ranks, base)
    out[row, 4] = _greedy(
        ref, r, r_end, hyp, h, h_end, tolerance, work, ref_ranks, hyp_ranks, ref_table, base
    )


@cython.locals(
    row=cython.longlong, cells=cython.longlong, most=cython.longlong,
)
def scratch_as_run(
    ref_ptr: cython.const[cython.longlong][::1], ref_pos: cython.const[cython.longlong][::1],
    hyp_ptr: cython.const[cython.longlong][::1], hyp_pos: cython.const[cython.longlong][::1],
    start: cython.longlong, stop: cython.longlong, tolerance: cython.longlong,
):
    """Return the work space that the rows ``start`` to ``stop`` need, in cells."""
    most = 0
    with cython.nogil:
        for row in range(start, stop):
            cells = _cells(ref_ptr[row + 1] - ref_ptr[row], hyp_ptr[row + 1] - hyp_ptr[row])
            most = cells if cells > most else most
    return most


@cython.locals(
    row=cython.longlong,
)
def count_as_run(
    n_units: cython.const[cython.longlong][::1], ref_ptr: cython.const[cython.longlong][::1],
    ref_pos: cython.const[cython.longlong][::1], hyp_ptr: cython.const[cython.longlong][::1],
    hyp_pos: cython.const[cython.longlong][::1], out: cython.double[:, ::1], start: cython.longlong,
    stop: cython.longlong, scratch: cython.longlong[::1], tolerance: cython.longlong,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _as_run_one(
                ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1], out, row,
                tolerance, scratch,
            )


def count_as_run_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], hyp: cython.const[cython.longlong][::1],
    out: cython.double[:, ::1], scratch: cython.longlong[::1], tolerance: cython.longlong,
):
    """Fill the first row of ``out`` for one pair."""
    _as_run_one(ref, 0, len(ref), hyp, 0, len(hyp), out, 0, tolerance, scratch)
