"""Documents, corpora, flat arrays, and laying a hypothesis beside its reference."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import Flat, first_fault, starts_of
from caesura.batches.pairs import Pairs, check_comparable, pair
from caesura.corpus import Corpus, Document, Numbered, Packed
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import MOST_UNITS, Segmentation
from tests.strategies import segmentations

ONE, TWO, THREE = Segmentation(13, (6, 9)), Segmentation(5), Segmentation(4, (1, 2, 3))


def corpus(**documents: Segmentation) -> Corpus:
    """Return a corpus by keyword."""
    return Corpus.from_segmentations(documents)


# ---------------------------------------------------------------------------------------------- flat arrays


@given(st.lists(segmentations(max_units=12), max_size=6), st.data())
def test_flat_arrays_hold_the_segmentations(segments: list[Segmentation], data: st.DataObject) -> None:
    flat = Flat.from_segmentations(segments)
    assert len(flat) == len(segments)
    found = Corpus.from_flat([str(row) for row in range(len(segments))], flat)
    assert [found.segmentation(row) for row in range(len(segments))] == segments
    rows = data.draw(st.lists(st.integers(0, len(segments) - 1), max_size=8)) if segments else []
    taken = flat.take(np.array(rows, dtype=np.int64))
    again = Corpus.from_flat([str(place) for place in range(len(rows))], taken)
    assert [again.segmentation(place) for place in range(len(rows))] == [segments[row] for row in rows]


@given(st.lists(st.tuples(st.integers(-1, 6), st.lists(st.integers(-1, 7), max_size=4)), max_size=5))
def test_a_fault_anywhere_is_found(documents: list[tuple[int, list[int]]]) -> None:
    """The check of all documents at once finds what the constructor finds one by one."""
    sizes = [len(positions) for _, positions in documents]
    arrays = (
        np.array([n for n, _ in documents], dtype=np.int64),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.array([p for _, positions in documents for p in positions], dtype=np.int64),
    )
    expected = None
    for row, (n_units, positions) in enumerate(documents):
        try:
            Segmentation(n_units, positions)
        except SegmentationError as error:
            expected = (row, str(error))
            break
    assert first_fault(*arrays) == expected
    if expected is None:
        assert Flat(*arrays).pos.tolist() == arrays[2].tolist()
    else:
        with pytest.raises(SegmentationError, match=re.escape(f"document {expected[0] + 1}: {expected[1]}")):
            Flat(*arrays)


@pytest.mark.parametrize(
    ("n_units", "ptr", "pos", "message"),
    [
        ([5, 5], [0, 1], [2], "ptr has 2 entries for 2 documents; it must have one more"),
        ([5], [1, 1], [2], "ptr runs from 1 to 1; it must run from 0 to 1, the length of pos"),
        ([5], [0, 9], [2], "ptr runs from 0 to 9; it must run from 0 to 1, the length of pos"),
        ([5, 5, 5], [0, 2, 1, 3], [1, 2, 3], "ptr decreases after document 2; each document must start where"),
        ([5], [0, -(10**9)], [2], "ptr runs from 0 to -1000000000; it must run from 0 to 1, the length of pos"),
        ([5, 5], [0, 5, 1], [1], "ptr decreases after document 2; each document must start where"),
        (
            [5.0],
            [0, 1],
            [2],
            "n_units is an array of float64 with 1 dimensions; it must be a one-dimensional array of whole numbers",
        ),
        (
            [5],
            [0, 1],
            [2.0],
            "pos is an array of float64 with 1 dimensions; it must be a one-dimensional array of whole numbers",
        ),
        (
            [5],
            [0, 1],
            [True],
            "pos is an array of bool with 1 dimensions; it must be a one-dimensional array of whole numbers",
        ),
        (
            [5],
            [[0, 1]],
            [2],
            "ptr is an array of int64 with 2 dimensions; it must be a one-dimensional array of whole numbers",
        ),
        (
            5,
            [0, 1],
            [2],
            "n_units is an array of int64 with 0 dimensions; it must be a one-dimensional array of whole numbers",
        ),
        ([5], [0, 1], [2**63], r"pos\[0\] is 9223372036854775808; it must fit a signed 64-bit integer"),
        ([5], [0, 4], [1, -(2**63), -2, 4], "document 1: boundary -9223372036854775808 comes after 1"),
    ],
)
def test_arrays_that_do_not_belong_together(n_units: Any, ptr: Any, pos: Any, message: str) -> None:
    """The kernels trust the pointers, so none may lead out of the boundaries."""
    with pytest.raises(SegmentationError, match=message):
        Flat(np.array(n_units), np.array(ptr), np.array(pos))


def test_whatever_holds_whole_numbers_in_a_row_is_taken() -> None:
    n_units, ptr, pos = [13, 5], [0, 2, 3], [6, 9, 2]
    expected = [Segmentation(13, (6, 9)), Segmentation(5, (2,))]
    for kind in ("i1", "u2", ">i4", "<u8", ">u8", "q"):
        arrays = [np.array(values, dtype=kind) for values in (n_units, ptr, pos)]
        strided = [np.repeat(array, 2)[::2] for array in arrays]
        for flat in (Flat(*arrays), Flat(*strided)):
            assert [flat.segmentation(row) for row in range(2)] == expected
            assert {array.dtype for array in (flat.n_units, flat.ptr, flat.pos)} == {np.dtype(np.int64)}


def test_nobody_can_change_arrays_that_were_checked() -> None:
    arrays = np.array([13, 5]), np.array([0, 2, 3]), np.array([6, 9, 2])
    readers = [array[:] for array in arrays]
    for reader in readers:
        reader.setflags(write=False)
    flats = [Flat(*arrays), Flat(*readers), Flat.from_segmentations([ONE, TWO]), Flat(*arrays).take([1])]
    for array in arrays:
        array[:] = -7
    for flat in [*flats, *(pickle.loads(pickle.dumps(flat)) for flat in flats)]:
        assert flat.pos.min(initial=1) >= 1
        for array in (flat.n_units, flat.ptr, flat.pos):
            assert not array.flags.writeable


def test_arrays_that_nobody_can_change_are_not_copied() -> None:
    arrays = (np.array([13, 5]), np.array([0, 2, 3]), np.frombuffer(np.array([6, 9, 2]).tobytes(), dtype=np.int64))
    for array in arrays:
        array.setflags(write=False)
    flat = Flat(*arrays)
    assert np.shares_memory(flat.n_units, arrays[0])
    assert np.shares_memory(flat.pos, arrays[2])


@pytest.mark.parametrize("rows", [[2], [-1], [0.0], [[0]], [10**30]])
def test_documents_that_are_not_there(rows: Any) -> None:
    flat = Flat.from_segmentations([ONE, TWO])
    with pytest.raises(SegmentationError, match=r"is out of range for|rows are an array of"):
        flat.take(np.array(rows))
    assert flat.segmentation(-1) == TWO
    with pytest.raises(IndexError):
        flat.segmentation(2)


def test_numbered_ids() -> None:
    ids = Numbered(3)
    assert (len(ids), list(ids), ids[-1], ids[1:]) == (3, ["1", "2", "3"], "3", ["2", "3"])
    assert "2" in ids
    assert "4" not in ids
    with pytest.raises(IndexError):
        ids[3]
    flat = Flat.from_segmentations([ONE, TWO, THREE])
    numbered, named = Corpus.from_flat(ids, flat), Corpus.from_flat(["1", "2", "3"], flat)
    assert numbered["2"] == named["2"]
    assert numbered.row("3") == 2
    assert pair(numbered, named).pairs.n_units.tolist() == [13, 5, 4]


def test_packed_ids() -> None:
    names = ["d1", "", "ä", "d12"]
    ids = Packed("".join(names).encode(), np.array([0, 2, 2, 4, 7]))
    assert (len(ids), list(ids), ids[-1], ids[2]) == (4, names, "d12", "ä")
    assert (ids[1:3], ids[3:1], ids[::-2]) == (names[1:3], [], names[::-2])
    assert (ids == names, names == ids, ids == names[:3], ids == tuple(names)) == (True, True, False, False)
    assert repr(ids) == repr(names)
    assert "ä" in ids
    assert "d" not in ids
    with pytest.raises(IndexError):
        ids[4]
    other = Packed("".join(names).encode(), np.array([0, 1, 2, 4, 7]))
    assert ids == Packed(bytearray(ids.text), ids.starts.copy())
    assert ids != other
    packed = Corpus.from_flat(ids, Flat.without_boundaries(np.full(4, 2)))
    assert packed.ids is ids
    assert (packed.row("d12"), packed["ä"].n_units) == (3, 2)
    with pytest.raises(ComparabilityError, match="document 'd' appears twice"):
        Corpus.from_flat(Packed(b"dd", np.array([0, 1, 2])), Flat.without_boundaries(np.full(2, 2)))


def test_segmentations_keep_their_own_unit() -> None:
    mixed = corpus(a=ONE, b=TWO.with_unit("turn"))
    assert mixed["a"].segmentation is ONE
    assert [document.unit for document in mixed] == ["unit", "turn"]


def test_ids_that_are_written_alike_are_refused() -> None:
    with pytest.raises(ComparabilityError, match="document '1' appears twice"):
        Corpus.from_segmentations({1: ONE, "1": ONE})  # type: ignore[dict-item]


def test_bits_make_a_corpus() -> None:
    made = Corpus.from_segmentations({"a": "000001001000", "b": [False] * 4, "c": np.ones(3, dtype=bool)})
    assert [document.segmentation for document in made] == [ONE, TWO, THREE]


def test_flat_arrays_name_the_document() -> None:
    with pytest.raises(SegmentationError, match="document 2: boundary 3 is given twice"):
        Flat(np.array([5, 5]), np.array([0, 1, 3]), np.array([2, 3, 3]))
    with pytest.raises(SegmentationError, match="3 ids for 2 documents"):
        Corpus.from_flat(["a", "b", "c"], Flat.from_segmentations([ONE, TWO]))
    with pytest.raises(SegmentationError, match=r"document 1: n_units is .*; a document has at most"):
        Flat(np.array([MOST_UNITS + 1]), np.array([0, 0]), np.array([], dtype=np.int64))


# ---------------------------------------------------------------------------------------------- documents


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segmentation": TWO}, "document 'd': the segmentation has 5 units, but the document has 13"),
        (
            {"segmentation": ONE, "unit": "ms"},
            "document 'd': the segmentation counts 'unit', but the document counts 'ms'",
        ),
        ({"annotations": {"a1": TWO}}, "document 'd': annotator 'a1' has 5 units, but the document has 13"),
        ({"hierarchy": (ONE, TWO)}, "document 'd': level 2 of the hierarchy has 5 units, but the document has 13"),
        ({"units": ("a", "b")}, "document 'd': units has 2 entries; it must have 13, one per unit"),
        ({"speakers": ("a",)}, "document 'd': speakers has 1 entries; it must have 13, one per unit"),
        ({"unit_times": ((0.0, 1.0),)}, "document 'd': unit_times has 1 entries; it must have 13, one per unit"),
        ({"scores": (0.5,) * 13}, "document 'd': scores has 13 entries; it must have 12, one per gap"),
    ],
)
def test_document_says_what_is_wrong(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Document(id="d", n_units=13, **options)
    assert message in str(caught.value)


def test_a_unit_nobody_named_goes_with_any_that_is_counted() -> None:
    assert Document(id="d", n_units=13, segmentation=ONE, unit="turn").segmentation == ONE


# ---------------------------------------------------------------------------------------------- corpora


def test_a_corpus_is_a_list_and_a_mapping() -> None:
    found = corpus(d1=ONE, d2=TWO)
    assert len(found) == 2
    assert found.ids == ["d1", "d2"]
    assert [document.id for document in found] == ["d1", "d2"]
    assert found["d1"].segmentation == ONE
    assert found.row("d2") == 1
    assert "d1" in found
    assert "d9" not in found
    assert ["d1"] not in found
    assert found.present.tolist() == [True, True]
    assert repr(found) == "<Corpus: 2 documents, unit 'unit'>"
    with pytest.raises(KeyError, match="no document 'd9' in the corpus"):
        found["d9"]
    bare = Corpus.from_flat(["d1", "d2"], found.flat, unit="turn", name="gold.jsonl")
    assert bare["d1"].segmentation == ONE.with_unit("turn")
    assert bare["d1"].unit == "turn"
    assert repr(bare) == "<Corpus 'gold.jsonl': 2 documents, unit 'turn'>"


def test_a_segmentation_out_of_a_corpus_cannot_be_changed() -> None:
    found = Corpus.from_flat(["d"], Flat(np.array([9]), np.array([0, 2]), np.array([3, 5])))
    assert found.segmentation(0).positions.flags.writeable is False


def as_packed(ids: list[str]) -> Packed:
    return Packed("".join(ids).encode(), starts_of(list(map(len, ids))))


@pytest.mark.parametrize("made", [list, as_packed])
def test_ids_of_very_many_documents_are_unique(made: Callable[[list[str]], Sequence[str]]) -> None:
    ids = [f"d{number}" for number in range(100_001)]
    flat = Flat.without_boundaries(np.full(len(ids), 2))
    assert len(Corpus.from_flat(made(ids), flat)) == len(ids)
    ids[-1] = ids[7]
    with pytest.raises(ComparabilityError, match="document 'd7' appears twice"):
        Corpus.from_flat(made(ids), flat)


def test_equal_ids_and_lengths_are_held_once() -> None:
    first, second, other = (
        Corpus.from_segmentations({key: Segmentation(3) for key in keys}) for keys in ("ab", "ab", "ba")
    )
    longer = Corpus.from_segmentations({"a": Segmentation(3), "b": Segmentation(4, (2,))})
    for each in (second, other, longer):
        each.share(first)
    assert second.ids is first.ids
    assert second.flat.n_units is first.flat.n_units
    assert list(other.ids) == ["b", "a"]
    assert longer.ids is first.ids
    assert longer["b"].segmentation == Segmentation(4, (2,))


def test_ids_are_unique() -> None:
    documents = [Document(id=key, n_units=5, segmentation=TWO) for key in ("a", "b", "a", "b", "b")]
    with pytest.raises(
        ComparabilityError, match=r"document 'a' \(and 2 more\) appears twice in gold.jsonl; ids must be unique"
    ):
        Corpus(documents, name="gold.jsonl")
    with pytest.raises(ComparabilityError, match="document 'a' appears twice in the corpus; ids must be unique"):
        Corpus(documents[:3])


def test_all_documents_count_one_unit() -> None:
    assert corpus(a=ONE, b=TWO.with_unit("turn")).unit == "turn"
    with pytest.raises(
        ComparabilityError,
        match="document 'b' counts 'ms', but earlier documents count 'turn'; all documents of a corpus",
    ):
        corpus(a=ONE.with_unit("turn"), b=TWO.with_unit("ms"))


def test_only_segmentations_make_a_corpus() -> None:
    with pytest.raises(SegmentationError, match="document 'a' is a list; it must be a Segmentation, such as"):
        Corpus.from_segmentations({"a": [6, 3, 4]})  # type: ignore[dict-item]


# ---------------------------------------------------------------------------------------------- pairing


def test_documents_are_paired_by_id_in_the_order_of_the_reference() -> None:
    reference = corpus(a=ONE, b=TWO, c=THREE)
    other = Segmentation(5, (2,))
    hypothesis = corpus(c=THREE.mirrored(), a=ONE, b=other)
    found = pair(reference, hypothesis)
    assert found.rows.tolist() == [0, 1, 2]
    assert found.pairs.n_units.tolist() == [13, 5, 4]
    assert found.pairs.ref_ptr.tolist() == [0, 2, 2, 5]
    assert found.pairs.hyp_pos.tolist() == [6, 9, 2, 1, 2, 3]
    assert (found.skipped, found.fitted) == ((), ())
    assert len(found.pairs) == 3
    swapped = found.pairs.swapped()
    assert swapped.ref_pos.tolist() == found.pairs.hyp_pos.tolist()
    assert swapped.swapped() is not found.pairs
    assert found.take(np.array([2])).pairs.ref_pos.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "message"),
    [
        (
            {"a": ONE, "b": TWO},
            {"a": ONE},
            "document 'b' of the reference is missing from 'sys'; add it, or skip and count",
        ),
        (
            {"a": ONE, "b": TWO, "c": TWO, "d": TWO},
            {"a": ONE},
            "document 'b' (and 2 more) of the reference is missing from",
        ),
        (
            {"a": ONE},
            {"a": ONE, "z": TWO},
            "document 'z' of 'sys' is not in the reference; remove it, or check that both",
        ),
        ({"a": ONE}, {"a": ONE, "y": TWO, "z": TWO}, "document 'y' (and 1 more) of 'sys' is not in the reference"),
        (
            {"a": ONE},
            {"a": TWO},
            "document 'a': reference has 13 units, hypothesis 'sys' has 5; both must segment the same units",
        ),
        (
            {"a": ONE, "b": ONE, "c": ONE},
            {"a": ONE, "b": TWO, "c": TWO},
            "document 'b': reference has 13 units, hypothesis 'sys' has 5; both must segment the same units; 1 more document is wrong",
        ),
        (
            {"a": ONE.with_unit("turn")},
            {"a": ONE.with_unit("sentence")},
            "the reference counts 'turn', 'sys' counts 'sentence'; project one onto the other first",
        ),
        ({"a": ONE}, {"a": ONE.with_unit("ms")}, "the reference counts 'unit', 'sys' counts 'ms'; project one"),
    ],
)
def test_corpora_that_cannot_be_paired(
    reference: dict[str, Segmentation], hypothesis: dict[str, Segmentation], message: str
) -> None:
    with pytest.raises(ComparabilityError) as caught:
        pair(corpus(**reference), corpus(**hypothesis), name="sys")
    assert message in str(caught.value)


def test_missing_documents_are_skipped_on_request_and_named() -> None:
    found = pair(corpus(a=ONE, b=TWO, c=THREE), corpus(c=THREE, a=ONE), missing="skip")
    assert found.skipped == ("b",)
    assert found.rows.tolist() == [0, 2]
    assert found.pairs.n_units.tolist() == [13, 4]
    with pytest.raises(ComparabilityError, match="'sys' has no document of the reference; check the ids"):
        pair(corpus(a=ONE), corpus(), name="sys", missing="skip")


def test_documents_without_segmentation_are_named() -> None:
    bare = Corpus([Document(id="a", n_units=13), Document(id="b", n_units=5)])
    full = corpus(a=ONE, b=TWO)
    assert bare.present.tolist() == [False, False]
    with pytest.raises(
        ComparabilityError, match=r"document 'a' \(and 1 more\) of the reference has no boundaries; give"
    ):
        pair(bare, full)
    with pytest.raises(
        ComparabilityError, match=r"document 'a' \(and 1 more\) of 'sys' has no boundaries; give 'boundaries'"
    ):
        pair(full, bare, name="sys")


def test_a_named_unit_wins_over_an_unnamed_one() -> None:
    assert pair(corpus(a=ONE), corpus(a=ONE.with_unit("turn"))).pairs.unit == "turn"
    assert pair(corpus(a=ONE.with_unit("turn")), corpus(a=ONE)).pairs.unit == "turn"


def test_single_documents_without_given_ids_are_paired() -> None:
    made_up = Corpus([Document(id="file-1", n_units=13, segmentation=ONE)], ids_are_given=False)
    assert len(pair(corpus(show=ONE), made_up).pairs) == 1
    with pytest.raises(ComparabilityError, match="is not in the reference"):
        pair(corpus(show=ONE), corpus(other=ONE))


def _open(n_units: int, boundaries: tuple[int, ...], *, open_ended: bool) -> Corpus:
    document = Document(id="a", n_units=n_units, segmentation=Segmentation(n_units, boundaries), open_ended=open_ended)
    return Corpus([document])


@pytest.mark.parametrize(
    ("reference", "hypothesis", "length"),
    [
        ((13, (6,), False), (7, (6,), True), 13),  # the list of starts takes the length of the other side
        ((7, (6,), True), (13, (6,), False), 13),
        ((7, (6,), True), (9, (8,), True), 9),  # both open: the longer
        ((13, (6,), True), (13, (6,), False), 13),
    ],
)
def test_open_ended_documents_are_fitted(
    reference: tuple[int, tuple[int, ...], bool], hypothesis: tuple[int, tuple[int, ...], bool], length: int
) -> None:
    first = _open(*reference[:2], open_ended=reference[2])
    second = _open(*hypothesis[:2], open_ended=hypothesis[2])
    found = pair(first, second)
    assert found.pairs.n_units.tolist() == [length]
    both_open = reference[2] and hypothesis[2]
    assert found.fitted == (("a",) if reference[0] != hypothesis[0] and not both_open else ())
    assert found.endless == (("a",) if both_open else ())
    assert first.flat.n_units.tolist() == [reference[0]]  # the corpora stay as they were
    assert second.flat.n_units.tolist() == [hypothesis[0]]


def test_an_open_document_longer_than_a_closed_one_is_refused() -> None:
    """A start beyond the end of the other side is no matter of an unknown length."""
    with pytest.raises(ComparabilityError, match="reference has 9 units, hypothesis 'hypothesis' has 13"):
        pair(_open(9, (4,), open_ended=False), _open(13, (12,), open_ended=True))


def test_one_pair() -> None:
    found = Pairs.of(ONE, Segmentation(13, (4,)))
    assert (found.n_units.tolist(), found.ref_ptr.tolist(), found.hyp_ptr.tolist()) == ([13], [0, 2], [0, 1])
    assert check_comparable(ONE, ONE.with_unit("turn")) == "turn"
    with pytest.raises(
        ComparabilityError, match="reference has 13 units, hypothesis has 5; both must segment the same units"
    ):
        Pairs.of(ONE, TWO)
    with pytest.raises(
        ComparabilityError, match="the reference counts 'ms', 'hypothesis' counts 'unit'; project one onto"
    ):
        Pairs.of(ONE.with_unit("ms"), ONE)


def test_a_segmentation_is_named_by_id_or_index() -> None:
    corpus = Corpus.from_segmentations({"a": Segmentation(5, (2,)), "b": Segmentation(7, (3, 4))}, name="gold")
    assert corpus.segmentation("b") == corpus.segmentation(1) == corpus.segmentation(-1) == Segmentation(7, (3, 4))
    with pytest.raises(KeyError, match="no document 'c' in gold"):
        corpus.segmentation("c")
    for wrong in (2, 1.0, None):
        with pytest.raises(SegmentationError, match=r"is no document of gold; give an id, or an index below 2$"):
            corpus.segmentation(wrong)  # type: ignore[arg-type]
