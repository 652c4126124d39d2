# SPDX-License-Identifier: Apache-2.0
"""Ask texts about extra boundaries whose truth is known, for the table of docs/granularity.md.

``python -m studies.extra.study`` takes some minutes. Where the truth has two levels, the coarse one is the reference and the boundaries
that only the fine one has are true sub-topics (TinyRec, Wiki-50); where it has annotators, the majority is the reference and what a
minority marked is true (Moonstone); in joined texts (Choi) no extra boundary is a sub-topic that anybody marked. Systems are asked
beside the truth: as many random boundaries, as many at equal distances, and segmenters that read the same words.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator

import numpy as np

import caesura as cz
from caesura.corpus import Corpus
from caesura.evaluation.evaluate.report import Evaluation
from caesura.placements import even
from caesura.results.evaluate.facts import ExtraFacts
from caesura.segmentation import Segmentation
from studies import corpora_folder

__all__ = ["corpora", "row"]

SEGMENTERS = ("TextTiling", "C99", "BayesSeg")
_MOST = 40  # documents of Choi


def corpora() -> Iterator[tuple[str, Corpus, dict[str, dict[str, Segmentation]]]]:
    """Yield each corpus with the boundaries of its reference, and the truth as a system, if there is one."""
    data = corpora_folder()
    for name, file in (("TinyRec", "tinyrec/tinyrec_test_10.jsonl.gz"), ("Wiki-50", "wiki50/wiki50_shared25.jsonl.gz")):
        corpus = cz.load(data / file)
        deep = [key for key in corpus.ids if len(corpus[key].hierarchy) > 1 and corpus[key].hierarchy[0].boundaries]
        corpus = corpus.subset(deep)
        coarse = _as(corpus, {key: corpus[key].hierarchy[0] for key in deep})
        yield name, coarse, {"finer level": {key: corpus[key].hierarchy[-1] for key in deep}}
    corpus = cz.load(data / "moonstone/moonstone_8ch.jsonl.gz")
    people = {key: corpus[key] for key in corpus.ids}
    union = {
        key: Segmentation(d.n_units, sorted({gap for c in d.annotations.values() for gap in c.boundaries}))
        for key, d in people.items()
    }
    yield "Moonstone", corpus.consensus(0.5), {"minority": union}
    corpus = cz.load(data / "choi/choi_3_3-11.jsonl.gz")
    yield "Choi", corpus.subset(corpus.ids[:_MOST]), {}


def _as(corpus: Corpus, boundaries: dict[str, Segmentation]) -> Corpus:
    return corpus.replaced(dataclasses.replace(document, segmentation=boundaries[document.id]) for document in corpus)


def systems(corpus: Corpus, truth: dict[str, dict[str, Segmentation]]) -> dict[str, object]:
    """Return the truth, boundaries as dense as it (twice the reference where there is none), and segmenters."""
    rng = np.random.default_rng(0)
    wanted = next(iter(truth.values()), None)
    random, evenly = {}, {}
    for key in corpus.ids:
        document = corpus[key]
        n, own = document.n_units, document.segmentation
        assert own is not None
        count = min(n - 1, 2 * own.n_boundaries if wanted is None else wanted[key].n_boundaries)
        random[key] = Segmentation(n, np.sort(rng.choice(n - 1, count, replace=False) + 1))
        evenly[key] = even(n, count)
    found: dict[str, object] = {**truth, "random": random, "even": evenly}
    for name in SEGMENTERS:
        found[name] = cz.segmenter(name)
    return found


def row(corpus: str, system: str, f: ExtraFacts) -> str:
    """Return one line of the table."""
    numbers = (f.z, f.z_chance, f.supported, f.chance, f.own)
    shown = " | ".join("" if value is None else f"{value:.2f}" for value in numbers)
    p = "" if f.p is None else "< .001" if f.p < 0.001 else f"{f.p:.3f}"
    return f"| {corpus} | {system} | {f.of} | {f.documents} | {f.boundaries} | {shown} | {p} |"


if __name__ == "__main__":
    ways = sys.argv[1:] or ("words", "vectors", "both")
    print("| corpus | extra boundaries of | read | documents | extra | z | random z | supported | random | own | p |")
    print("| --- " * 11 + "|")
    for name, corpus, truth in corpora():
        evaluation = cz.evaluate(corpus, systems(corpus, truth), ["W-F1"])
        assert isinstance(evaluation, Evaluation)
        for way in ways:
            for system, facts in evaluation.extra_boundaries(way).items():
                print(row(name, system, facts), flush=True)
