# SPDX-License-Identifier: Apache-2.0
"""Titles that are stored once, against lists of texts."""

from __future__ import annotations

import pickle
import random

import numpy as np

from caesura.batches.titles import Titles

LISTS = [["News", "Sports"], [], ["News", "", "今日は"], ["Goodbye"]]


def test_documents_are_taken_as_from_lists() -> None:
    titles, rng = Titles.of(LISTS), random.Random(3)
    assert list(titles) == LISTS
    assert titles.sizes.tolist() == [2, 0, 3, 1]
    for _ in range(20):
        rows = [rng.randrange(4) for _ in range(rng.randrange(6))]
        assert list(titles.take(rows)) == [LISTS[row] for row in rows]
        start, stop = sorted(rng.randrange(5) for _ in range(2))
        part = titles.between(start, stop)
        assert list(part) == LISTS[start:stop]
        assert list(part.take(range(len(part)))) == LISTS[start:stop]
    assert list(pickle.loads(pickle.dumps(titles))) == LISTS


def test_another_number_of_segments_gets_the_first_titles_and_then_none() -> None:
    sizes = [1, 2, 4, 1]
    found = Titles.of(LISTS).fitted(np.array(sizes))
    texts = Titles.of(LISTS).texts
    assert [texts[place] for place in found.tolist()] == ["News", "", "", "News", "", "今日は", "", "Goodbye"]


def test_what_is_made_of_the_texts_is_shared_by_parts() -> None:
    titles, made = Titles.of(LISTS), []
    for part in (titles, titles.between(0, 2), titles.take([3, 3]).between(1, 2)):
        assert part.remember("length", lambda: made.append(1) or len(titles.texts)) == 5
    assert made == [1]
