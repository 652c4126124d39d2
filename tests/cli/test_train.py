"""caesura train from outside: files in, a model out, one line for whatever is wrong."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from tests.training.toy import corpus, write

SMALL = "scorer = \"WindowHead(window=2, parts='products')\"\n[stage1]\ndocuments = 20\nunits = [2, 6]\ntrim = 0\nepochs = 1\n[stage2]\nepochs = 1\n"


def caesura(*words: str, **options):
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-B", "-m", "caesura", *words]
    return subprocess.run(command, capture_output=True, text=True, env=alone, timeout=300, **options)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train")
    write(folder / "train.jsonl", corpus(20))
    write(folder / "other.jsonl", corpus(6, seed=5))
    (folder / "stages.toml").write_text(f'train = ["train.jsonl"]\n{SMALL}')
    done = caesura(
        "train", "--config", "stages.toml", "-o", "model", "--abroad", "other=other.jsonl",
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (folder / "said.txt").write_text(done.stdout)
    return folder


def test_a_model_is_trained_scored_and_used(files):
    said = (files / "said.txt").read_text()
    assert said.endswith("\n\nUse it: caesura segment DOCS --method model:model -o FILE\n")
    assert "On 3 unseen documents of the same source, at equal density," in said.replace("\n  ", " ")
    assert "On 6 unseen documents of other, at equal density," in said.replace("\n  ", " ")
    assert max(map(len, said.splitlines())) <= 80
    used = caesura("segment", "other.jsonl", "--method", "model:model", "-o", "out.jsonl", "--force", cwd=files)
    assert used.returncode == 0, used.stderr
    line = json.loads((files / "out.jsonl").read_text().splitlines()[0])
    assert line["made_by"]["method"] == "model:model"
    assert line["made_by"]["weights_sha256"] == json.loads((files / "model" / "model.json").read_text())["weights"]
    assert all(0 < score < 1 for score in line["scores"])
    shown = caesura("show", "model/training.json", cwd=files)
    assert shown.stdout in said


def test_a_file_alone_has_defaults(files):
    done = caesura(
        "train", "train.jsonl", "-o", "plain", "--scorer", "WindowHead(window=2, parts='products')", cwd=files
    )
    assert done.returncode == 0, done.stderr
    assert "--abroad NAME=FILE scores it there" in done.stdout.replace("\n  ", " ")
    assert json.loads((files / "plain" / "model.json").read_text())["head"] == "WindowHead(window=2, parts='products')"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "m"], "give documents to train on"),
        (["train.jsonl", "--config", "stages.toml", "-o", "m"], "give documents to train on"),
        (["train.jsonl", "-o", "model"], "holds a model already"),
        (["train.jsonl", "-o", "train.jsonl", "--force"], "is an input"),
        (["none.jsonl", "-o", "m"], "none.jsonl"),
        (["train.jsonl", "-o", "m", "--scorer", "Nothing"], "is not a head"),
        (["bare.jsonl", "-o", "m"], "has no boundaries"),
        (["train.jsonl", "-o", "nowhere/m"], "cannot be"),
    ],
)
def test_what_is_wrong_is_one_line(files, words, says):
    (files / "bare.jsonl").write_text('{"id": "a", "units": ["x", "y", "z"]}\n')
    done = caesura("train", *words, cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (files / "m").exists() or not list((files / "m").iterdir())


@pytest.mark.skipif(os.name != "posix", reason="limits on the size of a file are POSIX")
def test_a_full_disk_is_one_line_and_leaves_what_was_there(files):
    """No file may grow beyond 2 kB, as if the disk were full; the model that is there stays as it is."""
    before = {path.name: path.read_bytes() for path in (files / "model").iterdir()}

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    words = ("train", "--config", "stages.toml", "--no-cache", "--force", "-o")
    done = caesura(*words, "model", cwd=files, preexec_fn=full)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name: path.read_bytes() for path in (files / "model").iterdir()} == before
