# SPDX-License-Identifier: Apache-2.0
"""Mass lists, bits, tables, Choi's layout and segeval's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, FormatError
from caesura.formats import load, save
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parent / "samples"
PAIR = [Segmentation(13, (6, 9)), Segmentation(13, (4, 8))]


def write(folder: Path, content: str, name: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_masses_and_bits_say_the_same() -> None:
    masses, bits = load(SAMPLES / "system.masses"), load(SAMPLES / "system.bits")
    assert [d.segmentation for d in masses] == [d.segmentation for d in bits] == PAIR
    assert masses.ids == ["1", "2"]
    assert not masses.ids_are_given


@pytest.mark.parametrize(
    ("marks", "line"),
    [("gap", "000001001000"), ("first", "0000001001000"), ("last", "0000010010000"), ("last_closed", "0000010010001")],
)
def test_every_meaning_of_a_bit(tmp_path: Path, marks: str, line: str) -> None:
    name = f"bits(marks='{marks}')"
    path = write(tmp_path, line + "\n", "a.bits")
    corpus = load(path, name)
    assert corpus["1"].segmentation == PAIR[0]
    save(corpus, tmp_path / "b.bits", name)
    assert (tmp_path / "b.bits").read_text() == line + "\n"


def test_choi() -> None:
    (document,) = load(SAMPLES / "choi.ref")
    assert document.id == "choi"
    assert document.units == ("The first sentence .", "The second .", "Another topic .")
    assert document.segmentation == Segmentation(3, (2,))


def test_choi_takes_other_delimiters_and_blank_segments(tmp_path: Path) -> None:
    path = write(tmp_path, "a\n=====\n=====\n\nb\n========\n", "a.ref")
    assert load(path)["a"].segmentation == Segmentation(2, (1,))


def test_labels() -> None:
    with pytest.warns(UserWarning, match="1 row has no label"):
        corpus = load(SAMPLES / "labels.csv")
    assert corpus.ids == ["d1", "d2"]
    assert corpus["d1"].units == ("Hello, you.", "Hello.", "Now the weather.")
    assert corpus["d1"].speakers == ("Ann", "Bob", "Ann")
    assert corpus["d1"].segmentation == Segmentation(3, (2,))
    assert corpus["d2"].segmentation == Segmentation(2, (1,))  # an empty label is a label


def test_labels_with_tabs_one_document_and_a_named_column(tmp_path: Path) -> None:
    path = write(tmp_path, "Topic\tText\n4\ta\n5\tb\n5\tc\n", "talk.tsv")
    (document,) = corpus = load(path)
    assert (document.id, document.segmentation) == ("talk", Segmentation(3, (1,)))
    assert not corpus.ids_are_given
    path = write(tmp_path, "id|mine\nd|4\nd|5\n", "other.csv")
    assert load(path, "labels(columns='label=mine')")["d"].segmentation == Segmentation(2, (1,))
    assert load(path, "labels(columns='label=mine', delimiter='|')")["d"].segmentation == Segmentation(2, (1,))


def test_segeval_json_and_its_tables(tmp_path: Path) -> None:
    (document,) = load(SAMPLES / "stargazer.json")
    assert document.segmentation is None
    assert document.annotations["1"].masses == (2, 3, 3, 1, 3, 6, 3)
    save(Corpus([document]), tmp_path / "b.json", "segeval")
    assert load(tmp_path / "b.json")["stargazer"].annotations == document.annotations
    masses = write(tmp_path, "Coder\tMasses\n1\t2\t3\n2\t5\n", "m.tsv")
    positions = write(tmp_path, "Coder,Positions\n1,1,1,2,2,2\n2,1,1,1,1,1\n", "p.csv")
    assert load(masses)["m"].annotations == load(positions)["p"].annotations
    one = write(tmp_path, '{"items": {"d": {"only": [2, 3]}}, "segmentation_type": "linear"}', "o.json")
    assert load(one)["d"].segmentation == Segmentation(5, (2,))
    text = (
        '{"segmentation_type": "linear", "boundary_format": "position", "items": {"g": {"d": {"a": [300, 300, 301]}}}}'
    )
    assert load(write(tmp_path, text, "q.json"))["g/d"].segmentation == Segmentation(3, (2,))


FAULTS = {
    "mass word": ("a.masses", "6 x 4\n", r":1: 'x' is not a mass; write integers"),
    "mass float": ("a.masses", "6\n3.5\n", r":2: '3\.5' is not a mass"),
    "mass zero": ("a.masses", "6 0 4\n", r":1: mass 2 is 0; every segment has at least one unit"),
    "mass huge": ("a.masses", "9999999999999999999999\n", r":1: the masses add up to"),
    "bit": ("a.bits", "0102\n", r":1: bit 4 is '2'; it must be 0 or 1"),
    "choi empty": ("a.ref", "==========\n==========\n", "the file contains no unit; write one per line"),
    "choi none": ("a.ref", "one\ntwo\n", "has no line of five or more '=', as Choi's layout requires"),
    "labels none": ("a.csv", "doc,label\n", "the table has no rows"),
    "labels columns": ("a.csv", "doc,label\nd,1,2\n", r":2: the row has 3 columns, but the first row has 2"),
    "labels two": ("a.csv", "doc,label,topic\nd,1,2\n", r":1: the columns 'label' and 'topic' are ambiguous"),
    "labels apart": ("a.csv", "doc,label\nd,1\ne,1\nd,2\n", r":4: the rows of document 'd' are not adjacent"),
    "labels quote": ("a.csv", 'doc,label\nd,"1\n', r":2: is not a valid table row"),
    "segeval type": ("a.json", '{"items": {}, "segmentation_type": "tree"}', "segmentation_type is 'tree'"),
    "segeval none": ("a.json", '{"segmentation_type": "linear"}', 'has no "items"'),
    "segeval item": ("a.json", '{"items": {"d": 3}}', "item 'd' is not {annotator"),
    "segeval mass": (
        "a.json",
        '{"items": {"d": {"x": [1.5]}}}',
        "item 'd', annotator 'x': mass 1 is 1.5; it must be a whole",
    ),
    "segeval text": ("a.json", '{"items": {"d": {"x": ["1"]}}}', "item 'd', annotator 'x': mass 1 is '1'"),
    "segeval length": (
        "a.json",
        '{"items": {"d": {"x": [3], "y": [4]}}}',
        "annotator 'x' gives 3 units, but 'y' gives 4; all must",
    ),
    "segeval format": ("a.json", '{"items": {}, "boundary_format": "sets"}', "boundary_format is 'sets'"),
    "segeval row": ("a.tsv", "Coder\tMasses\n1\t2\tx\n", r":2: annotator '1': 'x' is not an integer"),
    "segeval twice": ("a.tsv", "Coder\tMasses\n1\t2\n1\t2\n", r":3: annotator '1' appears twice"),
    "segeval cut": ("a.json", '{"items": {"d": {"x": [1', r":1: the JSON is truncated; write the file again"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path: Path, fault: str) -> None:
    name, content, words = FAULTS[fault]
    with pytest.raises(CaesuraError, match=words) as caught:
        load(write(tmp_path, content, name))
    assert isinstance(caught.value, FormatError | ComparabilityError)
    assert str(caught.value).startswith(str(tmp_path / name))


def test_a_table_without_a_label_column(tmp_path: Path) -> None:
    path = write(tmp_path, "doc,topik\nd,1\n", "a.csv")
    with pytest.raises(
        FormatError, match=r":1: no column is named label, segment.*; the columns are doc, topik; .*--columns label="
    ):
        load(path, "labels")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    one = Segmentation(1)
    for name, document, words in [
        ("bits", Document(id="d", n_units=1, segmentation=one), "has one unit, so there is no gap to write"),
        ("masses", Document(id="d", n_units=1), "document 'd' has no segmentation to write"),
        ("segeval", Document(id="d", n_units=1), "document 'd' has no segmentation to write"),
        ("choi", Document(id="d", n_units=1, segmentation=one), "has no text, which Choi's layout requires"),
        ("choi", Document(id="d", n_units=1, segmentation=one, units=(" ",)), "unit 1 is blank"),
        ("choi", Document(id="d", n_units=1, segmentation=one, units=("a\nb",)), "unit 1 contains a line break"),
        ("choi", Document(id="d", n_units=1, segmentation=one, units=("=======",)), "unit 1 looks like a delimiter"),
        ("labels", Document(id="d\0", n_units=1, segmentation=one), "holds a null character"),
    ]:
        with pytest.raises(FormatError, match=words):
            save(Corpus([document]), tmp_path / "a.out", name)
    assert list(tmp_path.iterdir()) == []
