# SPDX-License-Identifier: Apache-2.0
"""The normal limit of sums over many documents, from which draws cost no pass over the documents.

A resample or a permutation is used through its column sums alone. With very many documents, of which no few matter most, these
sums are normally distributed (the central limit theorem), and their covariance is that of the documents. So they are drawn
directly: the scores of the draws, their intervals and p-values are computed from them as from any other draws.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["DRAWN_FROM", "are_normal", "normal_sums"]

Floats = npt.NDArray[np.float64]

DRAWN_FROM = 20_000
"""With so many documents or more, sums of resamples and permutations are drawn from their normal limit."""
_ROWS = 300  # of equal weight, that are enough: an interval then moves by less than it does from seed to seed
_ROUNDING = 1e-12  # what is left of a column that depends on those before it
_STEADY = 1e-3  # the standard deviation of a sum, over the sum, that does not matter


def are_normal(rows: Floats, sums: Floats | None = None) -> bool:
    """Say whether sums of so many rows are as good as normal: each column varies as if at least 300 rows contributed equally.

    A column that hardly varies beside its sum, if that is given, may be of any kind: one that counts the documents with a score,
    of which a few have none, adds next to nothing to the variation of a mean.

    >>> are_normal(np.ones((400, 1))), are_normal(np.eye(400)), are_normal(np.zeros((3, 1)))
    (True, False, True)
    >>> are_normal(np.eye(400), np.full(400, 2e4))
    True
    """
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values are never normal
        squares = np.square(rows)
        total, fourth = squares.sum(axis=0), np.einsum("ij,ij->j", squares, squares)
        small = False if sums is None else np.sqrt(total) <= _STEADY * np.abs(sums)
        return bool(np.isfinite(fourth).all() and ((_ROWS * fourth <= total * total) | small).all())


def normal_sums(mean: Floats, rows: Floats, draws: int, seed: int) -> Floats:
    """Draw sums from the normal distribution with this mean, whose covariance is the sum of the products of the rows.

    >>> drawn = normal_sums(np.array([5.0]), np.full((4, 1), 1.5), 4000, seed=1)
    >>> round(float(drawn.mean()), 1), round(float(drawn.std()), 1)  # the root of 4 times 1.5 squared
    (5.0, 3.0)
    """
    factor = _root(rows.T @ rows)
    normal = np.random.default_rng(seed).standard_normal((draws, len(factor)))
    return np.asarray(mean + normal @ factor)


def _root(products: Floats) -> Floats:
    """Return the upper triangular matrix whose products of columns these are (Cholesky), also where columns depend on others."""
    root = np.zeros_like(products)
    for row in range(len(products)):
        rest = products[row, row:] - root[:row, row] @ root[:row, row:]
        if rest[0] > _ROUNDING * products[row, row]:
            root[row, row:] = rest / np.sqrt(rest[0])
    return root
