# SPDX-License-Identifier: Apache-2.0
"""Breath groups: consecutive units of one speaker without a pause."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.corpus import Document
from caesura.errors import SegmentationError

__all__ = ["breath_groups"]


def breath_groups(document: Document, pause: float | None) -> npt.NDArray[np.int64]:
    """Return the last unit of each breath group, counted from 1.

    A group ends where the speaker changes or where the next unit starts at least ``pause`` seconds after the end of this
    one. With None every unit is a group.

    Examples
    --------
    >>> times = ((0.0, 0.4), (0.5, 0.9), (1.9, 2.3), (2.4, 2.6))
    >>> said = Document(id="d", n_units=4, unit_times=times, speakers=("a", "a", "a", "b"))
    >>> breath_groups(said, 0.5).tolist()
    [2, 3, 4]
    """
    ends = np.arange(1, document.n_units + 1)
    if pause is None or document.n_units == 1:
        return ends
    if document.unit_times is None:
        raise SegmentationError(
            f"document {document.id!r} has no times, which breath groups need; add 'unit_times', or set pause=None"
        )
    times = np.array(document.unit_times, dtype=np.float64)
    apart = times[1:, 0] - times[:-1, 1] >= pause
    if document.speakers is not None:
        who = np.array(document.speakers)
        apart |= who[1:] != who[:-1]
    last: npt.NDArray[np.int64] = ends[np.append(apart, True)]
    return last
