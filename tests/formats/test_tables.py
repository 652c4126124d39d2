# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them: any columns, wide and long; nothing merged and nothing guessed."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.errors import CaesuraError, CaesuraWarning, FormatError
from caesura.formats import detect, labels, load
from caesura.formats._tables import read_cells

DIALOGUES = "dial_id,turn_id,role,utterance,topic_id\na,0,A,x,0\na,1,B,y,0\na,2,A,z,2\nb,0,A,u,1\nb,1,B,v,0\n"
LONG = "document;unit;annotator;segment\nd;1;ann;1\nd;1;bob;1\nd;2;ann;1\nd;2;bob;2\nd;3;ann;2\nd;3;bob;2\n"
WIDE = "document,unit,ann,bob\nd,1,1,1\nd,2,1,2\nd,3,2,2\n"


def read(folder: Path, text: str, options: str = "", name: str = "t.csv") -> Corpus:
    path = folder / name
    path.write_bytes(text.encode())
    assert detect(path).name() == "labels"
    return load(path, f"labels({options})")


def masses(corpus: Corpus) -> dict[str, object]:
    return {
        d.id: {who: coding.masses for who, coding in d.annotations.items()}
        or (d.segmentation and d.segmentation.masses)
        for d in corpus
    }


def refused(folder: Path, text: str, options: str = "") -> str:
    with pytest.raises(CaesuraError) as caught:
        read(folder, text, options)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(folder), "")


def test_dialogues_under_the_names_of_their_corpora(tmp_path: Path) -> None:
    corpus = read(tmp_path, DIALOGUES)
    assert masses(corpus) == {"a": (2, 1), "b": (1, 1)}
    assert corpus["a"].units == ("x", "y", "z")
    assert corpus["a"].speakers == ("A", "B", "A")
    assert corpus.ids_are_given


@pytest.mark.parametrize(
    "text",
    [
        DIALOGUES.replace(",", "\t"),
        DIALOGUES.replace(",", ";"),
        "\ufeff" + DIALOGUES,
        "sep=;\r\n" + DIALOGUES.replace(",", ";").replace("\n", "\r\n"),
        DIALOGUES.replace("\n", ",,\n"),  # empty columns, as spreadsheets add them
        DIALOGUES.replace("dial_id", "Dialogue ID").replace("topic_id", '"Topic"'),
        DIALOGUES + "\n\n",
    ],
)
def test_the_same_table_as_other_programs_write_it(tmp_path: Path, text: str) -> None:
    assert masses(read(tmp_path, text)) == {"a": (2, 1), "b": (1, 1)}


def test_any_names_by_columns_and_ignored_ones_are_named(tmp_path: Path) -> None:
    text = "dlg,said,mark,act\na,x,p,q\na,y,p,r\nb,z,p,q\n"
    with pytest.warns(CaesuraWarning, match="column ignored: act"):
        corpus = read(tmp_path, text, "columns='doc=dlg,text=said,label=mark'")
    assert masses(corpus) == {"a": (2,), "b": (1,)}
    assert corpus["a"].units == ("x", "y")


def test_several_dialogues_are_never_merged(tmp_path: Path) -> None:
    text = "dlg,text,label\na,x,p\na,y,q\nb,z,q\nb,u,r\n"
    assert "'dlg' has 2 values, each in adjacent rows; say what it is: --columns doc=dlg" in refused(tmp_path, text)
    with pytest.warns(CaesuraWarning, match="column ignored: dlg"):
        assert masses(read(tmp_path, text, "columns='doc='")) == {"t": (1, 2, 1)}
    # A column of numbers that starts again says the same.
    again = "turn,text,topic\n0,x,3\n1,y,3\n0,z,4\n1,u,5\n"
    assert ":4: no column names the documents, but 'turn' goes back from 1 to 0 here" in refused(tmp_path, again)
    # Within a document it is a repeated id.
    assert ":4: document 'a': 'turn' goes from '1' to '0'" in refused(
        tmp_path, "doc,turn,topic\na,0,3\na,1,3\na,0,4\na,1,5\n"
    )
    assert "every row has its own 'id'" in refused(tmp_path, "id,label\n1,p\n2,p\n3,q\n")
    # The name of a topic beside its number is no document.
    with pytest.warns(CaesuraWarning, match="column ignored: name"):
        assert masses(read(tmp_path, "topic,name\n3,x\n3,x\n4,y\n4,y\n")) == {"t": (2, 2)}


def test_numbers_of_units_are_not_their_texts(tmp_path: Path) -> None:
    assert read(tmp_path, "doc,unit,label\na,1,p\na,2,q\n")["a"].units is None
    assert read(tmp_path, "doc,unit,label\na,Hello.,p\na,Bye.,q\n")["a"].units == ("Hello.", "Bye.")


def test_labels_of_0_and_1_are_asked_about(tmp_path: Path) -> None:
    text = "doc,label\na,0\na,1\na,0\na,0\n"
    message = refused(tmp_path, text)
    assert (
        "t.csv:2: labels of 0 and 1 can mean a 1 on the last unit of a segment (2 segments: 2-2, marks='last'), "
        "on the first (2 segments: 1-3, marks='first')" in message
    )
    assert "or topics (3 segments: 1-1-2, marks='topics')" in message
    assert masses(read(tmp_path, text, "marks='last'")) == {"a": (2, 2)}
    assert masses(read(tmp_path, text, "marks='first'")) == {"a": (1, 3)}
    assert masses(read(tmp_path, text, "marks='topics'")) == {"a": (1, 1, 2)}
    # Another label anywhere in the file settles it, and so does a file without a 1.
    assert masses(read(tmp_path, text + "b,2\nb,2\n"))["a"] == (1, 1, 2)
    assert masses(read(tmp_path, "doc,label\na,0\na,0\n")) == {"a": (2,)}
    flags = refused(tmp_path, "doc,is_boundary\na,0\na,1\na,0\n")
    assert "topics" not in flags
    assert "holds more than 0 and 1" in refused(tmp_path, "doc,boundary\na,0\na,5\n")
    assert "write 0 or 1" in refused(tmp_path, "doc,boundary\na,0\na,5\n", "marks='last'")


def test_annotators_long_and_wide(tmp_path: Path) -> None:
    wanted = {"d": {"ann": (2, 1), "bob": (1, 2)}}
    assert masses(read(tmp_path, LONG)) == wanted
    with pytest.warns(CaesuraWarning, match="read as annotators: ann, bob"):
        assert masses(read(tmp_path, WIDE)) == wanted
    assert masses(read(tmp_path, WIDE, "columns='annotators=bob+ann'")) == wanted
    flags = "document,unit,ann,bob\nd,1,0,1\nd,2,1,0\nd,3,0,0\n"
    assert "labels of 0 and 1" in refused(tmp_path, flags)
    with pytest.warns(CaesuraWarning):
        assert masses(read(tmp_path, flags, "marks='last'")) == wanted
    # An annotator who coded one of two documents.
    some = "document,ann,bob\nd,1,1\nd,1,2\nd,2,2\ne,1,\ne,2,\n"
    with pytest.warns(CaesuraWarning):
        assert masses(read(tmp_path, some)) == {**wanted, "e": {"ann": (1, 1)}}


def test_a_table_is_read_a_second_time_only_for_new_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[Path] = []
    monkeypatch.setattr(labels, "read_cells", lambda path, mark: reads.append(path) or read_cells(path, mark))
    corpus = read(tmp_path, WIDE, "columns='annotators=bob+ann'")
    assert len(reads) == 1
    renamed = corpus.renamed({"ann": "A", "bob": "B"}, {})
    assert len(reads) == 2
    assert renamed.origin is not None
    assert "annotators=#" in (renamed.origin.format or "")
    assert "bob" not in (renamed.origin.format or "")


def test_flags_in_a_table_of_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "ch1.csv"
    path.write_text("paragraph,ann,bob\n1,0,0\n2,1,0\n3,0,1\n4,0,0\n")
    with pytest.raises(FormatError, match="segment numbers begin with 1"):
        load(path)
    with pytest.warns(CaesuraWarning, match="read as annotators"):
        corpus = load(path, "labels(marks='last')")
    assert masses(corpus) == {"ch1": {"ann": (2, 2), "bob": (3, 1)}}


def test_texts_without_labels(tmp_path: Path) -> None:
    corpus = read(tmp_path, "doc,turn,text\na,1,x\na,2,y\nb,1,z\n")
    assert [(d.id, d.units, d.segmentation) for d in corpus] == [("a", ("x", "y"), None), ("b", ("z",), None)]
    # A column of another name might be the label, so somebody must say that it is not.
    other = "doc,text,mark\na,x,p\na,y,q\n"
    assert "label= says that there is none" in refused(tmp_path, other)
    with pytest.warns(CaesuraWarning, match="column ignored: mark"):
        assert masses(read(tmp_path, other, "columns='label='")) == {"a": None}
    assert "every row has its own 'doc'" in refused(tmp_path, "doc,text\na,x\nb,y\nc,z\n")


def test_one_row_per_document(tmp_path: Path) -> None:
    assert masses(read(tmp_path, 'id,masses\nx,6 3 4\ny,"5,5"\n')) == {"x": (6, 3, 4), "y": (5, 5)}
    assert masses(read(tmp_path, "id,bits\nx,000001001000\n")) == {"x": (6, 3, 4)}
    both = masses(read(tmp_path, "id,annotator,masses\nx,ann,6 3\nx,bob,2 7\n"))
    assert both == {"x": {"ann": (6, 3), "bob": (2, 7)}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LONG.replace("d;2;bob;2\n", ""), "annotators 'ann' and 'bob' coded different units, such as unit 2"),
        (LONG.replace("d;2;bob;2\n", "d;4;bob;2\n"), "'unit' of annotator 'bob' goes from '4' to '3'"),
        (LONG + "d;3;bob;2\n", "'unit' of annotator 'bob' goes from '3' to '3'"),
        (LONG.replace("d;2;bob;2", "d;2;;2"), ":5: the row has no annotator"),
        (LONG.replace("d;2;bob;2", ";2;bob;2"), ":5: the row has no 'document'; name its document"),
        (DIALOGUES.replace("b,0,A,u,1", "b,0,A,u"), ":5: the row has 4 columns, but the first row has 5"),
        (DIALOGUES.replace("b,0,A,u,1", "b,0,A,u,v,1"), ":5: the row has 6 columns"),
        (DIALOGUES.replace("role", "utterance"), ":1: two columns are named 'utterance'"),
        (DIALOGUES.partition("\n")[2], "the first row must give each column a unique name"),
        (DIALOGUES.replace("b,", "a,"), "'turn_id' goes from '2' to '0'"),
        ("id,masses\nx,6 x 4\n", ":2: '6 x 4' are not masses"),
        ("id,masses\nx,6 3\nx,6 3\n", ":3: document 'x': annotator '1' coded it twice"),
        (DIALOGUES + DIALOGUES.replace("a,", "c,").replace("b,", "d,"), ":7: the row repeats the names of the columns"),
        ("doc,speech\na,hello\na,hi\n", "name it with --columns label=NAME"),
        ("doc,label,topic\na,p,q\na,p,q\n", "ambiguous; choose one: --columns label=label"),
    ],
)
def test_damage_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    assert message in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("doc", "'doc' is not role=column, such as doc=dial_id; the roles are doc, label"),
        ("dok=a", "is not role=column"),
        ("doc=nobody", "no column is named 'nobody'; choose from dial_id, role, topic_id"),
        ("doc=dial_id+turn_id", "names several columns"),
    ],
)
def test_columns_that_are_not_there(tmp_path: Path, columns: str, message: str) -> None:
    assert message in refused(tmp_path, DIALOGUES, f"columns='{columns}'")


def test_an_empty_label_is_told_of(tmp_path: Path) -> None:
    with pytest.warns(CaesuraWarning, match="1 row has no label; an empty label is a label of its own"):
        assert masses(read(tmp_path, "doc,label\na,p\na,\na,p\n")) == {"a": (1, 1, 1)}
    with pytest.raises(FormatError, match="no label"):
        load(tmp_path / "t.csv", strict=True)


def test_jsonl_labels_of_0_and_1_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "flags.jsonl"
    path.write_text('{"id": "a", "labels": [0, 0, 0, 0]}\n{"id": "b", "labels": [0, 0, 1, 0, 0, 1, 0, 1]}\n')
    with pytest.raises(FormatError, match=r"flags\.jsonl:2: labels of 0 and 1 can mean .*\(3 segments.*topics \(6"):
        load(path)
    assert masses(load(path, "jsonl(marks='last')")) == {"a": (4,), "b": (3, 3, 2)}
    assert masses(load(path, "jsonl(marks='first')")) == {"a": (4,), "b": (2, 3, 2, 1)}
    assert masses(load(path, "jsonl(marks='topics')"))["b"] == (2, 1, 2, 1, 1, 1)
    path.write_text(path.read_text() + '{"id": "c", "labels": [0, 1, 2]}\n')
    assert masses(load(path))["c"] == (1, 1, 1)  # numbers of topics after all
    with pytest.raises(FormatError, match=r":3: the flag of unit 3 is '2'; write 0 or 1"):
        load(path, "jsonl(marks='last')")
    path.write_text('{"id": "a", "labels": [true, false, true]}\n')
    with pytest.raises(FormatError, match="labels of False and True"):
        load(path)
    path.write_text('{"id": "a", "labels": [0, 1, 1], "masses": [1, 2]}\n')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert masses(load(path)) == {"a": (1, 2)}  # the masses say how they are meant


@pytest.mark.parametrize("flags", ["0.0 1.0 0.0 0.0", "no yes no no", "I B I I", "n y n n"])
def test_flags_in_any_spelling_are_asked_about(tmp_path: Path, flags: str) -> None:
    rows = "".join(f"d,{flag}\n" for flag in flags.split())
    zero, one = flags.split()[:2]
    asked = f"labels of {zero} and {one} can mean a {one} on the last unit of a segment (2 segments"
    assert asked in refused(tmp_path, "doc,label\n" + rows)
    assert masses(read(tmp_path, "doc,label\n" + rows, "marks='last'")) == {"d": (2, 2)}
    assert masses(read(tmp_path, "doc,label\n" + rows, "marks='first'")) == {"d": (1, 3)}


def test_empty_rows_between_dialogues_do_not_join_them(tmp_path: Path) -> None:
    rows = "text,topic\nHi.,a\nWell.,b\n\nBye.,a\n,\n"
    message = "t.csv:5: no column names the documents, but an empty row precedes this one; name the documents"
    assert message in refused(tmp_path, rows)
    assert masses(read(tmp_path, rows, "columns='doc='")) == {"t": (1, 1, 1)}
    assert masses(read(tmp_path, "\ntext,topic\n\nHi.,a\nWell.,b\n\n")) == {"t": (1, 1)}
    assert masses(read(tmp_path, "doc,text,topic\nd,Hi.,a\n\nd,Well.,a\n")) == {"d": (2,)}


def test_topics_on_the_first_row_of_each_segment_are_refused(tmp_path: Path) -> None:
    heads = "doc,text,topic\nd,Hi.,greeting\nd,Well.,\nd,So.,\nd,Rain.,weather\nd,Snow.,\n"
    assert "t.csv:3: only single rows have a 'topic'; write it on every row of its segment" in refused(tmp_path, heads)
    holes = "doc,text,topic\nd,Hi.,greeting\nd,Well.,greeting\nd,So.,\nd,Rain.,\nd,Snow.,\n"
    with pytest.warns(CaesuraWarning, match="3 rows have no label"):
        assert masses(read(tmp_path, holes)) == {"d": (2, 3)}


def test_a_column_that_numbers_units_is_no_coding(tmp_path: Path) -> None:
    counted = "Dialog,Nr,Satz,Thema\na,1,Hi.,x\na,2,Rain.,y\nb,1,So.,x\nb,2,Bye.,x\n"
    assert "name it with --columns label=NAME" in refused(tmp_path, counted)
    wide = "call,utt,ann,bob\na,1,1,1\na,2,1,2\na,3,2,2\nb,1,1,1\nb,2,1,1\n"
    with pytest.warns(CaesuraWarning, match="read as annotators: ann, bob; column ignored: utt"):
        found = masses(read(tmp_path, wide))
    assert found == {"a": {"ann": (2, 1), "bob": (1, 2)}, "b": {"ann": (2,), "bob": (2,)}}


def test_masses_as_python_prints_a_list(tmp_path: Path) -> None:
    assert masses(read(tmp_path, 'doc,masses\na,"[6, 3, 4]"\nb,"(2, 5)"\n')) == {"a": (6, 3, 4), "b": (2, 5)}


def test_a_misspelt_column_is_named(tmp_path: Path) -> None:
    message = refused(tmp_path, DIALOGUES, "columns='doc=dail_id'")
    assert message.endswith("no column is named 'dail_id'; did you mean dial_id?")


def test_coders_in_the_first_column(tmp_path: Path) -> None:
    rows = "coder,document,unit,segment\nann,d,1,1\nann,d,2,1\nann,d,3,2\nbob,d,1,1\nbob,d,2,2\nbob,d,3,2\n"
    assert masses(read(tmp_path, rows)) == {"d": {"ann": (2, 1), "bob": (1, 2)}}
    (tmp_path / "t.csv").write_text("Coder,Masses\nann,2,1\n")
    assert detect(tmp_path / "t.csv").name() == "segeval"


def test_the_unit_that_one_annotator_lacks_is_named(tmp_path: Path) -> None:
    first = "\n".join(line for line in LONG.splitlines() if line != "d;2;ann;1") + "\n"
    assert "coded different units, such as unit 2; all must code the same" in refused(tmp_path, first)


def test_a_table_without_names_and_lists_of_boundaries_are_told_what_to_do(tmp_path):
    assert "write names before the first row if that is data" in refused(tmp_path, "d1,A\nd1,A\nd1,B\n")
    assert "lists of lengths such as 6-3-4: masses=NAME" in refused(tmp_path, "doc,boundaries\nd1,2\n")


# ---------------------------------------------------------------------- sheets as people keep them

TICKED = "meeting,turn,anna,ben\nm1,1,x,X\nm1,2,,\nm1,3,x,\nm1,4,,x\nm2,1,x,x\nm2,2,,\nm2,3,x,\n"
WANTED = {"m1": {"anna": (2, 2), "ben": (3, 1)}, "m2": {"anna": (2, 1), "ben": (3,)}}


def noted(folder: Path, text: str, *notes: str, options: str = "") -> dict[str, object]:
    with pytest.warns(CaesuraWarning) as caught:
        found = masses(read(folder, text, options))
    told = " ".join(str(each.message) for each in caught)
    assert all(note in told for note in notes), told
    return found


@pytest.mark.parametrize("yes", ["x", "X", "✓", "*"])
def test_a_tick_where_a_topic_begins(tmp_path: Path, yes: str) -> None:
    text = TICKED.replace("X", "x").replace("x", yes)
    asked = refused(tmp_path, text)
    assert (
        "labels of blank and mark can mean a mark on the last unit of a segment (3 segments: 1-2-1, marks='last')"
        in asked
    )
    assert "on the first (2 segments: 2-2, marks='first'); every document begins with a mark, which suggests" in asked
    assert noted(tmp_path, text, "read as annotators: anna, ben", options="marks='first'") == WANTED
    assert masses(read(tmp_path, text, "marks='first',columns='annotators=anna+ben'")) == WANTED


@pytest.mark.parametrize("yes", ["1", "yes", "TRUE", "y"])
def test_a_yes_beside_blanks_is_a_mark(tmp_path: Path, yes: str) -> None:
    text = TICKED.replace("X", "x").replace("x", yes)
    assert masses(read(tmp_path, text, "marks='first',columns='annotators=anna+ben'")) == WANTED
    # With a no somewhere, a blank says neither.
    no = text.replace("m1,2,,", "m1,2,0,0" if yes == "1" else "m1,2,no,no")
    assert "has no label here; fill it" in refused(tmp_path, no, "marks='first',columns='annotators=anna+ben'")


def test_ticks_of_one_person(tmp_path: Path) -> None:
    text = "meeting,turn,topic here\n" + "".join(f"m{n},1,x\nm{n},2,\nm{n},3,x\nm{n},4,\nm{n},5,\n" for n in range(5))
    wanted = {f"m{n}": (2, 3) for n in range(5)}
    assert noted(tmp_path, text, "read as boundaries: topic here", "all 5 documents begin with a 1") == wanted
    assert masses(read(tmp_path, text, "marks='first',columns='boundary=topic here'")) == wanted
    assert noted(tmp_path, text.replace("topic here", "label"), "marks='first'") == wanted
    # Blank for a whole document: no boundary of one person, but not coded by one of several.
    some = text.replace("m4,1,x", "m4,1,").replace("m4,3,x", "m4,3,")
    assert masses(read(tmp_path, some, "marks='first',columns='boundary=topic here'")) == {**wanted, "m4": (5,)}
    some = TICKED.replace("m2,1,x,x", "m2,1,x,")
    found = noted(tmp_path, some, "1 column without a mark in a document: not coded", options="marks='first'")
    assert found == {**WANTED, "m2": {"anna": (2, 1)}}


def test_merged_cells_are_filled_down(tmp_path: Path) -> None:
    merged = "meeting,turn,label\nm1,1,a\n,2,a\n,3,b\nm2,1,a\n,2,c\n"
    wanted = {"m1": (2, 1), "m2": (1, 1)}
    assert noted(tmp_path, merged, "'meeting' is filled down over 3 blank rows (merged cells)") == wanted
    unnumbered = "meeting,label\nm1,a\n,a\n,b\nm2,a\n,c\n"
    assert noted(tmp_path, unnumbered, "filled down") == wanted
    # The numbers restart without a name, or a name is written on two rows: a name is missing.
    assert ":3: the row has no 'meeting'" in refused(tmp_path, merged.replace("m2", ""))
    assert ":4: the row has no 'meeting'" in refused(tmp_path, merged.replace("\n,2,a", "\nm1,2,a"))
    people = "meeting,annotator,turn,label\nm1,anna,1,a\n,,2,a\n,,3,b\n,ben,1,a\n,,2,b\n,,3,b\n"
    assert noted(tmp_path, people, "'meeting' is", "'annotator' is") == {"m1": {"anna": (2, 1), "ben": (1, 2)}}


def test_titles_and_totals_are_left_out(tmp_path: Path) -> None:
    table = "meeting,turn,label\nm1,1,a\nm1,2,a\nm2,1,a\nm2,2,c\n"
    wanted = {"m1": (2,), "m2": (1, 1)}
    for title in ("Annotations of spring,,\n", "Annotations of spring\n\n", "Annotations,,\nof spring,,\n"):
        assert noted(tmp_path, title + table, "the columns are named on line", "left out as a title") == wanted
    unknown = "Annotations,,\n" + table.replace("meeting,turn,label", "a,b,c")
    assert "t.csv:1: looks like a title, and line 2 like the names of the columns" in refused(tmp_path, unknown)
    for total in ("TOTAL,,2\n", ",,2\n", "Sum:,,2\n"):
        assert noted(tmp_path, table + total, "line 6 left out as a total") == wanted
    both = "Annotations,,,\n" + TICKED.rstrip("\n") + "\n,,3,2\n"
    assert noted(tmp_path, both, "line 10 left out", options="marks='first',columns='annotators=anna+ben'") == WANTED


def test_spellings_of_a_name_are_one_person(tmp_path: Path) -> None:
    text = LONG.replace("d;2;ann;1", "d;2;Ann;1").replace("d;3;ann;2", "d;3; ann ;2").replace("d;3;bob;2", "d;3;B ob;2")
    found = noted(tmp_path, text, "'Ann' and 'ann' are read as one annotator, 'ann'", "'B ob' and 'bob'")
    assert found == {"d": {"ann": (2, 1), "bob": (1, 2)}}
    # Two people coded the same unit.
    text = LONG.replace("bob", "Ann")
    assert masses(read(tmp_path, text)) == {"d": {"ann": (2, 1), "Ann": (1, 2)}}
    text = "\n".join(";".join(line.split(";")[:1] + line.split(";")[2:]) for line in text.splitlines()) + "\n"
    assert masses(read(tmp_path, text)) == {"d": {"ann": (2, 1), "Ann": (1, 2)}}


def test_a_row_per_boundary(tmp_path: Path) -> None:
    text = "meeting,annotator,turn\nm1,ann,5\nm1,bob,5\nm1,bob,9\nm2,ann,4\nm2,bob,3\nm2,bob,7\n"
    question = refused(tmp_path, text)
    assert "turn 5 of document 'm1' may be the first unit of a segment (a boundary after unit 4" in question
    assert "or the last (after unit 5, marks='last'); say which, as in \"/t.csv::labels(marks='first')\"" in question
    asked = refused(tmp_path, text, "marks='first'")
    assert "t.csv:2: the rows are boundaries, and nothing says how many units document 'm1' has" in asked
    assert "t.csv::labels(units='documents.jsonl', marks='first')" in asked
    documents = tmp_path / "documents.jsonl"
    documents.write_text('{"id": "m1", "n_units": 12}\n{"id": "m2", "n_units": 7}\n{"id": "m3", "n_units": 3}\n')
    options = f"units={str(documents)!r},marks="
    first = noted(tmp_path, text, "counted from 1", "1 document without a row left out", options=f"{options}'first'")
    assert first == {"m1": {"ann": (4, 8), "bob": (4, 4, 4)}, "m2": {"ann": (3, 4), "bob": (2, 4, 1)}}
    last = noted(tmp_path, text, "turn is the last unit of a segment", options=f"{options}'last'")
    assert last == {"m1": {"ann": (5, 7), "bob": (5, 4, 3)}, "m2": {"ann": (4, 3), "bob": (3, 4)}}
    zero = text.replace("m1,ann,5", "m1,ann,0\nm1,ann,5")
    assert noted(tmp_path, zero, "counted from 0", options=f"{options}'first'")["m1"] == {
        "ann": (5, 7),
        "bob": (5, 4, 3),
    }
    assert "boundary 16 is out of range 1..6 for 7 units" in refused(
        tmp_path, text.replace("m2,bob,7", "m2,bob,17"), f"{options}'first'"
    )


def test_a_row_per_boundary_with_the_length_beside_it(tmp_path: Path) -> None:
    text = "doc,position,n_units\na,4,9\na,6,9\nb,2,2000000000\n"
    assert noted(tmp_path, text, "one row per boundary", options="marks='last'") == {
        "a": (4, 2, 3),
        "b": (2, 1999999998),
    }
    named = "doc,boundary,n_units\na,4,9\na,6,9\nb,2,5\n"
    assert "or, if each row is a boundary and this its unit, --columns order=boundary" in refused(tmp_path, named)
    found = noted(tmp_path, named, "boundary is the last unit", options="marks='last',columns='order=boundary'")
    assert found == {"a": (4, 2, 3), "b": (2, 3)}
