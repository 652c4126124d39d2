# SPDX-License-Identifier: Apache-2.0
"""Loops over flat arrays, linear in the boundaries, compiled where that is possible.

Each file is ordinary Python in Cython's pure-Python mode: built as an extension it runs at the speed of C and releases
the GIL; with no compiler the very same file runs uncompiled and gives the same integers. A kernel fills a float64
table (documents, columns) with the counts of each document, and knows nothing of metrics.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import itertools
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.kernels._counts import Counts
from caesura.kernels._stretch import Stretch, arrays_of
from caesura.kernels._together import count_together
from caesura.segmentation import Segmentation

__all__ = ["Counts", "Kernel", "compiled", "count_together", "kernel", "kernel_names"]

Table = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_PLACES = {
    "pk": ("windows", "PK_COLUMNS"),
    "window_diff": ("windows", "WINDOW_DIFF_COLUMNS"),
    "edits": ("edits", "EDIT_COLUMNS"),
    "boundaries": ("boundaries", "BOUNDARY_COLUMNS"),
    "matching": ("matching", "MATCHING_COLUMNS"),
    "as_run": ("as_run", "AS_RUN_COLUMNS"),
    "overlap": ("segments", "OVERLAP_COLUMNS"),
    "retrieval": ("segments", "RETRIEVAL_COLUMNS"),
    "alignment": ("segments", "ALIGNMENT_COLUMNS"),
}
_FRACTIONS = frozenset({"weighted", "ref_share", "hyp_share", "jaccard"})


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One counting loop: the names of its columns, and its two entries."""

    name: str
    columns: tuple[str, ...]
    module: ModuleType

    def count(self, pairs: Pairs, parameters: tuple[int, ...], *, threads: int = 1) -> Table:
        """Return the counts of every document, one row each."""
        out: Table = np.empty((len(pairs), len(self.columns)), dtype=np.float64)
        arrays = arrays_of(pairs)
        threads = min(threads, len(pairs) // 2) if self.module.COMPILED else 1
        if threads <= 1:
            self.run(Stretch(arrays), out, None, parameters)
            return out
        from concurrent.futures import ThreadPoolExecutor

        cuts = [len(pairs) * part // threads for part in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            jobs = [
                pool.submit(self.run, Stretch.of(arrays, start, stop), out[start:stop], None, parameters)
                for start, stop in itertools.pairwise(cuts)
            ]
            for job in jobs:
                job.result()
        return out

    def run(self, stretch: Stretch, out: Table, scratch: Ints | None, parameters: tuple[int, ...]) -> None:
        """Fill ``out`` with the counts of a stretch; ``scratch`` has at least `cells`, or is made here."""
        if self.module.COMPILED:
            if scratch is None:
                scratch = np.empty(self.cells(stretch, parameters), dtype=np.int64)
            self._run(*stretch.arrays, out, 0, len(stretch), scratch, *parameters)
        else:
            self._run(
                *stretch.lists, out, 0, len(stretch), [0] * self.cells(stretch, parameters), *parameters
            )

    def cells(self, stretch: Stretch, parameters: tuple[int, ...]) -> int:
        """Return the work space that the largest document of a stretch needs, in cells."""
        if self._cells is None:
            return 8 * stretch.most + 16
        inputs = stretch.arrays if self.module.COMPILED else stretch.lists
        return int(self._cells(*inputs[1:], 0, len(stretch), *parameters))

    def count_one(
        self, reference: Segmentation, hypothesis: Segmentation, parameters: tuple[int, ...]
    ) -> Table:
        """Return the counts of one pair, as one row; the way in that costs no batch."""
        out: Table = np.empty((1, len(self.columns)), dtype=np.float64)
        ref, hyp = reference.positions, hypothesis.positions
        size = 8 * (len(ref) + len(hyp)) + 16
        if self._cells is not None:
            size = self.cells(Stretch(arrays_of(Pairs.of(reference, hypothesis))), parameters)
        run = self._run_one
        if self.module.COMPILED:
            run(reference.n_units, ref, hyp, out, np.empty(size, dtype=np.int64), *parameters)
        else:
            run(reference.n_units, ref.tolist(), hyp.tolist(), out, [0] * size, *parameters)
        return out

    @functools.cached_property
    def _run(self) -> Any:
        return getattr(self.module, f"count_{self.name}")

    @functools.cached_property
    def _run_one(self) -> Any:
        return getattr(self.module, f"count_{self.name}_one")

    @functools.cached_property
    def _cells(self) -> Any:
        """What says how much work space is needed, where that is more than eight cells per boundary."""
        return getattr(self.module, f"scratch_{self.name}", None)

    @functools.cached_property
    def fractional(self) -> slice:
        """The columns that may hold fractions; they are neighbours."""
        places = [place for place, name in enumerate(self.columns) if name in _FRACTIONS]
        return slice(places[0], places[-1] + 1) if places else slice(0, 0)

    def column(self, name: str) -> int:
        """Return the place of a column."""
        return self.columns.index(name)


@functools.cache
def kernel(name: str) -> Kernel:
    """Return a kernel by name."""
    file, columns = _PLACES[name]
    module = importlib.import_module(f"caesura.kernels.{file}")
    return Kernel(name, getattr(module, columns), module)


def kernel_names() -> list[str]:
    """Return the names of all kernels."""
    return list(_PLACES)


def compiled() -> bool:
    """Say whether every kernel runs compiled."""
    return all(kernel(name).module.COMPILED for name in _PLACES)
