# SPDX-License-Identifier: Apache-2.0
"""Shared parts of TextGrid and ELAN: the choice of a tier, and its labelled intervals."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats._base import Format
from caesura.formats._timed import Chapter

__all__ = ["TierFormat", "labelled"]

_USUAL = ("topics", "topic", "segments", "segment", "chapters", "chapter")


@dataclasses.dataclass(frozen=True)
class TierFormat(Format):
    """A format of tiers with times, one of which holds the segments."""

    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "segment_titles"})

    tier: str | None = param(None, "the tier that holds the segments")

    @property
    def _written_tier(self) -> str:
        return self.tier or _USUAL[0]

    def _choose_tier(self, names: Sequence[str]) -> str:
        """Return the requested tier, the only one, or the one with a usual name."""
        if not names:
            raise FormatError("contains no tier with times; check that it is the right file")
        shown = ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
        if self.tier is not None:
            if names.count(self.tier) > 1:
                what = f"has {names.count(self.tier)} tiers named {self.tier!r}"
                raise FormatError(f"{what}; rename all but one")
            if self.tier in names:
                return self.tier
            raise FormatError(f"has no tier {self.tier!r}; choose from {shown}")
        usual = [name for name in names if name.strip().casefold() in _USUAL]
        if len(names) == 1 or len(usual) == 1:
            return (usual or list(names))[0]
        raise FormatError(f"has the tiers {shown}; choose one with tier='…'")


def labelled(intervals: Sequence[Chapter]) -> list[Chapter]:
    """Return the intervals with a label, or all if none has one."""
    named = [interval for interval in intervals if interval.title.strip()]
    return named or list(intervals)
