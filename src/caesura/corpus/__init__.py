# SPDX-License-Identifier: Apache-2.0
"""Documents and corpora.

A `Corpus` keeps its segmentations in flat arrays, so that a million documents need no objects; a `Document` is created
on access.
"""

from caesura.corpus._annotators import known_annotators, no_boundaries
from caesura.corpus._corpus import Corpus
from caesura.corpus._document import (
    BY_ANNOTATOR,
    COMMENTS,
    DATES,
    DECISIONS,
    MADE_BY,
    MAJOR,
    READ_AS,
    REPEATS,
    SECONDS,
    TITLES,
    UNSURE,
    Change,
    Document,
    Origin,
)
from caesura.corpus._ids import Numbered, Packed, drawing_order, drawing_places

__all__ = [
    "BY_ANNOTATOR",
    "COMMENTS",
    "DATES",
    "DECISIONS",
    "MADE_BY",
    "MAJOR",
    "READ_AS",
    "REPEATS",
    "SECONDS",
    "TITLES",
    "UNSURE",
    "Change",
    "Corpus",
    "Document",
    "Numbered",
    "Origin",
    "Packed",
    "drawing_order",
    "drawing_places",
    "known_annotators",
    "no_boundaries",
]
