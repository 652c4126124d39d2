"""TextTiling on units: small cases by hand, and the error on Choi's documents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from caesura.corpus import Document
from caesura.formats import load
from caesura.metrics import metric
from caesura.segmenters import ScoreThenSelect, segmenter
from tests.corpora import corpus_file, needs

CHOI = "choi/choi_3_3-11.jsonl.gz"


def document(*units: str) -> Document:
    return Document(id="d", n_units=len(units), units=units)


def test_by_hand():
    """Units a a b b: the similarities with window 1 are 1, 0, 1, so the only valley has depth 2."""
    text = document("apple", "apple", "bread", "bread")
    cut = segmenter("TextTiling(window=1)").segment(text)
    assert cut.boundaries == (2,)
    scores = ScoreThenSelect("BlockDepth(window=1)", "TopKSelector(k=1)")
    assert scores.segment(text).boundaries == (2,)


def test_a_cut_off_is_strict():
    """All depths equal: none exceeds their mean."""
    text = document("apple", "bread", "apple", "bread")
    assert segmenter("TextTiling(window=1, cutoff=0.0)").segment(text).boundaries == ()


def test_spacing_gives_way_to_a_requested_number():
    text = document("apple", "bread", "cheese", "date", "egg")
    assert segmenter("TextTiling(n_segments=5)").segment(text).masses == (1, 1, 1, 1, 1)


@needs(CHOI)
@pytest.mark.filterwarnings("ignore:.*unknown keys")
def test_error_on_choi():
    """The first 60 documents of 3-11: at most .25 by its own cut-off."""
    documents = list(itertools.islice(load(corpus_file(CHOI)), 60))
    tiling, pk = segmenter("TextTiling"), metric("Pk")
    assert np.mean([pk(d.segmentation, tiling.segment(d)) for d in documents]) <= 0.25
