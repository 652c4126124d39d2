"""Frozen scores: nothing that comes later changes them; a stream gives the same ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura.corpus import Document
from caesura.errors import SegmentationError
from caesura.scorers import Encoding, Features, scorer
from caesura.scorers.frozen import Frozen
from caesura.segmenters.online import OnlineSegmenter
from caesura.selectors import AdaptiveSelector

WORDS = ("cat", "rain", "bread", "train", "purr", "storm", "oven", "rail")
ENCODING = Encoding()


def document(n: int, seed: int) -> Document:
    rng = np.random.default_rng(seed)
    units = tuple(" ".join(rng.choice(WORDS, 3)) for _ in range(n))
    return Document(id="d", n_units=n, units=units)


@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize("inner", ["VectorDepth(window=2)", "BlockDepth(window=3)"])
def test_later_units_change_nothing(inner, after):
    long = document(20, 0)
    made = Frozen(inner, before=6, after=after)
    whole = made.score(long, encoding=ENCODING)
    for stop in (5, 11, 19):
        start = Document(id="d", n_units=stop, units=long.units[:stop])
        known = max(0, stop - after)
        np.testing.assert_array_equal(made.score(start, encoding=ENCODING)[:known], whole[:known])
    assert not np.array_equal(whole, scorer(inner).score(long, encoding=ENCODING))


def test_windows_as_long_as_the_document_give_the_scores_of_the_scorer():
    text = document(9, 1)
    plain = scorer("VectorDepth(window=2)").score(text, encoding=ENCODING)
    frozen = Frozen("VectorDepth(window=2)", before=9, after=9).score(text, encoding=ENCODING)
    np.testing.assert_array_equal(frozen, plain)


def adaptive() -> AdaptiveSelector:
    return AdaptiveSelector(rate=0.2, threshold=0.1, horizon=4, min_gap=2)


@pytest.mark.parametrize("after", [1, 2, 5])
@pytest.mark.parametrize("inner", ["VectorDepth(window=2)", "BlockDepth(window=3)"])
def test_a_stream_commits_what_the_selector_commits_on_the_frozen_scores(inner, after):
    text = document(30, 2)
    made = Frozen(inner, before=5, after=after)
    scores = made.gap_scores(Features(text, ENCODING))
    expected = sorted(commit.gap for commit in adaptive().run(scores))
    stream = OnlineSegmenter(made, adaptive(), encoding=ENCODING)
    found = [gap for unit in text.units for gap in stream.push(unit)] + stream.finish()
    assert sorted(found) == expected
    assert expected


@pytest.mark.parametrize("at", [0, 1, 7, 29])
def test_a_stream_goes_on_from_its_saved_state(at):
    text = document(30, 3)
    made = Frozen("VectorDepth(window=2)", before=5, after=2)
    whole = OnlineSegmenter(made, adaptive(), encoding=ENCODING)
    expected = [gap for unit in text.units for gap in whole.push(unit)]
    first = OnlineSegmenter(made, adaptive(), encoding=ENCODING)
    found = [gap for unit in text.units[:at] for gap in first.push(unit)]
    second = OnlineSegmenter(made, adaptive(), encoding=ENCODING)
    second.restore(json.loads(json.dumps(first.state())))
    assert found + [gap for unit in text.units[at:] for gap in second.push(unit)] == expected


@pytest.mark.parametrize(
    "change", [{"scorer": "x"}, {"seen": 99}, {"units": [1]}, {"scored": -1}, {"units": None}, {"selector": {}}]
)
def test_a_damaged_state_is_refused(change):
    stream = OnlineSegmenter(Frozen("BlockDepth(window=3)"), adaptive())
    stream.push("A cat.")
    with pytest.raises(SegmentationError):
        stream.restore({**stream.state(), **change})
