# SPDX-License-Identifier: Apache-2.0
"""Rates from counts and from other printed rates, in per cent as the paper prints them."""

from __future__ import annotations

from caesura_reproductions.base import Value
from caesura_reproductions.printed import Entry

__all__ = ["NO_CORPUS", "harmonic", "harmonic_value", "nearest_count", "share"]

NO_CORPUS = "the shows and the outputs of the systems are not public"
_HALF = 0.05  # half a unit of the last printed digit


def harmonic(recall: float, precision: float) -> float:
    """Return the harmonic mean.

    >>> harmonic(50.0, 100.0)
    66.66666666666667
    """
    return 2 * recall * precision / (recall + precision)


def harmonic_value(row: str, column: str, recall: Entry | float, precision: Entry) -> Value:
    """Return the harmonic mean of two printed rates, and its range within their rounding."""
    a, b = recall if isinstance(recall, float) else recall.number, precision.number
    ours = harmonic(a, b)
    return Value(
        row,
        column,
        ours,
        note=f"harmonic mean of {a:.1f} and {b:.1f}: {ours:.2f}",
        between=(harmonic(a - _HALF, b - _HALF), harmonic(a + _HALF, b + _HALF)),
    )


def share(row: str, column: str, correct: int, total: int) -> Value:
    """Return a share of segments in per cent."""
    ours = 100 * correct / total
    return Value(row, column, ours, note=f"{correct} / {total} = {ours:.2f} %")


def nearest_count(rate: Entry, total: int) -> int:
    """Return the number of segments whose share of a total is closest to a printed rate."""
    return round(rate.number * total / 100)
