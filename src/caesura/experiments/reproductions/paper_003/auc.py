# SPDX-License-Identifier: Apache-2.0
"""Areas under the released curves; in a released summary, not printed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._curves import area
from caesura.experiments.reproductions.paper_003._released import NEEDS, Records, column, read_rows
from caesura.experiments.reproductions.printed import Printed

__all__ = ["areas"]


@item("AUC", "Areas under the released curves (released summary)", needs=NEEDS)
def areas(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Integrate each released curve over ln BOR."""
    for row in dict.fromkeys(row for row, _ in printed):
        dataset, scorer = row.split(" | ")
        rows = read_rows(data, f"results/sweep_{dataset}_{scorer}.csv{'.gz' if scorer == 'random' else ''}")
        for metric in ("wf1", "wf1_1to1", "coverage"):
            yield Value(row, f"auc_{metric}", _area(rows, metric))


def _area(rows: Records, metric: str) -> float:
    """Return the area under a curve; of random scores that of the mean over the seeds, step by step."""
    table = np.array([column(rows, name) for name in ("step", "bor", metric)])
    if "seed" in rows[0]:
        steps = np.unique(table[0])
        table = np.array([[table[c][table[0] == s].mean() for s in steps] for c in range(3)])
    return area(table[1], table[2])
