# SPDX-License-Identifier: Apache-2.0
"""Loops over flat arrays, linear in the boundaries, compiled where that is possible.

Each file is ordinary Python in Cython's pure-Python mode: built as an extension it runs at the speed of C and releases
the GIL; with no compiler the very same file runs uncompiled and gives the same integers. A kernel fills a float64
table (documents, columns) with the counts of each document, and knows nothing of metrics.

A file declares what it counts: ``KERNELS`` maps the name of each kernel to its columns, ``FRACTIONAL`` names the columns that
may hold fractions, ``RANGES`` the parameters that may not be every whole number from 0 to 2^62. Kernel ``x`` is ``count_x`` for
many documents and ``count_x_one`` for one pair, whose signature names the parameters and their defaults; ``scratch_x`` returns the
scratch size where the default (22 cells per boundary and 32 more) is too small.

No kernel is imported here: segmentations are packed by a file of this folder (`packing`), and kernels count segmentations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.later import later

if TYPE_CHECKING:
    from caesura.kernels._blas import one_thread as one_thread
    from caesura.kernels._counts import Counts as Counts
    from caesura.kernels._kernel import Kernel as Kernel
    from caesura.kernels._kernel import cells as cells
    from caesura.kernels._kernel import compiled as compiled
    from caesura.kernels._kernel import kernel as kernel
    from caesura.kernels._kernel import kernel_names as kernel_names
    from caesura.kernels._together import count_blocks as count_blocks
    from caesura.kernels._together import run_kernels as run_kernels

_HOMES = {
    "Counts": "_counts",
    "Kernel": "_kernel",
    "cells": "_kernel",
    "compiled": "_kernel",
    "count_blocks": "_together",
    "kernel": "_kernel",
    "kernel_names": "_kernel",
    "one_thread": "_blas",
    "run_kernels": "_together",
}

__all__ = [
    "Counts",
    "Kernel",
    "cells",
    "compiled",
    "count_blocks",
    "kernel",
    "kernel_names",
    "one_thread",
    "run_kernels",
]

__getattr__ = later(__name__, _HOMES)
