# SPDX-License-Identifier: Apache-2.0
"""The positions of the chunks of a text, and how well they tile it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from caesura.errors import SegmentationError
from caesura.segmentation import Segmentation

__all__ = ["Alignment", "Place", "faults_of", "word_share"]

Place = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Alignment:
    """The positions of the chunks of a text, and how well they tile it."""

    n_characters: int
    spans: tuple[Place, ...]  # start and end of each chunk, in order
    overlaps: int = 0  # number of chunks that start before an earlier one ends
    overlap_characters: int = 0  # number of characters they share, without white space
    gaps: int = 0  # number of passages that no chunk covers
    gap_characters: int = 0  # number of their characters, without white space
    respaced: int = 0  # number of chunks found only when white space was ignored
    empty: int = 0  # number of chunks without text, which are left out
    words: int = 0  # number of words, if the chunks are not exact pieces of the text
    matched: int = 0  # number of them that chunks and text have in common
    misplaced: int = 0  # number of chunks that are not at their offsets, and were found by their words

    @classmethod
    def from_spans(cls, text: str, spans: Iterable[Place], *, respaced: int = 0, empty: int = 0) -> Alignment:
        """Return the alignment of chunks whose spans are known, in order and inside the text."""
        places = tuple((int(start), int(end)) for start, end in spans)
        _check_spans(places, len(text))
        overlaps = overlap_characters = gaps = gap_characters = reached = 0
        for start, end in [*places, (len(text), len(text))]:
            if start < reached:
                shared = _filled(text, start, min(end, reached))
                overlaps += shared > 0
                overlap_characters += shared
            elif lost := _filled(text, reached, start):
                gaps += 1
                gap_characters += lost
            reached = max(reached, end)
        return cls(len(text), places, overlaps, overlap_characters, gaps, gap_characters, respaced, empty)

    @property
    def segmentation(self) -> Segmentation:
        """The chunks as a segmentation in characters: a boundary at the start of every chunk but the first."""
        starts = sorted({start for start, _ in self.spans[1:]} - {0, self.spans[0][0]})
        return Segmentation(self.n_characters, starts, unit="character")

    def __str__(self) -> str:
        return "; ".join([f"{len(self.spans)} chunks", *(faults_of([self]) or ["which tile the text"])])


def _check_spans(places: Sequence[Place], length: int) -> None:
    """Raise unless the spans are inside a text of this length, not empty, and sorted by their start."""
    if not length:
        raise SegmentationError("the text is empty; there is nothing to align chunks with")
    if not places:
        raise SegmentationError("there are no chunks; give at least one")
    for number, (start, end) in enumerate(places, start=1):
        if start >= end:
            what = "is empty" if start == end else "ends before it starts"
            raise SegmentationError(f"chunk {number} has the offsets {start}..{end}: it {what}; correct them")
        if not 0 <= start < end <= length:
            raise SegmentationError(
                f"chunk {number} has the offsets {start}..{end}, but the text has {length} characters; "
                "check that the chunks are of this text"
            )
        if number > 1 and start < places[number - 2][0]:
            raise SegmentationError(
                f"chunk {number} starts at {start}, before chunk {number - 1} at {places[number - 2][0]}; "
                "sort the chunks by their start"
            )


def faults_of(alignments: Sequence[Alignment]) -> list[str]:
    """Return in words how the chunks of several texts fail to tile them; nothing if they tile them."""

    def total(name: str) -> int:
        return sum(getattr(alignment, name) for alignment in alignments)

    def counted(name: str, one: str, many: str) -> str:
        return f"{total(name)} {one if total(name) == 1 else many}"

    lines = {
        "overlaps": f"{counted('overlaps', 'chunk overlaps', 'chunks overlap')} an earlier one, "
        f"by {counted('overlap_characters', 'character', 'characters')} in all",
        "gaps": f"{counted('gap_characters', 'character', 'characters')} in {counted('gaps', 'place', 'places')} "
        f"{'is' if total('gap_characters') == 1 else 'are'} in no chunk",
        "respaced": f"{counted('respaced', 'chunk differs', 'chunks differ')} from the text in white space",
        "empty": f"{counted('empty', 'chunk', 'chunks')} without text left out",
        "misplaced": f"{counted('misplaced', 'chunk is', 'chunks are')} not at the given offsets and were located by their words",
    }
    share = word_share(alignments)
    changed = sum(alignment.words > 0 for alignment in alignments)
    lines["words"] = (
        f"the words of {changed} {'text' if changed == 1 else 'texts'} were changed, and {share} of them match"
    )
    return [line for name, line in lines.items() if total(name)]


def word_share(alignments: Iterable[Alignment]) -> str | None:
    """Return the share of words that match, over the texts whose chunks are not exact pieces; None if all are."""
    changed = [alignment for alignment in alignments if alignment.words]
    if not changed:
        return None
    return f"{sum(a.matched for a in changed) / sum(a.words for a in changed):.3f}"


def _filled(text: str, start: int, end: int) -> int:
    """Return the number of characters of a stretch that are not white space."""
    return len("".join(text[start:end].split()))
