"""A real server in a thread, which answers rightly, slowly, with 500, in another order, or with nonsense."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from caesura.encoders import Cache, embed, encoder
from caesura.encoders.base import text_hash
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
        self.over = threading.Event()

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
    handler.server.over.wait(60)


def drips(handler: Handler, body: dict) -> None:
    """One byte at a time, each within the timeout of a socket."""
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b" ")


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
        running.over.set()
        running.shutdown()
        thread.join()


def opened(server: Server, **options: float) -> HttpEncoder:
    return HttpEncoder(server.url, "m", **{"wait": 0.01, "timeout": 5.0, "attempts": 3, "batch": 4, **options})


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
    with pytest.warns(CaesuraWarning, match=r"is sent to 192\.0\.2\.1 unencrypted"), pytest.raises(EncoderError):
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
    monkeypatch.setattr("caesura.encoders.web.time.sleep", waits.append)
    server.faults = [fails(500), fails(429, Retry_After="7"), fails(500)]
    found.encode(["a"])
    assert waits == [0.5, 7.0, 2.0]


@pytest.mark.parametrize(
    ("fault", "says", "asked"),
    [
        (fails(500, b"out of\nmemory"), r"requested 3 times, but it responds with 500 .*\(out of memory\); check", 3),
        (hangs_up, "requested 3 times, but it cannot be reached", 3),
        (fails(404, b"no such model"), r"it responds with 404 .*\(no such model\)", 1),
        (fails(401), "it responds with 401 .*; put the key into CAESURA_HTTP_KEY", 1),
        (fails(404), "it responds with 404 .*; check the name of the model; check the URL", 1),
        (fails(401, b"bad \x1b[31m key"), "\\(bad \ufffd\\[31m key\\)", 1),
        (
            fails(302, Location="http://127.0.0.1:9/x?token=1"),
            r"it responds with 302 .*; redirects are refused, and this one leads to http://127\.0\.0\.1:9/x: if you trust",
            1,
        ),
        (
            fails(200, b"<html>hello</html>"),
            r"is not that of an embeddings server \(.*; it begins '<html>hello</html>'\); check the URL",
            1,
        ),
        (fails(200, b""), r"is not that of an embeddings server \(.*; it is empty\); check the URL", 1),
        (fails(200, b"\xff\xfe\x00"), "is not that of an embeddings server", 1),
        (fails(200, b"[" * 100_000), "is not that of an embeddings server", 1),
        (lambda h, b: h.answer({"error": "no"}), "is not that of an embeddings server", 1),
        (changed(lambda data: data[:-1]), "1 vectors for 2 texts", 1),
        (changed(lambda data: []), "0 vectors for 2 texts; .*check that m is an embeddings model", 1),
        (changed(lambda data: [*data, data[0]]), "3 vectors for 2 texts", 1),
        (changed(lambda data: [data[0], data[0]]), "does not number its vectors 0 to 1", 1),
        (changed(lambda data: data[1].update(index=7)), "does not number its vectors 0 to 1", 1),
        (changed(lambda data: data[1].update(index="1")), "is not that of an embeddings server", 1),
        (changed(lambda data: data[1]["embedding"].pop() and None), "vectors of different lengths", 1),
        (changed(lambda data: [d["embedding"].pop() for d in data] and None), "of dimension 7; it must be 8", 1),
        (changed(lambda data: data[1].update(embedding=[])), "vectors of different lengths", 1),
        (
            changed(lambda data: data[1]["embedding"].__setitem__(3, 1e300)),
            "vector 2 holds a number too large for float32",
            1,
        ),
        (changed(lambda data: data[1]["embedding"].__setitem__(3, None)), "is not that of an embeddings server", 1),
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
        assert cache.kept() == []


@pytest.mark.parametrize("fault", [sleeps, drips])
def test_a_slow_server(server, fault):
    found = opened(server, timeout=1, attempts=2)
    server.always = fault
    began = time.monotonic()
    with pytest.raises(EncoderError, match=r"requested 2 times, but it does not respond within 1 s"):
        found.encode(["a"])
    assert time.monotonic() - began < 30  # the answer takes longer


def test_an_endless_answer(server, monkeypatch):
    monkeypatch.setattr("caesura.encoders.web._PER_TEXT", 1000)
    server.always = lambda handler, body: handler.answer(b" " * 100_000)
    with pytest.raises(EncoderError, match="the response is larger than"):
        opened(server)


def test_no_server():
    with pytest.raises(EncoderError, match="requested once, but it cannot be reached"):
        HttpEncoder("http://127.0.0.1:9/v1", "m", attempts=1)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("http:http://host/v1", "write http:URL#MODEL"),
        ("http:ftp://host/v1#m", "must begin with http:// or https://"),
        ("http:file:///etc/passwd#m", "must begin with http:// or https://"),
        ("http://user:secret@host/v1#m", "must not contain a password"),
        ("http:http://host/v1?key=1#m", "a password or a query"),
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
        with pytest.raises(EncoderError, match="its model has changed; clear them: caesura cache clear --encoder"):
            embed(corpus, other, cache=cache)
        cache.clear(other.fingerprint)
        np.testing.assert_array_equal(embed(corpus, other, cache=cache)["d"], -toy_vectors(["a", "b"]))


def test_a_change_is_noticed_after_eviction(server, monkeypatch):
    """5000 bytes hold 156 vectors of 8 numbers: all of the first ones go, the probe does not."""
    monkeypatch.setenv("CAESURA_CACHE_LIMIT", "5000")
    early, late = [f"early {n}" for n in range(100)], [f"late {n}" for n in range(1000)]
    for texts in (early, late):
        embed(corpus_of(d=texts), opened(server), cache=True)
    with Cache() as cache:
        assert cache.get(opened(server).fingerprint, 8, [text_hash(text) for text in early]) == {}
        assert 0 < cache.kept()[0].bytes <= 5000
    server.sign = -1.0
    for texts in (early, late, late[-1:]):
        with pytest.raises(EncoderError, match="its model has changed"):
            embed(corpus_of(d=texts), opened(server), cache=True)


def test_a_change_when_nothing_is_kept_any_more(server):
    with Cache(limit=0) as cache:
        embed(corpus_of(d=["a"]), opened(server), cache=cache)
        assert cache.kept() == []
        server.sign = -1.0
    with Cache() as cache:
        for _ in range(2):
            rows = embed(corpus_of(d=["a"]), opened(server), cache=cache)["d"]
            np.testing.assert_array_equal(rows, -toy_vectors(["a"]))
        server.sign = 1.0
        with pytest.raises(EncoderError, match="its model has changed"):
            embed(corpus_of(d=["a"]), opened(server), cache=cache)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE encoders SET probe = NULL",
        "UPDATE encoders SET probe = zeroblob(40)",
        "UPDATE encoders SET probe = 'text'",
    ],
)
def test_vectors_without_a_probe_are_dropped(server, damage):
    texts = [f"t{n}" for n in range(300)]
    with Cache() as cache:
        embed(corpus_of(d=texts), opened(server), cache=cache)
    connection = sqlite3.connect(cache.path)
    connection.executescript(damage)
    connection.close()
    server.sign = -1.0
    with pytest.warns(CaesuraWarning, match=r"300 cached vectors of http:.* have no probe"):
        rows = embed(corpus_of(d=texts[:2]), opened(server), cache=True)["d"]
    np.testing.assert_array_equal(rows, -toy_vectors(texts[:2]))
    with Cache() as cache:
        assert cache.kept()[0].entries == 2
        np.testing.assert_array_equal(embed(corpus_of(d=texts), opened(server), cache=cache)["d"], -toy_vectors(texts))


def test_an_encoder_opened_before_the_change_adds_nothing(server):
    """Its vectors would stand under the probe of the new model."""
    before = opened(server)
    embed(corpus_of(d=["a"]), before, cache=True)
    server.sign = -1.0
    with Cache() as cache:
        cache.clear()
        embed(corpus_of(d=["b"]), opened(server), cache=cache)
        with pytest.raises(EncoderError, match="its model has changed"):
            cache.put(before.fingerprint, before.name, 8, {text_hash("a"): toy_vectors(["a"])[0]}, before.probe)
        assert cache.kept()[0].entries == 1


@pytest.mark.parametrize("sign", [0.0, 2.0])
def test_another_length_is_another_model(server, sign):
    """Vectors that are normalised now, and were not, must not stand beside each other; nor any beside zeros."""
    embed(corpus_of(d=["a"]), opened(server), cache=True)
    server.sign = sign
    with pytest.raises(EncoderError, match="its model has changed"):
        embed(corpus_of(d=["a"]), opened(server), cache=True)


def test_a_server_that_is_not_exact(server):
    embed(corpus_of(d=["a"]), opened(server), cache=True)
    server.sign = 1.0001
    np.testing.assert_array_equal(embed(corpus_of(d=["a"]), opened(server), cache=True)["d"], toy_vectors(["a"]))


def test_a_text_for_a_list(server):
    found = opened(server)
    asked = len(server.requests)
    for texts in ("abc", [1], [None], [b"a"]):
        with pytest.raises(EncoderError, match=r"list of strings|must be a str"):
            found.encode(texts)
    assert len(server.requests) == asked
