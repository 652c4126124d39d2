# SPDX-License-Identifier: Apache-2.0
"""The drawings of a pair.

The mass view has the segments of both sides to scale, with the outcome of each boundary: alternately shaded boxes, one side above
the other, after Fig. 9 of the SegReFree paper. The window view, after its Fig. 8, has every position of the sliding window in a
column, its boundaries on each side, and whether it is an error; the marks of a row add up to the errors the metric counts.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs, check_comparable
from caesura.evaluation.explain.reasons import counted
from caesura.kernels import kernel
from caesura.metrics.base import PairwiseMetric
from caesura.segmentation import Segmentation
from caesura.units.quantity import as_time, default_tolerance, resolve_quantity

__all__ = ["MARKS", "boundary_fates", "mass_view", "window_view", "windows_of"]

MOST_WINDOWS = 400
"""The maximum number of windows to draw."""
_ERROR, _RIGHT = "x", "·"
Ints = npt.NDArray[np.int64]
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
        widest = len(as_time(self.units / 1000) if unit == "ms" else str(self.units))
        least = self.units * max(8, widest + 3) / self.columns
        step = _time_step(least) if unit == "ms" else _round_step(least)
        for number in range(step, self.units + 1, step):
            text, end = as_time(number / 1000) if unit == "ms" else str(number), self.edge(number)
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


@dataclasses.dataclass(frozen=True)
class _Windows:
    """The windows of Pk or WindowDiff over one pair.

    A window has ``k`` slots; the first one starts in slot ``first``, below 1 if windows extend before the start.
    ``reference`` and ``hypothesis`` are the boundaries in each window, compared ``by_number`` (WindowDiff) or only by
    whether there is one (Pk); they are empty if there are too many windows to draw. ``divisor`` is the denominator of the metric: the number of windows, or one more with
    segeval's Lamprier edges.
    """

    k: int
    first: int
    number: int
    reference: Ints
    hypothesis: Ints
    errors: npt.NDArray[np.bool_]
    by_number: bool
    divisor: int

    def __len__(self) -> int:
        return self.number


def windows_of(reference: Segmentation, hypothesis: Segmentation, metric: PairwiseMetric) -> _Windows:
    """Return every window that a metric (Pk or WindowDiff) compares, in order.

    >>> from caesura.metrics import metric
    >>> pair = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> windows_of(*pair, metric("Pk")).errors.astype(int).tolist()
    [0, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0]
    """
    options: Any = metric
    request = metric.request(reference.unit)
    table = request.count(Pairs.of(reference, hypothesis))
    k, divisor = (int(table[0, request.columns.index(name)]) for name in ("k", "windows"))
    n, padded = reference.n_units, getattr(options, "edge", "none") != "none"
    slots = n if options.string != "gaps" else n - 1
    # Windows start in the slots 1 .. slots-k+1; Lamprier's reach k units over both ends: 1-k .. n.
    first, last = (1 - k, n) if padded else (1, slots - k + 1)
    number = last + 1 - first if divisor else 0
    starts = np.arange(first, first + number if number <= MOST_WINDOWS else first, dtype=np.int64)
    closing = [n] if options.string == "units_closed" else []
    ours, theirs = (_inside(np.append(s.positions, closing), starts, k) for s in (reference, hypothesis))
    by_number = metric.name() != "Pk"
    wrong = ours != theirs if by_number else (ours > 0) != (theirs > 0)
    return _Windows(k, first, number, ours, theirs, wrong, by_number, divisor)


def _inside(positions: npt.NDArray[Any], starts: Ints, k: int) -> Ints:
    """Count the boundaries in the slots start .. start+k-1 of each window."""
    ends = np.searchsorted(positions, starts + k - 1, side="right")
    return np.asarray(ends - np.searchsorted(positions, starts, side="left"), dtype=np.int64)


def window_view(
    reference: Segmentation, hypothesis: Segmentation, metrics: dict[str, PairwiseMetric], *, width: int = 80
) -> list[str]:
    """Draw the windows of a pair by Pk or WindowDiff, or both, and return the lines, wrapped at ``width`` columns.

    The metrics are named as they are to be drawn; those with the same windows share a drawing.
    """
    groups: dict[tuple[int, int, int, bytes], dict[str, _Windows]] = {}
    for name, metric in metrics.items():
        windows = windows_of(reference, hypothesis, metric)
        key = (windows.k, windows.first, len(windows), windows.reference.tobytes())
        groups.setdefault(key, {})[name] = windows
    lines: list[str] = []
    for group in groups.values():
        lines += ([""] if lines else []) + _drawing(group, max(width - _LABEL, 10), reference.unit)
    return lines


def _drawing(group: dict[str, _Windows], room: int, unit: str) -> list[str]:
    names, some = " and ".join(group), next(iter(group.values()))
    count, shown = len(some), as_time(some.k / 1000) if unit == "ms" else str(some.k)
    if not count:
        return [f"Windows of {names}: none, the document is not longer than k = {shown}."]
    if count > MOST_WINDOWS:
        return [f"{count} windows of k = {shown} ({names}): too many to draw (over {MOST_WINDOWS})."]
    rows = {"reference": _digits(some.reference), "hypothesis": _digits(some.hypothesis)}
    lines = [
        f"Windows of k = {some.k}, one column each, numbered by the first unit.",
        "A digit counts the boundaries that a side has in the window. x is an error:",
    ]
    for name, windows in group.items():
        rows[name] = "".join(np.where(windows.errors, _ERROR, _RIGHT))
        lines.append(f"  {name}: {_rule(windows)}")
    for start in range(0, count, room):
        stop = min(start + room, count)
        lines += ["", (" " * _LABEL + _numbers(some.first + start, stop - start)).rstrip()]
        lines += [f"{name[: _LABEL - 1].ljust(_LABEL)}{row[start:stop]}" for name, row in rows.items()]
    return lines


def _rule(windows: _Windows) -> str:
    """Return the definition of an error, and the number of errors."""
    rule = "the numbers differ" if windows.by_number else "one side has a boundary, the other has none"
    over = "" if windows.divisor == len(windows) else f", divided by {windows.divisor}"
    return f"{rule} ({int(windows.errors.sum())} of {len(windows)} windows{over})"


def _digits(counts: Ints) -> str:
    return "".join(_RIGHT if count == 0 else str(count) if count < 10 else "#" for count in counts.tolist())


def _numbers(first: int, count: int) -> str:
    """Return the numbers of the first and of every tenth window, each starting above its column."""
    row = ""
    for place in range(count):
        text = str(first + place)
        is_tenth = (first + place) % 10 == 0 and place > len(row) and place + len(text) <= count
        if place == 0 or is_tenth:
            row = row.ljust(place) + text
    return row
