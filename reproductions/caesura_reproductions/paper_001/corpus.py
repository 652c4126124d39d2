# SPDX-License-Identifier: Apache-2.0
"""The corpora: boundaries within shows, from segments and shows."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["boundaries"]

SEGMENTS = {"MCS7-14": 997, "MCS5-15": 297}
"""Section 5.1."""
_SHOWS = {"MCS7-14": 86, "MCS5-15": 26}


@item("corpus", "Boundaries of the two corpora (section 5.1)")
def boundaries(printed: Printed, data: Data) -> Iterator[Found]:
    """Subtract the shows from the segments: a show of n segments has n - 1 boundaries."""
    for row, segments in SEGMENTS.items():
        ours = segments - _SHOWS[row]
        yield Value(row, "boundaries", ours, note=f"{segments} segments - {_SHOWS[row]} shows = {ours}")
