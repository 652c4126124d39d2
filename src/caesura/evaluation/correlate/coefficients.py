# SPDX-License-Identifier: Apache-2.0
"""Correlation coefficients of many resamples at once, and two metrics in four readings of them.

Rows are resamples, columns are systems. A coefficient is NaN where one side does not vary. The readings: all systems, without
baselines, with density held constant, and systems only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.results import Ends, number
from caesura.results.correlate.facts import CorrelationCoefficient, CorrelationDifference, CorrelationRow, Reading
from caesura.statistics.bootstrap import Bootstrap

__all__ = [
    "COEFFICIENTS",
    "FEWEST",
    "Read",
    "differences",
    "kendall",
    "ordered",
    "partial",
    "pearson",
    "ranks",
    "readings",
    "spearman",
    "tied_pairs",
]

Flags = npt.NDArray[np.bool_]
FEWEST = 3
"""Systems below which no correlation is computed."""
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


class Read(NamedTuple):
    """The correlation of two metrics in one reading, and its coefficients: of the scores, and of each resample."""

    row: CorrelationRow
    values: Mapping[str, Floats]


def readings(
    names: tuple[str, str, str],
    x: Floats,
    y: Floats,
    bor: Floats,
    baseline: Flags,
    reference: Flags,
    bootstrap: Bootstrap,
) -> Iterator[Read]:
    """Yield the correlation of two metrics in four readings; ``reference`` says which systems equal the reference."""
    every = np.ones(len(baseline), dtype=bool)
    chosen: dict[Reading, Flags] = {
        "all": every, "without baselines": ~baseline, "density removed": ~baseline & (bor[0] > 0),
        "systems only": ~baseline & ~reference,
    }  # fmt: skip
    for reading, kept in chosen.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.log(bor[:, kept]) if reading == "density removed" else None
        a, b = x[:, kept], y[:, kept]
        values = {name: _coefficients(each, a, b, density) for name, each in COEFFICIENTS.items()}
        found = {name: _summary(drawn, bootstrap) for name, drawn in values.items()}
        spec, metric, against = names
        row = CorrelationRow(
            encoder=spec, metric=metric, reference=against, reading=reading, systems=int(kept.sum()),
            pearson=found["pearson"], spearman=found["spearman"], kendall=found["kendall"],
        )  # fmt: skip
        if density is None:
            row.ordered = _summary(_coefficients(ordered, a, b, None), bootstrap)
            row.tied = tied_pairs(b[0])
            row.pairs = len(b[0]) * (len(b[0]) - 1) // 2 - row.tied
        yield Read(row, values)


def differences(read: Sequence[Read], bootstrap: Bootstrap) -> Iterator[CorrelationDifference]:
    """Yield how much better one metric correlates than another, with the same encoder, reference metric and reading."""
    for one, other in itertools.combinations(read, 2):
        a, b = one.row, other.row
        if (a.encoder, a.reference, a.reading) == (b.encoder, b.reference, b.reading):
            yield CorrelationDifference(
                encoder=a.encoder,
                first=a.metric,
                second=b.metric,
                reference=a.reference,
                reading=a.reading,
                systems=a.systems,
                **{name: _summary(one.values[name] - other.values[name], bootstrap) for name in COEFFICIENTS},
            )


def _summary(values: Floats, bootstrap: Bootstrap) -> CorrelationCoefficient:
    """Return the first value, with the interval of the others."""
    interval = bootstrap.interval(values[1:]) if np.isfinite(values[1:]).any() else None
    ends = Ends(None, None) if interval is None else Ends(number(interval.low), number(interval.high))
    return CorrelationCoefficient(value=number(float(values[0])), interval=ends)


def _coefficients(
    coefficient: Callable[[Floats, Floats], Floats], x: Floats, y: Floats, density: Floats | None
) -> Floats:
    """Return a coefficient for each row; NaN if there are too few systems or a score is not finite."""
    usable = np.isfinite(x).all(axis=1) & np.isfinite(y).all(axis=1)
    fewest = FEWEST
    if density is not None:
        usable &= np.isfinite(density).all(axis=1)
        fewest += 1  # of three systems, a partial correlation has no freedom left
    values = np.full(len(x), np.nan)
    if x.shape[1] < fewest or not usable.any():
        return values
    a, b = x[usable], y[usable]
    values[usable] = coefficient(a, b)
    if density is not None:
        z = density[usable]
        values[usable] = partial(values[usable], coefficient(a, z), coefficient(b, z))
    return values
