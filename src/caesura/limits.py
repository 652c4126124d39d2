# SPDX-License-Identifier: Apache-2.0
"""Limits on the size and content of files, all scaled by one environment variable, and the peak memory.

A small file can be crafted to expand beyond the memory, or to keep a parser busy for hours. The limits stop that early.
To read a file that is refused wrongly, set ``CAESURA_LIMITS`` to a factor for all limits.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import NamedTuple

from caesura.errors import DeclarationError

__all__ = [
    "ALLOWANCE",
    "ATTRIBUTES",
    "CONTENT",
    "DEPTH",
    "EACH",
    "ELEMENTS",
    "LINE",
    "MEMBER",
    "RATIO",
    "RESULTS",
    "UNITS",
    "VARIABLE",
    "Limit",
    "are_too_many",
    "check_units",
    "peak_bytes",
]

VARIABLE = "CAESURA_LIMITS"
"""The environment variable with the factor by which every limit is multiplied."""


class Limit(NamedTuple):
    """The maximum amount that is read; ``unit`` is the plural noun for what is counted."""

    usual: int
    unit: str

    @property
    def value(self) -> int:
        """The limit, multiplied by the factor of the environment."""
        return math.ceil(self.usual * _factor())

    def __str__(self) -> str:
        return _shown(self.value, self.unit)

    def refusal(self, what: str) -> str:
        """Return a message that ends with the limit and how to raise it."""
        return f"{what} {self}, the limit; if you trust the file, set {VARIABLE}={2 * _factor():g} to double it"


def _factor() -> float:
    text = os.environ.get(VARIABLE, "")
    try:
        factor = float(text or 1)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= 1e6:
        raise DeclarationError(f"{VARIABLE} is {text!r}; write a factor for all limits, such as 2")
    return factor


def _shown(value: int, unit: str) -> str:
    if unit != "bytes":
        return f"{value:,} {unit}"
    for shift, name in ((30, "GiB"), (20, "MiB")):
        if value >= 1 << shift:
            return f"{value / (1 << shift):.4g} {name}"
    return f"{value:,} bytes"


CONTENT = Limit(1 << 30, "bytes")
"""The content of a file that is read as a whole, decompressed."""

LINE = Limit(1 << 28, "bytes")
"""A line of a file that is read line by line."""

MEMBER = Limit(1 << 28, "bytes")
"""A file in a zip archive, decompressed."""

RESULTS = Limit(1 << 31, "bytes")
"""A results file."""

RATIO = Limit(100, "times its size")
"""The maximum expansion of a compressed file beyond the allowance."""

ALLOWANCE = Limit(1 << 24, "bytes")
"""The decompressed size that every compressed file may have, however small it is."""

ELEMENTS = Limit(1_000_000, "elements")
"""The number of elements of an XML file."""

ATTRIBUTES = Limit(1_000, "attributes")
"""The number of attributes of an XML element."""

DEPTH = Limit(100, "levels")
"""The nesting depth of the elements of an XML file."""

UNITS = Limit(10_000_000, "units")
"""The units, of all documents together, for each of which something is made that the file does not hold."""

EACH = Limit(1_000, "units")
"""The units that each document may have in any case, however many documents there are."""


def are_too_many(units: int, documents: int) -> bool:
    """Return whether documents have too many units to make something for each: a large number costs its sender nothing."""
    return units > max(UNITS.value, documents * EACH.value)


def check_units(units: int, documents: int, who: str) -> None:
    """Refuse to make something for each unit if there are too many."""
    if are_too_many(units, documents):
        raise DeclarationError(UNITS.refusal(f"{who} takes memory for each of {units:,} units, more than"))


def peak_bytes() -> int | None:
    """Return the peak memory of this process, or None if the system does not report it."""
    try:
        with Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
            # Unlike ru_maxrss, VmHWM does not include the peak of the parent process.
            return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
