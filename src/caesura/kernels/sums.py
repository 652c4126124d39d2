# SPDX-License-Identifier: Apache-2.0
"""Exact sums of float64 numbers: their digits are added up apart for each power of 2, as whole numbers.

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
Bits = cython.typedef(cython.const[cython.longlong][:])
Cells = cython.typedef(cython.longlong[::1])
i64 = cython.typedef(cython.longlong)

_DIGITS = cython.declare(i64, (1 << 52) - 1)
_LOW = cython.declare(i64, (1 << 26) - 1)


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
