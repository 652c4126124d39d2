# SPDX-License-Identifier: Apache-2.0
"""Correlation coefficients of many resamples at once.

Rows are resamples, columns are systems. A coefficient is NaN where one side does not vary.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["COEFFICIENTS", "kendall", "ordered", "partial", "pearson", "ranks", "spearman", "tied_pairs"]

Floats = npt.NDArray[np.float64]

_SAME = 1e-12  # relative difference below which values of a mean are equal


def pearson(x: Floats, y: Floats) -> Floats:
    """Return the product-moment correlation of each row.

    >>> pearson(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 7.0]])).round(4).tolist()
    [0.9934]
    """
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    product = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    flat = (np.ptp(x, axis=1) <= _SAME * np.abs(x).max(axis=1)) | (np.ptp(y, axis=1) <= _SAME * np.abs(y).max(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.nan, np.clip((a * b).sum(axis=1) / product, -1, 1))


def ranks(x: Floats) -> Floats:
    """Return the rank of each value in its row, from 1; equal values share the mean of their ranks.

    >>> ranks(np.array([[0.3, 0.1, 0.3]])).tolist()
    [[2.5, 1.0, 2.5]]
    """
    sign = _signs(x)
    found: Floats = (sign > 0).sum(axis=2) + 0.5 * ((sign == 0).sum(axis=2) - 1) + 1.0
    return found


def spearman(x: Floats, y: Floats) -> Floats:
    """Return the rank correlation of each row."""
    return pearson(ranks(x), ranks(y))


def kendall(x: Floats, y: Floats) -> Floats:
    """Return Kendall's tau-b of each row.

    >>> kendall(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[1.0, 3.0, 2.0, 4.0]])).round(4).tolist()
    [0.6667]
    """
    a, b = _signs(x), _signs(y)
    product = np.sqrt(np.abs(a).sum(axis=(1, 2)) * np.abs(b).sum(axis=(1, 2)))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(product > 0, (a * b).sum(axis=(1, 2)) / product, np.nan)


def ordered(x: Floats, y: Floats) -> Floats:
    """Return the share of pairs in each row that x orders as y does; pairs tied in y are left out, pairs tied in x count half.

    >>> ordered(np.array([[1.0, 2.0, 2.0, 4.0]]), np.array([[1.0, 2.0, 3.0, 1.0]])).tolist()
    [0.5]
    """
    a, b = _signs(x), _signs(y)
    apart = np.abs(b).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(apart > 0, 0.5 + (a * b).sum(axis=(1, 2)) / (2 * apart), np.nan)


def tied_pairs(y: Floats) -> int:
    """Return how many pairs of a row have (nearly) equal values.

    >>> tied_pairs(np.array([1.0, 2.0, 1.0]))
    1
    """
    return int(((_signs(y[None]) == 0).sum() - len(y)) // 2)


def partial(xy: Floats, xz: Floats, yz: Floats) -> Floats:
    """Return a correlation with a third variable held constant, from the three correlations.

    Where the third variable does not vary, nothing is held constant. Where it determines one side, the result is NaN.

    >>> partial(np.array([0.5]), np.array([0.0]), np.array([0.0])).tolist()
    [0.5]
    """
    a, b = np.nan_to_num(xz), np.nan_to_num(yz)
    left = (1 - a * a) * (1 - b * b)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left > _SAME, np.clip((xy - a * b) / np.sqrt(np.maximum(left, 0)), -1, 1), np.nan)


def _signs(x: Floats) -> Floats:
    """Return the sign of the difference of every two values of a row; nearly equal ones are equal."""
    difference = x[:, :, None] - x[:, None, :]
    size = np.maximum(np.abs(x[:, :, None]), np.abs(x[:, None, :]))
    return np.where(np.abs(difference) <= _SAME * size, 0.0, np.sign(difference))


COEFFICIENTS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
"""The three coefficients, by name."""
