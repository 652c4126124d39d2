"""``--engine`` of encode, segment, bench and cohesion: shards give the bits of the plain run, and failures are named.

Every test runs here (``local``), and on a cluster of two workers where Ray is installed (make test-ray).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import caesura as cz
from caesura.errors import DeclarationError
from caesura.scale import chance, segmenting
from caesura.scale.work import pool_size
from tests.encoders.conftest import Toy, own_cache, toy_vectors  # noqa: F401  (a fixture)

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests.cli.test_engines"
WORDS = ["cat", "dog", "rain", "bank", "rate", "loan", "sun", "wind", "river", "tree", "stone", "market"]


class Picky(Toy):
    """Fails on one word, and kills its process on others: once, or every time."""

    name, fingerprint = "picky", "picky-1"

    def encode(self, texts):
        for text in texts:
            if text.startswith("refused"):
                raise cz.EncoderError("the server refused a text")
            how, _, fuse = text.partition(" ")
            if how == "always" or (how == "once" and Path(fuse).exists()):
                if how == "once":
                    Path(fuse).unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return toy_vectors(texts)


CALLS: list[list[str]] = []
STOP: list[str] = []


def cut(units):
    """A method that remembers what it was given, stops as Ctrl-C does, waits for a file, and refuses some documents."""
    CALLS.append(units)
    how, _, file = units[0].partition(" ")
    while how == "wait" and not Path(file).exists():
        time.sleep(0.02)
    if units[0] in STOP:
        raise KeyboardInterrupt
    if units[0] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if units[0].startswith("refused"):
        raise ValueError("no")
    return [2]


@pytest.fixture(params=["local", "ray"])
def engine(request):
    """An engine; small shards, so that a small corpus has several."""
    if request.param == "ray":
        request.getfixturevalue("two_workers")
    return request.param


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(segmenting, "DOCUMENTS", 4)
    monkeypatch.setattr(chance, "DOCUMENTS", 4)


def documents(number=10, first=()):
    """Return documents of some words; ``first`` are the first units of some of them."""
    rng = np.random.default_rng(7)
    rows = []
    for place in range(number):
        units = [" ".join(rng.choice(WORDS, 6)) for _ in range(5 + place % 4)]
        gaps = sorted((rng.choice(len(units) - 1, 2, replace=False) + 1).tolist())
        rows.append({"id": f"d{place}", "units": units, "boundaries": gaps})
    for place, text in dict(first).items():
        rows[place]["units"][0] = text
    return rows


def outputs(folder):
    """Return the files of a folder, without what differs from run to run."""
    found = {}
    for path in sorted(folder.iterdir()):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            assert row["made_by"].pop("seconds") >= 0
            row["made_by"].pop("peak_memory_mb")
        found[path.name] = rows
    return found


METHODS = ("--method", "TextTiling(window=2)", "--method", "VectorTiling", "--method", "random(p=0.3)",
           "--method", f"{HERE}:cut", "--method", "MetricOptimiser(metric='SegReFree')")  # fmt: skip
TOY = ("--encoder", "tests.encoders.conftest:Toy", "--no-cache")
PICKY = ("--encoder", f"{HERE}:Picky", "--no-cache")


def test_encode_writes_the_same_bytes(run, write, tmp_path, engine):
    many = [{"id": f"d{i}", "units": [f"{i} a", f"{i} b"]} for i in range(2100)]
    docs = write("docs.jsonl", *many)
    assert run("encode", docs, "-o", tmp_path / "plain/", *TOY).code == 0
    code, out, err = run("encode", docs, "-o", tmp_path / "engine/", "--engine", engine, *TOY)
    assert (code, err) == (0, "")
    assert "2100 documents, 4200 vectors of 8 numbers" in out
    files = {path.name: path.read_bytes() for path in (tmp_path / "plain").iterdir()}
    assert len(files) == 6
    assert {path.name: path.read_bytes() for path in (tmp_path / "engine").iterdir()} == files
    code, _, err = run("encode", docs, "-o", tmp_path / "v.npz", "--engine", engine, *TOY)
    assert code == 2
    assert "end the name of the output in /" in err


def test_segment_gives_the_same_documents_and_goes_on(run, write, tmp_path, engine):
    docs, done = write("docs.jsonl", *documents()), tmp_path / "done"
    call = ("segment", docs, *METHODS, *TOY)
    assert run(*call, "-o", tmp_path / "plain").code == 0
    assert run(*call, "-o", tmp_path / "one", "--engine", engine, "--shards", done).code == 0
    assert outputs(tmp_path / "one") == outputs(tmp_path / "plain")
    assert len(list(done.iterdir())) == 3 * 4 + 1, "three blocks by four methods, and a method of the whole corpus"
    damaged = min(done.iterdir())
    damaged.write_text(damaged.read_text()[:-20])
    before = {path.name: path.stat().st_mtime_ns for path in done.iterdir() if path != damaged}
    CALLS.clear()
    assert run(*call, "-o", tmp_path / "two", "--engine", "local", "--shards", done).code == 0
    assert outputs(tmp_path / "two") == outputs(tmp_path / "plain")
    assert len(CALLS) in (0, 2, 4), "no block but that of the damaged file"
    after = {path.name: path.stat().st_mtime_ns for path in done.iterdir()}
    assert sum(after[name] == before[name] for name in before) >= 7
    CALLS.clear()
    assert run(*call, "-o", tmp_path / "three", "--engine", "local", "--shards", done).code == 0
    assert not CALLS
    assert {path.name: path.stat().st_mtime_ns for path in done.iterdir()} == after


def test_cohesion_gives_the_same_results(run, write, tmp_path, engine):
    docs, done = write("docs.jsonl", *documents()), tmp_path / "done"
    assert run("segment", docs, *METHODS, *TOY, "-o", tmp_path / "systems").code == 0
    systems = sorted((tmp_path / "systems").iterdir())[:2]
    asked = ("-m", "Placement(of='both')", "-m", "ARPpair", "--draws", 5, "--resamples", 20, "--no-check")
    call = ("cohesion", docs, *systems, *asked, "--format", "json", *TOY)
    plain = run(*call)
    assert plain.code == 0
    assert run(*call, "--engine", engine, "--shards", done) == plain
    files = {path: path.stat().st_mtime_ns for path in done.rglob("*") if path.is_file()}
    assert sum(path.name.endswith(".shard.npz") for path in files) == 3
    assert sum(path.name == "00000.npy" for path in files) == 1
    damaged = next(path for path in files if path.name.endswith(".shard.npz"))
    damaged.write_bytes(damaged.read_bytes()[:200])
    del files[damaged]
    assert run(*call, "--engine", "local", "--shards", done) == plain
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert run(*call, "--engine", engine) == plain, "also where nothing is kept"


@pytest.mark.parametrize("question", [("--gold", "-m", "Pk"), ("-m", "ARPpair")], ids=["gold", "cohesion"])
def test_bench_gives_the_same_results(run, write, tmp_path, engine, question):
    docs = write("docs.jsonl", *documents())
    methods = ("--method", "VectorTiling", "--method", "random(p=0.3)")
    call = ("bench", docs, *methods, *question, "--resamples", 20, "--format", "json", *TOY)
    found = [run(*call), run(*call, "--engine", engine)]
    assert [each.code for each in found] == [0, 0]
    plain, sharded = (json.loads(each.out) for each in found)
    for results in (plain, sharded):
        assert len(results.pop("costs")) == 2
    assert sharded == plain


def test_a_document_that_cannot_be_encoded_is_named_and_the_rest_kept(run, write, tmp_path, engine):
    docs = write("docs.jsonl", *documents(first={6: "refused"}))
    asked = ("--engine", engine, *PICKY)
    code, _, err = run("encode", docs, "-o", tmp_path / "v/", *asked)
    assert code == 4
    assert "document 'd6': " in err
    assert "1 of 10 documents failed" in err
    assert json.loads((tmp_path / "v" / "00000.json").read_text())["failed"] == ["d6"]
    target = tmp_path / "vt.jsonl"
    code, out, err = run("segment", docs, "--method", "VectorTiling", "-o", target, *asked)
    assert (code, out.split(",")[0]) == (4, f"{target}: 9 documents")
    assert "VectorTiling: document 'd6': " in err
    call = ("cohesion", docs, "-m", "Placement", "--draws", 5, "--no-check", "--format", "json")
    code, out, err = run(*call, *asked)
    assert code == 4
    assert "document 'd6': " in err
    results = json.loads(out)
    (system,) = results["systems"].values()
    assert system["Placement"]["documents"] == 9
    assert "1 of 10 documents could not be encoded, left out" in results["notes"]
    call = ("bench", docs, "--method", "VectorTiling", "--method", "none", "--gold", "-m", "Pk")
    code, out, err = run(*call, "--format", "json", *asked)
    assert code == 4
    results = json.loads(out)
    assert results["systems"]["none"]["Pk"]["documents"] == 9
    assert "documents that failed, and are not in these numbers: 1" in results["notes"]


def test_a_method_that_fails_on_one_document(run, write, tmp_path, engine):
    docs = write("docs.jsonl", *documents(first={1: "refused"}))
    target = tmp_path / "out.jsonl"
    code, _, err = run("segment", docs, "--method", f"{HERE}:cut", "-o", target, "--engine", engine)
    assert code == 4
    assert "document 'd1'" in err
    assert [json.loads(line)["id"] for line in target.read_text().splitlines()] == [
        f"d{i}" for i in range(10) if i != 1
    ]
    all_bad = write("bad.jsonl", *documents(6, dict.fromkeys(range(6), "refused")))
    code, _, err = run("segment", all_bad, "--method", f"{HERE}:cut", "-o", tmp_path / "no", "--engine", engine)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "no").exists()


def test_an_encoder_that_is_not_there_is_named_once(run, write, tmp_path, engine):
    docs = write("docs.jsonl", *documents())
    call = ("segment", docs, "--method", "VectorTiling", "--encoder", "numpy:nowhere", "--engine", engine)
    code, _, err = run(*call, "-o", tmp_path / "out.jsonl")
    assert code == 2
    assert len(err.splitlines()) == 1


def test_ctrl_c_says_what_was_done_and_the_same_command_goes_on(run, write, tmp_path):
    rows = documents(12)
    docs, done = write("docs.jsonl", *rows), tmp_path / "done"
    call = ("segment", docs, "--method", f"{HERE}:cut", "-o", tmp_path / "out.jsonl", "--engine", "local")
    STOP.append(rows[9]["units"][0])
    try:
        code, _, err = run(*call, "--shards", done)
        assert code == 130
        assert f"2 of 3 shards were done, and are kept in {done}; the same command goes on from there" in err
        assert "with --shards FOLDER they would be kept" in run(*call).err
    finally:
        STOP.clear()
    CALLS.clear()
    assert run(*call, "--shards", done).code == 0
    assert [units[0] for units in CALLS] == [row["units"][0] for row in rows[8:]]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of processes")
def test_no_space_left_names_the_part_and_keeps_the_others(write, tmp_path):
    import resource

    sizes = [1] * 1000 + [40] * 1000
    docs = write("docs.jsonl", *({"id": f"{i}", "units": [f"{i}"] * n} for i, n in enumerate(sizes)))
    folder = tmp_path / "v"
    # -B, since byte code that is cut off at the limit would stay.
    call = [sys.executable, "-B", "-m", "caesura", "encode", docs, "-o", folder, "--engine", "local", *TOY]
    limit = 300_000  # bytes: more than the array of a thousand vectors and its index, less than that of 40,000
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}

    def go(limited):
        return subprocess.run(
            list(map(str, call)), capture_output=True, text=True, check=False, env=env,
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limited else None,
        )  # fmt: skip

    full = go(True)
    assert full.returncode == 4, full.stderr
    assert "00001.npy: cannot be written (File too large)" in full.stderr
    assert "1000 of 2000 documents failed" in full.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["00000.json", "00000.npy"]
    kept = (folder / "00000.npy").stat().st_mtime_ns
    assert go(False).returncode == 0
    assert (folder / "00000.npy").stat().st_mtime_ns == kept
    assert len(list(folder.iterdir())) == 4


def test_options_of_engines_need_one(run, docs, tmp_path):
    for wrong, why in (
        (("--shards", tmp_path / "x"), "--shards requires --engine"),
        (("--actors", 1), "--actors requires --engine"),
        (("--engine", "local", "--actors", 1), "--actors are those of Ray"),
        (("--engine", "spark"), "engine 'spark' is unknown; choose local, ray or ray://ADDRESS"),
    ):
        code, _, err = run("segment", docs, "--method", "none", *wrong)
        assert code == 2
        assert why in err


@pytest.mark.parametrize(
    ("wanted", "processors", "cards", "size"),
    [(None, 2, 0, 1), (None, 64, 0, 63), (None, 64, 4, 4), (None, 4, 8, 3), (5, 64, 4, 5), (1, 2, 0, 1)],
)
def test_a_pool_leaves_a_processor_free(wanted, processors, cards, size):
    assert pool_size(wanted, processors, cards) == size


@pytest.mark.parametrize(
    ("wanted", "processors", "remedy"),
    [(2, 2, "give at most --actors 1"), (64, 64, "give at most --actors 63"), (None, 1, "start Ray with at least 2")],
)
def test_a_pool_that_takes_every_processor_is_refused(wanted, processors, remedy):
    with pytest.raises(DeclarationError, match="would take every processor of the cluster") as caught:
        pool_size(wanted, processors, 0)
    assert remedy in str(caught.value)


def test_ray_refuses_such_a_pool(run, write, tmp_path, two_workers):
    docs = write("docs.jsonl", *documents())
    code, _, err = run("encode", docs, "-o", tmp_path / "v/", "--engine", "ray", "--actors", 2, *TOY)
    assert code == 2
    assert "2 actors would take every processor of the cluster, which has 2; give at most --actors 1" in err


def test_an_actor_that_is_killed_loses_and_doubles_nothing(run, write, tmp_path, two_workers):
    """The process that holds the encoder dies in the middle of a shard, once: another does the shard again."""
    fuse = tmp_path / "fuse"
    fuse.write_text("")
    docs = write("docs.jsonl", *documents(first={5: f"once {fuse}"}))
    call = ("segment", docs, "--method", "VectorTiling", *PICKY)
    assert run(*call, "-o", tmp_path / "ray.jsonl", "--engine", "ray").code == 0
    assert not fuse.exists()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "ray.jsonl").rename(tmp_path / "one" / "x.jsonl")
    assert run(*call, "-o", tmp_path / "two" / "x.jsonl").code == 0
    assert outputs(tmp_path / "one") == outputs(tmp_path / "two")


def test_a_document_that_kills_every_worker_is_named_and_the_rest_kept(run, write, tmp_path, two_workers):
    docs = write("docs.jsonl", *documents(first={5: "always"}))
    call = ("segment", docs, "--method", "VectorTiling", *PICKY, "-o", tmp_path / "out.jsonl")
    code, out, err = run(*call, "--engine", "ray")
    assert code == 4
    assert "9 documents" in out
    assert "VectorTiling: document 'd5': the worker failed" in err


def test_a_function_that_kills_its_worker_costs_its_own_document(run, write, tmp_path, two_workers):
    """Also in the only shard, and another method has all documents."""
    docs = write("docs.jsonl", *documents(4, first={2: "killed"}))
    call = ("segment", docs, "--method", f"{HERE}:cut", "--method", "even", "-o", tmp_path / "out")
    code, out, err = run(*call, "--engine", "ray")
    assert code == 4
    assert "3 documents" in out
    assert "4 documents" in out
    assert "document 'd2': the worker failed" in err
    code, _, err = run(
        "segment", write("one.jsonl", *documents(1, first={0: "killed"})), "--method", f"{HERE}:cut",
        "-o", tmp_path / "cut.jsonl", "--engine", "ray",
    )  # fmt: skip
    assert code == 2
    assert "document 'd0': the worker failed" in err


def test_ctrl_c_on_ray_keeps_what_is_done(run, write, tmp_path, two_workers):
    """Ctrl-C comes while the last of three shards is being worked on, and the others are kept."""
    go, done = tmp_path / "go", tmp_path / "done"
    docs = write("docs.jsonl", *documents(12, first={8: f"wait {go}"}))
    call = ("segment", docs, "--method", f"{HERE}:cut", "-o", tmp_path / "out.jsonl", "--shards", done)

    def interrupt():
        while len(list(done.glob("*.shard.jsonl"))) < 2:
            if go.exists():
                return  # the run ended by itself, which the test notices
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        code, _, err = run(*call, "--engine", "ray")
    finally:
        go.write_text("")  # whoever waits for it goes on
        thread.join()
    assert code == 130
    assert re.search(rf"[12] of 3 shards were done, and are kept in {re.escape(str(done))}", err)
    CALLS.clear()
    assert run(*call, "--engine", "local").code == 0
    assert len(CALLS) == 4, "the last shard, and no other"
