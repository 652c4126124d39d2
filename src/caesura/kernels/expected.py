# SPDX-License-Identifier: Apache-2.0
"""What is to be expected if the gaps of one side are drawn at random: walks over the boundaries of the other side."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Doubles = cython.typedef(cython.double[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)

_AFTER_ALL = cython.declare(i64, 0x7FFFFFFFFFFFFFFF)  # the greatest 64-bit number


@cython.locals(
    row=i64, number=i64, last=i64, end=i64, enter=i64, leave=i64, at=i64, count=i64, a=i64, b=i64, event=i64, stop=i64,
)
def list_runs(ptr: Ints, pos: Ints, k: Ints, windows: Ints, document: Cells, inside: Cells, width: Cells):
    """List the runs of windows with the same number of boundaries inside, and return how many; at most two a boundary, and one.

    Windows of k gaps are named by the gap they start in, 1 .. windows. A boundary p is in those from p-k+1 to p.
    """
    number = 0
    with cython.nogil:
        for row in range((k.shape[0] if cython.compiled else len(k))):
            last = windows[row]
            enter = ptr[row]
            leave = enter
            end = ptr[row + 1]
            at = 1
            count = 0
            while at <= last:
                a = pos[enter] - k[row] + 1 if enter < end else _AFTER_ALL
                b = pos[leave] + 1 if leave < end else _AFTER_ALL
                event = a if a < b else b
                stop = event if event <= last else last + 1
                if stop > at:
                    document[number] = row
                    inside[number] = count
                    width[number] = stop - at
                    number += 1
                    at = stop
                if a <= b:
                    count += 1
                    enter += 1
                else:
                    count -= 1
                    leave += 1
    return number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(first=i64, last=i64, edges=i64)
def _expected_at(
    n: i64, begin: i64, end: i64, length: i64, overlap: i64, drawn: i64, shares: Doubles
) -> f64:
    """Return how many segments of a length that overlap another by at least ``overlap`` units are expected."""
    first = begin + overlap - length
    last = end - overlap
    edges = 0
    # At an end of the document one boundary makes the segment, elsewhere two.
    if first <= 0:
        first = 0
        edges += 1
    if last >= n - length:
        last = n - length
        edges += 1
    if edges == last - first + 1:
        return edges * shares[length]
    return shares[length] * (edges + (last - first + 1 - edges) * cython.cast(f64, drawn - 1) / (n - 1 - length))


@cython.locals(
    row=i64, n=i64, gaps=i64, m=i64, place=i64, begin=i64, end=i64, own=i64, length=i64, known=i64, value=i64, overlap=i64,
    at_least=i64, expected=f64, segments=f64, own_units=f64, other_units=f64,
)
def expect_retrieved(
    n_units: Ints, ptr: Ints, pos: Ints, drawn: Ints, numerator: i64, denominator: i64, strict: i64, shares: Doubles, out: Table
):
    """Write for each document how many segments of one side are expected to be retrieved, and the units of both sides in them.

    As many gaps as ``drawn`` make the other side. Gamma, numerator/denominator, exceeds 2/3, so that a pair of segments that
    reaches it is a pair of partners, and the expectations of all pairs add up. For one length of the drawn segment, those in
    reach begin at neighbouring units. ``shares`` has room for a number per unit of the longest document: it becomes the probability
    that a segment of each length stands at one end of the document.
    """
    # In whole numbers, left >= right is left > right - 1.
    at_least = 1 - strict
    with cython.nogil:
        for row in range((n_units.shape[0] if cython.compiled else len(n_units))):
            n = n_units[row]
            gaps = n - 1
            m = drawn[row]
            segments = 0.0
            own_units = 0.0
            other_units = 0.0
            known = 0
            begin = 0
            for place in range(ptr[row], ptr[row + 1] + 1):
                end = pos[place] if place < ptr[row + 1] else n
                own = end - begin
                if m == 0:
                    # The whole document is the only segment.
                    if 2 * own * denominator > numerator * (own + n) - at_least:
                        segments += 1.0
                        own_units += own
                        other_units += n
                    begin = end
                    continue
                while known < own and known < gaps:
                    shares[known + 1] = (
                        shares[known] * (gaps - known - m + 1) / (gaps - known) if known > 0 else cython.cast(f64, m) / gaps
                    )
                    known += 1
                # From the own length upwards, then downwards.
                value = numerator * 2 * own - at_least
                overlap = value // (2 * denominator) + 1
                length = own
                while length <= gaps and overlap <= own:
                    if length > known:
                        shares[length] = shares[known] * (gaps - known - m + 1) / (gaps - known)
                        known = length
                    expected = _expected_at(n, begin, end, length, overlap, m, shares)
                    segments += expected
                    own_units += expected * own
                    other_units += expected * length
                    length += 1
                    value += numerator
                    if value >= overlap * 2 * denominator:
                        overlap += 1
                value = numerator * (2 * own - 1) - at_least
                overlap = value // (2 * denominator) + 1
                length = own - 1
                while overlap <= length:
                    expected = _expected_at(n, begin, end, length, overlap, m, shares)
                    segments += expected
                    own_units += expected * own
                    other_units += expected * length
                    length -= 1
                    value -= numerator
                    if value < (overlap - 1) * 2 * denominator:
                        overlap -= 1
                begin = end
            out[row, 0] = segments
            out[row, 1] = own_units
            out[row, 2] = other_units
