"""The explorer: a real server on loopback, asked by a real browser and by hand."""

from __future__ import annotations

import gzip
import http.client
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import caesura as cz
from caesura.errors import CaesuraError
from caesura.reports.page import PageData
from tests.browser.conftest import METRICS, link, made_corpus, made_system, reading
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)
from tests.examples import write_example_files

pytest.importorskip("starlette", reason="the extra explore is not installed")
pytest.importorskip("uvicorn", reason="the extra explore is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a gold corpus, a system, and their results."""
    place = tmp_path_factory.mktemp("explore")
    gold = made_corpus(450, fields=False)
    cz.save(gold, place / "gold.jsonl")
    cz.save(made_system(gold, 1, 0.7), place / "first.jsonl")
    evaluation = cz.evaluate(place / "gold.jsonl", {"first": place / "first.jsonl"}, metrics=METRICS)
    evaluation.save(place / "results.json")
    return place


class Served:
    """A running ``caesura explore``."""

    def __init__(self, folder, *options, **environment):
        words = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "caesura",
            "explore",
            str(folder / "results.json"),
            "--port",
            "0",
            *options,
        ]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment, "PYTHONUNBUFFERED": "1"}
        )  # fmt: skip
        self.line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/ \(Ctrl-C", self.line)[1])

    def get(self, path, **headers):
        """Return status, headers and body of a request."""
        for _ in range(50):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            try:
                connection.request("GET", path, headers=headers)
                answer = connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read()
            except ConnectionError:
                time.sleep(0.1)
            finally:
                connection.close()
        raise AssertionError("no answer")

    def stop(self):
        """Interrupt it, and return the exit code with everything it wrote."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out + err


@pytest.fixture(scope="module")
def served(folder):
    running = Served(folder)
    yield running
    running.stop()


def test_the_same_page_is_shown_live(chromium, served, folder):
    context = chromium.new_context()
    shown = context.new_page()
    requests, messages = [], []
    shown.on("request", lambda request: requests.append(request.url))
    shown.on("console", lambda message: messages.append(message.text))
    shown.goto(f"http://127.0.0.1:{served.port}/{link('documents', 'doc 449')}")
    assert reading(shown) == "doc 449"
    assert messages == []
    blocks = [url.rpartition("/")[2] for url in requests if "/data/" in url]
    assert "index" in blocks
    assert "block-0-2" in blocks
    # The teasers need two documents, and the document one: no other block was read.
    assert len([name for name in blocks if name != "version"]) <= 4
    assert all(url.startswith(f"http://127.0.0.1:{served.port}/") for url in requests)
    context.close()


def test_the_last_document_asked_for_is_shown(chromium, served):
    """The answers may come in any order: here the first two documents come last."""
    context = chromium.new_context()
    shown = context.new_page()
    late = []
    shown.route("**/data/block-0-0", lambda route: late.append(route))
    shown.goto(f"http://127.0.0.1:{served.port}/{link('documents', 'doc 1')}")
    shown.wait_for_selector("body[data-ready]")
    shown.evaluate(f"location.hash = {link('documents', 'doc 449')!r}")
    assert reading(shown) == "doc 449"
    for route in late:
        route.continue_()
    shown.wait_for_selector(".teaser")  # it needs the late answer too
    assert reading(shown) == "doc 449"
    context.close()


@pytest.mark.parametrize(
    "path",
    ["/assets/../app.py", "/assets/..%2fapp.py", "/assets/%2e%2e/app.py", "/data/../../gold.jsonl", "/data/block-0-99", "/data/", "/etc/passwd", "/assets/page.css%00.js"],
)  # fmt: skip
def test_nothing_else_can_be_read(served, path):
    status, _, body = served.get(path)
    assert status == 404
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_another_host_name_is_not_answered(served, host):
    status, _, body = served.get("/data/index", Host=host)
    assert status == 421
    assert b"sections" not in body


def test_only_reading_is_possible(served):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request("POST", "/data/index", body=b"x" * 1000)
    assert connection.getresponse().status == 405


def test_every_answer_has_a_policy(served):
    for path in ("/", "/data/index", "/assets/page.js", "/missing"):
        _, headers, _ = served.get(path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_token_is_asked_for_and_never_written(folder):
    running = Served(folder, CAESURA_EXPLORE_TOKEN="a-rather-long-secret")
    assert running.get("/")[0] == 403
    assert running.get("/?token=wrong")[0] == 403
    assert running.get("/", Cookie="caesura-explore=wrong")[0] == 403
    status, headers, _ = running.get("/?token=a-rather-long-secret")
    assert status == 303
    assert headers["location"] == "/"
    assert "HttpOnly" in headers["set-cookie"]
    assert running.get("/data/index", Cookie="caesura-explore=a-rather-long-secret")[0] == 200
    code, written = running.stop()
    assert code in (0, 130)
    assert "a-rather-long-secret" not in written
    assert "Traceback" not in written


def test_a_cookie_of_an_earlier_run_does_not_beat_the_token(folder):
    running = Served(folder, CAESURA_EXPLORE_TOKEN="a-rather-long-secret")
    stale = {"Cookie": "caesura-explore=the-secret-of-another-run"}
    status, headers, _ = running.get("/?token=a-rather-long-secret", **stale)
    assert (status, headers["location"]) == (303, "/")
    assert "caesura-explore=a-rather-long-secret" in headers["set-cookie"]
    assert running.get("/?token=wrong", Cookie="caesura-explore=a-rather-long-secret")[0] == 303
    assert running.get("/?token=wrong", **stale)[0] == 403
    # Never to another place, whatever path was asked for.
    assert running.get("//evil.example/?token=a-rather-long-secret")[1]["location"] == "/"
    # A site whose name leads to this machine is not answered, token or not.
    for path in ("/data/index?token=a-rather-long-secret", "/data/index"):
        status, _, body = running.get(path, Host="evil.example", Cookie="caesura-explore=a-rather-long-secret")
        assert (status, b"sections" in body) == (421, False)
    running.stop()


@pytest.mark.parametrize(
    "token", ["", "secret", "x" * 15, "a token with blanks in it", "schlüssel-schlüssel", "ключ" * 5, "tab\t" * 6]
)
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_token_that_is_short_or_cannot_be_sent_is_refused_at_once(run, tmp_path, host, token):
    done = run("explore", tmp_path / "not there", "--host", host, "--token", token)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "caesura: the token must have at least 16 characters, all of them visible ASCII; make one with: openssl rand -hex 16\n"
    )


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [("gzip, deflate", True), ("br;q=1.0, gzip;q=0.5", True), ("gzip;q=0", False), ("identity", False)],
)
def test_the_index_is_sent_compressed_to_who_accepts_it(served, accepted, zipped):
    _, headers, body = served.get("/data/index", **{"Accept-Encoding": accepted})
    assert headers.get("content-encoding") == ("gzip" if zipped else None)
    assert headers["vary"] == "Accept-Encoding"
    _, _, plain = served.get("/data/index", **{"Accept-Encoding": "identity"})
    assert (gzip.decompress(body) if zipped else body) == plain
    assert len(json.loads(plain)["sections"]) == 1


def test_the_index_is_made_once(monkeypatch):
    from starlette.testclient import TestClient

    from caesura.explorer import application

    data = PageData({})
    calls = []
    monkeypatch.setattr(data, "index", lambda: calls.append(1) or {"sections": []})
    client = TestClient(application(data, title="t"), base_url="http://localhost")
    assert [client.get("/data/index").json() for _ in range(3)] == [{"sections": []}] * 3
    assert len(calls) == 1


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_clients_that_never_finish_do_not_keep_it_running(folder, number):
    running = Served(folder)
    assert running.get("/")[0] == 200
    clients = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(20)]
    for place, client in enumerate(clients):
        half = b"GET /data/index HTTP/1.1\r\nHost: localhost\r\n"
        client.sendall(half if place % 2 else half + b"\r\n")  # the others ask and never read
    time.sleep(0.5)
    running.process.send_signal(number)
    out, err = running.process.communicate(timeout=60)
    assert running.process.returncode == 128 + number
    assert "Traceback" not in out + err
    for client in clients:
        client.close()


def test_a_token_opens_the_page_in_a_browser_and_leaves_its_address(chromium, folder):
    running = Served(folder, CAESURA_EXPLORE_TOKEN="a-rather-long-secret")
    context = chromium.new_context()
    shown = context.new_page()
    address = f"http://127.0.0.1:{running.port}/"
    assert shown.goto(f"{address}?token=wrong").status == 403
    assert "A token is required" in shown.locator("body").inner_text()
    shown.goto(f"{address}?token=a-rather-long-secret")
    shown.wait_for_selector("body[data-ready=yes]")
    assert shown.url == address
    context.close()
    running.stop()


def _in_ranges(route, body):
    """Answer as a server of recordings does, which is what lets a player jump."""
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", route.request.headers.get("range", "bytes=0-"))
    first, last = int(asked[1]), int(asked[2] or len(body) - 1)
    headers = {"Accept-Ranges": "bytes", "Content-Range": f"bytes {first}-{last}/{len(body)}"}
    route.fulfill(status=206, body=body[first : last + 1], content_type="audio/wav", headers=headers)


def test_a_recording_is_played_by_its_address(chromium, run, recording, tmp_path):
    write_example_files(tmp_path)
    done = run("evaluate", tmp_path / "show.txt", tmp_path / "auto.json", "-o", tmp_path / "results.json")
    assert done.code == 0, done.err
    running = Served(tmp_path)
    context = chromium.new_context()
    context.route("https://media.example/show.wav", lambda route: _in_ranges(route, recording.read_bytes()))
    shown = context.new_page()
    messages = []
    shown.on("console", lambda message: messages.append(message.text))
    shown.goto(f"http://127.0.0.1:{running.port}/")
    address = shown.locator(".player input[type=url]")
    address.fill("https://media.example/show.wav")
    address.press("Enter")
    shown.locator("audio[src='https://media.example/show.wav']").wait_for(state="attached")
    shown.locator("audio").evaluate(
        "node => node.readyState >= 1 || new Promise((done, failed) => { node.onloadedmetadata = () => done(true); node.onerror = () => failed(new Error('not played')); })"
    )
    shown.locator(".chapters button", has_text="0:01:30").click()
    shown.wait_for_selector(".reader .cursor:not([visibility])", state="attached")
    mark = shown.locator(".reader [data-row=reference]").first.get_attribute("cx")
    cursor = shown.locator(".reader .cursor").get_attribute("x1")
    assert float(mark) - 0.01 <= float(cursor) < float(mark) + 5  # it plays on from there
    assert messages == []
    context.close()
    running.stop()


def test_another_address_needs_a_token():
    from caesura.explorer import application

    data = PageData({})
    with pytest.raises(CaesuraError, match="--token"):
        application(data, title="t", host="0.0.0.0")
    assert application(data, title="t", host="0.0.0.0", token="a-rather-long-secret")


def test_every_address_is_no_address_to_open(folder):
    running = Served(folder, "--host", "0.0.0.0", CAESURA_EXPLORE_TOKEN="a-rather-long-secret")
    assert running.line.startswith(f"http://127.0.0.1:{running.port}/ ")
    assert running.get("/?token=a-rather-long-secret")[0] == 303
    running.stop()


def test_a_port_in_use_is_one_line(served, folder):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "caesura", "explore", str(folder / "results.json"), "--port", str(served.port)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].endswith("choose another port with --port")
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_bundle_is_served_by_any_web_server(chromium, folder, tmp_path):
    target = tmp_path / "site"
    words = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "caesura",
        "explore",
        str(folder / "results.json"),
        "--bundle",
        str(target),
    ]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 2

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **options):
            super().__init__(*args, directory=str(target), **options)

        def log_message(self, *args):
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = chromium.new_context()
    shown = context.new_page()
    shown.goto(f"http://127.0.0.1:{server.server_port}/{link('documents', 'doc 7')}")
    assert reading(shown) == "doc 7"
    context.close()
    server.shutdown()
    server.server_close()


def test_the_page_is_loaded_again_when_its_results_change(folder, tmp_path, chromium):
    for name in ("gold.jsonl", "first.jsonl", "results.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    running = Served(tmp_path)
    context = chromium.new_context()
    try:
        tab = context.new_page()
        messages = []
        tab.on("console", lambda message: messages.append(message.text))
        tab.goto(f"http://127.0.0.1:{running.port}/#1/table")
        tab.wait_for_selector("body[data-ready]")
        before = tab.locator(".lead").inner_text()
        (tmp_path / "results.json").write_text("{")  # half written: nothing changes
        assert running.get("/data/version")[2] == b"0"
        assert tab.locator(".lead").inner_text() == before
        evaluation = cz.evaluate(tmp_path / "gold.jsonl", {"renamed": tmp_path / "first.jsonl"}, metrics=METRICS)
        evaluation.save(tmp_path / "results.json")
        tab.locator(".lead", has_text="renamed").wait_for()
        assert running.get("/data/version")[2] == b"1"
        assert tab.url.endswith("#1/table")
        assert messages == []
    finally:
        context.close()
        running.stop()
