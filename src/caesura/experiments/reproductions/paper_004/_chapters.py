# SPDX-License-Identifier: Apache-2.0
"""The chapters that come with the package: 8 of the paper's 20, which are two of its five groups of annotators."""

from __future__ import annotations

import functools
import math

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.datasets.bundled import bundled

__all__ = ["ALL", "GROUPS", "HERE", "chapters", "groups", "of_mean", "of_std", "panel"]

HERE, ALL = 8, 20
"""Chapters here, and in the paper."""
GROUPS = 5
_Z = 1.96  # a normal variable is within this many standard errors in 95 of 100 cases


@functools.cache
def chapters() -> Corpus:
    """Return the chapters with their annotators."""
    return bundled("moonstone")


@functools.cache
def panel() -> Panel:
    """Return the annotators of all chapters."""
    return Panel.from_corpus(chapters())


def groups() -> list[list[int]]:
    """Return the places of the chapters that the same annotators coded."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, document in enumerate(chapters()):
        found.setdefault(tuple(document.annotations), []).append(place)
    return list(found.values())


def of_mean(std: float, n: int, total: int) -> float:
    """Return how far the mean of n drawn from a total may be from the mean of all of them, in 95 of 100 draws.

    >>> round(of_mean(29.31, 8, 20), 2), of_mean(29.31, 20, 20)
    (16.14, 0.0)
    """
    return _Z * std / math.sqrt(n) * math.sqrt((total - n) / (total - 1))


def of_std(std: float, n: int) -> float:
    """Return how far the standard deviation of n normal values may be from the true one, in 95 of 100 draws."""
    return _Z * std / math.sqrt(2 * (n - 1))
