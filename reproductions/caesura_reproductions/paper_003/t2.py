# SPDX-License-Identifier: Apache-2.0
"""Table 2: the joint interpretation of boundary accuracy, density, purity and coverage, by the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from caesura.evaluation.evaluate import evaluate
from caesura.results.evaluate.verdict import Mode
from caesura.segmentation import Segmentation
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["failure_modes"]

_DOCUMENTS, _SEGMENTS = 40, 6
_MODES: dict[str, Mode] = {
    "Calibrated": "calibrated",
    "Oversegmentation": "over-segmentation consistent with the reference",
    "Granularity mismatch": "granularity mismatch",
    "Undersegmentation": "under-segmentation consistent with the reference",
    "Detection failure": "no detection shown",
}


@item("T2", "Failure modes, by the verdict on made-up systems")
def failure_modes(printed: Printed, data: Data) -> Iterator[Found]:
    """Construct a system for each row of the table, and compare its verdict with that row."""
    rng = np.random.default_rng(0)
    gold = {
        str(key): Segmentation.from_masses(rng.integers(4, 12, size=_SEGMENTS).tolist()) for key in range(_DOCUMENTS)
    }
    made: dict[str, Callable[[Segmentation], Segmentation]] = {
        "Calibrated": lambda g: g,
        "Oversegmentation": lambda g: _with(g, 4, rng),
        "Granularity mismatch": lambda g: _with(g, 18, rng),
        "Undersegmentation": lambda g: _some(g, g.positions, 2, rng),
        "Detection failure": lambda g: _some(g, np.arange(1, g.n_units), g.n_boundaries, rng),
    }
    systems = {name: {key: make(g) for key, g in gold.items()} for name, make in made.items()}
    e = evaluate(gold, systems, ["W-F1", "BOR", "Purity", "Coverage"])
    verdicts = e.verdicts()
    for row, column in printed:
        name = printed[row, column].printed.partition(" (")[0]
        numbers = ", ".join(f"{metric} {score:.2f}" for metric, score in e.scores[name].items())
        verdict = verdicts[name].verdict
        yield Value(row, column, verdict, note=numbers, holds=verdict == _MODES[name])


def _with(gold: Segmentation, extra: int, rng: np.random.Generator) -> Segmentation:
    """Return all boundaries of the gold, and as many others."""
    others = np.setdiff1d(np.arange(1, gold.n_units), gold.positions)
    chosen = rng.choice(others, extra, replace=False)
    return Segmentation(gold.n_units, np.sort(np.concatenate([gold.positions, chosen])).tolist())


def _some(
    gold: Segmentation, gaps: np.ndarray[tuple[int], np.dtype[np.int64]], number: int, rng: np.random.Generator
) -> Segmentation:
    """Draw a number of gaps at random."""
    return Segmentation(gold.n_units, np.sort(rng.choice(gaps, number, replace=False)).tolist())
