# SPDX-License-Identifier: Apache-2.0
"""The boundaries of each dialogue at a BOR near 1, compared with the released files."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._curves import RandomScores
from caesura.experiments.reproductions.paper_003._gold import gold
from caesura.experiments.reproductions.paper_003._released import NEEDS, SCORERS, read_rows
from caesura.experiments.reproductions.printed import Printed

__all__ = ["per_dialogue"]


@item("FigB", "Boundaries of each dialogue at a BOR near 1 (released files)", needs=NEEDS)
def per_dialogue(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Count the dialogues whose gold, and for random scores whose prediction, has the released size."""
    reference = gold(data, "DialSeg711", "T3", "user_turns")
    scores = RandomScores(reference, 0)
    total = sum(g.n_boundaries for g in reference.values())
    counts = [scores.boundaries(float(tau)) for tau in scores.thresholds(100)[::-1]]
    nearest = min(counts, key=lambda c: abs(int(c.sum()) / total - 1))
    predicted = dict(zip(reference, nearest.tolist(), strict=True))
    places = {row.split()[1].rstrip(","): (row, column) for row, column in printed}
    for scorer in SCORERS:
        rows = read_rows(data, f"results/per_dialogue_bor_dialseg711_{scorer}.csv")
        equal = sum(
            int(row["n_gold_boundaries"]) == reference[row["dialogue_id"]].n_boundaries
            and (scorer != "random" or int(row["n_pred_boundaries"]) == predicted[row["dialogue_id"]])
            for row in rows
        )
        yield Value(*places[scorer], f"{equal} rows")
