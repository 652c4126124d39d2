# SPDX-License-Identifier: Apache-2.0
"""File names, hashes, and output that is written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from caesura.errors import FormatError, OutputExistsError
from caesura.files import (
    check_output,
    file_hash,
    read_with_hash,
    stem,
    suffix,
    write_atomically,
    write_together,
    writing,
)


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
    written: list[bytes] = []
    write_together(
        {
            tmp_path / "a": lambda stream: written.append(b"1") or stream.write(b"1"),
            tmp_path / "b": lambda stream: stream.write(b"2" * len(written)),
        }
    )
    assert sorted((path.name, path.read_bytes()) for path in tmp_path.iterdir()) == [("a", b"1"), ("b", b"2")]
    with pytest.raises(FormatError, match=r"c: cannot be written \(No such file or directory\); check the folder"):
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


def special_files(folder: Path) -> dict[str, Path]:
    """Make one of each thing that is not a file."""
    (folder / "directory").mkdir()
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    found = {"directory": folder / "directory", "pipe": folder / "pipe", "socket": folder / "socket"}
    try:
        os.mknod(folder / "device", 0o20666, os.makedev(1, 3))  # a second /dev/null, which may be lost
        found["device"] = folder / "device"
    except OSError:  # only root may
        found["device"] = Path("/dev/null")
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="these are files of POSIX")
def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    for kind, path in special_files(tmp_path).items():
        link = tmp_path / f"to_{kind}"
        link.symlink_to(path)
        before = path.lstat()
        for name in (path, link):
            for write in (
                lambda name=name: check_output(name, overwrite=True),
                lambda name=name: write_atomically(name, b"1"),
                lambda name=name: writing(name).__enter__(),
            ):
                with pytest.raises(FormatError, match=f"{name.name}: is a {kind}; outputs replace regular"):
                    write()
        assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_is_followed_and_kept(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "a", tmp_path / "link"
    link.symlink_to(target)
    write_atomically(link, b"1")  # nothing was there yet
    write_atomically(link, b"2")
    assert link.is_symlink()
    assert target.read_bytes() == b"2"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "far", "link"]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(FormatError, match="loop: cannot be written"):
        write_atomically(loop, b"1")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "private"
    path.write_bytes(b"1")
    path.chmod(0o600)
    write_atomically(path, b"2")
    assert path.stat().st_mode & 0o777 == 0o600


WAITS = """
import sys, time
from caesura.files import writing
with writing(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("open", flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no locks of this kind there")
def test_what_killed_runs_left_is_swept(tmp_path: Path) -> None:
    """Only ours, only if nobody holds it: not that of a run that still writes, nor a file of another name."""
    foreign = tmp_path / ".caesura-notes.tmp"
    foreign.write_text("mine")
    (tmp_path / ".caesura-0123456789abcdef.tmp").symlink_to(foreign)
    runs = [
        subprocess.Popen([sys.executable, "-c", WAITS, str(tmp_path / name)], stdout=subprocess.PIPE)
        for name in ("killed", "alive")
    ]
    for run in runs:
        assert run.stdout is not None
        run.stdout.readline()
    runs[0].kill()
    runs[0].communicate()
    assert len(list(tmp_path.glob(".caesura-*"))) == 4
    write_atomically(tmp_path / "next", b"1")
    left = sorted(path.name for path in tmp_path.glob(".caesura-*"))
    assert len(left) == 3
    assert {foreign.name, ".caesura-0123456789abcdef.tmp"} < set(left)
    runs[1].kill()
    runs[1].communicate()
    write_atomically(tmp_path / "next", b"2")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".caesura-0123456789abcdef.tmp",
        ".caesura-notes.tmp",
        "next",
    ]
    assert foreign.read_text() == "mine"


def test_the_hash_is_that_of_what_was_read(tmp_path: Path) -> None:
    """A file renamed into place while it is read gave the hash of another file than the one that was read."""
    file, new = tmp_path / "gold.jsonl", tmp_path / "new.jsonl"
    file.write_bytes(b"first")
    new.write_bytes(b"other")

    def read() -> bytes:
        content = file.read_bytes()
        if new.exists():
            new.replace(file)
        return content

    content, (digest,) = read_with_hash([file], read)
    assert content == b"other"
    assert digest == hashlib.sha256(content).hexdigest() == file_hash(file)

    def restless() -> None:
        new.write_bytes(secrets.token_bytes(8))
        new.replace(file)

    with pytest.raises(FormatError, match=r"gold\.jsonl: changes while it is read"):
        read_with_hash([file], restless)


def test_a_missing_file_is_reported_by_its_reader(tmp_path: Path) -> None:
    def read() -> None:
        raise FormatError("no such file; check the name", "gone.txt")

    with pytest.raises(FormatError, match="no such file"):
        read_with_hash([tmp_path / "gone.txt"], read)
    with pytest.raises(FormatError, match="cannot be read"):
        file_hash(tmp_path / "gone.txt")
