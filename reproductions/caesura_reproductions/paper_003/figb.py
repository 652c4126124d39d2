# SPDX-License-Identifier: Apache-2.0
"""The boundaries of each dialogue at a BOR near 1, compared with the released files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._curves import SweptScores, random_scores
from caesura_reproductions.paper_003._gold import gold
from caesura_reproductions.paper_003._released import SCORERS, read_rows
from caesura_reproductions.paper_003._tiling import depths
from caesura_reproductions.printed import Printed

__all__ = ["per_dialogue"]


@item("FigB", "Boundaries of each dialogue at a BOR near 1 (released files)")
def per_dialogue(printed: Printed, data: Data) -> Iterator[Found]:
    """Count the dialogues whose gold, and for random scores and TextTiling whose prediction, has the released size."""
    reference = gold(data, "DialSeg711", "T3", "user_turns")
    found = depths(data, "DialSeg711", "user_turns")
    predicted = {
        "random": random_scores(reference, 0).nearest(),
        "texttiling": SweptScores(reference, np.concatenate([found[key] for key in reference])).nearest(),
    }
    places = {row.split()[1].rstrip(","): (row, column) for row, column in printed}
    for scorer in SCORERS:
        rows = read_rows(data, f"results/per_dialogue_bor_dialseg711_{scorer}.csv")
        ours = predicted.get(scorer)
        equal = sum(
            int(row["n_gold_boundaries"]) == reference[row["dialogue_id"]].n_boundaries
            and (ours is None or int(row["n_pred_boundaries"]) == ours[row["dialogue_id"]])
            for row in rows
        )
        note = "" if ours is None else "gold and predictions"
        yield Value(*places[scorer], f"{equal} rows", note=note)
