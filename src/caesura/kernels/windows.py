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
    from caesura.kernels import _cython as cython

if cython.compiled:
    from cython.cimports.caesura.kernels._bits import caesura_ones as _ones
else:
    _ones = int.bit_count

KERNELS = {
    "pk": ("k", "windows", "errors"),
    "window_diff": ("k", "windows", "errors", "surplus", "deficit", "ref_sum", "hyp_sum"),
}
RANGES = {"k_from": (0, 2), "rounding": (0, 2), "string": (0, 2), "short": (0, 1), "edge": (0, 3)}
BY_BITS = ("pk", "window_diff")
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Words = cython.typedef(cython.const[cython.ulonglong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

_AFTER_ALL = cython.declare(i64, 0x7FFFFFFFFFFFFFFF)  # the greatest 64-bit number
_LONGEST = cython.declare(i64, 1 << 60)  # a window; twice that after all is still after every boundary
_ONE = cython.declare(u64, 1)
_SHORT = cython.declare(i64, 64)  # units of a document whose boundaries are the bits of one number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _number(digit0: u64, digit1: u64, digit2: u64, digit3: u64, where: u64) -> i64:
    """Return the sum of numbers whose four binary digits stand in four words, at the places of some bits."""
    return _ones(digit0 & where) + 2 * _ones(digit1 & where) + 4 * _ones(digit2 & where) + 8 * _ones(digit3 & where)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(reach=i64)
def _cut(word: u64, k: i64) -> u64:
    """Return the bits of all windows of k slots, named by the slot they start in, that hold at least one bit of a word."""
    reach = 1
    while 2 * reach <= k:
        word |= word >> reach
        reach *= 2
    return word | (word >> (k - reach))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(top=i64, pieces=i64, q=i64, rest=i64)
def _window_size(
    n: i64, slots: i64, n_ref: i64, k: i64, k_from: i64, rounding: i64, min_k: i64, string: i64, short: i64,
) -> i64:
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
            if k_from == 2 and pieces == 1:
                pieces = 2
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
    return k if k < _LONGEST else _LONGEST


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cut_by_one(at: i64, stop: i64, r_until: i64, h_until: i64) -> i64:
    """Count the windows that end in at .. stop-1 and before only one of the two limits."""
    r_until = r_until if r_until > at else at
    h_until = h_until if h_until > at else at
    r_until = r_until if r_until < stop else stop
    h_until = h_until if h_until < stop else stop
    return r_until - h_until if r_until > h_until else h_until - r_until


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    slots=i64, last=i64, errors=i64, at=i64, stop=i64, r_until=i64, h_until=i64, a=i64, b=i64, r_takes=i64,
    h_takes=i64,
)
def _pk_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, by_bits: i64, ref_bits: u64, hyp_bits: u64,
    out: Table, row: i64, k: i64, k_from: i64, rounding: i64, min_k: i64, string: i64, short: i64,
) -> cython.void:
    """Count the windows that one side cuts and the other does not.

    Windows are named here by the slot they end in, k .. slots. A boundary p cuts those that end in p .. p+k-1. Between
    two boundaries of either side, each side cuts a first stretch of the windows, up to its own last boundary + k; the
    errors are the difference of the two stretches.
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
    out[row, 1] = last
    if by_bits and string == 0:
        # The windows start in 1 .. last.
        out[row, 2] = _ones((_cut(ref_bits, k) ^ _cut(hyp_bits, k)) & (((_ONE << last) - 1) << 1))
        return
    errors = 0
    at = k
    r_until = 0
    h_until = 0
    # No branch but the loop's own: which side comes next cannot be predicted.
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        stop = a if a < b else b
        stop = stop if stop > at else at
        errors += _cut_by_one(at, stop, r_until, h_until)
        at = stop
        r_takes = a <= b
        h_takes = b <= a
        r_until += (a + k - r_until) & -r_takes
        h_until += (b + k - h_until) & -h_takes
        r += r_takes
        h += h_takes
    while r < r_end:
        a = ref[r]
        stop = a if a > at else at
        errors += _cut_by_one(at, stop, r_until, h_until)
        at = stop
        r_until = a + k
        r += 1
    while h < h_end:
        b = hyp[h]
        stop = b if b > at else at
        errors += _cut_by_one(at, stop, r_until, h_until)
        at = stop
        h_until = b + k
        h += 1
    # Both sides cut the window that ends with the closing boundary, if there is one.
    stop = slots if string == 2 else slots + 1
    if stop > at:
        errors += _cut_by_one(at, stop, r_until, h_until)
    out[row, 2] = errors


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(total=i64, place=i64)
def _window_sum(pos: Ints, start: i64, end: i64, closing: i64, n: i64, k: i64, first: i64, last: i64) -> i64:
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
    r0=u64, r1=u64, r2=u64, r3=u64, h0=u64, h1=u64, h2=u64, h3=u64, d0=u64, d1=u64, d2=u64, d3=u64, a=u64, b=u64, windows=u64,
    less=u64, shift=i64, ref_sum=i64, hyp_sum=i64, surplus=i64,
)
def _window_diff_bits(ref: u64, hyp: u64, k: i64, last: i64, out: Table, row: i64) -> cython.void:
    """Count the windows 1 .. last of up to 15 slots, all at once.

    Bit i of r0 .. r3 are the four digits of the number of boundaries of the reference in the window that starts in slot i: the bits of k
    shifted words are added, with a carry from digit to digit. The digits of the differences follow in the same way.
    """
    r0 = r1 = r2 = r3 = 0
    h0 = h1 = h2 = h3 = 0
    for shift in range(k):
        a = ref >> shift
        b = r0 & a
        r0 ^= a
        a = r1 & b
        r1 ^= b
        b = r2 & a
        r2 ^= a
        r3 ^= b
        a = hyp >> shift
        b = h0 & a
        h0 ^= a
        a = h1 & b
        h1 ^= b
        b = h2 & a
        h2 ^= a
        h3 ^= b
    d0 = h0 ^ r0
    less = r0 & ~h0
    d1 = h1 ^ r1 ^ less
    less = (r1 & ~h1) | (less & ~(h1 ^ r1))
    d2 = h2 ^ r2 ^ less
    less = (r2 & ~h2) | (less & ~(h2 ^ r2))
    d3 = h3 ^ r3 ^ less
    less = (r3 & ~h3) | (less & ~(h3 ^ r3))
    windows = ((_ONE << last) - 1) << 1
    ref_sum = _number(r0, r1, r2, r3, windows)
    hyp_sum = _number(h0, h1, h2, h3, windows)
    surplus = _number(d0, d1, d2, d3, windows & ~less)
    out[row, 2] = _ones((d0 | d1 | d2 | d3) & windows)
    out[row, 3] = surplus
    # What one side has more in all is deficit - surplus.
    out[row, 4] = surplus + ref_sum - hyp_sum
    out[row, 5] = ref_sum
    out[row, 6] = hyp_sum


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    slots=i64, first=i64, last=i64, closing=i64, count=i64, enter=i64, leave=i64, at=i64, enters=i64, event=i64,
    balance=i64, errors=i64, total=i64, surplus=i64, deficit=i64, value=i64, a=i64, b=i64, width=i64, ref_sum=i64,
    hyp_sum=i64,
)
def _window_diff_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, by_bits: i64, ref_bits: u64, hyp_bits: u64,
    out: Table, row: i64, k: i64, k_from: i64, rounding: i64, min_k: i64, string: i64, short: i64, edge: i64,
    differing: Cells,
) -> cython.void:
    """Count windows with other numbers of boundaries, and how many too many and too few.

    Boundaries that both sides have cancel in every window. The rest, reference's as +1 and hypothesis' as -1, enter a
    running balance at window p-k+1 and leave it at window p+1. No branch but the loops' own: which side or event comes
    next cannot be predicted.
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
    if by_bits and k < 16 and edge == 0 and string == 0:
        _window_diff_bits(ref_bits, hyp_bits, k, last, out, row)
        return
    ref_sum = _window_sum(ref, r, r_end, closing, n, k, first, last)
    hyp_sum = _window_sum(hyp, h, h_end, closing, n, k, first, last)
    out[row, 5] = ref_sum
    out[row, 6] = hyp_sum
    # A boundary p of one side only is listed as 2p, and one more if it is the hypothesis'.
    count = 0
    while r < r_end and h < h_end:
        a = ref[r]
        b = hyp[h]
        # What is written for a boundary of both sides is overwritten by the next.
        differing[count] = 2 * (a if a < b else b) + (b < a)
        count += a != b
        r += a <= b
        h += b <= a
    while r < r_end:
        differing[count] = 2 * ref[r]
        count += 1
        r += 1
    while h < h_end:
        differing[count] = 2 * hyp[h] + 1
        count += 1
        h += 1
    # An entry after every other, so that looking ahead needs no check.
    differing[count] = _AFTER_ALL
    errors = 0
    total = 0
    balance = 0
    enter = 0
    leave = 0
    at = first
    while leave < count:
        a = differing[enter] - 2 * k
        b = differing[leave]
        # Of two events in one place either may come first, so that the side's bit does no harm here.
        enters = a <= b
        value = b ^ 1 ^ ((a ^ b ^ 1) & -enters)
        event = ((a if a < b else b) >> 1) + 1
        if event > last:
            break
        width = event - at
        width = width if width > 0 else 0
        at += width
        errors += width & -(balance != 0)
        total += (balance if balance > 0 else -balance) * width
        balance += 1 - 2 * (value & 1)
        enter += enters
        leave += 1 - enters
    width = last - at + 1
    errors += width & -(balance != 0)
    total += (balance if balance > 0 else -balance) * width
    # The differences are surplus + deficit, and what one side has more in all is deficit - surplus.
    surplus = (total + hyp_sum - ref_sum) // 2
    deficit = total - surplus
    out[row, 2] = errors
    out[row, 3] = surplus
    out[row, 4] = deficit


@cython.locals(row=i64)
def count_pk(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, ref_bits: Words, hyp_bits: Words,
    out: Table, start: i64, stop: i64, scratch, k: i64, k_from: i64, rounding: i64, min_k: i64, string: i64, short: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _pk_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                n_units[row] <= _SHORT, ref_bits[row], hyp_bits[row],
                out, row, k, k_from, rounding, min_k, string, short,
            )


@cython.locals(row=i64)
def count_window_diff(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, ref_bits: Words, hyp_bits: Words,
    out: Table, start: i64, stop: i64, scratch: Cells, k: i64, k_from: i64, rounding: i64, min_k: i64, string: i64, short: i64, edge: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _window_diff_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                n_units[row] <= _SHORT, ref_bits[row], hyp_bits[row],
                out, row, k, k_from, rounding, min_k, string, short, edge, scratch,
            )


def count_pk_one(
    n: i64, ref: Ints, hyp: Ints, out: Table, scratch, k: i64 = 0, k_from: i64 = 0, rounding: i64 = 0, min_k: i64 = 2,
    string: i64 = 0, short: i64 = 0,
):
    """Fill the first row of ``out`` for one pair."""
    _pk_one(n, ref, 0, len(ref), hyp, 0, len(hyp), 0, 0, 0, out, 0, k, k_from, rounding, min_k, string, short)


def count_window_diff_one(
    n: i64, ref: Ints, hyp: Ints, out: Table, scratch: Cells, k: i64 = 0, k_from: i64 = 0, rounding: i64 = 0,
    min_k: i64 = 2, string: i64 = 0, short: i64 = 0, edge: i64 = 0,
):
    """Fill the first row of ``out`` for one pair."""
    _window_diff_one(
        n, ref, 0, len(ref), hyp, 0, len(hyp), 0, 0, 0, out, 0, k, k_from, rounding, min_k, string, short, edge,
        scratch,
    )
