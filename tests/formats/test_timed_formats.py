# SPDX-License-Identifier: Apache-2.0
"""Timed formats, on hand-written files in the published layouts."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from caesura.batches.pairs import pair
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraWarning, FormatError
from caesura.formats import detect, load, save
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parent / "samples"


def only(path: Path, chosen: str | None = None) -> Document:
    (document,) = load(path, chosen)
    return document


def write(folder: Path, content: str, name: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def ms(n_units: int, *boundaries: int) -> Segmentation:
    return Segmentation(n_units, boundaries, unit="ms")


def test_webvtt_chapters() -> None:
    document = only(SAMPLES / "show.chapters.vtt")
    assert document.segmentation == ms(1_800_000, 90_000, 725_500)
    assert document.extra == {"segment_titles": ["Welcome", "The first question", "Listeners & letters"]}
    assert not document.open_ended


def test_webvtt_chapters_are_known_by_their_cues() -> None:
    assert only(SAMPLES / "talk_navigation.vtt").segmentation == ms(213_000, 10_700, 47_600, 110_100)


def test_webvtt_chapters_are_known_by_the_name(tmp_path: Path) -> None:
    text = "WEBVTT\n\n00:00.000 --> 00:02.000\nA rather long title, in truth\n\n00:02.000 --> 00:04.000\nAnother\n"
    assert only(write(tmp_path, text, "my-chapters.vtt")).segmentation == ms(4000, 2000)
    assert only(write(tmp_path, text, "talk.vtt")).segmentation is None
    assert only(tmp_path / "talk.vtt", "webvtt(kind='chapters')").segmentation == ms(4000, 2000)


def test_webvtt_titles_may_be_identifiers(tmp_path: Path) -> None:
    text = "WEBVTT\n\nOne\n00:00.000 --> 00:20.000\n\nTwo\n00:20.000 --> 01:40.000\n\n"
    assert only(write(tmp_path, text, "x.vtt")).extra["segment_titles"] == ["One", "Two"]


def test_webvtt_cues_and_voices() -> None:
    document = only(SAMPLES / "transcript.vtt")
    assert document.unit == "cue"
    assert document.units is not None
    assert document.units[0] == "Good evening, and welcome\nto the programme."
    assert document.units[1:] == ("Thank you for having me.", "Is 3 < 4 & 4 > 3?", "It is.")
    assert document.speakers == ("Ada Lovelace", "Charles", "Ada Lovelace", "Charles")
    assert document.unit_times == ((0, 4.25), (4.25, 7), (7.5, 12), (3612, 3615))
    assert document.segmentation is None


def test_webvtt_cues_with_chapter_marks(tmp_path: Path) -> None:
    timed = only(SAMPLES / "marked.vtt")
    assert timed.segmentation == ms(14_000, 9_500)
    assert timed.open_ended
    assert timed.extra["segment_titles"] == ["Weather", "Sport"]
    cues = only(SAMPLES / "marked.vtt", "webvtt(kind='cues')")
    assert cues.segmentation == Segmentation(3, (2,), unit="cue")
    assert cues.extra["segment_titles"] == ["Weather", "Sport"]
    text = "WEBVTT\n\n00:00.000 --> 00:01.000\nBefore\n\nNOTE Topic - First\n\n00:01.000 --> 00:02.000\nAfter\n"
    late = only(write(tmp_path, text, "late.vtt"), "webvtt(kind='cues')")
    assert (late.segmentation, late.extra["segment_titles"]) == (Segmentation(2, (1,), unit="cue"), ["", "First"])


def test_webvtt_writes_chapters_and_what_markup_means(tmp_path: Path) -> None:
    document = only(SAMPLES / "show.chapters.vtt")
    save(Corpus([document], ids_are_given=False), tmp_path / "any.vtt")
    assert only(tmp_path / "any.vtt") == Document(**{**vars(document), "id": "any"})
    cues = only(SAMPLES / "transcript.vtt")
    save(Corpus([cues], ids_are_given=False), tmp_path / "cues.vtt")
    assert only(tmp_path / "cues.vtt").units == cues.units


def test_webvtt_counts_cues_it_cannot_read(tmp_path: Path) -> None:
    text = "WEBVTT\n\n00:00.000 --> 00:01.000\nfine and quick to say\n\n00:01 --> 00:02\nno fraction\n"
    path = write(tmp_path, text, "a.vtt")
    with pytest.warns(CaesuraWarning, match="1 cue with invalid times ignored"):
        load(path)
    with pytest.raises(FormatError, match="1 cue with invalid times ignored"):
        load(path, strict=True)


def test_srt() -> None:
    document = only(SAMPLES / "talk.srt")
    assert document.units == ("Good morning.", "Good morning\nto you {laughs}.", "Nobody knows who says this.")
    assert document.speakers == ("SPEAKER_00", "SPEAKER_01", "")
    assert document.unit_times == ((0, 2.5), (2.5, 6), (6.25, 9))
    assert document.segmentation is None


def test_textgrid() -> None:
    document = only(SAMPLES / "lecture.TextGrid")
    assert document.segmentation == ms(120_500, 31_000, 90_000)
    assert document.extra["segment_titles"] == ['the "old" theory', "the experiment", "questions"]
    assert only(SAMPLES / "lecture.TextGrid", "textgrid(tier='words')").segmentation == ms(120_500, 60_000)
    with pytest.raises(FormatError, match="has no tier 'topic'; choose from 'words', 'topics'"):
        load(SAMPLES / "lecture.TextGrid", "textgrid(tier='topic')")


def test_textgrid_points_are_boundaries() -> None:
    assert only(SAMPLES / "short.TextGrid").segmentation == ms(10_000, 2_500, 7_000)


def test_textgrid_in_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes((SAMPLES / "lecture.TextGrid").read_text().encode("utf-16"))
    assert only(path).segmentation == ms(120_500, 31_000, 90_000)


def test_a_tier_must_be_chosen(tmp_path: Path) -> None:
    text = (SAMPLES / "lecture.TextGrid").read_text().replace('name = "topics"', 'name = "themes"')
    with pytest.raises(FormatError, match=r"has the tiers 'words', 'themes'; choose one with tier='…'"):
        load(write(tmp_path, text, "a.TextGrid"))


def test_elan() -> None:
    document = only(SAMPLES / "meeting.eaf")
    assert document.segmentation == ms(180_000, 45_000, 100_250)
    assert document.extra["segment_titles"] == ["minutes", "budget", "any other business"]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE a [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>',
        '<!doctype ANNOTATION_DOCUMENT SYSTEM "http://example.com/x.dtd">',
    ],
)
def test_elan_refuses_entities(tmp_path: Path, declaration: str) -> None:
    head, _, body = (SAMPLES / "meeting.eaf").read_text().partition("\n")
    with pytest.raises(FormatError, match="declares a document type or entities, which ELAN files do not need"):
        load(write(tmp_path, f"{head}\n{declaration}\n{body}", "a.eaf"))


def test_elan_refuses_other_encodings(tmp_path: Path) -> None:
    text = (SAMPLES / "meeting.eaf").read_text().replace('encoding="UTF-8"', 'encoding="cp037"')
    with pytest.raises(FormatError, match="is declared to be in 'cp037'; save it as UTF-8"):
        load(write(tmp_path, text, "a.eaf"))


def test_elan_without_times(tmp_path: Path) -> None:
    text = (SAMPLES / "meeting.eaf").read_text().replace('"ts3" TIME_VALUE="45000"', '"ts3"')
    with pytest.raises(FormatError, match="an annotation of tier 'Topics' has no time"):
        load(write(tmp_path, text, "a.eaf"))


def test_rttm() -> None:
    corpus = load(SAMPLES / "news.rttm")
    assert corpus.ids == ["news01", "news02"]
    assert corpus.ids_are_given
    # 12.5 s is another turn of the same speaker; 36.9 s begins before the turn before it ends.
    assert corpus["news01"].segmentation == ms(47_000, 17_000, 36_900)
    assert corpus["news02"].segmentation == ms(10_000)


def test_whisperx() -> None:
    document = only(SAMPLES / "whisperx.json")
    assert document.units == ("Good evening.", "Thank you.")
    assert document.speakers == ("SPEAKER_00", "")
    assert document.unit_times == ((0.5, 3.1), (3.2, 6.0))
    assert document.segmentation is None


def test_whisperx_with_topics() -> None:
    document = only(SAMPLES / "whisperx_topics.json")
    assert document.segmentation == ms(1_800_000, 91_000, 726_000)
    assert document.open_ended
    cues = only(SAMPLES / "whisperx_topics.json", "whisperx(kind='cues')")
    assert cues.segmentation == Segmentation(4, (1, 3), unit="cue")
    assert cues.extra["segment_titles"] == ["Welcome", "Questions", "Letters"]


def test_youtube() -> None:
    document = only(SAMPLES / "youtube.txt")
    assert document.segmentation == ms(3_723_001, 94_000, 720_000, 3_723_000)
    assert document.open_ended
    assert document.extra["segment_titles"] == ["Intro", "The guest", "Letters", "The end"]


def test_youtube_lists_inside_a_description(tmp_path: Path) -> None:
    text = (
        "A talk with a guest.\nRecorded in spring.\nThank you all!\nChapters:\n- 00:00 Intro\n• (01:34) The guest\n"
        "3. 12:00 Letters\nFollow us\nSubscribe\nTwo more lines\nof words\n"
    )
    with pytest.warns(CaesuraWarning, match="8 lines without a time ignored"):
        document = only(write(tmp_path, text, "description.txt"))
    assert document.segmentation == ms(720_001, 94_000, 720_000)
    assert document.extra["segment_titles"] == ["Intro", "The guest", "Letters"]
    two = only(write(tmp_path, "We met at noon.\n0:00 was midnight.\nSo it was.\nWe left.\n", "two.txt"))
    assert two.unit == "sentence"


def test_times_in_prose_are_chapters_only_if_they_rise(tmp_path: Path) -> None:
    times = ["0:00", "0:47", "1:05", "2:31", "9:58", "12:10", "31:07", "59:59", "1:00:01", "2:03:04"]
    prose = "\n".join(f"Line {number} of a text." for number in range(20))

    def listed(order: list[str]) -> Path:
        entries = "\n".join(f"{time} Part {number}" for number, time in enumerate(order))
        return write(tmp_path, f"{prose}\n{entries}\n", "a.txt")

    assert detect(listed(times)).name() == "youtube"
    for order in ([*times[:3], times[4], times[3], *times[5:]], [*times, times[-1]], times[1:]):
        assert detect(listed(order)).name() == "text"


def test_podcast() -> None:
    path = SAMPLES / "podcast.json"
    with pytest.warns(CaesuraWarning, match=r'podcast\.json: 1 entry with "toc": false ignored'):
        document = only(path)
    assert document.segmentation == ms(1_800_000, 94_000, 720_250)
    assert document.extra["segment_titles"] == ["Intro", "The guest", "Letters"]
    assert not document.open_ended
    assert only(path, "podcast(hidden=True)").segmentation == ms(1_800_000, 94_000, 168_500, 720_250)
    with pytest.raises(FormatError, match='"toc": false'):
        load(path, strict=True)


def test_podcast_without_an_end(tmp_path: Path) -> None:
    path = write(
        tmp_path, '{"version": "1.2.0", "chapters": [{"startTime": 0}, {"startTime": 60.5, "title": "b"}]}', "a.json"
    )
    document = only(path)
    assert (document.segmentation, document.open_ended) == (ms(60_501, 60_500), True)


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("reference", ["show.chapters.vtt", "whisperx_topics.json", "podcast.json", "marked.vtt"])
@pytest.mark.parametrize("hypothesis", ["podcast.json", "whisperx_topics.json"])
def test_media_files_can_be_compared(reference: str, hypothesis: str) -> None:
    made = pair(load(SAMPLES / reference), load(SAMPLES / hypothesis))
    assert made.pairs.unit == "ms"
    assert made.pairs.n_units.tolist() == [1_800_000]


def test_holes_overlaps_and_common_starts_are_said(tmp_path: Path) -> None:
    text = '{"chapters": [{"startTime": 0, "endTime": 9}, {"startTime": 20, "endTime": 40}, {"startTime": 30, "endTime": 60}]}'
    path = write(tmp_path, text, "a.json")
    with pytest.warns(CaesuraWarning) as caught:
        document = only(path)
    assert document.segmentation == ms(60_000, 20_000, 30_000)
    assert [str(w.message).removeprefix(f"{path}: ") for w in caught] == [
        "a hole between chapters, of 11 s; a hole belongs to the chapter before it (before the first chapter, to the first)",
        "an overlap between chapters, of 10 s; a chapter ends where the next one starts",
    ]
    with pytest.raises(FormatError, match="a hole between chapters"):
        load(path, strict=True)
    path = write(tmp_path, '{"chapters": [{"startTime": 0}, {"startTime": 9}, {"startTime": 9}]}', "b.json")
    with pytest.raises(FormatError, match=r"several chapters start at 00:00:09.000; give each a time of its own"):
        load(path)


FAULTS = {
    "vtt head": ("a.vtt", "00:00.000 --> 00:01.000\nx\n", ":1: does not begin with WEBVTT"),
    "vtt none": ("a.vtt", "WEBVTT\n\n", "contains no cue; a cue has a line such as"),
    "vtt back": (
        "a.vtt",
        "WEBVTT\n\n00:05.000 --> 00:01.000\nwhat a surprise this is\n",
        "cue 1 ends at 00:00:01.000, before it starts",
    ),
    "srt none": ("a.srt", "hello\n", "contains no cue; a cue has a line such as"),
    "textgrid": ("a.TextGrid", "hello\n", ':1: is not a TextGrid: its first line must be File type = "ooTextFile"'),
    "textgrid cut": (
        "a.TextGrid",
        'File type = "ooTextFile"\nObject class = "TextGrid"\n',
        ":2: ends before xmin; the file is truncated, save it again from Praat",
    ),
    "elan": ("a.eaf", "<a/>", "is not an ELAN file: it has no ANNOTATION_DOCUMENT"),
    "elan cut": ("a.eaf", "<ANNOTATION_DOCUMENT", ":1: the XML is truncated; export the file again"),
    "rttm none": ("a.rttm", ";; nothing\n", "contains no SPEAKER line"),
    "rttm fields": (
        "a.rttm",
        "SPEAKER a 1 0.0 1.0\n",
        ":1: a SPEAKER line needs at least 8 fields, but this one has 5",
    ),
    "rttm number": ("a.rttm", "SPEAKER a 1 x 1.0 <NA> <NA> s <NA> <NA>\n", ":1: onset and duration are 'x' and '1.0'"),
    "rttm negative": (
        "a.rttm",
        "SPEAKER a 1 -1 1.0 <NA> <NA> s <NA> <NA>\n",
        ":1: the onset is -1.0; it must be a time",
    ),
    "rttm nan": ("a.rttm", "SPEAKER a 1 nan 1.0 <NA> <NA> s <NA> <NA>\n", ":1: the onset is nan; it must be a time"),
    "whisperx none": ("a.json", '{"segments": []}', "contains no cue"),
    "whisperx start": ("a.json", '{"segments": [{"end": 1}]}', "start"),
    "whisperx type": ("a.json", '{"segments": [{"start": "0", "end": 1}]}', "start is a string; it must be a number"),
    "whisperx topic": (
        "a.json",
        '{"segments": [{"start": 0, "end": 1, "topic": 1}, {"start": 1, "end": 2}]}',
        "segment 2 has no 'topic'",
    ),
    "youtube start": ("a.chapters", "0:10 A\n", ":1: the first chapter starts at 00:00:10.000; add one at 0:00"),
    "youtube order": (
        "a.chapters",
        "0:00 A\n2:00 B\n1:00 C\n",
        ":3: chapter 3 starts at 00:01:00.000, before chapter 2 at 00:02:00.000",
    ),
    "youtube clock": (
        "a.chapters",
        "0:00 A\n1:75 B\n",
        ":2: the time of a chapter is '1:75'; write seconds, or a time",
    ),
    "youtube none": ("a.chapters", "hello\n", "contains no chapter: no time such as 02:15 was found"),
    "podcast none": ("a.json", '{"chapters": []}', "contains no chapter"),
    "podcast order": (
        "a.json",
        '{"chapters": [{"startTime": 5}, {"startTime": 1}]}',
        "chapter 2 starts at 00:00:01.000, before chapter 1",
    ),
    "podcast end": (
        "a.json",
        '{"chapters": [{"startTime": 0}, {"startTime": 5, "endTime": 5}]}',
        "but the recording ends at",
    ),
    "podcast negative": (
        "a.json",
        '{"chapters": [{"startTime": -5}]}',
        "startTime of chapter 1 is -5.0; it must be a time",
    ),
    "podcast huge": (
        "a.json",
        '{"chapters": [{"startTime": 1e300}]}',
        "startTime of chapter 1 is 1e[+]300; it must be a time",
    ),
    "podcast text": (
        "a.json",
        '{"chapters": [{"startTime": "half"}]}',
        "startTime of chapter 1 is 'half'; write seconds, or a time such as 2:15",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tmp_path: Path, fault: str) -> None:
    name, content, words = FAULTS[fault]
    with pytest.raises(FormatError, match=words) as caught:
        load(write(tmp_path, content, name))
    assert str(caught.value).startswith(str(tmp_path / name))


def test_what_cannot_be_written(tmp_path: Path) -> None:
    chapters = Document(id="d", n_units=2501, segmentation=ms(2501, 2500), unit="ms", open_ended=True)
    for name in ("webvtt", "textgrid", "elan", "rttm"):
        with pytest.raises(FormatError, match="the end of the recording is unknown, but this format requires it"):
            save(Corpus([chapters], ids_are_given=False), tmp_path / "a.out", name)
    with pytest.raises(FormatError, match=r"a boundary lies at 2\.5 s, but YouTube reads whole seconds only"):
        save(Corpus([chapters], ids_are_given=False), tmp_path / "a.out", "youtube")
    plain = Document(id="d", n_units=2, units=("a", "b"), segmentation=Segmentation(2))
    for name in ("webvtt", "srt", "whisperx"):
        with pytest.raises(FormatError, match=f"has no times of its units, which the format {name} requires"):
            save(Corpus([plain], ids_are_given=False), tmp_path / "a.out", name)
    spaced = Document(id="a b", n_units=2, segmentation=ms(2), unit="ms")
    with pytest.raises(FormatError, match="the id 'a b' contains spaces, which RTTM cannot hold"):
        save(Corpus([spaced]), tmp_path / "a.rttm")
    assert list(tmp_path.iterdir()) == []


def test_equal_neighbouring_topics_stay_apart(tmp_path: Path) -> None:
    document = Document(
        id="d",
        n_units=2,
        unit="cue",
        segmentation=Segmentation(2, (1,), unit="cue"),
        units=("a", "b"),
        unit_times=((0, 1), (1, 2)),
        extra={"segment_titles": ["same", "same"]},
    )
    save(Corpus([document], ids_are_given=False), tmp_path / "a.json", "whisperx")
    assert only(tmp_path / "a.json", "whisperx(kind='cues')").segmentation == document.segmentation


# ---------------------------------------------------------------------- a tier per annotator


def tiers(folder: Path, **starts: list[int]) -> Path:
    """Return an ELAN file of 100 s in which each tier has annotations from each start to the next; ``by_`` names who made it."""
    slots = sorted({0, 100_000, *(1000 * start for ones in starts.values() for start in ones)})
    order = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{time}"/>' for n, time in enumerate(slots))
    body = ""
    for number, (name, ones) in enumerate(starts.items()):
        tier, _, who = name.partition("_by_")
        pieces = "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{number}{n}" TIME_SLOT_REF1="ts{slots.index(1000 * a)}" '
            f'TIME_SLOT_REF2="ts{slots.index(1000 * b)}"><ANNOTATION_VALUE>t</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>'
            for n, (a, b) in enumerate(itertools.pairwise([*ones, 100]))
        )
        made = f' ANNOTATOR="{who}"' if who else ""
        body += f'<TIER LINGUISTIC_TYPE_REF="d"{made} TIER_ID="{tier}">{pieces}</TIER>'
    kind = '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="d" TIME_ALIGNABLE="true"/>'
    head = (SAMPLES / "meeting.eaf").read_text().partition("    <TIME_ORDER>")[0]
    text = f"{head}<TIME_ORDER>{order}</TIME_ORDER>{body}{kind}</ANNOTATION_DOCUMENT>"
    return write(folder, text, "m.eaf")


def marks(path: Path, spec: str | None = None) -> dict[str, tuple[int, ...]]:
    (document,) = load(path, spec)
    return {who: coding.boundaries for who, coding in document.annotations.items()}


def test_a_tier_per_annotator_is_read_at_once(tmp_path: Path) -> None:
    path = tiers(tmp_path, anna=[0, 30, 60], ben=[0, 40])
    with pytest.warns(CaesuraWarning, match=r"read as annotators: anna, ben \(tiers='annotators'\)"):
        assert marks(path) == {"anna": (30_000, 60_000), "ben": (40_000,)}
    # The attribute names who made a tier, and then one may refine another.
    path = tiers(tmp_path, t1_by_anna=[0, 30, 60], t2_by_ben=[0, 30])
    with pytest.warns(CaesuraWarning, match="read as annotators: anna, ben"):
        assert marks(path) == {"anna": (30_000, 60_000), "ben": (30_000,)}
    assert marks(path, "elan(tiers='annotators')")["ben"] == (30_000,)
    assert only(path, "elan(tier='t2')").segmentation == ms(100_000, 30_000)


def test_tiers_that_may_be_levels_or_speakers_are_asked_about(tmp_path: Path) -> None:
    levels = tiers(tmp_path, part=[0, 30], paragraph=[0, 30, 60])
    message = (
        r"has the tiers 'part' \(2 annotations\), 'paragraph' \(3 annotations\); choose one with tier='part', or read "
        r"each as the segments of an annotator with tiers='annotators'"
    )
    with pytest.raises(FormatError, match=message):
        load(levels)
    assert marks(levels, "elan(tiers='annotators')") == {"part": (30_000,), "paragraph": (30_000, 60_000)}
    speakers = tiers(tmp_path, A=[0, 30], B=[70, 80])
    with pytest.raises(FormatError, match="tiers='annotators'"):
        load(speakers)
    # Some of the tiers, by name.
    path = tiers(tmp_path, anna=[0, 30], words=[90, 95], ben=[0, 40])
    with pytest.raises(FormatError, match="tiers='annotators'"):
        load(path)
    assert marks(path, "elan(tiers='anna+ben')") == {"anna": (30_000,), "ben": (40_000,)}
    with pytest.raises(FormatError, match="has no tier 'eve'; choose from 'anna', 'words', 'ben'"):
        load(path, "elan(tiers='anna+eve')")
