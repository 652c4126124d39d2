# SPDX-License-Identifier: Apache-2.0
"""Values that unambiguously denote a segmentation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from caesura.errors import CaesuraError, SegmentationError
from caesura.segmentation._value import Segmentation

Spelled = Segmentation | str | Sequence[bool] | npt.NDArray[np.bool_]
"""Unambiguous notations: a segmentation, or bits as a string of 0 and 1 or as bool."""


def segmentation_of(value: object, name: str, error: type[CaesuraError] = SegmentationError) -> Segmentation:
    """Return the segmentation that a value spells in one way only, or say how to spell it.

    Parameters
    ----------
    value : Segmentation, str, list, tuple or array
        A segmentation; a string of 0 and 1; a list or tuple of bool; an array of bool. Bits mark gaps, as in
        `Segmentation.from_bits`. Whole numbers could be masses, labels or bits, and words could be labels or texts,
        so they are refused.
    name : str
        What the value is called in the message.
    error : type
        What to raise if the value does not spell a segmentation.

    Examples
    --------
    >>> segmentation_of("000001001000", "reference").masses
    (6, 3, 4)
    """
    if isinstance(value, Segmentation):
        return value
    if not is_spelled(value):
        raise error(
            f"{name} is a {type(value).__name__}; it must be a Segmentation, such as Segmentation.from_masses([6, 3, 4]), "
            "from_bits('000001001000'), from_labels('aaaaaabbbcccc') or from_boundaries(13, [6, 9])"
        )
    return Segmentation.from_bits(cast("str | Sequence[bool]", value))


def is_spelled(value: object) -> bool:
    """Return whether `segmentation_of` accepts a value."""
    if isinstance(value, Segmentation):
        return True
    if isinstance(value, str):
        return bool(value) and not value.strip("01")
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype == np.bool_ and bool(len(value))
    return isinstance(value, (list, tuple)) and set(map(type, value)) in ({bool}, {np.bool_})
