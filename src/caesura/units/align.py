# SPDX-License-Identifier: Apache-2.0
"""Alignment of a chunker's chunks with the text, by their words.

Conventions
-----------
The span of a chunk is ``[start, end)`` in characters of the text. There is a boundary at the start of every chunk but the
first: a segment ends where the next chunk starts, so text that two chunks share belongs to the later one, and text that no
chunk covers belongs to the previous one. Both are counted, without white space, which chunkers add and drop at the edges.

Chunks must be in the order of the text. A chunk whose words occur several times is placed by its neighbours: directly after
the previous chunk if its words are there, else overlapping the end of that chunk, else at the first occurrence after it. White
space at the edges of a chunk is ignored: it starts with its first word.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence

from caesura.errors import SegmentationError
from caesura.segmentation import Segmentation

__all__ = ["Alignment", "Place", "align", "faults_of", "word_share"]

Place = tuple[int, int]
_Look = Callable[[str, str, Place], Place | None]


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


def align(text: str, chunks: Sequence[str]) -> Alignment:
    """Find the chunks of a text in it.

    Parameters
    ----------
    text : str
        The text that was chunked.
    chunks : sequence of str
        The chunks, in order. A chunk that does not occur exactly is searched without white space, and counted.

    Raises
    ------
    SegmentationError
        If a chunk does not occur at or after the previous one; the message names the first such chunk.

    Examples
    --------
    >>> found = align("One two. One two. Three.", ["One two.", "One two. Three."])
    >>> found.spans, found.segmentation.boundaries
    (((0, 8), (9, 24)), (9,))
    >>> str(align("abc def ghi", ["abc def", "def ghi"]))
    '2 chunks; 1 chunk overlaps an earlier one, by 3 characters in all'
    """
    if isinstance(chunks, str):
        raise SegmentationError("chunks is a single string; give a list of strings")
    filled: list[tuple[int, str]] = []
    for number, chunk in enumerate(chunks, start=1):
        if not isinstance(chunk, str):
            raise SegmentationError(f"chunk {number} is {chunk!r}; it must be a string")
        if core := chunk.strip():
            filled.append((number, core))
    pages = _Pages(text)
    furthest = 0
    # A likely position may leave no room for a later chunk; the earliest positions, finally even shared ones, leave the most.
    for looks in ((_follows, _overlaps, _behind), (_first,), (_again,)):
        found = _placed(pages, filled, looks)
        if not isinstance(found, int):
            break
        furthest = max(furthest, found)
    else:
        raise SegmentationError(_not_found(filled, furthest))
    spans, respaced = found
    return Alignment.from_spans(text, spans, respaced=respaced, empty=len(chunks) - len(filled))


class _Pages:
    """A text with and without white space, and the position of each remaining character."""

    def __init__(self, text: str) -> None:
        self.text = text

    @functools.cached_property
    def places(self) -> list[int]:
        return [place for place, character in enumerate(self.text) if not character.isspace()]

    @functools.cached_property
    def bare(self) -> str:
        return "".join(self.text.split())

    def find(self, chunk: str, before: Place, looks: Sequence[_Look]) -> tuple[Place, bool] | None:
        """Return the span of a chunk after the start of the previous one, and whether its white space differs."""
        # A position next to the previous chunk is likelier than one far after it, even if white space differs there.
        for look in looks:
            place = look(self.text, chunk, before)
            if place is not None:
                return place, False
            bare_before = (
                bisect.bisect_left(self.places, before[0]) if before[0] >= 0 else -1,
                bisect.bisect_left(self.places, before[1]),
            )
            bare = look(self.bare, "".join(chunk.split()), bare_before)
            if bare is not None:
                return (self.places[bare[0]], self.places[bare[1] - 1] + 1), True
        return None


def _placed(pages: _Pages, chunks: Sequence[tuple[int, str]], looks: Sequence[_Look]) -> tuple[list[Place], int] | int:
    """Return the spans of the chunks and how many differ in white space, or the index of the first not found."""
    spans: list[Place] = []
    respaced = 0
    for place, (_, chunk) in enumerate(chunks):
        match = pages.find(chunk, spans[-1] if spans else (-1, 0), looks)
        if match is None:
            return place
        spans.append(match[0])
        respaced += match[1]
    return spans, respaced


def _follows(text: str, chunk: str, before: Place) -> Place | None:
    """Return the span of a chunk that follows the previous one with only white space between."""
    start = before[1]
    while start < len(text) and text[start].isspace():
        start += 1
    return (start, start + len(chunk)) if text.startswith(chunk, start) else None


def _overlaps(text: str, chunk: str, before: Place) -> Place | None:
    """Return the span of a chunk that starts inside the previous one and ends after it, with the least overlap."""
    begin, end = before
    start = text.rfind(chunk, max(begin + 1, end - len(chunk) + 1), end + len(chunk) - 1)
    return None if start < 0 else (start, start + len(chunk))


def _behind(text: str, chunk: str, before: Place) -> Place | None:
    """Return the first span of a chunk after the previous one, or, failing that, inside it."""
    begin, end = before
    start = text.find(chunk, end)
    if start < 0:
        start = text.find(chunk, begin + 1, end)
    return None if start < 0 else (start, start + len(chunk))


def _first(text: str, chunk: str, before: Place) -> Place | None:
    """Return the first span of a chunk that starts after the start of the previous one."""
    start = text.find(chunk, before[0] + 1)
    return None if start < 0 else (start, start + len(chunk))


def _again(text: str, chunk: str, before: Place) -> Place | None:
    """Return the first span of a chunk that starts at or after the start of the previous one."""
    start = text.find(chunk, max(before[0], 0))
    return None if start < 0 else (start, start + len(chunk))


def _not_found(chunks: Sequence[tuple[int, str]], place: int) -> str:
    number, chunk = chunks[place]
    shown = " ".join(chunk.split())
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    behind = f" after chunk {chunks[place - 1][0]}" if place else ""
    return f"chunk {number} ({shown!r}) is not in the text{behind}; chunks must be exact pieces of it, in order"
