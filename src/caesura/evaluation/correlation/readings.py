# SPDX-License-Identifier: Apache-2.0
"""Two metrics in three readings: all systems, without baselines, and with density held constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from caesura.evaluation.correlation.coefficients import COEFFICIENTS, partial
from caesura.results import Ends, number
from caesura.results.correlation import Coefficient, CorrelationRow, Reading
from caesura.statistics.bootstrap import Bootstrap

__all__ = ["FEWEST", "readings"]

Floats = npt.NDArray[np.float64]

FEWEST = 3
"""Systems below which no correlation is computed."""


def readings(
    names: tuple[str, str, str],
    x: Floats,
    y: Floats,
    bor: Floats,
    baseline: npt.NDArray[np.bool_],
    bootstrap: Bootstrap,
) -> Iterator[CorrelationRow]:
    """Yield the correlation of two metrics in three readings."""
    every = np.ones(len(baseline), dtype=bool)
    chosen: dict[Reading, npt.NDArray[np.bool_]] = {
        "all": every, "without baselines": ~baseline, "density removed": ~baseline & (bor[0] > 0),
    }  # fmt: skip
    for reading, kept in chosen.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.log(bor[:, kept]) if reading == "density removed" else None
        found: dict[str, Coefficient] = {}
        for name, coefficient in COEFFICIENTS.items():
            values = _coefficients(coefficient, x[:, kept], y[:, kept], density)
            interval = bootstrap.interval(values[1:]) if np.isfinite(values[1:]).any() else None
            found[name] = Coefficient(
                value=number(float(values[0])),
                interval=Ends(None, None)
                if interval is None
                else Ends(number(interval.low), number(interval.high)),
            )
        spec, metric, reference = names
        yield CorrelationRow(
            encoder=spec,
            metric=metric,
            reference=reference,
            reading=reading,
            systems=int(kept.sum()),
            **found,
        )


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
