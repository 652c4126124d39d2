# SPDX-License-Identifier: Apache-2.0
"""The window view: every position of the sliding window, its boundaries on each side, and whether it is an error.

After Fig. 8 of the SegReFree paper. One column is one window; the marks of a row add up to the errors the metric counts.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.metrics.base import PairwiseMetric
from caesura.segmentation import Segmentation
from caesura.units.quantity import as_clock

__all__ = ["Windows", "window_view", "windows_of"]

MOST_WINDOWS = 400
"""The maximum number of windows to draw."""

_LABEL = 12
_ERROR, _RIGHT = "x", "·"

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Windows:
    """The windows of Pk or WindowDiff over one pair.

    A window has ``k`` slots; the first one starts in slot ``first``, below 1 if windows extend before the start.
    ``reference`` and ``hypothesis`` are the boundaries in each window, compared ``by_number`` (WindowDiff) or only by
    whether there is one (Pk). ``divisor`` is the denominator of the metric: the number of windows, or one more with
    segeval's Lamprier edges.
    """

    k: int
    first: int
    reference: Ints
    hypothesis: Ints
    errors: npt.NDArray[np.bool_]
    by_number: bool
    divisor: int

    def __len__(self) -> int:
        return len(self.reference)


def windows_of(reference: Segmentation, hypothesis: Segmentation, metric: PairwiseMetric) -> Windows:
    """Return every window that a metric (Pk or WindowDiff) compares, in order.

    Examples
    --------
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
    starts = np.arange(first, last + 1 if divisor else first, dtype=np.int64)
    closing = [n] if options.string == "units_closed" else []
    ours, theirs = (_inside(np.append(s.positions, closing), starts, k) for s in (reference, hypothesis))
    by_number = metric.name() != "Pk"
    wrong = ours != theirs if by_number else (ours > 0) != (theirs > 0)
    return Windows(k, first, ours, theirs, wrong, by_number, divisor)


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
    groups: dict[tuple[int, int, int, bytes], dict[str, Windows]] = {}
    for name, metric in metrics.items():
        windows = windows_of(reference, hypothesis, metric)
        key = (windows.k, windows.first, len(windows), windows.reference.tobytes())
        groups.setdefault(key, {})[name] = windows
    lines: list[str] = []
    for group in groups.values():
        lines += ([""] if lines else []) + _drawing(group, max(width - _LABEL, 10), reference.unit)
    return lines


def _drawing(group: dict[str, Windows], room: int, unit: str) -> list[str]:
    names, some = " and ".join(group), next(iter(group.values()))
    count, shown = len(some), as_clock(some.k) if unit == "ms" else str(some.k)
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


def _rule(windows: Windows) -> str:
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
