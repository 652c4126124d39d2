"""Small labelled corpora whose topics share no word."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.evaluation.inputs import Source
from caesura.segmentation import Segmentation
from caesura.training.config import Config, Splicing, Supervision

TOPICS = (
    ("cat", "kitten", "purr", "whisker", "mouse", "paw"),
    ("rain", "cloud", "storm", "thunder", "wind", "snow"),
    ("bread", "oven", "flour", "yeast", "dough", "cake"),
    ("train", "station", "ticket", "platform", "rail", "engine"),
)


def document(key: str, rng: np.random.Generator) -> Document:
    order = rng.permutation(len(TOPICS))[: int(rng.integers(2, 4))]
    lengths = rng.integers(3, 7, len(order))
    units = tuple(
        " ".join(rng.choice(TOPICS[topic], 4)) + "." for topic, n in zip(order, lengths, strict=True) for _ in range(n)
    )
    ends = np.cumsum(lengths)[:-1].tolist()
    return Document(id=key, n_units=len(units), units=units, segmentation=Segmentation(len(units), ends))


def corpus(n: int = 30, seed: int = 0) -> Corpus:
    rng = np.random.default_rng(seed)
    return Corpus([document(f"d{place}", rng) for place in range(n)], name="toy")


def source(n: int = 30, seed: int = 0, name: str = "toy") -> Source:
    return Source(corpus(n, seed), name)


def config(**changes: object) -> Config:
    small = {"stage1": Splicing(documents=40, units=(2, 6), trim=0, epochs=2), "stage2": Supervision(epochs=2)}
    return Config(**{"scorer": "WindowHead(window=2, l2=0.1)", **small, **changes})  # type: ignore[arg-type]


def write(path: Path, documents: Corpus) -> Path:
    lines = [
        {"id": d.id, "units": d.units, "boundaries": d.segmentation.boundaries}
        for d in documents
        if d.segmentation is not None
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


KILLED = """
import os, signal, sys
from caesura.training import read_config, train

def progress(done, total):
    if done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

train(read_config(sys.argv[1]), sys.argv[2], progress=progress)
"""


def killed_run(stages: Path, folder: Path, after: int) -> None:
    """Train in a process of its own, which is killed when it has written the checkpoint of an epoch."""
    words = [sys.executable, "-c", KILLED, str(stages), str(folder), str(after)]
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    run = subprocess.run(words, capture_output=True, env=alone, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr.decode()
    assert (folder / "checkpoint.json").exists()
    assert not (folder / "model.json").exists()
