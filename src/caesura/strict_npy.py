# SPDX-License-Identifier: Apache-2.0
"""The header of a NumPy array from outside, read strictly.

NumPy's own reader also accepts headers of Python 2 and pickled objects, and fails in many ways on damaged ones.
"""

from __future__ import annotations

import ast
import functools
from typing import IO, Any

import numpy as np

__all__ = ["LONGEST_HEADER", "header"]

LONGEST_HEADER = 10_000
_LENGTHS = {b"\x01\x00": 2, b"\x02\x00": 4}  # bytes that hold the length of the header, by version

_literal = functools.lru_cache(ast.literal_eval)  # many arrays of a file have the same header


def header(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Read a header and return the shape, the type, and whether the array is stored in column order.

    Raises
    ------
    ValueError
        If it is damaged; the message follows the name of the array.
    """
    start = stream.read(8)
    if start[:6] != np.lib.format.MAGIC_PREFIX or start[6:] not in _LENGTHS:
        raise ValueError("is not a NumPy array of version 1 or 2; write it again")
    length = int.from_bytes(stream.read(_LENGTHS[start[6:]]), "little")
    if length > LONGEST_HEADER:
        raise ValueError(
            f"has a header of {length} bytes, but an array of numbers needs at most {LONGEST_HEADER}; write it again"
        )
    try:
        facts = _literal(stream.read(length).decode("latin-1").strip())
        shape, descr, fortran = facts["shape"], facts["descr"], facts["fortran_order"]
        dtype = np.dtype(descr if isinstance(descr, str) else object)
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        raise ValueError("has a damaged header; write it again") from None
    if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"has the invalid shape {shape!r}; write it again")
    return shape, dtype, fortran is True
