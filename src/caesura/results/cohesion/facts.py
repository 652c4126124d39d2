# SPDX-License-Identifier: Apache-2.0
"""Results of a measurement without a reference: encoder, density, and the segments with the worst values."""

from __future__ import annotations

import msgspec

from caesura.results.base import EncoderFacts, Number, Section
from caesura.results.validate.facts import MetricCheck

__all__ = ["CohesionFacts", "Density", "GapValue", "WorstSegment"]


class Density(Section):
    """The density of a system.

    ``one_unit_share`` is the share of segments that consist of one unit. ``segments`` has the number of segments of each
    document, if scores per document were requested.
    """

    segments_per_100: float
    one_unit_share: float
    segments: list[int] | None = None


class WorstSegment(Section):
    """One segment: its position (units counted from 1, both ends included), its value and its text.

    ``text`` is shortened in the middle if it is long, and empty if the documents have no text.
    """

    document: str
    start: int
    end: int
    value: Number
    text: str


class GapValue(Section):
    """One gap: it lies after unit ``gap``, counted from 1; its value, and the units before and after it, shortened."""

    document: str
    gap: int
    value: Number
    before: str
    after: str


class CohesionFacts(Section):
    """The parts that only a reference-free measurement has.

    ``density`` and ``cautions`` (reasons to doubt the scores) are by system, ``remarks`` list changes made to the input.
    ``worst`` has the worst segments of each system by the first metric, None if they were not requested or the documents
    have no text. ``checks`` says of each system and metric, the blind one among them, whether the metric may be used to judge the
    system; None if that was not tested. ``same_vectors`` has the systems that were made with the judging encoder, as
    their files say: every metric of these vectors overrates them. ``weakest`` has the boundaries of each system with the lowest
    values, and ``missing`` the gaps with the highest values that it left out, by the first metric that values gaps (``gaps_by``).
    """

    encoder: EncoderFacts
    density: dict[str, Density]
    cautions: dict[str, list[str]] = msgspec.field(default_factory=dict)
    remarks: list[str] = msgspec.field(default_factory=list)
    worst: dict[str, list[WorstSegment]] | None = None
    checks: dict[str, dict[str, MetricCheck]] | None = None
    same_vectors: list[str] = msgspec.field(default_factory=list)
    gaps_by: str | None = None
    weakest: dict[str, list[GapValue]] | None = None
    missing: dict[str, list[GapValue]] | None = None
