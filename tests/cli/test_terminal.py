"""Nothing that a command prints to a terminal controls it, whatever ids, names, texts and file names hold."""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from caesura.cli import _run, cli, command_names
from caesura.errors import for_terminal, visible

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

EVIL = "\x1b]52;c;ZXZpbCEh\x07\x1b]0;t\x07\x1b[2J\x9b31m\u202e\u2066\x7f\r\x08\U000e0041"
"""Write the clipboard, set the title, clear the screen, ring, colour by C1, turn the direction, rub out, hide."""
STYLE = re.compile(r"\x1b\[[0-9;]*m|\x1b\[(?:\?25[lh]|1A|2K)|\r(?=\n|\x1b\[)")
"""The styles and the bar of the command line itself; a terminal driver puts a carriage return before each line feed."""


def test_what_a_terminal_gets_is_still_json():
    text = json.dumps({EVIL: [EVIL + "\n\t"]}, ensure_ascii=False, indent=2)
    shown = for_terminal(text)
    assert visible(shown.replace("\n", " ")) == shown.replace("\n", " ")
    assert json.loads(shown) == json.loads(text)
    assert for_terminal("naïve 漢字 👩\u200d🔬\n\t") == "naïve 漢字 👩\u200d🔬\n\t"


@dataclasses.dataclass
class Terminal:
    """Runs commands in a pseudo-terminal, in this process."""

    patch: pytest.MonkeyPatch

    def __call__(self, *words: object) -> tuple[int, str]:
        """Return the exit code, and what the terminal got."""
        leader, follower = pty.openpty()
        parts: list[bytes] = []

        def read() -> None:
            try:
                while data := os.read(leader, 1 << 16):
                    parts.append(data)
            except OSError:  # so Linux says that the other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        with self.patch.context() as patch, os.fdopen(follower, "w", encoding="utf-8") as stream:
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            patch.setattr(sys, "argv", ["caesura", *map(str, words)])
            patch.setenv("TERM", "xterm-256color")
            patch.setenv("COLUMNS", "120")
            code = _run()
            gc.collect()  # the bar of a command that failed gives back the streams when it is dropped: here, not in a later run
            sys.stdout.flush()
            sys.stderr.flush()
        reader.join()
        os.close(leader)
        return code, b"".join(parts).decode()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal(monkeypatch)


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Write documents whose ids, texts, speakers, annotators, labels and file names are hostile; return the file's name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / f"cache{EVIL}"))
    rng = np.random.default_rng(3)
    topics = [["cats", "purr"], ["rain", "falls"], ["trains", "leave"]]

    def write(name: str = "gold", shift: int = 0, documents: int = 8, **more: object) -> str:
        file = f"{name}{EVIL}.jsonl"
        with Path(file).open("w", encoding="utf-8") as out:
            for number in range(documents):
                units = [f"{' '.join(topics[unit // 4])} {unit} {number} {EVIL}" for unit in range(12)]
                at = [min(7, 4 + shift * (number % 3)), 8]
                people = {f"{who}{EVIL}": [min(11, 3 + k + number % 2), 8] for k, who in enumerate("abc")}
                row = {
                    "id": f"d{number}{EVIL}", "units": units, "boundaries": at, "speakers": [f"s{EVIL}", "t"] * 6,
                    "annotations": people, "scores": rng.random(11).round(3).tolist(), "labels": [f"{sum(unit >= place for place in at)}{EVIL}" for unit in range(12)],
                    **more,
                }  # fmt: skip
                out.write(json.dumps(row) + "\n")
        return file

    return write


def stored(terminal: Terminal, evil: Callable[..., str]) -> str:
    """Write a results file with a hostile name and hostile systems."""
    file = f"r{EVIL}.json"
    assert terminal("evaluate", evil(), f"s{EVIL}={evil('a', 1)}", "-m", "Pk,W-F1", "-o", file)[0] == 0
    return file


def shards(terminal: Terminal, evil: Callable[..., str]) -> list[object]:
    assert terminal("count", evil(), f"s{EVIL}={evil('a', 1)}", "-m", "Pk", "--keep-counts", "-o", f"x{EVIL}")[0] == 0
    return ["merge", f"x{EVIL}"]


def spans(evil: Callable[..., str]) -> list[object]:
    file = Path(f"answers{EVIL}.jsonl")
    rows = [{"id": f"d{n}{EVIL}", "spans": [[0, 12], [40, 90]]} for n in range(8)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["spans", evil(), file, evil("a", 1), "--full"]


def listed(*words: str) -> list[object]:
    """Check lists of chapters with hostile ids and titles, of which one is told twice."""
    file = Path(f"lists{EVIL}.jsonl")
    row = {
        "unit": "ms",
        "n_units": 90000,
        "boundaries": [30000, 60000],
        "segment_titles": ["a", f"b{EVIL}", f"b{EVIL}"],
    }
    file.write_text("".join(json.dumps({"id": f"d{n}{EVIL}", **row}) + "\n" for n in range(3)))
    return ["check", file, *words]


def trained(evil: Callable[..., str]) -> list[object]:
    return ["train", evil(documents=24), "-o", f"model{EVIL}", "--scorer", "WindowHead(window=2, hidden=4)"]


CASES: dict[str, list[Callable[[Terminal, Callable[..., str]], list[object]]]] = {
    "agree": [lambda _, f: ["agree", f(), "--full"], lambda _, f: ["agree", f(), "--format", "markdown", "--full"]],
    "bench": [
        lambda _, f: ["bench", f(), "--method", f"x{EVIL}=TextTiling", "--method", "even", "--gold"],
        lambda _, f: ["bench", f(), "--method", f"x{EVIL}=command:false {EVIL}", "--method", "even", "--gold"],
    ],
    "cache": [lambda _, f: ["cache"], lambda _, f: ["cache", "clear", "--encoder", EVIL]],
    "calibrate": [lambda _, f: ["calibrate", f(), f("logits", 1), "-o", f"t{EVIL}.json"]],
    "check": [lambda _, f: listed("--full"), lambda _, f: listed("--format", "json", "--fix", f"mended{EVIL}")],
    "canonicalize": [lambda _, f: ["canonicalize", f(), "--members", "even"]],
    "cohesion": [lambda _, f: ["cohesion", f(), f("a", 1), "--draws", "2", "--annotators", "--full"]],
    "compare": [
        lambda _, f: ["compare", f(), f("a", 1), f"s{EVIL}={f('b', 2)}", "--full"],
        lambda _, f: ["compare", f(), f("a", 1), f("b", 2), "--format", "latex"],
        lambda _, f: ["compare", f(), f("a", 1), f("b", 2), "--format", "csv"],
    ],
    "convert": [lambda _, f: ["convert", f(), f"c{EVIL}.jsonl"], lambda _, f: ["convert", f(), f"c{EVIL}.unknown"]],
    "correlate": [lambda _, f: ["correlate", f(), f("a", 1), f("b", 2), f("c", 0), "-m", "Pk", "--full"]],
    "count": [lambda _, f: ["count", f(), f("a", 1), "-m", "Pk", "-o", f"shard{EVIL}"]],
    "datasets": [lambda _, f: ["datasets"], lambda _, f: ["datasets", "check", f()], lambda _, f: ["datasets", EVIL]],
    "degrade": [lambda _, f: ["degrade", f(), "-d", "Removal(share=0.3)"]],
    "demo": [lambda _, f: ["demo", "--files", f"demo{EVIL}"]],
    "doctor": [lambda _, f: ["doctor"]],
    "encode": [lambda _, f: ["encode", f(), "-o", f"v{EVIL}.npz"]],
    "evaluate": [
        lambda _, f: ["evaluate", f(), f"s{EVIL}={f('a', 1)}", "--full", "--per-document"],
        lambda _, f: ["evaluate", f(), f("a", 1), "--format", "json", "--per-document"],
        lambda _, f: ["evaluate", f(), f("a", 1, documents=3)],
        lambda _, f: ["evaluate", EVIL, EVIL],
        lambda _, f: ["--debug", "evaluate", EVIL, EVIL],
    ],
    "explain": [
        lambda _, f: ["explain", f(), f("a", 1)],
        lambda _, f: ["explain", f(), f("a", 1), "--document", f"d1{EVIL}"],
        lambda _, f: ["explain", f(), f("a", 1), "--format", "json"],
    ],
    "annotate": [lambda t, f: ["annotate", f"project{EVIL}", "--add", f(), "--people", "ann", "--no-serve"]],
    "explore": [lambda t, f: ["explore", stored(t, f), "--bundle", f"site{EVIL}"]],
    "formats": [lambda _, f: ["formats"], lambda _, f: ["formats", EVIL]],
    "gate": [lambda _, f: ["gate", f(), f"s{EVIL}={f('a', 1)}", "--min", "Pk=0"]],
    "help": [lambda _, f: ["help", "evaluate"], lambda _, f: ["help", EVIL]],
    "merge": [lambda t, f: shards(t, f)],
    "metrics": [lambda _, f: ["metrics"], lambda _, f: ["metrics", EVIL]],
    "report": [lambda t, f: ["report", stored(t, f), "-o", f"page{EVIL}.html"]],
    "reproduce": [lambda _, f: ["reproduce", EVIL]],
    "segment": [
        lambda _, f: ["segment", f(), "--method", "TextTiling"],
        lambda _, f: ["segment", f(), "--method", "even", "-o", f"o{EVIL}.jsonl"],
        lambda _, f: ["segment", f(), "--method", f"command:printf {EVIL}"],
    ],
    "segmenters": [lambda _, f: ["segmenters"], lambda _, f: ["segmenters", EVIL]],
    "select": [lambda _, f: ["select", f(), "--threshold", "0.5"]],
    "show": [lambda t, f: ["show", stored(t, f), "--full"], lambda t, f: ["show", stored(t, f), "--format", "json"]],
    "spans": [lambda _, f: spans(f)],
    "sweep": [lambda _, f: ["sweep", f(), f("a", 1), f("b", 2), "--full"]],
    "train": [lambda _, f: trained(f)],
    "tune": [lambda _, f: ["tune", f(), "TextTiling", "--try", "window=2,3", "--folds", "2", "--full"]],
    "validate": [lambda _, f: ["validate", f(), "--draws", "1", "--levels", "0.5", "--distances", "1"]],
}
"""Words of every command that print as much of the input as there is, and what a failure says."""
FAIL = {("annotate", 0): 2, ("check", 0): 1, ("check", 1): 1, ("gate", 0): 1, ("bench", 1): 4, ("evaluate", 2): 2}


def test_every_command_has_a_case():
    assert {*command_names(), "reproduce"} == set(CASES)
    assert set(cli.list_commands(None)) <= set(CASES)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "place"), [(name, k) for name, cases in CASES.items() for k in range(len(cases))])
def test_a_command_does_not_control_the_terminal(terminal, evil, name, place):
    words = CASES[name][place](terminal, evil)
    code, out = terminal(*words)
    plain = STYLE.sub("", out).replace("\n", " ").replace("\t", " ")
    assert visible(plain) == plain
    said = visible(plain[-600:])
    wrong = any(word in (EVIL, f"c{EVIL}.unknown", f"command:printf {EVIL}") for word in words)
    assert code == FAIL.get((name, place), 2 if wrong else 0), said
    assert out.strip()
    if "json" in words:
        json.loads(out)
