# SPDX-License-Identifier: Apache-2.0
"""Texts, speakers and scores of Caesura's JSONL, read from their lines on access."""

from __future__ import annotations

import bisect
from typing import Any

import msgspec

__all__ = ["LEAN", "Lean", "LineDetails"]


class Lean(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A document with a segmentation, and optionally texts, speakers and scores."""

    id: str | int
    n_units: int | msgspec.UnsetType = msgspec.UNSET
    boundaries: list[int] | msgspec.UnsetType = msgspec.UNSET
    masses: list[int] | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET
    units: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    speakers: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    scores: tuple[float, ...] | msgspec.UnsetType = msgspec.UNSET


LEAN = msgspec.json.Decoder(Lean)


class LineDetails:
    """Texts, speakers and scores of documents, each read from its line on access."""

    def __init__(self, blocks: list[tuple[int, bytes]]) -> None:
        self._starts, self._blocks = [row for row, _ in blocks], [block for _, block in blocks]
        self._split: tuple[int, list[bytes]] = -1, []

    def __call__(self, row: int) -> dict[str, Any]:
        """Return the texts, speakers and scores of the document at a row."""
        lean = LEAN.decode(self._line(row))
        given = {"units": lean.units, "speakers": lean.speakers, "scores": lean.scores}
        return {key: value for key, value in given.items() if value is not msgspec.UNSET}

    def _line(self, row: int) -> bytes:
        """Return the line of a document; a line without details if it precedes the first kept block."""
        place = bisect.bisect_right(self._starts, row) - 1
        if place < 0:
            return b'{"id": 0}'
        if self._split[0] != place:
            # Documents are mostly accessed in order.
            self._split = place, [line for line in self._blocks[place].split(b"\n") if line.strip()]
        return self._split[1][row - self._starts[place]]
