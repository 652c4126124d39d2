# SPDX-License-Identifier: Apache-2.0
"""Table 2: long and short segments."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_001._rates import NO_CORPUS, nearest_count
from caesura_reproductions.printed import Printed

__all__ = ["LENGTHS", "lengths"]

LENGTHS = {"MCS7-14": {"long": 761, "short": 236}, "MCS5-15": {"long": 227, "short": 70}}
"""Segments of each length (section 5.3)."""


@item("T2", "CovN by the length of segments", otherwise=NO_CORPUS)
def lengths(printed: Printed, data: Data) -> Iterator[Found]:
    """Find the count of retrieved segments behind each recall; long and short ones make up the count of Table 1."""
    for row, totals in LENGTHS.items():
        counts = {name: nearest_count(printed[row, f"{name} R_N"], total) for name, total in totals.items()}
        both = f"{counts['long']} + {counts['short']} = {sum(counts.values())} retrieved"
        for name, total in totals.items():
            ours = 100 * counts[name] / total
            yield Value(row, f"{name} R_N", ours, note=f"{counts[name]} / {total} = {ours:.2f} %, with {both}")
    total = sum(nearest_count(printed["MCS7-14", f"{name} R_N"], n) for name, n in LENGTHS["MCS7-14"].items())
    long, short = (printed["MCS7-14", f"{name} R_N"].printed for name in ("long", "short"))
    yield finding(
        "Section 5.3",
        f"The text calls the values of Table 2 R_D and P_D ({long} and {short} among them).",
        "They are shares of the number of segments, R_N and P_N, as the table says: only so do both lengths make up the "
        f"{total} segments of Table 1.",
    )
