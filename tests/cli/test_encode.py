"""``caesura encode`` and ``caesura cache``."""

from __future__ import annotations

import io
import json
import sqlite3
import sys

import numpy as np
import pytest

import caesura as cz
from caesura.cli._progress import progress_bar
from caesura.encoders import embed
from tests.encoders.conftest import Toy, own_cache, toy_vectors  # noqa: F401  (a fixture)

DOCS = ({"id": "d1", "units": ["a", "b", "a"]}, {"id": "d2", "units": ["c"]})
TOY = "tests.encoders.conftest:Toy"


@pytest.fixture
def docs(write):
    return write("docs.jsonl", *DOCS)


def test_encode(run, docs, tmp_path):
    out = tmp_path / "v.npz"
    code, said, err = run("encode", docs, "-o", out, "--encoder", TOY)
    assert (code, err) == (0, "")
    assert said == f"{out}: 2 documents, 4 vectors of 8 numbers, by toy (toy-1)\n"
    with np.load(out, allow_pickle=False) as found:
        assert found.files == ["d1", "d2"]
        np.testing.assert_array_equal(found["d1"], toy_vectors(["a", "b", "a"]))
    rows = cz.encoder(TOY)
    assert rows.encode(["c"]).shape == (1, 8)


def test_encode_with_the_table(run, docs, tmp_path, own_cache):  # noqa: F811
    code, said, _ = run("encode", docs, "-o", tmp_path / "v.npz")
    assert code == 0
    assert "by default (default-" in said
    assert not own_cache.exists()


def test_the_cache_is_used(run, docs, tmp_path, own_cache):  # noqa: F811
    run("encode", docs, "-o", tmp_path / "1.npz", "--encoder", TOY, "--no-cache")
    assert not own_cache.exists()
    for name in ("2.npz", "3.npz"):
        assert run("encode", docs, "-o", tmp_path / name, "--encoder", TOY).code == 0
    assert (tmp_path / "2.npz").read_bytes() == (tmp_path / "1.npz").read_bytes()
    assert (tmp_path / "3.npz").read_bytes() == (tmp_path / "1.npz").read_bytes()
    path = own_cache / "vectors.sqlite3"
    code, out, _ = run("cache", "--format", "json")
    assert code == 0
    kept = json.loads(out)
    assert kept["path"] == str(path)
    assert kept["encoders"] == [{"name": "toy", "fingerprint": "toy-1", "dim": 8, "entries": 3, "bytes": 96}]
    code, out, _ = run("cache")
    assert "toy-1" in out
    assert str(path) in out
    assert run("cache", "clear", "--encoder", "toi").err == (
        "caesura: the cache keeps no vectors of 'toi'; did you mean toy?\n"
    )
    assert run("cache", "clear", "--encoder", "toy") == (0, f"{path}: 3 vectors dropped\n", "")
    assert run("cache", "clear") == (0, f"{path}: 0 vectors dropped\n", "")
    assert json.loads(run("cache", "--format", "json").out)["encoders"] == []


def test_an_empty_cache(run, own_cache):  # noqa: F811
    code, out, _ = run("cache")
    assert code == 0
    assert "0 bytes on disk" in " ".join(out.split())
    assert run("cache", "clear", "--encoder", "x").code == 2
    assert run("cache", "--encoder", "x").err == "caesura: --encoder needs clear: caesura cache clear --encoder NAME\n"
    assert not own_cache.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("-o", "v.npz", "--encoder", "onxx:minilm"), 2, "'onxx:minilm' is not an encoder; did you mean onnx?"),
        (("-o", "v.json"), 2, "vectors are written as npz"),
        (("-o", "none/v.npz"), 2, "its folder does not exist"),
        (("-o", "there.npz"), 2, "there.npz: exists already"),
        (("-o", "v.npz", "--encoder", "npz:there.npz"), 2, "not a complete npz file"),
        (("-o", "v.npz", "--encoder", "http:http://127.0.0.1:9/v1#m"), 2, "it cannot be reached"),
    ],
)
def test_one_line(run, docs, tmp_path, monkeypatch, arguments, code, says):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("caesura.encoders.web.time.sleep", lambda _: None)
    (tmp_path / "there.npz").write_text("x")
    found = run("encode", docs, *arguments)
    assert found.code == code
    assert found.out == ""
    assert says in found.err
    assert found.err.count("\n") == 1
    assert not (tmp_path / "v.npz").exists()


def test_a_missing_part_is_named(run, docs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    found = run("encode", docs, "-o", tmp_path / "v.npz", "--encoder", "st:all-mpnet-base-v2")
    assert found.code == 3
    assert "pip install 'caesura-eval[torch]'" in found.err


def test_documents_without_texts(run, write, tmp_path):
    found = run("encode", write("gold.jsonl", {"id": "d1", "masses": [2, 3]}), "-o", tmp_path / "v.npz")
    assert found.code == 2
    assert "document 'd1' has no text" in found.err


@pytest.mark.filterwarnings("default")
def test_a_cache_that_cannot_be_used_is_a_note(run, docs, tmp_path, own_cache):  # noqa: F811
    own_cache.mkdir()
    (own_cache / "vectors.sqlite3").write_bytes(b"no database" * 1000)
    found = run("encode", docs, "-o", tmp_path / "v.npz", "--encoder", TOY)
    assert found.code == 0
    assert found.err.startswith("caesura: note: ")
    assert "the cache cannot be read (file is not a database); continuing without it" in found.err
    assert found.err.count("\n") == 1
    found = run("cache")
    assert found.code == 2
    assert found.err.count("\n") == 1


def test_a_dimension_that_is_another(run, docs, tmp_path, own_cache):  # noqa: F811
    assert run("encode", docs, "-o", tmp_path / "v.npz", "--encoder", TOY).code == 0
    connection = sqlite3.connect(own_cache / "vectors.sqlite3")
    connection.execute("UPDATE encoders SET dim = 9")
    connection.commit()
    connection.close()
    found = run("encode", docs, "-o", tmp_path / "w.npz", "--encoder", TOY)
    assert found.code == 2
    assert "caesura cache clear --encoder toy-1" in found.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_is_for_terminals(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar("encoding") as progress:
        assert progress is None
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bar("encoding") as progress:
        assert progress is not None
        for done in (0, 50, 100):
            progress(done, 100)
    assert "encoding" in screen.getvalue()
    assert "100/100" in screen.getvalue()
    assert "texts/s" in screen.getvalue()


class Picky(Toy):
    """Fails on one text."""

    fingerprint = "picky-1"

    def encode(self, texts):
        if "c" in texts:
            raise cz.EncoderError("the server refused a text")
        return toy_vectors(texts)


def test_a_folder_is_resumed_and_read(run, docs, tmp_path):
    folder = tmp_path / "vectors"
    code, said, err = run("encode", docs, "-o", f"{folder}/", "--encoder", TOY)
    assert (code, err) == (0, "")
    assert "2 documents, 4 vectors of 8 numbers, by toy (toy-1)" in said
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert sorted(before) == ["00000.json", "00000.npy"]
    assert run("encode", docs, "-o", folder, "--encoder", TOY).code == 0
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    vectors = embed(cz.load(docs), f"npz:{folder}")
    np.testing.assert_array_equal(vectors["d1"], toy_vectors(["a", "b", "a"]))
    code, _, err = run("encode", docs, "-o", folder)
    assert code == 2
    assert "of another encoder" in err


def test_a_document_that_fails_is_named_and_the_rest_written(run, docs, tmp_path):
    folder = tmp_path / "vectors"
    code, _, err = run("encode", docs, "-o", folder, "--encoder", "tests.cli.test_encode:Picky", "--no-cache")
    assert code == 4
    assert "document 'd2': " in err
    assert "1 of 2 documents failed" in err
    assert json.loads((folder / "00000.json").read_text())["failed"] == ["d2"]
