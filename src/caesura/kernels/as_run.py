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

KERNELS = {"as_run": ("n_ref", "n_hyp", "credited_ref", "matched_hyp", "greedy")}
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)

# CPython's PySet_MINSIZE and LINEAR_PROBES, and the size from which on its sets grow more slowly.
_LEAST_TABLE = cython.declare(i64, 8)
_NEIGHBOURS = cython.declare(i64, 9)
_MANY = cython.declare(i64, 50_000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(slot=i64, rest=i64, tries=i64, step=i64)
def _free_slot(work: Cells, table: i64, mask: i64, value: i64) -> i64:
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
@cython.locals(mask=i64, size=i64, count=i64, wanted=i64, table=i64, other=i64, place=i64, slot=i64, place_in_other=i64)
def _fill_set(pos: Ints, start: i64, end: i64, work: Cells, ranks: i64, table: i64, other: i64) -> i64:
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
                    place_in_other = _free_slot(work, other, size - 1, pos[start + work[table + slot] - 1])
                    work[other + place_in_other] = work[table + slot]
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
@cython.locals(child=i64, parent=i64)
def _sift_up(work: Cells, heap: i64, child: i64, gap: i64, rank: i64) -> cython.void:
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
@cython.locals(child=i64, parent=i64)
def _sift_down(work: Cells, heap: i64, size: i64, gap: i64, rank: i64) -> cython.void:
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
@cython.locals(to_left=i64, to_right=i64)
def _nearest(hyp: Ints, h: i64, h_end: i64, at: i64, left: i64, right: i64, tolerance: i64) -> i64:
    """Return how far the nearer of two predictions lies, or -1 if neither is within the tolerance."""
    to_left = at - hyp[left] if left >= h else tolerance + 1
    to_right = hyp[right] - at if right < h_end else tolerance + 1
    to_left = to_left if to_left < to_right else to_right
    return to_left if to_left <= tolerance else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(at=i64, place=i64, first=i64, other=i64, best=i64, credited=i64, matched=i64)
def _credit(
    ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, tolerance: i64, work: Cells,
    ranks: i64, flags: i64,
) -> cython.void:
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
    n_ref=i64, at=i64, place=i64, size=i64, gap=i64, rank=i64, left=i64, right=i64, taken=i64, pairs=i64, lefts=i64,
    rights=i64, used=i64, heap=i64, goes_left=i64,
)
def _greedy(
    ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, tolerance: i64, work: Cells, ref_ranks: i64,
    hyp_ranks: i64, ref_table: i64, base: i64,
) -> i64:
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
@cython.locals(
    n_ref=i64, n_hyp=i64, ref_ranks=i64, hyp_ranks=i64, ref_area=i64, hyp_area=i64, ref_table=i64, base=i64,
    ref_room=i64, hyp_room=i64,
)
def _as_run_one(
    ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, tolerance: i64, work: Cells,
) -> cython.void:
    """Count one document; ranks, two tables of each set, flags and a heap take at most 22 cells per boundary and 32 more."""
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
    out[row, 4] = _greedy(ref, r, r_end, hyp, h, h_end, tolerance, work, ref_ranks, hyp_ranks, ref_table, base)


@cython.locals(row=i64)
def count_as_run(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, out: Table, start: i64, stop: i64,
    scratch: Cells, tolerance: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _as_run_one(
                ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1], out, row,
                tolerance, scratch,
            )


def count_as_run_one(n: i64, ref: Ints, hyp: Ints, out: Table, scratch: Cells, tolerance: i64):
    """Fill the first row of ``out`` for one pair."""
    _as_run_one(ref, 0, len(ref), hyp, 0, len(hyp), out, 0, tolerance, scratch)
