"""Lengths with their unit."""

from __future__ import annotations

import pytest

from caesura.errors import MetricError
from caesura.units.quantity import check_quantity, resolve_quantity


@pytest.mark.parametrize(
    ("text", "unit", "length"),
    [
        ("10s", "ms", 10_000),
        ("250ms", "ms", 250),
        ("1.5min", "ms", 90_000),
        ("0.5h", "ms", 1_800_000),
        (" 10 s ", "ms", 10_000),
        ("0.001s", "ms", 1),
        ("0s", "ms", 0),
        ("40c", "character", 40),
        (7, "sentence", 7),
        (7, "character", 7),
        (0, "turn", 0),
    ],
)
def test_lengths(text: int | str, unit: str, length: int) -> None:
    assert check_quantity(text) is None
    assert resolve_quantity(text, unit, owner="F1", name="tolerance") == length


@pytest.mark.parametrize("text", ["", "10", "s", "-3s", "1e3s", "10 sec", "10s 5ms", "ten s", "10S", ".5s", "5.s"])
def test_texts_that_are_no_length(text: str) -> None:
    assert (
        check_quantity(text)
        == "must be a number of units, or a string such as '10s', '250ms', '2min' or '40c' (characters)"
    )
    with pytest.raises(MetricError, match=r"^F1: tolerance is .*; it must be a number of units"):
        resolve_quantity(text, "ms", owner="F1", name="tolerance")


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        (
            "10s",
            "sentence",
            "F1: tolerance='10s' is a length in time, but the unit of the segmentations is 'sentence'; give a",
        ),
        (
            "10s",
            "character",
            "F1: tolerance='10s' is a length in time, but the unit of the segmentations is 'character'",
        ),
        ("10c", "ms", "F1: tolerance='10c' is a length in characters, but the unit of the segmentations is 'ms'"),
        ("0.0005s", "ms", "F1: tolerance='0.0005s' is not a whole number of ms"),
        ("2.5c", "character", "F1: tolerance='2.5c' is not a whole number of character"),
        ("9999999999h", "ms", "F1: tolerance='9999999999h' is longer than any document; at most"),
    ],
)
def test_lengths_that_do_not_fit(text: str, unit: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        resolve_quantity(text, unit, owner="F1", name="tolerance")
    assert message in str(caught.value)


@pytest.mark.parametrize(("unit", "example"), [("ms", "'10s'"), ("character", "'40c'")])
def test_a_default_means_nothing_on_a_continuous_unit(unit: str, example: str) -> None:
    for value in (0, 1, 2):
        with pytest.raises(MetricError) as caught:
            resolve_quantity(value, unit, owner="F1", name="tolerance", default_limit=2)
        assert str(caught.value) == (
            f"F1: tolerance={value} is meaningless on the unit {unit!r}; give a length, such as tolerance={example}"
        )
    assert resolve_quantity(2, "turn", owner="F1", name="tolerance", default_limit=2) == 2
    assert resolve_quantity(3, "character", owner="F1", name="tolerance", default_limit=2) == 3


@pytest.mark.parametrize("value", [0, 1, 10, 30_000])
def test_a_plain_number_on_time_is_refused_whatever_it_is(value: int) -> None:
    with pytest.raises(
        MetricError, match=rf"k={value} is meaningless on the unit 'ms'; give a length, such as k='10s'"
    ):
        resolve_quantity(value, "ms", owner="Pk", name="k")
