# SPDX-License-Identifier: Apache-2.0
"""The scores whose differences Table 6 prints; released with the paper, not printed in it."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.evaluate.verdict import Thresholds
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import baseline
from caesura_reproductions.paper_003._gold import DATASETS, gold
from caesura_reproductions.paper_003._scored import row_values
from caesura_reproductions.paper_003._tiling import depths, tiled
from caesura_reproductions.printed import Printed

__all__ = ["base_table"]


@item(
    "T6base",
    "Scores behind Table 6 (released, not printed)",
    otherwise="needs next-sentence prediction by bert-base, of which no predictions are released",
)
def base_table(printed: Printed, data: Data) -> Iterator[Found]:
    """Score the even baseline and TextTiling, and name the regime of each released BOR."""
    for dataset in DATASETS:
        reference = gold(data, dataset, "T6", "utterances")
        yield from row_values(printed, f"Even | {dataset}", reference, baseline("Even", reference))
        found = tiled(depths(data, dataset, "utterances"), reference, 0.0)
        yield from row_values(printed, f"TextTiling | {dataset}", reference, found, "alpha 0")
    for row, column in printed:
        if column == "Regime":
            bor = printed.number(row, "BOR")
            yield Value(row, column, Thresholds().regime(bor).capitalize(), note=f"BOR {bor:.2f}")
