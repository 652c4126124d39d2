# SPDX-License-Identifier: Apache-2.0
"""Random gaps of many documents: the same as NumPy draws, without an object or a sort per document.

The stream is PCG64 (O'Neill 2014), of which 32 bits are taken at a time: one for each document (`choose_gaps`, `shuffle_runs`,
`move_boundaries`), or one for all of them (`place_gaps`). ``seeds`` are four words for each document, from which NumPy seeds
PCG64; ``state`` has room for six words.
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

COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Seeds = cython.typedef(cython.const[cython.ulonglong][:, ::1])
Words = cython.typedef(cython.ulonglong[::1])
Marks = cython.typedef(cython.uchar[::1])
i64 = cython.typedef(cython.longlong)
u64 = cython.typedef(cython.ulonglong)

# Uncompiled, the masks cut numbers to the 64 or 32 bits that they have in C.
_ALL = cython.declare(u64, 0xFFFFFFFFFFFFFFFF)
_HALF = cython.declare(u64, 0xFFFFFFFF)
_ONE = cython.declare(u64, 1)
_SHORT = cython.declare(i64, 64)  # gaps of a document that are the bits of one word
_HIGH = cython.declare(u64, 0x2360ED051FC65DA4)  # the multiplier of PCG64
_LOW = cython.declare(u64, 0x4385DF649FCCF645)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(first=u64, second=u64, third=u64, middle=u64)
def _upper(a: u64, b: u64) -> u64:
    """Return the upper 64 bits of a product of two numbers of 64 bits."""
    first = ((a & _HALF) * (b & _HALF)) & _ALL
    second = ((a >> 32) * (b & _HALF)) & _ALL
    third = ((a & _HALF) * (b >> 32)) & _ALL
    middle = ((first >> 32) + (second & _HALF) + third) & _ALL
    return ((a >> 32) * (b >> 32) + (second >> 32) + (middle >> 32)) & _ALL


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(high=u64, low=u64, result=u64)
def _step(state: Words) -> cython.void:
    """Multiply the state of 128 bits, words 0 and 1, and add the increment, words 2 and 3."""
    high = (_upper(state[1], _LOW) + state[0] * _LOW + state[1] * _HIGH) & _ALL
    low = (state[1] * _LOW) & _ALL
    result = (low + state[3]) & _ALL
    state[0] = (high + state[2] + (1 if result < low else 0)) & _ALL
    state[1] = result


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(value=u64, turn=u64)
def _next(state: Words) -> u64:
    """Return the next 32 bits; word 4 keeps the other half of the last 64, and word 5 says whether it is still to be used."""
    if state[5] == 1:
        state[5] = 0
        return state[4]
    _step(state)
    value = state[0] ^ state[1]
    turn = state[0] >> 58
    value = ((value >> turn) | (value << ((64 - turn) & 63))) & _ALL
    state[4] = value >> 32
    state[5] = 1
    return value & _HALF


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(number=u64, product=u64, least=u64)
def _below(state: Words, number: u64) -> u64:
    """Return a number from 0 to ``number`` less 1, each equally likely (Lemire 2019)."""
    if number <= 1:
        return 0
    product = (_next(state) * number) & _ALL
    if (product & _HALF) < number:
        least = (_HALF + 1 - number) % number
        while (product & _HALF) < least:
            product = (_next(state) * number) & _ALL
    return product >> 32


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(low=u64)
def _begin(state: Words, seeds: Seeds, row: i64) -> cython.void:
    """Begin the stream of a document."""
    state[2] = ((seeds[row, 2] << 1) | (seeds[row, 3] >> 63)) & _ALL
    state[3] = ((seeds[row, 3] << 1) | 1) & _ALL
    # From a state of 0 the first step leads to the increment; then the seed is added, and another step made.
    low = (state[3] + seeds[row, 1]) & _ALL
    state[0] = (state[2] + seeds[row, 0] + (1 if low < seeds[row, 1] else 0)) & _ALL
    state[1] = low
    state[5] = 0
    _step(state)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(place=i64, other=i64, held=i64, mask=i64)
def _shuffle(state: Words, values: Cells, begin: i64, size: i64) -> cython.void:
    """Shuffle a run of values: each, from the last to the second, changes places with one up to itself.

    Its place is made of as many bits as the largest has, and drawn again if it is beyond.
    """
    mask = 1
    while mask < size - 1:
        mask = 2 * mask + 1
    for place in range(size - 1, 0, -1):
        while mask >> 1 >= place:
            mask >>= 1
        other = _next(state) & mask
        while other > place:
            other = _next(state) & mask
        other += begin
        held = values[other]
        values[other] = values[begin + place]
        values[begin + place] = held


@cython.locals(row=i64, j=i64, gap=i64, place=i64)
def choose_gaps(seeds: Seeds, gaps: Ints, ptr: Ints, pos: Cells, chosen: Cells, state: Words):
    """Write the chosen gaps of each document, increasing and counted from 1, into ``pos`` from ``ptr`` on.

    They are chosen as Floyd does (Bentley and Floyd 1987): for j from the number of gaps less the number chosen, a number from 0
    to j, or j if that was chosen before. ``chosen`` has a cell for each gap of the longest document, all 0, and is left so.
    """
    with cython.nogil:
        for row in range((gaps.shape[0] if cython.compiled else len(gaps))):
            _begin(state, seeds, row)
            for j in range(gaps[row] - (ptr[row + 1] - ptr[row]), gaps[row]):
                gap = _below(state, j + 1)
                chosen[j if chosen[gap] == 1 else gap] = 1
            place = ptr[row]
            gap = 0
            while place < ptr[row + 1]:
                pos[place] = gap + 1
                place += chosen[gap]
                chosen[gap] = 0
                gap += 1


@cython.locals(row=i64)
def shuffle_runs(seeds: Seeds, ptr: Ints, values: Cells, state: Words):
    """Shuffle the values of each document, which lie from ``ptr`` on."""
    with cython.nogil:
        for row in range((ptr.shape[0] if cython.compiled else len(ptr)) - 1):
            _begin(state, seeds, row)
            _shuffle(state, values, ptr[row], ptr[row + 1] - ptr[row])


@cython.locals(row=i64, first=i64, size=i64, place=i64, gap=i64, step=i64, left=i64)
def move_boundaries(
    seeds: Seeds, n_units: Ints, ptr: Ints, pos: Ints, distance: i64, out: Cells, steps: Cells, order: Cells, taken: Marks, state: Words
):
    """Write the boundaries of each document into ``out`` after every one that can be moved has moved.

    A coin for each says whether it tries to go right or left first, then a shuffled order when its turn is. None goes past an end,
    or where another is. ``steps`` and ``order`` have a cell for each boundary of a document, ``taken`` one for each unit, all 0,
    and left so.
    """
    with cython.nogil:
        for row in range((n_units.shape[0] if cython.compiled else len(n_units))):
            _begin(state, seeds, row)
            first = ptr[row]
            size = ptr[row + 1] - first
            for place in range(size):
                steps[place] = distance if _below(state, 2) == 1 else -distance
                order[place] = place
                taken[pos[first + place]] = 1
            _shuffle(state, order, 0, size)
            for place in range(size):
                gap = pos[first + order[place]]
                step = steps[order[place]]
                if not (1 <= gap + step < n_units[row] and taken[gap + step] == 0):
                    step = -step
                if 1 <= gap + step < n_units[row] and taken[gap + step] == 0:
                    taken[gap] = 0
                    taken[gap + step] = 1
            left = size
            gap = 1
            while left > 0:
                out[first + size - left] = gap
                left -= taken[gap]
                taken[gap] = 0
                gap += 1


@cython.locals(
    row=i64, gap=i64, place=i64, first=i64, last=i64, times=i64, _=i64, waiting=i64, still=i64, chosen=i64, word=u64, bit=u64,
)
def place_gaps(
    gaps: Ints, drawn: Ints, base: Ints, ptr: Ints, spread: i64, state: Words, marks: Marks, words: Words, again: Cells,
    pos: Cells,
):
    """Write random gaps of each document, increasing and counted from 1, into ``pos`` from ``ptr`` on.

    As many as ``drawn`` are marked, and a gap that is marked already is drawn again when all documents have had their turn.
    The marked ones are written or, of a document with more boundaries than that, the others; ``spread`` gaps are left out
    after each. Up to 64 gaps are marked by the bits of the document's word; ``base`` is where the marks of other documents begin,
    all 0. ``again`` has a cell more than gaps are drawn.
    """
    with cython.nogil:
        waiting = 0
        for row in range((gaps.shape[0] if cython.compiled else len(gaps))):
            if gaps[row] <= _SHORT:
                word = 0
                for _ in range(drawn[row]):
                    bit = _ONE << _below(state, gaps[row])
                    again[waiting] = row
                    waiting += (word & bit) != 0
                    word |= bit
                words[row] = word
            else:
                for _ in range(drawn[row]):
                    place = base[row] + _below(state, gaps[row])
                    again[waiting] = row
                    waiting += marks[place]
                    marks[place] = 1
        while waiting > 0:
            still = 0
            for times in range(waiting):
                row = again[times]
                again[still] = row
                if gaps[row] <= _SHORT:
                    bit = _ONE << _below(state, gaps[row])
                    still += (words[row] & bit) != 0
                    words[row] |= bit
                else:
                    place = base[row] + _below(state, gaps[row])
                    still += marks[place]
                    marks[place] = 1
            waiting = still
        for row in range((gaps.shape[0] if cython.compiled else len(gaps))):
            first = ptr[row]
            last = ptr[row + 1]
            chosen = 1 if drawn[row] == last - first else 0
            place = first
            if gaps[row] <= _SHORT:
                word = words[row] if chosen == 1 else words[row] ^ _ALL
                while place < last:
                    bit = word & (_ALL - word + 1)
                    pos[place] = _ones(bit - 1) + 1 + spread * (place - first)
                    word ^= bit
                    place += 1
                continue
            gap = 0
            while place < last:
                pos[place] = gap + 1 + spread * (place - first)
                place += marks[base[row] + gap] == chosen
                gap += 1
