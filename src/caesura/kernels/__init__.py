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

from caesura.pairs import Pairs
from caesura.segmentation import Segmentation

__all__ = ["Kernel", "compiled", "kernel", "kernel_names"]

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


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One counting loop: the names of its columns, and its two entries."""

    name: str
    columns: tuple[str, ...]
    module: ModuleType

    def count(self, pairs: Pairs, parameters: tuple[int, ...], *, threads: int = 1) -> Table:
        """Return the counts of every document, one row each."""
        out: Table = np.empty((len(pairs), len(self.columns)), dtype=np.float64)
        arrays: list[Any] = [pairs.n_units, pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr, pairs.hyp_pos]
        arrays = [_contiguous(array) for array in arrays]
        size = _scratch_size(pairs)
        run = getattr(self.module, f"count_{self.name}")
        if not self.module.COMPILED:
            # Uncompiled loops read lists several times faster than arrays.
            arrays = [array.tolist() for array in arrays]
            run(*arrays, out, 0, len(pairs), [0] * size, *parameters)
        elif threads <= 1 or len(pairs) < 2 * threads:
            run(*arrays, out, 0, len(pairs), np.empty(size, dtype=np.int64), *parameters)
        else:
            _in_threads(run, arrays, out, size, parameters, threads)
        return out

    def count_one(self, reference: Segmentation, hypothesis: Segmentation, parameters: tuple[int, ...]) -> Table:
        """Return the counts of one pair, as one row; the way in that costs no batch."""
        out: Table = np.empty((1, len(self.columns)), dtype=np.float64)
        ref, hyp = reference.positions, hypothesis.positions
        size = 8 * (len(ref) + len(hyp)) + 16
        run = self._run_one
        if self.module.COMPILED:
            run(reference.n_units, ref, hyp, out, np.empty(size, dtype=np.int64), *parameters)
        else:
            run(reference.n_units, ref.tolist(), hyp.tolist(), out, [0] * size, *parameters)
        return out

    @functools.cached_property
    def _run_one(self) -> Any:
        return getattr(self.module, f"count_{self.name}_one")

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


def _contiguous(array: Ints) -> Ints:
    return np.ascontiguousarray(array, dtype=np.int64)


def _scratch_size(pairs: Pairs) -> int:
    """Return the work space that the largest document needs, in cells."""
    if not len(pairs):
        return 16
    return 8 * int((np.diff(pairs.ref_ptr) + np.diff(pairs.hyp_ptr)).max()) + 16


def _in_threads(run: Any, arrays: list[Any], out: Table, size: int, parameters: tuple[int, ...], threads: int) -> None:
    """Count ranges of documents in threads; each row is written by exactly one, so the result is the same."""
    from concurrent.futures import ThreadPoolExecutor

    cuts = np.linspace(0, len(out), threads + 1).astype(np.int64).tolist()
    with ThreadPoolExecutor(threads) as pool:
        jobs = [
            pool.submit(functools.partial(run, *arrays, out, start, stop, np.empty(size, dtype=np.int64), *parameters))
            for start, stop in itertools.pairwise(cuts)
        ]
        for job in jobs:
            job.result()
