# SPDX-License-Identifier: Apache-2.0
"""The mass view: the segments of both sides drawn to scale, with the outcome of each boundary.

After Fig. 9 of the SegReFree paper: segments as alternately shaded boxes, one side above the other.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

from caesura.batches.pairs import check_comparable
from caesura.evaluation.explain.window_reasons import counted
from caesura.kernels import kernel
from caesura.segmentation import Segmentation
from caesura.units.quantity import as_clock, default_tolerance, resolve_quantity

__all__ = ["MARKS", "boundary_fates", "mass_view"]

MARKS = {"matched": "=", "near": "~", "missed": "x", "added": "+"}
"""The outcomes of a boundary, from best to worst, with their marks."""

MOST_BOUNDARIES = 500
"""The maximum number of boundaries to draw; a terminal cannot show more of them."""

_LABEL = 12
_WIDEST_UNIT = 4
_SHADES = "█░"


def boundary_fates(
    reference: Segmentation, hypothesis: Segmentation, near: int | str | None = None
) -> tuple[dict[int, str], dict[int, str]]:
    """Return the outcome of each boundary of the reference and of the hypothesis.

    Boundaries of both sides are matched. Of the others, a boundary of either side within ``near`` units of one another
    (1 by default, 10 seconds on time) form a near miss, each boundary in one pair at most. The rest is missed or added.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> boundary_fates(reference, hypothesis)
    ({6: 'missed', 9: 'near'}, {4: 'added', 8: 'near'})
    """
    reach = _near_units(check_comparable(reference, hypothesis), near)
    both = set(reference.boundaries) & set(hypothesis.boundaries)
    ref_fates = {place: "matched" if place in both else "missed" for place in reference.boundaries}
    hyp_fates = {place: "matched" if place in both else "added" for place in hypothesis.boundaries}
    missed = [place for place, fate in ref_fates.items() if fate == "missed"]
    added = [place for place, fate in hyp_fates.items() if fate == "added"]
    for i, j in kernel("matching").module.match_boundaries(missed, added, reach):
        ref_fates[missed[i]] = hyp_fates[added[j]] = "near"
    return ref_fates, hyp_fates


def _near_units(unit: str, near: int | str | None) -> int:
    """Return the largest distance of a near miss, in units."""
    near = default_tolerance(unit) if near is None else near
    return resolve_quantity(near, unit, owner="explain", name="near")


def mass_view(
    reference: Segmentation, hypothesis: Segmentation, *, width: int = 80, near: int | str | None = None
) -> list[str]:
    """Draw the segments of a pair to scale in ``width`` columns, and return the lines."""
    unit = check_comparable(reference, hypothesis)
    if max(reference.n_boundaries, hypothesis.n_boundaries) > MOST_BOUNDARIES:
        return [f"Segments: not drawn, more than {MOST_BOUNDARIES} boundaries."]
    ref_fates, hyp_fates = boundary_fates(reference, hypothesis, near)
    scale = _Scale.of(reference.n_units, max(width - _LABEL, 10))
    rows = [
        ("", scale.ruler(unit)),
        ("reference", scale.bar(reference)),
        ("", scale.marks(ref_fates)),
        ("hypothesis", scale.bar(hypothesis)),
        ("", scale.marks(hyp_fates)),
    ]
    drawing = [(label.ljust(_LABEL) + row).rstrip() for label, row in rows]
    lines = [f"Segments, {scale.describe(unit)}", "", *drawing, "", _legend(unit, _near_units(unit, near))]
    hidden = scale.hidden(reference) + scale.hidden(hypothesis)
    if hidden:
        lines.append(f"too narrow to be seen: {counted(hidden, 'segment')}")
    return lines


def _legend(unit: str, reach: int) -> str:
    off = f"{reach / 1000:g} s" if unit == "ms" else counted(reach, unit)
    words = ("both", f"near miss (up to {off} off)", "missed", "added")
    return "boundaries: " + "   ".join(f"{mark} {word}" for mark, word in zip(MARKS.values(), words, strict=True))


@dataclasses.dataclass(frozen=True)
class _Scale:
    """The mapping of units to columns."""

    units: int
    columns: int

    @classmethod
    def of(cls, units: int, room: int) -> _Scale:
        """Return the scale with a whole number of columns per unit if the document fits, else with all columns."""
        return cls(units, units * min(_WIDEST_UNIT, room // units) if units <= room else room)

    def edge(self, units: int) -> int:
        """Return the number of columns before an edge, rounded half up."""
        return (2 * units * self.columns + self.units) // (2 * self.units)

    def describe(self, unit: str) -> str:
        """Return the scale in words."""
        name = "millisecond" if unit == "ms" else unit
        if self.columns >= self.units:
            each = self.columns // self.units
            return f"{each} columns per {name}" if each > 1 else f"one column per {name}"
        per = self.units / self.columns
        return f"one column is {per / 1000:.3g} s" if unit == "ms" else f"one column is {per:.3g} {name}s"

    def bar(self, segmentation: Segmentation) -> str:
        """Draw segments as alternately shaded boxes."""
        return "".join(_SHADES[place % 2] * width for place, width in enumerate(self._widths(segmentation)))

    def hidden(self, segmentation: Segmentation) -> int:
        """Return the number of segments without their own column."""
        return self._widths(segmentation).count(0)

    def _widths(self, segmentation: Segmentation) -> list[int]:
        edges = [self.edge(edge) for edge in (0, *segmentation.boundaries, segmentation.n_units)]
        return [stop - start for start, stop in pairwise(edges)]

    def marks(self, fates: dict[int, str]) -> str:
        """Draw each boundary's mark under the last column before it; if several coincide, the worst one."""
        row = [" "] * self.columns
        for place, fate in sorted(fates.items(), key=lambda item: list(MARKS).index(item[1])):
            row[max(self.edge(place) - 1, 0)] = MARKS[fate]
        return "".join(row)

    def ruler(self, unit: str) -> str:
        """Return the numbers of some units, or times, above the columns in which they end."""
        row = [" "] * self.columns
        widest = len(as_clock(self.units) if unit == "ms" else str(self.units))
        least = self.units * max(8, widest + 3) / self.columns
        step = _time_step(least) if unit == "ms" else _round_step(least)
        for number in range(step, self.units + 1, step):
            text, end = as_clock(number) if unit == "ms" else str(number), self.edge(number)
            start = end - len(text)
            if start >= 0 and all(cell == " " for cell in row[max(start - 1, 0) : end]):
                row[start:end] = text
        return "".join(row)


def _time_step(least: float) -> int:
    """Round a time in milliseconds up to a round one: whole seconds, minutes or hours if possible."""
    for unit, steps in ((1000, (1, 2, 5, 10, 15, 30)), (60_000, (1, 2, 5, 10, 15, 30))):
        for step in steps:
            if 1000 <= least <= step * unit:
                return step * unit
    return _round_step(least) if least < 1000 else 3_600_000 * _round_step(least / 3_600_000)


def _round_step(least: float) -> int:
    """Round up to the next of 1, 2, 5, 10, 20, 50, ..."""
    power = 1
    while 5 * power < least:
        power *= 10
    return next(factor * power for factor in (1, 2, 5) if factor * power >= least)
