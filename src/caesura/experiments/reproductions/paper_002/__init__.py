# SPDX-License-Identifier: Apache-2.0
"""Paper 002, a quality index without a reference."""

from __future__ import annotations

from caesura.experiments.reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper(
    "lucas2023", "Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)"
)
