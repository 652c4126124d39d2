# SPDX-License-Identifier: Apache-2.0
"""Paper 004, how people segment a novel, and a measure for many annotators."""

from __future__ import annotations

from caesura.experiments.reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "kazantseva2012", "Kazantseva and Szpakowicz, Topical segmentation: a study of human performance"
)
