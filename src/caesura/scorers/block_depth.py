# SPDX-License-Identifier: Apache-2.0
"""BlockDepth: the depth score of TextTiling."""

from __future__ import annotations

import dataclasses

from caesura.declare import Card, param
from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.blocks import depths, smoothed, term_cosines
from caesura.scorers.features import Features, Floats
from caesura.scorers.features.terms import STOP_WORDS_HELP

__all__ = ["BlockDepth"]


@SCORERS.register()
@dataclasses.dataclass(frozen=True)
class BlockDepth(Scorer):
    """Score a gap by how far the lexical similarity of the blocks around it lies below the peaks on both sides.

    The similarity is the cosine of the term counts of up to ``window`` units before and after the gap. From the gap one
    walks left and right while the similarity does not fall; the depth is the sum of both rises.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> units = ("cats purr", "a cat purrs", "cats sleep", "rain falls", "the rain fell", "falling rain")
    >>> BlockDepth(window=2).score(Document(id="d", n_units=6, units=units)).argmax() + 1
    np.int64(3)
    """

    window: int = param(6, "units in each block", minimum=1)
    smoothing: int = param(0, "rounds of averaging each similarity with its neighbours", minimum=0)
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="depth of the lexical similarity of blocks",
        citation="Hearst 1997, TextTiling, Computational Linguistics 23(1)",
    )

    def similarities(self, features: Features) -> Floats:
        """Return the similarity of the blocks around each gap."""
        terms = features.terms(self.stop_words, self.stem)
        return smoothed(term_cosines(terms, self.window), self.smoothing)

    def gap_scores(self, features: Features) -> Floats:
        """Return the depth at each gap."""
        return depths(self.similarities(features))
