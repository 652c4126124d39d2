# SPDX-License-Identifier: Apache-2.0
"""Labels of 0 and 1, which may be topics or boundary flags; the meaning must be given, not guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats._files import plural
from caesura.segmentation import Marks, Segmentation

__all__ = ["FLAGS", "ask", "flagged", "look_like_flags", "marks_param"]

FLAGS = {
    "0": "0", "0.0": "0", "false": "0", "no": "0", "n": "0", "i": "0",
    "1": "1", "1.0": "1", "true": "1", "yes": "1", "y": "1", "b": "1",
}  # fmt: skip
"""Spellings of a flag; ``b`` and ``i`` begin and continue a segment."""


def marks_param() -> Any:
    """Return the parameter for the meaning of labels of 0 and 1."""
    return param(
        None,
        "what labels of 0 and 1 mean: topics, or a 1 on the first or last unit of a segment [required]",
        choices=("topics", "first", "last", "last_closed"),
    )


def look_like_flags(labels: Iterable[object]) -> bool:
    """Return whether labels may be flags: only 0 and 1 in any spelling, with at least one 1.

    >>> look_like_flags([0, 0, 1]), look_like_flags(["a", "b"]), look_like_flags([0, 0]), look_like_flags([0, 1, 2])
    (True, False, False, False)
    """
    values = {FLAGS.get(str(label).strip().casefold()) for label in labels}
    return "1" in values and None not in values


def flagged(labels: Sequence[object], marks: str, unit: str | None = None) -> Segmentation:
    """Return the segmentation of flags."""
    bits = [FLAGS.get(str(label).strip().casefold(), "") for label in labels]
    if "" in bits:
        place = bits.index("")
        raise FormatError(f"the flag of unit {place + 1} is {str(labels[place])[:30]!r}; write 0 or 1")
    text = "".join(bits)
    segmentation = Segmentation.from_bits(text, marks=cast(Marks, marks))
    return segmentation if unit is None else segmentation.with_unit(unit)


def ask(labels: Sequence[object], name: str, *, topics: bool = True) -> FormatError:
    """Return the error that asks for the meaning of labels of 0 and 1, with the result of each reading."""
    spelled = {FLAGS[str(label).strip().casefold()]: str(label).strip() for label in labels}
    zero, one = spelled.get("0", "0"), spelled.get("1", "1")
    last = plural(flagged(labels, "last").n_segments, "segment", "segments")
    readings = [f"a {one} on the last unit of a segment ({last}, marks='last')"]
    readings.append(f"on the first ({flagged(labels, 'first').n_segments}, marks='first')")
    if topics:
        changes = Segmentation.from_labels([str(label) for label in labels]).n_segments
        readings.append(f"or topics ({changes}, marks='topics')")
    return FormatError(
        f'labels of {zero} and {one} can mean {", ".join(readings)}; say which, as in --from "{name}"'
    )
