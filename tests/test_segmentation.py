"""The one value type: every spelling, every bad input, and that it cannot be changed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.errors import CaesuraError, SegmentationError
from caesura.segmentation import (
    CONTINUOUS_UNITS,
    MOST_UNITS,
    Segmentation,
    is_spelled,
    laid_out,
    segmentation_of,
    units_agree,
)
from tests.strategies import all_segmentations, segmentations

THIRTEEN = Segmentation(13, (6, 9))

# ---------------------------------------------------------------------------------------------- spellings


def test_one_segmentation_in_every_spelling() -> None:
    assert THIRTEEN.n_units == len(THIRTEEN) == 13
    assert THIRTEEN.boundaries == (6, 9)
    assert THIRTEEN.positions.tolist() == [6, 9]
    assert THIRTEEN.positions.dtype == np.int64
    assert THIRTEEN.n_boundaries == 2
    assert THIRTEEN.n_segments == 3
    assert THIRTEEN.masses == (6, 3, 4)
    assert THIRTEEN.labels == (0,) * 6 + (1,) * 3 + (2,) * 4
    assert THIRTEEN.bits == "000001001000"
    assert THIRTEEN.spans == ((0, 6), (6, 9), (9, 13))
    assert THIRTEEN.unit == "unit"


@given(segmentations(unit="turn"))
def test_every_spelling_leads_back(segmentation: Segmentation) -> None:
    unit = segmentation.unit
    again = [
        Segmentation(segmentation.n_units, segmentation.boundaries, unit=unit),
        Segmentation(segmentation.n_units, segmentation.positions, unit=unit),
        Segmentation.from_masses(segmentation.masses, unit=unit),
        Segmentation.from_labels(segmentation.labels, unit=unit),
        Segmentation.from_bits(segmentation.bits, unit=unit),
        Segmentation.from_bits([int(bit) for bit in segmentation.bits], marks="gap", unit=unit),
        Segmentation.from_bits("0" + segmentation.bits, marks="first", unit=unit),
        Segmentation.from_bits("1" + segmentation.bits, marks="first", unit=unit),
        Segmentation.from_bits(segmentation.bits + "0", marks="last", unit=unit),
        Segmentation.from_bits(segmentation.bits + "1", marks="last", unit=unit),
        Segmentation.from_bits(segmentation.bits + "1", marks="last_closed", unit=unit),
        Segmentation.from_spans(segmentation.spans, unit=unit),
        Segmentation.from_positions(segmentation.n_units, segmentation.positions, unit),
        eval(repr(segmentation)),
        segmentation.mirrored().mirrored(),
        segmentation[:],
        pickle.loads(pickle.dumps(segmentation)),
        copy.copy(segmentation),
        copy.deepcopy(segmentation),
    ]
    for other in again:
        assert other == segmentation
        assert hash(other) == hash(segmentation)
        assert other.unit == unit
    assert sum(segmentation.masses) == segmentation.n_units
    assert len(segmentation.labels) == segmentation.n_units
    assert len(segmentation.bits) == segmentation.n_units - 1
    assert segmentation.bits.count("1") == segmentation.n_boundaries == segmentation.n_segments - 1


def test_no_two_segmentations_are_one() -> None:
    everything = [s for n in range(1, 8) for s in all_segmentations(n)]
    assert len(set(everything)) == len(everything) == 2**7 - 1
    assert len({repr(s) for s in everything}) == len(everything)


def test_one_unit() -> None:
    one = Segmentation(1)
    assert (one.boundaries, one.masses, one.labels, one.bits, one.spans) == ((), (1,), (0,), "", ((0, 1),))
    assert one.n_segments == 1
    assert one == Segmentation.from_bits("") == Segmentation.from_labels("x") == Segmentation.from_masses([1])
    assert one.mirrored() == one


def test_from_seconds_rounds_to_milliseconds() -> None:
    assert Segmentation.from_seconds([61.5, 90.0004], duration=120.0) == Segmentation(
        120_000, (61_500, 90_000), unit="ms"
    )
    assert Segmentation.from_seconds([], duration=1) == Segmentation(1000, unit="ms")
    assert Segmentation.from_seconds(np.array([0.5]), np.float32(1)).boundaries == (500,)


def test_numbers_of_other_makes_are_numbers() -> None:
    for boundaries in (
        [np.int32(6), np.uint8(9)],
        np.array([6, 9], dtype=np.uint16),
        (n for n in (6, 9)),
        range(6, 10, 3),
    ):
        assert Segmentation(np.int64(13), boundaries) == THIRTEEN
    assert (
        Segmentation.from_bits([True, False], marks="gap")
        == Segmentation.from_bits(np.array([1, 0]), marks="gap")
        == Segmentation(3, (1,))
    )


@pytest.mark.parametrize(
    "labels", ["aab", [0, 0, 1], [None, None, 0], ["", "", "x"], [1000, int("1000"), 1001], [False, 0, 2]]
)
def test_labels_are_compared_by_equality(labels: Any) -> None:
    assert Segmentation.from_labels(labels) == Segmentation(3, (2,))


def test_a_label_that_returns_is_a_new_segment() -> None:
    assert Segmentation.from_labels("aba").n_segments == 3


# ---------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("n_units", "boundaries", "message"),
    [
        (0, (), "n_units is 0; a document has at least one unit"),
        (-3, (), "n_units is -3; a document has at least one unit"),
        (2.0, (), "n_units is 2.0; it must be a whole number"),
        ("13", (), "n_units is '13'; it must be a whole number"),
        (None, (), "n_units is None; it must be a whole number"),
        (True, (), "n_units is True; it must be a whole number"),
        (np.True_, (), "n_units is np.True_; it must be a whole number"),
        (MOST_UNITS + 1, (), f"n_units is {MOST_UNITS + 1}; a document has at most {MOST_UNITS} units"),
        (10**30, (), f"a document has at most {MOST_UNITS} units"),
        (9, (3, 2), "boundary 2 comes after 3; boundaries must be strictly increasing"),
        (9, (3, 3), "boundary 3 is given twice; boundaries must be strictly increasing"),
        (9, (0,), "boundary 0 is out of range 1..8 for 9 units; the start of the document is not a boundary"),
        (9, (-1, 3), "boundary -1 is out of range 1..8 for 9 units"),
        (9, (9,), "boundary 9 is out of range 1..8 for 9 units; the end of the document is not a boundary"),
        (9, (4, 12), "boundary 12 is out of range 1..8 for 9 units"),
        (1, (1,), "boundary 1 is out of range: a document of one unit has no gap"),
        (9, (10**30,), f"boundary {10**30} is out of range 1..8"),
        (9, (2.5,), "boundary 1 is 2.5; it must be a whole number; for times in seconds use Segmentation.from_seconds"),
        (9, (1, 3.0), "boundary 2 is 3.0; it must be a whole number"),
        (9, (True,), "boundary 1 is True; it must be a whole number"),
        (9, ("3",), "boundary 1 is '3'; it must be a whole number"),
        (9, (None,), "boundary 1 is None; it must be a whole number"),
        (9, "0010", "boundaries is '0010'; for a string of 0 and 1 use Segmentation.from_bits"),
        (9, b"01", "boundaries is b'01'; for a string of 0 and 1 use Segmentation.from_bits"),
        (9, np.array([1.0, 2.0]), "boundary 1 is np.float64(1.0); it must be a whole number"),
        (9, np.array([3, 1]), "boundary 1 comes after 3; boundaries must be strictly increasing"),
    ],
)
def test_constructor_says_what_is_wrong(n_units: Any, boundaries: Any, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Segmentation(n_units, boundaries)
    assert message in str(caught.value)
    assert isinstance(caught.value, CaesuraError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("wrong", [5, None, 2.5])
def test_one_value_is_no_list(wrong: Any) -> None:
    for what, make in (
        ("boundaries", lambda: Segmentation(9, wrong)),
        ("masses", lambda: Segmentation.from_masses(wrong)),
        ("labels", lambda: Segmentation.from_labels(wrong)),
        ("bits", lambda: Segmentation.from_bits(wrong)),
        ("spans", lambda: Segmentation.from_spans(wrong)),
        ("boundaries", lambda: Segmentation.from_seconds(wrong, 3.0)),
    ):
        with pytest.raises(SegmentationError, match=rf"^{what} is {wrong}; it must be a list$"):
            make()


def test_unsigned_positions_beyond_64_bits_are_out_of_range() -> None:
    with pytest.raises(SegmentationError, match="out of range"):
        Segmentation(9, np.array([2**63 + 5], dtype=np.uint64))


@pytest.mark.parametrize("unit", ["", None, 3])
def test_unit_is_a_word(unit: Any) -> None:
    for make in (
        lambda: Segmentation(3, unit=unit),
        lambda: Segmentation.from_masses([1, 2], unit=unit),
        lambda: THIRTEEN.with_unit(unit),
    ):
        with pytest.raises(
            SegmentationError, match=r"unit is .*; it must be a word such as 'sentence', 'turn' or 'ms'"
        ):
            make()


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ([], "no masses given; a document has at least one segment"),
        ([3, 0, 2], "mass 2 is 0; every segment has at least one unit"),
        ([3, -1], "mass 2 is -1; every segment has at least one unit"),
        ([3, 2.0], "mass 2 is 2.0; it must be a whole number"),
        ([3, "2"], "mass 2 is '2'; it must be a whole number"),
        ([MOST_UNITS, 1], f"the masses add up to {MOST_UNITS + 1}; a document has at most {MOST_UNITS} units"),
        ([10**40], f"a document has at most {MOST_UNITS} units"),
        ("63", "mass 1 is '6'; it must be a whole number"),
    ],
)
def test_masses_say_what_is_wrong(masses: Any, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Segmentation.from_masses(masses)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("bits", "marks", "message"),
    [
        ("0102", "gap", "bit 4 is '2'; it must be 0 or 1"),
        ([0, 1.5], "gap", "bit 2 is 1.5; it must be 0 or 1"),
        ([0, None], "gap", "bit 2 is None; it must be 0 or 1"),
        ([0, -1], "gap", "bit 2 is -1; it must be 0 or 1"),
        (
            [1, 0, 0, 1, 0, 0, 1, 0],
            None,
            "bits are a list; say what they mark: marks='gap' (one for each gap), 'first' or",
        ),
        (np.array([True, False]), None, "bits are a ndarray; say what they mark"),
        ("010", "middle", "marks is 'middle'; it must be 'gap', 'first', 'last' or 'last_closed'"),
        ("", "first", "no bits given; a document has at least one unit"),
        ("", "last", "no bits given; a document has at least one unit"),
        ("0100", "last_closed", "the last bit is 0, but marks='last_closed' requires the closing 1; try marks='last'"),
    ],
)
def test_bits_say_what_is_wrong(bits: Any, marks: Any, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Segmentation.from_bits(bits, marks=marks)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([], "no spans given; a document has at least one segment"),
        (
            [(0, 3), (4, 6)],
            "span 2 starts at 4, but the previous span ends at 3; spans must be consecutive from 0, without gaps",
        ),
        ([(0, 3), (2, 6)], "span 2 starts at 2, but the previous span ends at 3"),
        ([(1, 3)], "span 1 starts at 1, but the previous span ends at 0"),
        ([(0, 0)], "span 1 is (0, 0); its end must be after its start"),
        ([(0, 3), (3, 1)], "span 2 is (3, 1); its end must be after its start"),
        ([(0, 3, 5)], "span 1 is (0, 3, 5); it must be a pair (start, end)"),
        ([4], "span 1 is 4; it must be a pair (start, end)"),
        ([(0, 2.5)], "end of span 1 is 2.5; it must be a whole number"),
    ],
)
def test_spans_say_what_is_wrong(spans: Any, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Segmentation.from_spans(spans)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("boundaries", "duration", "message"),
    [
        ([1.0], float("nan"), "duration is nan; it must be a finite time in seconds"),
        ([1.0], float("inf"), "duration is inf; it must be a finite time in seconds"),
        (["1"], 3.0, "boundary 1 is '1'; it must be a time in seconds"),
        ([True], 3.0, "boundary 1 is True; it must be a time in seconds"),
        ([1.0, 1.0001], 3.0, "boundary 1000 is given twice"),
        ([4.0], 3.0, "boundary 4000 is out of range 1..2999"),
        ([], 0.0, "n_units is 0; a document has at least one unit"),
        ([], 0.0001, "n_units is 0; a document has at least one unit"),
    ],
)
def test_seconds_say_what_is_wrong(boundaries: Any, duration: float, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        Segmentation.from_seconds(boundaries, duration)
    assert message in str(caught.value)


def test_no_labels() -> None:
    with pytest.raises(SegmentationError, match="no labels given; a document has at least one unit"):
        Segmentation.from_labels([])


# ---------------------------------------------------------------------------------------------- a value


def test_nothing_can_be_changed() -> None:
    for name in ("n_units", "boundaries", "unit", "masses", "extra"):
        with pytest.raises(AttributeError):
            setattr(THIRTEEN, name, 5)
    with pytest.raises(ValueError, match="read-only"):
        THIRTEEN.positions[0] = 1
    source = np.array([6, 9])
    made = Segmentation(13, source)
    source[0] = 1
    assert made == THIRTEEN
    assert made.mirrored().positions.flags.writeable is False
    assert made[2:].positions.flags.writeable is False
    assert Segmentation.from_masses([6, 3, 4]).positions.flags.writeable is False


def test_equality_knows_the_unit() -> None:
    assert THIRTEEN.with_unit("ms") != THIRTEEN
    assert Segmentation(14, (6, 9)) != THIRTEEN
    assert Segmentation(13, (6,)) != THIRTEEN
    assert THIRTEEN != (6, 9)
    assert THIRTEEN.__eq__("x") is NotImplemented
    assert repr(THIRTEEN.with_unit("turn")) == "Segmentation(13, (6, 9), unit='turn')"
    assert repr(Segmentation(1)) == "Segmentation(1, ())"


@given(segmentations(min_units=1, max_units=15), st.data())
def test_slice_keeps_the_boundaries_inside(segmentation: Segmentation, data: st.DataObject) -> None:
    n = segmentation.n_units
    start = data.draw(st.integers(0, n - 1))
    stop = data.draw(st.integers(start + 1, n))
    cut = segmentation.with_unit("turn")[start:stop]
    assert cut.unit == "turn"
    # The labels of those units, renumbered from 0.
    assert Segmentation.from_labels(segmentation.labels[start:stop], unit="turn") == cut


def test_slices() -> None:
    assert THIRTEEN[4:8].masses == (2, 2)
    assert THIRTEEN[:6] == Segmentation(6)
    assert THIRTEEN[-4:] == Segmentation(4)
    assert THIRTEEN[5:100].masses == (1, 3, 4)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (3, "a segmentation is indexed by a slice of units such as [2:7], not by 3"),
        (slice(0, 9, 2), "a slice of units has no step, got 2"),
        (slice(5, 5), "the slice [5:5] holds no unit of the 13"),
        (slice(9, 4), "the slice [9:4] holds no unit of the 13"),
        (slice(40, None), "the slice [13:13] holds no unit of the 13"),
    ],
)
def test_slices_say_what_is_wrong(key: Any, message: str) -> None:
    with pytest.raises(SegmentationError) as caught:
        THIRTEEN[key]
    assert message in str(caught.value)


@given(segmentations())
def test_mirror(segmentation: Segmentation) -> None:
    assert segmentation.mirrored().masses == segmentation.masses[::-1]
    assert segmentation.mirrored().bits == segmentation.bits[::-1]


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("turn", "turn", True),
        ("unit", "turn", True),
        ("turn", "unit", True),
        ("unit", "unit", True),
        ("turn", "sentence", False),
        ("unit", "ms", False),
        ("character", "unit", False),
        ("ms", "ms", True),
        ("ms", "character", False),
    ],
)
def test_units_agree(first: str, second: str, agree: bool) -> None:
    assert units_agree(first, second) is agree
    assert {"ms", "character"} == CONTINUOUS_UNITS


def test_the_longest_document() -> None:
    longest = Segmentation(MOST_UNITS, (1, MOST_UNITS - 1))
    assert longest.masses == (1, MOST_UNITS - 2, 1)
    assert longest.mirrored() == longest


# ---------------------------------------------------------------------------------------------- quick and careful alike


class Indexed:
    """A whole number that is not an int, so that it is checked by itself."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def outcome(make: Any, *values: Any) -> Any:
    """Return what is made, or the message."""
    try:
        made = make(*values)
    except SegmentationError as error:
        return str(error)
    assert not made.positions.flags.writeable
    assert made.positions.dtype == np.int64
    return made, made.boundaries, made.masses, made.positions.tolist(), hash(made), made.n_boundaries


NUMBERS = st.lists(st.integers(-2, 12) | st.sampled_from([2**40, 2**40 + 1, 2**62, -(2**62)]), max_size=6)


@given(st.integers(-1, 12), NUMBERS | NUMBERS.map(sorted) | NUMBERS.map(lambda v: sorted(set(v))))
def test_lists_and_arrays_of_boundaries_are_checked_alike(n_units: int, boundaries: list[int]) -> None:
    expected = outcome(Segmentation, n_units, np.array(boundaries, dtype=np.int64))
    for spelled in (boundaries, tuple(boundaries), iter(boundaries), [Indexed(gap) for gap in boundaries]):
        assert outcome(Segmentation, n_units, spelled) == expected
    assert outcome(Segmentation.from_boundaries, n_units, boundaries) == expected


@given(NUMBERS)
def test_masses_of_every_make_are_checked_alike(masses: list[int]) -> None:
    expected = outcome(Segmentation.from_masses, [Indexed(mass) for mass in masses])
    for spelled in (masses, tuple(masses), iter(masses), np.array(masses, dtype=np.int64)):
        assert outcome(Segmentation.from_masses, spelled) == expected
    if not isinstance(expected, str):
        assert expected[0] == Segmentation(sum(masses), np.cumsum(masses)[:-1])
        assert expected[0].masses == tuple(masses)


@given(st.text("01", max_size=12), st.sampled_from(["gap", "first", "last", "last_closed", "?"]))
def test_bits_of_every_make_are_checked_alike(bits: str, marks: str) -> None:
    def make(value: Any) -> Segmentation:
        return Segmentation.from_bits(value, marks=marks)  # type: ignore[arg-type]

    expected = outcome(make, list(bits))
    numbers = [int(bit) for bit in bits]
    for spelled in (bits, numbers, list(map(bool, numbers)), np.array(numbers, dtype=bool), np.array(numbers, int)):
        assert outcome(make, spelled) == expected


@given(st.lists(st.tuples(segmentations(), st.booleans()), max_size=5))
def test_segmentations_in_a_row(drawn: list[tuple[Segmentation, bool]]) -> None:
    """Whether the boundaries came as a list or as an array."""
    rows = [Segmentation(s.n_units, s.positions) if array else s for s, array in drawn]
    units, n_units, sizes, positions = laid_out(rows)
    assert units == ["unit"] * len(rows)
    assert n_units.tolist() == [s.n_units for s in rows]
    assert sizes.tolist() == [s.n_boundaries for s in rows]
    assert positions.tolist() == [gap for s in rows for gap in s.boundaries]


# ---------------------------------------------------------------------------------------------- values that say what they are


@given(segmentations(min_units=2))
def test_bits_are_taken_as_they_are(segmentation: Segmentation) -> None:
    ones = [bit == "1" for bit in segmentation.bits]
    for value in (segmentation, segmentation.bits, ones, tuple(ones), np.array(ones), list(np.array(ones))):
        assert is_spelled(value)
        assert segmentation_of(value, "reference") == segmentation


@pytest.mark.parametrize(
    "value",
    [
        [6, 3, 4],
        (0, 1, 0),
        [],
        "",
        "0102",
        "aab",
        ["a", "a", "b"],
        [True, 1],
        np.array([0, 1]),
        np.array([[True]]),
        np.array([], dtype=bool),
        np.array(True),
        b"0100",
        None,
        7,
    ],
    ids=repr,
)
def test_what_may_mean_two_things_is_refused(value: Any) -> None:
    assert not is_spelled(value)
    with pytest.raises(SegmentationError) as caught:
        segmentation_of(value, "document 'a'")
    message = str(caught.value)
    assert message.startswith(f"document 'a' is a {type(value).__name__}; it must be a Segmentation")
    for constructor in ("Segmentation.from_masses", "from_bits", "from_labels", "from_boundaries"):
        assert constructor in message
    assert "\n" not in message


def test_the_examples_of_the_message_are_one_segmentation() -> None:
    with pytest.raises(
        SegmentationError, match=r"from_masses\(\[6, 3, 4\]\), from_bits\('000001001000'\), from_labels"
    ):
        segmentation_of([], "document 'a'")
    assert Segmentation.from_bits("000001001000") == THIRTEEN
    assert Segmentation.from_labels("aaaaaabbbcccc") == THIRTEEN
    assert Segmentation.from_boundaries(13, [6, 9]) == THIRTEEN
