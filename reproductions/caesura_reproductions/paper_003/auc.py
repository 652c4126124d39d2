# SPDX-License-Identifier: Apache-2.0
"""Areas under the released curves; in a released summary, not printed."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._curves import area
from caesura_reproductions.paper_003._released import over_seeds, sweep_rows
from caesura_reproductions.printed import Printed

__all__ = ["areas"]


@item("AUC", "Areas under the released curves (released summary)")
def areas(printed: Printed, data: Data) -> Iterator[Found]:
    """Integrate each released curve over ln BOR."""
    for row in dict.fromkeys(row for row, _ in printed):
        dataset, scorer = row.split(" | ")
        rows = sweep_rows(data, dataset, scorer)
        for metric in ("wf1", "wf1_1to1", "coverage"):
            yield Value(row, f"auc_{metric}", area(*over_seeds(rows, ("bor", metric))))
