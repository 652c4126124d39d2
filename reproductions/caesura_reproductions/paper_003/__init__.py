# SPDX-License-Identifier: Apache-2.0
"""Paper 003, granularity-aware evaluation of dialogue topic segmentation.

``as_run`` follows the released code (github mhcoen/episodic at cbce38e3, Apache-2.0), ``definition`` the appendices, both on
the same gold and the same predictions.

**Order of boundaries.** The released code matches boundaries in the order in which a Python set yields them, and the printed tables
depend on it, so ``as_run`` follows that order. In the random sweep the code inserts boundaries in the order in which they were accepted,
and ``reproduce`` does the same; profile ``as_run`` inserts them in ascending order, and differs from the released file by up to 5e-4 in the
one-to-one column.

**k without boundaries** is a quarter of the document in the released code. Profile ``as_run`` follows it (``k_from='two_segments'``),
although no printed table depends on it.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("coen2025", "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation")
