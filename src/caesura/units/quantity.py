# SPDX-License-Identifier: Apache-2.0
"""Lengths with a unit: ``'10s'``, ``'250ms'``, ``'1.5min'``, ``'40c'`` for characters."""

from __future__ import annotations

import re
from fractions import Fraction

from caesura.errors import MetricError
from caesura.segmentation import CONTINUOUS_UNITS, MOST_UNITS

__all__ = ["check_quantity", "default_tolerance", "needs_distance", "resolve_quantity"]

_QUANTITY = re.compile(r"\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<suffix>ms|s|min|h|c)\s*\Z")
_FACTORS = {
    "ms": ("ms", 1),
    "s": ("ms", 1000),
    "min": ("ms", 60_000),
    "h": ("ms", 3_600_000),
    "c": ("character", 1),
}


def default_tolerance(unit: str) -> int | str:
    """Return how far off a boundary is still near, unless somebody says otherwise: 1 unit, 10 s, or half a line of text.

    The 10 seconds are those of Bouchekif et al.

    >>> default_tolerance("turn"), default_tolerance("ms"), default_tolerance("character")
    (1, '10s', '40c')
    """
    if unit not in CONTINUOUS_UNITS:
        return 1
    return "10s" if unit == "ms" else "40c"


def needs_distance(value: int | str, unit: str, default_limit: int) -> bool:
    """Say whether a plain number means nothing on a unit: it is continuous, and nobody chose the number."""
    return isinstance(value, int) and unit in CONTINUOUS_UNITS and value <= default_limit


def check_quantity(value: object) -> str | None:
    """Return what is wrong with a length given as a string, or None; numbers are accepted."""
    if not isinstance(value, str):
        return None
    if _QUANTITY.match(value) is None:
        return "must be a number of units, or a string such as '10s', '250ms', '2min' or '40c' (characters)"
    return None


def resolve_quantity(
    value: int | str, unit: str, *, owner: str, name: str, default_limit: int | None = None
) -> int:
    """Return a length as a whole number of ``unit``.

    Parameters
    ----------
    value : int or str
        A number of units, or a string with a unit.
    unit : str
        The unit of the segmentations.
    owner, name : str
        The metric and the parameter, for error messages.
    default_limit : int, optional
        On a continuous unit, refuse a plain number up to this one: it is a default that nobody chose, and a distance of
        one millisecond or character is meaningless.

    Examples
    --------
    >>> resolve_quantity("10s", "ms", owner="W-F1", name="tolerance")
    10000
    """
    if isinstance(value, int):
        if default_limit is not None and needs_distance(value, unit, default_limit):
            example = "'10s'" if unit == "ms" else "'40c'"
            raise MetricError(
                f"{owner}: {name}={value} is meaningless on the unit {unit!r}; give a length, such as {name}={example}"
            )
        return value
    match = _QUANTITY.match(value)
    if match is None:
        raise MetricError(f"{owner}: {name} is {value!r}; it {check_quantity(value)}")
    kind, factor = _FACTORS[match["suffix"]]
    if kind != unit:
        raise MetricError(
            f"{owner}: {name}={value!r} is a length in {'time' if kind == 'ms' else 'characters'}, "
            f"but the unit of the segmentations is {unit!r}; give a whole number of units"
        )
    exact = Fraction(match["number"]) * factor
    if exact.denominator != 1:
        raise MetricError(f"{owner}: {name}={value!r} is not a whole number of {unit}; give one that is")
    if exact > MOST_UNITS:
        raise MetricError(
            f"{owner}: {name}={value!r} is longer than any document; at most {MOST_UNITS} {unit} are allowed"
        )
    return int(exact)
