# SPDX-License-Identifier: Apache-2.0
"""``caesura datasets`` and ``caesura canonicalize``."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from caesura.datasets import DATASETS
from caesura.datasets.download import Offer
from tests.datasets.test_download import CONTENT, Server

CHOI = "=====\na one\nb two\n=====\nc three\nd four\n=====\n"


def test_the_list_has_every_dataset_and_fits(run, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run("datasets").out
    assert all(name in out for name in DATASETS.names())
    assert max(map(len, out.splitlines())) <= 80
    listed = json.loads(run("datasets", "--format", "json").out)
    assert len(listed) == len(DATASETS.names())
    assert {"source", "licence", "serves", "files", "download"} <= set(listed[0])


@pytest.mark.parametrize("name", [*DATASETS.names(), "Wiki50", "SuperSeg"])
def test_every_dataset_is_described(run, name: str) -> None:
    out = run("datasets", name).out
    assert max(map(len, out.splitlines())) <= 80
    assert "licence" in out


def test_get_says_where_a_dataset_is(run) -> None:
    done = run("datasets", "get", "Choi")
    assert done.code == 2
    assert "has to be downloaded by hand, from github.com/logological/C99" in done.err


@pytest.mark.filterwarnings("default::caesura.errors.CaesuraWarning")
def test_get_from_a_real_server(run, monkeypatch, tmp_path: Path) -> None:
    """A server on this machine: downloaded, present, resumed, wrong, and gone."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()

        def offer(path: str, **changes: object) -> None:
            made = {"TIAGE": Offer("a part", (server.file(path, **changes),))}
            monkeypatch.setattr("caesura.cli.datasets.offers", lambda: made)

        offer("/ranges")
        got = run("datasets", "get", "TIAGE", "--to", str(tmp_path / "a"))
        assert (got.code, got.err) == (0, "")
        assert "a part; 1 downloaded; licence: MIT" in got.out
        assert (tmp_path / "a/sub/data.bin").read_bytes() == CONTENT
        assert "1 present" in run("datasets", "get", "TIAGE", "--to", str(tmp_path / "a")).out
        monkeypatch.chdir(tmp_path)
        for place, told in (("", 0), (str(tmp_path / "nowhere"), 1), (str(tmp_path / "a"), 0)):
            monkeypatch.setenv("CAESURA_DATA", place)
            got = run("datasets", "get", "TIAGE")
            assert (got.code, got.err.count("not a folder"), got.err.count("\n")) == (0, told, told)
            assert (tmp_path / ("a" if place.endswith("a") else ".") / "TIAGE/sub/data.bin").is_file()
        monkeypatch.delenv("CAESURA_DATA")
        (tmp_path / "b/sub").mkdir(parents=True)
        (tmp_path / "b/sub/.data.bin.part").write_bytes(CONTENT[:5000])
        assert "1 resumed" in run("datasets", "get", "TIAGE", "--to", str(tmp_path / "b")).out
        assert server.asked[-1] == ("/ranges", "bytes=5000-")
        offer("/plain", sha256="0" * 64)
        wrong = run("datasets", "get", "TIAGE", "--to", str(tmp_path / "c"))
        assert (wrong.code, wrong.err.count("\n")) == (2, 1)
        assert "sent a file with an unexpected SHA-256; nothing was kept" in wrong.err
        assert not (tmp_path / "c").exists()
        offer("/plain")
        server.shutdown()
    thread.join()
    gone = run("datasets", "get", "TIAGE", "--to", str(tmp_path / "d"))
    assert (gone.code, gone.err.count("\n")) == (2, 1)
    assert "if there is no network, download the file elsewhere and put it here" in gone.err


def test_wrong_use(run, tmp_path: Path) -> None:
    for words in (
        ["get"],
        ["check"],
        ["Choi", "x"],
        ["--to", "x"],
        ["Choi", "--dataset", "Choi"],
        ["Choi", "--from", "jsonl"],
        ["get", "Chio"],
    ):
        done = run("datasets", *words)
        assert done.code == 2
        assert len(done.err.strip().splitlines()) == 1


@pytest.mark.filterwarnings("always::caesura.errors.CaesuraWarning")
def test_check_finds_copies(run, tmp_path: Path) -> None:
    for name in ("1", "2"):
        (tmp_path / f"{name}.ref").write_text(CHOI)
    (tmp_path / "3.ref").write_text(CHOI + "c  three\nD four\n")
    done = run("datasets", "check", str(tmp_path), "--dataset", "Choi")
    assert "1 = 2" in done.out
    assert "3 documents. Copies of another: 1. With two adjacent equal segments: 1." in " ".join(done.out.split())
    plain = run("datasets", "check", str(tmp_path))
    assert "1 = 2" in plain.out


@pytest.mark.filterwarnings("always::caesura.errors.CaesuraWarning")
def test_canonicalize_writes_and_counts(run, tmp_path: Path) -> None:
    file = tmp_path / "anno_test.json"
    turns = [["a", "-1"], ["b", "0"], ["c", "1"], [" ", "0"], ["d", "1"], ["e", "0"]]
    file.write_text(json.dumps({"1": turns}))
    out = tmp_path / "out.jsonl"
    done = run("canonicalize", str(file), "--dataset", "TIAGE", "--members", "user", "-o", str(out))
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines() if line[:3] in ("all", "use")]
    assert [row[-3:] for row in rows] == [["1", "5", "2"], ["1", "3", "2"], ["1", "3", "1"]]
    assert "1 blank unit dropped" in done.err
    record = json.loads(out.read_text())
    assert record["units"] == ["a", "c", "d"]  # the blank turn was the agent's
    assert record["read_as"] == "TIAGE(split='test')[members=user]"
    again = run("canonicalize", str(out), "--members", "all", "--format", "json")
    assert json.loads(again.out)[0]["boundaries"] == 2
    assert run("canonicalize", str(file), "--dataset", "TIAGE", "-o", str(out)).code == 2  # exists already
    assert json.loads(out.read_text()) == record


def test_a_format_can_be_named(run, tmp_path: Path) -> None:
    """An error says to name a format with --from, so both commands that read documents take it."""
    unknown, file = tmp_path / "anno_test.json", tmp_path / "dialogues.data"
    unknown.write_text('[["a", "-1"], ["b", "1"]]')
    file.write_text('{"id":"a","units":["x","y","z"],"boundaries":[1]}\n')
    for command in (["canonicalize"], ["datasets", "check"]):
        assert "name its format with --from" in run(*command, str(unknown)).err
        words = [*command, str(file)]
        assert run(*words, "--from", "jsonl").code == 0
        assert "1 documents" not in run(*words, "--from", "jsonl").out
        both = run(*words, "--from", "jsonl", "--dataset", "TIAGE")
        assert (both.code, both.err.count("\n")) == (2, 1)
        assert "exclude each other" in both.err
