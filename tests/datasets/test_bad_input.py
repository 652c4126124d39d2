# SPDX-License-Identifier: Apache-2.0
"""Folders with files missing, other versions, encodings and line ends, damaged archives: one line that names the file."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from caesura.datasets import DATASETS
from caesura.errors import CaesuraError, FormatError
from tests.datasets.conftest import read

CHOI = "=====\na one\nb two\n=====\nc three\n=====\n"


def refused(name: str, path: Path, **parameters: object) -> str:
    with pytest.raises(CaesuraError) as caught:
        read(name, path, **parameters)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) <= 900
    return message


@pytest.mark.parametrize("cls", list(DATASETS), ids=lambda cls: cls.name())
def test_a_folder_without_the_files(cls, tmp_path: Path) -> None:
    (tmp_path / "README").write_text("nothing")
    message = refused(cls.name(), tmp_path)
    assert str(tmp_path) in message
    assert cls.card.files in message
    assert "no such folder or file" in refused(cls.name(), tmp_path / "absent")


@pytest.mark.parametrize("cls", list(DATASETS), ids=lambda cls: cls.name())
@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\xfe\x00", b"{", b"[]", b"{}", b'[{"a": 1}]', b"x,y\n1,2\n", b"<a", b"\xe9\xe9"]
)
def test_a_file_with_other_content_is_named(cls, content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "1_test.json"
    file.write_bytes(content)
    message = refused(cls.name(), file)
    assert cls.card.files in message or "parameter" in message, message
    assert str(tmp_path) in message


def test_another_version_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps({"meeting_transcripts": [], "topics": []}))
    message = refused("QMSum", tmp_path)
    assert "m.json:1: the value has no 'topic_list'" in message
    assert "QMSum expects files NAME.json" in message


def test_wrong_encoding_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "1.ref").write_bytes("=====\na\ncaf\xe9\n".encode("latin-1"))
    assert "1.ref:3: byte 0xe9 is not UTF-8" in refused("Choi", tmp_path)


def test_archives(tmp_path: Path) -> None:
    folder = tmp_path / "choi"
    folder.mkdir()
    (folder / "1.ref").write_text(CHOI)
    (folder / "._1.ref").write_text("left by a Mac")
    packed = [Path(shutil.make_archive(str(tmp_path / "all"), kind, folder)) for kind in ("zip", "gztar")]
    for archive in packed:
        corpus, _ = read("Choi", archive)
        assert list(corpus.ids) == ["1"]
        archive.write_bytes(archive.read_bytes()[:-40])
        message = refused("Choi", archive)
        assert archive.name in message
        assert "download it again" in message


def test_an_error_in_an_archive_names_both(tmp_path: Path) -> None:
    archive = tmp_path / "choi.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("3/bad.ref", "no delimiter\n")
    message = refused("Choi", archive)
    assert f"{archive}/3/bad.ref" in message
    assert "tmp" not in message.replace(str(tmp_path), "")


@pytest.mark.parametrize("name", ["../out.ref", "/out.ref", "a/../../out.ref", "C:\\out.ref"])
def test_an_archive_writes_nowhere_else(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "bad.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr(name, CHOI)
    assert "lies outside of it" in refused("Choi", archive)


def test_links_in_an_archive_are_not_followed(tmp_path: Path) -> None:
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as made:
        link = tarfile.TarInfo("1.ref")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    assert "holds no file *.ref" in refused("Choi", archive)


def test_an_archive_that_expands_too_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "big.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("1.ref", "a\n" * 200_000)
    monkeypatch.setenv("CAESURA_LIMITS", "0.001")
    assert "the file 1.ref in it is larger than" in refused("Choi", archive)


def test_a_transcript_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "r_anno.json").write_text(json.dumps({"r": {"coarse": [], "fine": []}}))
    assert f"{tmp_path / 'r.json'}: no such file" in refused("TinyRec", tmp_path)


def test_texts_of_another_release(tmp_path: Path) -> None:
    (tmp_path / "ch1.csv").write_text("paragraph,an1\n1,1\n2,1\n3,2\n")
    (tmp_path / "ch1.txt").write_text("One.\n\n\nTwo.\n")
    assert "ch1.txt: has 2 paragraphs, but ch1.csv has 3" in refused("Moonstone", tmp_path)
    (tmp_path / "ch1.txt").unlink()
    corpus, said = read("Moonstone", tmp_path)
    assert corpus["ch1"].units is None
    assert "chapters without a text: ch1" in said


def test_the_first_text_by_name_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ch1.csv").write_text("paragraph,an1\n1,1\n2,2\n")
    for name in ("b", "a", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ch1.txt").write_text(f"One, {name}.\n\n\nTwo, {name}.\n")
    found = Path.rglob
    # A file system may list them in any order.
    for backwards in (False, True):
        monkeypatch.setattr(
            Path, "rglob", lambda path, pattern, back=backwards: sorted(found(path, pattern), reverse=back)
        )
        corpus, _ = read("Moonstone", tmp_path)
        assert corpus["ch1"].units == ("One, a.", "Two, a.")


def test_annotators_of_other_lengths(tmp_path: Path) -> None:
    (tmp_path / "ch2-an1.csv").write_bytes(b"par,level1\r1,0\r2,1\r3,0")
    (tmp_path / "ch2-an2.csv").write_bytes(b"par,level1\r1,0\r2,1")
    message = f"{tmp_path}: the annotators of ch2 have [2, 3] paragraphs; they must have equally many"
    assert message in refused("HAPS", tmp_path)


def test_rows_that_are_missing(tmp_path: Path) -> None:
    (tmp_path / "anno_test_dialogs.tsv").write_text("0\thello\t0\n2\tagain\t1\n")
    assert "anno_test_dialogs.tsv:2: the index is 2; rows are missing" in refused("TIAGE", tmp_path)


def test_utterances_and_masses_disagree(tmp_path: Path) -> None:
    (tmp_path / "dialseg_711.json").write_text(json.dumps([{"dial_id": 1, "utterances": ["a"], "segments": [1, 1]}]))
    with pytest.raises(FormatError, match="dialogue '1': the segments have 2 utterances, but there are 1"):
        read("DialSeg711", tmp_path)


def test_too_few_dialogues_to_join(tmp_path: Path) -> None:
    (tmp_path / "dialogues_text.txt").write_text("a __eou__ b __eou__\nc __eou__ d __eou__\ne __eou__ f __eou__\n")
    (tmp_path / "dialogues_topic.txt").write_text("1\n2\n1\n")
    assert "suffice for 1 document of 3 on different topics, not for 100; set count=1" in refused(
        "DailyDialog", tmp_path
    )
    (tmp_path / "dialogues_topic.txt").write_text("1\n2\n")
    assert "has 3 dialogues, but dialogues_topic.txt has 2 topics" in refused("DailyDialog", tmp_path)
