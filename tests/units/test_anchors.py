# SPDX-License-Identifier: Apache-2.0
"""Chunks with changed words."""

from __future__ import annotations

import difflib
import itertools
import random

import pytest

from caesura.errors import SegmentationError
from caesura.units.anchors import anchored, common_words

WORDS = [
    "time",
    "year",
    "people",
    "way",
    "day",
    "man",
    "thing",
    "woman",
    "life",
    "child",
    "world",
    "school",
    "state",
    "family",
    "student",
    "group",
    "country",
]


def made(seed: int, length: int) -> list[str]:
    draw = random.Random(seed)
    return [draw.choice(WORDS) + draw.choice("abcd") for _ in range(length)]


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_equal_words_in_the_order_of_both(seed: int) -> None:
    draw = random.Random(seed)
    first = made(seed, 120)
    second = [word for word in first if draw.random() > 0.1]
    for _ in range(8):
        second.insert(draw.randrange(len(second)), "new")
    pairs = common_words(first, second)
    assert all(first[i] == second[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert len(pairs) >= 0.97 * sum(block.size for block in blocks)


@pytest.mark.parametrize("seed", range(10))
def test_boundaries_are_found_again_after_one_word_in_ten_is_changed(seed: int) -> None:
    draw = random.Random(seed)
    words = made(seed, 200)
    cuts = sorted(draw.sample(range(10, 190), 4))
    edges = [0, *cuts, len(words)]
    changed = [word if draw.random() > 0.1 else "changed" for word in words]
    chunks = [" ".join(changed[a:b]) + "." for a, b in itertools.pairwise(edges)]
    text = " ".join(words)
    found = anchored(text, chunks)
    exact = [len(" ".join(words[:cut])) + 1 for cut in cuts]
    assert list(found.segmentation.boundaries) == exact
    assert found.words == 200
    assert found.matched == sum(a == b for a, b in zip(words, changed, strict=True))


def test_dropped_and_added_words_at_an_edge() -> None:
    text = 'He left. "Stay," she said to the others, and closed the door behind her at last.'
    found = anchored(
        text, ["He left the house.", "\u201cStay\u201d, she said to the others and closed the door behind her."]
    )
    assert [text[a:b] for a, b in found.spans] == ["He left.", text[9:]]


def test_too_few_words_or_none_are_refused() -> None:
    with pytest.raises(SegmentationError, match=r"only 25% of the words .* and 75% are needed"):
        anchored("one two three four", ["one", "drei vier fünf"])
    text = " ".join(made(1, 60))
    with pytest.raises(SegmentationError, match=r"chunk 2 \('Introduction'\) shares no word with the text"):
        anchored(text, [text[:100], "Introduction", text[100:]])


def test_a_long_text_is_aligned() -> None:
    words = made(3, 60_000)
    chunks = [" ".join(words[start : start + 300]) for start in range(0, 60_000, 300)]
    chunks[7] = "new " + chunks[7]
    assert anchored(" ".join(words), chunks).matched == 60_000
