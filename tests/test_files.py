# SPDX-License-Identifier: Apache-2.0
"""File names, hashes, and output that is written whole or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from caesura.errors import FormatError, OutputExistsError
from caesura.files import check_output, file_hash, stem, suffix, write_atomically, write_together, writing


@pytest.mark.parametrize(
    ("path", "name", "ending"),
    [
        ("a.jsonl", "a", ".jsonl"),
        ("runs/A.JSONL.GZ", "A", ".jsonl"),
        ("show.chapters.vtt.zst", "show.chapters", ".vtt"),
        ("plain", "plain", ""),
        (".gz", ".gz", ""),
    ],
)
def test_stem_and_suffix(path: str, name: str, ending: str) -> None:
    assert (stem(path), suffix(path)) == (name, ending)
    assert (stem(Path(path)), suffix(Path(path))) == (name, ending)


def test_hash(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert file_hash(path) == hashlib.sha256(b"abc").hexdigest()
    with pytest.raises(FormatError, match=r"b: cannot be read \(No such file or directory\)"):
        file_hash(tmp_path / "b")


def test_an_existing_output_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    check_output(path)
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputExistsError, match="a: exists already; write to another file, or overwrite it"):
        check_output(path)
    check_output(path, overwrite=True)


def test_files_are_written_together(tmp_path: Path) -> None:
    write_together({tmp_path / "a": b"1", str(tmp_path / "b"): b"2"})
    assert sorted((path.name, path.read_bytes()) for path in tmp_path.iterdir()) == [("a", b"1"), ("b", b"2")]
    with pytest.raises(
        FormatError, match=r"c: cannot be written \(No such file or directory\); check the folder"
    ):
        write_together({tmp_path / "a": b"3", tmp_path / "missing" / "c": b"4"})
    assert (tmp_path / "a").read_bytes() == b"1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_file_is_as_readable_as_any_other(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"1")
    (tmp_path / "b").write_bytes(b"2")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), writing(path) as stream:
        stream.writelines([b"new", "not bytes"])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    with writing(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new"
