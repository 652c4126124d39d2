# SPDX-License-Identifier: Apache-2.0
"""Table 6: differences between methods, with the shift of density."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.evaluation.evaluate import evaluate
from caesura.results.evaluate.verdict import Thresholds
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import SEED, baseline
from caesura_reproductions.paper_003._gold import gold
from caesura_reproductions.paper_003._tiling import depths, tiled
from caesura_reproductions.printed import Printed

__all__ = ["differences"]

_RESAMPLES = 1000
_ROWS = {"TT": "TextTiling", "CSM": "CSM", "Oracle-P": "Even"}


@item(
    "T6",
    "Differences of scores and shifts of density",
    otherwise="needs next-sentence prediction by bert-base, of which no predictions are released",
)
def differences(printed: Printed, data: Data) -> Iterator[Found]:
    """Subtract the rows of the released base table, and name the regimes of both."""
    base = printed.others["T6base"]
    for pair in dict.fromkeys(row for row, _ in printed):
        names, dataset = pair.split(" | ")
        new, old = (f"{_ROWS[name]} | {dataset}" for name in names.split(" vs. "))
        for column in ("F1", "W-F1", "BOR"):
            a, b = base[new, column], base[old, column]
            ours = a.number - b.number
            yield Value(pair, f"d{column}", ours, note=f"{a.printed} - {b.printed} of the released base table")
        cuts, bors = Thresholds(), [base[row, "BOR"] for row in (old, new)]
        shift = " -> ".join(cuts.regime(bor.number).capitalize() for bor in bors)
        yield Value(
            pair, "Density Shift", shift, note=f"BOR {bors[0].printed} and {bors[1].printed} of the released base table"
        )
        if names == "TT vs. Oracle-P":
            yield from _intervals(data, pair, dataset)


def _intervals(data: Data, pair: str, dataset: str) -> Iterator[Value]:
    """Yield the ends of the intervals of TextTiling minus the even baseline: dialogues resampled as the paper does."""
    reference = gold(data, dataset, "T6", "utterances")
    systems = {"new": tiled(depths(data, dataset, "utterances"), reference, 0.0), "old": baseline("Even", reference)}
    f1 = evaluate(reference, systems, "W-F1", profile="as_run")
    apart = f1.per_document("new", "W-F1") - f1.per_document("old", "W-F1")
    new, old, true = (
        np.array([side[key].n_boundaries for key in reference]) for side in (systems["new"], systems["old"], reference)
    )
    stream = np.random.RandomState(SEED)
    rows = np.stack([stream.choice(len(apart), len(apart), replace=True) for _ in range(_RESAMPLES)])
    drawn = {"dW-F1": apart[rows].mean(axis=1), "dBOR": (new - old)[rows].sum(axis=1) / true[rows].sum(axis=1)}
    note = f"dialogues resampled {_RESAMPLES:,} times, the same for both methods"
    for column, values in drawn.items():
        low, high = np.percentile(values, (2.5, 97.5)).tolist()
        yield Value(pair, f"{column} CI low", low, note=note)
        yield Value(pair, f"{column} CI high", high, note=note)
