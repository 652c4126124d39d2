"""The steps of action.yml run as they do in a job: the gate, the summary, one comment on a pull request that is kept up to date."""

from __future__ import annotations

import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.examples import write_example_files

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "packaging" / "action" / "gate.py"


class Forge(http.server.ThreadingHTTPServer):
    """What GitHub's interface for comments does, for one pull request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.comments = [{"id": number, "body": f"Nice work {number}"} for number in range(150)]
        self.refuses = False


class Answers(http.server.BaseHTTPRequestHandler):
    server: Forge

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        page = int(re.search(r"/repos/o/r/issues/7/comments\?per_page=100&page=(\d+)$", self.path)[1])
        self._answer(self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self) -> None:
        assert self.path == "/repos/o/r/issues/7/comments"
        self.server.comments.append({"id": len(self.server.comments), **self._sent()})
        self._answer({})

    def do_PATCH(self) -> None:
        number = int(re.search(r"^/repos/o/r/issues/comments/(\d+)$", self.path)[1])
        self.server.comments[number].update(self._sent())
        self._answer({})

    def _sent(self) -> dict[str, object]:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, content: object) -> None:
        refused = self.server.refuses or self.headers["Authorization"] != "Bearer secret"
        self.send_response(403 if refused else 200)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def step(folder: Path, forge: Forge, gate: str, **settings: str) -> subprocess.CompletedProcess[str]:
    (folder / "event.json").write_text('{"pull_request": {"number": 7}}')
    given = {
        "CAESURA_GATE": gate,
        "CAESURA_COMMENT": "true",
        "CAESURA_TOKEN": "secret",
        "GITHUB_API_URL": f"http://127.0.0.1:{forge.server_port}",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }
    return subprocess.run(
        [sys.executable, SCRIPT], cwd=folder, env={**os.environ, **given, **settings}, capture_output=True, text=True
    )


def test_a_pull_request_has_one_summary(tmp_path: Path, forge: Forge) -> None:
    write_example_files(tmp_path)
    first = step(tmp_path, forge, "gold.jsonl reader.jsonl\n--min W-F1=0.40")
    assert first.returncode == 0, first.stderr
    assert len(forge.comments) == 151
    assert forge.comments[150]["body"].startswith("<!-- caesura: Caesura -->\n## Caesura: passed\n")
    second = step(tmp_path, forge, "gold.jsonl reader.jsonl --min W-F1=0.90")
    assert second.returncode == 1
    assert len(forge.comments) == 151
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    for text in (forge.comments[150]["body"], summary):
        assert "## Caesura: failed" in text
        assert "must be at least 0.9" in text
        assert "| reader |" in text
    step(tmp_path, forge, "gold.jsonl reader.jsonl --min W-F1=0.90", CAESURA_TITLE="Dialogues")
    assert len(forge.comments) == 152


def test_a_comment_that_is_refused_fails_nothing(tmp_path: Path, forge: Forge) -> None:
    write_example_files(tmp_path)
    forge.refuses = True
    done = step(tmp_path, forge, "gold.jsonl reader.jsonl --min W-F1=0.40")
    assert done.returncode == 0
    assert "::warning::The comment was not written: HTTP Error 403" in done.stdout
    assert "passed" in (tmp_path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("gate", "said"),
    [("gone.jsonl new.jsonl --min F1=0.5", "gone.jsonl"), ("'", "cannot be read"), ("; touch hacked", "--min")],
)
def test_what_cannot_run_is_told(tmp_path: Path, forge: Forge, gate: str, said: str) -> None:
    done = step(tmp_path, forge, gate)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "hacked").exists()
    if gate != "'":
        assert "## Caesura: did not run" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_action_runs_this_script_and_no_input_reaches_a_shell() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    runs = re.findall(r"^      run: (.*)$", text, flags=re.MULTILINE)
    assert runs == [
        'python3 -m pip install --quiet "$PLACE${EXTRAS:+[$EXTRAS]}"',
        'python3 "$PLACE/packaging/action/gate.py"',
    ]
    named = set(re.findall(r"\bCAESURA_(?:GATE|TITLE|COMMENT|TOKEN)\b", SCRIPT.read_text(encoding="utf-8")))
    assert named == set(re.findall(r"^        (CAESURA_(?!PURE)\w+):", text, flags=re.MULTILINE))
    declared = set(re.findall(r"^  (\w+):$", text[: text.index("runs:")], flags=re.MULTILINE))
    assert declared == set(re.findall(r"\$\{\{ inputs\.(\w+) \}\}", text))
