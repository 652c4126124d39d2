# SPDX-License-Identifier: Apache-2.0
"""Windows over several annotators at once: the counts of MultiWindowDiff, linear in all boundaries.

The boundaries of all annotators of a document come sorted by position, with their owner; the hypothesis is one more
owner, the last. An item at p enters the windows at p-m+1 and leaves them after p, so two pointers walk the same list.
Between two events nothing changes. How many annotators have each count is kept in a histogram, and how many counts have
each support in a second one, so that the greatest and the least support move by at most one at an event.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

MULTI_WINDOW_DIFF_COLUMNS = ("m", "windows", "annotators", "errors", "too_many", "too_few", "best", "worst")
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)

_AFTER_ALL = cython.declare(i64, 0x7FFFFFFFFFFFFFFF)  # the greatest 64-bit number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(support=i64)
def _move(work: Cells, counts: i64, supports: i64, old: i64, new: i64) -> cython.void:
    """Move one annotator from one count to another in both histograms."""
    support = work[counts + old]
    work[supports + support] -= 1
    work[supports + support - 1] += 1
    work[counts + old] = support - 1
    support = work[counts + new]
    work[supports + support] -= 1
    work[supports + support + 1] += 1
    work[counts + new] = support + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    first=i64, last=i64, size=i64, counts=i64, supports=i64, owners=i64, place=i64, enter=i64, leave=i64, at=i64,
    event=i64, other=i64, width=i64, who=i64, old=i64, new=i64, mine=i64, below=i64, top=i64, low=i64, errors=i64,
    many=i64, best=i64, worst=i64, same=i64, entering=i64,
)
def _multi_window_diff_one(
    slots: i64, pos: Ints, owner: Ints, start: i64, end: i64, h: i64, most: i64, m: i64, out: Table, row: i64,
    work: Cells,
) -> cython.void:
    """Count one document; ``most`` is the largest number of boundaries that any owner has."""
    first = 1
    last = slots - m + 1
    out[row, 0] = m
    out[row, 2] = h
    if last < first or m < 1:
        for place in range(3, 8):
            out[row, place] = 0
        out[row, 1] = 0
        return
    # Counts 0..m are possible; beyond ``most`` none has support, so one such count stands for all of them.
    size = (m if m < most + 1 else most + 1) + 1
    owners = 0
    counts = h + 1
    supports = counts + size + 1
    for place in range(supports + h + 2):
        work[place] = 0
    work[counts] = h
    work[supports + h] += 1
    work[supports] += size - 1
    mine = 0
    below = 0
    top = h
    low = 0 if size > 1 else h
    errors = 0
    many = 0
    best = 0
    worst = 0
    enter = start
    leave = start
    at = first
    while True:
        event = pos[leave] + 1 if leave < end else last + 1
        entering = 0
        if enter < end and pos[enter] - m + 1 <= event:
            event = pos[enter] - m + 1
            entering = 1
        if event > last + 1:
            event = last + 1
        width = event - at
        if width > 0:
            same = work[counts + mine] if mine < size else 0
            errors += width * (h - same)
            many += width * below
            best += width * (h - top)
            worst += width * (h - low)
            at = event
        if at > last:
            break
        if entering == 1:
            who = owner[enter]
            enter += 1
        else:
            who = owner[leave]
            leave += 1
        old = work[owners + who]
        new = old + 1 if entering == 1 else old - 1
        work[owners + who] = new
        if who == h:
            # The hypothesis: annotators it overtakes come below it, or are no longer.
            if new > old:
                below += work[counts + old] if old < size else 0
            else:
                below -= work[counts + new] if new < size else 0
            mine = new
        else:
            if new > old:
                if old < mine and new >= mine:
                    below -= 1
            elif new < mine and old >= mine:
                below += 1
            _move(work, counts, supports, old, new)
            if top < h and work[supports + top + 1] > 0:
                top += 1
            while work[supports + top] == 0:
                top -= 1
            if low > 0 and work[supports + low - 1] > 0:
                low -= 1
            while work[supports + low] == 0:
                low += 1
    out[row, 1] = last
    out[row, 3] = errors
    out[row, 4] = many
    out[row, 5] = errors - many
    out[row, 6] = best
    out[row, 7] = worst


@cython.locals(row=i64)
def count_multi_window_diff(
    slots: Ints, ptr: Ints, pos: Ints, owner: Ints, annotators: Ints, most: Ints, windows: Ints, out: Table,
    scratch: Cells,
):
    """Fill ``out`` with the columns `MULTI_WINDOW_DIFF_COLUMNS`, one row per document."""
    with cython.nogil:
        for row in range(slots.shape[0] if cython.compiled else len(slots)):
            _multi_window_diff_one(
                slots[row], pos, owner, ptr[row], ptr[row + 1], annotators[row], most[row], windows[row], out, row, scratch
            )
