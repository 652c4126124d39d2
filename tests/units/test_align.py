"""Chunks found in their text: by hand, by brute force on chunkers whose offsets are known, and hostile input."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from caesura.errors import SegmentationError
from caesura.units.align import Alignment, align

TEXT = "The sun rose. It was warm.\n\nIt was warm. The end came."


@pytest.mark.parametrize(
    ("text", "chunks", "spans"),
    [
        (TEXT, ["The sun rose.", "It was warm.", "It was warm.", "The end came."], [(0, 13), (14, 26), (28, 40), (41, 54)]),
        (TEXT, ["The sun rose. ", "It was warm.\n\n", "It was warm. The end came."], [(0, 13), (14, 26), (28, 54)]),
        ("a a a", ["a", "a", "a"], [(0, 1), (2, 3), (4, 5)]),
        ("ababab", ["abab", "ab"], [(0, 4), (4, 6)]),
        ("abcdef", ["abcd", "cdef"], [(0, 4), (2, 6)]),
        ("abcdef", ["abcd", "bc"], [(0, 4), (1, 3)]),
        ("x heading y", ["x", "y"], [(0, 1), (10, 11)]),
        ("one\u00a0two\nthree", ["one two", "three"], [(0, 7), (8, 13)]),
        ("A B. Far. A\nB.", ["A\nB.", "Far."], [(0, 4), (5, 9)]),
        ("x", ["x"], [(0, 1)]),
    ],
)  # fmt: skip
def test_places_by_hand(text, chunks, spans):
    assert list(align(text, chunks).spans) == spans


def test_a_near_place_gives_way_where_it_leaves_no_room():
    """The second chunk would follow the first, but then the third is nowhere; windows of three, one step each."""
    found = align("aaaa", ["aa", "aa", "aa"])
    assert found.spans == ((0, 2), (1, 3), (2, 4))


def test_overlaps_and_gaps_are_counted_without_white_space():
    found = align("abc def ghi. Lost words. jkl", ["abc def", "def ghi.", "jkl", "  "])
    assert (found.overlaps, found.overlap_characters) == (1, 3)
    assert (found.gaps, found.gap_characters) == (1, len("Lostwords."))
    assert (found.respaced, found.empty) == (0, 1)
    assert found.segmentation.boundaries == (4, 25)
    assert str(found) == (
        "3 chunks; 1 chunk overlaps an earlier one, by 3 characters in all; "
        "10 characters in 1 place are in no chunk; 1 chunk without text left out"
    )
    assert str(align("a b", ["a", "b"])) == "2 chunks; which tile the text"


def test_other_white_space_is_counted():
    found = align(TEXT, ["The sun rose. It was warm. It was", "warm.The end came."])
    assert found.respaced == 2
    assert found.spans == ((0, 34), (35, 54))


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        (["The sun set."], "chunk 1 ('The sun set.') is not in the text; chunks must be exact pieces of it"),
        (["The end came.", "The sun rose."], "chunk 2 ('The sun rose.') is not in the text after chunk 1"),
        (["The sun rose.", " ", "It was\ncold" + " and" * 30], "chunk 3 ('It was cold and and"),
        (["The sun rose.", 3], "chunk 2 is 3; it must be a string"),
        ("The sun rose.", "chunks is a single string"),
        ([], "there are no chunks"),
        ([" ", "\n"], "there are no chunks"),
    ],
)
def test_what_cannot_be_aligned_is_one_line(chunks, words):
    with pytest.raises(SegmentationError) as caught:
        align(TEXT, chunks)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "spans", "words"),
    [
        ("", [(0, 1)], "the text is empty"),
        ("abc", [(0, 4)], "chunk 1 has the offsets 0..4"),
        ("abc", [(2, 2)], "chunk 1 has the offsets 2..2"),
        ("abc", [(-1, 2)], "chunk 1 has the offsets -1..2"),
        ("abc", [(1, 2), (0, 3)], "chunk 2 starts at 0, before chunk 1"),
    ],
)
def test_spans_that_cannot_be(text, spans, words):
    with pytest.raises(SegmentationError, match=words.replace(".", r"\.")):
        Alignment.from_spans(text, spans)


@st.composite
def chunked(draw):
    """Draw a text over few letters, and a tiling of it as a chunker that strips its chunks makes."""
    text = draw(st.text("ab \n.", min_size=1, max_size=40).filter(lambda t: t.strip()))
    cuts = sorted(draw(st.sets(st.integers(1, len(text)), max_size=6)) | {0, len(text)})
    return text, list(itertools.pairwise(cuts))


@given(chunked())
def test_a_tiling_is_found_where_it_is(drawn):
    text, spans = drawn
    found = align(text, [text[a:b] for a, b in spans])
    assert found.respaced == found.overlaps == found.gap_characters == 0
    filled = [span for span in spans if text[slice(*span)].strip()]
    assert [_bare(text, span) for span in found.spans] == [_bare(text, span) for span in filled]


@given(chunked())
def test_a_stripped_and_respaced_tiling_is_found_too(drawn):
    text, spans = drawn
    filled = [span for span in spans if text[slice(*span)].strip()]
    for respace in (str.strip, lambda chunk: " ".join(chunk.split()), lambda chunk: "".join(chunk.split())):
        found = align(text, [respace(text[a:b]) for a, b in filled])
        assert [_bare(text, span) for span in found.spans] == [_bare(text, span) for span in filled]
        assert found.overlaps == found.gap_characters == 0


@given(st.text("abc ", min_size=1, max_size=30).filter(str.strip), st.integers(1, 8), st.integers(1, 8))
def test_sliding_windows_are_always_found(text, size, step):
    windows = [text[start : start + size] for start in range(0, len(text), step)]
    windows = [window for window in windows if window.strip()]
    assume(windows)
    found = align(text, windows)
    starts = [start for start, _ in found.spans]
    assert starts == sorted(starts)
    for (start, end), window in zip(found.spans, windows, strict=True):
        assert "".join(text[start:end].split()) == "".join(window.split())


@given(st.lists(st.tuples(st.integers(0, 29), st.integers(1, 12)), min_size=1, max_size=8))
def test_overlaps_and_gaps_as_brute_force(drawn):
    text = "abc de\n f ghij  klm nop qrs tuv"
    spans = sorted((a, min(a + size, len(text))) for a, size in drawn)
    found = Alignment.from_spans(text, spans)
    held = [sum(a <= place < b for a, b in spans) for place in range(len(text))]
    lost = [place for place, times in enumerate(held) if not times and not text[place].isspace()]
    assert found.gap_characters == len(lost)
    shared = overlaps = 0
    for number, (a, b) in enumerate(spans):
        before = {place for c, d in spans[:number] for place in range(c, d)}
        common = [place for place in range(a, b) if place in before and not text[place].isspace()]
        shared += len(common)
        overlaps += bool(common)
    assert found.overlap_characters == shared
    assert found.overlaps == overlaps


def _bare(text, span):
    """Return which characters other than white space a span holds."""
    return [place for place in range(*span) if not text[place].isspace()]
