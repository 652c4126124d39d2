# SPDX-License-Identifier: Apache-2.0
"""Results of a correlation over systems: between metrics without and with a reference."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import EncoderFacts, Ends, Number, Section

__all__ = ["Coefficient", "CorrelationFacts", "CorrelationRow", "RankedSystem", "Reading"]

Reading = Literal["all", "without baselines", "density removed"]
"""Which systems are correlated: all, all but baselines, or all but baselines with log BOR partialled out."""


class Coefficient(Section):
    """A correlation coefficient, with its interval over resampled documents."""

    value: Number
    interval: Ends


class RankedSystem(Section):
    """One of the systems that are correlated, with its boundaries per boundary of the reference."""

    baseline: bool
    bor: Number


class CorrelationRow(Section):
    """The correlation of two metrics over systems, both turned so that higher is better.

    ``metric`` needs no reference, ``reference`` does. A coefficient is None if there are too few systems or a score is infinite.
    """

    encoder: str
    metric: str
    reference: str
    reading: Reading
    systems: int
    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient


class CorrelationFacts(Section):
    """All correlations; ``same_vectors`` has, by encoder, the systems that were made with the judging vectors.

    Systems on which a metric is not defined on any document, such as those without boundaries, are ``left_out``.
    """

    ranked: dict[str, RankedSystem]
    rows: list[CorrelationRow]
    encoders: list[EncoderFacts]
    same_vectors: dict[str, list[str]]
    left_out: list[str] = msgspec.field(default_factory=list)
