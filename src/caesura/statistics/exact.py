# SPDX-License-Identifier: Apache-2.0
"""Exact sums of float64 numbers, independent of order and partition, rounded once at the end.

A finite float64 is a whole number of 2**-1074, so a sum of them is a whole number too, which Python holds exactly. One compiled
loop adds up scores and counts in two parts; if a value does not fit, another adds up the digits of all values from there on that
have the same power of 2. Without a compiler, NumPy splits a block into a leading
part of about 39 bits, whose sum of up to 16,384 values is exact in float64 whatever the order, and a rest that is split again
until nothing is left: twice for most scores, once for counts.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from caesura.errors import DeclarationError
from caesura.kernels import sums

__all__ = ["ExactSum", "are_whole", "exact_sum", "exact_sums"]

Floats = npt.NDArray[np.float64]

_LOG_BLOCK = 14
_BLOCK = 1 << _LOG_BLOCK
_LEAST = 1074  # all finite float64 are multiples of 2 ** -1074
_LEAST_POWER = _LOG_BLOCK - 1049  # here the last place is 2 ** -1074, the smallest one
_EXACT = 2.0**53  # up to this every whole number is a float64
_HUGE = 2.0**1000  # above this, the constant that rounds a block would overflow


@dataclasses.dataclass(frozen=True)
class ExactSum:
    """The sum of any number of values, unrounded.

    >>> (ExactSum.of([1e16, 1.0]) + ExactSum.of([-1e16])).value
    1.0
    """

    total: int = 0  # of the finite values, in units of 2**-1074
    special: float = 0.0  # the sum of the others: 0 if there are none, else infinite or NaN

    @classmethod
    def of(cls, values: npt.ArrayLike) -> ExactSum:
        """Return the sum of all values of an array."""
        array = np.asarray(values, dtype=np.float64)
        if array.size == 1 and math.isfinite(value := float(array.item())):
            return cls(_whole(value))
        flat = array if array.ndim == 1 else array.ravel()
        if sums.COMPILED:
            return cls._by_parts(flat)
        total, special = 0, 0.0
        for start in range(0, len(flat), _BLOCK):
            block = flat[start : start + _BLOCK]
            most = max(float(block.max()), -float(block.min()))
            if not math.isfinite(most):
                finite = np.isfinite(block)
                with np.errstate(invalid="ignore"):  # infinity minus infinity
                    special += float(block[~finite].sum())
                block = np.where(finite, block, 0.0)
                most = float(np.abs(block).max())
            total += _total(block, most)
        return cls(total, special)

    @classmethod
    def _by_parts(cls, flat: Floats) -> ExactSum:
        """Return the sum of a row of values, most of which are scores or counts."""
        total, some = 0, sums.MOST_TOGETHER
        for start in range(0, len(flat), some):
            parts = np.zeros(2, dtype=np.int64)
            added = sums.add_parts(flat[start : start + some], parts)
            high, low = parts.tolist()
            total += ((high << sums.TRAILING) + low) << (_LEAST - sums.LEADING - sums.TRAILING)
            if added < min(some, len(flat) - start):
                return cls(total) + cls._by_digits(flat[start + added :])
        return cls(total)

    @classmethod
    def _by_digits(cls, flat: Floats) -> ExactSum:
        """Return the sum of an array with the compiled loop."""
        low, high = np.zeros((2, sums.POWERS), dtype=np.int64)
        sums.add_digits(flat.view(np.int64), low, high)
        special = 0.0
        if high[-1] or low[-1]:
            with np.errstate(invalid="ignore"):  # infinity minus infinity
                special = float(flat[~np.isfinite(flat)].sum())
            low[-1] = high[-1] = 0
        powers = np.flatnonzero(low | high)
        each = zip(powers.tolist(), low[powers].tolist(), high[powers].tolist(), strict=True)
        return cls(sum(((b << sums.LOW_BITS) + a) << (power - 1) for power, a, b in each), special)

    def __add__(self, other: ExactSum) -> ExactSum:
        return ExactSum(self.total + other.total, self.special + other.special)

    @property
    def value(self) -> float:
        """The sum, rounded to the nearest float64 as `math.fsum` does; infinite if it is too large."""
        if self.special:  # NaN is true as well
            return self.special
        try:
            return self.total / (1 << _LEAST)
        except OverflowError:
            return math.inf if self.total > 0 else -math.inf

    def __str__(self) -> str:
        """Return the sum without loss: an integer in hexadecimal, and the power of 2 that multiplies it.

        >>> str(ExactSum.of([0.5, 2.0])), ExactSum.parse("5p-1").value
        ('5p-1', 2.5)
        """
        if self.special:
            return str(self.special)
        zeros = (self.total & -self.total).bit_length() - 1 if self.total else _LEAST
        return f"{self.total >> zeros:x}p{zeros - _LEAST}"

    @classmethod
    def parse(cls, text: str) -> ExactSum:
        """Parse the output of `str`."""
        if text in ("inf", "-inf", "nan"):
            return cls(0, float(text))
        digits, _, power = text.partition("p")
        try:
            shift = int(power) + _LEAST
            if not 0 <= shift <= 4096 or len(digits) > 4096:
                raise ValueError(text)
            return cls(int(digits, 16) << shift)
        except ValueError:
            raise DeclarationError(f"{text[:40]!r} is not an exact sum") from None


def exact_sums(rows: Floats) -> list[ExactSum]:
    """Return the sum of each column."""
    if rows.size and are_whole(rows, _EXACT / len(rows)):
        # Whole numbers whose sums stay so small are added without rounding, in any order.
        return [ExactSum(int(total) << _LEAST) for total in np.einsum("ij->j", rows).tolist()]
    return [ExactSum.of(column) for column in rows.T]


def are_whole(values: Floats, limit: float) -> bool:
    """Say whether all values are whole numbers below a limit, of either sign.

    >>> are_whole(np.array([3.0, -2.0]), 4.0), are_whole(np.array([3.0, 0.5]), 4.0), are_whole(np.array([3.0]), 3.0)
    (True, False, False)
    """
    most, least = values.max(initial=0.0), values.min(initial=0.0)
    return bool(most < limit and -least < limit and (values == np.rint(values)).all())


def exact_sum(rows: Floats) -> Floats:
    """Sum over the first axis, exactly, and round once.

    >>> exact_sum(np.array([[1e100, 0.1], [1.0, 0.2], [-1e100, 0.3]])).tolist()
    [1.0, 0.6]
    """
    if rows.ndim == 1:
        return np.asarray(ExactSum.of(rows).value)
    if len(rows) == 1:
        return np.asarray(rows[0] + 0.0)  # zeros have no sign
    return np.array([each.value for each in exact_sums(rows)])


def _total(block: Floats, most: float) -> int:
    """Return the sum of at most one block of values, none above ``most``, in units of 2**-1074."""
    if most >= _HUGE:
        return sum(map(_whole, block.tolist()))
    total, power, rest = 0, math.frexp(most)[1], block
    while rest.any():
        # Adding this rounds every value to a multiple of its last place, coarse enough that sums are exact.
        rounding = math.ldexp(1.5, max(power, _LEAST_POWER) + _LOG_BLOCK - 1)
        leading = rest + rounding
        leading -= rounding
        total += _whole(float(leading.sum()))
        rest = rest - leading
        power -= 53 - _LOG_BLOCK  # the remainder is smaller than the last place
    return total


def _whole(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_LEAST + 1 - denominator.bit_length())
