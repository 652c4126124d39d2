# SPDX-License-Identifier: Apache-2.0
"""Goal 7: how the time of every metric grows with the length of one document."""

from __future__ import annotations

import dataclasses
import functools
import statistics

import numpy as np

from benchmarks.corpora import generate
from benchmarks.results import Part, Ratio
from benchmarks.settings import Settings
from benchmarks.timing import Rounds, interleave
from caesura.batches.pairs import Pairs
from caesura.metrics import METRICS, metric

__all__ = ["VARIANTS", "measure", "slope"]

VARIANTS = (
    "WindowDiff(edge='lamprier')",
    "WindowDiff(weighted=True)",
    "WinF1(edge='interior')",
    "S(n_t=8)",
    "B(n_t=8)",
    "B(n_t=100)",
    "W-F1",
    "BoundaryF1(tolerance=5, matching='one_to_one')",
    "Purity(weighting='segment')",
    "CovN(length='short', cut=8)",
)
"""Parameters that take another path through a kernel than the default."""


def slope(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Return the slope of the logarithm of time over the logarithm of size: 1 is linear.

    >>> round(slope((10, 100, 1000), [1.0, 10.0, 100.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def measure(settings: Settings) -> Part:
    """Time each metric on single documents of five lengths, all in turn."""
    part = Part(
        "growth",
        "Growth with the length of a document, corpus G and shorter",
        notes=[
            f"Single documents of {', '.join(f'{size:,}' for size in settings.growth)} units. Counts and score of "
            "every registered metric at its defaults, and of parameters that take another path. The slope is fitted to "
            "the medians; its range is over the rounds.",
            "Left out: the matchings named as_run, which repeat another program's quadratic search.",
        ],
    )
    documents = {
        size: generate(dataclasses.replace(settings.shape("G"), mean_units=size), settings.seed)
        for size in settings.growth
    }
    for size, pairs in documents.items():
        boundaries = len(pairs.ref_pos) + len(pairs.hyp_pos)
        part.corpora[f"{size:,} units"] = {"documents": 1, "units": size, "boundaries": boundaries}
    slopes: dict[str, Ratio] = {}
    for name in (*METRICS.names(), *VARIANTS):
        works = {f"{name}, {size:,} units": functools.partial(_score, name, pairs) for size, pairs in documents.items()}
        times = interleave(works, settings.slow_rounds, settings.shortest)
        part.rounds.update(times)
        slopes[name] = _slope_of(settings.growth, times)
        part.numbers[f"slope of {name}"] = slopes[name].median
    steepest = max(slopes, key=lambda name: slopes[name].median)
    part.goal(
        7,
        f"steepest log-log slope of {len(slopes)} metrics and variants ({steepest})",
        "<=",
        1.1,
        slopes[steepest],
        kind="slope",
    )
    return part


def _slope_of(sizes: tuple[int, ...], times: Rounds) -> Ratio:
    each = [slope(sizes, list(turn)) for turn in zip(*times.values(), strict=True)]
    return Ratio(slope(sizes, [statistics.median(seconds) for seconds in times.values()]), min(each), max(each))


def _score(name: str, pairs: Pairs) -> None:
    chosen = metric(name)
    chosen.score(chosen.count(pairs))
