# SPDX-License-Identifier: Apache-2.0
"""Plain lines of JSON, which hold a segmented document each, read in one pass over the bytes; and whether ids are repeated.

A document has an id, boundaries and n_units or units, and perhaps a unit, speakers and scores. Strings and scores of units and gaps are
checked and counted, and left where they are. Only plain spelling is read: no escape in id and unit, whole numbers of at most fifteen
digits, no white space but spaces, one document in each line. Any other line is left to the reader that knows all of JSON, which also
finds the faults.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
Bytes = cython.typedef(cython.const[cython.uchar][::1])
Letters = cython.typedef(cython.uchar[::1])
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Words = cython.typedef(cython.uint[::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

_ALL = cython.declare(u64, 0xFFFFFFFFFFFFFFFF)  # uncompiled, it cuts numbers to 64 bits
_OFFSET = cython.declare(u64, 0xCBF29CE484222325)  # of FNV-1a
_PRIME = cython.declare(u64, 0x100000001B3)  # of FNV-1a
_SPREAD = cython.declare(u64, 0xFF51AFD7ED558CCD)
_SPACE = cython.declare(i64, 0x20)
_QUOTE = cython.declare(i64, 0x22)
_COMMA = cython.declare(i64, 0x2C)
_ZERO = cython.declare(i64, 0x30)
_NINE = cython.declare(i64, 0x39)
_BACKSLASH = cython.declare(i64, 0x5C)

# No two keys are equally long, so a key is known by its length; each stands in a row of its own, which no other text equals.
_ROW = cython.declare(i64, 11)
_ID = cython.declare(i64, 2)
_UNIT = cython.declare(i64, 4)
_UNITS = cython.declare(i64, 5)
_SCORES = cython.declare(i64, 6)
_N_UNITS = cython.declare(i64, 7)
_SPEAKERS = cython.declare(i64, 8)
_BOUNDARIES = cython.declare(i64, 10)
TALLY = 11
KEYS = b"".join(
    key.ljust(11, b'"') for key in b"  id  unit units scores n_units speakers  boundaries".split(b" ")
)


@cython.cfunc
@cython.exceptval(check=False)
def _after_spaces(block: Bytes, at: i64, end: i64) -> i64:
    """Return the next place that holds no space."""
    while at < end and block[at] == _SPACE:
        at += 1
    return at


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(size=i64, place=i64)
def _key(block: Bytes, at: i64, end: i64, keys: Bytes) -> i64:
    """Return the length of the key that stands here, or 0 if it is not known."""
    size = 0
    while at + size < end and block[at + size] != _QUOTE:
        size += 1
        if size == _ROW:
            return 0
    if at + size >= end:
        return 0
    for place in range(size):
        if block[at + place] != keys[_ROW * size + place]:
            return 0
    return size


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(first=i64)
def _after_digits(block: Bytes, at: i64, end: i64, most: i64) -> i64:
    """Return the place after one to ``most`` digits, or -1 if there are none or more."""
    first = at
    while at < end and _ZERO <= block[at] <= _NINE:
        at += 1
    return at if 0 < at - first <= most else -1


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(after=i64, place=i64, value=i64)
def _number(block: Bytes, at: i64, end: i64, out: Cells, cell: i64) -> i64:
    """Write a whole number, and return the place after it, or -1 if none stands there."""
    after = _after_digits(block, at, end, 15)
    if after > at + 1 and block[at] == _ZERO:
        return -1
    value = 0
    for place in range(at, after):
        value = 10 * value + block[place] - _ZERO
    if after > 0:
        out[cell] = value
    return after


@cython.cfunc
@cython.exceptval(check=False)
def _score(block: Bytes, at: i64, end: i64, out: Cells, cell: i64) -> i64:
    """Return the place after a number that every float can hold, or -1 if none stands there; the cell is written over."""
    at = _number(block, at + 1 if at < end and block[at] == 0x2D else at, end, out, cell)
    if 0 < at < end and block[at] == 0x2E:
        at = _after_digits(block, at + 1, end, 30)
    if 0 < at < end and block[at] | 0x20 == 0x65:
        at += 1
        if at < end and block[at] in (0x2B, 0x2D):
            at += 1
        at = _after_digits(block, at, end, 2)
    return at


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(place=i64, letter=i64, value=i64)
def _escaped(block: Bytes, at: i64, end: i64) -> i64:
    """Return the number that a backslash, a u and four hexadecimal digits spell, or -1 if they do not stand here."""
    if end - at < 6 or block[at] != _BACKSLASH or block[at + 1] != 0x75:
        return -1
    value = 0
    for place in range(at + 2, at + 6):
        letter = block[place] | 0x20
        if _ZERO <= block[place] <= _NINE:
            value = 16 * value + letter - _ZERO
        elif 0x61 <= letter <= 0x66:
            value = 16 * value + letter - 0x57
        else:
            return -1
    return value


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(letter=i64, value=i64)
def _after_escape(block: Bytes, at: i64, end: i64) -> i64:
    """Return the place after an escape, or after two that stand for one character, or -1 if it means nothing."""
    letter = block[at + 1] if at + 1 < end else 0
    if letter in (0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74):
        return at + 2
    value = _escaped(block, at, end)
    if value < 0xD800 or value > 0xDFFF:
        return at + 6 if value >= 0 else -1
    # The first half of a pair, which the second must follow.
    return at + 12 if value <= 0xDBFF and 0xDC00 <= _escaped(block, at + 6, end) <= 0xDFFF else -1


@cython.cfunc
@cython.exceptval(check=False)
def _after_string(block: Bytes, at: i64, end: i64, escapes: i64) -> i64:
    """Return the place after a string and its closing quote, or -1 if it does not end or may have no ``escapes`` but has one."""
    if at >= end or block[at] != _QUOTE:
        return -1
    at += 1
    while at < end and block[at] != _QUOTE:
        if block[at] < _SPACE:
            return -1
        if block[at] == _BACKSLASH:
            at = _after_escape(block, at, end) if escapes else -1
            if at < 0:
                return -1
        else:
            at += 1
    return at + 1 if at < end else -1


@cython.cfunc
@cython.exceptval(check=False)
@cython.locals(count=i64)
def _list(block: Bytes, at: i64, end: i64, key: i64, tally: Cells, out: Cells, place: i64) -> i64:
    """Read a list, count what it holds and write boundaries; return the place after it, or -1 if none stands there."""
    count = 0
    if at >= end or block[at] != 0x5B:
        return -1
    at = _after_spaces(block, at + 1, end)
    while at < end and (count > 0 or block[at] != 0x5D):
        if key == _BOUNDARIES:
            at = _number(block, at, end, out, place + count)
        elif key == _SCORES:
            at = _score(block, at, end, tally, key)
        else:
            at = _after_string(block, at, end, 1)
        if at < 0:
            return -1
        count += 1
        at = _after_spaces(block, at, end)
        if at >= end or block[at] != _COMMA:
            break
        at = _after_spaces(block, at + 1, end)
    if at >= end or block[at] != 0x5D:
        return -1
    tally[key] = count
    return at + 1


@cython.locals(at=i64, end=i64, row=i64, found=i64, written=i64, length=i64, rich=i64, key=i64, first=i64, place=i64)
def scan_lines(
    block: Bytes, text: bytes, keys: Bytes, named: list, ids: Letters, id_sizes: Cells, n_units: Cells, sizes: Cells, pos: Cells,
    tally: Cells,
) -> i64:
    """Read the documents of a block of whole lines in UTF-8, and return how many there are, or -1 if a line is not plain.

    ``text`` is the block itself, ``keys`` are `KEYS`. Units are appended to ``named``. The bytes of ids are written one after the other into
    ``ids``, as large as the block. Their numbers, lengths, numbers of boundaries and boundaries are written into arrays with room for one
    more than half the bytes of the block. ``tally`` has room for eleven numbers; the first says afterwards whether a document has
    units, speakers or scores.
    """
    end = block.shape[0] if cython.compiled else len(block)
    at = 0
    row = 0
    found = 0
    written = 0
    rich = 0
    while at < end:
        if block[at] != 0x7B:
            return -1
        for key in range(1, _ROW):
            tally[key] = -1
        while True:
            at = _after_spaces(block, at + 1, end)
            if at >= end or block[at] != _QUOTE:
                return -1
            key = _key(block, at + 1, end, keys)
            if key == 0 or tally[key] >= 0:
                return -1
            at = _after_spaces(block, at + key + 2, end)
            if at >= end or block[at] != 0x3A:
                return -1
            at = _after_spaces(block, at + 1, end)
            if key in (_ID, _UNIT):
                first = at + 1
                at = _after_string(block, at, end, 0)
                if at < 0 or (key == _UNIT and at == first + 1):
                    return -1
                tally[key] = at - 1 - first
                if key == _UNIT:
                    named.append(text[first : at - 1])
                else:
                    for place in range(first, at - 1):
                        ids[written] = block[place]
                        written += 1
            elif key == _N_UNITS:
                at = _number(block, at, end, tally, key)
            else:
                at = _list(block, at, end, key, tally, pos, found)
            if at < 0:
                return -1
            at = _after_spaces(block, at, end)
            if at >= end or block[at] != _COMMA:
                break
        if at >= end or block[at] != 0x7D:
            return -1
        length = tally[_N_UNITS] if tally[_N_UNITS] >= 0 else tally[_UNITS]
        if length < 0 or tally[_ID] < 0 or tally[_BOUNDARIES] < 0:
            return -1
        for key in range(_UNITS, _BOUNDARIES):
            if tally[key] >= 0 and tally[key] != (length - 1 if key == _SCORES else length):
                return -1
        if tally[_UNITS] >= 0 or tally[_SPEAKERS] >= 0 or tally[_SCORES] >= 0:
            rich = 1
        id_sizes[row] = tally[_ID]
        n_units[row] = length
        sizes[row] = tally[_BOUNDARIES]
        found += sizes[row]
        row += 1
        if at + 1 < end and block[at + 1] != 0x0A:
            return -1
        at += 2
    tally[0] = rich
    return row


@cython.locals(row=i64, place=i64, tries=i64, code=u64, last=u64, slot=u64)
def hashes_differ(text: Bytes, starts: Ints, table: Words) -> i64:
    """Return 1 if no two slices of a text are equal, and 0 if they may be.

    ``table`` is zero, and its size a power of 2 and at least twice the number of slices. Slices made to collide end the search.
    """
    last = (table.shape[0] if cython.compiled else len(table)) - 1
    for row in range((starts.shape[0] if cython.compiled else len(starts)) - 1):
        code = _OFFSET
        for place in range(starts[row], starts[row + 1]):
            code = ((code ^ text[place]) * _PRIME) & _ALL
        code = ((code ^ (code >> 33)) * _SPREAD) & _ALL  # so that similar slices lie far apart
        slot = code & last
        code = (code >> 32) | 1  # 0 is an empty slot
        tries = 0
        while table[slot] != 0:
            tries += 1
            if table[slot] == code or tries == 99:
                return 0
            slot = (slot + 1) & last
        table[slot] = code
    return 1


@cython.locals(row=i64, first=i64, start=i64, end=i64)
def slices(text: str, starts: Ints) -> list:
    """Return the slices of a text from each start to the next; the first start is that of the text."""
    found: list = []
    first = start = starts[0]
    for row in range(1, starts.shape[0] if cython.compiled else len(starts)):
        end = starts[row]
        found.append(text[start - first : end - first])
        start = end
    return found
