"""Counting everything together gives the same bits as counting one thing after the other, in any number of threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import ComparabilityError, DeclarationError
from caesura.kernels import Counts, compiled, count_blocks, kernel, kernel_names, run_kernels
from caesura.kernels._counts import Piece
from caesura.kernels._stretch import Stretch, arrays_of
from caesura.metrics._one_pair import counter
from caesura.segmentation import Segmentation
from tests.kernels.test_compiled_equals_uncompiled import uncompiled
from tests.strategies import batch, corpora, parameters_of

NONE = slice(0, 0)


@settings(max_examples=60)
@given(data=st.data(), threads=st.integers(1, 3))
def test_together_equals_one_by_one(data: st.DataObject, threads: int) -> None:
    batches = [batch(data.draw(corpora())) for _ in range(data.draw(st.integers(1, 2)))]
    wanted = [(kernel(name), data.draw(parameters_of(kernel(name)))) for name in kernel_names()]
    for pairs, tables in zip(batches, run_kernels(batches, wanted, threads=threads), strict=True):
        for (counting, parameters), table in zip(wanted, tables, strict=True):
            assert table.columns == counting.columns
            assert table.array().tobytes() == counting.count(pairs, parameters).tobytes()


@pytest.mark.parametrize("name", kernel_names())
@settings(max_examples=20)
@given(data=st.data())
def test_uncompiled_kernels_count_together_too(name: str, data: st.DataObject) -> None:
    documents, parameters = data.draw(corpora()), data.draw(parameters_of(kernel(name)))
    expected = kernel(name).count(batch(documents), parameters)
    for source in uncompiled(name):
        (found,) = run_kernels([batch(documents)], [(source, parameters)])[0]
        np.testing.assert_array_equal(found.array(), expected)


@pytest.mark.parametrize("name", kernel_names())
def test_many_stretches_and_large_counts(name: str) -> None:
    """Small documents between large ones, so that neighbouring stretches are kept in different widths."""
    random = np.random.default_rng(5)
    documents = []
    for number in range(9_000):
        n = 2**40 if number % 5_000 == 4_999 else 300_000 if number % 1_500 == 7 else 12
        sides = (np.unique(random.integers(1, n, size=random.integers(0, 9))) for _ in range(2))
        documents.append(tuple(Segmentation(n, side) for side in sides))
    pairs = batch(documents)
    parameters = {
        "pk": (0, 0, 0, 2, 0, 0),
        "window_diff": (0, 0, 0, 2, 0, 0, 3),
        "edits": (3,),
        "boundaries": (1, 0, 2**62),
        "matching": (1, 0, 2**62),
        "overlap": (1,),
        "retrieval": (17, 20, 1, 0, 2**62),
        "alignment": (),
    }[name]
    expected = kernel(name).count(pairs, parameters)
    for threads in (1, 2, 5):
        (table,) = run_kernels([pairs], [(kernel(name), parameters)], threads=threads)[0]
        assert table.array().tobytes() == expected.tobytes()
        np.testing.assert_array_equal(table.extremes, [expected.min(axis=0), expected.max(axis=0)])
        last = len(table.columns) - 1
        np.testing.assert_array_equal(table.take([last, 0, 0]), expected[:, [last, 0, 0]])
        for size in (1, 5_000, 10**9):
            parts = list(table.taken([last, 0], size))
            np.testing.assert_array_equal(np.concatenate(parts), expected[:, [last, 0]])
            assert all(len(part) >= size for part in parts[:-1])
        assert table.nbytes < expected.nbytes


@pytest.mark.parametrize(
    ("most", "kind"),
    [
        (255, "uint8"),
        (256, "uint16"),
        (65_535, "uint16"),
        (65_536, "uint32"),
        (2**32 - 1, "uint32"),
        (2**32, "float64"),
    ],
)
def test_counts_are_kept_as_narrow_as_they_fit(most: int, kind: str) -> None:
    rows = np.array([[0.0, 1.0], [float(most), 2.0]])
    piece = Piece.of(rows.copy(), NONE)
    assert piece.whole.dtype == kind
    np.testing.assert_array_equal(Counts([piece], ("a", "b"), NONE).array(), rows)


def test_negative_numbers_stay_as_they_are() -> None:
    rows = np.array([[-1.0, 3.0]])
    np.testing.assert_array_equal(Counts([Piece.of(rows.copy(), NONE)], ("a", "b"), NONE).array(), rows)


@pytest.mark.parametrize(
    ("fractions", "kind"),
    [([1 / 3, 0.5], "float64"), ([0.5, 2.25], "float32"), ([1e300, 0.0], "float64"), ([-0.0, 1.5], "float32")],
)
def test_fractions_stay_as_they_are(fractions: list[float], kind: str) -> None:
    rows = np.array([[1.0, fractions[0]], [2.0, fractions[1]]])
    piece = Piece.of(rows.copy(), slice(1, 2))
    assert piece.fractions is not None
    assert piece.fractions.dtype == kind
    table = Counts([piece], ("a", "b"), slice(1, 2))
    assert table.array().tobytes() == rows.tobytes()
    assert table.take([1]).tobytes() == rows[:, 1].tobytes()


def test_no_document() -> None:
    (table,) = run_kernels([batch([])], [(kernel("pk"), (0, 0, 0, 2, 0, 0))], threads=2)[0]
    assert table.array().shape == (0, 3)
    assert table.extremes.shape == (0, 3)


@pytest.mark.parametrize("name", kernel_names())
def test_compiled_kernels_release_the_gil(name: str) -> None:
    """Another thread gets to run while a kernel counts.

    Nobody is made to hand over the GIL here, so a waiting thread runs before the kernel is back only if it was released.
    """
    if not compiled():
        pytest.skip("the kernels are not compiled")
    random = np.random.default_rng(3)
    n = 100_000
    sides = [np.unique(random.integers(1, n, size=n // 4)) for _ in range(2)]
    pairs = batch([(Segmentation(n, sides[0]), Segmentation(n, sides[1]))] * 20)
    parameters = {
        "pk": (0, 0, 0, 2, 0, 0),
        "window_diff": (0, 0, 0, 2, 0, 0, 0),
        "edits": (2,),
        "boundaries": (1, 0, 2**62),
        "matching": (1, 0, 2**62),
        "overlap": (0,),
        "retrieval": (17, 20, 1, 0, 2**62),
        "alignment": (),
    }[name]
    counting = kernel(name)
    stretch = Stretch(arrays_of(pairs))
    out = np.empty((len(pairs), len(counting.columns)))
    scratch = np.empty(counting._room(stretch, parameters), dtype=np.int64)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    try:
        assert any(_another_runs(lambda: counting._fill(stretch, out, scratch, parameters)) for _ in range(50))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("size", [1, 3, 100])
def test_blocks_are_the_rows_of_the_whole_table(size):
    rng = np.random.default_rng(1)
    sides = [
        tuple(Segmentation(n, tuple(np.flatnonzero(rng.random(n) < 0.2)[1:].tolist())) for _ in range(2))
        for n in (2, 9, 64, 65, 200, 30, 31)
    ]
    pairs = batch(sides)
    wanted = [(kernel("edits"), (2,)), (kernel("overlap"), (0,))]
    blocks = [[table.copy() for table in tables] for tables in count_blocks(pairs, wanted, size)]
    for place, (counting, parameters) in enumerate(wanted):
        whole = np.concatenate([tables[place] for tables in blocks])
        np.testing.assert_array_equal(whole, counting.count(pairs, parameters))
    empty = pairs.between(0, 0)
    assert [[len(table) for table in tables] for tables in count_blocks(empty, wanted, size)] == [[0, 0]]


def _another_runs(work: Callable[[], None]) -> bool:
    """Say whether a waiting thread came to its turn during some work."""
    start, ran = threading.Event(), threading.Event()
    other = threading.Thread(target=lambda: (start.wait(), ran.set()))
    other.start()
    start.set()
    work()
    found = ran.is_set()
    other.join()
    return found


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("pk", (2,), r"kernel 'pk' takes 6 parameters \(k, k_from, .*\), not 1"),
        ("boundaries", (-1, 0, 9), "kernel 'boundaries': tolerance is -1; it must be a whole number from 0 to 2"),
        ("edits", (0,), "kernel 'edits': n_t is 0; it must be a whole number from 1 to 2"),
        ("edits", (2**62 + 1,), "kernel 'edits': n_t is 4611686018427387905; it must be a whole number"),
        ("edits", (2.0,), "kernel 'edits': n_t is 2.0; it must be a whole number"),
        ("overlap", (2,), "kernel 'overlap': shares is 2; it must be a whole number from 0 to 1"),
    ],
)
def test_parameters_that_a_kernel_does_not_take(name: str, parameters: Any, message: str) -> None:
    pairs = batch([(Segmentation(9, (2, 5)), Segmentation(9, (3,)))])
    with pytest.raises(DeclarationError, match=message):
        kernel(name).count(pairs, parameters)
    with pytest.raises(DeclarationError, match=message):
        run_kernels([pairs], [(kernel(name), parameters)])
    with pytest.raises(DeclarationError, match=message):
        counter(kernel(name), parameters, [0])


def test_a_huge_window_is_as_good_as_a_large_one() -> None:
    pairs = batch([(Segmentation(9, (2, 5)), Segmentation(9, (3,)))])
    for edge in range(4):
        huge, large = (kernel("window_diff").count(pairs, (k, 0, 0, 2, 0, 0, edge)) for k in (2**62, 2**60))
        np.testing.assert_array_equal(huge, large)


def test_a_kernel_counts_pairs_only() -> None:
    with pytest.raises(ComparabilityError, match="a kernel counts Pairs, not a SimpleNamespace"):
        kernel("pk").count(SimpleNamespace(n_units=np.array([10**9])), (0, 0, 0, 2, 0, 0))  # type: ignore[arg-type]
