# SPDX-License-Identifier: Apache-2.0
"""Figures 1 and 4: the sweep of random scores over DialSeg711, compared with the released file row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._curves import COLUMNS, SEEDS, RandomScores, Row
from caesura.experiments.reproductions.paper_003._gold import gold
from caesura.experiments.reproductions.paper_003._released import NEEDS, TOLERANCE, Records, column, read_rows
from caesura.experiments.reproductions.printed import Printed

__all__ = ["random_sweep"]


@item("Fig1", "Figures 1 and 4, sweep of random scores over DialSeg711 (released file)", needs=NEEDS)
def random_sweep(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Sweep the scores of all seeds, and count the rows that have every released value."""
    released = read_rows(data, "results/sweep_dialseg711_random.csv.gz")
    reference = gold(data, "DialSeg711", "T3", "user_turns")
    total = sum(g.n_boundaries for g in reference.values())
    scores = [RandomScores(reference, seed) for seed in SEEDS]
    as_run, definition = (
        _largest(released, [row for each in scores for row in each.rows(profile)], total)
        for profile in ("as_run", "paper")
    )
    equal = int((np.max(list(as_run.values()), axis=0) <= TOLERANCE).sum())
    worst = max(float(apart.max()) for apart in as_run.values())
    others = ", ".join(f"{name} {float(definition[name].max()):.3f}" for name in COLUMNS)
    ((row, name),) = printed
    yield Value(
        row,
        name,
        f"{equal} rows",
        note=f"largest difference {worst:.1e}; under the definitions of the paper: {others}",
    )


def _largest(
    released: Records, ours: list[Row], total: int
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return the difference of every row, column by column."""
    columns = {
        "seed": [row.seed for row in ours],
        "step": [row.step for row in ours],
        "n_pred_boundaries": [row.boundaries for row in ours],
        "n_gold_boundaries": [total] * len(ours),
        "tau": [row.tau for row in ours],
        "bor": [row.bor for row in ours],
        **{name: [row.scores[name] for row in ours] for name in COLUMNS},
    }
    return {name: np.abs(column(released, name) - np.array(values)) for name, values in columns.items()}
