"""Compare our scores with what another program printed, cell by cell, none left out in silence."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from caesura.segmentation import Segmentation
from tests.corpora import FOLDER, corpus_file

DATA = Path(__file__).parent / "data"
WHOLE = corpus_file("../golden").resolve() if FOLDER else Path("no-golden-files")
"""The folder of all cases, beside the corpora that are not shipped: chapter lists of others are in no file of ours."""
TOLERANCE = 1e-9


class Cell(NamedTuple):
    """One number: where it stands, what we say, what the other program printed."""

    key: str
    ours: float
    theirs: Any


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a golden file; those of chapters with lists of others, which are not shipped, where they are at hand."""
    folder = WHOLE if WHOLE.exists() and name.startswith(("vidchapters_", "chapterllama_", "chunkseg")) else DATA
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def many(whole: int, shipped: int) -> int:
    """Return how many numbers there must be: of all cases, or of those that are shipped."""
    return whole if WHOLE.exists() else shipped


def sides(case: Mapping[str, Any]) -> tuple[Segmentation, Segmentation]:
    """Return reference and hypothesis of a case."""
    return (Segmentation.from_masses(case["input"]["reference"]), Segmentation.from_masses(case["input"]["hypothesis"]))


def pairs_of(name: str) -> Iterator[tuple[str, Segmentation, Segmentation, dict[str, Any]]]:
    """Yield (id, reference, hypothesis, expected) of each case."""
    for case in cases(name):
        yield (case["id"], *sides(case), case["expected"])


def agree(ours: float, theirs: Any) -> bool:
    """Say whether a number is the printed one; a peer that crashed or printed nothing agrees with nothing."""
    if isinstance(theirs, str):
        theirs = {"nan": math.nan, "inf": math.inf}[theirs]
    if theirs is None or isinstance(theirs, dict):
        return False
    if math.isnan(theirs) or math.isnan(ours):
        return math.isnan(theirs) and math.isnan(ours)
    return ours == theirs or abs(ours - theirs) <= TOLERANCE


def compare(cells: Iterable[Cell], disagreements: Mapping[str, float], *, count: int) -> None:
    """Check every cell: equal to the peer, or listed as a disagreement with what we say instead.

    A listed disagreement that is none, a listed key that does not exist and a wrong number of cells fail too.
    """
    everything = list(cells)
    keys = [cell.key for cell in everything]
    assert len(set(keys)) == len(keys)
    faults = []
    for key, ours, theirs in everything:
        if key in disagreements:
            says = disagreements[key]
            if not agree(ours, says) or agree(ours, theirs):
                faults.append(f"{key}: {ours}, listed as a disagreement with {says} against {theirs}")
        elif not agree(ours, theirs):
            faults.append(f"{key}: {ours} instead of {theirs}")
    assert not faults, "\n".join(faults[:20])
    assert set(disagreements) <= set(keys)
    assert len(everything) == count
