# SPDX-License-Identifier: Apache-2.0
"""Segmentations checked without a reference, such as lists of chapters that are to be published."""

from caesura.evaluation.check.run import Checked, check

__all__ = ["Checked", "check"]
