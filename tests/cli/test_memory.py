# SPDX-License-Identifier: Apache-2.0
"""Memory follows the size of a file, not a number in it; what does not fit is one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from caesura import Corpus, Document, Segmentation, evaluate
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import MADE_BY
from caesura.evaluation.chance.clock import clock_pairs, period_of
from caesura.limits import peak_bytes
from caesura.placements.even import every_of_each

pytestmark = pytest.mark.filterwarnings("always::caesura.errors.CaesuraWarning")

LONG, LONGEST = 2_000_000_000, 2**40
REFUSED = "units, more than 10,000,000 units, the limit; if you trust the file, set CAESURA_LIMITS=2 to double it"
SCORED = [
    ("evaluate", "g.jsonl", "s.jsonl", "--full", "--verdict", "--ci", "-o", "r.json"),
    ("evaluate", "a.jsonl", "s.jsonl", "--against", "annotators", "--full"),
    ("compare", "g.jsonl", "s.jsonl", "g.jsonl", "--full"),
    ("explain", "g.jsonl", "s.jsonl"),
    ("agree", "a.jsonl", "--full"),
    ("count", "g.jsonl", "s.jsonl", "-o", "shard.json"),
    ("segment", "g.jsonl", "--method", "even"),
    ("segment", "g.jsonl", "--method", "random_density"),
    ("tune", "g.jsonl", "every", "--try", "n=1000000000,900000000", "-m", "W-F1"),
    ("degrade", "g.jsonl", "-d", "Shuffle"),
]
TOO_MANY = [
    ("segment", "g.jsonl", "--method", "all"),
    ("segment", "g.jsonl", "--method", "random"),
    ("segment", "g.jsonl", "--method", "random_share"),
    ("evaluate", "g.jsonl", "s.jsonl", "--baselines", "all"),
    ("canonicalize", "g.jsonl"),
    ("canonicalize", "g.jsonl", "--members", "even"),
    ("convert", "g.jsonl", "o.bits"),
    ("spans", "g.jsonl", "spans.jsonl", "s.jsonl", "--spans-in", "units"),
]


@pytest.fixture
def long(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(units: int) -> None:
        write("g.jsonl", {"id": "a", "n_units": units, "boundaries": [5, 9]})
        write("s.jsonl", {"id": "a", "n_units": units, "boundaries": [6, 700]})
        write("a.jsonl", {"id": "a", "n_units": units, "annotations": {"x": [5, 9], "y": [5, 10], "z": [7, 2000]}})
        write("spans.jsonl", {"id": "a", "spans": [[2, 9]]})

    return make


@pytest.fixture
def frugal(run):
    """Run a command, and fail if it takes more than 200 MB: modules that are loaded for the first time are among them."""
    reset = Path("/proc/self/clear_refs")

    def call(*words):
        if reset.exists():
            reset.write_text("5")  # the peak begins again at what is in use
        before = peak_bytes() or 0
        outcome = run(*words)
        assert not reset.exists() or peak_bytes() - before < 200_000_000
        return outcome

    return call


@pytest.mark.parametrize("words", SCORED, ids=" ".join)
def test_boundaries_are_scored_however_long_a_document_is(words, frugal, long):
    long(LONGEST)
    outcome = frugal(*words)
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("words", TOO_MANY, ids=" ".join)
def test_what_takes_memory_for_each_unit_is_refused(words, frugal, long):
    long(LONG)
    outcome = frugal(*words)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert f"takes memory for each of 2,000,000,000 {REFUSED}" in outcome.err


def test_many_documents_are_limited_together_and_short_ones_are_not(run, write, monkeypatch):
    long = write("long.jsonl", *({"id": f"d{n}", "n_units": 2_000_000, "boundaries": [5]} for n in range(6)))
    assert f"takes memory for each of 12,000,000 {REFUSED}" in run("segment", long, "--method", "all").err
    monkeypatch.setenv("CAESURA_LIMITS", "0.00001")  # 100 units, and one of each document
    short = write("short.jsonl", *({"id": f"d{n}", "n_units": 1, "boundaries": []} for n in range(300)))
    assert run("segment", short, "--method", "all").code == 0
    wide = write("wide.jsonl", *({"id": f"d{n}", "n_units": 2, "boundaries": []} for n in range(300)))
    assert run("segment", wide, "--method", "all").code == 2


def test_no_random_scores_are_written_for_gaps_without_number(run, write, monkeypatch):
    path = write("g.jsonl", {"id": "a", "n_units": 50, "boundaries": [5, 9]})
    texts = write("t.jsonl", {"id": "a", "units": ["x"] * 50, "boundaries": [5, 9]})
    assert '"scores":[' in run("segment", path, "--method", "even").out
    monkeypatch.setenv("CAESURA_LIMITS", "0.000001")  # ten units
    outcome = run("segment", path, "--method", "even")
    assert (outcome.code, '"scores"' in outcome.out, outcome.err.count("\n")) == (0, False, 1)
    assert "its gaps have no scores: the documents have no texts and more than 10 units" in outcome.err
    outcome = run("segment", texts, "--method", "even")  # these are as large as their file
    assert ('"scores":[' in outcome.out, outcome.err) == (True, "")


def test_a_clock_is_the_same_as_if_all_its_boundaries_were_made():
    random = np.random.default_rng(3)
    for _ in range(300):
        units = random.integers(1, 40, size=int(random.integers(1, 5)))
        if random.random() < 0.4:
            made = every_of_each(units, int(random.integers(1, 9)))
            hypothesis = [made.segmentation(row) for row in range(len(units))]
        else:
            hypothesis = [Segmentation(n, np.flatnonzero(random.random(n - 1) < 0.2) + 1) for n in units.tolist()]
        flat = Flat.from_segmentations(hypothesis)
        pairs = Pairs(units, np.zeros(len(units) + 1, np.int64), np.empty(0, np.int64), flat.ptr, flat.pos)
        own = next((s.boundaries[0] for s in hypothesis if s.boundaries), 0)
        clock = own and every_of_each(units, own)
        if own and np.array_equal(clock.ptr, pairs.hyp_ptr) and np.array_equal(clock.pos, pairs.hyp_pos):
            assert period_of(pairs) == own
        assert len(clock_pairs(pairs)["every"].hyp_pos) <= 2 * len(pairs.hyp_pos)


@pytest.mark.parametrize("error", [MemoryError("Unable to allocate 1.33 TiB"), MemoryError()])
def test_too_little_memory_is_one_line_and_2(error, run, write, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise error

    gold = write("g.jsonl", {"id": "a", "n_units": 9, "boundaries": [5]})
    monkeypatch.setattr("caesura.evaluation.evaluate.evaluate", broken)
    code, out, err = run("evaluate", gold, gold)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("caesura: not enough memory (MemoryError")
    assert "use fewer or shorter documents" in err


@pytest.mark.skipif(sys.platform == "win32", reason="limits of memory are those of POSIX")
@pytest.mark.parametrize(("limit", "code"), [(60_000, 2), (100_000, 2), (150_000, 2), (200_000, 2), (262_144, 0)])
def test_a_limit_of_memory_is_told_before_a_library_fails_on_it(limit, code, tmp_path):
    (tmp_path / "g.jsonl").write_text('{"id": "a", "units": ["a b", "c", "d e", "f"], "boundaries": [2]}\n')
    words = [sys.executable, "-m", "caesura", "cohesion", "g.jsonl", "-m", "ARPcos", "--no-check"]
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {limit} && exec "$@"', "sh", *words],
        capture_output=True, text=True, timeout=100, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    if code:
        assert done.stderr.startswith("caesura: not enough memory: the limit of this shell is ")
        assert done.stderr.count("\n") == 1


def test_nesting_that_no_reader_refused_is_one_line_and_2(run, write, monkeypatch):
    def deep(*_: object, **__: object) -> None:
        deep()

    gold = write("g.jsonl", {"id": "a", "n_units": 9, "boundaries": [5]})
    monkeypatch.setattr("caesura.evaluation.evaluate.evaluate", deep)
    assert run("evaluate", gold, gold) == (2, "", "caesura: the input is nested too deeply; make it flatter\n")


def test_the_end_of_a_file_inside_a_command_is_not_ctrl_c(run, write, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise EOFError("no more data")

    gold = write("g.jsonl", {"id": "a", "n_units": 9, "boundaries": [5]})
    monkeypatch.setattr("caesura.evaluation.evaluate.evaluate", broken)
    code, _, err = run("evaluate", gold, gold)
    assert (code, "interrupted" in err) == (70, False)


def test_recipes_of_documents_without_scores_do_not_promise_any(monkeypatch):
    monkeypatch.setenv("CAESURA_LIMITS", "0.000001")
    from caesura.segmenters.run import parse_methods, run_method

    corpus = Corpus([Document(id="a", n_units=50, segmentation=Segmentation(50, (5,)))])
    with pytest.warns(UserWarning, match="no scores"):
        made = run_method(corpus, parse_methods(["even"])[0])
    assert "scores" not in made["a"].extra[MADE_BY]
    assert evaluate(corpus, {"even": made}, "Pk").results().systems["even"]["Pk"].score is not None
