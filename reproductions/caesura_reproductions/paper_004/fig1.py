# SPDX-License-Identifier: Apache-2.0
"""Figure 1: the number of segments of each annotator, by chapter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.datasets.folders import natural
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import chapters
from caesura_reproductions.printed import Printed

__all__ = ["segment_counts"]

_BOX = {"least": 0, "lower quartile": 25, "median": 50, "upper quartile": 75, "most": 100}


@item("Fig1", "Number of segments by chapter, as box plots")
def segment_counts(printed: Printed, data: Data) -> Iterator[Found]:
    """Yield the box of each chapter, and whether all annotators of a chapter ever agree on a number."""
    differ = True
    for document in sorted(chapters(data), key=lambda chapter: natural(chapter.id)):
        counts = [coding.n_segments for coding in document.annotations.values()]
        differ &= min(counts) < max(counts)
        for column, ours in zip(_BOX, np.percentile(counts, list(_BOX.values())), strict=True):
            yield Value(document.id, column, float(ours), note=f"{len(counts)} annotators")
    yield Value(*next(iter(printed)), "yes" if differ else "no", holds=differ)
