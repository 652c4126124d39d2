# SPDX-License-Identifier: Apache-2.0
"""Paper 003, granularity-aware evaluation of dialogue topic segmentation.

``as_run`` follows the released code (github mhcoen/episodic at cbce38e3, Apache-2.0), ``definition`` the appendices, both on
the same gold and the same predictions.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("coen2025", "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation")
