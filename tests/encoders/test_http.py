"""A real server in a thread, which answers rightly, slowly, with 500, in another order, or with nonsense."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from caesura.encoders import Cache, embed, encoder
from caesura.encoders.http import HttpEncoder
from caesura.errors import CaesuraWarning, EncoderError
from tests.encoders.conftest import corpus_of, toy_vectors


class Server(ThreadingHTTPServer):
    """Counts requests; `faults` are used up one by one before it answers rightly."""

    daemon_threads = True
    faults: list[Callable]
    always: Callable | None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults, self.always, self.requests = [], None, []
        self.sign = 1.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is no news."""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        if self.server.always is not None:
            self.server.always(self, body)
        elif self.server.faults:
            self.server.faults.pop(0)(self, body)
        else:
            self.answer(right(body, self.server.sign))

    def answer(self, value: object, code: int = 200, **headers: str) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def right(body: dict, sign: float = 1.0) -> dict:
    rows = (sign * toy_vectors(body["input"])).tolist()
    return {
        "object": "list",
        "model": body["model"],
        "data": [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)],
    }


def changed(change: Callable[[list], object]) -> Callable:
    """Answer rightly but for one change of the list of vectors."""

    def behave(handler: Handler, body: dict) -> None:
        reply = right(body)
        given = change(reply["data"])
        reply["data"] = reply["data"] if given is None else given
        handler.answer(reply)

    return behave


def fails(code: int, text: bytes = b"", **headers: str) -> Callable:
    return lambda handler, body: handler.answer(text, code, **headers)


def hangs_up(handler: Handler, body: dict) -> None:
    handler.connection.close()


def sleeps(handler: Handler, body: dict) -> None:
    time.sleep(1.5)
    handler.answer(right(body))


def drips(handler: Handler, body: dict) -> None:
    """One byte at a time, each within the timeout of a socket."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        time.sleep(0.05)


def cuts(handler: Handler, body: dict) -> None:
    """Promise more than is sent."""
    data = json.dumps(right(body)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def opened(server: Server, **options: float) -> HttpEncoder:
    return HttpEncoder(
        server.url, "m", **{"wait": 0.01, "timeout": 5.0, "attempts": 3, "batch": 4, **options}
    )


def test_a_right_answer(server, monkeypatch):
    monkeypatch.delenv("CAESURA_HTTP_KEY", raising=False)
    found = encoder(f"http:{server.url}/#some-model")
    assert found.name == f"http:{server.url}#some-model"
    assert (found.dim, found.normalized) == (8, False)
    assert encoder(f"{server.url}#some-model").fingerprint == found.fingerprint
    assert encoder(f"{server.url}#other").fingerprint != found.fingerprint
    np.testing.assert_array_equal(found.encode(["b", "a"]), toy_vectors(["b", "a"]))
    path, headers, body = server.requests[-1]
    assert path == "/v1/embeddings"
    assert body == {"model": "some-model", "input": ["b", "a"], "encoding_format": "float"}
    assert "Authorization" not in headers
    assert found.encode([]).shape == (0, 8)


def test_batches(server):
    texts = [f"t{n}" for n in range(10)]
    found = opened(server)
    server.requests.clear()
    np.testing.assert_array_equal(found.encode(texts), toy_vectors(texts))
    assert [len(body["input"]) for _, _, body in server.requests] == [4, 4, 2]


def test_the_key_comes_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("CAESURA_HTTP_KEY", "secret")
    found = opened(server)
    assert server.requests[-1][1]["Authorization"] == "Bearer secret"
    assert "secret" not in found.name + found.fingerprint


def test_a_key_in_the_open_is_said(monkeypatch):
    monkeypatch.setenv("CAESURA_HTTP_KEY", "secret")
    with pytest.warns(CaesuraWarning, match=r"goes to 192\.0\.2\.1 unencrypted"), pytest.raises(EncoderError):
        HttpEncoder("http://192.0.2.1:9/v1", "m", attempts=1, timeout=0.05)


def test_another_order_is_put_right(server):
    found = opened(server)
    server.always = changed(lambda data: data[::-1])
    np.testing.assert_array_equal(found.encode(["a", "b", "c"]), toy_vectors(["a", "b", "c"]))


@pytest.mark.parametrize("fault", [fails(500), fails(503), fails(429, Retry_After="0"), hangs_up, cuts])
def test_a_passing_fault_is_tried_again(server, fault):
    found = opened(server)
    server.faults = [fault, fault]
    np.testing.assert_array_equal(found.encode(["a"]), toy_vectors(["a"]))


def test_waiting_grows(server, monkeypatch):
    found = opened(server, attempts=4, wait=0.5)
    waits: list[float] = []
    monkeypatch.setattr("caesura.encoders.http.time.sleep", waits.append)
    server.faults = [fails(500), fails(429, Retry_After="7"), fails(500)]
    found.encode(["a"])
    assert waits == [0.5, 7.0, 2.0]


@pytest.mark.parametrize(
    ("fault", "says", "asked"),
    [
        (fails(500, b"out of\nmemory"), r"asked 3 times, and it answers 500 .*\(out of memory\); check", 3),
        (hangs_up, "asked 3 times, and it is not reached", 3),
        (fails(404, b"no such model"), r"it answers 404 .*\(no such model\)", 1),
        (fails(401), "it answers 401 .*; put the key into CAESURA_HTTP_KEY", 1),
        (fails(302, Location="http://127.0.0.1:9/"), "it answers 302", 1),
        (fails(200, b"<html>hello</html>"), "is not that of an embeddings server", 1),
        (fails(200, b""), "is not that of an embeddings server", 1),
        (fails(200, b"\xff\xfe\x00"), "is not that of an embeddings server", 1),
        (fails(200, b"[" * 100_000), "is not that of an embeddings server", 1),
        (lambda h, b: h.answer({"error": "no"}), "is not that of an embeddings server", 1),
        (changed(lambda data: data[:-1]), "1 vectors for 2 texts", 1),
        (changed(lambda data: [*data, data[0]]), "3 vectors for 2 texts", 1),
        (changed(lambda data: [data[0], data[0]]), "does not number its vectors 0 to 1", 1),
        (changed(lambda data: data[1].update(index=7)), "does not number its vectors 0 to 1", 1),
        (changed(lambda data: data[1].update(index="1")), "is not that of an embeddings server", 1),
        (changed(lambda data: data[1]["embedding"].pop() and None), "vectors of different lengths", 1),
        (
            changed(lambda data: [d["embedding"].pop() for d in data] and None),
            "of 7 numbers; they must have 8",
            1,
        ),
        (changed(lambda data: data[1].update(embedding=[])), "vectors of different lengths", 1),
        (
            changed(lambda data: data[1]["embedding"].__setitem__(3, 1e300)),
            "vector 2 holds NaN or infinity",
            1,
        ),
        (
            changed(lambda data: data[1]["embedding"].__setitem__(3, None)),
            "is not that of an embeddings server",
            1,
        ),
        (changed(lambda data: data[1].update(embedding="AAAA")), "is not that of an embeddings server", 1),
    ],
)
def test_a_fault_is_one_line(server, fault, says, asked):
    found = opened(server)
    server.requests.clear()
    server.always = fault
    with Cache() as cache:
        with pytest.raises(EncoderError, match=says) as caught:
            embed(corpus_of(d=["a", "bb"]), found, cache=cache)
        assert "\n" not in str(caught.value)
        assert len(server.requests) == asked
        assert sum(kept.entries for kept in cache.kept()) == 1  # the probe alone


@pytest.mark.parametrize("fault", [sleeps, drips])
def test_a_slow_server(server, fault):
    found = opened(server, timeout=0.3, attempts=2)
    server.always = fault
    began = time.monotonic()
    with pytest.raises(EncoderError, match=r"asked 2 times, and it does not answer within 0\.3 s"):
        found.encode(["a"])
    assert time.monotonic() - began < 1.4


def test_an_endless_answer(server, monkeypatch):
    monkeypatch.setattr("caesura.encoders.http._PER_TEXT", 1000)
    server.always = lambda handler, body: handler.answer(b" " * 100_000)
    with pytest.raises(EncoderError, match="the answer is larger than"):
        opened(server)


def test_no_server():
    with pytest.raises(EncoderError, match="asked once, and it is not reached"):
        HttpEncoder("http://127.0.0.1:9/v1", "m", attempts=1)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("http:http://host/v1", "write http:URL#MODEL"),
        ("http:ftp://host/v1#m", "must begin with http:// or https://"),
        ("http:file:///etc/passwd#m", "must begin with http:// or https://"),
        ("http://user:secret@host/v1#m", "may hold no password"),
        ("http:http://host/v1?key=1#m", "no question mark"),
        ("http:http://host/v1#m@sha256:0123456789", "write http:URL#MODEL"),
    ],
)
def test_a_wrong_address(spec, says):
    with pytest.raises(EncoderError, match=says) as caught:
        encoder(spec)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_a_wrong_timeout(monkeypatch, text):
    monkeypatch.setenv("CAESURA_HTTP_TIMEOUT", text)
    with pytest.raises(EncoderError, match="CAESURA_HTTP_TIMEOUT is"):
        encoder("http:http://127.0.0.1:9/v1#m")


def test_a_model_that_changed_behind_its_name(server):
    corpus = corpus_of(d=["a", "b"])
    with Cache() as cache:
        first = opened(server)
        embed(corpus, first, cache=cache)
        embed(corpus, opened(server), cache=cache)
        server.sign = -1.0
        other = opened(server)
        assert other.fingerprint == first.fingerprint
        with pytest.raises(
            EncoderError, match="its model has changed; drop them: caesura cache clear --encoder"
        ):
            embed(corpus, other, cache=cache)
        cache.clear(other.fingerprint)
        np.testing.assert_array_equal(embed(corpus, other, cache=cache)["d"], -toy_vectors(["a", "b"]))
