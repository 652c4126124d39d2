# SPDX-License-Identifier: Apache-2.0
"""What a file may cost: limits on sizes and counts, all raised by one environment variable, and the memory that was used.

A small file can be made to expand into more than the memory holds, or to keep a parser busy for hours. The limits stop
that early; a file that is refused wrongly is read after ``CAESURA_LIMITS`` is set to a factor for all of them.
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
    "ELEMENTS",
    "LINE",
    "MEMBER",
    "RATIO",
    "RESULTS",
    "VARIABLE",
    "Limit",
    "peak_bytes",
]

VARIABLE = "CAESURA_LIMITS"
"""The environment variable with the factor by which every limit is multiplied."""


class Limit(NamedTuple):
    """The most of something that is read; ``unit`` is what is counted, in the plural."""

    usual: int
    unit: str

    @property
    def value(self) -> int:
        """The limit, multiplied by the factor that the environment gives."""
        return math.ceil(self.usual * _factor())

    def __str__(self) -> str:
        return _shown(self.value, self.unit)

    def refusal(self, what: str) -> str:
        """Return a message that ends with the limit and the way to raise it."""
        return (
            f"{what} {self}, the limit; if you trust the file, set {VARIABLE}={2 * _factor():g} to double it"
        )


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
"""How far a compressed file may expand, beyond the allowance."""

ALLOWANCE = Limit(1 << 24, "bytes")
"""What a compressed file may hold however small it is."""

ELEMENTS = Limit(1_000_000, "elements")
"""The elements of an XML file."""

ATTRIBUTES = Limit(1_000, "attributes")
"""The attributes of an XML element."""

DEPTH = Limit(100, "levels")
"""How deeply the elements of an XML file may be nested."""


def peak_bytes() -> int | None:
    """Return the most memory that this process has held; None where the system does not tell."""
    try:
        with Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
            # Unlike ru_maxrss this starts anew with the program, whoever called it.
            return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # pragma: no cover - Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
