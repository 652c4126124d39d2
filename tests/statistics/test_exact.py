"""Exact sums against `math.fsum`, over orders and divisions."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import DeclarationError
from caesura.kernels import sums
from caesura.statistics.exact import ExactSum, exact_sum, exact_sums
from tests.kernels.test_compiled_equals_uncompiled import load

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(autouse=True, params=[True, False], ids=["as built", "with NumPy"])
def built(request, monkeypatch):
    """Run every test here with the loop as it is built, and with NumPy instead of it."""
    if not request.param:
        monkeypatch.setattr(sums, "COMPILED", False)


@pytest.mark.parametrize("shim", [True, False])
def test_uncompiled_digits_are_the_same(shim):
    values = np.array([0.1, -3.5, 2.0**-1074, -(2.0**1000), 0.0, -0.0, 1e16, math.inf, math.nan])
    tables = []
    for module in (sums, load("sums", shim=shim)):
        tables.append(np.zeros((2, sums.POWERS), dtype=np.int64))
        module.add_digits(values.view(np.int64), *tables[-1])
    assert np.array_equal(*tables)


@pytest.mark.parametrize("shim", [True, False])
def test_uncompiled_parts_are_the_same(shim):
    values = np.array([0.1, -3.5, 4096.0, -(2.0**-20), 0.3e-6, 0.1])
    found = []
    for module in (sums, load("sums", shim=shim)):
        parts = np.zeros(2, dtype=np.int64)
        found.append((module.add_parts(values, parts), parts.tolist()))
    assert found[0] == found[1]
    assert found[0][0] == 4  # 0.3e-6 needs finer units


@pytest.mark.parametrize("last", [2.0**-72, 2.0**-73, 4097.0, -5000.5, 2.0**-1074])
def test_scores_and_one_value_that_may_not_fit_beside_them(last):
    values = np.append(np.random.default_rng(0).random(1_000), [last, 0.25, 3.0])
    assert ExactSum.of(values) == ExactSum.of(values[:1_000]) + ExactSum.of(values[1_000:])
    assert ExactSum.of(values).value == math.fsum(values)


def test_more_values_than_are_added_together(monkeypatch):
    monkeypatch.setattr(sums, "MOST_TOGETHER", 64)
    for place in (None, 0, 63, 64, 130, 199):
        values = np.random.default_rng(1).random(200)
        if place is not None:
            values[place] = 1e10
        assert ExactSum.of(values).value == math.fsum(values)


@pytest.mark.parametrize("value", [4096.0, -4096.0])
def test_as_many_as_are_added_together_of_the_largest_value_do_not_overflow(value):
    assert ExactSum.of(np.full(1 << 20, value)).value == value * (1 << 20)


def test_sums_that_are_too_large_are_infinite():
    assert ExactSum.of([1.7e308, 1.7e308]).value == math.inf
    assert ExactSum.of([-1.7e308, -1.7e308]).value == -math.inf


def test_columns_are_summed_where_they_lie():
    table = np.random.default_rng(0).random((50, 3))
    assert exact_sum(table[::2]).tolist() == [math.fsum(column) for column in table[::2].T]


@given(st.lists(finite, max_size=60), st.randoms())
def test_every_order_and_every_division_gives_the_rounded_exact_sum(values, rng: random.Random):
    try:
        expected = math.fsum(values)
    except OverflowError:
        expected = math.inf if sum(map(int, values)) > 0 else -math.inf
    shuffled = rng.sample(values, len(values))
    cut = rng.randint(0, len(values))
    parts = ExactSum.of(shuffled[:cut]) + ExactSum.of(shuffled[cut:])
    assert parts == ExactSum.of(values)
    assert parts.value == expected
    assert ExactSum.parse(str(parts)) == parts


@pytest.mark.parametrize("seed", range(3))
def test_many_values_of_very_different_sizes(seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(70_000) * 10.0 ** rng.integers(-300, 300, 70_000)
    values[::7] *= -1
    values[::11] *= 5e-324
    assert ExactSum.of(values).value == math.fsum(values)
    order = rng.permutation(len(values))
    parts = np.array_split(values[order], [5, 16_384, 16_385, 60_000])
    total = ExactSum()
    for part in parts:
        total = total + ExactSum.of(part)
    assert total == ExactSum.of(values)


def test_plain_sums_of_the_same_scores_depend_on_the_order():
    rng = np.random.default_rng(0)
    scores = rng.random(100_000)
    orders = [rng.permutation(scores) for _ in range(10)]
    assert len({float(np.cumsum(each)[-1]) for each in orders}) > 1
    assert {ExactSum.of(each).value for each in orders} == {math.fsum(scores)}


def test_a_full_block_of_the_largest_value_of_its_size_is_exact():
    # 16,384 values of 53 ones each: the sum of the leading parts is as large as it can get.
    value = math.nextafter(1.0, 0.0)
    values = np.full(16_384, value)
    values[-1] = 2.0**-60
    assert ExactSum.of(values).value == math.fsum(values)


def test_columns_are_summed_apart():
    rows = np.array([[1e100, 1.0], [0.1, 2.0], [-1e100, 3.0]])
    assert [each.value for each in exact_sums(rows)] == [0.1, 6.0]
    assert exact_sum(rows).tolist() == [0.1, 6.0]
    assert exact_sum(rows[:, 0]) == 0.1
    assert exact_sum(np.empty((0, 2))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("most", [3.0, 2.0**51, 2.0**52, 2.0**53])
@pytest.mark.parametrize("order", ["C", "F"])
def test_whole_numbers_are_summed_exactly_up_to_any_size(most, order):
    # From 2**51 on, three of them may be more than the whole numbers that float64 can hold.
    rows = np.array([[most, 1.0], [most - 1, -0.0], [1.0, -2.0]], order=order)
    assert exact_sums(rows) == [ExactSum.of(column) for column in rows.T]
    assert exact_sums(rows)[0].total == int(2 * most) << 1074


@pytest.mark.parametrize(
    ("values", "shown"),
    [([1.0, math.inf], "inf"), ([-math.inf, 2.0], "-inf"), ([math.inf, -math.inf], "nan"), ([math.nan], "nan")],
)
def test_values_that_are_not_finite_stay_so(values, shown):
    total = ExactSum.of(values[:1]) + ExactSum.of(values[1:])
    assert str(total) == shown == str(total.value)
    assert str(ExactSum.parse(shown)) == shown


@pytest.mark.parametrize("text", ["", "p", "zp0", "1p-2000", "1p99999999", "1", "0x1.8p3"])
def test_a_damaged_text_is_refused(text):
    with pytest.raises(DeclarationError, match="is not an exact sum"):
        ExactSum.parse(text)


def test_infinities_that_would_cancel_are_no_number() -> None:
    values = np.array([np.inf, 1.0, -np.inf])
    assert np.isnan(ExactSum.of(values).value)
    assert ExactSum.of(-values[:2]).value == -np.inf
    assert np.isnan(ExactSum.of([np.nan, -np.nan, 3.0]).value)
