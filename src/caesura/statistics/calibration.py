# SPDX-License-Identifier: Apache-2.0
"""Calibration of binary probabilities: temperature scaling of logits, and reliability."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError, DeclarationError
from caesura.results.base import number
from caesura.results.calibrate.facts import Reliability, ReliabilityBin

__all__ = ["Reliability", "Temperature", "fit_temperature", "reliability"]

Floats = npt.NDArray[np.float64]
Numbers = Sequence[float] | npt.NDArray[np.number]
_BOUND = 10.0


@dataclasses.dataclass(frozen=True)
class Temperature:
    """The result of temperature scaling."""

    # The temperature T, by which logits are divided. Above 1 probabilities move towards 0.5, below 1
    # away from it; decisions at 0.5 do not change.
    value: float
    nll_before: float  # mean negative log-likelihood at T = 1 and at ``value``
    nll_after: float
    interior: bool  # whether an optimum exists and lies within the bounds; if not, ``value`` is a bound
    reason: str | None = None  # why there is no optimum, or None

    def apply(self, logits: Numbers) -> Floats:
        """Return the probabilities sigmoid(z / T).

        >>> Temperature(2.0, 0.0, 0.0, True).apply([0.0, 2.0]).round(3).tolist()
        [0.5, 0.731]
        """
        scaled = np.asarray(logits, dtype=np.float64) / self.value
        return np.asarray(np.exp(-np.logaddexp(0.0, -scaled)))


def fit_temperature(logits: Numbers, labels: Numbers) -> Temperature:
    r"""Fit the temperature that maximises the likelihood of the labels.

    .. math::  T = \arg\min_T \frac 1 n \sum_i -y_i \log \sigma(z_i / T) - (1 - y_i) \log \sigma(-z_i / T)

    A label is 0 or 1, or the share of annotators who marked the gap: each of them counts as a label then.
    With the margins :math:`m_i = z_i` of weight :math:`y_i` and :math:`m_i = -z_i` of weight :math:`1 - y_i`, the sum runs
    over log T in [-10, 10]. In u = 1/T the sum is convex, with slope :math:`-\sum m_i / 2n` at u = 0. So an optimum exists
    if and only if the margins :math:`m_i` have a positive mean and one of them is negative. Otherwise the likelihood grows
    up to a bound, which is returned with the reason: for separable logits (no negative margin) the lower bound, for logits
    that are wrong on average the upper bound. If all logits are 0, T has no effect.

    Parameters
    ----------
    logits : sequence of float
        Log-odds of a boundary, one per gap.
    labels : sequence of float
        1 at a boundary, 0 elsewhere; between them the share of annotators.

    Examples
    --------
    >>> fit = fit_temperature([3.0, -3.0, 3.0, -3.0], [1, 0, 0, 0])
    >>> round(fit.value, 3), fit.interior  # sigmoid(3 / T) = 3/4
    (2.731, True)
    >>> fit_temperature([2.0, -1.0], [1, 0]).reason
    'every logit is on the right side of 0: the smaller T, the better'
    """
    z, y = _checked("logits", logits, labels)
    margins, weights = np.where(y == 1, z, -z), np.ones(len(z))
    if ((y > 0) & (y < 1)).any():  # an annotator's label each
        margins, weights = np.concatenate([z[y > 0], -z[y < 1]]), np.concatenate([y[y > 0], 1 - y[y < 1]])

    def nll(temperature: float) -> float:
        """Return the weighted mean of log(1 + exp(-m / T)), without overflow."""
        return float((weights * np.logaddexp(0.0, -margins / temperature)).sum() / len(z))

    before = nll(1.0)
    low, high = math.exp(-_BOUND), math.exp(_BOUND)
    if not np.any(margins):
        return Temperature(low, before, nll(low), False, "all logits are 0: no T changes anything")
    if margins.min() >= 0:
        why = "every logit is on the right side of 0: the smaller T, the better"
        return Temperature(low, before, nll(low), False, why)
    if (weights * margins).sum() <= 0:
        one = "all labels are the same, and " if len(set(y.tolist())) == 1 else ""
        why = f"{one}the logits point the wrong way on average: the larger T, the better"
        return Temperature(high, before, nll(high), False, why)
    from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]

    optimum = minimize_scalar(
        lambda log_t: nll(math.exp(log_t)), bounds=(-_BOUND, _BOUND), method="bounded", options={"xatol": 1e-10}
    )
    value = math.exp(float(optimum.x))
    if abs(float(optimum.x)) > _BOUND - 1e-6:
        value = low if optimum.x < 0 else high
        why = f"the optimum lies outside [{low:.3g}, {high:.5g}]"
        return Temperature(value, before, nll(value), False, why)
    return Temperature(value, before, nll(value), True)


def reliability(probabilities: Numbers, labels: Numbers, bins: int = 10) -> Reliability:
    """Compare probabilities with the observed share of boundaries.

    A bin holds probabilities p with low <= p < high, the last one also 1; an empty one has neither confidence nor accuracy (None).
    The expected calibration error is the mean of |accuracy - confidence| over bins, weighted by their counts. The likelihood
    (``nll``) is left to `fit_temperature`.

    Parameters
    ----------
    probabilities : sequence of float
        Probabilities of a boundary, within [0, 1].
    labels : sequence of float
        1 at a boundary, 0 elsewhere; between them the share of annotators.
    bins : int
        Number of bins of equal width.

    Examples
    --------
    >>> found = reliability([0.2, 0.2, 0.9, 0.9], [0, 0, 1, 0], bins=2)
    >>> [(b.confidence, b.accuracy, b.count) for b in found.bins], round(found.ece, 3)
    ([(0.2, 0.0, 2), (0.9, 0.5, 2)], 0.3)
    """
    if bins < 1:
        raise DeclarationError(f"bins is {bins}; it must be at least 1")
    p, y = _checked("probabilities", probabilities, labels)
    outside = np.flatnonzero((p < 0) | (p > 1))
    if len(outside):
        place = int(outside[0])
        raise DeclarationError(
            f"probabilities: number {place + 1} is {p[place]:g}; give numbers within [0, 1], and convert logits first"
        )
    edges = np.linspace(0.0, 1.0, bins + 1)
    which = np.minimum(np.searchsorted(edges, p, side="right") - 1, bins - 1)
    count = np.bincount(which, minlength=bins)
    with np.errstate(invalid="ignore"):  # 0/0 of an empty bin is NaN, as intended
        confidence = np.bincount(which, p, minlength=bins) / count
        accuracy = np.bincount(which, y, minlength=bins) / count
    gaps = np.where(count > 0, np.abs(accuracy - confidence), 0.0)
    rows = zip(edges.tolist(), edges[1:].tolist(), count.tolist(), confidence.tolist(), accuracy.tolist(), strict=False)
    return Reliability(
        nll=None,
        ece=number(float((gaps * count).sum() / count.sum())),
        bins=[ReliabilityBin(low, high, n, number(mean), number(share)) for low, high, n, mean, share in rows],
    )


def _checked(name: str, numbers: Numbers, labels: Numbers) -> tuple[Floats, Floats]:
    z, y = np.asarray(numbers, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if z.ndim != 1 or z.shape != y.shape:
        raise ComparabilityError(f"{len(np.ravel(z))} {name}, {len(np.ravel(y))} labels; give one label for each")
    if not len(z):
        raise ComparabilityError(f"there are no {name}; give at least one")
    wrong = np.flatnonzero(~np.isfinite(z))
    if len(wrong):
        raise DeclarationError(f"{name}: number {wrong[0] + 1} is {z[wrong[0]]}; all must be finite")
    wrong = np.flatnonzero(~((y >= 0) & (y <= 1)))
    if len(wrong):
        raise DeclarationError(
            f"labels: number {wrong[0] + 1} is {y[wrong[0]]:g}; a label is 0 or 1, or a share of annotators between"
        )
    return z, y
