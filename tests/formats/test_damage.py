# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every text format: a refusal is one line that says what, where and what to do."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest

from caesura.cli import main
from caesura.corpus import Corpus
from caesura.errors import CaesuraError, FormatError
from caesura.formats import FORMATS, load, read_json

SAMPLES = Path(__file__).parent / "samples"

WHOLE = {
    "webvtt": (SAMPLES / "transcript.vtt").read_text(encoding="utf-8"),
    "webvtt chapters": (SAMPLES / "show.chapters.vtt").read_text(encoding="utf-8"),
    "srt": (SAMPLES / "talk.srt").read_text(encoding="utf-8"),
    "textgrid": (SAMPLES / "lecture.TextGrid").read_text(encoding="utf-8"),
    "textgrid short": (SAMPLES / "short.TextGrid").read_text(encoding="utf-8"),
    "youtube": (SAMPLES / "youtube.txt").read_text(encoding="utf-8"),
    "elan": (SAMPLES / "meeting.eaf").read_text(encoding="utf-8"),
    "rttm": (SAMPLES / "news.rttm").read_text(encoding="utf-8"),
    "whisperx": (SAMPLES / "whisperx_topics.json").read_text(encoding="utf-8"),
    "podcast": (SAMPLES / "podcast.json").read_text(encoding="utf-8"),
    "choi": (SAMPLES / "choi.ref").read_text(encoding="utf-8"),
    "labels": (SAMPLES / "labels.csv").read_text(encoding="utf-8"),
    "moonstone": (SAMPLES / "annotation" / "ch1.csv").read_text(encoding="utf-8"),
    "label_studio": (SAMPLES / "annotation" / "label_studio.json").read_text(encoding="utf-8"),
    "doccano": (SAMPLES / "annotation" / "doccano" / "anna.jsonl").read_text(encoding="utf-8"),
    "webanno": (SAMPLES / "annotation" / "inception" / "tale.txt" / "anna.tsv").read_text(encoding="utf-8"),
    "uima_cas xmi": (SAMPLES / "annotation" / "xmi" / "anna.xmi").read_text(encoding="utf-8"),
    "uima_cas json": (SAMPLES / "annotation" / "cas.json").read_text(encoding="utf-8"),
    "bits": "000100\n0010\n11\n",
    "masses": "6 3 4\n2 2\n5\n",
    "segeval": '{"items": {\n "one": {\n  "anna": [2, 3],\n  "ben": [1, 4]\n },\n "two": {"anna": [7]}\n},\n"segmentation_type": "linear"}\n',
    "segeval table": "Coder\tMasses\nanna\t2\t3\nben\t1\t4\n",
    "jsonl": '{"id": "a", "units": ["x", "y"], "boundaries": [1], "unit_times": [[0, 1], [1, 2]]}\n{"id": "b", "masses": [2, 3]}\n',
}
"""A whole file of every text format."""

NAMES = {
    "webvtt": "a.vtt",
    "webvtt chapters": "a.chapters.vtt",
    "srt": "a.srt",
    "textgrid": "a.TextGrid",
    "textgrid short": "a.TextGrid",
    "youtube": "a.txt",
    "elan": "a.eaf",
    "rttm": "a.rttm",
    "whisperx": "a.json",
    "podcast": "a.json",
    "choi": "a.ref",
    "labels": "a.csv",
    "moonstone": "a.csv",
    "label_studio": "a.json",
    "doccano": "a.jsonl",
    "webanno": "a.tsv",
    "uima_cas xmi": "a.xmi",
    "uima_cas json": "a.json",
    "bits": "a.bits",
    "masses": "a.masses",
    "segeval": "a.json",
    "segeval table": "a.tsv",
    "jsonl": "a.jsonl",
}

BACK = "ends at 00:00:01.000, before it starts at"

# The format, the damage: what is replaced in the whole file by what; the line that must be named; words of the refusal.
DAMAGE: dict[tuple[str, str], tuple[str, str, int | None, str]] = {
    ("webvtt", "reversed times"): (
        "00:04.250 --> 00:07.000",
        "00:04.250 --> 00:01.000",
        14,
        f"cue 2 {BACK} 00:00:04.250; correct",
    ),
    ("webvtt", "no head"): ("WEBVTT - An", "An", 1, "does not begin with WEBVTT; add that word"),
    ("webvtt chapters", "reversed times"): (
        "00:12:05.500 --> 00:30:00.000",
        "00:12:05.500 --> 00:00:01.000",
        13,
        f"chapter 3 {BACK}",
    ),
    ("webvtt chapters", "order"): (
        "00:12:05.500 -->",
        "00:01:00.000 -->",
        13,
        "chapter 3 starts at 00:01:00.000, before chapter 2 at 00:01:30.000; chapters must be in order",
    ),
    ("srt", "reversed times"): ("--> 00:00:06,000", "--> 00:00:01,000", 6, f"cue 2 {BACK} 00:00:02.500"),
    ("srt", "negative"): ("00:00:02,500 -->", "-00:00:02,500 -->", 6, "are not valid cue times; write 00:00:01,000"),
    ("srt", "no number"): ("--> 00:00:06,000", "--> soon", 6, "'00:00:02,500 --> soon' are not valid cue times"),
    ("srt", "no end"): ("--> 00:00:06,000", "-->", 6, "'00:00:02,500 -->' are not valid cue times"),
    ("srt", "minute 75"): ("--> 00:00:09,000", "--> 00:75:09,000", 11, "are not valid cue times"),
    ("srt", "too many hours"): ("--> 00:00:09,000", "--> 100:00:09,000", 11, "are not valid cue times"),
    ("srt", "cut after a number"): (
        "\n00:00:06,250 --> 00:00:09,000\nNobody knows who says this.\n",
        "",
        10,
        "cue 3 has no times; the file is truncated",
    ),
    ("textgrid", "reversed times"): (
        "xmin = 31 \n            xmax = 90",
        "xmin = 31 \n            xmax = 1",
        38,
        f"chapter 2 {BACK} 00:00:31.000",
    ),
    ("textgrid", "order"): ("xmin = 90 ", "xmin = 20 ", 42, "chapter 3 starts at 00:00:20.000, before chapter 2"),
    ("textgrid", "negative"): ("xmax = 60 ", "xmax = -60 ", 17, "the end of entry 1 of tier 1 is -60; it must be a time"),
    ("textgrid", "no number"): ("xmin = 60 ", "xmin = x ", 20, "the time of entry 2 of tier 1 is 'x'; it must be a number"),
    ("textgrid", "nothing"): ("xmin = 60 ", "xmin = ", 20, "the time of entry 2 of tier 1 is ''; it must be a number"),
    ("textgrid", "too few"): ("size = 4", "size = 5", 44, "ends before the time of entry 5 of tier 2; the file is truncated"),
    ("textgrid", "too many"): ("size = 4", "size = 3", 42, "there are more values than the numbers of tiers and entries announce"),
    ("textgrid", "open quote"): ('"questions"', '"questions', 44, "a quoted string is not closed; the file is truncated"),
    ("textgrid", "class"): (
        '"IntervalTier" \n        name = "topics"',
        '"Tier" \n        name = "topics"',
        24,
        "the class of tier 2 is 'Tier'; it must be IntervalTier or TextTier",
    ),
    ("textgrid short", "no number"): ("2.5", "two", 13, "the time of entry 1 of tier 1 is 'two'; it must be a number"),
    ("textgrid short", "negative"): ("2.5", "-2.5", 13, "the time of entry 1 of tier 1 is -2.5; it must be a time"),
    ("textgrid short", "order"): ("2.5", "8", 15, "chapter 3 starts at 00:00:07.000, before chapter 2"),
    ("textgrid short", "too few"): ('7\n"c"', "7", 15, "ends before the label of entry 2 of tier 1; the file is truncated"),
    ("youtube", "order"): ("(12:00)", "(1:00)", 3, "chapter 3 starts at 00:01:00.000, before chapter 2 at 00:01:34.000; chapters must be in order"),
    ("youtube", "order from the start"): (
        "00:00 Intro",
        "05:00 Intro",
        2,
        "chapter 2 starts at 00:01:34.000, before chapter 1 at 00:05:00.000; chapters must be in order",
    ),
    ("youtube", "late start"): ("00:00 Intro", "00:10 Intro", 1, "the first chapter starts at 00:00:10.000; add one at 0:00"),
    ("youtube", "negative"): ("01:34", "-01:34", 2, "the time of a chapter is '-01:34'; write seconds, or a time such as 2:15"),
    ("youtube", "minute 75"): ("1:02:03", "1:75:03", 4, "the time of a chapter is '1:75:03'; write seconds, or a time such as 2:15"),
    ("elan", "reversed times"): (
        '"ts6" TIME_VALUE="180000"',
        '"ts6" TIME_VALUE="1000"',
        19,
        f"chapter 3 {BACK} 00:01:40.250",
    ),
    ("elan", "negative"): ('"ts7" TIME_VALUE="', '"ts7" TIME_VALUE="-', 13, "TIME_VALUE is '-1200', but must be a time"),
    ("elan", "no number"): ('TIME_VALUE="3400"', 'TIME_VALUE="x"', 14, "TIME_VALUE is 'x', but must be a time"),
    ("elan", "no time"): ('"ts3" TIME_VALUE="45000"', '"ts3"', 18, "an annotation of tier 'Topics' has no time; time-align it"),
    ("elan", "no slot"): ('TIME_SLOT_REF1="ts3"', 'TIME_SLOT_REF1="ts30"', 18, "an annotation of tier 'Topics' has no time"),
    ("elan", "lacks a field"): (' TIME_SLOT_REF1="ts3"', "", 18, "ALIGNABLE_ANNOTATION has no TIME_SLOT_REF1; open"),
    ("elan", "lacks a name"): (' TIER_ID="Topics"', "", 16, "TIER has no TIER_ID; open the file in ELAN"),
    ("elan", "lacks a value"): (
        "<ANNOTATION_VALUE>budget</ANNOTATION_VALUE>",
        "",
        18,
        "ALIGNABLE_ANNOTATION has no ANNOTATION_VALUE; open the file in ELAN",
    ),
    ("elan", "twice"): ('ANNOTATION_ID="a2"', 'ANNOTATION_ID="a1"', 18, "ANNOTATION_ID 'a1' appears twice, first on line 17"),
    ("elan", "slot twice"): ('TIME_SLOT_ID="ts2"', 'TIME_SLOT_ID="ts1"', 8, "TIME_SLOT_ID 'ts1' appears twice, first on line 7"),
    ("elan", "a tag not closed"): ("</TIME_ORDER>", "", 25, r"is not well-formed XML \(mismatched tag\); export the file again"),
    ("elan", "entities"): ("<ANNOTATION_DOCUMENT", "<!DOCTYPE a>\n<ANNOTATION_DOCUMENT", 2, "declares a document type"),
    ("rttm", "negative"): ("17.000", "-17.000", 5, "the onset is -17.0; it must be a time in seconds, at least 0"),
    ("rttm", "negative duration"): ("20.250", "-20.250", 5, "the duration is -20.25; it must be a time"),
    ("rttm", "no number"): ("36.900", "x", 6, "onset and duration are 'x' and '10.100'; both must be numbers"),
    ("rttm", "lacks a field"): ("<NA> <NA> reporter <NA> <NA>", "", 5, "a SPEAKER line needs at least 8 fields, but this one has 5; write"),
    ("whisperx", "reversed times"): ('"end": 720.0', '"end": 1.0', 4, f"cue 3 {BACK} 00:06:40.000"),
    ("whisperx", "order"): ('"start": 726.0', '"start": 5.0', 5, "chapter 3 starts at 00:00:05.000, before chapter 2"),
    ("whisperx", "negative"): ('"start": 400.0', '"start": -400.0', 4, "start of segment 3 is -400.0; it must be a time"),
    ("whisperx", "no number"): ('"start": 400.0', '"start": "x"', 4, r"segments\[2\].start is a string; it must be a number"),
    ("whisperx", "lacks a field"): ('"start": 400.0, ', "", 4, r"segments\[2\] has no 'start'; add it"),
    ("whisperx", "lacks a topic"): (', "topic": "Letters"', "", 5, "segment 4 has no 'topic', but others do; add it to all"),
    ("podcast", "reversed times"): ('94, "title"', '94, "endTime": 1, "title"', 7, f"chapter 2 {BACK} 00:01:34.000"),
    ("podcast", "order"): ('"startTime": 720.25', '"startTime": 20', 9, "chapter 3 starts at 00:00:20.000, before chapter 2"),
    ("podcast", "negative"): ('"startTime": 94', '"startTime": -94', 7, "startTime of chapter 2 is -94.0; it must be a time"),
    ("podcast", "no number"): ('"startTime": 94', '"startTime": "late"', 7, "startTime of chapter 2 is 'late'; write seconds"),
    ("podcast", "lacks a field"): ('"startTime": 94, ', "", 7, r"chapters\[1\] has no 'startTime'; add it"),
    ("podcast", "end"): ('"endTime": 1800', '"endTime": 720.25', 9, "but the recording ends at 00:12:00.250; correct"),
    ("podcast", "comma"): ('"Intro"},', '"Intro"}', 7, r"is not valid JSON \(expected ',' or ']' at column 5\); write the file again"),
    ("jsonl", "negative"): ("[2, 3]", "[2, -3]", 2, "document 'b': mass 2 is -3; every segment has at least one unit"),
    ("jsonl", "no number"): ("[2, 3]", '[2, "x"]', 2, r"masses\[1\] is a string; it must be an integer"),
    ("jsonl", "reversed times"): ("[1, 2]]", "[2, 1]]", 1, r"document 'a': unit_times\[1\] is \[2.0, 1.0\]; it must be"),
    ("jsonl", "lacks a field"): ('"id": "b", ', "", 2, 'has no "id"; every document needs a unique one'),
    ("jsonl", "twice"): ('"id": "b"', '"id": "a"', 2, "document 'a' appears twice, first on line 1; ids must be unique"),
    ("bits", "negative"): ("\n0010", "\n-0010", 2, "bit 1 is '-'; it must be 0 or 1"),
    ("bits", "no number"): ("\n0010", "\n00x0", 2, "bit 3 is 'x'; it must be 0 or 1"),
    ("masses", "negative"): ("2 2", "2 -2", 2, "'-2' is not a mass; write integers"),
    ("masses", "no number"): ("2 2", "2 x", 2, "'x' is not a mass; write integers"),
    ("masses", "zero"): ("2 2", "2 0", 2, "mass 2 is 0; every segment has at least one unit"),
    ("segeval", "negative"): ("[1, 4]", "[1, -4]", 4, "item 'one', annotator 'ben': mass 2 is -4; every segment"),
    ("segeval", "no number"): ("[1, 4]", '[1, "x"]', 4, "item 'one', annotator 'ben': "),
    ("segeval", "other length"): ("[1, 4]", "[1, 5]", 4, "annotator 'anna' gives 5 units, but 'ben' gives 6; all must segment the same"),
    ("segeval", "twice"): ('"two"', '"one"', 6, "the key 'one' appears twice in one object; keep one"),
    ("segeval", "annotator twice"): ('"ben"', '"anna"', 4, "the key 'anna' appears twice in one object; keep one"),
    ("segeval", "lacks a field"): ('{"anna": [7]}', "{}", 6, "item 'two' is not {annotator: "),
    ("segeval", "kind"): ('"linear"', '"tree"', 8, "segmentation_type is 'tree'; it must be 'linear"),
    ("segeval table", "negative"): ("ben\t1", "ben\t-1", 3, "annotator 'ben': '-1' is not an integer; write"),
    ("segeval table", "twice"): ("ben", "anna", 3, "annotator 'anna' appears twice, first on line 2; keep one row"),
    ("segeval table", "other length"): ("ben\t1", "ben\t2", 3, "'anna' gives 5 units, but 'ben' gives 6; all must segment the same"),
    ("moonstone", "no number"): ("\n7,", "\nx,", 8, "the paragraph is numbered 'x'; it must be 7"),
    ("moonstone", "lacks a field"): ("\n7,", "\n", 8, "the row has 4 columns, but the first row has 5; they must agree"),
    ("moonstone", "twice"): ("\n7,", "\n6,", 8, "the paragraph is numbered '6'; it must be 7"),
    ("label_studio", "negative"): ('"start": 61, ', '"start": -61, ', 19, "task '7', annotator '2': region 2 spans -61 to 101"),
    ("label_studio", "reversed"): ('"start": 61, ', '"start": 1000, ', 19, "region 2 spans 1000 to 101, which is not part"),
    ("doccano", "twice"): ('{"id": 2', '{"id": 1', 2, "document '1': annotator 'a' coded it twice; keep one|different texts"),
    ("doccano", "lacks a field"): ('"id": 2, "text"', '"id": 2, "txt"', 2, "the record has no 'text'; export the project"),
    ("webanno", "order"): ("2-3\t25-28", "2-3\t5-8", 14, "the token is at 5-8, but the previous one is at 19-24; tokens must be"),
    ("webanno", "negative"): ("2-3\t25-28", "2-3\t-25-28", 14, "is not a token line such as"),
    ("webanno", "lacks a field"): ("\thim\tlove[1]\t", "\thim", 14, "the line has 3 columns, but the layers of the header need 4; export"),
    ("uima_cas xmi", "negative"): ('begin="35" end="59"', 'begin="-35" end="59"', 10, "'webanno.custom.Topic' spans -35 to 59; export"),
    ("uima_cas xmi", "no number"): ('begin="35" end="59"', 'begin="x" end="59"', 10, "'webanno.custom.Topic' spans x to 59; export"),
    ("uima_cas xmi", "reversed"): ('begin="35" end="59"', 'begin="35" end="5"', 10, "'webanno.custom.Topic' spans 35 to 5; export"),
    ("uima_cas xmi", "too far"): ('begin="35" end="59"', 'begin="35" end="590"', 10, "spans 35 to 590, but the text has [0-9]+ characters; export"),
    ("uima_cas xmi", "lacks a field"): ('begin="35" end="59"', 'begin="35"', 10, "'webanno.custom.Topic' spans 35 to None; export"),
    ("uima_cas xmi", "twice"): ('xmi:id="7"', 'xmi:id="6"', 10, "the id '6' appears twice; export the file again"),
    ("uima_cas xmi", "no member"): ('members="90 2', 'members="90 99 2', 12, "the view refers to '99', which does not exist; export"),
    ("uima_cas json", "negative"): ('"begin" : 20, "end" : 30, "value"', '"begin" : -20, "end" : 30, "value"', 19, "'webanno.custom.Topic' spans -20 to 30"),
    ("uima_cas json", "no number"): ('"begin" : 20, "end" : 30, "value"', '"begin" : "x", "end" : 30, "value"', 19, "'webanno.custom.Topic' spans x to 30"),
    ("uima_cas json", "lacks a field"): ('"%ID" : 3, ', "", 16, 'entry 3 of %FEATURE_STRUCTURES has no "%ID" and "%TYPE"'),
    ("uima_cas json", "twice"): ('"%ID" : 6', '"%ID" : 5', 19, "the id '5' appears twice; export the file again"),
    ("uima_cas json", "no member"): ("[2, 3, 4, 5, 6]", "[2, 3, 4, 5, 60]", 22, "the view refers to '60', which does not exist; export"),
}  # fmt: skip


def placed(folder: Path, kind: str, content: bytes) -> Path:
    """Write a file of a format, with what belongs beside it."""
    path = folder / NAMES[kind]
    path.write_bytes(content)
    return path


def quietly(path: Path) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path)


def refusal(path: Path) -> str | None:
    """Return what is said about a file that cannot be read, having checked its manners, or None."""
    try:
        quietly(path)
    except CaesuraError as error:
        said = str(error)
    else:
        return None
    assert "\n" not in said
    assert re.match(rf"{re.escape(str(path))}(:[0-9]+)?: ", said), said
    assert not re.search(r"\w(?:Error|Exception)\b|Traceback|object at 0x|msgspec|cassis|expat", said), said
    return said


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_files_are_read_with_any_line_end_and_mark(tmp_path: Path, kind: str) -> None:
    whole = WHOLE[kind].encode()
    expected = list(quietly(placed(tmp_path, kind, whole)))
    for other in (whole.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + whole):
        assert list(quietly(placed(tmp_path, kind, other))) == expected


def test_every_text_format_is_damaged() -> None:
    assert {name.partition(" ")[0] for name in WHOLE} <= set(FORMATS.names())
    assert set(WHOLE) - {kind for kind, _ in DAMAGE} == {"choi", "labels"}  # any text is a unit or a label


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize(("kind", "damage"), DAMAGE)
def test_damage_names_its_line(
    tmp_path: Path, kind: str, damage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, line, words = DAMAGE[kind, damage]
    assert WHOLE[kind].count(old) == 1
    path = placed(tmp_path, kind, WHOLE[kind].replace(old, new).encode())
    said = refusal(path)
    assert said is not None
    assert said.startswith(f"{path}:{line}: "), said
    assert re.search(words, said), said
    assert ";" in said, said
    monkeypatch.setattr(sys, "argv", ["caesura", "convert", str(path), str(tmp_path / "out.jsonl")])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert capsys.readouterr() == ("", f"caesura: {said}\n")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty; it holds no"),
        (b" \n\n", "the file is empty; it holds no"),
        (bytes(range(256)), "is a binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "is a binary file|is not UTF-8; save the file"),
    ],
    ids=["empty", "blank", "binary", "picture"],
)
def test_what_is_no_text(tmp_path: Path, kind: str, content: bytes, words: str) -> None:
    said = refusal(placed(tmp_path, kind, content))
    assert said is not None
    assert re.search(words, said), said


@pytest.mark.parametrize("kind", WHOLE)
def test_bytes_that_are_no_text(tmp_path: Path, kind: str) -> None:
    whole = WHOLE[kind].encode()
    place = whole.index(b"\n", len(whole) // 2) if kind != "podcast" else whole.index(b"The guest")
    said = refusal(placed(tmp_path, kind, whole[:place] + b"\xff" + whole[place:]))
    assert said is not None
    line = whole.count(b"\n", 0, place) + 1
    assert re.search(rf":{line}: byte 0xff .*is not UTF-8; save the file as UTF-8", said)


KEPT_TO_THE_LAST = {"textgrid", "textgrid short", "elan", "whisperx", "podcast", "segeval", "jsonl"} | {
    "label_studio", "uima_cas xmi", "uima_cas json",
}  # fmt: skip
"""Formats that show when a file is cut off: it is never read by half."""


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("sixths", range(1, 6))
def test_cut_off(tmp_path: Path, kind: str, sixths: int) -> None:
    whole = WHOLE[kind].encode()
    cut = whole[: len(whole) * sixths // 6]
    said = refusal(placed(tmp_path, kind, cut))
    if kind in KEPT_TO_THE_LAST:
        assert said is not None
        if "check that it is the right file" not in said and "first line must be" not in said:
            last = cut.rstrip().count(b"\n") + 1
            assert said.startswith(f"{tmp_path / NAMES[kind]}:{last}: "), said
    elif said is not None:
        assert ";" in said, said


@pytest.mark.parametrize("kind", ["textgrid", "textgrid short"])
def test_no_part_of_a_textgrid_is_read_for_the_whole(tmp_path: Path, kind: str) -> None:
    whole = WHOLE[kind].rstrip().encode()
    for length in range(0, len(whole), 3):
        assert refusal(placed(tmp_path, kind, whole[:length])) is not None, length


def test_overlaps_are_said_and_refused_with_their_line_when_strict(tmp_path: Path) -> None:
    text = WHOLE["webvtt chapters"].replace("00:12:05.500 -->", "00:11:00.000 -->")
    path = placed(tmp_path, "webvtt chapters", text.encode())
    with pytest.warns(UserWarning, match=r"vtt: an overlap between chapters, of 65.5 s"):
        load(path)
    with pytest.raises(CaesuraError, match=r"vtt:13: an overlap between chapters, of 65.5 s"):
        load(path, strict=True)


def test_a_cut_file_is_told_as_cut_even_if_a_type_is_wrong_before(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole = '[\n{"n": 1},\n{"n": "one"},\n{"n": 2}\n]'
    path.write_text(whole)
    with pytest.raises(FormatError, match=r"a\.json:3: .*is a string; it must be an integer"):
        read_json(path, list[dict[str, int]])
    for size in range(whole.index("one") + len('one"}'), len(whole)):
        path.write_text(whole[:size])
        with pytest.raises(FormatError, match=r"a\.json:[345]: the JSON is truncated; write the file again"):
            read_json(path, list[dict[str, int]])
