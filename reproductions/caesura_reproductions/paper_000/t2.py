# SPDX-License-Identifier: Apache-2.0
"""Table 2: means and standard deviations of Table 1, from the printed correlations."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["means"]

_METRICS = ("Pk", "WD", "B")
_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {"mean": statistics.fmean, "std": statistics.pstdev}
_HALF = 0.005  # half a unit of the last printed digit of Table 1


@item("T2", "Means and standard deviations of Table 1")
def means(printed: Printed, data: Data) -> Iterator[Found]:
    """Recompute each from the twelve printed correlations; the last pair of columns is computed from the other three."""
    for metric in dict.fromkeys(row for row, _ in printed):
        pooled: list[float] = []
        for reference in _METRICS:
            cells = [
                entry.number for (row, _), entry in printed.others["T1"].items() if row == f"{reference} | {metric}"
            ]
            pooled += cells
            for name, statistic in _STATISTICS.items():
                ours = statistic(cells)
                words = "mean" if name == "mean" else "population standard deviation"
                yield Value(
                    metric,
                    f"{reference} {name}",
                    ours,
                    note=f"{words} of the {len(cells)} correlations of Table 1: {ours:.4f}",
                    between=_reach(cells, statistic),
                )
        for name, statistic in _STATISTICS.items():
            column = [printed[metric, f"{reference} {name}"] for reference in _METRICS]
            texts = ", ".join(entry.printed for entry in column)
            yield Value(
                metric,
                f"All {name}",
                statistics.fmean(entry.number for entry in column),
                note=f"mean of the printed {texts}; over all {len(pooled)} correlations, as the caption says, it is "
                f"{statistic(pooled):.4f}",
                definition=statistic(pooled),
            )


def _reach(cells: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> tuple[float, float]:
    """Return two possible values of a statistic of the unrounded numbers: all moved inwards and all moved outwards.

    All values between the two are possible too. A mean changes only when all numbers move in the same direction.
    """
    middle = statistics.fmean(cells)
    if statistic is statistics.fmean:
        return middle - _HALF, middle + _HALF
    signs = [1 if cell > middle else -1 for cell in cells]
    inner, outer = ([cell + way * _HALF * sign for cell, sign in zip(cells, signs, strict=True)] for way in (-1, 1))
    return statistic(inner), statistic(outer)
