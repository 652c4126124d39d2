# SPDX-License-Identifier: Apache-2.0
"""Goals 23 and 24: `validate` and chance without a reference, over the scoring inside them."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import Shape, generate
from benchmarks.results import Part, Ratio
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds
from caesura import Corpus, cohesion, validate
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.evaluation.validate import judging
from caesura.kernels import one_thread
from caesura.metrics import metric
from caesura.metrics.cohesion import count_in_one_pass

__all__ = ["measure"]

DIMENSION = 128
METRICS = ("ARPcos", "Silhouette", "SegReFree")
DRAWS = 20
ROUNDS = 3


def measure(settings: Settings) -> Part:
    """Time both on documents of the length of dialogues."""
    part = Part(
        "without reference",
        "Damage and chance without a reference",
        notes=[
            f"Documents of 32 units x {DIMENSION} float32 on average, {', '.join(METRICS)}. `validate`: the whole call, over what it "
            "spends in scoring the damaged segmentations, which is timed inside it.",
            f"Chance: `cohesion` with {DRAWS} draws of each of two kinds, without the check of the metrics, less the same without "
            "draws, over one scoring of all documents for each draw. Nothing is kept from one scoring to the next.",
        ],
    )
    documents = 20 if settings.quick else 300
    pairs = generate(Shape("dialogues", documents, 32, spread=0.5), settings.seed)
    flat = Flat(pairs.n_units, pairs.ref_ptr, pairs.ref_pos)
    corpus = Corpus.from_flat([f"d{row}" for row in range(len(flat))], flat)
    rng = np.random.default_rng(settings.seed)
    vectors = {
        key: rng.standard_normal((int(units), DIMENSION)).astype(np.float32)
        for key, units in zip(corpus.ids, flat.n_units, strict=True)
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npz"
        np.savez(file, **vectors)
        batch = Embedded.from_arrays(corpus.ids, flat, np.concatenate(list(vectors.values())))
        _validate(part, corpus, f"npz:{file}")
        _chance(part, corpus, batch, f"npz:{file}")
    return part


def _validate(part: Part, corpus: Corpus, encoder: str) -> None:
    """Goal 23."""
    plain, inside = judging.scores_of, [0.0]

    def timed(*arguments: Any) -> Any:
        found: list[Any] = []
        inside[0] += cpu_seconds(lambda: found.append(plain(*arguments)))
        return found[0]

    whole, scoring = [], []
    judging.scores_of = timed
    try:
        for _ in range(ROUNDS):
            inside[0] = 0.0
            whole.append(cpu_seconds(lambda: validate(corpus, None, METRICS, encoders=[encoder]).results()))
            scoring.append(inside[0])
    finally:
        judging.scores_of = plain
    part.rounds.update({"validate": whole, "validate: scoring": scoring})
    part.goal(23, "validate, in its scoring", "<=", 2.0, _ratio(whole, scoring))


def _chance(part: Part, corpus: Corpus, batch: Embedded, encoder: str) -> None:
    """Goal 24."""
    chosen = [metric(name) for name in METRICS]
    options: dict[str, Any] = {"encoder": encoder, "check": False, "resamples": 10}
    works: dict[str, Callable[[], Any]] = {
        "cohesion: without chance": lambda: cohesion(corpus, None, METRICS, nulls=(), **options).results(),
        "cohesion: with chance": lambda: cohesion(corpus, None, METRICS, draws=DRAWS, **options).results(),
        "cohesion: one scoring": lambda: _score(chosen, batch),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(ROUNDS):
        for name, work in works.items():
            times[name].append(cpu_seconds(work))
    part.rounds.update(times)
    without, drawn, scored = times.values()
    extra = [after - before for before, after in zip(without, drawn, strict=True)]
    text = "cohesion against chance, per draw, in one scoring"
    part.goal(24, text, "<=", 3.0, _ratio(extra, [2 * DRAWS * each for each in scored]))


@one_thread()
def _score(metrics: list[Any], batch: Embedded) -> list[Any]:
    """Score all documents by a batch that remembers nothing of an earlier scoring, with matrix products as `cohesion` has them."""
    fresh = batch.with_segmentations(batch.segmentations)
    return [m.score(t) for m, t in zip(metrics, count_in_one_pass(metrics, fresh), strict=True)]


def _ratio(above: list[float], below: list[float]) -> Ratio:
    each = [a / b for a, b in zip(above, below, strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))
