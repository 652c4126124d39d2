# SPDX-License-Identifier: Apache-2.0
"""Lengths with a unit: ``'10s'``, ``'250ms'``, ``'1.5min'``, ``'40c'`` for characters."""

from __future__ import annotations

import re
from fractions import Fraction

from caesura.errors import MetricError
from caesura.segmentation import CONTINUOUS_UNITS, MOST_UNITS

__all__ = [
    "as_clock",
    "as_time",
    "check_quantity",
    "default_tolerance",
    "duration_in_ms",
    "needs_distance",
    "resolve_quantity",
]

_QUANTITY = re.compile(r"\s*(?P<number>\d{1,18}(?:\.\d{1,18})?)\s*(?P<suffix>ms|s|min|h|c)\s*\Z")
_CLOCK = re.compile(r"\s*(?:(?P<h>\d{1,4}):)?(?P<m>\d{1,2}):(?P<s>[0-5]\d(?:\.\d{1,3})?)\s*\Z")
_FACTORS = {"ms": ("ms", 1), "s": ("ms", 1000), "min": ("ms", 60_000), "h": ("ms", 3_600_000), "c": ("character", 1)}


def as_clock(ms: int) -> str:
    """Return a time in hours, minutes and seconds, with a fraction only if there is one.

    >>> as_clock(3_723_000), as_clock(62_500), as_clock(0)
    ('1:02:03', '0:01:02.5', '0:00:00')
    """
    seconds, fraction = divmod(ms, 1000)
    rest = f".{fraction:03d}".rstrip("0").rstrip(".")
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{rest}"


def as_time(seconds: float) -> str:
    """Return a time as people write it, with hours only if there are some, and at most one decimal.

    >>> as_time(46), as_time(732.25), as_time(3723), as_time(59.99)
    ('0:46', '12:12.3', '1:02:03', '1:00')
    """
    tenths = round(10 * seconds + 1e-6)  # 732.25 s, which a float may hold as a little less, is rounded up
    hours, minutes, rest = tenths // 36_000, tenths // 600 % 60, tenths % 600
    clock = f"{rest // 10:02d}" + (f".{rest % 10}" if rest % 10 else "")
    return f"{hours}:{minutes:02d}:{clock}" if hours else f"{minutes}:{clock}"


def duration_in_ms(text: str) -> int:
    """Return a duration such as ``'1:02:30'`` or ``'90min'`` in milliseconds.

    >>> duration_in_ms("1:02:30"), duration_in_ms("2:05.5"), duration_in_ms("90min")
    (3750000, 125500, 5400000)
    """
    match = _CLOCK.match(text) if isinstance(text, str) else None  # type: ignore[redundant-expr]
    if match is not None and (match["h"] is None or int(match["m"]) < 60):
        minutes = int(match["h"] or 0) * 60 + int(match["m"])
        length = minutes * 60_000 + int(Fraction(match["s"]) * 1000)
    elif isinstance(text, str) and _QUANTITY.match(text):  # type: ignore[redundant-expr]
        length = resolve_quantity(text, "ms", owner="duration", name="duration")
    else:
        raise MetricError(f"duration is {text!r}; write a time such as '1:02:30' or '90min'")
    if length < 1:
        raise MetricError(f"duration is {text!r}; it must be longer than zero")
    return length


def default_tolerance(unit: str) -> int | str:
    """Return the default tolerance of near misses: 1 unit, 10 s, or half a line of text.

    The 10 seconds follow Bouchekif et al.

    >>> default_tolerance("turn"), default_tolerance("ms"), default_tolerance("character")
    (1, '10s', '40c')
    """
    if unit not in CONTINUOUS_UNITS:
        return 1
    return "10s" if unit == "ms" else "40c"


def needs_distance(value: int | str, unit: str, default_limit: int) -> bool:
    """Return whether a plain number is meaningless on a unit: on time always, on characters if it is a default."""
    return isinstance(value, int) and (unit == "ms" or (unit in CONTINUOUS_UNITS and value <= default_limit))


def check_quantity(value: object) -> str | None:
    """Return what is wrong with a length given as a string, or None; numbers are accepted."""
    if not isinstance(value, str):
        return None
    if _QUANTITY.match(value) is None:
        return "must be a number of units, or a string such as '10s', '250ms', '2min' or '40c' (characters)"
    return None


def resolve_quantity(value: int | str, unit: str, *, owner: str, name: str, default_limit: int = -1) -> int:
    """Return a length, a number or a string with a unit, as a whole number of ``unit``.

    On characters, a plain number up to ``default_limit`` is refused: it is a default, not a choice, and a distance of one
    character is meaningless. On time every plain number is refused, because it would count milliseconds. Errors name the metric
    (``owner``) and its parameter.

    >>> resolve_quantity("10s", "ms", owner="W-F1", name="tolerance")
    10000
    """
    if isinstance(value, int):
        if needs_distance(value, unit, default_limit):
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
        raise MetricError(f"{owner}: {name}={value!r} is not a whole number of {unit}; give a whole number")
    if exact > MOST_UNITS:
        raise MetricError(
            f"{owner}: {name}={value!r} is longer than any document; at most {MOST_UNITS} {unit} are allowed"
        )
    return int(exact)
