# SPDX-License-Identifier: Apache-2.0
"""Figure 3: the support of boundaries by annotators, exactly and nearby; the statements of section 4.2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from caesura.evaluation.agree.report import boundary_support
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import panel
from caesura_reproductions.printed import Printed

__all__ = ["support"]

_STEP = 1 / 6  # one annotator of six: support has no finer steps
_ABOUT = 10  # per cent
_BOX = {"least": 0, "lower quartile": 25, "median": 50, "upper quartile": 75, "most": 100}


@item("Fig3", "Support of boundaries by annotators, and what is said of it")
def support(printed: Printed, data: Data) -> Iterator[Found]:
    """Check each statement on the boundaries of the available chapters."""
    found = boundary_support(panel(data))
    exact, half, full = (np.array([getattr(s, name) for s in found]) for name in ("exact", "half", "full"))
    alone = np.array([len(s.marked_by) == 1 for s in found])
    lower, upper = np.percentile(half, [25, 75])
    tight, near, wide = "exact matches", "within half a window", "within a window"
    yield _share(tight, "marked by one annotator", alone, alone.mean() >= 0.5)
    yield _share(tight, "support above 50%", exact > 0.5, (exact > 0.5).mean() <= 0.25)
    for column, ours in (("lower quartile of support", lower), ("upper quartile of support", upper)):
        holds = abs(ours - printed.number(near, column) / 100) <= _STEP
        yield Value(near, column, 100 * float(ours), note="within one annotator of six", holds=bool(holds))
    yield _share(near, "support below 30%", half < 0.3, (half < 0.3).mean() <= 0.25, number=True)
    yield _share(wide, "support above 70%", full > 0.7, (full > 0.7).mean() >= 0.5, number=True)
    many, tightly = (100 * float((shares >= 0.5).mean()) for shares in (half, exact))
    note = f"{tightly:.0f} % by exact matches, so that about 50 % lies between the two"
    place = (near, "support of at least 50% (introduction)")
    yield Value(*place, f"{many:.0f}%", note=note, holds=abs(many - 50) <= _ABOUT)
    for row, shares in ((tight, exact), (near, half), (wide, full)):
        for column, ours in zip(_BOX, np.percentile(shares, list(_BOX.values())), strict=True):
            yield Value(row, column, 100 * float(ours), note=f"support in per cent, {len(found)} boundaries")


def _share(row: str, column: str, which: npt.NDArray[np.bool_], holds: bool, *, number: bool = False) -> Value:
    """Return a share of all boundaries in per cent, as a number where one is printed."""
    share = 100 * float(which.mean())
    note = f"{int(which.sum())} of {len(which)} boundaries"
    return Value(row, column, share if number else f"{share:.0f}%", note=note, holds=bool(holds))
