# SPDX-License-Identifier: Apache-2.0
"""Table 2: segmenters against several references, and against all annotators at once."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import numpy as np

from caesura.corpus import Corpus
from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_004._chapters import chapters, which
from caesura.experiments.reproductions.printed import Printed
from caesura.metrics import metric
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.segmentation import Segmentation
from caesura.segmenters import random_boundaries, segmenter

__all__ = ["references"]

_SYSTEMS = {"APS": "APS", "Bayes": "BayesSeg", "MinCut": "MinCutSeg", "Scatter": "Scatter"}
"""Our implementations of the paper's segmenters, and one that is not in the paper."""
_PRINTED = ("APS", "Bayes", "MinCut", "Random")
_DRAWS = 100
_MULTI = "multWinDiff"

Systems = dict[str, list[list[Segmentation]]]
"""The outputs of each system for every chapter; the random one has several."""


@item("T2", "Segmenters and chance against several references")
def references(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Score every system against every reference; random boundaries are the mean of several draws."""
    corpus = chapters(data)
    systems = _systems(corpus)
    rows = {
        row: {
            name: statistics.fmean(_score(gold, output) for output in outputs)
            for name, outputs in systems.items()
        }
        for row, gold in _references(corpus).items()
    }
    parts = {name: [_parts(corpus, output) for output in outputs] for name, outputs in systems.items()}
    rows[_MULTI] = {
        name: statistics.fmean(part["score"] for draw in draws for part in draw)
        for name, draws in parts.items()
    }
    note = f"our own segmenters with the mean number of segments of the annotators, {which(data)}"
    for row, scores in rows.items():
        for name in _PRINTED:
            yield Value(row, name, scores[name], note=note, holds=_holds(printed, row, scores, name))
        yield Value(row, "Scatter", scores["Scatter"], note="not in the paper")
    yield from _bounds(corpus, parts["APS"][0], which(data))
    single = [scores for row, scores in rows.items() if row != _MULTI]
    worst = sum(max(scores, key=lambda name: scores[name]) == "Random" for scores in single)
    orders = {tuple(sorted(_PRINTED[:3], key=lambda name: scores[name])) for scores in single}
    every = "all rows of windowDiff"
    yield Value(every, "random is worst", f"in {worst} of {len(single)}", holds=2 * worst > len(single))
    one = "APS and Bayes and MinCut in one order"
    yield Value(
        every, one, "yes" if len(orders) == 1 else "no", note=f"{len(orders)} orders", holds=len(orders) > 1
    )


def _holds(printed: Printed, row: str, scores: dict[str, float], name: str) -> bool:
    """Return whether a system is on the printed side of chance, and chance last if it is in print."""
    theirs = {other: printed.number(row, other) for other in _PRINTED}
    if name == "Random":
        last = max(scores[other] for other in _PRINTED) == scores["Random"]
        return last == (max(theirs.values()) == theirs["Random"])
    return (theirs[name] - theirs["Random"]) * (scores[name] - scores["Random"]) >= 0


def _systems(corpus: Corpus) -> Systems:
    sizes = [
        round(statistics.fmean(coding.n_segments for coding in document.annotations.values()))
        for document in corpus
    ]
    documents = list(zip(corpus, sizes, strict=True))
    found: Systems = {
        name: [[segmenter(f"{text}(n_segments={size})").segment(document) for document, size in documents]]
        for name, text in _SYSTEMS.items()
    }
    found["Random"] = [
        [
            random_boundaries(
                document.n_units, size - 1, seed=len(documents) * draw + place, unit=document.unit
            )
            for place, (document, size) in enumerate(documents)
        ]
        for draw in range(_DRAWS)
    ]
    return found


def _references(corpus: Corpus) -> dict[str, list[Segmentation]]:
    """Return the references of the rows; annotator n is the n-th of each group."""
    found = {
        f"windowDiff {name}": [d.segmentation for d in corpus.consensus(share) if d.segmentation is not None]
        for name, share in ((">=50%", 0.5), (">=30%", 0.3), ("union", 1e-9))
    }
    for place in (1, 4, 2):
        found[f"windowDiff annotator {place}"] = [
            list(document.annotations.values())[place - 1] for document in corpus
        ]
    return found


def _score(gold: Sequence[Segmentation], output: Sequence[Segmentation]) -> float:
    """Return the mean WindowDiff of the chapters."""
    wd = metric("WindowDiff")
    return float(
        np.mean([wd(reference, hypothesis) for reference, hypothesis in zip(gold, output, strict=True)])
    )


def _parts(corpus: Corpus, output: Sequence[Segmentation]) -> list[dict[str, float]]:
    multi = MultiWindowDiff()
    return [multi.parts(d.annotations, hypothesis) for d, hypothesis in zip(corpus, output, strict=True)]


def _bounds(corpus: Corpus, parts: list[dict[str, float]], note: str) -> Iterator[Value | Finding]:
    """Yield the best and the worst case, and what Equations 8 and 9 give without the division that they lack."""
    best, worst = (statistics.fmean(part[name] for part in parts) for name in ("best", "worst"))
    sizes = [len(document.annotations) for document in corpus]
    undivided = [
        statistics.fmean(part[name] * size for part, size in zip(parts, sizes, strict=True))
        for name in ("best", "worst")
    ]
    yield Value(_MULTI, "best case", best, note=note, holds=0 < best < 0.5)
    yield Value(_MULTI, "worst case", worst, note=note, holds=worst > 0.95)
    yield Finding(
        "Equations 8 and 9",
        "The bounds are means over windows of the number of annotators, and are printed as 0.21 and 1.0.",
        f"As written they are {undivided[0]:.2f} and {undivided[1]:.2f} on {note}; divided by the number of "
        f"annotators they are {best:.2f} and {worst:.2f}.",
    )
