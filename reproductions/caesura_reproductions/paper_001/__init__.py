# SPDX-License-Identifier: Apache-2.0
"""Paper 001, segments as what is to be retrieved."""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("bouchekif2016", "Bouchekif et al., Evaluating automatic topic segmentation as a segment retrieval task")
