# SPDX-License-Identifier: Apache-2.0
"""Two metrics in four readings: all systems, without baselines, with density held constant, and systems only."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.evaluation.correlate.coefficients import COEFFICIENTS, ordered, partial, tied_pairs
from caesura.results import Ends, number
from caesura.results.correlate.facts import CorrelationCoefficient, CorrelationDifference, CorrelationRow, Reading
from caesura.statistics.bootstrap import Bootstrap

__all__ = ["FEWEST", "Read", "differences", "readings"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEWEST = 3
"""Systems below which no correlation is computed."""


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
