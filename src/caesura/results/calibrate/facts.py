# SPDX-License-Identifier: Apache-2.0
"""Results of a temperature fitted to boundary logits."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Calibration", "Reliability", "ReliabilityBin"]


class ReliabilityBin(Section):
    """Gaps with a probability from ``low`` to ``high``: their number, mean probability, and share of boundaries."""

    low: float
    high: float
    count: int
    confidence: Number
    accuracy: Number


class Reliability(Section):
    """Mean negative log-likelihood, expected calibration error, and the bins it is made of."""

    nll: Number
    ece: Number
    bins: list[ReliabilityBin]


class Calibration(Section):
    """A temperature, and reliability before and after it is applied.

    ``interior`` says whether an optimum exists; if not, ``reason`` says why, and ``temperature`` is a bound.
    """

    scorer: str
    temperature: float
    interior: bool
    reason: str | None
    documents: int
    gaps: int
    boundaries: int
    before: Reliability
    after: Reliability
