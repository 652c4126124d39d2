# SPDX-License-Identifier: Apache-2.0
"""What an adapter is, and the tasks that several libraries can do."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs

__all__ = ["TASKS", "Adapter", "Floats", "Task", "documents_of", "installed", "masses_of"]

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Task:
    """Scores that libraries are asked for: their names in Caesura, one column each."""

    name: str
    metrics: tuple[str, ...]


TASKS = {
    task.name: task
    for task in (
        Task("Pk", ("Pk",)),
        Task("WindowDiff", ("WindowDiff",)),
        Task("S", ("S",)),
        Task("B", ("B",)),
        Task("S, n_t = 8", ("S(n_t=8)",)),
        Task("B, n_t = 8", ("B(n_t=8)",)),
        Task("purity and coverage", ("Purity", "Coverage")),
        Task(
            "boundaries within 1",
            tuple(f"Boundary{part}(tolerance=1, matching='one_to_one')" for part in ("Precision", "Recall", "F1")),
        ),
    )
}


class Adapter(Protocol):
    """A library in the harness.

    Attributes
    ----------
    name : str
        How it is called in the tables.
    package : str
        What is imported.
    distribution : str
        What is installed, for its version.
    """

    name: str
    package: str
    distribution: str

    def supports(self, task: Task) -> bool:
        """Say whether the library has such a score."""
        ...

    def documents(self, task: Task, available: int) -> int:
        """Return how many documents, from the first on, it is asked for; slow libraries take a prefix."""
        ...

    def prepare(self, task: Task, pairs: Pairs) -> Any:
        """Return the documents in the library's own form; not timed."""
        ...

    def run(self, task: Task, prepared: Any) -> Any:
        """Do the work; timed."""
        ...

    def values(self, task: Task, raw: Any) -> Floats:
        """Return what `run` gave as a table (documents, scores); not timed."""
        ...


def installed(adapter: Adapter) -> bool:
    """Say whether the library of an adapter can be imported."""
    if adapter.package in sys.modules:
        # segeval puts another object in its own place, which has no specification to be found.
        return True
    try:
        return importlib.util.find_spec(adapter.package) is not None
    except ModuleNotFoundError:
        return False


def documents_of(pairs: Pairs) -> Iterator[tuple[int, Positions, Positions]]:
    """Yield units, reference and hypothesis boundaries of each document."""
    for row, n_units in enumerate(pairs.n_units.tolist()):
        yield (
            n_units,
            pairs.ref_pos[pairs.ref_ptr[row] : pairs.ref_ptr[row + 1]],
            pairs.hyp_pos[pairs.hyp_ptr[row] : pairs.hyp_ptr[row + 1]],
        )


def masses_of(n_units: int, boundaries: Positions) -> tuple[int, ...]:
    """Return the lengths of the segments."""
    return tuple(np.diff(np.concatenate(([0], boundaries, [n_units]))).tolist())
