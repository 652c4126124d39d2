"""Whatever goes wrong is one line and an exit code that says what it was, in a real process."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

LONG = "a" * 300
DASHES = "-" * 3000
NO_SERVER = "http://127.0.0.1:9/v1"


def caesura(*words: str, **options) -> subprocess.CompletedProcess[str]:
    options = {"capture_output": True, "text": True, "check": False, "timeout": 120, **options}
    return subprocess.run([sys.executable, "-m", "caesura", *words], **options)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "cache"))
    Path("gold.jsonl").write_text('{"id": "d", "units": ["a", "b", "c", "d"], "boundaries": [2]}\n')
    return tmp_path


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", "http:http://[::1#m"], "Invalid IPv6 URL"),
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", f"http:http://{LONG}.org#m"], "63 characters"),
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", f"http:{NO_SERVER}/é#m"], "cannot be reached"),
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", "http:http://127.0.0.1:99999#m"], "out of range"),
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", f"onnx:{LONG}"], "too long"),
        (["encode", "gold.jsonl", "-o", "v.npz", "--encoder", f"st:{LONG}"], "too long"),
        (["encode", "gold.jsonl", "-o", f"{LONG}.npz"], "too long"),
        (["cohesion", "gold.jsonl", "--encoder", f"npz:{LONG}"], "too long"),
        (["evaluate", "gold.jsonl", LONG], "too long"),
        (["evaluate", "gold.jsonl", "gold.jsonl", "-o", LONG], "too long"),
        (["evaluate", "gold.jsonl", "gold.jsonl", "-m", f"BoundarySimilarity(n_t={DASHES}5)"], "Name(k=5"),
        (["evaluate", "gold.jsonl", "gold.jsonl", "-m", f"B(n_t={'(' * 3000})"], "cannot be read"),
        (["evaluate", "gold.jsonl", "gold.jsonl", "--baselines", f"random_density(x={DASHES}5)"], "random_density"),
        (["convert", "gold.jsonl", f"{LONG}.masses"], "too long"),
        (["show", "damaged.json"], "damaged.json"),
        (["gate", "gold.jsonl", "gold.jsonl", "--last", "damaged.json"], "damaged.json"),
        (["report", "damaged.json", "-o", "page.html"], "damaged.json"),
        (["select", "gold.jsonl", "--policy", "damaged.json"], "damaged.json"),
        (["select", "gold.jsonl", "--threshold", "1", "--temperature", "damaged.json"], "damaged.json"),
    ],
)
def test_bad_input_is_one_line(here, words, says):
    Path("damaged.json").write_bytes(b'{"schema": "caesura.results/2", "question": "a\xffb"}')
    done = caesura(*words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("caesura: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr.replace("\n", "")
    assert len(done.stderr) < 2200
    assert sorted(path.name for path in here.iterdir() if path.name != "cache") == ["damaged.json", "gold.jsonl"]


def test_a_results_file_that_is_not_utf_8(here):
    """Byte by byte: a foreign byte anywhere, within a text or not."""
    assert caesura("evaluate", "gold.jsonl", "gold.jsonl", "-m", "Pk", "-o", "r.json").returncode == 0
    whole = Path("r.json").read_bytes()
    from caesura.errors import FormatError
    from caesura.results import read_results

    for place in range(len(whole)):
        Path("r.json").write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
        with pytest.raises(FormatError):
            read_results("r.json")
    place = whole.index(b"gold.jsonl")
    Path("r.json").write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
    done = caesura("show", "r.json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "r.json: is not a results file" in done.stderr


def test_a_cache_row_of_another_type(here):
    (here / "toy.py").write_text(
        "import numpy as np\n"
        "class Toy:\n    name, dim, normalized, fingerprint = 'toy', 2, False, 'toy-1'\n"
        "    def encode(self, texts):\n        return np.ones((len(texts), 2), np.float32)\n"
    )
    words = ["encode", "gold.jsonl", "--encoder", "toy:Toy", "--force", "-o", "v.npz"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(here)])}
    assert caesura(*words, env=environment).stderr == ""
    connection = sqlite3.connect(here / "cache" / "vectors.sqlite3")
    assert connection.execute("UPDATE vectors SET data = 5").rowcount == 4
    connection.commit()
    connection.close()
    done = caesura(*words, env=environment)
    assert done.returncode == 0
    assert re.fullmatch(r"caesura: note: \S+: 4 cached vectors are damaged and are encoded again\n", done.stderr)
    assert np.load("v.npz")["d"].tolist() == [[1.0, 1.0]] * 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stderr_leaves_the_exit_code(here):
    with Path("/dev/full").open("w") as full:
        options = {"stderr": full, "capture_output": False, "stdout": subprocess.PIPE}
        assert caesura("evaluate", "missing", "gold.jsonl", **options).returncode == 2
        assert caesura("--debug", "evaluate", "missing", "gold.jsonl", **options).returncode == 2
        assert caesura("gate", "gold.jsonl", "gold.jsonl", "--min", "W-F1=1", **options).returncode == 0
        assert caesura("gate", "gold.jsonl", "gold.jsonl", "-m", "Pk", "--min", "Pk=-1", **options).returncode == 1


_FROM_THE_FIRST_IMPORT = """
import sys

class First:
    def find_spec(self, name, *rest):
        if name == "caesura.cli":
            sys.stdout.write(".")
            sys.stdout.flush()

sys.meta_path.insert(0, First())
from caesura.__main__ import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_at_any_moment(here, number):
    """From the first import on: 128 plus the signal, and nothing but one line on stderr."""
    whole = float("inf")
    for _ in range(3):  # the first run may have to read everything from disk
        began = time.monotonic()
        assert caesura("evaluate", "gold.jsonl", "gold.jsonl", "-m", "Pk").returncode == 0
        whole = min(whole, time.monotonic() - began)
    rng = np.random.default_rng(3)
    interrupted = 0
    for _ in range(int(os.environ.get("CAESURA_INTERRUPTS", "12"))):
        run = subprocess.Popen(
            [sys.executable, "-c", _FROM_THE_FIRST_IMPORT, "evaluate", "gold.jsonl", "gold.jsonl", "-m", "Pk"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        run.stdout.read(1)
        time.sleep(rng.uniform(0, whole))
        if run.poll() is not None:  # the machine has less to do now
            whole *= 0.7
        run.send_signal(number)
        _, err = run.communicate()
        # While Python itself ends, the signal has its own effect, which a shell shows as the same code.
        assert run.returncode in (0, 128 + number, -number), err
        assert err.strip() in ("", "caesura: interrupted")
        interrupted += run.returncode == 128 + number
    assert interrupted >= 3


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_interrupted_where_python_drops_exceptions(here):
    """In the callback of a weak reference Python reports an interrupt and goes on; the run must end all the same, and soon."""
    script = """
import signal, time, weakref
import caesura.__main__
import caesura.cli

class Thing:
    pass

def run():
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    print(time.monotonic(), flush=True)
    time.sleep(20)
    print("went on")

caesura.cli.main = run
caesura.__main__.main()
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    ended = time.monotonic()
    assert (run.returncode, run.stdout.count("\n"), run.stderr) == (130, 1, "")
    assert ended - float(run.stdout) < 5


def test_interrupted_while_a_class_is_made(run, monkeypatch, tmp_path):
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "d", "masses": [3, 4]}))

    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("caesura.evaluation.evaluate.evaluate", interrupted)
    code, _, err = run("evaluate", tmp_path / "gold.jsonl", tmp_path / "gold.jsonl")
    assert (code, err) == (130, "caesura: interrupted\n")


def test_a_fault_of_ours_is_one_line_too(run, monkeypatch, tmp_path):
    (tmp_path / "gold.jsonl").write_text(json.dumps({"id": "d", "masses": [3, 4]}))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a\nthing")

    monkeypatch.setattr("caesura.evaluation.evaluate.evaluate", broken)
    gold = tmp_path / "gold.jsonl"
    code, _, err = run("evaluate", gold, gold)
    assert (code, err.count("\n")) == (70, 1)
    assert "a fault of Caesura (RuntimeError: a thing); please report it" in err
    code, _, err = run("--debug", "evaluate", gold, gold)
    assert (code, err.splitlines()[0]) == (70, "Traceback (most recent call last):")
