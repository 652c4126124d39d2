# SPDX-License-Identifier: Apache-2.0
"""TextTiling on token sequences of fixed length, with the boundaries of NLTK."""

from __future__ import annotations

import dataclasses
import re
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from caesura.declare import Card, param
from caesura.scorers import Features, Floats, Ints
from caesura.scorers.blocks import depths, term_cosines
from caesura.scorers.features import count_terms
from caesura.scorers.features.terms import STOP_WORDS_HELP, stop_list
from caesura.segmenters._search import best
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter

__all__ = ["TokenTiling"]


_BREAK = re.compile(r"[ \t\r\f\v]*\n[ \t\r\f\v]*\n[ \t\r\f\v]*")
_DROPPED = re.compile(r"[^a-z\-' \n\t]+")
_PARAGRAPH = 100  # characters before the next break counts
_APART = 4  # sequences between two boundaries
_DEEPEST = 2.0


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class TokenTiling(SizedSegmenter):
    """Cut the running text where the words before and after a gap have least in common, then move to a unit's end.

    Definition
    ----------
    This is TextTiling as NLTK has it, on the units joined by blank lines. The words of the text, letters only, form
    sequences of ``w`` words. The similarity at the gap of two sequences is the cosine of the term counts of up to ``k``
    sequences on each side, without stop words, averaged with its neighbours. Its depth is the sum of the rises to the
    peaks on both sides; the first and last two to five gaps have depth 0. Gaps whose depth exceeds mean + ``cutoff`` · sd
    are taken by descending depth, at least four sequences apart, and moved to the nearest end of a unit that is at least
    100 characters after the one before it. With NLTK's stop list the boundaries are NLTK's.

    Edge cases
    ----------
    Where NLTK refuses a text (no two units of 100 characters, fewer than four sequences), there is no boundary. The
    scores are the depths at the ends of units to which gaps moved; all other ends rank below them.
    """

    w: int = param(20, "words in each sequence", minimum=1)
    k: int = param(10, "sequences in each block", minimum=1)
    cutoff: float = param(-0.5, "standard deviations above the mean depth that a boundary must exceed")
    stop_words: str = param("english", STOP_WORDS_HELP)

    finds_topics: ClassVar[bool] = False  # its sequences are longer than these
    card = Card(
        title="valleys of lexical similarity of token sequences, as NLTK",
        citation="Hearst 1997, TextTiling, Computational Linguistics 23(1)",
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        n = features.n_units
        text = "\n\n".join(features.units)
        starts = np.cumsum([0, *(len(part) + 2 for part in features.units[:-1])])
        scores = np.full(n - 1, -2 * _DEEPEST)
        depth = self._depths(text)
        breaks = _breaks(text)
        chosen: list[int] = []
        if len(depth):
            accepted = self._accepted(depth)
            gaps, ends = _moved(text, len(depth), self.w, breaks)
            places = np.searchsorted(starts, ends)
            inside = (places > 0) & (places < n)
            ranked = np.where(accepted, depth, depth - _DEEPEST)[gaps]
            np.maximum.at(scores, places[inside] - 1, ranked[inside])
            chosen = sorted(set(places[inside & accepted[gaps]].tolist()))
        wanted = self.wanted(features)
        if wanted is not None:
            return Cut.at(features, best(scores, wanted), scores)
        return Cut.at(features, chosen, scores)

    def _depths(self, text: str) -> Floats:
        """Return the depth at each gap of two sequences, or nothing where NLTK refuses the text."""
        letters = _DROPPED.sub("", text.lower())
        tokens = re.findall(r"\w+", letters)
        stops = stop_list(self.stop_words)
        sequences = [tokens[first : first + self.w] for first in range(0, len(tokens), self.w)]
        lists = [[token for token in sequence if token not in stops] for sequence in sequences]
        if len(_breaks(letters)) < 2 or len(lists) < 4:
            return np.zeros(0)
        gaps = np.arange(1, len(lists))
        # As NLTK: near the start both blocks are as long as the first, near the end as the last.
        window = np.where(gaps < self.k, gaps, np.minimum(len(lists) - gaps, self.k))
        smooth = _smoothed(term_cosines(count_terms(lists), window))
        depth = depths(smooth)
        clip = min(max(len(smooth) // 10, 2), 5)
        depth[:clip] = 0.0
        depth[max(len(depth) - clip, 0) :] = 0.0
        return depth

    def _accepted(self, depth: Floats) -> npt.NDArray[np.bool_]:
        """Return which gaps become boundaries."""
        # Summed one by one, as NLTK does: another order gives another last digit, and a gap may equal the cut-off.
        threshold = sum(depth.tolist()) / len(depth) + self.cutoff * float(np.std(depth))
        accepted = np.zeros(len(depth), dtype=bool)
        for gap in np.lexsort((np.arange(len(depth)), depth))[::-1].tolist():
            if depth[gap] > threshold and not accepted[max(0, gap - _APART + 1) : gap + _APART].any():
                accepted[gap] = True
        return accepted


def _breaks(text: str) -> list[int]:
    """Return where paragraphs end: the start of the text, and every blank line that is far enough from the last."""
    found = [0]
    for match in _BREAK.finditer(text):
        if match.start() - found[-1] >= _PARAGRAPH:
            found.append(match.start())
    return found


def _smoothed(row: Floats) -> Floats:
    """Return the means of three neighbours, the row mirrored at its ends."""
    mirrored = np.concatenate((2 * row[0] - row[3:1:-1], row, 2 * row[-1] - row[-1:-3:-1]))
    return np.convolve(np.ones(3) / 3.0, mirrored, mode="same")[2:-2]


def _moved(text: str, n_gaps: int, w: int, breaks: list[int]) -> tuple[Ints, Ints]:
    """Return the gaps that lie in the text by its words between white space, and the break nearest to each."""
    word_ends = np.array([match.end() + 1 for match in re.finditer(r"[^ \t\n]+(?=[ \t\n])", text)], dtype=np.int64)
    gaps: list[int] = []
    places: list[int] = []
    last = 0
    for gap in range(n_gaps):
        number = max(gap, 1) * w
        if number >= len(word_ends):
            break
        # Two gaps at one word are noticed at one character and the next.
        last = max(int(word_ends[number]), last + 1)
        if last >= len(text):
            break
        gaps.append(gap)
        places.append(last)
    ends = np.array(places, dtype=np.int64)
    marks = np.array(breaks, dtype=np.int64)
    after = np.clip(np.searchsorted(marks, ends), 1, max(len(marks) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(marks) - 1)
    nearest = np.where(marks[after] - ends < ends - marks[before], marks[after], marks[before])
    return np.array(gaps, dtype=np.int64), nearest
