"""Segmentations beside vectors: what is checked, what is shared."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import Segmentation

CUTS = {"a": Segmentation(3, (1,)), "b": Segmentation(2, ()), "c": Segmentation(4, (1, 3))}


def vectors(dtype: str = "float32") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {key: rng.normal(size=(cut.n_units, 5)).astype(dtype) for key, cut in CUTS.items()}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_documents_keep_their_vectors_and_type(dtype: str) -> None:
    given = vectors(dtype)
    batch = Embedded.of(CUTS, {"unused": np.ones((1, 1)), **given})
    assert batch.ids == ("a", "b", "c")
    assert (len(batch), batch.dimension, batch.vectors.dtype) == (3, 5, dtype)
    for row, key in enumerate(batch.ids):
        np.testing.assert_array_equal(batch.vectors_of(row), given[key])
        assert batch.segmentation(row) == CUTS[key]


@pytest.mark.parametrize(("given", "kept"), [("float16", "float32"), ("int8", "float64"), ("int64", "float64")])
def test_other_numbers_become_floats(given: str, kept: str) -> None:
    assert Embedded.of({"a": CUTS["a"]}, {"a": np.ones((3, 2), dtype=given)}).vectors.dtype == kept


def test_nothing_is_copied_where_that_can_be_avoided() -> None:
    whole = np.ones((9, 2), dtype=np.float32)
    batch = Embedded.from_arrays(list(CUTS), Flat.from_segmentations(list(CUTS.values())), whole)
    assert np.shares_memory(batch.vectors, whole)
    assert Embedded.of({"a": CUTS["a"]}, {"a": whole[:3]}).vectors.base is not None
    others = {key: Segmentation(cut.n_units) for key, cut in CUTS.items()}
    for shared in (
        batch.with_segmentations(others),
        batch.with_segmentations(Corpus.from_segmentations(others)),
        batch.with_segmentations(Flat.from_segmentations(list(others.values()))),
    ):
        assert shared.vectors is batch.vectors
        assert [shared.segmentation(row).n_boundaries for row in range(3)] == [0, 0, 0]
    taken = batch.take([2, 0])
    assert taken.vectors is batch.vectors
    assert taken.ids == ("c", "a")
    assert taken.segmentation(0) == CUTS["c"]
    assert len(taken.vectors_of(0)) == 4
    variants = batch.variants(2, [Segmentation(4, (1,)), Segmentation(4, (2, 3))])
    assert variants.vectors is batch.vectors
    np.testing.assert_array_equal(variants.vectors_of(0), variants.vectors_of(1))
    several = batch.variants([2, 0], [Segmentation(4, (1,)), Segmentation(3)])
    assert several.ids == ("c", "a")
    np.testing.assert_array_equal(several.vectors_of(1), batch.vectors_of(0))


def test_what_was_made_is_made_once_and_not_pickled() -> None:
    batch = Embedded.of(CUTS, vectors())
    made = []
    for _ in range(2):
        assert batch.remember("key", lambda: made.append(1) or "thing") == "thing"
    assert made == [1]
    again = pickle.loads(pickle.dumps(batch))
    assert not again.remembers("key")
    assert batch.remembers("key")
    assert not batch.with_segmentations(CUTS).remembers("key")


def test_no_document() -> None:
    assert len(Embedded.of({}, {})) == 0


def broken(**changed: object) -> dict[str, object]:
    return {**vectors(), **changed}


NAN, INFINITE = np.ones((3, 5)), np.ones((2, 5), dtype=np.float32)
NAN[1, 2], INFINITE[0, 0] = np.nan, np.inf


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a": np.ones((3, 5))}, "document 'b' (and 1 more) has no vectors"),
        (broken(a=np.ones((4, 5))), "document 'a': 4 vectors for 3 units; give one vector per unit"),
        (broken(a=np.ones((4, 5)), c=np.ones((0, 5))), "; 1 more document is wrong"),
        (broken(b=np.ones((2, 6))), "document 'b': vectors have 6 dimensions, those of 'a' 5"),
        (broken(b=np.ones(2)), "document 'b': vectors have shape (2,)"),
        (broken(b=np.ones((2, 0))), "document 'b': vectors have shape (2, 0)"),
        (broken(a=NAN), "document 'a': the vector of unit 2 is not finite"),
        (broken(a=NAN, b=INFINITE), "; 1 more document is wrong"),
        (broken(b=INFINITE), "document 'b': the vector of unit 1 is not finite"),
        (broken(b=np.full((2, 5), 1e200)), "document 'b': the vector of unit 1 is not finite"),
        (broken(b=[["x"] * 5] * 2), "document 'b': vectors are of type"),
        (broken(b=np.ones((2, 5), dtype=complex)), "document 'b': vectors are of type complex128"),
        (broken(b=[[1.0], [1.0, 2.0]]), "document 'b': vectors are ragged"),
        (broken(b=None), "document 'b': vectors are of type object"),
    ],
)
def test_bad_vectors_are_named_in_one_line(given: dict[str, np.ndarray], says: str) -> None:
    with pytest.raises(ComparabilityError) as raised:
        Embedded.of(CUTS, given)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_arrays_are_refused() -> None:
    flat = Flat.from_segmentations(list(CUTS.values()))
    for arguments, says in (
        ((["a"], flat, np.ones((9, 2))), "1 ids for 3 documents"),
        ((list("abc"), flat, np.ones((8, 2))), "8 vectors for 9 units"),
        ((list("abc"), flat, np.ones(9)), "shape (9,)"),
        ((list("abc"), flat, np.ones((9, 2)), np.array([0, 3])), "2 first rows for 3 documents"),
        ((list("abc"), flat, np.ones((9, 2)), np.array([0, 3, 6])), "document 'c' lies outside the 9 vectors"),
        ((list("abc"), flat, np.ones((9, 2)), np.array([-1, 3, 5])), "document 'a' lies outside the 9 vectors"),
    ):
        with pytest.raises(ComparabilityError) as raised:
            Embedded.from_arrays(*arguments)
        assert says in str(raised.value)


def test_vectors_of_no_document_may_be_anything() -> None:
    whole = np.ones((4, 2))
    whole[3] = np.nan
    batch = Embedded.from_arrays(["a"], Flat.from_segmentations([CUTS["a"]]), whole, np.array([0]))
    assert len(batch.vectors_of(0)) == 3


def test_other_segmentations_must_fit() -> None:
    batch = Embedded.of(CUTS, vectors())
    for other, says in (
        ({"a": CUTS["a"]}, "document 'b' (and 1 more) has vectors but no segmentation"),
        ({**CUTS, "b": Segmentation(7)}, "document 'b': 2 vectors, but the segmentation has 7 units"),
        (Flat.from_segmentations([CUTS["a"]]), "1 segmentations for 3 documents"),
    ):
        with pytest.raises(ComparabilityError) as raised:
            batch.with_segmentations(other)
        assert says in str(raised.value)
    with pytest.raises(ComparabilityError, match="document 'a' has 3 vectors"):
        batch.variants(0, [Segmentation(4)])
    with pytest.raises(ComparabilityError, match="document 'a' has 3 vectors"):
        batch.variants([2, 0], [Segmentation(4), Segmentation(4)])
    with pytest.raises(SegmentationError, match="document index 3 is out of range for 3 documents"):
        batch.variants(3, [Segmentation(4)])
