# SPDX-License-Identifier: Apache-2.0
"""Alignment of chunks that are not exact pieces of the text, such as chunks rewritten by a language model.

Words that both have in the same order are anchors: first long runs of words that occur once on either side, then shorter
ones between them. A chunk starts at its first anchor, less the changed words before it. The share of matched words
measures how faithful the chunks are; below `LEAST_SHARE` they are refused.
"""

from __future__ import annotations

import bisect
import dataclasses
import difflib
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from caesura.errors import SegmentationError
from caesura.units.align import Alignment, Place

__all__ = ["LEAST_SHARE", "anchored", "common_words"]

LEAST_SHARE = 0.75
"""The minimum share of words that chunks and text must have in common."""

_WORD = re.compile(r"\w+")
_RUNS = (6, 3, 1)
_SMALL = 10_000
_Region = tuple[int, int, int, int]
_Block = tuple[int, int, int]


def anchored(text: str, chunks: Sequence[str]) -> Alignment:
    """Find chunks with changed words in their text; too few words that match, or a chunk without any, are refused.

    >>> found = anchored("The cat sat down. Then rain fell on the town.", ["The cat sat.", "Then the rain fell on the town."])
    >>> found.segmentation.boundaries, (found.matched, found.words)
    ((18,), (9, 10))
    """
    places = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].casefold() for start, end in places]
    theirs = [[word.casefold() for word in _WORD.findall(chunk)] for chunk in chunks]
    pairs = common_words(words, list(itertools.chain.from_iterable(theirs)))
    total = max(len(words), sum(map(len, theirs)))
    share = len(pairs) / total if total else 0.0
    if share < LEAST_SHARE:
        raise SegmentationError(
            f"only {share:.0%} of the words of chunks and text match, and {LEAST_SHARE:.0%} are needed; check that the "
            "chunks are of this text"
        )
    starts = [_before(text, places[place][0]) for place in _starts(theirs, pairs, chunks)]
    spans = [(start, start + len(text[start:end].rstrip())) for start, end in itertools.pairwise([*starts, len(text)])]
    return dataclasses.replace(Alignment.from_spans(text, spans), matched=len(pairs), words=total)


def _starts(theirs: Sequence[Sequence[str]], pairs: Sequence[Place], chunks: Sequence[str]) -> Iterator[int]:
    """Yield the word of the text with which each chunk starts."""
    at = {chunk_word: word for word, chunk_word in pairs}
    begin = free = 0
    for number, (words, chunk) in enumerate(zip(theirs, chunks, strict=True), start=1):
        anchors = [place for place in range(begin, begin + len(words)) if place in at]
        if not anchors:
            shown = " ".join(chunk.split())[:60]
            raise SegmentationError(f"chunk {number} ({shown!r}) shares no word with the text; leave it out")
        yield max(free, at[anchors[0]] - (anchors[0] - begin))
        free = at[anchors[-1]] + 1
        begin += len(words)


def _before(text: str, start: int) -> int:
    """Return the start of the punctuation directly before a word, such as an opening quote."""
    place = start
    while place and not text[place - 1].isspace() and not text[place - 1].isalnum():
        place -= 1
    return place if place == 0 or text[place - 1].isspace() else start


def common_words(first: Sequence[str], second: Sequence[str]) -> list[Place]:
    """Return the positions of the words that two texts have in common, in the order of both.

    >>> common_words("a b c d".split(), "a x c d".split())
    [(0, 0), (2, 2), (3, 3)]
    """
    regions: list[_Region] = [(0, len(first), 0, len(second))]
    found: list[_Block] = []
    for run in _RUNS:
        rest: list[_Region] = []
        for region in regions:
            blocks = _anchors(first, second, region, run)
            found += blocks
            rest += _between(region, blocks)
        regions = rest
    for a0, a1, b0, b1 in regions:
        if (a1 - a0) * (b1 - b0) <= _SMALL:
            matcher = difflib.SequenceMatcher(None, first[a0:a1], second[b0:b1], autojunk=False)
            found += [(a0 + i, b0 + j, length) for i, j, length in matcher.get_matching_blocks()]
    return sorted((i + step, j + step) for i, j, length in found for step in range(length))


def _between(region: _Region, blocks: Sequence[_Block]) -> Iterator[_Region]:
    """Yield the regions between blocks in which both sides have words."""
    a, a_end, b, b_end = region
    for i, j, length in [*blocks, (a_end, b_end, 0)]:
        if a < i and b < j:
            yield a, i, b, j
        a, b = i + length, j + length


def _anchors(first: Sequence[str], second: Sequence[str], region: _Region, run: int) -> list[_Block]:
    """Return maximal runs of words that occur once on either side of a region, in the order of both."""
    a0, a1, b0, b1 = region
    ours, theirs = _once(first, a0, a1, run), _once(second, b0, b1, run)
    shared = _increasing([(place, theirs[words]) for words, place in ours.items() if words in theirs])
    blocks: list[_Block] = []
    low_a, low_b = a0, b0
    for i, j in shared:
        if i < low_a or j < low_b:
            continue  # inside the previous block
        start_a, start_b, end_a, end_b = i, j, i + run, j + run
        while start_a > low_a and start_b > low_b and first[start_a - 1] == second[start_b - 1]:
            start_a, start_b = start_a - 1, start_b - 1
        while end_a < a1 and end_b < b1 and first[end_a] == second[end_b]:
            end_a, end_b = end_a + 1, end_b + 1
        blocks.append((start_a, start_b, end_a - start_a))
        low_a, low_b = end_a, end_b
    return blocks


def _once(words: Sequence[str], start: int, end: int, run: int) -> dict[tuple[str, ...], int]:
    """Return the runs of words that occur once, with their positions."""
    runs = [tuple(words[place : place + run]) for place in range(start, end - run + 1)]
    counts = Counter(runs)
    return {each: start + place for place, each in enumerate(runs) if counts[each] == 1}


def _increasing(pairs: Sequence[Place]) -> list[Place]:
    """Return the longest increasing subsequence of pairs by second position; they are sorted by the first."""
    ends: list[int] = []
    kept: list[int] = []
    previous: list[int] = []
    for place, (_, value) in enumerate(pairs):
        at = bisect.bisect_left(ends, value)
        previous.append(kept[at - 1] if at else -1)
        ends[at : at + 1], kept[at : at + 1] = [value], [place]
    longest: list[Place] = []
    place = kept[-1] if kept else -1
    while place >= 0:
        longest.append(pairs[place])
        place = previous[place]
    return longest[::-1]
