# SPDX-License-Identifier: Apache-2.0
"""Labels of 0 and 1: what they mean is given, left without doubt by the data, or asked about with what to write."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.errors import CaesuraWarning, FormatError, SegmentationError
from caesura.formats import from_records, load
from caesura.formats._flags import Coded, Unclear, settled
from caesura.segmentation import Segmentation

STARTS = ("1001000", "10100", "1000", "1000010", "10001")


def table(folder: Path, rows: tuple[str, ...], column: str = "mark", name: str = "gold.csv") -> Path:
    path = folder / name
    cells = [f"d{n},{flag}\n" for n, row in enumerate(rows) for flag in row]
    path.write_text(f"doc,{column}\n" + "".join(cells))
    return path


def lines(folder: Path, rows: tuple[str, ...], name: str = "gold.jsonl") -> Path:
    path = folder / name
    path.write_text(
        "".join(json.dumps({"id": f"d{n}", "labels": list(map(int, row))}) + "\n" for n, row in enumerate(rows))
    )
    return path


def masses(corpus: Corpus) -> list[tuple[int, ...]]:
    return [document.segmentation.masses for document in corpus if document.segmentation is not None]


def asked(path: Path | str, format: str | None = None) -> tuple[str, str]:  # noqa: A002
    """Return the message and the argument that it says to write."""
    with pytest.raises(FormatError) as caught:
        load(path, format)
    found = re.search(r'"([^"]+::[^"]+)"', str(caught.value))
    assert found is not None
    return str(caught.value), found[1]


def first(row: str) -> tuple[int, ...]:
    return Segmentation.from_bits(row, marks="first").masses


def test_flags_on_all_first_units_are_starts(tmp_path: Path) -> None:
    expected = [first(row) for row in STARTS]
    flags = f"{table(tmp_path, STARTS)}::labels(columns='boundary=mark')"
    for source, others in ((flags, "'last'"), (lines(tmp_path, STARTS), "'last' or 'topics'")):
        with pytest.warns(CaesuraWarning) as told:
            corpus = load(source)
        assert masses(corpus) == expected
        assert [str(note.message).split(": ", 1)[1] for note in told] == [
            "flags of 0 and 1 are read as marks='first', since all 5 documents begin with a 1; "
            f"say marks={others} if they mean something else"
        ]
        with pytest.raises(FormatError, match="are read as marks='first'"):
            load(source, strict=True)
    rows = [{"id": str(n), "labels": list(map(int, row))} for n, row in enumerate(STARTS)]
    with pytest.warns(CaesuraWarning, match=r"\Agold: flags of 0 and 1 are read as marks='first'"):
        assert masses(from_records(rows, "gold")) == expected
    assert masses(load(tmp_path / "gold.jsonl", marks="last"))[0] == (1, 3, 3)  # what is said is not overruled


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (STARTS[:4], "four documents are not enough"),
        ((*STARTS[:4], "1"), "a document of one unit says nothing"),
        ((*STARTS, "0001000"), "one document begins otherwise"),
        (("1000", "100", "10000", "10", "100000"), "no other start anywhere"),
        (("1001", "10001", "101", "1000001", "100101"), "all end with a 1 too: last units, closed"),
    ],
)
def test_less_than_that_is_asked_about(tmp_path: Path, rows: tuple[str, ...], why: str) -> None:
    for source in (f"{table(tmp_path, rows)}::labels(columns='boundary=mark')", lines(tmp_path, rows)):
        with pytest.raises(FormatError, match="labels of 0 and 1 can mean"):
            load(source)
    assert why


def test_topics_that_begin_with_1_are_not_starts(tmp_path: Path) -> None:
    topics = ("11100011", "1110000", "11000", "110011", "1111000")
    message, argument = asked(lines(tmp_path, topics))
    assert "most 1s follow another, which suggests" in message
    assert masses(load(argument))[0] == (3, 3, 2)
    # As flags of a boundary they can be starts only, however short the segments are.
    with pytest.warns(CaesuraWarning, match="read as marks='first'"):
        corpus = load(table(tmp_path, topics, "boundary"))
    assert masses(corpus) == [first(row) for row in topics]


def test_every_annotator_must_begin_with_a_1(tmp_path: Path) -> None:
    coded = [Coded(str(n), list(map(int, row))) for n, row in enumerate(STARTS)]
    assert settled(coded)[0] == "first"
    assert settled([*coded, *coded])[0] == "first"
    with pytest.raises(Unclear):
        settled([*coded, Coded("0", [0, 0, 1, 0])])
    with pytest.raises(Unclear):
        settled([Coded("0", each.labels) for each in coded])  # five annotators of one document
    with pytest.raises(Unclear):
        settled(coded, whole=False)


def test_a_part_of_a_file_decides_nothing(tmp_path: Path) -> None:
    path = lines(tmp_path, STARTS)
    with pytest.raises(FormatError, match="labels of 0 and 1 can mean"):
        load(path, f"jsonl(stop={path.stat().st_size})")


def test_the_message_is_the_argument_to_write(tmp_path: Path) -> None:
    rows = STARTS[:3]
    flags = f"{table(tmp_path, rows)}::labels(columns='boundary=mark')"
    message, argument = asked(flags)
    assert message == (
        f"{tmp_path}/gold.csv:2: labels of 0 and 1 can mean a 1 on the last unit of a segment (3 segments: 1-3-3, marks='last'), "
        "on the first (2 segments: 3-4, marks='first'); every document begins with a 1, which suggests "
        f"\"{tmp_path}/gold.csv::labels(columns='boundary=mark', marks='first')\" (marks='first' in Python)"
    )
    assert masses(load(argument)) == [first(row) for row in rows]
    assert masses(load(tmp_path / "gold.csv", "labels(columns='boundary=mark')", marks="first")) == masses(
        load(argument)
    )
    message, argument = asked(lines(tmp_path, ("0001", "01001")))
    assert "every document ends with a 1, which suggests" in message
    assert masses(load(argument)) == [(4,), (2, 3)]
    message, argument = asked(lines(tmp_path, ("0010", "01001")))
    assert "; say which, as in" in message


def test_folders_are_asked_about_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    lines(folder, ("1000100", "1010"), "a.jsonl")
    _, argument = asked(folder)
    assert argument == f"{folder}::jsonl(marks='first')"
    assert masses(load(argument)) == masses(load(folder, marks="first")) == [(4, 3), (2, 2)]
    people = tmp_path / "people"
    (people / "ann").mkdir(parents=True)
    lines(people / "ann", ("1000100", "1010"), "a.jsonl")
    message, argument = asked(people)
    assert message.startswith(f"{people}/ann/a.jsonl:1: labels of 0 and 1")
    assert argument == f"{people}::annotator_folders(marks='first')"
    assert masses(load(argument)) == masses(load(people, marks="first")) == [(4, 3), (2, 2)]


def test_what_is_said_of_one_file_holds_for_it(tmp_path: Path) -> None:
    bits = tmp_path / "a.bits"
    bits.write_text("00100\n")
    assert masses(load(bits)) == [(3, 3)]
    assert masses(load(bits, marks="last")) == [(3, 2)]
    assert masses(load(f"{bits}::bits", marks="last")) == [(3, 3)]  # FILE::FORMAT names all options
    assert masses(load(bits, marks="topics")) == [(3, 3)]  # bits are no topics
    with pytest.raises(SegmentationError, match="marks is 'frist'; it must be one of 'gap', 'first'"):
        load(bits, marks="frist")


def test_a_column_of_flags_without_a_1_has_no_boundary(tmp_path: Path) -> None:
    assert masses(load(table(tmp_path, ("000", "00"), "boundary"))) == [(3,), (2,)]
