# SPDX-License-Identifier: Apache-2.0
"""TextTiling on units."""

from __future__ import annotations

import dataclasses

from caesura.declare import Card, param
from caesura.scorers import Features
from caesura.scorers.block_depth import BlockDepth
from caesura.scorers.blocks import below_valleys, depths
from caesura.scorers.features.terms import STOP_WORDS_HELP
from caesura.segmenters._search import above, best
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter
from caesura.selectors import SPACING

__all__ = ["TextTiling"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class TextTiling(SizedSegmenter):
    """Cut where the words before and after a gap have least in common.

    Definition
    ----------
    The units take the place of Hearst's token sequences. The similarity at a gap is the cosine of the term counts of up
    to ``window`` units on each side, without stop words. Its depth is the sum of the rises to the peaks on both sides,
    each reached by walking while the similarity does not fall. Boundaries are the valleys of the similarity whose depth
    exceeds mean + ``cutoff`` · sd (of the population) of the depths of all gaps, deepest first, at least ``min_gap``
    apart. Of a flat valley, a run of equal similarities, the last gap is the candidate. With a number of segments the deepest
    valleys are taken instead. The scores are the depths; gaps that are no valley rank below all valleys.

    Edge cases
    ----------
    Without two units that have words, or if all units are alike, there is no valley and no boundary. A requested number
    of segments is always reached: gaps that are no valley follow after the valleys, and ``min_gap`` gives way.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> units = ("cats purr", "a cat purrs", "cats sleep", "rain falls", "the rain fell", "falling rain")
    >>> TextTiling(window=2).segment(Document(id="d", n_units=6, units=units)).boundaries
    (3,)
    """

    window: int = param(6, "units in each block", minimum=1)
    cutoff: float = param(-0.5, "standard deviations above the mean depth that a boundary must exceed")
    smoothing: int = param(0, "rounds of averaging each similarity with its neighbours", minimum=0)
    min_gap: int = param(4, SPACING, minimum=1)
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="valleys of lexical similarity", citation="Hearst 1997, TextTiling, Computational Linguistics 23(1)"
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        scorer = BlockDepth(window=self.window, smoothing=self.smoothing, stop_words=self.stop_words, stem=self.stem)
        similarities = scorer.similarities(features)
        depth = depths(similarities)
        scores = below_valleys(similarities, depth)
        wanted = self.wanted(features)
        if wanted is not None:
            return Cut.at(features, best(scores, wanted, self.min_gap), scores)
        threshold = depth.mean() + self.cutoff * depth.std() if len(depth) else 0.0
        return Cut.at(features, above(scores, max(float(threshold), 0.0), self.min_gap), scores)
