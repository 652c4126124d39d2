# SPDX-License-Identifier: Apache-2.0
"""Shared parts of TextGrid and ELAN: the choice of a tier, and labelled intervals as chapters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from caesura.errors import FormatError
from caesura.formats._timed import Chapter

__all__ = ["TIER", "choose_tier", "labelled"]

TIER = "topics"
"""The name of the tier in written files."""

_USUAL = ("topics", "topic", "segments", "segment", "chapters", "chapter")


def choose_tier(names: Sequence[str], wanted: str | None, path: Path) -> str:
    """Return the requested tier, the only one, or the one with a usual name."""
    if not names:
        raise FormatError("contains no tier with times; check that it is the right file", path)
    if wanted is not None:
        if names.count(wanted) > 1:
            raise FormatError(f"has {names.count(wanted)} tiers called {wanted!r}; rename all but one", path)
        if wanted in names:
            return wanted
        raise FormatError(f"has no tier {wanted!r}; choose from {_listed(names)}", path)
    usual = [name for name in names if name.strip().casefold() in _USUAL]
    if len(names) == 1 or len(usual) == 1:
        return (usual or list(names))[0]
    raise FormatError(f"has the tiers {_listed(names)}; choose one with tier='…'", path)


def labelled(intervals: Sequence[Chapter]) -> list[Chapter]:
    """Return the intervals with a label, or all if none has one."""
    named = [interval for interval in intervals if interval.title.strip()]
    return named or list(intervals)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
