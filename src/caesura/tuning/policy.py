# SPDX-License-Identifier: Apache-2.0
"""Operating points: the choice of a threshold on a curve with its reason, saved as a policy and applied elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from caesura.errors import ComparabilityError, FormatError, MetricError
from caesura.files import write_atomically
from caesura.metrics.base import Metric
from caesura.results import Number, as_float, as_text
from caesura.results.sweep.facts import LengthLimits, Point
from caesura.segmentation import Segmentation
from caesura.selectors import Scores, Selector
from caesura.selectors import selector as find_selector
from caesura.strict_json import RepeatedKeyError, decode

__all__ = [
    "POLICY_SCHEMA", "Policy", "at_most_units", "best_above_purity", "best_point", "nearest_bor", "read_policy", "recommended_point",
    "require",
]  # fmt: skip

Chosen = tuple[Point, str]
"""A point, and the reason for its choice."""
POLICY_SCHEMA = "caesura.policy/1"


class Policy(msgspec.Struct, kw_only=True):
    """A selector as text, such as ``StaticSelector(threshold=0.55, min_gap=3)``, and why it was chosen.

    ``scorer`` is the scorer whose curve it was chosen on, ``reached`` has the scores at that point of the curve.
    """

    schema: str = POLICY_SCHEMA
    selector: str
    why: str = ""
    scorer: str = ""
    reached: dict[str, Number] = msgspec.field(default_factory=dict)

    def make(self) -> Selector:
        """Return the selector."""
        return find_selector(self.selector)

    def select(self, scores: Scores) -> Segmentation:
        """Apply the policy to the scores of one document."""
        return self.make().select(scores)

    def encode(self) -> bytes:
        """Return the policy as JSON."""
        return (as_text(self) + "\n").encode()

    def save(self, path: str | Path) -> None:
        """Write the policy as JSON."""
        write_atomically(path, self.encode())


def read_policy(path: str | Path) -> Policy:
    """Read a saved policy."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", path) from None
    try:
        policy = decode(data, Policy, strict=False)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not a policy; caesura sweep --save-policy FILE writes one", path) from None
    if policy.schema != POLICY_SCHEMA:
        raise FormatError(f"has the schema {policy.schema!r}, this version reads {POLICY_SCHEMA!r}", path)
    policy.make()
    return policy


def require(metrics: Mapping[str, Metric], *names: str) -> None:
    """Raise unless metrics were swept."""
    for name in names:
        if name not in metrics:
            raise MetricError(f"{name!r} was not swept; add it to the metrics ({', '.join(metrics)})")


def best_point(points: Sequence[Point], name: str, metric: Metric) -> Point:
    """Return the first point with the best value of a metric, by its direction."""
    badness = metric.facts().badness
    defined = [p for p in points if p.scores[name] is not None]
    if not defined:
        raise ComparabilityError(f"{name} is not defined at any threshold; choose by another metric")
    return min(defined, key=lambda p: badness(as_float(p.scores[name])))


def nearest_bor(points: Sequence[Point], target: float, scorer: str, min_gap: int) -> Chosen:
    """Return the point whose BOR is nearest to a target, by ratio."""
    if not target > 0:
        raise ComparabilityError(f"target_bor is {target}; it must be above 0")
    bors = {p.threshold: as_float(p.scores["BOR"]) for p in points}
    reachable = [p for p in points if 0 < bors[p.threshold] < math.inf]
    if not reachable:
        raise ComparabilityError(
            "the reference has no boundary, so there is no BOR to choose by; choose by max_units (--max-units)"
            if any(p.boundaries for p in points)
            else f"{scorer!r} sets no boundary at any threshold; lower the thresholds"
        )
    point = min(reachable, key=lambda p: abs(math.log(bors[p.threshold] / target)))
    low, high = (end(bors[p.threshold] for p in reachable) for end in (min, max))
    why = f"BOR nearest {target:g}"
    if not low <= target <= high:
        end = f"at most {high:.3g}" if target > high else f"at least {low:.3g}"
        why += f", which is out of reach: these thresholds with min_gap={min_gap} give {end}"
    return point, why


def best_above_purity(points: Sequence[Point], floor: float, scorer: str, metrics: Mapping[str, Metric]) -> Chosen:
    """Return the point with the best coverage among those whose purity reaches a floor."""
    require(metrics, "Purity", "Coverage")
    enough = [p for p in points if as_float(p.scores["Purity"]) >= floor]
    if not enough:
        top = max(as_float(p.scores["Purity"]) for p in points)
        raise ComparabilityError(f"no threshold of {scorer!r} reaches purity {floor:g}; the highest is {top:.3f}")
    point = best_point(enough, "Coverage", metrics["Coverage"])
    return point, f"best coverage with purity at least {floor:g}"


def at_most_units(points: Sequence[Point], most: float, scorer: str) -> Chosen:
    """Return the highest threshold at which segments have at most ``most`` units on average."""
    short = [p for p in points if p.units_per_segment <= most]
    if not short:
        least = min(p.units_per_segment for p in points)
        raise ComparabilityError(
            f"no threshold of {scorer!r} makes segments of {most:g} units; the shortest are {least:.1f}"
        )
    return max(short, key=lambda p: p.threshold), f"at most {most:g} units per segment on average"


def recommended_point(points: Sequence[Point], metric: str, scorer: str, limits: LengthLimits) -> Chosen:
    """Return the point with the fewest boundaries whose gain is within the interval of the highest.

    If the data do not distinguish two thresholds, the simpler segmentation is taken.
    """
    if not any(p.boundaries for p in points):
        raise ComparabilityError(f"no threshold of {scorer!r} sets a boundary; lower the thresholds")
    allowed = [p for p in points if p.boundaries and limits.kept_by(p)]
    if not allowed:
        least = min(max(p.over_units or 0.0, p.over_tokens or 0.0) for p in points)
        raise ComparabilityError(
            f"no threshold of {scorer!r} meets the limits on length; at best {least:.0%} of the segments are longer: "
            "lower the thresholds, or raise the limit"
        )
    gains = {p.threshold: as_float((p.gains or {})[metric]) for p in allowed}
    top = max(allowed, key=lambda p: (gains[p.threshold], p.threshold))
    highest, low = gains[top.threshold], as_float((top.gain_intervals or {})[metric][0])
    near = [p for p in allowed if p is top or gains[p.threshold] >= low]
    if highest <= 0 or not low > 0:
        why = f"no threshold is reliably better than chance by {metric}; this is the sparsest of the best"
    else:
        among = f"fewest boundaries among the {len(near)} thresholds" if len(near) > 1 else "the only threshold"
        why = (
            f"{among} whose {metric} above chance at equal density reaches the interval of the highest "
            f"({highest:.3f} at {top.threshold:g})"
        )
    if len(allowed) < len(points):
        why += f"; {len(allowed)} of {len(points)} thresholds meet the limits on length"
    return max(near, key=lambda p: p.threshold), why
