# SPDX-License-Identifier: Apache-2.0
"""Downloads from a real server on this machine: whole, resumed, interrupted, wrong, redirected, absent."""

from __future__ import annotations

import hashlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from caesura.datasets import DATASETS
from caesura.datasets.download import Download, fetch, offers
from caesura.errors import FormatError

CONTENT = bytes(range(256)) * 1000
SHA = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves CONTENT in the ways that its path names, and remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        super().__init__(("127.0.0.1", 0), Handler)

    def file(self, path: str, **changes: object) -> Download:
        known = {"name": "sub/data.bin", "sha256": SHA, "size": len(CONTENT), **changes}
        return Download(url=f"http://127.0.0.1:{self.server_port}{path}", **known)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and "ranges" in self.path else 0
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/plain")
            self.end_headers()
            return
        if self.path == "/missing" or ("/416" in self.path and wanted):
            self.send_error(404 if self.path == "/missing" else 416)
            return
        if self.path == "/slow":
            time.sleep(0.5)
        body = CONTENT[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        if self.path != "/endless":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        while "drip" in self.path:
            self.wfile.write(b"x")
            time.sleep(0.05)
        if self.path == "/endless":
            body += b"more"
        # /cut/ranges ends every answer after 100,000 bytes, /stuck after none.
        cut = 100_000 if "cut" in self.path else 0 if "stuck" in self.path else len(body)
        # /reset sends a part and then resets the connection, the first time only, /resets every time.
        resets = "/resets" in self.path or ("/reset" in self.path and len(self.server.asked) == 1)
        self.wfile.write(body[: 50_000 if resets else cut])
        if resets:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.shutdown()


def test_a_file_is_downloaded_once(server: Server, tmp_path: Path) -> None:
    file = server.file("/plain")
    assert fetch(file, tmp_path) == "downloaded"
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert fetch(file, tmp_path) == "present"
    assert server.asked == [("/plain", None)]
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["data.bin"]


def test_what_was_interrupted_is_resumed(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.data.bin.part").write_bytes(CONTENT[:1234])
    assert fetch(server.file("/ranges"), tmp_path) == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert server.asked == [("/ranges", "bytes=1234-")]


def test_connections_that_break_are_resumed_within_one_call(server: Server, tmp_path: Path) -> None:
    assert fetch(server.file("/cut/ranges"), tmp_path, wait=0) == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert [asked for _, asked in server.asked] == [None, "bytes=100000-", "bytes=200000-"]


def test_a_connection_that_is_reset_while_sending_is_resumed(server: Server, tmp_path: Path) -> None:
    assert fetch(server.file("/reset/ranges"), tmp_path, wait=0) == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_a_connection_that_is_always_reset_is_told_as_that(server: Server, tmp_path: Path) -> None:
    with pytest.raises(
        FormatError,
        match=r"data\.bin: the download was interrupted after \d+ of 256000 bytes \(ConnectionResetError: .*\); run the",
    ):
        fetch(server.file("/resets"), tmp_path, wait=0)
    assert len(server.asked) > 1


def test_a_server_without_ranges_sends_the_whole_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.data.bin.part").write_bytes(b"something else")
    assert fetch(server.file("/plain"), tmp_path) == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT


def test_too_many_interruptions_keep_the_part(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.data.bin.part").write_bytes(CONTENT[:99])
    with pytest.raises(
        FormatError, match=r"data\.bin: the download was interrupted after 99 of 256000 bytes .* again to resume"
    ):
        fetch(server.file("/stuck/ranges"), tmp_path, wait=0)
    assert (tmp_path / "sub/.data.bin.part").read_bytes() == CONTENT[:99]
    assert fetch(server.file("/ranges"), tmp_path) == "resumed"


def test_a_wrong_hash_keeps_nothing(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="sent a file with an unexpected SHA-256"):
        fetch(server.file("/plain", sha256="0" * 64), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_part_is_found_out(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.data.bin.part").write_bytes(b"x" * 1234)
    with pytest.raises(FormatError, match="sent a file with an unexpected SHA-256"):
        fetch(server.file("/ranges"), tmp_path)
    assert fetch(server.file("/ranges"), tmp_path) == "downloaded"


def test_more_than_expected_is_stopped(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="sends more than the expected 1000 bytes"):
        fetch(server.file("/plain", size=1000), tmp_path)


@pytest.mark.parametrize("there", [0, 1234])
def test_more_than_expected_leaves_nothing(server: Server, tmp_path: Path, there: int) -> None:
    """A partial file would cost the next run a wrong hash."""
    (tmp_path / "sub").mkdir()
    if there:
        (tmp_path / "sub/.data.bin.part").write_bytes(CONTENT[:there])
    with pytest.raises(FormatError, match="sends more than the expected 256000 bytes; nothing was kept"):
        fetch(server.file("/endless"), tmp_path)
    assert list((tmp_path / "sub").iterdir()) == []
    assert fetch(server.file("/plain"), tmp_path) == "downloaded"


def test_a_part_that_the_server_cannot_continue_is_thrown_away(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.data.bin.part").write_bytes(b"x" * 1234)
    fetch(server.file("/416"), tmp_path)
    assert server.asked == [("/416", "bytes=1234-"), ("/416", None)]
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["data.bin"]


def test_a_server_that_drips_is_left(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is that of the whole answer: every byte in time does not make an answer in time."""
    monkeypatch.setenv("CAESURA_HTTP_TIMEOUT", "0.4")
    with pytest.raises(FormatError, match=r"interrupted after \d+ of 256000 bytes \(TimeoutError"):
        fetch(server.file("/drip"), tmp_path, wait=0)
    assert len(server.asked) == 3


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
def test_of_several_processes_one_downloads(server: Server, tmp_path: Path) -> None:
    file = server.file("/slow")
    code = f"from caesura.datasets.download import *; from pathlib import Path; print(fetch({file!r}, Path({str(tmp_path)!r})))"
    runs = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [run.communicate(timeout=300) for run in runs]
    assert sorted(said) == [("downloaded\n", ""), *[("present\n", "")] * 3]
    assert server.asked == [("/slow", None)]
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["data.bin"]


@pytest.mark.skipif(os.name != "posix", reason="locks are those of POSIX")
def test_who_waits_goes_on_when_the_other_fails(server: Server, tmp_path: Path) -> None:
    """Many threads, each with a description of its own of the same partial file; half of them meet a server that fails."""
    paths = ["/stuck", "/plain"] * 4
    outcomes: list[str] = []

    def one(path: str) -> None:
        try:
            outcomes.append(fetch(server.file(path), tmp_path, wait=0))
        except FormatError as error:
            outcomes.append("interrupted" if "was interrupted" in str(error) else str(error))

    threads = [threading.Thread(target=one, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"downloaded", "resumed", "present", "interrupted"}
    assert len([said for said in outcomes if said in ("downloaded", "resumed")]) == 1
    assert (tmp_path / "sub/data.bin").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "sub").iterdir()] == ["data.bin"]


@pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")
@pytest.mark.parametrize("kind", ["symlink", "dangling", "hard", "pipe", "folder"])
def test_a_part_that_is_a_link_is_not_written(server: Server, tmp_path: Path, kind: str) -> None:
    (tmp_path / "sub").mkdir()
    victim, part = tmp_path / "victim", tmp_path / "sub/.data.bin.part"
    if kind != "dangling":
        victim.write_bytes(b"mine")
    if kind == "hard":
        part.hardlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(part)
    elif kind == "folder":
        part.mkdir()
    else:
        part.symlink_to(victim)
    with pytest.raises(FormatError, match=r"is a link, .*remove it|cannot be written \(Is a directory\)"):
        fetch(server.file("/plain"), tmp_path)
    assert victim.read_bytes() == b"mine" if kind != "dangling" else not victim.exists()
    assert server.asked == []


def test_other_content_is_not_overwritten(server: Server, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/data.bin").write_bytes(b"mine")
    with pytest.raises(FormatError, match="exists with different content"):
        fetch(server.file("/plain"), tmp_path)
    assert (tmp_path / "sub/data.bin").read_bytes() == b"mine"


@pytest.mark.parametrize(("path", "says"), [("/moved", "answers 302"), ("/missing", "answers 404")])
def test_other_answers_are_named(server: Server, tmp_path: Path, path: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        fetch(server.file(path), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_no_network_is_said(tmp_path: Path) -> None:
    with Server() as gone:
        file = gone.file("/plain")
    with pytest.raises(FormatError, match=r"cannot be reached \(.*\); if there is no network"):
        fetch(file, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_offers_are_of_datasets_that_exist() -> None:
    for name, offer in offers().items():
        assert name in DATASETS
        for file in offer.files:
            assert file.url.startswith("https://")
            assert len(file.sha256) == 64
            assert file.size > 0
            assert ".." not in file.name


def test_offers_are_the_originals(data: Path) -> None:
    import gzip

    folders = {"Chroma": "chroma", "TIAGE": "tiage", "Wiki727k": "wiki50"}
    for name, offer in offers().items():
        for file in offer.files:
            stored = data / folders[name] / "original" / Path(file.name).name
            content = (
                stored.read_bytes()
                if stored.exists()
                else gzip.decompress(stored.with_name(f"{stored.name}.gz").read_bytes())
            )
            assert (hashlib.sha256(content).hexdigest(), len(content)) == (file.sha256, file.size)
