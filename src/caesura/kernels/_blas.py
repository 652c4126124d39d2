# SPDX-License-Identifier: Apache-2.0
"""One thread for the matrix products of NumPy, which are small here: more threads wait for each other longer than they work."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

__all__ = ["one_thread"]

_FOLDERS = ("numpy.libs", "numpy/.dylibs")
_NAMES = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let matrix products take one thread meanwhile, if NumPy came with an OpenBLAS that can be told.

    >>> with one_thread():
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    controls = _controls()
    if controls is None:
        yield
        return
    get, put = controls
    before = get()
    put(1)
    try:
        yield
    finally:
        put(before)


@functools.cache
def _controls() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Return how to read and set the number of threads of the OpenBLAS in NumPy's own folder; None if there is none."""
    site = Path(np.__file__).parent.parent
    for path in (path for folder in _FOLDERS for path in sorted((site / folder).glob("*openblas*"))):
        try:
            library = ctypes.CDLL(str(path))  # loaded already, so that this is the same one
        except OSError:
            continue
        for name in _NAMES:
            if hasattr(library, name.format("get")) and hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
