# SPDX-License-Identifier: Apache-2.0
"""Which format a file is in, and directories."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraWarning, DeclarationError, FormatError, OutputExistsError
from caesura.formats import FORMATS, detect, load, save
from caesura.segmentation import Segmentation

SAMPLES = Path(__file__).parent / "samples"
EXPECTED = {
    "choi.ref": "choi",
    "labels.csv": "labels",
    "lecture.TextGrid": "textgrid",
    "marked.vtt": "webvtt",
    "meeting.eaf": "elan",
    "news.rttm": "rttm",
    "podcast.json": "podcast",
    "short.TextGrid": "textgrid",
    "show.chapters.vtt": "webvtt",
    "stargazer.json": "segeval",
    "system.bits": "bits",
    "system.masses": "masses",
    "talk.srt": "srt",
    "talk_navigation.vtt": "webvtt",
    "transcript.vtt": "webvtt",
    "whisperx.json": "whisperx",
    "whisperx_topics.json": "whisperx",
    "youtube.txt": "youtube",
}


def test_every_sample_has_a_name() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in SAMPLES.iterdir() if path.is_file())


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_are_detected(name: str) -> None:
    assert detect(SAMPLES / name).name() == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_samples_are_detected_without_their_suffix(name: str, tmp_path: Path) -> None:
    path = tmp_path / "nameless"
    path.write_bytes((SAMPLES / name).read_bytes())
    assert detect(path).name() == EXPECTED[name]


def test_ambiguity_names_the_candidates(tmp_path: Path) -> None:
    path = tmp_path / "system.txt"
    path.write_text("10\n11\n")
    with pytest.raises(
        FormatError, match=r"system\.txt: could be bits or masses; say which with --from \(format=\)"
    ):
        detect(path)
    assert load(path, "masses").flat.n_units.tolist() == [10, 11]
    assert load(path, "bits").flat.n_units.tolist() == [3, 3]


def test_text_files_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content, name in (
        ("6 3 4\n2 2\n", "masses"),
        ("000100\n10\n", "bits"),
        ("0 1 0\n", "bits"),
        ("0:00 A\n0:30 B\n", "youtube"),
        ("==========\nIt was the best of times.\n==========\n", "choi"),
        ("It was the best of times.\n", "text"),
    ):
        path.write_text(content)
        assert detect(path).name() == name


def test_nothing_fits(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("12.5; 0.3 -- 7?\n")
    with pytest.raises(
        FormatError,
        match=r"looks like none of the formats bits, choi, masses, text or youtube; say which it is with --from",
    ):
        load(path)
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(FormatError, match="is a binary file in no known format"):
        load(path)
    path = tmp_path / "none.json"
    path.write_text(" \n")
    with pytest.raises(FormatError, match="the file is empty; it holds no document"):
        load(path)


def test_unknown_formats_and_options() -> None:
    path = SAMPLES / "system.bits"
    with pytest.raises(DeclarationError, match="'bitz' is not a format; did you mean bits"):
        load(path, "bitz")
    with pytest.raises(DeclarationError, match="bits: unknown parameter 'mark'; did you mean marks"):
        load(path, "bits(mark='last')")
    with pytest.raises(DeclarationError, match="must be one of 'gap', 'first', 'last', 'last_closed'"):
        load(path, "bits(marks='end')")


def test_own_format_in_a_json_file(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    path.write_text('{"id": "d1", "masses": [6, 3, 4]}\n{"id": "d2", "masses": [1]}\n')
    assert load(path).ids == ["d1", "d2"]


def test_directories(tmp_path: Path) -> None:
    for name in ("b.ref", "a.ref"):
        (tmp_path / name).write_bytes((SAMPLES / "choi.ref").read_bytes())
    (tmp_path / ".hidden").write_text("x")
    corpus = load(tmp_path)
    assert corpus.ids == ["a", "b"]
    assert corpus.ids_are_given
    (tmp_path / "c.masses").write_text("1 2\n3\n")
    with pytest.raises(
        FormatError, match=r"c\.masses: is masses, but 'a\.ref' of the same directory is choi"
    ):
        load(tmp_path)
    (tmp_path / "a.ref").unlink()
    (tmp_path / "b.ref").unlink()
    assert load(tmp_path).ids == ["c/1", "c/2"]
    (tmp_path / "c.masses").unlink()
    with pytest.raises(FormatError, match="the directory holds no file"):
        load(tmp_path)


def test_saving_needs_a_format_and_leave(tmp_path: Path) -> None:
    corpus = Corpus([Document(id="1", n_units=3, segmentation=Segmentation(3, (1,)))], ids_are_given=False)
    with pytest.raises(
        FormatError, match=r"the suffix '\.txt' stands for bits, choi, masses or youtube; say which with --to"
    ):
        save(corpus, tmp_path / "a.txt")
    with pytest.raises(FormatError, match=r"the suffix '\.odt' stands for none of the formats bits, "):
        save(corpus, tmp_path / "a.odt")
    save(corpus, tmp_path / "a.masses")
    with pytest.raises(OutputExistsError, match=r"a\.masses: exists already; choose another name"):
        save(corpus, tmp_path / "a.masses", overwrite=False)
    with pytest.raises(FormatError, match="is a directory"):
        save(corpus, tmp_path, "masses")
    assert (tmp_path / "a.masses").read_text() == "1 2\n"


def test_what_a_format_cannot_hold_is_said(tmp_path: Path) -> None:
    document = Document(
        id="d1", n_units=2, segmentation=Segmentation(2, (1,)), units=("a", "b"), scores=(0.5,)
    )
    with pytest.warns(
        CaesuraWarning,
        match=r"the format masses cannot hold the ids, units, scores of the documents; left out",
    ):
        save(Corpus([document]), tmp_path / "a.masses")
    with pytest.raises(FormatError, match="the format choi holds one document a file, the corpus has 2"):
        save(Corpus([document, Document(id="d2", n_units=2)]), tmp_path / "a.ref")
    with pytest.raises(
        FormatError, match="the format podcast counts the unit 'ms', the corpus 'unit'; project it first"
    ):
        save(Corpus([document]), tmp_path / "a.json", "podcast")


def test_names_of_all_formats() -> None:
    assert {"bits", "choi", "elan", "jsonl", "labels", "masses", "podcast"} <= set(FORMATS.names())
    assert {"rttm", "segeval", "srt", "textgrid", "webvtt", "whisperx", "youtube"} <= set(FORMATS.names())
