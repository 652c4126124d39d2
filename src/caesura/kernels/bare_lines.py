# SPDX-License-Identifier: Apache-2.0
"""Bare lines of JSON, which hold an id, n_units and boundaries and nothing else, read in one pass over the bytes.

Only the plainest spelling is read: printable ASCII without escapes in the id, whole numbers of at most fifteen digits, no white space
but spaces, one document in each line. Any other line is left to the reader that knows all of JSON, which also finds the faults.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Bytes = cython.typedef(cython.const[cython.uchar][::1])
Cells = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)

_SPACE = cython.declare(i64, 0x20)
_QUOTE = cython.declare(i64, 0x22)
_COMMA = cython.declare(i64, 0x2C)
_ZERO = cython.declare(i64, 0x30)
_DIGITS = cython.declare(i64, 15)
_ALL = cython.declare(i64, 7)  # the three keys, as bits
KEYS = b'id"n_units"boundaries"'


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _after_spaces(block: Bytes, at: i64, end: i64) -> i64:
    """Return the next place that holds no space."""
    while at < end and block[at] == _SPACE:
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.locals(place=i64)
def _after_key(block: Bytes, at: i64, end: i64, keys: Bytes, start: i64, stop: i64) -> i64:
    """Return the place after a key and its closing quote, or -1 if another stands there."""
    if end - at < stop - start:
        return -1
    for place in range(start, stop):
        if block[at + place - start] != keys[place]:
            return -1
    return at + stop - start


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.locals(first=i64, value=i64, digit=i64)
def _number(block: Bytes, at: i64, end: i64, out: Cells, place: i64) -> i64:
    """Write a whole number, and return the place after it, or -1 if none stands there."""
    first = at
    value = 0
    while at < end:
        digit = block[at] - _ZERO
        if digit < 0 or digit > 9:
            break
        value = 10 * value + digit
        at += 1
        if at - first > _DIGITS:
            return -1
    if at == first or (block[first] == _ZERO and at - first > 1):
        return -1
    out[place] = value
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
@cython.locals(count=i64)
def _numbers(block: Bytes, at: i64, end: i64, out: Cells, place: i64, sizes: Cells, row: i64) -> i64:
    """Write a list of whole numbers and how many there are, and return the place after it, or -1 if none stands there."""
    count = 0
    if at >= end or block[at] != 0x5B:
        return -1
    at = _after_spaces(block, at + 1, end)
    if at < end and block[at] == 0x5D:
        sizes[row] = 0
        return at + 1
    while True:
        at = _number(block, at, end, out, place + count)
        if at < 0:
            return -1
        count += 1
        at = _after_spaces(block, at, end)
        if at < end and block[at] == 0x5D:
            sizes[row] = count
            return at + 1
        if at >= end or block[at] != _COMMA:
            return -1
        at = _after_spaces(block, at + 1, end)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _after_string(block: Bytes, at: i64, end: i64) -> i64:
    """Return the place of the quote that closes a plain string, or -1 if it is not plain."""
    while at < end and block[at] != _QUOTE:
        if block[at] < _SPACE or block[at] > 0x7E or block[at] == 0x5C:
            return -1
        at += 1
    return at if at < end else -1


@cython.locals(at=i64, end=i64, row=i64, found=i64, seen=i64, key=i64, after=i64)
def scan_lines(block: Bytes, text: str, keys: Bytes, ids: list, n_units: Cells, sizes: Cells, pos: Cells) -> i64:
    """Read the documents of a block of whole lines, and return how many there are, or -1 if a line is not bare.

    ``text`` is the block as a string, ``keys`` are `KEYS`. The ids are appended to ``ids``, and lengths, numbers of boundaries and
    boundaries are written into arrays that have room for as many as half the bytes of the block, and one more.
    """
    end = block.shape[0] if cython.compiled else len(block)
    at = 0
    row = 0
    found = 0
    while at < end:
        if block[at] != 0x7B:
            return -1
        seen = 0
        while True:
            at = _after_spaces(block, at + 1, end)
            if at >= end or block[at] != _QUOTE:
                return -1
            at += 1
            key = 1
            after = _after_key(block, at, end, keys, 0, 3)
            if after < 0:
                key = 2
                after = _after_key(block, at, end, keys, 3, 11)
            if after < 0:
                key = 4
                after = _after_key(block, at, end, keys, 11, 22)
            if after < 0 or seen & key != 0:
                return -1
            seen |= key
            at = _after_spaces(block, after, end)
            if at >= end or block[at] != 0x3A:
                return -1
            at = _after_spaces(block, at + 1, end)
            if key == 1:
                if at >= end or block[at] != _QUOTE:
                    return -1
                after = _after_string(block, at + 1, end)
                if after < 0:
                    return -1
                ids.append(text[at + 1 : after])
                at = after + 1
            elif key == 2:
                at = _number(block, at, end, n_units, row)
            else:
                at = _numbers(block, at, end, pos, found, sizes, row)
            if at < 0:
                return -1
            at = _after_spaces(block, at, end)
            if at >= end:
                return -1
            if block[at] == 0x7D:
                break
            if block[at] != _COMMA:
                return -1
        if seen != _ALL:
            return -1
        found += sizes[row]
        row += 1
        at += 1
        if at < end:
            if block[at] != 0x0A:
                return -1
            at += 1
    return row
