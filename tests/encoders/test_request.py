"""One request: a raw server that drips, floods or repeats the key, and addresses that are none."""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caesura.encoders.http import HttpEncoder
from caesura.encoders.web import Server
from caesura.errors import CaesuraError, EncoderError, without_secrets

KEY = "sk-Very+Secret/0123456789abcdef"
Behave = Callable[[socket.socket, str], None]


class RawServer:
    """Reads a request, then behaves as it is told; `seen` has every request."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.behave: Behave = lambda connection, request: None
        self.seen: list[str] = []
        self.open = True
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while self.open:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            request = connection.recv(1 << 16).decode("latin-1")
            self.seen.append(request)
            with contextlib.suppress(OSError):  # the client hung up, as it should
                self.behave(connection, request)


@pytest.fixture
def server() -> Iterator[RawServer]:
    running = RawServer()
    yield running
    running.open = False
    running.listening.close()


def dripped(head: bytes, drop: bytes, every: float = 0.05) -> Behave:
    """Send something at once, and then a little again and again for far longer than the time allows."""

    def behave(connection: socket.socket, request: str) -> None:
        connection.sendall(head)
        for _ in range(1200):
            connection.sendall(drop)
            time.sleep(every)

    return behave


@pytest.mark.parametrize(
    "behave",
    [
        dripped(b"HTTP/1.1 2", b"0"),
        dripped(b"HTTP/1.1 200 OK\r\n", b"X-More: x\r\n"),
        dripped(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
        dripped(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        dripped(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 200, 0.0),
        dripped(b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        dripped(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        dripped(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
        lambda connection, request: time.sleep(60),
    ],
    ids=["status", "headers", "header", "continue", "flood", "body", "chunks", "chunk", "silence"],
)
def test_one_deadline_for_the_whole_answer(server: RawServer, behave: Behave) -> None:
    server.behave = behave
    began = time.monotonic()
    with pytest.raises(EncoderError, match=r"requested once, but it (does not respond within 0\.4 s|cannot be)"):
        HttpEncoder(server.url, "m", timeout=0.4, attempts=1)
    assert time.monotonic() - began < 30  # the answer takes a minute


@pytest.mark.parametrize("code", [400, 500, 302])
def test_an_error_whose_words_are_dripped_ends_too(server: RawServer, code: int) -> None:
    server.behave = dripped(f"HTTP/1.1 {code} No\r\nContent-Length: 5000\r\n\r\n".encode(), b"x")
    began = time.monotonic()
    with pytest.raises(EncoderError, match=f"responds with {code} No"):
        HttpEncoder(server.url, "m", timeout=0.4, attempts=1)
    assert time.monotonic() - began < 30  # the answer takes a minute


def test_a_server_that_does_not_read_ends_too() -> None:
    """The request is larger than what the system keeps for a reader that never comes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        slow = Server(url, "m", "/embeddings", timeout=0.4, attempts=1)
        began = time.monotonic()
        with pytest.raises(EncoderError, match="does not respond within"):
            slow.ask({"input": ["x" * 30_000_000]}, len)
        assert time.monotonic() - began < 30


def echo(code: int, spelled: Callable[[str], str]) -> Behave:
    def behave(connection: socket.socket, request: str) -> None:
        body = f"you sent {spelled(KEY)} \r\n and {'Bearer ' + spelled(KEY)}".encode()
        head = f"HTTP/1.1 {code} {KEY}\r\nLocation: http://x/{KEY}\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    return behave


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "percent": lambda key: urllib.parse.quote(key, safe=""),
    "lower": lambda key: urllib.parse.quote(key, safe="").lower(),
    "base64": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "urlsafe": lambda key: base64.urlsafe_b64encode(f"Bearer {key}!!".encode()).decode(),
    "hex": lambda key: key.encode().hex(),
    "late": lambda key: "." * 188 + key,  # where the message is cut
    "far": lambda key: " " * 16_350 + key,  # where reading stops
}


def leaks(text: str) -> list[str]:
    """Return what a text holds of the key: eight characters in a row, as they are, decoded, or within base64."""
    found = [KEY[i : i + 8] for i in range(len(KEY) - 7) if KEY[i : i + 8].lower() in text.lower()]
    for before in (b"", b"x", b"xx", b"user:", b"Bearer "):
        digits = base64.b64encode(before + KEY.encode()).decode()[len(before) * 4 // 3 + 2 : -4]
        found += [digits[i : i + 10] for i in range(len(digits) - 9) if digits[i : i + 10] in text]
    return found


@pytest.mark.parametrize("code", [200, 302, 400, 401, 500])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_that_the_server_repeats_is_taken_out(server, monkeypatch, code, spelling) -> None:
    monkeypatch.setenv("CAESURA_HTTP_KEY", KEY)
    server.behave = echo(code, SPELLINGS[spelling])
    with pytest.raises(EncoderError) as caught:
        HttpEncoder(server.url, "m", timeout=5, attempts=1)
    assert f"Bearer {KEY}" in server.seen[0]
    assert leaks(str(caught.value)) == []
    assert leaks(repr(caught.value)) == []
    assert spelling in ("late", "far") or "[secret]" in str(caught.value)


@pytest.mark.parametrize("debug", [[], ["--debug"]])
@pytest.mark.parametrize(
    ("key", "says"),
    [
        (f"{KEY}\n", "[secret]"),  # a line break at the end is no part of a key: it is sent without
        (f"{KEY[:9]}\n{KEY[9:]}", "CAESURA_HTTP_KEY is longer than 4096 characters, or has a blank"),
        (f"{KEY}\N{EURO SIGN}", "CAESURA_HTTP_KEY is longer than 4096 characters, or has a blank"),
        (f"{KEY}é", "CAESURA_HTTP_KEY is longer than 4096 characters, or has a blank"),
    ],
)
def test_no_key_on_the_terminal(server, tmp_path, key, says, debug) -> None:
    server.behave = echo(400, lambda key: key)
    docs = tmp_path / "docs.jsonl"
    docs.write_text('{"id": "d", "units": ["a", "b"]}\n')
    command = ["encode", str(docs), "-o", str(tmp_path / "v.npz"), "--encoder", f"http:{server.url}#m"]
    cache = tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-m", "caesura", *debug, *command],
        env={**os.environ, "CAESURA_HTTP_KEY": key, "CAESURA_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert leaks(done.stderr + done.stdout) == []
    assert debug or len(done.stderr.splitlines()) == 1
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_key_in_the_address_is_refused(monkeypatch) -> None:
    monkeypatch.setenv("CAESURA_HTTP_KEY", KEY)
    for url, model in ((f"http://127.0.0.1:9/{KEY}", "m"), ("http://127.0.0.1:9", KEY)):
        with pytest.raises(EncoderError, match="contains the key in CAESURA_HTTP_KEY") as caught:
            HttpEncoder(url, model)
        assert leaks(str(caught.value)) == []


def test_secrets_are_taken_out_of_every_error(monkeypatch) -> None:
    monkeypatch.setenv("CAESURA_HTTP_KEY", KEY)
    monkeypatch.setenv("HF_TOKEN", "hf_abcdefgh")
    for kind in CaesuraError.__subclasses__():
        error = kind(f"x {KEY} y hf_abcdefgh", "z") if kind.__name__ == "MissingExtraError" else kind(f"{KEY} ")
        assert leaks(str(error)) == []
    assert without_secrets("an HF_ABCDEFGH here") == "an [secret] here"
    monkeypatch.setenv("HF_TOKEN", "none")  # a short one is replaced as a word only
    assert without_secrets("none of nonesuch") == "[secret] of nonesuch"
    monkeypatch.setenv("HF_TOKEN", "a")
    assert without_secrets("a b") == "a b"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://127.0.0.1:99999/v1", "Port out of range 0-65535"),
        ("http://127.0.0.1:65536/v1", "Port out of range 0-65535"),
        ("http://127.0.0.1:0/v1", "has port 0"),
        ("http://127.0.0.1:-1/v1", "Port could not be cast|Port out of range"),
        ("http://127.0.0.1:8o80/v1", "Port could not be cast"),
        ("http://[::1/v1", "Invalid IPv6 URL"),
        ("http://::1]/v1", "Invalid IPv6 URL"),
        (f"http://{'a' * 64}.org/v1", "longer than 63 characters"),
        ("http://a..org/v1", "a part of the host is empty"),
        ("http://a b.org/v1", "a blank in its host"),
        ("http://127.0.0.1/\udc80", "cannot be read"),
    ],
)
def test_an_address_that_is_none(url: str, says: str) -> None:
    with pytest.raises(EncoderError, match=says) as caught:
        HttpEncoder(url, "m", attempts=1)
    assert "\n" not in str(caught.value)


def test_a_path_in_any_script(server: RawServer) -> None:
    server.behave = lambda connection, request: connection.sendall(b"HTTP/1.1 404 No\r\n\r\n")
    with pytest.raises(EncoderError, match="responds with 404"):
        HttpEncoder(f"{server.url}/é b/%20", "m")
    assert server.seen[0].startswith("POST /v1/%C3%A9%20b/%20/embeddings HTTP/1.1")


def test_the_port_that_an_impossible_one_would_wrap_to_gets_nothing(server: RawServer, tmp_path: Path) -> None:
    port = 65536 + int(server.url.rpartition(":")[2].partition("/")[0])
    with pytest.raises(EncoderError, match="Port out of range"):
        HttpEncoder(f"http://127.0.0.1:{port}/v1", "m", attempts=1, timeout=1)
    assert server.seen == []
