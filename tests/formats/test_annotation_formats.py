# SPDX-License-Identifier: Apache-2.0
"""The files of annotation tools: a real Moonstone table, the others written by hand in the published layouts."""

from __future__ import annotations

import copy
import json
import shutil
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caesura.batches.flat import first_fault
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, FormatError
from caesura.formats import detect, load
from caesura.formats._spans import Span, SpanFormat, Tally, layout
from caesura.segmentation import Segmentation
from tests.corpora import corpus_file, needs

SAMPLES = Path(__file__).parent / "samples" / "annotation"


def write(folder: Path, content: str, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def quietly(path: Path, chosen: str | None = None) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)
        return load(path, chosen)


def boundaries(document: Document) -> dict[str, tuple[int, ...]]:
    return {name: value.boundaries for name, value in document.annotations.items()}


# ---------------------------------------------------------------------- spans and units

TEXT = "one\ntwo\n\nthree\nfour"  # lines at 0-3, 4-7, 9-14, 15-19


def made(spans: list[tuple[int, int]], **options: str) -> tuple[tuple[int, ...], Tally]:
    tally = Tally()
    places = layout(TEXT, options.get("unit", "line"))
    return SpanFormat(**options).segmented([Span(*span) for span in spans], places, tally).boundaries, tally


def test_units_of_a_text() -> None:
    assert layout(TEXT, "line").units == ("one", "two", "three", "four")
    assert layout(TEXT, "paragraph").units == ("one\ntwo", "three\nfour")
    assert layout(" \r\n a \r\n", "line").spans == [Span(4, 5)]
    assert "".join(layout(TEXT, "character").units) == TEXT


def test_spans_are_segments() -> None:
    assert made([(0, 7), (9, 19)])[0] == (2,)
    assert made([])[0] == ()
    # Two neighbours stay two, whatever they are called, and in whatever order they stand.
    assert made([(9, 19), (4, 7), (0, 3)])[0] == (1, 2)


@pytest.mark.parametrize(
    ("spans", "own", "previous"),
    [
        ([(0, 3), (9, 14)], (1, 2, 3), (2,)),  # holes in the middle and at the end
        ([(4, 7), (9, 19)], (1, 2), (2,)),  # a hole at the start belongs to the first segment
        ([(4, 7)], (1, 2), ()),
    ],
)
def test_holes(spans: list[tuple[int, int]], own: tuple[int, ...], previous: tuple[int, ...]) -> None:
    assert made(spans)[0] == own
    assert made(spans, holes="previous")[0] == previous


def test_spans_mark_single_units() -> None:
    assert made([(0, 3), (9, 10)], marks="first")[0] == (2,)
    assert made([(4, 5), (15, 19)], marks="last")[0] == (2,)
    # Inside a unit, between two, and without any width.
    assert made([(10, 12), (15, 15), (8, 8)], marks="first")[0] == (2, 3)
    assert made([(5, 6), (8, 9)], marks="last")[0] == (2,)


TURNS = "\n".join(f"turn {n:02}" for n in range(40))  # 7 characters each, and a line end


def turns(*spans: tuple[int, int]) -> list[list[Any]]:
    """Return labelled spans from one turn to another, counted from 0, without the end of the line."""
    return [[8 * start, 8 * end - 1, "New topic"] for start, end in spans]


def marked(folder: Path, tool: str, spans: list[list[Any]]) -> Path:
    if tool == "doccano":
        return write(folder, json.dumps({"id": 1, "text": TURNS, "label": spans}), "ann.jsonl")
    regions = [{"type": "labels", "value": {"start": s, "end": e, "labels": [label]}} for s, e, label in spans]
    tasks = [{"id": 1, "data": {"text": TURNS}, "annotations": [{"completed_by": "ann", "result": regions}]}]
    return write(folder, json.dumps(tasks), "ann.json")


@pytest.mark.parametrize("tool", ["label_studio", "doccano"])
def test_spans_that_look_like_marks_are_asked_about(tmp_path: Path, tool: str) -> None:
    """A short label on each first turn, read as segments, would double the boundaries."""
    path = marked(tmp_path, tool, turns((0, 1), (12, 13), (30, 31)))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: 3 spans cover 7.5 % of the text, none longer than one line: say whether they are segments (marks='segments') "
        f"or mark the first or last unit of one, as in \"{path}::{tool}(marks='first')\" (marks='first' in Python)"
    )
    for corpus in (load(f"{path}::{tool}(marks='first')"), load(path, marks="first")):
        assert boundaries(next(iter(corpus))) == {"ann": (12, 30)}
    (document,) = load(path, marks="segments")
    assert boundaries(document) == {"ann": (1, 12, 13, 30, 31)}


@pytest.mark.parametrize(
    ("spans", "ask"),
    [
        ([(0, 3)], True),  # 7.5 % in one piece: hardly the segments of a text
        ([(0, 4)], False),
        ([(place, place + 1) for place in range(0, 40, 2)], False),  # half of it, turn by turn
        ([(place, place + 1) for place in range(0, 38, 2)], True),
        ([(0, 2), *((place, place + 1) for place in range(2, 21, 3))], False),  # one longer than a turn
        ([(0, 12), (12, 30), (30, 40)], False),
        ([], False),  # a task without spans is one segment
    ],
)
def test_what_looks_like_marks(tmp_path: Path, spans: list[tuple[int, int]], ask: bool) -> None:
    path = marked(tmp_path, "label_studio", turns(*spans))
    if ask:
        with pytest.raises(FormatError, match="say whether they are segments"):
            load(path)
    else:
        assert len(load(path)) == 1


def test_edges_inside_a_unit_move_to_the_nearest() -> None:
    found, tally = made([(0, 8), (10, 19)])
    assert (found, tally.moved, tally.furthest) == ((2,), 2, 1)
    # 12 is as near to the start of "three" as to that of "four": the later one.
    assert made([(0, 12), (12, 19)])[0] == (3,)
    # A span shorter than a unit still is one unit.
    assert made([(10, 12)])[0] == (2, 3)
    assert made([(4, 7), (9, 12)], unit="character")[0] == (4, 7, 9, 12)


def test_overlaps_and_empty_spans_are_counted() -> None:
    found, tally = made([(0, 14), (9, 19), (9, 19), (3, 3)])
    assert (found, tally.overlaps, tally.empty) == ((2,), 1, 1)


@given(
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)).map(sorted), max_size=6),
    st.sampled_from(["segments", "first", "last"]),
    st.sampled_from(["own", "previous"]),
    st.sampled_from(["line", "paragraph", "character"]),
)
def test_any_spans_make_a_segmentation(spans: list[Any], marks: str, holes: str, unit: str) -> None:
    found, _ = made([tuple(span) for span in spans], marks=marks, holes=holes, unit=unit)
    assert list(found) == sorted(set(found))
    assert made([tuple(span) for span in reversed(spans)], marks=marks, holes=holes, unit=unit)[0] == found
    if holes == "previous" and marks == "segments":
        assert len(found) <= len(spans)


@given(st.sets(st.integers(1, 3)))
def test_segments_of_whole_units_come_back(gaps: set[int]) -> None:
    lines = layout(TEXT, "line").spans
    wanted = Segmentation(4, sorted(gaps))
    spans = [(lines[start].start, lines[end - 1].end) for start, end in wanted.spans]
    found, tally = made(spans)
    assert found == wanted.boundaries
    assert (tally.moved, tally.overlaps, tally.empty) == (0, 0, 0)


# ---------------------------------------------------------------------- Moonstone


def test_moonstone() -> None:
    assert detect(SAMPLES / "ch1.csv").name() == "moonstone"
    (document,) = load(SAMPLES / "ch1.csv")
    assert (document.id, document.n_units, document.unit) == ("ch1", 13, "paragraph")
    assert boundaries(document) == {"an1": (11,), "an2": (2, 3, 10, 12), "an3": (9,), "an4": (2, 10, 12)}
    assert document.segmentation is None


@needs("moonstone")
def test_moonstone_tables_say_what_the_released_masses_say() -> None:
    folder = corpus_file("moonstone")
    tables = load(folder / "original" / "segmentations")
    released = load(folder / "moonstone_8ch.jsonl.gz")
    assert len(tables) == len(released) == 8
    for document in released:
        table = tables[document.id.rpartition("/")[2]]
        assert table.n_units == document.n_units
        # The release calls the coders otherwise.
        assert sorted(boundaries(table).values()) == sorted(boundaries(document).values())


def test_moonstone_chapters_are_a_corpus(tmp_path: Path) -> None:
    for name in ("ch2", "ch1"):
        shutil.copy(SAMPLES / "ch1.csv", tmp_path / f"{name}.csv")
    assert load(tmp_path).ids == ["ch1", "ch2"]


def test_moonstone_one_annotator_and_empty_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "paragraph,an1,an2\n1,1,\n2,2,\n", "a.csv")
    with pytest.warns(CaesuraWarning, match=r"1 annotator with an empty column ignored: an2"):
        (document,) = load(path)
    assert document.segmentation == document.annotations["an1"] == Segmentation(2, (1,), unit="paragraph")


def moonstone_folder(folder: Path, groups: str, columns: dict[int, int]) -> Path:
    """Write chapters of two paragraphs by so many annotators, and the tables of groups 1 (two members) and 2 (three)."""
    write(folder, "annotator,group\n1,1\n2,1\n3,\n4,2\n5,2\n6,2", "annot_to_group.csv")
    write(folder, groups, "group_to_chapter.csv")
    (folder / "segmentations").mkdir()
    for chapter, width in columns.items():
        names = ",".join(f"an{n}" for n in range(1, width + 1))
        rows = f"paragraph,{names}\n1,{','.join('1' * width)}\n2,{','.join('2' * width)}\n"
        write(folder / "segmentations", rows, f"ch{chapter}.csv")
    return folder


def test_moonstone_people_are_members_of_groups(tmp_path: Path) -> None:
    """A chapter in two groups belongs to the one of its size, and one in none to the only group of its size."""
    folder = moonstone_folder(tmp_path, "group,ch1,ch2\n1,1,9\n2,9,10", {1: 2, 11: 2, 9: 3, 10: 3})
    corpus = load(folder)
    assert corpus.ids == ["ch1", "ch9", "ch10", "ch11"]
    assert [list(document.annotations) for document in corpus] == [
        ["g1.an1", "g1.an2"],
        ["g2.an1", "g2.an2", "g2.an3"],
        ["g2.an1", "g2.an2", "g2.an3"],
        ["g1.an1", "g1.an2"],
    ]
    assert load(folder, "moonstone").ids == corpus.ids


def test_moonstone_groups_that_do_not_fit(tmp_path: Path) -> None:
    folder = moonstone_folder(tmp_path, "group,ch1,ch2\n1,1,9\n2,9,10", {1: 4})
    with pytest.raises(FormatError, match=r"group_to_chapter\.csv: ch1 has 4 annotators, and 0 groups"):
        load(folder)
    write(tmp_path, "annotator,group\n1\n", "annot_to_group.csv")
    with pytest.raises(FormatError, match=r"annot_to_group\.csv:2: the row has 1 columns"):
        load(folder)


@needs("moonstone_release")
def test_moonstone_as_released() -> None:
    corpus = load(corpus_file("moonstone_release"))
    assert len(corpus) == 20
    assert sum(len(document.annotations) for document in corpus) == 108
    people = {name for document in corpus for name in document.annotations}
    assert [sum(name.startswith(f"g{group}.") for name in people) for group in range(1, 6)] == [4, 6, 6, 6, 5]
    assert {name[:2] for name in corpus["ch11"].annotations} == {"g1"}
    assert {name[:2] for name in corpus["ch9"].annotations} == {"g3"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("paragraph,an1\n1,1\n3,1\n", r"a\.csv:3: the paragraph is numbered '3'; it must be 2"),
        ("paragraph,an1\n1,1\n2,3\n", r"a\.csv:3: annotator 'an1': segment 3 follows segment 1"),
        ("paragraph,an1\n1,2\n2,1\n", r"a\.csv:3: annotator 'an1': segment 1 follows segment 2"),
        (
            "paragraph,an1\n1,0\n2,1\n",
            r"a\.csv:2: annotator 'an1': segment numbers begin with 1; read flags of 0 and 1",
        ),
        ("paragraph,an1\n1,x\n", r"a\.csv:2: annotator 'an1': 'x' is not a segment number"),
        ("paragraph,an1,an2\n1,1,1\n2,1,\n", r"a\.csv:3: annotator 'an2': '' is not a segment number"),
        ("paragraph,an1\n1,1,1\n", r"a\.csv:2: the row has 3 columns, but the first row has 2"),
        ("paragraph,an1,an1\n1,1,1\n", r"a\.csv:1: annotator 'an1' appears twice"),
        ("paragraph,\n1,1\n", r"a\.csv:1: a column has no name"),
        ("paragraph,an1\n", "no annotator has coded any paragraph"),
        ("unit,an1\n1,1\n", "the first row must be 'paragraph' and the names of the annotators"),
    ],
)
def test_moonstone_faults(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, content, "a.csv"), "moonstone")


# ---------------------------------------------------------------------- Label Studio


def test_label_studio_texts() -> None:
    path = SAMPLES / "label_studio.json"
    assert detect(path).name() == "label_studio"
    with pytest.warns(CaesuraWarning, match="1 cancelled annotation ignored; 2 edges of spans inside a unit") as said:
        (document,) = load(path)
    assert len(said) == 1
    assert "by at most 1 character" in str(said[0].message)
    assert (document.id, document.unit, document.n_units) == ("7", "line", 5)
    assert boundaries(document) == {"anna@example.org": (2,), "2": (3,)}
    with pytest.raises(FormatError, match="1 cancelled annotation ignored"):
        load(path, strict=True)


def test_label_studio_characters() -> None:
    (document,) = quietly(SAMPLES / "label_studio.json", "label_studio(unit='character', holes='previous')")
    assert (document.unit, boundaries(document)) == ("character", {"anna@example.org": (45,), "2": (61,)})


def test_label_studio_dialogues() -> None:
    (document,) = load(SAMPLES / "label_studio_dialogue.json")
    assert (document.unit, document.n_units) == ("turn", 5)
    assert document.speakers == ("Caller", "Desk", "Caller", "Desk", "Caller")
    assert boundaries(document) == {"1": (2, 4), "2": (4,)}
    (document,) = load(SAMPLES / "label_studio_dialogue.json", "label_studio(label='Card', holes='previous')")
    assert boundaries(document) == {"1": (), "2": ()}
    (document,) = load(SAMPLES / "label_studio_dialogue.json", "label_studio(marks='first')")
    assert boundaries(document) == {"1": (2,), "2": ()}


def task(text: Any = "a b\nc d\n", spans: Any = (), **more: Any) -> dict[str, Any]:
    regions = [{"type": "labels", "value": {"start": s, "end": e, "labels": ["T"]}} for s, e in spans]
    return {"id": 1, "data": {"text": text}, "annotations": [{"completed_by": 1, "result": regions}]} | more


def test_label_studio_emoji(tmp_path: Path) -> None:
    text = "😊 hm\nwell 😊\nso"
    region = {"type": "labels", "value": {"start": 6, "end": 13, "text": "well 😊", "labels": ["T"]}}
    content = [task(text, annotations=[{"completed_by": 1, "result": [region]}])]
    (document,) = load(write(tmp_path, json.dumps(content), "a.json"), "label_studio(unit='character')")
    assert boundaries(document) == {"1": (5, 11)}


def test_label_studio_one_annotator_and_nothing_marked(tmp_path: Path) -> None:
    (document,) = load(write(tmp_path, json.dumps([task()]), "a.json"), "label_studio")
    assert document.segmentation == document.annotations["1"] == Segmentation(2, unit="line")
    (document,) = load(write(tmp_path, json.dumps(task()), "a.json"))
    assert document.id == "1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([task(spans=[(0, 99)])], r"task '1', annotator '1': region 1 spans 0 to 99, which is not part of the text"),
        ([task(spans=[("/p[1]", "/p[2]")])], r"region 1 spans '/p\[1\]' to '/p\[2\]'"),
        ([task(spans=[(3, 1)])], "region 1 spans 3 to 1"),
        (
            [task(annotations=[{"completed_by": 1, "id": 4}, {"completed_by": 1, "id": 5}])],
            r"document '1': annotator '1' coded it twice \(annotation 4 and annotation 5\)",
        ),
        ([task(annotations=[{"result": []}])], "task '1': annotation None has no annotator"),
        ([task(), task("other\n")], r"document '1': annotators '1' and '1' coded different texts \(2 and 1 units\)"),
        ([task(annotations=None)], "task '1' has no annotations; export the project as JSON or JSON-MIN"),
        ([task(" \n ")], "task '1' has no text"),
        ([task(data={"a": "x", "b": "y"})], r"task '1': data has 'a', 'b'; name the key of the text with field="),
        ([task(data={"talk": [{"said": "x"}]})], "task '1': paragraph 0 has no 'text'"),
        ([{"id": 1}], r":1: the value\[0\] has no 'data'; add it"),
        ([], "the file contains no task"),
    ],
)
def test_label_studio_faults(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, json.dumps(content), "a.json"), "label_studio")


# ---------------------------------------------------------------------- doccano


def numbered(number: int, *, by: str = "ann", **data: Any) -> dict[str, Any]:
    region = {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["t"]}}
    made = {"completed_by": {"email": by}, "result": [region], "created_at": f"2024-05-0{number}T10:00:00Z"}
    return {"id": number, "data": {"text": "one\ntwo", **data}, "annotations": [made]}


def test_label_studio_documents_are_named_by_their_data(tmp_path: Path) -> None:
    def ids(*tasks: dict[str, Any], options: str = "") -> list[str]:
        return list(load(write(tmp_path, json.dumps(tasks), "a.json"), f"label_studio({options})").ids)

    assert ids(numbered(1, meeting="m7"), numbered(2, meeting="m8")) == ["m7", "m8"]
    assert ids(numbered(1, meeting="m7", id=3), numbered(2, meeting="m8", id=4)) == ["m7", "m8"]
    assert ids(numbered(1, id=33), numbered(2, id=44)) == ["33", "44"]
    # A key that repeats, or is not everywhere, is not obvious.
    assert ids(numbered(1, meeting="m7"), numbered(2, meeting="m7", by="ben")) == ["1", "2"]
    assert ids(numbered(1, meeting="m7"), numbered(2)) == ["1", "2"]
    # Named, it joins the tasks of a document.
    assert ids(numbered(1, meeting="m7"), numbered(2, meeting="m7", by="ben"), options="id='meeting'") == ["m7"]
    assert ids(numbered(1, place="x"), numbered(2, place="y"), options="id='place'") == ["x", "y"]
    with pytest.raises(
        FormatError, match=r"a\.json:\d+: task 1: data has no 'place' .* it has 'text', 'meeting'; choose id="
    ):
        ids(numbered(1, meeting="m7"), options="id='place'")


def test_label_studio_dates_stay_with_their_annotators(tmp_path: Path) -> None:
    tasks = [numbered(1, meeting="m"), numbered(2, meeting="m", by="ben"), numbered(3, meeting="n", by="eve")]
    corpus = load(write(tmp_path, json.dumps(tasks), "a.json"), "label_studio(id='meeting')")
    assert corpus["m"].extra["annotated_at"] == {"ann": "2024-05-01T10:00:00Z", "ben": "2024-05-02T10:00:00Z"}
    assert corpus.renamed({"ann": "A"})["m"].extra["annotated_at"]["A"] == "2024-05-01T10:00:00Z"
    assert corpus.without_annotators(["ann"])["m"].extra["annotated_at"] == {"ben": "2024-05-02T10:00:00Z"}
    # Two names of one person become one, unless both coded a document.
    assert set(corpus.renamed({"eve": "ben"})["n"].annotations) == {"ben"}
    with pytest.raises(ComparabilityError, match="two annotators would be named 'ben', and both coded document 'm'"):
        corpus.renamed({"ann": "ben"})


def test_doccano() -> None:
    corpus = load(SAMPLES / "doccano" / "anna.jsonl", "doccano")
    assert [boundaries(document) for document in corpus] == [{"anna": (2,)}, {"anna": ()}]
    assert corpus["1"].segmentation == Segmentation(4, (2,), unit="line")


def test_doccano_folder() -> None:
    with pytest.warns(CaesuraWarning, match="1 record without spans is skipped as not coded yet"):
        corpus = load(SAMPLES / "doccano", "doccano")
    assert [boundaries(document) for document in corpus] == [{"anna": (2,), "ben": (2, 3)}, {"anna": ()}]
    assert corpus["1"].segmentation is None
    assert corpus["2"].segmentation == Segmentation(2, unit="line")
    whole = load(SAMPLES / "doccano", "doccano(empty='whole')")
    assert boundaries(whole["2"]) == {"anna": (), "ben": ()}


def test_doccano_variants(tmp_path: Path) -> None:
    text = "a\nb\nc"
    lines = [
        {
            "id": 1,
            "text": text,
            "username": "x",
            "entities": [{"id": 9, "label": "T", "start_offset": 0, "end_offset": 3}],
        },
        {"id": 1, "text": text, "annotator": "y", "labels": [[0, 1, "T"], [2, 5, "U"]]},
        {
            "id": 2,
            "text": text,
            "annotations": [
                {"label": 2, "start_offset": 0, "end_offset": 1, "user": 1},
                {"label": 2, "start_offset": 0, "end_offset": 3, "user": 4},
            ],
        },
    ]
    path = write(tmp_path, "\n".join(map(json.dumps, lines)), "all.jsonl")
    corpus = load(path, "doccano")
    assert [boundaries(document) for document in corpus] == [{"x": (2,), "y": (1,)}, {"1": (1,), "4": (2,)}]
    with pytest.warns(CaesuraWarning):
        labelled = load(path, "doccano(label='U', holes='previous')")
    assert labelled["1"].annotations == {"y": Segmentation(3, unit="line")}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"id": 1, "text": "ab", "label": [[0, 3, "x"]]}',
            r"a\.jsonl:1: span 1 is 0 to 3, but the text has 2 characters",
        ),
        ('{"id": 1, "text": "ab", "label": ["good"]}', r"a\.jsonl:1: span 1 is not \[start, end, label\]"),
        ('{"id": 1, "text": "ab", "label": [[0, true, "x"]]}', "span 1 is 0 to True"),
        ('{"id": 1, "text": "ab"}', "the record has no 'label' with the spans"),
        ('{"id": 1, "text": "ab", "label": [], "entities": []}', "the record has both 'label' and 'entities'"),
        ('{"id": 1, "label": []}', "the record has no 'text'"),
        ('{"id": 1, "text": " ", "label": []}', "document '1' has no text"),
        ('{"id": [], "text": "a", "label": []}', r"id is '\[\]'; it must be a string or an integer"),
        ("[1]", "the line is not a JSON object"),
        (
            '{"id": 1, "text": "ab", "label": [[0, 2, "x"]]}\n' * 2,
            r"a\.jsonl:2: document '1': annotator 'a' coded it twice",
        ),
    ],
)
def test_doccano_faults(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, line, "a.jsonl"), "doccano")


def test_annotators_of_different_texts(tmp_path: Path) -> None:
    for name, text in (("anna", "a\nb"), ("ben", "a\nc")):
        write(tmp_path, json.dumps({"id": 1, "text": text, "label": [[0, 1, "x"]]}), f"{name}.jsonl")
    with pytest.raises(
        FormatError, match=r"document '1': annotators 'anna' and 'ben' coded different texts \(unit 2 is 'b' and 'c'\)"
    ):
        load(tmp_path, "doccano", marks="segments")
    write(tmp_path, json.dumps({"id": 1, "text": "a\nb\nc", "label": [[0, 1, "x"]]}), "ben.jsonl")
    with pytest.raises(FormatError, match=r"'anna' and 'ben' coded different texts \(2 and 3 units\)"):
        load(tmp_path, "doccano", marks="segments")


def test_other_documents_of_one_id_are_still_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path, '{"id": "d", "masses": [1, 2]}\n', f"{name}.jsonl")
    with pytest.raises(ComparabilityError, match="document 'd' appears twice"):
        load(tmp_path)


# ---------------------------------------------------------------------- WebAnno TSV

HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Topic|value\n\n\n"
BODY = "#Text=He ran .\n1-1\t0-2\tHe\t{}\t\n1-2\t3-6\tran\t{}\t\n1-3\t7-8\t.\t{}\t\n\n#Text=So .\n2-1\t9-11\tSo\t{}\t\n2-2\t12-13\t.\t{}\t\n"


def test_webanno() -> None:
    path = SAMPLES / "inception" / "tale.txt" / "ben.tsv"
    assert detect(path).name() == "webanno"
    (document,) = load(path)
    assert document.segmentation == Segmentation(4, (1, 2), unit="sentence")
    assert document.units == ("He loves her .", "She loves him not .", "It rains .", "It pours .")
    assert document.annotations == {}
    (document,) = load(path, "webanno(unit='token')")
    assert document.segmentation == Segmentation(15, (4, 9), unit="token")
    (document,) = load(path, "webanno(label='weather', holes='previous')")
    assert document.segmentation == Segmentation(4, unit="sentence")


def test_webanno_marks_of_single_tokens(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + BODY.format("*", "_", "_", "*", "_"), "a.tsv")
    (document,) = load(path, "webanno(marks='first')")
    assert document.segmentation == Segmentation(2, (1,), unit="sentence")
    path = write(tmp_path, HEAD + BODY.format("_", "_", "*", "_", "_"), "a.tsv")
    (document,) = load(path, "webanno(marks='last')")
    assert document.segmentation == Segmentation(2, (1,), unit="sentence")


def test_webanno_stacked_spans_parts_of_tokens_and_escapes(tmp_path: Path) -> None:
    body = BODY.format(r"a\|b[1]|c\[2\][3]", "a\\|b[1]", "a\\|b[1]", "x[2]", "x[2]")
    body = body.replace("2-2\t", "2-1.1\t9-10\tS\ty\t\n2-2\t")
    path = write(tmp_path, HEAD + body, "a.tsv")
    (document,) = quietly(path, "webanno(unit='token')")
    assert document.segmentation is not None
    assert document.segmentation.boundaries == (3,)
    (document,) = load(path, "webanno(unit='token', label='a|b')")
    assert document.segmentation == Segmentation(5, (3,), unit="token")
    (document,) = load(path, "webanno(unit='token', label='c[2]', marks='segments')")
    assert document.segmentation == Segmentation(5, (1,), unit="token")


def test_webanno_sentences_of_several_lines_and_other_layers(tmp_path: Path) -> None:
    text = (
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue|coarseValue\n"
        "#T_SP=webanno.custom.Topic|\n#T_RL=webanno.custom.Link|kind|BT_webanno.custom.Topic\n\n\n"
        "#Sentence.id=s1\n#Text=Oh\n#Text=no .\n1-1\t0-2\tOh\tUH\t*\t*[1]\t_\t_\t\n1-2\t3-5\tno\tUH\t*\t*[1]\t_\t_\t\n"
        "1-3\t6-7\t.\t.\t*\t*[1]\t_\t_\t\n\n#Text=So .\n2-1\t8-10\tSo\tRB\t*\t*[2]\t_\t_\t\n2-2\t11-12\t.\t.\t*\t*[2]\t_\t_\t\n"
    )
    (document,) = load(write(tmp_path, text, "a.tsv"))
    assert document.units == ("Oh\nno .", "So .")
    assert document.segmentation == Segmentation(2, (1,), unit="sentence")
    (document,) = load(tmp_path / "a.tsv", "webanno(layer='topic')")
    assert document.segmentation == Segmentation(2, (1,), unit="sentence")
    two = write(
        tmp_path,
        text.replace("de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS", "webanno.custom.Tone"),
        "b.tsv",
    )
    assert load(two).ids == ["b"]
    two.write_text(two.read_text().replace("custom.Topic|\n", "custom.Theme|\n"))
    with pytest.raises(
        FormatError, match=r"has the layers 'webanno.custom.Tone', 'webanno.custom.Theme'; name the one"
    ):
        load(two)


def test_webanno_nothing_marked(tmp_path: Path) -> None:
    with pytest.warns(CaesuraWarning, match="there is no layer of segments, so the document is one segment"):
        (document,) = load(SAMPLES / "inception" / "tale.txt" / "INITIAL_CAS.tsv")
    assert document.segmentation == Segmentation(4, unit="sentence")
    with pytest.warns(CaesuraWarning, match=r"nothing in the layer 'Tpic' \(there are 'webanno.custom.Topic'\)"):
        load(SAMPLES / "inception" / "tale.txt" / "anna.tsv", "webanno(layer='Tpic')")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1-1\t0-2\tHe\t_\t\n", r"a\.tsv:1: does not begin with '#FORMAT=WebAnno TSV 3.3'"),
        (HEAD, "contains no token"),
        (HEAD + "#Text=He\nHe\n", r"a\.tsv:6: is not a token line"),
        (HEAD + "#Text=He\n1-1\t0-2\tHe\n", r"a\.tsv:6: the line has 3 columns, but the layers of the header need 4"),
        (HEAD + "1-1\t0-2\tHe\t_\t\n", r"a\.tsv:5: a token precedes the first '#Text='"),
        (HEAD + "#Text=He\n1-1.1\t0-2\tHe\t_\t\n", r"a\.tsv:6: a part of a token precedes its token"),
        (
            HEAD + "#Text=a b\n1-1\t2-3\ta\t_\t\n1-2\t0-1\tb\t_\t\n",
            r"a\.tsv:7: the token is at 0-1, but the previous one is at 2-3",
        ),
    ],
)
def test_webanno_faults(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(write(tmp_path, content, "a.tsv"), "webanno")


# ---------------------------------------------------------------------- UIMA CAS


def test_xmi() -> None:
    path = SAMPLES / "xmi" / "anna.xmi"
    (document,) = load(path)
    assert document.segmentation == Segmentation(4, (2,), unit="sentence")
    assert document.units is not None
    assert document.units[2:] == ("It rains 😊 .", "It pours .")
    (document,) = load(path, "uima_cas(unit='line', layer='webanno.custom.Topic')")
    assert document.segmentation == Segmentation(4, (2,), unit="line")
    assert load(path.parent).ids == ["anna"]
    with pytest.raises(FormatError, match="has no annotated token; read lines with unit='line'"):
        load(path, "uima_cas(unit='token')")
    with pytest.raises(FormatError, match="has no view 'other'"):
        load(path, "uima_cas(view='other')")


def test_cas_json() -> None:
    assert detect(SAMPLES / "cas.json").name() == "uima_cas"
    (document,) = load(SAMPLES / "cas.json")
    assert document.segmentation == Segmentation(3, (2,), unit="sentence")


def test_layers_of_a_cas_are_named_in_order(tmp_path: Path) -> None:
    content = json.loads((SAMPLES / "cas.json").read_text())
    topic, structures = content["%TYPES"].pop("webanno.custom.Topic"), content["%FEATURE_STRUCTURES"]
    for place, name in ((-2, "webanno.custom.Zone"), (-1, "webanno.custom.Area")):
        content["%TYPES"][name] = {**topic, "%NAME": name}
        structures[place]["%TYPE"] = name
    with pytest.raises(
        FormatError, match=r"\.Sentence', 'webanno\.custom\.Area', 'webanno\.custom\.Zone'; name the one"
    ):
        load(write(tmp_path, json.dumps(content), "a.json"), "uima_cas")


def test_xmi_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "anna.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("anna.xmi", "TypeSystem.xml"):
            archive.write(SAMPLES / "xmi" / name, name)
    (document,) = load(path)
    assert (document.id, document.n_units) == ("anna", 4)
    with zipfile.ZipFile(path, "a") as archive:
        archive.write(SAMPLES / "xmi" / "anna.xmi", "ben.xmi")
    with pytest.raises(FormatError, match=r"anna\.zip: contains 2 XMI files; it must contain one"):
        load(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(FormatError, match=r"anna\.zip: is not a valid zip archive"):
        load(path)


def test_xmi_needs_no_types(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "xmi" / "anna.xmi", tmp_path / "anna.xmi")
    assert list(load(tmp_path / "anna.xmi")) == list(load(SAMPLES / "xmi" / "anna.xmi"))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE a [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>',
        '<!doctype x SYSTEM "http://example.com/x.dtd">',
    ],
)
def test_xmi_refuses_entities(tmp_path: Path, declaration: str) -> None:
    first, _, rest = (SAMPLES / "xmi" / "anna.xmi").read_text().partition("\n")
    write(tmp_path, f"{first}\n{declaration}\n{rest}", "anna.xmi")
    with pytest.raises(FormatError, match="declares a document type or entities, which a CAS does not need; remove"):
        load(tmp_path / "anna.xmi")


def test_xmi_refuses_other_encodings(tmp_path: Path) -> None:
    text = (SAMPLES / "xmi" / "anna.xmi").read_text().replace('encoding="UTF-8"', 'encoding="UTF-7"')
    with pytest.raises(FormatError, match="is declared to be in 'UTF-7'; save it as UTF-8"):
        load(write(tmp_path, text, "a.xmi"))


# ---------------------------------------------------------------------- folders


def test_a_folder_per_annotator() -> None:
    corpus = load(SAMPLES / "people")
    assert corpus.ids == ["doc-1", "part/doc-2"]
    assert boundaries(corpus["doc-1"]) == {"anna": (4,), "ben": (2, 4)}
    assert boundaries(corpus["part/doc-2"]) == {"anna": (3, 6), "ben": (6,)}


def test_a_folder_per_document() -> None:
    corpus = load(SAMPLES / "inception", "annotator_folders(folders='documents')")
    assert corpus.ids == ["tale.txt", "walk.txt"]
    assert boundaries(corpus["tale.txt"]) == {"anna": (2,), "ben": (1, 2)}
    assert corpus["walk.txt"].segmentation == Segmentation(4, unit="sentence")
    options = "annotator_folders(folders='documents', files=\"webanno(unit='token')\")"
    assert boundaries(load(SAMPLES / "inception", options)["tale.txt"]) == {"anna": (9,), "ben": (4, 9)}


def test_annotators_need_not_code_everything(tmp_path: Path) -> None:
    write(tmp_path, '{"id": "d1", "masses": [2, 1]}\n{"id": "d2", "masses": [4]}\n', "anna/all.jsonl")
    write(tmp_path, '{"id": "d2", "masses": [1, 3]}\n', "ben/some.jsonl")
    write(tmp_path, "x", "README.txt")
    with pytest.warns(CaesuraWarning, match="1 file next to the folders ignored"):
        corpus = load(tmp_path, "annotator_folders")
    assert {document.id: boundaries(document) for document in corpus} == {
        "d1": {"anna": (2,)},
        "d2": {"anna": (), "ben": (1,)},
    }
    assert corpus["d1"].segmentation == Segmentation(3, (2,))


def test_faults_of_folders(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is a file; name a folder with one folder per annotator"):
        load(SAMPLES / "ch1.csv", "annotator_folders")
    with pytest.raises(FormatError, match="contains no folder with files"):
        load(tmp_path, "annotator_folders")
    write(tmp_path, "2 2\n", "anna/d.masses")
    write(tmp_path, "2 3\n", "ben/d.masses")
    with pytest.raises(
        FormatError, match=r"document 'd': annotators 'anna' and 'ben' coded different texts \(4 and 5 units\)"
    ):
        load(tmp_path)
    (tmp_path / "ben" / "d.masses").unlink()
    write(tmp_path, "010\n", "anna/d.bits")
    with pytest.raises(FormatError, match=r"annotator 'anna' coded it twice \('anna/d.bits' and 'anna/d.masses'\)"):
        load(tmp_path)
    (tmp_path / "anna" / "d.bits").unlink()
    write(tmp_path, '{"id": "d", "n_units": 4}\n', "ben/d.jsonl")
    with pytest.raises(FormatError, match=r"d\.jsonl: document 'd' has 0 annotators and no segmentation"):
        load(tmp_path)


def project(folder: Path, *, top: str = "", inside: str = "annotation/") -> Path:
    """Return an archive of the INCEpTION sample, as a project export or as its folder ``annotation`` alone."""
    path = folder / "project.zip"
    with zipfile.ZipFile(path, "w") as archive:
        if inside:
            archive.writestr(f"{top}exportedproject123.json", "{}")
            archive.writestr(f"{top}source/tale.txt", "A tale.")
        for file in sorted((SAMPLES / "inception").rglob("*.tsv")):
            archive.write(file, f"{top}{inside}{file.relative_to(SAMPLES / 'inception')}")
    return path


INCEPTION = {"tale.txt": {"anna": (2,), "ben": (1, 2)}, "walk.txt": {"ben": ()}}


def test_an_inception_project_is_known_in_every_shape(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "inception", tmp_path / "folder" / "annotation")
    write(tmp_path, "{}", "folder/exportedproject.json")
    write(tmp_path, "A tale.", "folder/source/tale.txt")
    shapes = [SAMPLES / "inception", tmp_path / "folder", tmp_path / "folder" / "annotation", project(tmp_path)]
    for path in shapes:
        assert {document.id: boundaries(document) for document in load(path)} == INCEPTION
    # The name of the exported settings says the same where nobody's file is there.
    (tmp_path / "folder" / "annotation" / "tale.txt" / "INITIAL_CAS.tsv").unlink()
    assert {document.id: boundaries(document) for document in load(tmp_path / "folder")} == INCEPTION
    for options in ({"top": "project/"}, {"inside": ""}):
        assert {d.id: boundaries(d) for d in load(project(tmp_path, **options))} == INCEPTION
    assert detect(project(tmp_path)).name() == "annotator_folders"
    curated = tmp_path / "curation"
    shutil.copytree(SAMPLES / "inception" / "tale.txt", curated / "tale.txt")
    (curated / "tale.txt" / "ben.tsv").rename(curated / "tale.txt" / "CURATION_USER.tsv")
    assert boundaries(load(curated)["tale.txt"]) == {"anna": (2,), "CURATION_USER": (1, 2)}


def test_an_inception_project_of_xmi(tmp_path: Path) -> None:
    for name in ("anna", "ben"):
        inner = tmp_path / "project" / "annotation" / "tale.txt" / f"{name}.zip"
        inner.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(inner, "w") as archive:
            archive.write(SAMPLES / "xmi" / "anna.xmi", f"{name}.xmi")
            archive.write(SAMPLES / "xmi" / "TypeSystem.xml", "TypeSystem.xml")
    write(tmp_path, "{}", "project/exportedproject.json")
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path / "project"))
    for path in (tmp_path / "project", packed):
        (document,) = load(path)
        assert (document.id, boundaries(document)) == ("tale.txt", {"anna": (2,), "ben": (2,)})


def test_faults_inside_an_archive_name_it(tmp_path: Path) -> None:
    def refused(name: str, content: str) -> str:
        path = project(tmp_path)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(name, content)
        with pytest.raises(FormatError) as caught:
            load(path)
        return str(caught.value).replace(str(tmp_path), "")

    assert "/project.zip/walk.txt/eve.tsv:2: is not a token line" in refused(
        "annotation/walk.txt/eve.tsv", "#FORMAT=WebAnno TSV 3.3\nx\n"
    )
    assert "'annotation/../eve.tsv' in it is not the name of a file" in refused("annotation/../eve.tsv", "x")
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("annotation/d/eve.tsv", b"\n" * (1 << 28))
    with pytest.raises(FormatError, match="expands to more than"):
        load(bomb)


def test_warnings_inside_an_archive_name_it(tmp_path: Path) -> None:
    path = project(tmp_path)
    text = (SAMPLES / "inception" / "walk.txt" / "ben.tsv").read_text()
    bare = "\n".join(line for line in text.split("\n") if not line.startswith("#T_SP="))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("annotation/walk.txt/eve.tsv", bare)
    with pytest.warns(CaesuraWarning, match=r"project\.zip/walk\.txt/eve\.tsv: there is no layer of segments"):
        load(path)


# ---------------------------------------------------------------------- damage

WHOLE = {
    "moonstone": ["ch1.csv"],
    "label_studio": ["label_studio.json", "label_studio_dialogue.json"],
    "doccano": ["doccano/anna.jsonl", "doccano/ben.jsonl"],
    "webanno": ["inception/tale.txt/anna.tsv", "inception/walk.txt/ben.tsv"],
    "uima_cas": ["cas.json", "xmi/anna.xmi"],
}
PIECES = [
    b"\n",
    b"-1",
    b"1e999",
    b"99999999999999999999999",
    b"null",
    b"\0",
    b"<!DOCTYPE",
    b'"',
    b"\t",
    b"[1]",
    b"|",
    b"{}",
    b"[]",
    b"0",
    b"true",
    b"\\",
    b"\xff",
]


@pytest.mark.parametrize("name", WHOLE)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_is_one_line(name: str, data: st.DataObject, tmp_path: Path) -> None:
    sample = SAMPLES / data.draw(st.sampled_from(WHOLE[name]))
    damaged = bytearray(sample.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged)))
        length = data.draw(st.integers(0, 12))
        damaged[place : place + length] = data.draw(st.one_of(st.binary(max_size=8), st.sampled_from(PIECES)))
    path = tmp_path / sample.name
    path.write_bytes(bytes(damaged))
    marks = data.draw(st.sampled_from(["", "(marks='first')", "(marks='last', holes='previous')"]))
    fault = fault_of(path, name if name == "moonstone" else name + marks)
    assert fault is None or ("\n" not in fault and fault.startswith(str(tmp_path)))


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.just([[0, 3, "x"]]),
)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Return every place in a JSON value, as container and key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in pairs for place in ((value, key), *places_in(inner))]


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        ("label_studio", "label_studio.json"),
        ("label_studio", "label_studio_dialogue.json"),
        ("doccano", "doccano/anna.jsonl"),
        ("uima_cas", "cas.json"),
    ],
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_other_values_are_one_line(chosen: str, name: str, data: st.DataObject, tmp_path: Path) -> None:
    text = (SAMPLES / name).read_text()
    values = [json.loads(line) for line in text.splitlines()] if name.endswith("l") else [json.loads(text)]
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places_in(values)))
        container[key] = copy.deepcopy(data.draw(ANYTHING))
    path = write(tmp_path, "\n".join(map(json.dumps, values)), Path(name).name)
    fault = fault_of(path, chosen)
    assert fault is None or ("\n" not in fault and fault.startswith(str(tmp_path)))


def fault_of(path: Path, chosen: str) -> str | None:
    """Return what is wrong with a file, or None if it holds documents."""
    try:
        corpus = quietly(path, chosen)
    except CaesuraError as error:
        return str(error)
    assert first_fault(corpus.flat.n_units, corpus.flat.ptr, corpus.flat.pos) is None
    return None
