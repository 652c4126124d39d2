# SPDX-License-Identifier: Apache-2.0
"""Which format a file is in, and directories."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path
from typing import ClassVar

import pytest

import caesura.formats
from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import CaesuraWarning, ComparabilityError, DeclarationError, FormatError, OutputExistsError
from caesura.formats import FORMATS, Format, detect, load, save
from caesura.segmentation import Segmentation


def goes_by(suffix: str, *, writable: bool = False) -> list[str]:
    """Return the formats that a suffix stands for."""
    classes = [cls for cls in FORMATS if suffix in cls.suffixes]
    return [cls.name() for cls in classes if cls.writable or not writable]


SAMPLES = Path(__file__).parent / "samples"
EXPECTED = {
    "sheet.xlsx": "xlsx",
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
    with pytest.raises(FormatError, match=r"system\.txt: could be bits or masses; choose one with --from \(format=\)"):
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


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", ["youtube.txt", "podcast.json", "labels.csv", "whisperx.json", "choi.ref"])
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_files_in_utf_16_are_read(name: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = (SAMPLES / name).read_text(encoding="utf-8")
    path.write_bytes((text if encoding == "utf-16" else "\ufeff" + text).encode(encoding))
    assert list(load(path)) == list(load(SAMPLES / name))


def test_jsonl_in_utf_16_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"id": "a", "masses": [3, 4]}\n'.encode("utf-16"))
    with pytest.raises(FormatError, match=r"a\.jsonl:1: is in UTF-16; save the file as UTF-8"):
        load(path)


def test_nothing_fits(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text("12.5; 0.3 -- 7?\n")
    with pytest.raises(FormatError, match=r"does not look like .*; name its format with --from") as caught:
        load(path)
    assert all(name in str(caught.value) for name in goes_by(".txt"))
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(FormatError, match="is a binary file in an unknown format"):
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


@pytest.mark.parametrize("name", ["gold.json", "gold.jsonl", "gold.json.gz"])
@pytest.mark.parametrize("indent", [None, 1])
def test_own_format_as_one_list(tmp_path: Path, name: str, indent: int | None) -> None:
    path = tmp_path / name
    documents = [{"id": "d1", "units": ["a", "[b]", "c"], "boundaries": [1]}, {"id": "d2", "masses": [2, 1], "mine": 5}]

    def write(content: object) -> None:
        data = json.dumps(content, indent=indent).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)

    write(documents)
    with pytest.warns(CaesuraWarning, match=r"unknown keys \(mine\)"):
        corpus = load(path)
    assert corpus.ids == ["d1", "d2"]
    assert [document.segmentation.boundaries for document in corpus] == [(1,), (2,)]
    assert corpus["d1"].units == ("a", "[b]", "c")
    write([{"masses": [2, 1]}, {"masses": [3]}])
    assert load(path).ids == ["1", "2"]
    write([documents[0], {"id": "d2", "n_units": 3, "boundaries": [7]}])
    line = 1 if indent is None else 13
    with pytest.raises(FormatError, match=rf"{name}:{line}: "):
        load(path)
    write([documents[0], documents[0]])
    with pytest.raises(ComparabilityError, match="document 'd1' appears twice, first on line"):
        load(path)
    whole = json.dumps(documents).encode()[:-9]
    path.write_bytes(gzip.compress(whole) if name.endswith(".gz") else whole)
    with pytest.raises(FormatError, match=name):
        load(path)


def test_directories(tmp_path: Path) -> None:
    for name in ("b.ref", "a.ref"):
        (tmp_path / name).write_bytes((SAMPLES / "choi.ref").read_bytes())
    (tmp_path / ".hidden").write_text("x")
    corpus = load(tmp_path)
    assert corpus.ids == ["a", "b"]
    assert corpus.ids_are_given
    (tmp_path / "c.masses").write_text("1 2\n3\n")
    with pytest.raises(FormatError, match=r"c\.masses: is masses, but 'a\.ref' in the same directory is choi"):
        load(tmp_path)
    (tmp_path / "a.ref").unlink()
    (tmp_path / "b.ref").unlink()
    assert load(tmp_path).ids == ["c/1", "c/2"]
    (tmp_path / "c.masses").unlink()
    with pytest.raises(FormatError, match="the directory holds no file"):
        load(tmp_path)


def test_saving_needs_a_format_and_leave(tmp_path: Path) -> None:
    corpus = Corpus([Document(id="1", n_units=3, segmentation=Segmentation(3, (1,)))], ids_are_given=False)
    with pytest.raises(FormatError, match=r"the suffix '\.txt' is used by .*; choose one with --to") as caught:
        save(corpus, tmp_path / "a.txt")
    assert all(name in str(caught.value) for name in goes_by(".txt", writable=True))
    # A list of chapters or a text: what is written must be said.
    with pytest.raises(
        FormatError, match=r"'\.md' is used by youtube, but also by documents, which is only read; choose"
    ):
        save(corpus, tmp_path / "a.md")
    with pytest.raises(FormatError, match=r"the suffix '\.odt' belongs to none of .*bits, "):
        save(corpus, tmp_path / "a.odt")
    save(corpus, tmp_path / "a.masses")
    with pytest.raises(OutputExistsError, match=r"a\.masses: exists already; write to another file"):
        save(corpus, tmp_path / "a.masses", overwrite=False)
    with pytest.raises(FormatError, match="is a directory"):
        save(corpus, tmp_path, "masses")
    assert (tmp_path / "a.masses").read_text() == "1 2\n"


def test_what_a_format_cannot_hold_is_said(tmp_path: Path) -> None:
    document = Document(id="d1", n_units=2, segmentation=Segmentation(2, (1,)), units=("a", "b"), scores=(0.5,))
    with pytest.warns(CaesuraWarning, match=r"the format masses cannot hold the ids, units, scores; not written"):
        save(Corpus([document]), tmp_path / "a.masses")
    with pytest.raises(FormatError, match="the format choi holds one document per file, but the corpus has 2"):
        save(Corpus([document, Document(id="d2", n_units=2)]), tmp_path / "a.ref")
    with pytest.raises(
        FormatError, match="the format podcast counts 'ms', but the corpus counts 'unit'; project it first"
    ):
        save(Corpus([document]), tmp_path / "a.json", "podcast")


def test_every_file_of_the_folder_is_a_format_of_that_name() -> None:
    folder = Path(caesura.formats.__path__[0])
    assert sorted(FORMATS.names()) == sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))


@pytest.mark.parametrize("name", [name for name in FORMATS.names() if "_" in name])
def test_names_without_underscores_are_refused(name: str) -> None:
    with pytest.raises(DeclarationError, match=f"did you mean {name}"):
        FORMATS.parse(name.replace("_", ""))


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a format on JSON lines as another package would: one class, and nothing else."""
    list(FORMATS)
    monkeypatch.setattr(FORMATS, "_classes", dict(FORMATS._classes))

    @FORMATS.register()
    @dataclasses.dataclass(frozen=True)
    class DialogueTurns(Format):
        card: ClassVar[Card] = Card(title="one turn per line")
        suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)
        writable: ClassVar[bool] = False

        @classmethod
        def sniff(cls, head: bytes, path: Path) -> bool:
            return head.startswith(b'{"turn"')

        def read(self, path: Path, *, strict: bool = False) -> Corpus:
            topics = [json.loads(line)["topic"] for line in path.read_text().splitlines()]
            return Corpus.from_segmentations({"d": Segmentation.from_labels(topics)})


@pytest.mark.usefixtures("turns")
def test_a_new_format_on_json_lines_is_one_class(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"turn": "Hi.", "topic": topic}) + "\n" for topic in "aabbb"))
    assert detect(path).name() == "dialogue_turns"
    assert load(path)["d"].segmentation == Segmentation(5, (2,))
    path.write_text('{"id": "d1", "masses": [6, 3, 4]}\n')
    assert detect(path).name() == "jsonl"
    path.write_text('{"id": 1, "text": "One.", "label": []}\n')
    assert detect(path).name() == "doccano"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.jsonl", '{"id": "d1", "masses": [6, 3, 4]}\n'),
        ("doccano.jsonl", '{"id": 1, "text": "One.", "label": [[0, 4, "topic"]]}\n'),
        ("chunks.json", '{"id": "d1", "chunks": ["One.", "Two."]}\n'),
        ("plain.txt", "6 3 4\n"),
    ],
)
def test_detection_reads_a_file_once(name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_text(content)
    openings: list[Path] = []
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest, **more: (openings.append(self), real(self, *rest, **more))[1])
    detect(path)
    assert openings == [path]


MEETING = "\n".join('A turn of a meeting, with "words": {quoted} and [bracketed].' for _ in range(2000))
"""More text than detection looks at first."""


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("a.jsonl", {"id": 1, "text": MEETING, "label": [[0, 9, "topic"]]}, "doccano"),
        ("a.jsonl", {"id": 1, "text": MEETING, "Comments": [], "labels": [], "username": "ann"}, "doccano"),
        ("a.jsonl", {"text": MEETING, "doc_id": "d"}, "chunks"),
        ("a.jsonl", {"content": MEETING, "start_index": 0, "document_id": "d"}, "chunks"),
        ("a.jsonl", {"page_content": MEETING, "metadata": {"source": "d"}}, "chunks"),
        ("a.jsonl", {"id": "d", "text": MEETING, "chunks": [MEETING]}, "chunks"),
        ("a.jsonl", {"id": "d", "note": MEETING, "masses": [2, 3]}, "jsonl"),
        ("a.jsonl", {"id": "d", "note": MEETING, "labels": ["a", "b"]}, "jsonl"),
        ("a.json", [{"data": {"text": MEETING}, "annotations": [{"completed_by": 1, "result": []}]}], "label_studio"),
        ("a.json", [{"text": MEETING, "id": 1, "label": [], "annotator": 1, "annotation_id": 3}], "label_studio"),
        ("a.json", [{"text": MEETING, "start_index": 1}], "chunks"),
        ("a.json", {"title": MEETING, "version": "1.2.0", "chapters": []}, "podcast"),
    ],
)
def test_keys_behind_a_long_text_tell_the_format(tmp_path: Path, name: str, content: object, wanted: str) -> None:
    path = tmp_path / name
    for indent in (None, 1) if name == "a.json" else (None,):
        path.write_text(json.dumps(content, indent=indent))
        assert path.stat().st_size > 1 << 16
        assert detect(path).name() == wanted


def test_long_chunks_of_one_document_on_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(2 * (json.dumps({"id": "d", "text": MEETING}) + "\n"))
    assert detect(path).name() == "chunks"


def test_a_meeting_in_doccano_is_read_as_it_is(tmp_path: Path) -> None:
    half = MEETING.find("\n", len(MEETING) // 2)
    record = {"id": 7, "text": MEETING, "label": [[0, half, "a"], [half + 1, len(MEETING), "b"]]}
    path = tmp_path / "ann.jsonl"
    path.write_text(json.dumps(record))
    (document,) = load(path)
    assert document.annotations["ann"].masses == (1000, 1000)
