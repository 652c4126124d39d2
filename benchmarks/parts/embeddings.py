# SPDX-License-Identifier: Apache-2.0
"""Goals 8 and 14: metrics without a reference, against the papers' code, scikit-learn and one read of the vectors."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers.papers_code import DISPERSIONS, arp, seg_re_free, silhouette
from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.metrics import metric
from caesura.metrics.cohesion import count_in_one_pass

__all__ = ["measure"]

UNITS, DIMENSION = 50, 384
LARGEST_DIFFERENCE = 1e-9
FOUR = ("ARPstd", "ARPcos", "ARPpair", "SegReFree")
SILHOUETTE = "Silhouette(adjacent=False, weighting='unit')"
GOALS = {
    "papers": ("E, three ARPs and SegReFree, times faster than the papers' code", ">=", 400.0),
    "read": ("E, three ARPs and SegReFree, times one read of the vectors", "<=", 15.0),
    "scikit-learn": ("E, silhouette, times faster than scikit-learn", ">=", 12.0),
    "placement": ("E, placement with 200 rotations, times the adjacent silhouette", "<=", 3.0),
}

Floats = npt.NDArray[np.float64]


def measure(settings: Settings) -> Part:
    """Compare the scores, then time everything in the same rounds, with one thread for matrix products."""
    documents = 500 if settings.quick else 10_000
    part = Part(
        "embeddings",
        "Vectors",
        notes=[
            f"Seeded documents of {UNITS} units x {DIMENSION} float32, segments geometric with mean 8, each around a point "
            "of its own. One thread for matrix products. The papers' code is theirs in our words, on float64 vectors (that is how "
            "scores are compared), on the first documents only; ours reads float32. One read is the sum of all numbers. "
            "scikit-learn has the silhouette over all segments, so ours is that too; the adjacent one is beside it."
        ],
    )
    batch = _batch(documents, settings.seed)
    part.corpora["E"] = {
        "documents": documents,
        "units": int(batch.n_units.sum()),
        "boundaries": len(batch.segmentations.pos),
    }
    if importlib.util.find_spec("sklearn") is None:
        part.skipped["papers' code, scikit-learn"] = "scikit-learn is not installed"
    with _one_thread():
        _compare_and_time(part, batch, settings)
    return part


def _compare_and_time(part: Part, batch: Embedded, settings: Settings) -> None:
    works: dict[str, Any] = {
        "one read": batch.vectors.sum,
        "four metrics: caesura": functools.partial(_ours, batch, FOUR),
        "silhouette: caesura": functools.partial(_ours, batch, (SILHOUETTE,)),
        "adjacent silhouette: caesura": functools.partial(_ours, batch, ("Silhouette",)),
        "placement: caesura": functools.partial(_ours, batch, ("Placement(rotations=200)",)),
    }
    part.documents.update(dict.fromkeys(works, len(batch)))
    wrong = ""
    if not part.skipped:
        few = min(len(batch), 40 if settings.quick else 100)
        given = [_segments(batch, row) for row in range(few)]
        peers = {
            "four metrics: papers' code": functools.partial(_theirs, given),
            "silhouette: scikit-learn": functools.partial(_scikit_learn, given),
        }
        wrong = _compare(part, batch.take(range(few)), peers)
        works |= peers
        part.documents.update(dict.fromkeys(peers, few))
    times = {} if wrong else interleave(works, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    scales = {"papers": "four metrics: papers' code", "scikit-learn": "silhouette: scikit-learn"}
    for name, (text, relation, limit) in GOALS.items():
        if wrong or (name in scales and part.skipped):
            part.goal(8, text, relation, limit, None, wrong or "scikit-learn is not installed")
            continue
        mine = "silhouette: caesura" if name == "scikit-learn" else "four metrics: caesura"
        if name == "read":
            reached = ratio_of(times[mine], times["one read"])
        elif name == "placement":
            reached = ratio_of(times["placement: caesura"], times["adjacent silhouette: caesura"])
        else:
            peer = scales[name]
            reached = ratio_of(times[peer], times[mine], len(batch) / part.documents[peer])
        part.goal(8, text, relation, limit, reached)


def _compare(part: Part, few: Embedded, peers: dict[str, Any]) -> str:
    """Note the largest difference of each score; return what is wrong, if anything is."""
    worst = 0.0
    for label, names in zip(peers, (FOUR, (SILHOUETTE,)), strict=True):
        ours, theirs = _ours(few, names), peers[label]()
        task, peer = label.split(": ")
        defined = ~np.isnan(theirs)
        if not (np.isfinite(ours[defined]).all() and defined.any()):
            part.mismatches[label] = "a score is not defined on one side only"
            return part.mismatches[label]
        largest = float(np.abs(ours[defined] - theirs[defined]).max())
        part.agreement.append({"task": task, "peer": peer, "documents": len(few), "largest_difference": largest})
        if not largest <= LARGEST_DIFFERENCE:
            part.mismatches[label] = f"scores differ by up to {largest:.3g}"
            return part.mismatches[label]
        worst = max(worst, largest)
    text = "scores from vectors, largest difference to float64 peers"
    part.goal(14, text, "<=", LARGEST_DIFFERENCE, Ratio(worst, worst, worst), kind="difference")
    return ""


def _batch(documents: int, seed: int) -> Embedded:
    rng = np.random.default_rng(seed)
    vectors = np.empty((documents * UNITS, DIMENSION), dtype=np.float32)
    cuts, sizes = [], []
    for document in range(documents):
        cut = np.flatnonzero(rng.random(UNITS - 1) < 1 / 8) + 1
        cuts.append(cut)
        sizes.append(len(cut))
        mine = vectors[document * UNITS : (document + 1) * UNITS]
        rng.standard_normal(out=mine, dtype=np.float32)
        points = rng.standard_normal((len(cut) + 1, DIMENSION), dtype=np.float32)
        mine += np.repeat(points, np.diff([0, *cut, UNITS]), axis=0)
    ptr = np.concatenate(([0], np.cumsum(sizes)))
    flat = Flat(np.full(documents, UNITS), ptr, np.concatenate(cuts).astype(np.int64))
    return Embedded.from_arrays([str(document) for document in range(documents)], flat, vectors)


def _ours(batch: Embedded, names: tuple[str, ...]) -> Floats:
    # A batch remembers what was counted, so each call gets one that remembers nothing.
    batch = dataclasses.replace(batch)
    metrics = [metric(name) for name in names]
    counted = count_in_one_pass(metrics, batch)
    return np.column_stack([each.score(table) for each, table in zip(metrics, counted, strict=True)])


def _segments(batch: Embedded, row: int) -> list[Floats]:
    vectors = batch.vectors_of(row).astype(np.float64)
    return np.split(vectors, batch.segmentation(row).boundaries)


def _theirs(given: list[list[Floats]]) -> Floats:
    return np.array([[*(arp(s, dispersion) for dispersion in DISPERSIONS.values()), seg_re_free(s)] for s in given])


def _scikit_learn(given: list[list[Floats]]) -> Floats:
    return np.array(
        [[silhouette(np.concatenate(s), np.repeat(np.arange(len(s)), [len(each) for each in s]))] for s in given]
    )


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    if importlib.util.find_spec("threadpoolctl") is None:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
