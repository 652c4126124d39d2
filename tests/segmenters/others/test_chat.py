"""``http:URL#MODEL``: a real server on this machine, which may be busy, wrong, or write prose."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, DeclarationError, EncoderError, SegmentationError
from caesura.scorers import Encoding
from caesura.segmenters import segmenter
from caesura.segmenters.others.chat import clear_answers, count_answers
from caesura.segmenters.run import run_method

UNITS = ("Cats purr.", "A cat\nsleeps.", "Rain falls.", "It rains.")
CORPUS = Corpus([Document(id="d", n_units=4, units=UNITS), Document(id="one", n_units=1, units=("Alone.",))])


ENDLESS = b'{"choices":'


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        answer = self.server.answers.pop(0) if len(self.server.answers) > 1 else self.server.answers[0]
        status, said = answer if isinstance(answer, tuple) else (200, answer)
        data = json.dumps({"choices": [{"message": {"content": said}}]}).encode() if isinstance(said, str) else said
        self.send_response(status)
        if status in (302, 307):
            self.send_header("Location", "/elsewhere")
        if said is not ENDLESS:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        with contextlib.suppress(OSError):
            while said is ENDLESS:
                self.wfile.write(bytes(1 << 16))

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CAESURA_HTTP_KEY", "a-secret-key")
    monkeypatch.setattr("caesura.encoders.web.time.sleep", lambda seconds: None)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.requests, running.answers = [], ["[3]"]
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.spec = f"http:http://127.0.0.1:{running.server_address[1]}/v1#model-1"
        yield running
        running.shutdown()
        thread.join()


def cut(server, **options):
    return [d.segmentation.boundaries for d in run_method(CORPUS, segmenter(server.spec), **options)]


def test_units_are_numbered_and_the_answer_is_kept(server):
    assert cut(server) == [(2,), ()]
    (path, headers, body), *others = server.requests
    assert not others  # nothing is asked about a document of one unit
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer a-secret-key"
    assert body["model"] == "model-1"
    assert body["temperature"] == 0
    assert body["messages"][1]["content"] == "1: Cats purr.\n2: A cat sleeps.\n3: Rain falls.\n4: It rains."
    assert cut(server) == [(2,), ()]
    assert len(server.requests) == 1
    assert count_answers() == 1
    assert cut(server, encoding=Encoding(cache=False)) == [(2,), ()]
    assert len(server.requests) == 2
    assert clear_answers() == 1
    assert cut(server) == [(2,), ()]
    assert len(server.requests) == 3


def test_the_secret_is_in_no_output(server):
    out = run_method(CORPUS, segmenter(server.spec))
    assert out["d"].extra["made_by"]["method"] == server.spec
    assert "a-secret-key" not in str(out["d"].extra)


@pytest.mark.parametrize(
    "prose", ["Certainly! [3]", "```json\n[3]\n```", "[1]", "[5]", "[3, 2]", "[2.5]", '["3"]', "{}", "", "3"]
)
def test_prose_is_corrected_a_bounded_number_of_times(server, prose):
    server.answers = [prose, "[2, 4]"]
    assert cut(server) == [(1, 3), ()]
    assert [m["role"] for m in server.requests[1][2]["messages"]] == ["system", "user", "assistant", "user"]
    clear_answers()
    server.answers, server.requests = [prose], []
    with pytest.raises(
        SegmentationError, match=r"asked 3 times about document 'd', but it answers .* from 2 to 4; use"
    ):
        cut(server)
    assert len(server.requests) == 3
    assert count_answers() == 0


def test_a_busy_server_is_asked_again_and_a_wrong_one_is_one_line(server):
    server.answers = [(503, b"busy"), "[3]"]
    assert cut(server) == [(2,), ()]
    clear_answers()
    server.answers = [(200, b"<html>")]
    with pytest.raises(SegmentationError, match="document 'd': the response is not that of a chat server"):
        cut(server)
    server.answers = [(200, b'{"choices": []}')]
    with pytest.raises(SegmentationError, match="holds no answer"):
        cut(server)
    server.answers = [(404, b"a-secret-key is wrong")]
    with pytest.raises(SegmentationError, match=r"404 .*to which /chat/completions is appended") as caught:
        cut(server)
    assert "a-secret-key" not in str(caught.value)


def test_a_damaged_answer_on_disk_is_asked_for_again(server, tmp_path):
    cut(server)
    kept = next((tmp_path / "cache" / "answers").iterdir())
    for damage in ("[99]", "{", ""):
        kept.write_text(damage)
        assert cut(server) == [(2,), ()]


@pytest.mark.parametrize(
    "spec", ["http:", "http:http://localhost/v1", "http:ftp://host/v1#m", "http:http://u:p@host/v1#m"]
)
def test_a_wrong_spec_is_refused(spec):
    with pytest.raises(CaesuraError) as caught:
        segmenter(spec)
    assert isinstance(caught.value, DeclarationError | EncoderError)
    assert "u:p" not in str(caught.value)
