# SPDX-License-Identifier: Apache-2.0
"""Projection of boundaries from one unit to another: time, units, characters, and subsets of units.

Two units are never compared silently, so projection is an explicit step that reports its cost: how far boundaries moved,
how many were merged, and how many were dropped at an end of the document.

Conventions
-----------
The position of the gap after unit ``i`` is the start of unit ``i + 1``: a chapter begins with its first word. Times are rounded to
the nearest millisecond. ``rule`` chooses the gap for a boundary that falls between two: the ``"nearest"`` (the later
one if both are as near), the ``"next"`` or the ``"previous"``. No boundary can lie at the very start or end of a
document: a boundary that would, or that is nearer to the start or end than to any gap under ``"nearest"``, is dropped
and counted.
"""

from caesura.units.projection._documents import project, project_corpus
from caesura.units.projection._segmentations import (
    Projection,
    distances,
    project_to_characters,
    project_to_subset,
    project_to_time,
    project_to_units,
    summary,
)

__all__ = [
    "Projection",
    "distances",
    "project",
    "project_corpus",
    "project_to_characters",
    "project_to_subset",
    "project_to_time",
    "project_to_units",
    "summary",
]
