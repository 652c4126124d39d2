# SPDX-License-Identifier: Apache-2.0
"""Table 6: differences between methods, with the shift of density."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._gold import NEEDS
from caesura.experiments.reproductions.printed import Printed
from caesura.results.verdict import Thresholds

__all__ = ["differences"]

_ROWS = {"TT": "TextTiling", "CSM": "CSM", "Oracle-P": "Even"}


@item(
    "T6",
    "Differences of scores and shifts of density",
    needs=NEEDS,
    partly=True,
    otherwise="needs next-sentence prediction by bert-base, of which no predictions are released",
)
def differences(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Subtract the rows of the released base table, and name the regimes of both."""
    base = printed.others["T6base"]
    for pair in dict.fromkeys(row for row, _ in printed):
        names, dataset = pair.split(" | ")
        new, old = (f"{_ROWS[name]} | {dataset}" for name in names.split(" vs. "))
        for column in ("F1", "W-F1", "BOR"):
            a, b = base[new, column], base[old, column]
            ours = a.number - b.number
            yield Value(
                pair, f"d{column}", ours, note=f"{a.printed} - {b.printed} of the released base table"
            )
        cuts, bors = Thresholds(), [base[row, "BOR"] for row in (old, new)]
        shift = " -> ".join(cuts.regime(bor.number).capitalize() for bor in bors)
        yield Value(
            pair,
            "Density Shift",
            shift,
            note=f"BOR {bors[0].printed} and {bors[1].printed} of the released base table",
        )
