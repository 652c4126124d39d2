# SPDX-License-Identifier: Apache-2.0
"""Statistics on arrays, independent of segmentation."""

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
