# SPDX-License-Identifier: Apache-2.0
"""Figure 1: harmonic coverage, on segments with the overlaps that the figure states."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from caesura.metrics import metric
from caesura.segmentation import Segmentation
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["coverage"]

_REFERENCE = Segmentation.from_masses([200, 48, 45, 100])
_HYPOTHESIS = Segmentation.from_masses([220, 100, 35, 38])
"""R3 lies in H2 and is 45 % of it; H4 lies in R4 and is 38 % of it, more than H3 and H2 have of R4."""


@item("Fig1", "Coverage of segments, and which of them are correct")
def coverage(printed: Printed, data: Data) -> Iterator[Found]:
    """Compute the coverage of both pairs, and the segments that are correct by CovN."""
    for r, h in ((3, 2), (4, 4)):
        recall, precision, both = _coverage(r - 1, h - 1)
        row = f"R{r} - H{h}"
        for column, ours in (("Cov R->H", recall), ("Cov H->R", precision), ("Cov R<->H", both)):
            yield Value(row, column, ours, note="on segments with the stated overlaps")
    alone = [_retrieved(place) for place in range(4)]
    names = ", ".join(f"H{place + 1}" for place, correct in enumerate(alone) if correct)
    recall = metric("CovNRecall(gamma=0.85)")(_REFERENCE, _HYPOTHESIS)
    yield Value(
        "gamma 85%", "correct segments", f"{names} only", note=f"CovNRecall of the four segments is {recall:.2f}"
    )
    yield finding(
        "Figure 1",
        "The coverages of R4 and H4 have the subscripts of the pair above them.",
        f"{_coverage(3, 3)[2]:.0f} % is what R4 and H4 have with the stated overlaps; R3 and H2 have "
        f"{_coverage(2, 1)[2]:.0f} %.",
    )


def _coverage(r: int, h: int) -> tuple[float, float, float]:
    """Return the coverage of a reference segment by a hypothesis segment, the reverse, and their harmonic mean, in per cent."""
    (a, b), (c, d) = _spans(_REFERENCE)[r], _spans(_HYPOTHESIS)[h]
    overlap = 100 * max(0, min(b, d) - max(a, c))
    return overlap / (b - a), overlap / (d - c), 2 * overlap / (b - a + d - c)


def _retrieved(h: int) -> bool:
    """Return whether the harmonic coverage of a hypothesis segment with the segment that covers most of it exceeds 85 %."""
    best = max(range(4), key=lambda r: _coverage(r, h)[1])
    return _coverage(best, h)[2] > 85


def _spans(segmentation: Segmentation) -> list[tuple[int, int]]:
    return list(itertools.pairwise((0, *segmentation.boundaries, segmentation.n_units)))
