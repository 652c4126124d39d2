# SPDX-License-Identifier: Apache-2.0
"""The mass view: the segments of both sides drawn to scale, with what became of each boundary.

After Fig. 9 of the SegReFree paper: segments as alternately shaded boxes, one side above the other.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

from caesura.batches.pairs import check_comparable
from caesura.kernels import kernel
from caesura.segmentation import Segmentation
from caesura.units.quantity import default_tolerance, resolve_quantity

__all__ = ["MARKS", "MassView", "boundary_fates", "mass_view"]

MARKS = {"matched": "=", "near": "~", "missed": "x", "added": "+"}
"""What became of a boundary, and how it is drawn."""

MOST_BOUNDARIES = 500
"""With more boundaries nothing is drawn: a terminal cannot show them apart."""

_LABEL = 12
_WIDEST_UNIT = 4
_SHADES = "█░"


@dataclasses.dataclass(frozen=True)
class MassView:
    """A drawn mass view.

    Attributes
    ----------
    lines : tuple of str
        The drawing.
    fates : mapping of str to int
        How many boundaries were matched, near, missed, added; a matched or near pair counts once.
    """

    lines: tuple[str, ...]
    fates: dict[str, int]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def boundary_fates(
    reference: Segmentation, hypothesis: Segmentation, near: int | str | None = None
) -> tuple[dict[int, str], dict[int, str]]:
    """Return what became of each boundary of the reference, and of the hypothesis.

    Boundaries that both have are matched. Of the rest, one of each side is a near miss if they lie within ``near``
    units (1 by default, 10 seconds on time), each used once. What is left is missed or added.

    Examples
    --------
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> boundary_fates(reference, hypothesis)
    ({6: 'missed', 9: 'near'}, {4: 'added', 8: 'near'})
    """
    reach = _near_units(check_comparable(reference, hypothesis), near)
    both = set(reference.boundaries) & set(hypothesis.boundaries)
    ours = [place for place in reference.boundaries if place not in both]
    theirs = [place for place in hypothesis.boundaries if place not in both]
    pairs = kernel("matching").module.match_boundaries(ours, theirs, reach)
    near_ours, near_theirs = {ours[i] for i, _ in pairs}, {theirs[j] for _, j in pairs}
    return (
        {p: "matched" if p in both else "near" if p in near_ours else "missed" for p in reference.boundaries},
        {
            p: "matched" if p in both else "near" if p in near_theirs else "added"
            for p in hypothesis.boundaries
        },
    )


def _near_units(unit: str, near: int | str | None) -> int:
    """Return how far a near miss may be off, in units."""
    near = default_tolerance(unit) if near is None else near
    return resolve_quantity(near, unit, owner="explain", name="near")


def mass_view(
    reference: Segmentation, hypothesis: Segmentation, *, width: int = 80, near: int | str | None = None
) -> MassView:
    """Draw the segments of a pair to scale.

    Parameters
    ----------
    reference, hypothesis : Segmentation
        The pair.
    width : int
        Columns of the terminal.
    near : int or str, optional
        How far off a near miss may be; 1 unit, or 10 seconds on time, if not given.
    """
    unit = check_comparable(reference, hypothesis)
    if max(reference.n_boundaries, hypothesis.n_boundaries) > MOST_BOUNDARIES:
        return MassView((f"Segments: not drawn, more than {MOST_BOUNDARIES} boundaries.",), {})
    ref_fates, hyp_fates = boundary_fates(reference, hypothesis, near)
    scale = _Scale.of(reference.n_units, max(width - _LABEL, 10))
    lines = [
        f"Segments, {scale.told(unit)}",
        "",
        (" " * _LABEL + scale.ruler(unit)).rstrip(),
        "reference".ljust(_LABEL) + scale.bar(reference),
        (" " * _LABEL + scale.marks(ref_fates)).rstrip(),
        "hypothesis".ljust(_LABEL) + scale.bar(hypothesis),
        (" " * _LABEL + scale.marks(hyp_fates)).rstrip(),
        "",
        *_legend(unit, _near_units(unit, near)),
    ]
    hidden = scale.hidden(reference) + scale.hidden(hypothesis)
    if hidden:
        lines.append(f"too narrow to be seen: {hidden} {'segment' if hidden == 1 else 'segments'}")
    return MassView(tuple(lines), _tally(ref_fates, hyp_fates))


def _legend(unit: str, reach: int) -> list[str]:
    off = f"{reach / 1000:g} s" if unit == "ms" else f"{reach} {unit}{'s' if reach != 1 else ''}"
    return [
        f"boundaries: {MARKS['matched']} both   {MARKS['near']} near miss (up to {off} off)   "
        f"{MARKS['missed']} missed   {MARKS['added']} added"
    ]


def _tally(ref_fates: dict[int, str], hyp_fates: dict[int, str]) -> dict[str, int]:
    ours, theirs = list(ref_fates.values()), list(hyp_fates.values())
    return {fate: max(ours.count(fate), theirs.count(fate)) for fate in MARKS}


@dataclasses.dataclass(frozen=True)
class _Scale:
    """How units become columns."""

    units: int
    columns: int

    @classmethod
    def of(cls, units: int, room: int) -> _Scale:
        """Use a whole number of columns per unit if the document fits, else the whole room."""
        return cls(units, units * min(_WIDEST_UNIT, room // units) if units <= room else room)

    def edge(self, units: int) -> int:
        """Return how many columns lie before an edge."""
        return (2 * units * self.columns + self.units) // (2 * self.units)

    def told(self, unit: str) -> str:
        """Say the scale in words."""
        name = "millisecond" if unit == "ms" else unit
        if self.columns >= self.units:
            each = self.columns // self.units
            return f"{each} columns per {name}" if each > 1 else f"one column per {name}"
        per = self.units / self.columns
        return f"one column is {per / 1000:.3g} s" if unit == "ms" else f"one column is {per:.3g} {name}s"

    def bar(self, segmentation: Segmentation) -> str:
        """Draw segments as alternately shaded boxes."""
        edges = [self.edge(edge) for edge in (0, *segmentation.boundaries, segmentation.n_units)]
        return "".join(
            _SHADES[place % 2] * (stop - start) for place, (start, stop) in enumerate(pairwise(edges))
        )

    def hidden(self, segmentation: Segmentation) -> int:
        """Return how many segments have no column of their own."""
        edges = [self.edge(edge) for edge in (0, *segmentation.boundaries, segmentation.n_units)]
        return sum(start == stop for start, stop in pairwise(edges))

    def marks(self, fates: dict[int, str]) -> str:
        """Draw each boundary's mark under the last column before it; where several meet, the worst shows."""
        row = [" "] * self.columns
        order = list(MARKS)
        worst = dict.fromkeys(range(self.columns), -1)
        for place, fate in fates.items():
            column = max(self.edge(place) - 1, 0)
            if order.index(fate) > worst[column]:
                worst[column] = order.index(fate)
                row[column] = MARKS[fate]
        return "".join(row)

    def ruler(self, unit: str) -> str:
        """Return the numbers of some units, or seconds, above the columns in which they end."""
        row = [" "] * self.columns
        step = _round_step(self.units * max(8, len(str(self.units)) + 3) / self.columns)
        for number in range(step, self.units + 1, step):
            text, end = f"{number / 1000:g}s" if unit == "ms" else str(number), self.edge(number)
            start = end - len(text)
            if start >= 0 and all(cell == " " for cell in row[max(start - 1, 0) : end]):
                row[start:end] = text
        return "".join(row).rstrip()


def _round_step(least: float) -> int:
    """Return the least of 1, 2, 5, 10, 20, 50, ... that is not smaller."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10
