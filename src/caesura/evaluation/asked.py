# SPDX-License-Identifier: Apache-2.0
"""Which metrics are asked for: texts and objects to metrics, defaults by unit, length classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from caesura.errors import MetricError
from caesura.metrics import Metric
from caesura.metrics.profiles import under_profile
from caesura.segmentation import CONTINUOUS_UNITS

__all__ = ["DEFAULT_METRICS", "asked_metrics", "default_metrics", "with_length_classes"]

DEFAULT_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "Purity", "Coverage", "CovN", "CovD")
_NEED_A_DISTANCE = ("B", "W-F1")

M = TypeVar("M", bound=Metric)


def default_metrics(unit: str) -> list[str]:
    """Return the standard set; on a continuous unit without those that need a distance to be given."""
    return [name for name in DEFAULT_METRICS if unit not in CONTINUOUS_UNITS or name not in _NEED_A_DISTANCE]


def asked_metrics(metrics: Iterable[str | Metric] | str | Metric, profile: str) -> dict[str, Metric]:
    """Return the metrics by the text they were asked for with."""
    items = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    found: dict[str, Metric] = {}
    for item in items:
        if isinstance(item, str):
            found[item] = under_profile(item, profile)
        elif isinstance(item, Metric):
            found[str(item)] = item
        else:
            raise MetricError(f"{item!r} is no metric; give a name such as 'Pk' or 'WindowDiff(k=5)'")
    if not found:
        raise MetricError("no metric given; name at least one, such as 'Pk'")
    return found


def with_length_classes(metrics: Mapping[str, M], cut: int | str | None) -> dict[str, M]:
    """Add to each metric that knows length classes its short and its long part."""
    if cut is None:
        return dict(metrics)
    found: dict[str, M] = {}
    for name, metric in metrics.items():
        found[name] = metric
        if getattr(metric, "length", None) == "all":
            for length in ("short", "long"):
                options: dict[str, Any] = {"length": length, "cut": cut}
                found[f"{name} [{length}]"] = dataclasses.replace(metric, **options)
    if len(found) == len(metrics):
        raise MetricError(
            f"cut={cut!r}: none of the metrics knows length classes; ask for CovN, CovD or Boundary*"
        )
    return found
