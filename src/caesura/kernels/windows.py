# SPDX-License-Identifier: Apache-2.0
"""Sliding windows: the counts of Pk, WindowDiff and WinPR in time linear in the boundaries.

A window of k slots that starts at slot i covers the slots i .. i+k-1. A slot is a gap; with ``string`` 1 the slots are
the units (the last of them empty), with ``string`` 2 the last unit carries the closing boundary as an item. There are
``slots`` = n - 1 or n of them, and the windows 1 .. slots-k+1 lie inside; an item at p lies in the windows p-k+1 .. p.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura import _cython as cython

PK_COLUMNS = ("k", "windows", "errors")
WINDOW_DIFF_COLUMNS = ("k", "windows", "errors", "surplus", "deficit", "ref_sum", "hyp_sum")
COMPILED = cython.compiled


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    top=cython.longlong, pieces=cython.longlong, q=cython.longlong, rest=cython.longlong,
)
@cython.returns(cython.longlong)
def _window_size(
    n: cython.longlong, slots: cython.longlong, n_ref: cython.longlong, k: cython.longlong,
    k_from: cython.longlong, rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong,
    short: cython.longlong,
):
    """Return the window: the given one, or half the mean reference segment, rounded exactly in whole numbers."""
    if k <= 0:
        if k_from == 1:
            top = slots
            pieces = n_ref + (1 if string == 2 else 0)
            if pieces == 0:
                pieces = 1
        else:
            top = n
            pieces = n_ref + 1
        q = top // (2 * pieces)
        rest = top - q * 2 * pieces
        # The quotient is q + rest / (2 pieces): a tie when rest == pieces.
        if rounding == 0:
            if rest > pieces or (rest == pieces and (q & 1) == 1):
                q += 1
        elif rounding == 1:
            if rest >= pieces:
                q += 1
        k = q if q > min_k else min_k
    if short == 1 and k > n - 1:
        k = n - 1
    return k


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    slots=cython.longlong, last=cython.longlong, ref_total=cython.longlong, hyp_total=cython.longlong,
    common=cython.longlong, r_low=cython.longlong, r_high=cython.longlong, h_low=cython.longlong,
    h_high=cython.longlong, low=cython.longlong, high=cython.longlong, p=cython.longlong,
)
@cython.returns(cython.void)
def _pk_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, k: cython.longlong, k_from: cython.longlong,
    rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
):
    """Count the windows that one side cuts and the other does not.

    A boundary p cuts the windows p-k+1 .. p; what the boundary before cuts already is taken off, so that each side is
    a run of disjoint intervals, and the errors are both lengths less twice the length of the intersection.
    """
    slots = n if string > 0 else n - 1
    k = _window_size(n, slots, r_end - r, k, k_from, rounding, min_k, string, short)
    last = slots - k + 1
    out[row, 0] = k
    if last < 1 or k < 1:
        # NLTK's own rule can give k = 0, and windows that see nothing, hence no error.
        out[row, 1] = last if k == 0 and k_from == 1 else 0
        out[row, 2] = 0
        return
    ref_total = 0
    hyp_total = 0
    common = 0
    r_high = 0
    h_high = 0
    r_low = 1
    h_low = 1
    if string == 2:
        # The closing boundary is an item after the last one of either side.
        r_end += 1
        h_end += 1
    while True:
        # Take the next interval of the side that ends first.
        if r_high <= h_high:
            if r >= r_end:
                break
            p = n if (string == 2 and r == r_end - 1) else ref[r]
            r += 1
            r_low = p - k + 1
            if r_low <= r_high:
                r_low = r_high + 1
            r_high = p if p < last else last
            if r_low <= r_high:
                ref_total += r_high - r_low + 1
        else:
            if h >= h_end:
                break
            p = n if (string == 2 and h == h_end - 1) else hyp[h]
            h += 1
            h_low = p - k + 1
            if h_low <= h_high:
                h_low = h_high + 1
            h_high = p if p < last else last
            if h_low <= h_high:
                hyp_total += h_high - h_low + 1
        low = r_low if r_low > h_low else h_low
        high = r_high if r_high < h_high else h_high
        if low <= high:
            common += high - low + 1
    # One side is spent: what is left of the other begins after its end, so nothing is common any more.
    while r < r_end:
        p = n if (string == 2 and r == r_end - 1) else ref[r]
        r += 1
        r_low = p - k + 1
        if r_low <= r_high:
            r_low = r_high + 1
        r_high = p if p < last else last
        if r_low <= r_high:
            ref_total += r_high - r_low + 1
    while h < h_end:
        p = n if (string == 2 and h == h_end - 1) else hyp[h]
        h += 1
        h_low = p - k + 1
        if h_low <= h_high:
            h_low = h_high + 1
        h_high = p if p < last else last
        if h_low <= h_high:
            hyp_total += h_high - h_low + 1
    out[row, 1] = last
    out[row, 2] = ref_total + hyp_total - 2 * common


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    total=cython.longlong, place=cython.longlong,
)
@cython.returns(cython.longlong)
def _window_sum(
    pos: cython.const[cython.longlong][::1], start: cython.longlong, end: cython.longlong,
    closing: cython.longlong, n: cython.longlong, k: cython.longlong, first: cython.longlong,
    last: cython.longlong,
):
    """Return the sum over the windows first .. last of the items inside; only items near an edge lie in fewer than k."""
    total = k * (end - start + closing)
    place = start
    while place < end and pos[place] - k + 1 < first:
        total -= first - (pos[place] - k + 1)
        place += 1
    place = end - 1
    if closing == 1 and n > last:
        total -= n - last
    if closing == 1 and n - k + 1 < first:
        total -= first - (n - k + 1)
    while place >= start and pos[place] > last:
        total -= pos[place] - last
        place -= 1
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    slots=cython.longlong, first=cython.longlong, last=cython.longlong, closing=cython.longlong,
    count=cython.longlong, enter=cython.longlong, leave=cython.longlong, at=cython.longlong,
    event=cython.longlong, other=cython.longlong, balance=cython.longlong, errors=cython.longlong,
    surplus=cython.longlong, deficit=cython.longlong, value=cython.longlong, a=cython.longlong,
    b=cython.longlong, width=cython.longlong,
)
@cython.returns(cython.void)
def _window_diff_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], r: cython.longlong, r_end: cython.longlong,
    hyp: cython.const[cython.longlong][::1], h: cython.longlong, h_end: cython.longlong,
    out: cython.double[:, ::1], row: cython.longlong, k: cython.longlong, k_from: cython.longlong,
    rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
    edge: cython.longlong, differing: cython.longlong[::1],
):
    """Count windows with other numbers of boundaries, and how many too many and too few.

    Boundaries that both sides have cancel in every window. The rest, signed (+ reference only, - hypothesis only),
    enter a running balance at window p-k+1 and leave it at window p+1.
    """
    slots = n if string > 0 else n - 1
    closing = 1 if string == 2 else 0
    k = _window_size(n, slots, r_end - r, k, k_from, rounding, min_k, string, short)
    first = 1
    last = slots - k + 1
    if edge == 1 or edge == 2:
        # Lamprier et al.: k units more on both sides of the document.
        first = 1 - k
        last = n
    elif edge == 3:
        # WinPR: every window that holds at least one slot.
        first = 2 - k
        last = slots
    out[row, 0] = k
    if last < first or k < 1:
        for value in range(1, 7):
            out[row, value] = 0
        if k == 0 and k_from == 1:
            out[row, 1] = last
        return
    out[row, 1] = last - first + (2 if edge == 2 else 1)
    out[row, 5] = _window_sum(ref, r, r_end, closing, n, k, first, last)
    out[row, 6] = _window_sum(hyp, h, h_end, closing, n, k, first, last)
    count = 0
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        if a < b:
            differing[count] = a
            count += 1
            r += 1
        elif b < a:
            differing[count] = -b
            count += 1
            h += 1
        else:
            r += 1
            h += 1
    while r < r_end:
        differing[count] = ref[r]
        count += 1
        r += 1
    while h < h_end:
        differing[count] = -hyp[h]
        count += 1
        h += 1
    errors = 0
    surplus = 0
    deficit = 0
    balance = 0
    enter = 0
    leave = 0
    at = first
    while leave < count:
        value = differing[leave]
        event = (value if value > 0 else -value) + 1
        if enter < count:
            value = differing[enter]
            other = (value if value > 0 else -value) - k + 1
        else:
            other = event + 1
        if other <= event:
            if other > last:
                break
            width = other - at
            if width > 0:
                at = other
        else:
            if event > last:
                break
            width = event - at
            if width > 0:
                at = event
        if width > 0 and balance != 0:
            errors += width
            if balance > 0:
                deficit += balance * width
            else:
                surplus -= balance * width
        if other <= event:
            balance += 1 if value > 0 else -1
            enter += 1
        else:
            balance -= 1 if differing[leave] > 0 else -1
            leave += 1
    if balance != 0 and at <= last:
        width = last - at + 1
        errors += width
        if balance > 0:
            deficit += balance * width
        else:
            surplus -= balance * width
    out[row, 2] = errors
    out[row, 3] = surplus
    out[row, 4] = deficit


@cython.locals(
    row=cython.longlong,
)
def count_pk(
    n_units: cython.const[cython.longlong][::1], ref_ptr: cython.const[cython.longlong][::1],
    ref_pos: cython.const[cython.longlong][::1], hyp_ptr: cython.const[cython.longlong][::1],
    hyp_pos: cython.const[cython.longlong][::1], out: cython.double[:, ::1], start: cython.longlong,
    stop: cython.longlong, scratch, k: cython.longlong, k_from: cython.longlong, rounding: cython.longlong,
    min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns `PK_COLUMNS`."""
    with cython.nogil:
        for row in range(start, stop):
            _pk_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, k, k_from, rounding, min_k, string, short,
            )


@cython.locals(
    row=cython.longlong,
)
def count_window_diff(
    n_units: cython.const[cython.longlong][::1], ref_ptr: cython.const[cython.longlong][::1],
    ref_pos: cython.const[cython.longlong][::1], hyp_ptr: cython.const[cython.longlong][::1],
    hyp_pos: cython.const[cython.longlong][::1], out: cython.double[:, ::1], start: cython.longlong,
    stop: cython.longlong, scratch: cython.longlong[::1], k: cython.longlong, k_from: cython.longlong,
    rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
    edge: cython.longlong,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns `WINDOW_DIFF_COLUMNS`."""
    with cython.nogil:
        for row in range(start, stop):
            _window_diff_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, k, k_from, rounding, min_k, string, short, edge, scratch,
            )


def count_pk_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], hyp: cython.const[cython.longlong][::1],
    out: cython.double[:, ::1], scratch, k: cython.longlong, k_from: cython.longlong,
    rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
):
    """Fill the first row of ``out`` for one pair."""
    _pk_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, k, k_from, rounding, min_k, string, short)


def count_window_diff_one(
    n: cython.longlong, ref: cython.const[cython.longlong][::1], hyp: cython.const[cython.longlong][::1],
    out: cython.double[:, ::1], scratch: cython.longlong[::1], k: cython.longlong, k_from: cython.longlong,
    rounding: cython.longlong, min_k: cython.longlong, string: cython.longlong, short: cython.longlong,
    edge: cython.longlong,
):
    """Fill the first row of ``out`` for one pair."""
    _window_diff_one(
        n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, k, k_from, rounding, min_k, string, short, edge, scratch
    )
