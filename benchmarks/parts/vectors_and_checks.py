# SPDX-License-Identifier: Apache-2.0
"""Goals 22 and 25, and the checks of arrays."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.papers_code import silhouette
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import child_seconds, interleave
from caesura import evaluate
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics import metric

__all__ = ["measure"]

DIMENSION = 384
SILHOUETTE = "Silhouette(adjacent=False, weighting='unit')"
LENGTHS = (50, 200, 1_000)
ROUNDS = 7


def measure(settings: Settings) -> Part:
    """Time silhouettes of long documents, matrix products and checks."""
    part = Part(
        "vectors and checks",
        "Long documents and checks",
        notes=[
            "Matrix products: `caesura cohesion` with given vectors in a process of its own, as it is and with the library of matrix "
            "products told from outside to take one thread.",
            "Silhouette: documents of 50, 200 and 1,000 units x 384, over scikit-learn's on the same vectors.",
            "Checks: making `Pairs` of arrays again, which checks every index, over `evaluate` of the standard set, corpus L.",
        ],
    )
    _matrix_products(settings, part)
    _silhouettes(settings, part)
    _checks(settings, part)
    return part


def _matrix_products(settings: Settings, part: Part) -> None:
    """Goal 22."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rng = np.random.default_rng(settings.seed)
        documents = {f"d{number}": 200 for number in range(4 if settings.quick else 40)}
        vectors = {key: rng.standard_normal((units, DIMENSION)).astype(np.float32) for key, units in documents.items()}
        np.savez(folder / "v.npz", **vectors)
        lines = (json.dumps({"id": key, "n_units": 200, "boundaries": [*range(8, 200, 8)]}) for key in documents)
        (folder / "d.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "caesura",
            "cohesion",
            str(folder / "d.jsonl"),
            "--embeddings",
            str(folder / "v.npz"),
        ]
        plain = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
        plain["PYTHONPATH"] = os.pathsep.join(sys.path)
        pinned = {**plain, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        works = {
            "cohesion: as shipped": functools.partial(child_seconds, command, plain),
            "cohesion: pinned outside": functools.partial(child_seconds, command, pinned),
        }
        times: dict[str, list[float]] = {label: [] for label in works}
        for number in range(ROUNDS):
            # What runs first in a round finds another machine than what runs second.
            for label in sorted(works, reverse=number % 2 == 1):
                times[label].append(works[label]())
    part.rounds.update(times)
    ratio = ratio_of(times["cohesion: as shipped"], times["cohesion: pinned outside"])
    part.goal(22, "cohesion on the command line, in the same with one thread for matrix products", "<=", 1.05, ratio)


def _silhouettes(settings: Settings, part: Part) -> None:
    """Goal 25."""
    rng = np.random.default_rng(settings.seed)
    for units in LENGTHS:
        text = f"silhouette, {units:,} units, times faster than scikit-learn"
        if importlib.util.find_spec("sklearn") is None:
            part.skipped[text] = "scikit-learn is not installed"
            part.goal(25, text, ">=", 12.0, None, part.skipped[text])
            continue
        few = max(1, 200 // units)
        cuts = np.arange(8, units, 8)
        vectors = rng.standard_normal((few * units, DIMENSION)).astype(np.float32)
        flat = Flat(np.full(few, units), np.arange(few + 1) * len(cuts), np.tile(cuts, few))
        ids = [str(row) for row in range(few)]
        labels = np.repeat(np.arange(len(cuts) + 1), np.diff([0, *cuts, units]))
        each = np.split(vectors.astype(np.float64), few)
        ours = functools.partial(_score, ids, flat, vectors)
        theirs = functools.partial(_of_scikit_learn, each, labels)
        wrong = float(np.abs(ours() - theirs()).max())
        if not wrong <= 1e-6:
            part.mismatches[text] = f"scores differ by {wrong:.3g}"
            part.goal(25, text, ">=", 12.0, None, part.mismatches[text])
            continue
        times = interleave(
            {f"{text}: caesura": ours, f"{text}: scikit-learn": theirs}, settings.slow_rounds, settings.shortest
        )
        part.rounds.update(times)
        ratio = ratio_of(times[f"{text}: scikit-learn"], times[f"{text}: caesura"])
        part.goal(25, text, ">=", 12.0, ratio)


def _score(ids: list[str], flat: Flat, vectors: Any) -> Any:
    chosen = metric(SILHOUETTE)
    return chosen.score(chosen.count(Embedded.from_arrays(ids, flat, vectors)))


def _of_scikit_learn(each: list[Any], labels: Any) -> Any:
    return np.array([silhouette(vectors, labels) for vectors in each])


def _checks(settings: Settings, part: Part) -> None:
    pairs = settings.corpus("L", part)
    arrays = pairs.n_units, pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr, pairs.hyp_pos
    works: dict[str, Callable[[], Any]] = {
        "L: check the arrays": lambda: Pairs(*arrays),
        "L: evaluate": lambda: evaluate(pairs).results(),
    }
    times = interleave(works, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    ratio = ratio_of(times["L: check the arrays"], times["L: evaluate"])
    part.goal(17, "L, checking the arrays, in evaluate of them", "<=", 0.05, ratio)
