"""Long work says its size before it begins."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evaluate", "--skill"], "200 random placements of {} boundaries (documents: 30, systems: 2)"),
        (["evaluate", "--verdict"], "200 random placements of {} boundaries"),
        (["compare"], "9,999 permutations of 30 documents for each of 1 pairs of systems and 1 metrics"),
        (["compare"], "200 random placements of {} boundaries"),
    ],
)
def test_long_work_says_its_size(run, files, monkeypatch, words, says):
    gold, good, bad = files
    command = [words[0], gold, good, bad, "-m", "B", *words[1:]]
    assert "takes a while" not in run(*command).err
    monkeypatch.setattr("caesura.cli._progress.LONG", 10)
    import caesura

    boundaries = sum(len(caesura.load(file).flat.pos) for file in (good, bad))
    assert f"caesura: note: this takes a while: {says.format(f'{boundaries:,}')}" in run(*command).err


@pytest.mark.parametrize(("words", "pairs"), [([], 3), (["--with", "good"], 2), (["--with", "none"], 3)])
def test_the_number_of_pairs_is_that_of_the_comparisons(run, files, monkeypatch, words, pairs):
    """All pairs of three systems, those with one of them, and those with a baseline that joins them."""
    gold, good, bad = files
    monkeypatch.setattr("caesura.cli._progress.LONG", 10)
    few = ["-m", "Pk", "--resamples", "50", "--permutations", "99", "--format", "json"]
    found = run("compare", gold, good, bad, f"again={bad}", *few, *words)
    assert f"99 permutations of 30 documents for each of {pairs} pairs of systems and 1 metrics" in found.err
    assert len(json.loads(found.out)["comparisons"]) == pairs


def test_with_many_boundaries_the_draws_are_a_range(run, files, monkeypatch):
    monkeypatch.setattr("caesura.cli._progress.LONG", 10)
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 10)
    gold, good, _ = files
    assert "this takes a while: 8 to 200 random placements of" in run("evaluate", gold, good, "--skill").err


def test_chance_of_cohesion_says_its_size(run, files, monkeypatch, tmp_path):
    import caesura

    gold, good, bad = files
    corpus = caesura.load(gold)
    units = int(corpus.flat.n_units.sum())
    vectors = tmp_path / "vectors.npz"
    rng = np.random.default_rng(1)
    np.savez(vectors, **{d.id: rng.normal(size=(d.n_units, 3)).astype(np.float32) for d in corpus})
    command = ["cohesion", gold, good, bad, "-m", "ARPcos", "--embeddings", str(vectors), "--draws", "5"]
    says = f"caesura: note: this takes a while: 10 random segmentations of {units:,} units for each system"
    # Two kinds of chance, five draws each, two systems: one step fewer than the limit is silent.
    monkeypatch.setattr("caesura.cli._progress.LONG", 2 * 5 * units * 2)
    assert "takes a while" not in run(*command).err
    monkeypatch.setattr("caesura.cli._progress.LONG", 2 * 5 * units * 2 - 1)
    assert says in run(*command).err
    assert "takes a while" not in run(*command, "--null", "density").err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_what_is_printed_does_not_land_on_the_bar(tmp_path):
    """On a terminal of its own: the line of the output stands alone."""
    import pty

    documents, output = tmp_path / "docs.jsonl", tmp_path / "x.jsonl"
    units = '["the cat sat", "the cat ran", "stocks fell", "markets fell today"]'
    documents.write_text(f'{{"id": "a", "units": {units}}}\n', encoding="utf-8")
    control, terminal = pty.openpty()
    command = [sys.executable, "-m", "caesura", "segment", str(documents), "--method", "TextTiling", "-o", str(output)]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env={**os.environ, "TERM": "xterm"}
    ):
        os.close(terminal)
        text = b""
        while True:
            try:
                more = os.read(control, 65536)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            text += more
    os.close(control)
    parts = re.split(r"[\r\n]+|\x1b\[[0-9;?]*[a-zA-Z]", text.decode())
    assert any("segmenting" in part for part in parts)
    assert any(part.startswith(f"{output}: 1 document") for part in parts), parts
