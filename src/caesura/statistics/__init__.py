# SPDX-License-Identifier: Apache-2.0
"""Statistics on arrays, independent of segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.later import later

if TYPE_CHECKING:
    from caesura.statistics.bootstrap import Bootstrap, Interval, freedom_of
    from caesura.statistics.calibration import Reliability, Temperature, fit_temperature, reliability
    from caesura.statistics.permutation import Exchanged, Exchanges, Permutation, holm, paired_effect
    from caesura.statistics.statistic import Statistic

__all__ = [
    "Bootstrap",
    "Exchanged",
    "Exchanges",
    "Interval",
    "Permutation",
    "Reliability",
    "Statistic",
    "Temperature",
    "fit_temperature",
    "freedom_of",
    "holm",
    "paired_effect",
    "reliability",
]

_HOMES = {
    "Bootstrap": "bootstrap",
    "Exchanged": "permutation",
    "Exchanges": "permutation",
    "Interval": "bootstrap",
    "Permutation": "permutation",
    "Reliability": "calibration",
    "Statistic": "statistic",
    "Temperature": "calibration",
    "fit_temperature": "calibration",
    "freedom_of": "bootstrap",
    "holm": "permutation",
    "paired_effect": "permutation",
    "reliability": "calibration",
}

__getattr__ = later(__name__, _HOMES)
