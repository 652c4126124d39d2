# SPDX-License-Identifier: Apache-2.0
"""The corpora are what the page says they are."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.corpora import DIALOGUES, SHAPES, Shape, draw_dialogues, generate, prefix
from caesura.batches.flat import first_fault
from caesura.corpus import Corpus
from caesura.formats import save
from caesura.segmentation import Segmentation

SMALL = Shape("small", 300, 48, spread=0.75)


def test_same_seed_same_corpus():
    one, two, other = generate(SMALL, 1), generate(SMALL, 1), generate(SMALL, 2)
    for name in ("n_units", "ref_ptr", "ref_pos", "hyp_ptr", "hyp_pos"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.n_units, other.n_units)


def test_every_document_is_a_segmentation():
    pairs = generate(SMALL, 3)
    assert first_fault(pairs.n_units, pairs.ref_ptr, pairs.ref_pos) is None
    assert first_fault(pairs.n_units, pairs.hyp_ptr, pairs.hyp_pos) is None


@pytest.mark.parametrize(
    ("name", "documents", "units", "boundaries"), [("S", 1_000, 100_000, 26_000), ("M", 10_000, 2_000_000, 534_000)]
)
def test_sizes_are_the_stated_ones(name, documents, units, boundaries):
    pairs = generate(SHAPES[name])
    assert len(pairs) == documents
    assert pairs.n_units.sum() == units
    assert len(pairs.ref_pos) + len(pairs.hyp_pos) == pytest.approx(boundaries, rel=0.03)


def test_large_corpus_has_the_stated_shape():
    lengths = SHAPES["L"].lengths(np.random.default_rng(1))
    assert len(lengths) == 727_000
    assert lengths.sum() == pytest.approx(34.8e6, rel=0.01)


def test_hypothesis_keeps_about_what_it_should():
    pairs = generate(SHAPES["M"])
    places = [
        np.repeat(np.arange(len(pairs)), np.diff(ptr)) * 1_000 + pos
        for ptr, pos in ((pairs.ref_ptr, pairs.ref_pos), (pairs.hyp_ptr, pairs.hyp_pos))
    ]
    kept = np.isin(places[0], places[1]).mean()
    # 60 % kept, and a few more hit by noise or by a moved neighbour.
    assert 0.60 < kept < 0.67


def test_prefix_is_the_first_documents():
    pairs = generate(SMALL, 1)
    first = prefix(pairs, 10)
    assert len(first) == 10
    assert np.array_equal(first.ref_pos, pairs.ref_pos[: pairs.ref_ptr[10]])
    assert first.hyp_ptr[-1] == len(first.hyp_pos)


def test_dialogues_are_drawn_from_the_gold(tmp_path):
    gold = {f"d{n}": Segmentation(n, (2, n - 1)) for n in range(5, 9)}
    for name in DIALOGUES:
        (tmp_path / name).parent.mkdir()
        save(Corpus.from_segmentations(gold), tmp_path / name)
    pairs = draw_dialogues(tmp_path, 50, 1)
    assert set(pairs.n_units.tolist()) == {5, 6, 7, 8}
    for row, n_units in enumerate(pairs.n_units):
        assert pairs.ref_pos[pairs.ref_ptr[row] : pairs.ref_ptr[row + 1]].tolist() == [2, n_units - 1]
    assert first_fault(pairs.n_units, pairs.hyp_ptr, pairs.hyp_pos) is None
