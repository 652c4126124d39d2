# SPDX-License-Identifier: Apache-2.0
"""Results of a sweep over thresholds, against a reference or without one."""

from __future__ import annotations

import msgspec

from caesura.errors import DeclarationError
from caesura.results.base import EncoderFacts, Ends, Number, Section
from caesura.results.validate.facts import MetricCheck

__all__ = ["Choice", "EqualDensity", "LengthLimits", "Point", "Sweep", "WithoutReference"]


class Point(Section):
    """One threshold of one scorer.

    ``boundaries`` is the number over all documents. ``scores`` maps each metric to its score, ``intervals`` to the
    bootstrap interval of it. The other fields belong to a sweep without a reference: ``gains`` is the mean over documents
    of the score's advantage over as many random boundaries, positive if it is better, ``gain_intervals`` its interval,
    ``z`` the mean gain in standard deviations of the random segmentations, ``infinite`` the number of documents
    that are left out of the means, because their score or that of chance is infinite or, where there is no worst value,
    above 1,000; ``over_units`` and ``over_tokens`` are the shares of segments longer than the limits.
    """

    threshold: float
    boundaries: int
    units_per_segment: float
    scores: dict[str, Number]
    intervals: dict[str, Ends]
    gains: dict[str, Number] | None = None
    gain_intervals: dict[str, Ends] | None = None
    z: dict[str, Number] | None = None
    infinite: dict[str, int] | None = None
    over_units: Number = None
    over_tokens: Number = None


class EqualDensity(Section):
    """Two scorers on one metric, each with as many boundaries in each document as the reference."""

    metric: str
    first: str
    second: str
    scores: tuple[Number, Number]
    difference: Number
    interval: Ends


class Choice(Section):
    """The operating point chosen or recommended for a scorer, how it was chosen, and the scores it reached there."""

    threshold: float
    selector: str
    why: str
    reached: dict[str, Number]


class LengthLimits(Section):
    """The maximum length of segments in units and in words; a share ``over`` of the segments may be longer."""

    units: int | None = None
    tokens: int | None = None
    over: float = 0.05

    def __post_init__(self) -> None:
        """Raise for limits that no segment could meet."""
        for name, value in (("max_units", self.units), ("max_tokens", self.tokens)):
            if value is not None and value < 1:
                raise DeclarationError(f"{name} is {value}; it must be at least 1")
        if not 0 <= self.over <= 1:
            raise DeclarationError(f"over is {self.over}; it must be a share between 0 and 1")

    def kept_by(self, point: Point) -> bool:
        """Return whether at most the share ``over`` of a point's segments is longer."""
        return all(share is None or share <= self.over for share in (point.over_units, point.over_tokens))


class WithoutReference(Section):
    """The parts that only a reference-free sweep has: encoder, limits, and random segmentations per threshold.

    ``checks`` says of each scorer, and of the metric by which a threshold was to be recommended, whether the metric may be used: on the
    boundaries of the documents, or else on what the scorer gives at that threshold. ``same_vectors`` has the scorers that were made
    with the judging encoder, as their files say.
    """

    encoder: EncoderFacts
    limits: LengthLimits
    draws: int
    checks: dict[str, dict[str, MetricCheck]] = msgspec.field(default_factory=dict)
    same_vectors: list[str] = msgspec.field(default_factory=list)


class Sweep(Section):
    """A sweep: the curve of each scorer by ascending threshold, and the operating points chosen on the curves.

    ``covered`` maps each scorer to the minimum and maximum BOR within the range of the area, ``areas`` to the area under
    each metric; both are None without a reference. ``equal_density`` compares the scorers, where there are several.
    ``annotators`` maps each annotator of the documents to their scores against the reference: points on the axis of BOR.
    ``blind`` holds the scores of blind baselines, by ascending density: ``clock``, boundaries at equal distances, and
    ``chance``, the mean of random ones, as many in each document.
    """

    min_gap: int
    curves: dict[str, list[Point]]
    covered: dict[str, Ends] | None = None
    areas: dict[str, dict[str, Number]] | None = None
    area_range: tuple[float, float] | None = None
    equal_density: list[EqualDensity] | None = None
    choices: dict[str, Choice] | None = None
    without_reference: WithoutReference | None = None
    annotators: dict[str, dict[str, Number]] | None = None
    blind: dict[str, list[dict[str, Number]]] | None = None
