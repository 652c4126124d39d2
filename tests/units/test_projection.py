# SPDX-License-Identifier: Apache-2.0
"""From one unit to another, and what it costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import Segmentation
from caesura.units.projection import (
    project,
    project_corpus,
    project_to_characters,
    project_to_subset,
    project_to_time,
    project_to_units,
    summary,
)
from caesura.units.text import text_of

TIMES = [(0.0, 2.0), (2.0, 4.0), (4.5, 7.0), (7.0, 10.0)]  # gaps begin at 2.0, 4.5 and 7.0 s


@pytest.mark.parametrize(
    ("rule", "boundaries", "moved", "merged", "dropped"),
    [
        ("nearest", (1, 2, 3), 1000, 1, 0),  # 2.1, 2.2 -> 2.0; 4.2 -> 4.5; 8.0 -> 7.0
        ("next", (2,), 2400, 2, 1),  # 2.1, 2.2 and 4.2 -> 4.5; after 8.0 there is no gap
        ("previous", (1, 3), 2200, 2, 0),  # 2.1, 2.2 and 4.2 -> 2.0; 8.0 -> 7.0
    ],
)
def test_times_onto_units(rule: str, boundaries: tuple[int, ...], moved: float, merged: int, dropped: int) -> None:
    chapters = Segmentation(10_000, (2_100, 2_200, 4_200, 8_000), unit="ms")
    made = project_to_units(chapters, TIMES, rule=rule, unit="cue")  # type: ignore[arg-type]
    assert made.segmentation == Segmentation(4, boundaries, unit="cue")
    assert (made.max_displacement, made.merged, made.dropped) == (moved, merged, dropped)
    assert made.measured_in == "ms"


def test_what_is_nearer_to_an_end_than_to_any_gap_is_dropped() -> None:
    places = [(0.0, 100.0), (100.0, 200.0)]  # the only gap is at 100 s
    early, late, halfway = (Segmentation(200_000, (at,), unit="ms") for at in (500, 199_500, 50_000))
    for chapters in (early, late):
        made = project_to_units(chapters, places)
        assert (made.segmentation.boundaries, made.max_displacement, made.dropped) == ((), 0, 1)
    assert project_to_units(halfway, places).segmentation.boundaries == (1,)  # as near to both: the gap takes it
    assert project_to_units(early, places, rule="next").max_displacement == 99_500


def test_the_ends_of_a_text_and_of_a_subset_drop_too() -> None:
    made = project_to_units(Segmentation(200, (2, 90, 198), unit="character"), [0, 100])
    assert (made.segmentation.boundaries, made.dropped) == ((1,), 2)
    made = project_to_subset(Segmentation(10, (3, 9)), [0, 2], rule="nearest")
    assert (made.segmentation.boundaries, made.dropped) == ((1,), 1)


def test_mean_displacement() -> None:
    made = project_to_units(Segmentation(10_000, (2_100, 4_200, 8_000), unit="ms"), TIMES)
    assert made.mean_displacement == pytest.approx((100 + 300 + 1000) / 3)
    assert "moved by 1000 ms at most, 466.67 on average; 0 merged, 0 dropped" in str(made)


def test_units_onto_times_and_back() -> None:
    there = project_to_time(Segmentation(4, (2, 3)), TIMES)
    assert there.segmentation == Segmentation(10_000, (4_500, 7_000), unit="ms")
    assert (there.max_displacement, there.merged, there.dropped) == (0, 0, 0)
    assert project_to_units(there.segmentation, TIMES).segmentation == Segmentation(4, (2, 3))
    longer = project_to_time(Segmentation(4, (2,)), TIMES, duration=12)
    assert longer.segmentation.n_units == 12_000


def test_units_that_start_together_merge_or_drop() -> None:
    made = project_to_time(Segmentation(4, (1, 2, 3)), [(0, 1), (0, 2), (3, 4), (3, 5)])
    assert (made.segmentation.boundaries, made.merged, made.dropped) == ((3000,), 1, 1)


def test_characters_and_back() -> None:
    texts = ["One.", "Two two.", "Three."]
    text = text_of(Document(id="d", n_units=3, units=tuple(texts)))
    offsets = [*text.starts, len(text.text)]
    assert offsets == [0, 5, 14, 20]
    assert "\n".join(texts)[offsets[1] : offsets[2] - 1] == texts[1]
    there = project_to_characters(Segmentation(3, (2,)), offsets)
    assert there.segmentation == Segmentation(20, (14,), unit="character")
    assert project_to_units(there.segmentation, offsets[:-1]).segmentation == Segmentation(3, (2,))
    chunks = project_to_units(Segmentation(20, (6, 13), unit="character"), offsets[:-1])
    assert (chunks.segmentation.boundaries, chunks.max_displacement, chunks.measured_in) == ((1, 2), 1, "character")


def test_a_single_unit_takes_no_boundary() -> None:
    made = project_to_units(Segmentation(1000, (500,), unit="ms"), [(0, 1)])
    assert (made.segmentation, made.dropped) == (Segmentation(1), 1)


@given(st.data())
def test_nothing_is_lost_silently(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))
    edges = sorted(data.draw(st.lists(st.integers(0, 20_000), min_size=n, max_size=n)))
    times = [(edge / 1000, edge / 1000) for edge in edges]
    length = edges[-1] + 1
    gaps = sorted(data.draw(st.sets(st.integers(1, max(1, length - 1)), max_size=8))) if length > 1 else []
    segmentation = Segmentation(length, gaps, unit="ms")
    for rule in ("nearest", "next", "previous"):
        made = project_to_units(segmentation, times, rule=rule)  # type: ignore[arg-type]
        assert made.segmentation.n_boundaries + made.merged + made.dropped == len(gaps)
    members = sorted(data.draw(st.sets(st.integers(0, length - 1), min_size=1, max_size=8)))
    for rule in ("nearest", "next", "previous"):
        made = project_to_subset(segmentation, members, rule=rule)  # type: ignore[arg-type]
        assert made.segmentation.n_boundaries + made.merged + made.dropped == len(gaps)
        assert made.segmentation.n_units == len(members)


def test_subsets() -> None:
    whole = Segmentation(7, (1, 2, 5))
    assert project_to_subset(whole, [0, 2, 4, 6]).segmentation == Segmentation(4, (1, 3))
    assert project_to_subset(whole, [True, False] * 3 + [True]).segmentation == Segmentation(4, (1, 3))
    back = project_to_subset(whole, [0, 2, 4, 6], rule="previous")
    assert (back.segmentation.boundaries, back.dropped) == ((1, 2), 1)  # before unit 1 goes to the very start
    assert project_to_subset(whole, range(7)).segmentation == whole


def test_documents_carry_everything_over() -> None:
    document = Document(
        id="d",
        n_units=4,
        unit="cue",
        segmentation=Segmentation(4, (2,), unit="cue"),
        units=("a", "b", "c", "d"),
        unit_times=tuple(TIMES),
        annotations={"x": Segmentation(4, (1, 3), unit="cue")},
        hierarchy=(Segmentation(4, unit="cue"), Segmentation(4, (2,), unit="cue")),
        extra={"segment_titles": ["p", "q"]},
    )
    made, cost = project(document, "ms")
    assert made.segmentation == Segmentation(10_000, (4_500,), unit="ms")
    assert made.annotations["x"].boundaries == (2_000, 7_000)
    assert made.extra == {"segment_titles": ["p", "q"]}
    assert cost.max_displacement == 0
    text, _ = project(document, "character")
    assert text.segmentation == Segmentation(7, (4,), unit="character")
    corpus, costs = project_corpus(Corpus([made]), "units", units_of=Corpus([document]))
    assert corpus["d"].segmentation == document.segmentation
    assert corpus["d"].units == document.units
    assert corpus["d"].annotations == document.annotations
    assert summary(costs) == "boundaries moved by 0 ms at most, 0 on average; 0 merged, 0 dropped"


def test_what_is_refused() -> None:
    times = Segmentation(10_000, (5_000,), unit="ms")
    for call, words in [
        (lambda: project_to_units(Segmentation(3), TIMES), "only 'ms' and 'character' can be projected onto units"),
        (lambda: project_to_units(times, []), "unit_times is empty"),
        (lambda: project_to_units(times, [(2, 3), (1, 2)]), "unit 2 starts at 1 s, before unit 1; sort them"),
        (lambda: project_to_units(times, [(2, 1)]), "unit 1 ends at 1 s, before it starts at 2 s"),
        (lambda: project_to_units(times, [(0, float("inf"))]), "the end of unit 1 is inf"),
        (lambda: project_to_units(times, [0.5]), r"the time of unit 1 is 0\.5; it must be \(start, end\)"),
        (lambda: project_to_units(times, TIMES, rule="up"), "rule is 'up'; it must be"),
        (lambda: project_to_time(Segmentation(3), TIMES), "unit_times has 4 entries for 3 units"),
        (
            lambda: project_to_time(Segmentation(4), TIMES, duration=7),
            "the duration is 7 s, but the last unit starts at",
        ),
        (lambda: project_to_characters(Segmentation(2), [0, 5]), "the length of the text is unknown"),
        (lambda: project_to_characters(Segmentation(2), [5, 0, 9]), "offsets must be increasing, from 0"),
        (lambda: project_to_characters(Segmentation(2), [0.5, 1.5]), "offsets must be integers"),
        (lambda: project_to_characters(Segmentation(2), [0, 5], n_characters=5), "the text has 5 characters, but"),
        (lambda: project_to_subset(Segmentation(3), []), "members is empty"),
        (
            lambda: project_to_subset(Segmentation(3), [2, 1]),
            "members must be increasing indices of units, from 0 to 2",
        ),
        (lambda: project_to_subset(Segmentation(3), [True]), "there are 1 truth values for 3 units"),
        (lambda: project(times, "units"), "requires the positions of the units"),
        (lambda: project(Segmentation(2), "ms"), "requires the unit_times of the units"),
        (lambda: project(times, "words"), "cannot project onto 'words'"),
        (
            lambda: project_corpus(Corpus([Document(id="d", n_units=9, unit="ms")]), "units"),
            "document 'd': projecting onto units requires",
        ),
    ]:
        with pytest.raises((SegmentationError, ComparabilityError), match=words):
            call()  # type: ignore[no-untyped-call]
