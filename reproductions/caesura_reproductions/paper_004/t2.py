# SPDX-License-Identifier: Apache-2.0
"""Table 2: segmenters against several references, and against all annotators at once.

With all chapters, the protocol of the paper: parameters are chosen on the first four, by multWinDiff, and the other 16 are tested. With the
chapters of the package, too few for that, the segmenters are given the mean number of segments of the annotators (an oracle).
"""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from caesura.corpus import Corpus
from caesura.metrics import metric
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.placements import random_boundaries
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.tuning.tune import settings
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import ALL, chapters, has_all, of_mean, reaching, which
from caesura_reproductions.printed import Printed

__all__ = ["references"]

_ORACLES = {"APS": "APS", "Bayes": "BayesSeg", "MinCut": "MinCutSeg", "Scatter": "Scatter"}
"""Our implementations of the paper's segmenters, and one that is not in the paper."""
_TRIED: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "APS": ("APS", {"horizon": [0, 2, 5], "parts": [1, 5, 10, 15], "preference": [-0.1, -0.2, -0.3, -0.4, -0.5]}),
    "Bayes": ("BayesSeg(em=True)", {}),
    "MinCut": ("MinCutSeg", {"horizon": [2, 5], "parts": [5, 10, 15], "reach": [None, 10, 20], "share": [0.6, 0.7, 0.8, 0.9]}),
}  # fmt: skip
"""The settings tried on the development chapters; the paper does not say which it tried. BayesSeg estimates its only parameter."""
_DEVELOPMENT = 4
_NEAR = 0.01
"""Settings that differ by less on the development chapters could as well have been chosen."""
_PRINTED = ("APS", "Bayes", "MinCut", "Random")
_DRAWS = 100
_MULTI = "multWinDiff"

Systems = dict[str, list[list[Segmentation]]]
"""The outputs of each system for every chapter; the random one has several."""


@dataclasses.dataclass(frozen=True)
class _Tested:
    """The chapters that are tested, the outputs of the systems for them, and notes on the systems and on the chapters."""

    corpus: Corpus
    systems: Systems
    notes: dict[str, str]
    where: str
    total: int


@item("T2", "Segmenters and chance against several references")
def references(printed: Printed, data: Data) -> Iterator[Found]:
    """Score every system against every reference; random boundaries are the mean of several draws."""
    tested = _by_protocol(chapters(data)) if has_all(data) else _by_oracle(chapters(data), which(data))
    rows = {
        row: {
            name: statistics.fmean(_score(gold, output) for output in outputs)
            for name, outputs in tested.systems.items()
        }
        for row, gold in _references(tested.corpus).items()
    }
    parts = {name: [_parts(tested.corpus, output) for output in outputs] for name, outputs in tested.systems.items()}
    rows[_MULTI] = {name: _mean(draws) for name, draws in parts.items()}
    for row, scores in rows.items():
        for name in _PRINTED:
            yield Value(row, name, scores[name], note=tested.notes[name], holds=_holds(printed, row, scores, name))
        if "Scatter" in scores:
            yield Value(row, "Scatter", scores["Scatter"], note=f"{tested.notes['Scatter']}; not in the paper")
    yield from _bounds(tested, parts["APS"][0])
    yield from _of_people(tested)
    if has_all(data):
        oracle = _by_oracle(tested.corpus, tested.where)
        for name in _ORACLES:
            score = _mean([_parts(oracle.corpus, output) for output in oracle.systems[name]])
            yield Value(f"{_MULTI}, number of segments given", name, score, note=oracle.notes[name])
    single = [scores for row, scores in rows.items() if row != _MULTI]
    worst = sum(max(scores, key=lambda name: scores[name]) == "Random" for scores in single)
    orders = {tuple(sorted(_PRINTED[:3], key=lambda name: scores[name])) for scores in single}
    every = "all rows of windowDiff"
    yield Value(every, "random is worst", f"in {worst} of {len(single)}", holds=2 * worst > len(single))
    one = "APS and Bayes and MinCut in one order"
    yield Value(every, one, "yes" if len(orders) == 1 else "no", note=f"{len(orders)} orders", holds=len(orders) > 1)


def _holds(printed: Printed, row: str, scores: dict[str, float], name: str) -> bool:
    """Return whether a system is on the printed side of every other system of the row; equal ones have no order."""
    return all(
        (printed.number(row, name) - printed.number(row, other)) * (scores[name] - scores[other]) >= 0
        for other in _PRINTED
    )


def _by_protocol(corpus: Corpus) -> _Tested:
    """Return the chapters after the first four, cut with the best settings on these."""
    development, tested = corpus.subset(corpus.ids[:_DEVELOPMENT]), corpus.subset(corpus.ids[_DEVELOPMENT:])
    where = f"{len(tested)} chapters, without the {_DEVELOPMENT} of development"
    systems, notes = {}, {}
    for name, (method, tries) in _TRIED.items():
        possible = settings(method, tries) if tries else [method]
        scores = [_mean([_parts(development, _cut(development, text))]) for text in possible]
        best = possible[int(np.argmin(scores))]
        systems[name] = [_cut(tested, best)]
        notes[name] = f"{best}; {where}"
        if tries:
            near = [text for text, score in zip(possible, scores, strict=True) if score <= min(scores) + _NEAR]
            others = [_mean([_parts(tested, _cut(tested, text))]) for text in near]
            notes[name] += (
                f"; the best of {len(possible)} settings on the development chapters, {min(scores):.3f}; the {len(near)} within {_NEAR} of "
                f"it there have a multWinDiff of {min(others):.3f} to {max(others):.3f} here"
            )
    systems["Random"] = _at_random(tested)
    notes["Random"] = _of_draws(where)
    return _Tested(tested, systems, notes, where, len(tested))


def _by_oracle(corpus: Corpus, where: str) -> _Tested:
    """Return chapters cut into the mean number of segments of their annotators."""
    documents = list(zip(corpus, _sizes(corpus), strict=True))
    systems: Systems = {
        name: [[segmenter(f"{text}(n_segments={size})").segment(document) for document, size in documents]]
        for name, text in _ORACLES.items()
    }
    note = f"our own segmenters, given the mean number of segments of the annotators (an oracle), {where}"
    notes = dict.fromkeys(systems, note)
    return _Tested(corpus, {**systems, "Random": _at_random(corpus)}, {**notes, "Random": _of_draws(where)}, where, ALL)


def _cut(corpus: Corpus, text: str) -> list[Segmentation]:
    method = segmenter(text)
    return [method.segment(document) for document in corpus]


def _at_random(corpus: Corpus) -> list[list[Segmentation]]:
    documents = list(zip(corpus, _sizes(corpus), strict=True))
    return [
        [
            random_boundaries(document.n_units, size - 1, seed=len(documents) * draw + place, unit=document.unit)
            for place, (document, size) in enumerate(documents)
        ]
        for draw in range(_DRAWS)
    ]


def _of_draws(where: str) -> str:
    return f"mean of {_DRAWS} draws with the mean number of segments of the annotators; {where}"


def _sizes(corpus: Corpus) -> list[int]:
    return [
        round(statistics.fmean(coding.n_segments for coding in document.annotations.values())) for document in corpus
    ]


def _references(corpus: Corpus) -> dict[str, list[Segmentation]]:
    """Return the references of the rows; annotator n is the n-th of each group."""
    found = {
        f"windowDiff {name}": [d.segmentation for d in corpus.consensus(share) if d.segmentation is not None]
        for name, share in ((">=50%", 0.5), (">=30%", 0.3), ("union", 1e-9))
    }
    for place in (1, 4, 2):
        found[f"windowDiff annotator {place}"] = [list(document.annotations.values())[place - 1] for document in corpus]
    return found


def _score(gold: Sequence[Segmentation], output: Sequence[Segmentation]) -> float:
    """Return the mean WindowDiff of the chapters."""
    wd = metric("WindowDiff")
    return float(np.mean([wd(reference, hypothesis) for reference, hypothesis in zip(gold, output, strict=True)]))


def _parts(corpus: Corpus, output: Sequence[Segmentation]) -> list[dict[str, float]]:
    multi = MultiWindowDiff()
    return [multi.parts(d.annotations, hypothesis) for d, hypothesis in zip(corpus, output, strict=True)]


def _mean(draws: Sequence[Sequence[dict[str, float]]]) -> float:
    """Return the mean multWinDiff of all draws and chapters."""
    return statistics.fmean(part["score"] for draw in draws for part in draw)


def _of_people(tested: _Tested) -> Iterator[Value]:
    """Yield the mean score of each annotator against the others of the chapter."""
    multi = MultiWindowDiff()
    scores = [
        multi.parts({other: seg for other, seg in document.annotations.items() if other != name}, own)["score"]
        for document in tested.corpus
        for name, own in document.annotations.items()
    ]
    note = f"each annotator against the others, {len(scores)} codings of {tested.where}; not in the paper"
    yield Value(_MULTI, "people", statistics.fmean(scores), note=note)


def _bounds(tested: _Tested, parts: list[dict[str, float]]) -> Iterator[Found]:
    """Yield the best and the worst case, and what Equations 8 and 9 give without the division that they lack."""
    sizes = [len(document.annotations) for document in tested.corpus]
    found, undivided = {}, {}
    for name in ("best", "worst"):
        values = [part[name] for part in parts]
        found[name] = statistics.fmean(values)
        undivided[name] = statistics.fmean(value * size for value, size in zip(values, sizes, strict=True))
        reach = of_mean(statistics.stdev(values), len(values), tested.total)
        note = reaching(tested.where, reach, str(len(values)))
        yield Value(_MULTI, f"{name} case", found[name], note=note, sampling=reach)
    yield finding(
        "Equations 8 and 9",
        "The bounds are means over windows of the number of annotators, and are printed as 0.21 and 1.0.",
        f"As written they are {undivided['best']:.2f} and {undivided['worst']:.2f} on {tested.where}; divided by the number of "
        f"annotators they are {found['best']:.2f} and {found['worst']:.2f}.",
    )
