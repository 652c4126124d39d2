# SPDX-License-Identifier: Apache-2.0
"""Checks of the vectors and texts of the units of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints
from caesura.errors import ComparabilityError, and_more

__all__ = ["LARGEST", "Vectors", "as_numbers", "as_table", "check_shapes", "check_texts", "unusable"]

Vectors = npt.NDArray[np.floating[Any]]
LARGEST = 1e100  # sums of squares of larger numbers would overflow float64


def unusable(vectors: Vectors) -> npt.NDArray[np.bool_]:
    """Return a mask of the numbers that are NaN, infinite or too large."""
    return np.asarray(~(np.abs(vectors.astype(np.float64)) < LARGEST))


def as_numbers(key: str, given: npt.ArrayLike) -> Vectors:
    """Return real numbers as float32 or float64; arrays of either type are not converted."""
    whose = f"document {key!r}: vectors" if key else "vectors"
    try:
        array = np.asarray(given)
    except ValueError:
        raise ComparabilityError(
            f"{whose} are ragged; each unit needs the same number of dimensions"
        ) from None
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "fiu":
        raise ComparabilityError(f"{whose} are of type {array.dtype}; they must be numbers, such as float32")
    return array.astype(np.float32 if array.dtype == np.float16 else np.float64)


def as_table(vectors: npt.ArrayLike) -> Vectors:
    """Return vectors as one C-contiguous array."""
    whole = as_numbers("", vectors)
    if whole.ndim != 2 or not whole.shape[1]:
        raise ComparabilityError(f"vectors have shape {whole.shape}; they must be (units, dimensions)")
    return np.ascontiguousarray(whole)


def check_shapes(ids: Sequence[str], arrays: Sequence[Vectors], n_units: Ints) -> None:
    """Raise if documents have vectors of the wrong shape, number or dimension."""
    for key, array in zip(ids, arrays, strict=True):
        if array.ndim != 2 or not array.shape[1]:
            raise ComparabilityError(
                f"document {key!r}: vectors have shape {array.shape}; they must be (units, dimensions)"
            )
    wrong = [row for row, array in enumerate(arrays) if len(array) != n_units[row]]
    if wrong:
        row = wrong[0]
        raise ComparabilityError(
            f"document {ids[row]!r}: {len(arrays[row])} vectors for {n_units[row]} units; give one vector per unit"
            f"{and_more(len(wrong), True)}"
        )
    other = [row for row, array in enumerate(arrays) if array.shape[1] != arrays[0].shape[1]]
    if other:
        row = other[0]
        raise ComparabilityError(
            f"document {ids[row]!r}: vectors have {arrays[row].shape[1]} dimensions, those of {ids[0]!r} "
            f"{arrays[0].shape[1]}; all must come from the same encoder{and_more(len(other), True)}"
        )


def check_texts(ids: Sequence[str], n_units: Ints, texts: Mapping[str, Sequence[str]]) -> None:
    """Raise if the texts of a document are not a list of strings, one per unit; documents may lack texts."""
    for key, number in zip(ids, n_units.tolist(), strict=True):
        given = texts.get(key)
        if given is None:
            continue
        if not isinstance(given, (list, tuple)) or not all(isinstance(text, str) for text in given):
            raise ComparabilityError(f"document {key!r}: texts must be a list of strings, one for each unit")
        if len(given) != number:
            raise ComparabilityError(
                f"document {key!r}: {len(given)} texts for {number} units; give one text per unit"
            )
