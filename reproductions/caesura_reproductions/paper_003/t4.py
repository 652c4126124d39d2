# SPDX-License-Identifier: Apache-2.0
"""Table 4: external methods on all utterances."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import baseline
from caesura_reproductions.paper_003._gold import DATASETS, gold
from caesura_reproductions.paper_003._released import read_rows
from caesura_reproductions.paper_003._scored import row_values
from caesura_reproductions.paper_003._tiling import chosen_alpha, depths, tiled
from caesura_reproductions.printed import Printed

__all__ = ["external_methods"]

_BASELINES = {"Random": "Random share", "Oracle-Periodic": "Even"}
_RELEASED = {"DialSeg711": "dialseg_711", "TIAGE": "tiage"}
"""How the released counts name datasets."""


@item(
    "T4",
    "External methods on all utterances",
    otherwise="needs next-sentence prediction by bert-base, of which no predictions are released",
)
def external_methods(printed: Printed, data: Data) -> Iterator[Found]:
    """Score the baselines and TextTiling, and compute BOR and F1 of CSM from its released counts."""
    rows = {(row["Dataset"], row["Method"]): row for row in read_rows(data, "results_external/external_methods.csv")}
    for dataset in DATASETS:
        reference = gold(data, dataset, "T4", "utterances")
        for method, name in _BASELINES.items():
            yield from row_values(printed, f"{method} | {dataset}", reference, baseline(name, reference))
        found = depths(data, dataset, "utterances")
        alpha = chosen_alpha(data, dataset, found)
        how = f"alpha {alpha:.1f}, chosen on the dialogues tagged dev"
        yield from row_values(printed, f"TextTiling | {dataset}", reference, tiled(found, reference, alpha), how)
        counts = rows[_RELEASED[dataset], "CSM (NSP)"]
        true, predicted, hits = (int(counts[name]) for name in ("Gold", "Pred", "TP"))
        note = f"from the released counts: {predicted} predicted, {true} gold, {hits} in both"
        yield Value(f"CSM | {dataset}", "BOR", predicted / true, note=note)
        yield Value(f"CSM | {dataset}", "F1", 2 * hits / (predicted + true), note=note)
