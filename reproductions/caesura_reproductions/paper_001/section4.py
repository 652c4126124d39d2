# SPDX-License-Identifier: Apache-2.0
"""The table of section 4: six errors in a reference of eight segments, realised as segmentations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from caesura.metrics import metric
from caesura.segmentation import Segmentation
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["errors"]

_REFERENCE = Segmentation.from_masses([20, 20, 20, 20, 20, 2, 20, 20])
_HYPOTHESES = {
    "Hyp1": [18, 2, 20, 20, 20, 20, 2, 20, 20],
    "Hyp2": [10, 10, 20, 20, 20, 20, 2, 20, 20],
    "Hyp3": [20, 20, 8, 12, 20, 20, 2, 20, 20],
    "Hyp4": [14, 12, 14, 20, 20, 20, 2, 20, 20],
    "Hyp5": [20, 20, 20, 20, 22, 20, 20],
    "Hyp6": [40, 20, 20, 20, 2, 20, 20],
}
"""A small piece cut off, a segment cut in the middle (twice), a boundary replaced by two around it, a small segment
merged, two segments joined."""


class _Rate(NamedTuple):
    found: int
    total: int

    def __str__(self) -> str:
        return f"{self.found}/{self.total}"


@item("section4", "CovN and boundary F of six errors (section 4)")
def errors(printed: Printed, data: Data) -> Iterator[Found]:
    """Count retrieved segments at gamma 85 %, and boundaries."""
    for name, masses in _HYPOTHESES.items():
        hypothesis = Segmentation.from_masses(masses)
        rates = {
            "R_N": _rate("CovNRecall", hypothesis, _REFERENCE.n_segments),
            "P_N": _rate("CovNPrecision", hypothesis, hypothesis.n_segments),
            "Boundary R": _rate("BoundaryRecall", hypothesis, _REFERENCE.n_boundaries),
            "Boundary P": _rate("BoundaryPrecision", hypothesis, hypothesis.n_boundaries),
        }
        for column, rate in rates.items():
            yield Value(name, column, str(rate), note="counted on segmentations with this error")
        for column, of, parts in (
            ("CovN", "CovN", ("R_N", "P_N")), ("Boundary F", "F1", ("Boundary R", "Boundary P")),
        ):  # fmt: skip
            recall, precision = (rates[part] for part in parts)
            ours = 100 * metric(of)(_REFERENCE, hypothesis)
            sums = f"2 x {recall.found} / ({recall.total} + {precision.total}) = {ours:.2f} %"
            yield Value(name, column, ours, note=sums)


def _rate(name: str, hypothesis: Segmentation, total: int) -> _Rate:
    return _Rate(round(metric(name)(_REFERENCE, hypothesis) * total), total)
