# SPDX-License-Identifier: Apache-2.0
"""Values that unambiguously denote a segmentation, and flags that can only be starts."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from caesura.errors import CaesuraError, SegmentationError
from caesura.segmentation._checks import Marks
from caesura.segmentation._value import Segmentation

Spelled = Segmentation | str | Sequence[bool] | npt.NDArray[np.bool_]
"""Unambiguous notations: a segmentation, or bits as a string of 0 and 1 or as bool."""

_MEANINGS = ("gap", "first", "last", "last_closed", "topics", "segments")
"""What marks may mean: all values of ``marks``, of which each format has some."""

_HANDFUL = 5
_ADJACENT = 0.1


def check_marks(marks: object) -> None:
    """Refuse a value of ``marks`` that no input knows."""
    if marks not in (None, *_MEANINGS):
        raise SegmentationError(f"marks is {marks!r}; it must be one of {', '.join(map(repr, _MEANINGS))}")


def segmentation_of(
    value: object, name: str, error: type[CaesuraError] = SegmentationError, *, marks: str | None = None
) -> Segmentation:
    """Return the segmentation that a value spells in one way only, or raise ``error``, which says how to spell it.

    That is a segmentation; a string of 0 and 1; a list, tuple or array of bool. Bits mark gaps unless ``marks`` says
    otherwise, as in `Segmentation.from_bits`, or that they are topics. Whole numbers could be masses, labels or bits, and
    words could be labels or texts, so they are refused; 0 and 1 are accepted with ``marks``.

    >>> segmentation_of("000001001000", "reference").masses
    (6, 3, 4)
    >>> segmentation_of([0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0], "reference", marks="last").masses
    (6, 3, 4)
    """
    if isinstance(value, Segmentation):
        return value
    if not is_spelled(value, marks):
        raise error(
            f"{name} is a {type(value).__name__}; it must be a Segmentation, such as Segmentation.from_masses([6, 3, 4]), "
            "from_bits('000001001000'), from_labels('aaaaaabbbcccc') or from_boundaries(13, [6, 9])"
        )
    bits = cast("str | Sequence[bool]", value)
    if marks == "topics":
        return Segmentation.from_labels(bits)
    return Segmentation.from_bits(bits, marks=cast(Marks, "gap" if marks in (None, "segments") else marks))


def is_spelled(value: object, marks: str | None = None) -> bool:
    """Return whether `segmentation_of` accepts a value."""
    if isinstance(value, Segmentation):
        return True
    if isinstance(value, str):
        return bool(value) and not value.strip("01")
    if isinstance(value, np.ndarray):
        if value.ndim != 1 or not len(value):
            return False
        return value.dtype == np.bool_ or (
            marks is not None and value.dtype.kind in "iu" and bool(np.isin(value, (0, 1)).all())
        )
    if not isinstance(value, (list, tuple)):
        return False
    kinds = set(map(type, value))
    return kinds in ({bool}, {np.bool_}) or (
        marks is not None and kinds == {int} and set(cast("Sequence[int]", value)) <= {0, 1}
    )


def look_like_starts(documents: Iterable[Sequence[object]], *, topics: bool = False) -> bool:
    """Return whether flags, one for each unit, can only mark the first units of segments.

    They do if the first unit of every document has a 1. As a mark of last units, each would be a first segment of one
    unit, so at least five documents of two or more units are wanted, one of them with a 1 behind its first unit, and one
    without a 1 on its last. If they may be ``topics``, at most one 1 in ten may directly follow another: a topic lasts
    for more than one unit.

    >>> look_like_starts([[1, 0, 0, 1, 0]] * 5), look_like_starts([[1, 0, 0, 1, 0]] * 4), look_like_starts([[1, 0, 1]] * 5)
    (True, False, False)
    >>> look_like_starts([[1, 1, 0, 0]] * 5), look_like_starts([[1, 1, 0, 0]] * 5, topics=True)
    (True, False)
    """
    given = [flags for flags in documents if len(flags) > 1]
    if len(given) < _HANDFUL or not all(flags[0] for flags in given) or all(flags[-1] for flags in given):
        return False
    rows = [list(map(bool, flags)) for flags in given]
    ones = sum(map(sum, rows))
    adjacent = sum(before and after for row in rows for before, after in itertools.pairwise(row))
    return ones > len(rows) and not (topics and adjacent > _ADJACENT * ones)
