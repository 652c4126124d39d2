# SPDX-License-Identifier: Apache-2.0
"""Exact sums of float64 numbers, as whole numbers: of scores and counts in two parts, of any others for each power of 2 apart.

Callers without a compiler do the same with NumPy.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

COMPILED = cython.compiled
POWERS = 2048
LOW_BITS = 26
LEADING = 31  # places behind the point of the first part of a score or count
TRAILING = 41  # and of the second, behind those
MOST_TOGETHER = 1 << 19  # of those values; their sum fits 64 bits with a sign
Bits = cython.typedef(cython.const[cython.longlong][:])
Cells = cython.typedef(cython.longlong[::1])
Values = cython.typedef(cython.const[cython.double][:])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)

_DIGITS = cython.declare(i64, (1 << 52) - 1)
_LOW = cython.declare(i64, (1 << 26) - 1)
_LARGEST = cython.declare(f64, 4096.0)
_LEAD = cython.declare(f64, 2.0**31)
_TRAIL = cython.declare(f64, 2.0**41)


@cython.locals(place=i64, value=f64, leading=i64, trailing=i64, high=i64, low=i64)
def add_parts(values: Values, parts: Cells):
    """Add values to two cells until one does not fit, and return how many were added; at most `MOST_TOGETHER` are given.

    The first cell counts in units of 2 ** -31, the second in units of 2 ** -72. A value fits if it is not above 4,096 and needs no
    finer unit: every whole number does, and every fraction that is not below 2 ** -20.
    """
    high = low = 0
    place = 0
    with cython.nogil:
        while place < (values.shape[0] if cython.compiled else len(values)):
            value = values[place]
            if not -_LARGEST <= value <= _LARGEST:
                break
            value *= _LEAD
            leading = cython.cast(i64, value) if cython.compiled else int(value)
            value = (value - leading) * _TRAIL
            trailing = cython.cast(i64, value) if cython.compiled else int(value)
            if trailing != value:
                break
            high += leading
            low += trailing
            place += 1
    parts[0] += high
    parts[1] += low
    return place


@cython.locals(place=i64, bits=i64, power=i64, digits=i64)
def add_digits(values: Bits, low: Cells, high: Cells):
    """Add the digits of each value to the cells of its power: the last 26 bits to ``low``, the others to ``high``.

    ``values`` are the bits of float64 numbers. Cell p counts in units of 2 ** (p - 1075), those of ``high`` 2 ** 26 times that;
    the last cells are not 0 if there are infinities or NaN, of either sign. Up to 2 ** 36 values fit.
    """
    with cython.nogil:
        for place in range((values.shape[0] if cython.compiled else len(values))):
            bits = values[place]
            power = (bits >> 52) & 2047
            digits = bits & _DIGITS
            if power > 0:
                digits |= _DIGITS + 1
            else:
                power = 1
            if bits < 0 and power < 2047:
                digits = -digits
            low[power] += digits & _LOW
            high[power] += digits >> 26
