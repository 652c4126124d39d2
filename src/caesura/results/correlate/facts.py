# SPDX-License-Identifier: Apache-2.0
"""Results of a correlation over systems: between metrics without and with a reference."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import EncoderFacts, Ends, Number, Section
from caesura.results.validate.facts import MetricCheck

__all__ = [
    "CorrelationCoefficient", "CorrelationDifference", "CorrelationFacts", "CorrelationRow", "RankedSystem", "Reading",
]  # fmt: skip

Reading = Literal["all", "without baselines", "density removed", "systems only"]
"""Which systems are correlated: all, all but baselines, all but baselines with log BOR partialled out, or all but baselines and
systems that equal the reference."""


class CorrelationCoefficient(Section):
    """A correlation coefficient, with its interval over resampled documents."""

    value: Number
    interval: Ends


class RankedSystem(Section):
    """One of the systems that are correlated, with its boundaries per boundary of the reference.

    ``reference`` says whether it has the boundaries of the reference in every document.
    """

    baseline: bool
    bor: Number
    reference: bool = False


class CorrelationRow(Section):
    """The correlation of two metrics over systems, both turned so that higher is better.

    ``metric`` needs no reference, ``reference`` does. A coefficient is None if there are too few systems or a score is infinite.
    ``ordered`` is the share of pairs of systems that the metric orders as the reference metric does; a pair with equal scores by the
    metric counts half, and ``tied`` pairs with equal scores by the reference metric are left out of the ``pairs``. It is None with
    density removed, which has no order of systems.
    """

    encoder: str
    metric: str
    reference: str
    reading: Reading
    systems: int
    pearson: CorrelationCoefficient
    spearman: CorrelationCoefficient
    kendall: CorrelationCoefficient
    ordered: CorrelationCoefficient | None = None
    pairs: int = 0
    tied: int = 0


class CorrelationDifference(Section):
    """How much better one metric correlates with a reference metric than another: first minus second, on the same resamples."""

    encoder: str
    first: str
    second: str
    reference: str
    reading: Reading
    systems: int
    pearson: CorrelationCoefficient
    spearman: CorrelationCoefficient
    kendall: CorrelationCoefficient


class CorrelationFacts(Section):
    """All correlations; ``same_vectors`` has, by encoder, the systems that were made with the judging vectors.

    ``differences`` compare every two metrics without a reference. ``checks`` says, by encoder and metric, whether the metric may be used
    on these documents, by the test of `caesura validate`; empty if that was not tested. Systems on which a metric is not defined on any document, such as those without boundaries, are ``left_out``.
    """

    ranked: dict[str, RankedSystem]
    rows: list[CorrelationRow]
    encoders: list[EncoderFacts]
    same_vectors: dict[str, list[str]]
    left_out: list[str] = msgspec.field(default_factory=list)
    differences: list[CorrelationDifference] = msgspec.field(default_factory=list)
    checks: dict[str, dict[str, MetricCheck]] = msgspec.field(default_factory=dict)
