# SPDX-License-Identifier: Apache-2.0
"""Chapters as media people have them: every shape is read at once, with its titles and its length, and never as prose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesura.corpus import Document
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import FORMATS, detect, load

SPANS = [(0, 46, "Intro"), (46, 732, "The guest"), (732, 3723, "Letters, and more")]
STARTS, TITLES = [start for start, *_ in SPANS], [title for *_, title in SPANS]
CLOCKS = ["0:00", "0:46", "12:12"]
OPEN, WHOLE = 732_001, 3_723_000
ENTRIES = [{"start_time": float(a), "end_time": float(b), "title": t} for a, b, t in SPANS]
PROBED = [
    {"id": n, "time_base": "1/1000", "start": a * 1000, "start_time": f"{a}.000000", "end_time": f"{b}.000000", "tags": {"title": t}}
    for n, (a, b, t) in enumerate(SPANS)
]  # fmt: skip
HEARD = [{"summary": "s", "gist": t, "headline": t, "start": a * 1000, "end": b * 1000} for a, b, t in SPANS]


def lines(form: str) -> str:
    """Return one line per chapter."""
    made = []
    for n, (start, end, title) in enumerate(SPANS, start=1):
        long = [f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}" for at in (start, end, start + 3600, end + 3600)]
        made.append(
            form.format(
                n=n, start=start, end=end, title=title, s=CLOCKS[n - 1], long=long[0], long_end=long[1],
                hour=long[2], hour_end=long[3], ms=start * 1000, end_ms=end * 1000,
            )
        )  # fmt: skip
    return "".join(made)


ATOM = (
    "<ChapterAtom><ChapterTimeStart>{long}.000000000</ChapterTimeStart><ChapterDisplay>"
    "<ChapterString>{title}</ChapterString><ChapterLanguage>eng</ChapterLanguage></ChapterDisplay></ChapterAtom>\n"
)
MATROSKA = (
    '<?xml version="1.0"?>\n<!-- <!DOCTYPE Chapters SYSTEM "matroskachapters.dtd"> -->\n<Chapters><EditionEntry>\n'
    + lines(ATOM)
    + "</EditionEntry></Chapters>\n"
)
# The clip lies at 01:00:00 on the timeline and begins at 100 s of its own file; markers count the time of the file.
CUT = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE fcpxml>\n<fcpxml version="1.10"><library><event><project>'
    '<sequence duration="3723s" tcStart="3600s"><spine><asset-clip offset="7200/2s" start="100s" duration="3723s">\n'
    + "".join(f'<chapter-marker start="{(a + 100) * 25}/25s" value="{t}"/>\n' for a, _, t in SPANS)
    + '<marker start="300s" value="to do"/></asset-clip></spine></sequence></project></event></library></fcpxml>\n'
)
PREMIERE = "Marker Name\tDescription\tIn\tOut\tDuration\tMarker Type\n" + lines(
    "{title}\t\t{long}:00\t{long}:00\t00:00:00:00\tChapter\n"
)
EDL = "TITLE: talk\nFCM: NON-DROP FRAME\n\n" + lines(
    "{n:03d}  001      V     C        {hour}:00 {hour_end}:00 {hour}:00 {hour_end}:00  \n |C:ResolveColorBlue |M:{title} |D:1\n\n"
)

SHAPES: dict[str, tuple[str, Any, str, int]] = {
    "yt-dlp": ("a.info.json", {"id": "x", "formats": [{"url": "y" * 999}] * 99, "duration": 3723, "chapters": ENTRIES}, "chapter_json", WHOLE),
    "ffprobe": ("a.json", {"chapters": PROBED, "format": {"duration": "3723.000000"}}, "chapter_json", WHOLE),
    "AssemblyAI": ("a.json", {"acoustic_model": "a", "words": [{"text": "w" * 99}] * 999, "audio_duration": 3723, "chapters": HEARD}, "chapter_json", WHOLE),
    "Podlove JSON": ("a.json", [{"start": f"00:{c:0>5}.000", "title": t, "href": ""} for c, t in zip(CLOCKS, TITLES, strict=True)], "chapter_json", OPEN),
    "model list": ("a.json", [{"start": c, "title": t} for c, t in zip(CLOCKS, TITLES, strict=True)], "chapter_json", OPEN),
    "model seconds": ("a.json", {"chapters": [{"start": a, "end": b, "title": t} for a, b, t in SPANS]}, "chapter_json", WHOLE),
    "model times": ("a.json", dict(zip(CLOCKS, TITLES, strict=True)), "chapter_json", OPEN),
    "FFmetadata": ("a.txt", ";FFMETADATA1\ntitle=x\n" + lines("[CHAPTER]\nTIMEBASE=1/1000\nSTART={ms}\nEND={end_ms}\ntitle={title}\n"), "chapter_text", WHOLE),
    "OGM": ("a.txt", lines("CHAPTER{n:02d}={long}.000\nCHAPTER{n:02d}NAME={title}\n"), "chapter_text", OPEN),
    "EDL": ("a.edl", EDL, "chapter_text", OPEN),
    "Matroska": ("a.xml", MATROSKA, "chapter_xml", OPEN),
    "Podlove": ("a.psc", '<psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters">' + lines('<psc:chapter start="{long}.000" title="{title}"/>\n') + "</psc:chapters>", "chapter_xml", OPEN),
    "FCPXML": ("a.fcpxml", CUT, "chapter_xml", WHOLE),
    "Audacity points": ("a.txt", lines("{start}.000000\t{start}.000000\t{title}\n"), "chapter_table", OPEN),
    "Audacity spans": ("a.txt", lines("{start}.000000\t{end}.000000\t{title}\n"), "chapter_table", WHOLE),
    "Premiere": ("a.csv", PREMIERE, "chapter_table", OPEN),
    "CSV seconds": ("a.csv", "start,title\n" + lines('{start},"{title}"\n'), "chapter_table", OPEN),
    "CSV minutes": ("a.csv", "Start;Title\n" + lines("{s};{title}\n"), "chapter_table", OPEN),
    "CSV ends": ("a.csv", "start,end,title\n" + lines('{start},{end},"{title}"\n'), "chapter_table", WHOLE),
    "CSV ms": ("a.csv", "start_ms,end_ms,title\n" + lines('{ms},{end_ms},"{title}"\n'), "chapter_table", WHOLE),
    "TSV": ("a.tsv", "time\ttitle\n" + lines("{long}\t{title}\n"), "chapter_table", OPEN),
    "CSV without names": ("a.csv", lines('{s},"{title}"\n'), "chapter_table", OPEN),
    "SRT by name": ("a.chapters.srt", lines("{n}\n{long},000 --> {long_end},000\n{title}\n\n"), "srt", WHOLE),
    "bold": ("a.md", "Here they are:\n\n" + lines("- **{long}** - {title}\n"), "youtube", OPEN),
    "bold with notes": ("a.txt", "## Chapters\n\n" + lines("{n}. **{s}** – {title}\n   A sentence about it.\n   And one more.\n"), "youtube", OPEN),
    "bold line": ("a.txt", lines("**{s} - {title}**\n"), "youtube", OPEN),
    "links": ("a.txt", lines("- [{s}](https://example.com/?t=1) {title}\n"), "youtube", OPEN),
    "Markdown table": ("a.txt", "| Time | Title |\n|---|---|\n" + lines("| {s} | {title} |\n"), "youtube", OPEN),
    "behind": ("a.txt", lines("{title} {s}\n"), "youtube", OPEN),
    "behind in brackets": ("a.txt", lines("{n}. {title} ({s})\n"), "youtube", OPEN),
    "ranges": ("a.txt", lines("{long} - {long_end}: {title}\n"), "youtube", WHOLE),
}  # fmt: skip


def write(folder: Path, name: str, content: Any, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding=encoding)
    return path


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read_at_once(tmp_path: Path, shape: str) -> None:
    name, content, form, length = SHAPES[shape]
    path = write(tmp_path, name, content)
    assert detect(path).name() == form
    (document,) = load(path)
    assert document.segmentation is not None
    assert (0, *document.segmentation.boundaries) == tuple(start * 1000 for start in STARTS)
    assert document.extra == {"segment_titles": TITLES}
    assert (document.unit, document.n_units, document.open_ended) == ("ms", length, length == OPEN)
    # Without its suffix too, no other format claims it.
    fitting = [
        cls.name()
        for cls in FORMATS
        if not cls.general and cls.sniff(path.read_bytes()[: 1 << 16], tmp_path / "nameless")
    ]
    assert set(fitting) <= {form}


MANY = {"v1": SPANS, "v2": [(0, 60, "One"), (60, 100, "Two")]}


def spelled(document: Document) -> list[tuple[int, str]]:
    starts = (0, *(document.segmentation.boundaries if document.segmentation else ()))
    return list(zip((at // 1000 for at in starts), document.extra["segment_titles"], strict=True))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {k: {"timestamps": [[a, b] for a, b, _ in v], "sentences": [t for *_, t in v], "duration": v[-1][1]} for k, v in MANY.items()}),
        ("a.json", {k: [{"timestamp": [a, b], "sentence": t} for a, b, t in v] for k, v in MANY.items()}),
        ("a.json", {"version": "1", "results": {k: [{"timestamp": [a, b], "sentence": t} for a, b, t in v] for k, v in MANY.items()}}),
        ("a.json", {k: {"duration": v[-1][1], "chapters": [{"time": a, "label": t} for a, _, t in v]} for k, v in MANY.items()}),
        ("a.json", {k: {"duration": v[-1][1], "chapters": {f"00:{a // 60:02d}:{a % 60:02d}": t for a, _, t in v}} for k, v in MANY.items()}),
        ("a.json", {k: {"duration": v[-1][1], "starts": [a for a, *_ in v], "titles": [t for *_, t in v]} for k, v in MANY.items()}),
        ("a.json", {k: [{"segment": [a, b], "title": t} for a, b, t in v] for k, v in MANY.items()}),
        ("a.json", [{"video_id": k, "duration": v[-1][1], "chapters": [{"start": a, "title": t} for a, _, t in v]} for k, v in MANY.items()]),
        ("a.jsonl", "".join(json.dumps({"id": k, "duration": v[-1][1], "chapters": [{"start": a, "title": t} for a, _, t in v]}) + "\n" for k, v in MANY.items())),
        ("a.csv", "video_id,start,end,title\n" + "".join(f'{k},{a},{b},"{t}"\n' for k, v in MANY.items() for a, b, t in v)),
    ],
)  # fmt: skip
def test_files_of_many_recordings(tmp_path: Path, name: str, content: Any) -> None:
    corpus = load(write(tmp_path, name, content))
    assert corpus.ids == list(MANY)
    assert corpus.ids_are_given
    for key, spans in MANY.items():
        assert spelled(corpus[key]) == [(a, t) for a, _, t in spans]
        assert (corpus[key].n_units, corpus[key].open_ended) == (spans[-1][1] * 1000, False)


def test_records_of_chunkseg_ask_for_a_side(tmp_path: Path) -> None:
    records = [
        {
            "hypothesis": [0, 50],
            "reference": STARTS,
            "duration": 3723,
            "reference_titles": [[t, a] for a, _, t in SPANS],
        },
        {"hypothesis": [0], "reference": [0, 20], "duration": 40},
    ]
    path = write(tmp_path, "a.jsonl", "".join(json.dumps(each) + "\n" for each in records))
    with pytest.raises(
        FormatError, match=r"3 in 'reference' and 2 in 'hypothesis'.*chapter_json\(side='reference'\) or"
    ):
        load(path)
    gold, system = (load(path, f"chapter_json(side='{side}')") for side in ("reference", "hypothesis"))
    assert not gold.ids_are_given
    assert [spelled(document) for document in gold] == [list(zip(STARTS, TITLES, strict=True)), [(0, ""), (20, "")]]
    assert [spelled(document) for document in system] == [[(0, ""), (50, "")], [(0, "")]]
    assert system.flat.n_units.tolist() == gold.flat.n_units.tolist() == [3_723_000, 40_000]


def test_premiere_in_utf_16_and_frames(tmp_path: Path) -> None:
    text = PREMIERE.replace("00:00:46:00", "00:00:46:12")
    path = write(tmp_path, "a.csv", text, "utf-16")
    with pytest.warns(CaesuraWarning, match=r"times have frames, left out .*; give it with fps=25"):
        (document,) = load(path)
    assert document.segmentation is not None
    assert document.segmentation.boundaries == (46_000, 732_000)
    (exact,) = load(path, "chapter_table(fps=24)")
    assert exact.segmentation is not None
    assert exact.segmentation.boundaries == (46_500, 732_000)


def test_the_origin_of_a_timeline(tmp_path: Path) -> None:
    path = write(tmp_path, "a.edl", EDL)
    with pytest.warns(CaesuraWarning, match=r"the timeline begins at 01:00:00.000, taken as 0:00"):
        load(path)
    late = write(tmp_path, "b.edl", EDL.replace("01:00:00:00", "01:00:09:00"))
    with pytest.raises(FormatError, match=r"the first marker lies at 01:00:09.000.*give it with origin='01:00:00:00'"):
        load(late)
    with pytest.raises(FormatError, match=r"the first chapter starts at 00:00:09.000; add one at 0:00"):
        load(late, "chapter_text(origin='01:00:00:00')")


def test_subtitles_that_may_be_chapters_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "show.srt", lines("{n}\n{long},000 --> {long_end},000\n{title}\n\n"))
    with pytest.raises(
        FormatError,
        match=r"3 cues of 1241 s on average may be chapters.*srt\(kind='chapters'\) or show\.srt::srt\(kind='cues'\)",
    ):
        load(path)
    (chapters,), (cues,) = load(path, "srt(kind='chapters')"), load(path, "srt(kind='cues')")
    assert spelled(chapters) == list(zip(STARTS, TITLES, strict=True))
    assert (cues.n_units, cues.unit, cues.segmentation) == (3, "cue", None)


def test_whispers_table_is_a_transcript(tmp_path: Path) -> None:
    (document,) = load(write(tmp_path, "a.tsv", "start\tend\ttext\n0\t2500\tGood morning.\n2500\t4000\tTo you.\n"))
    assert (document.units, document.unit_times) == (("Good morning.", "To you."), ((0, 2.5), (2.5, 4)))
    assert (document.unit, document.segmentation) == ("cue", None)


@pytest.mark.parametrize(
    "text", ["Intro\nThe guest\nLetters\n", "A first line of prose.\nIt was late, at ten.\n", "[00] x\n"]
)
def test_a_text_without_times_is_no_chapter_list(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "a.txt", text)
    assert not FORMATS.parse("youtube").sniff(text.encode(), path)
    with pytest.raises(FormatError, match="contains no chapter: no time such as 02:15 was found"):
        load(path, "youtube")


def test_tables_of_units_stay_tables_of_units(tmp_path: Path) -> None:
    for text in ("doc,start,end,text,label\nd,0,1,Hi.,a\nd,1,2,Rain.,b\n", "start,title,topic\n0,x,a\n1,y,b\n"):
        assert detect(write(tmp_path, "a.csv", text)).name() == "labels"


FAULTS = {
    "no start": ("a.json", [{"start": 0, "title": "a"}, {"title": "b", "begins": 3}], ":1: chapter 2 has no start; its keys are 'title', 'begins'; add 'start'"),
    "no list": ("a.json", {"chapters": 3, "duration": 5}, "its chapters are no list"),
    "bad time": ("a.json", [{"start": 0, "title": "a"}, {"start": "1:75", "title": "b"}], "the start of chapter 2 is '1:75'; write seconds"),
    "huge": ("a.json", '[{"start": 1e300, "title": "a"}]', "the start of chapter 1 is 1e[+]300; it must be a time"),
    "huge integer": ("a.json", f'[{{"start": 1{"0" * 400}, "title": "a"}}]', ":1: "),
    "not a number": ("a.json", '[{"start": NaN, "title": "a"}]', "not valid JSON"),
    "empty list": ("a.json", "[]", "contains no chapter"),
    "past the end": ("a.json", {"duration": 40, "chapters": ENTRIES}, "the last chapter starts at 00:12:12.000, but the recording ends at 00:00:40.000"),
    "order": ("a.csv", "start,title\n0,a\n9,b\n5,c\n", ":4: chapter 3 starts at 00:00:05.000, before chapter 2 at 00:00:09.000"),
    "twice": ("a.csv", "start,title\n0,a\n9,b\n9,c\n", ":4: several chapters start at 00:00:09.000"),
    "late": ("a.csv", "start,title\n12,a\n19,b\n", ":2: the first chapter starts at 00:00:12.000; add one at 0:00"),
    "one of many": ("a.json", {"v1": {"duration": 9, "chapters": {"0:00": "a"}}, "v2": {"duration": 9, "chapters": {"0:07": "a"}}}, "'v2': the first chapter starts at 00:00:07.000"),
    "base": ("a.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0\nSTART=0\nEND=9\n", ":2: TIMEBASE is '1/0'; write a fraction"),
    "entities": ("a.xml", '<?xml version="1.0"?>\n<!DOCTYPE Chapters [<!ENTITY a "b">]>\n<Chapters>&a;</Chapters>', ":2: declares a document type or entities"),
    "two lists": ("a.psc", '<rss><chapters/><chapters/></rss>', "contains 2 lists of chapters"),
    "rational": ("a.fcpxml", CUT.replace("7200/2s", "7200/0s"), "offset is '7200/0s'; it must be a time such as"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path: Path, fault: str) -> None:
    name, content, words = FAULTS[fault]
    path = write(tmp_path, name, content)
    with pytest.raises(FormatError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
