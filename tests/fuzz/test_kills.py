"""Commands killed at any moment: nothing lost, nothing wrong served, no litter after the next run.

``CAESURA_KILLS`` sets the number of kills, four by default; ``make fuzz`` kills a hundred times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

KILLS = int(os.environ.get("CAESURA_KILLS", "4"))
ENCODER = """
import hashlib, time
import numpy as np

class Toy:
    name, dim, normalized, fingerprint = "toy", 8, False, "toy-1"

    def encode(self, texts):
        time.sleep(0.02)
        rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), "<i4") for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 8) / np.float32(2**31)
"""
COMMANDS = {
    "encode": ["encode", "docs.jsonl", "--encoder", "toy:Toy", "-o", "out.npz"],
    "cohesion": ["cohesion", "docs.jsonl", "--encoder", "toy:Toy", "--draws", "5", "-o", "out.json"],
    "evaluate": ["evaluate", "docs.jsonl", "a=docs.jsonl", "-m", "Pk", "-o", "out.json", "--csv", "out.csv"],
    "convert": ["convert", "docs.jsonl", "out.jsonl.gz"],
}


def start(words: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "caesura", *words, "--force"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(words: list[str]) -> dict[str, bytes]:
    """Run a command to its end, and return every file but the cache."""
    run = start(words)
    _, err = run.communicate(timeout=300)
    assert (run.returncode, err) == (0, b"")
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(tmp_path)]))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    rng = np.random.default_rng(sum(name.encode()))
    Path("toy.py").write_text(ENCODER)
    texts = [[f"unit {document} {unit}" for unit in range(40)] for document in range(100)]
    lines = [{"id": f"d{n}", "units": units, "boundaries": [10, 25]} for n, units in enumerate(texts)]
    Path("docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = COMMANDS[name]

    began = time.monotonic()
    right = finished(words)  # and what is there already, which no kill may harm
    whole = time.monotonic() - began
    killed = litter = 0
    for number in range(KILLS // len(COMMANDS)):
        if number % 2:  # half of the runs with nothing in the cache
            for path in (tmp_path / "cache").glob("*"):
                path.unlink()
        run = start(words)
        if number % 3 == 1:  # as soon as it begins to write
            while run.poll() is None and not list(Path().glob(".caesura-*")):
                pass
        else:
            time.sleep(rng.uniform(0.3, 1.05) * whole)
        run.kill()
        run.communicate()
        killed += run.returncode < 0
        left = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
        litter += len(left.keys() - right.keys())
        assert all(file.startswith(".caesura-") for file in left.keys() - right.keys())
        assert {file: left[file] for file in right} == right
        assert finished(words) == right
    print(f"{name}: {killed} killed, {litter} temporary files left and swept")
    assert KILLS < 40 or killed > KILLS // len(COMMANDS) // 3
