# SPDX-License-Identifier: Apache-2.0
"""Statistics: arrays in, results out; knows nothing of segmentation."""

from caesura.statistics.bootstrap import Bootstrap, Interval

__all__ = ["Bootstrap", "Interval"]
