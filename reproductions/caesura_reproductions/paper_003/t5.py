# SPDX-License-Identifier: Apache-2.0
"""Table 5: density regimes."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.evaluate.verdict import Thresholds
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["regimes"]


@item("T5", "Density regimes, from the BOR of Table 4")
def regimes(printed: Printed, data: Data) -> Iterator[Found]:
    """Name the regime of each printed BOR; the cut points are those of the released code."""
    for row, column in printed:
        bor = printed.others["T4"][row, "BOR"].number
        note = f"BOR {bor:.2f}; below 0.8 conservative, above 1.2 aggressive"
        yield Value(row, column, Thresholds().regime(bor).capitalize(), note=note)
