# SPDX-License-Identifier: Apache-2.0
"""The chapters: the package includes 8, two of the paper's five groups of annotators; all 20 are used if available."""

from __future__ import annotations

import functools
import math
from pathlib import Path

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.datasets import dataset
from caesura.datasets.bundled import bundled
from caesura_reproductions.data import Data

__all__ = ["ALL", "GROUPS", "chapters", "groups", "has_all", "of_mean", "of_std", "panel", "reaching", "which"]

ALL, GROUPS = 20, 5
"""Chapters of the paper, and groups of annotators; each group coded four chapters."""
_FOLDERS = ("moonstone_release", "moonstone_corpus", "moonstone")
_Z = 1.96  # a normal variable is within this many standard errors in 95 of 100 cases


def chapters(data: Data) -> Corpus:
    """Return the chapters with their annotators: those of the released folder if all are there, else of the package.

    The data are that folder, or hold it under one of its names.
    """
    return _chapters(data.folder if data.given else None)


@functools.cache
def _chapters(folder: Path | None) -> Corpus:
    if folder is not None:
        inside = [folder / name for name in _FOLDERS]
        for place in [folder] if (folder / "segmentations").is_dir() else inside:
            if len(list(place.rglob("ch[0-9]*.csv"))) >= ALL:
                found = dataset("Moonstone", place)
                if all(document.units is not None for document in found):
                    return found
    return bundled("moonstone")


def panel(data: Data) -> Panel:
    """Return the annotators of all chapters."""
    return Panel.from_corpus(chapters(data))


def has_all(data: Data) -> bool:
    """Return whether all chapters are here."""
    return len(chapters(data)) >= ALL


def which(data: Data) -> str:
    """Return a phrase for the available chapters."""
    return f"all {ALL} chapters" if has_all(data) else f"{len(chapters(data))} of the {ALL} chapters"


def reaching(what: str, reach: float, draw: str) -> str:
    """Return a note: what was measured, and how far a draw may differ, if it is one.

    >>> reaching("all 20 chapters", 0.0, "20"), reaching("8 of the 20 chapters", 16.138, "8")
    ('all 20 chapters', '8 of the 20 chapters; a draw of 8 may differ by 16.14')
    """
    return f"{what}; a draw of {draw} may differ by {reach:.2f}" if reach else what


def groups(data: Data) -> list[list[int]]:
    """Return the indices of the chapters coded by annotators of the same names."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, document in enumerate(chapters(data)):
        found.setdefault(tuple(document.annotations), []).append(place)
    return list(found.values())


def of_mean(std: float, n: int, total: int) -> float:
    """Return the 95 % bound on the deviation of the mean of n values drawn from a finite total.

    >>> round(of_mean(29.31, 8, 20), 2), of_mean(29.31, 20, 20)
    (16.14, 0.0)
    """
    return _Z * std / math.sqrt(n) * math.sqrt(max(0, total - n) / (total - 1))


def of_std(std: float, n: int, total: int) -> float:
    """Return the 95 % bound on the deviation of the standard deviation of n normal values from the true one."""
    return 0.0 if n >= total else _Z * std / math.sqrt(2 * (n - 1))
