# SPDX-License-Identifier: Apache-2.0
"""Length classes: segments shorter than a cut, and the others (Bouchekif et al., Table 2)."""

from __future__ import annotations

from typing import Protocol

from caesura.errors import MetricError
from caesura.units.quantity import resolve_quantity

LENGTHS = ("all", "short", "long")
_ENDLESS = 2**62


class _HasLengthClass(Protocol):
    @property
    def length(self) -> str: ...
    @property
    def cut(self) -> int | str | None: ...
    @classmethod
    def name(cls) -> str: ...


def length_class(metric: _HasLengthClass, unit: str) -> tuple[int, int]:
    """Return the lengths that count as a half-open range: short is below the cut, long is from the cut on."""
    if (metric.length == "all") != (metric.cut is None):
        raise MetricError(
            f"{metric.name()}: length={metric.length!r} with cut={metric.cut!r}; "
            "a length class needs both, such as length='short', cut=30"
        )
    if metric.cut is None:
        return 0, _ENDLESS
    cut = resolve_quantity(metric.cut, unit, owner=metric.name(), name="cut")
    if cut < 1:
        raise MetricError(
            f"{metric.name()}: cut={metric.cut!r} makes no short segment; it must be at least one {unit}"
        )
    return (0, cut) if metric.length == "short" else (cut, _ENDLESS)
