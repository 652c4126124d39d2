# SPDX-License-Identifier: Apache-2.0
"""Paper 000, reference-free metrics in the space of embeddings."""

from __future__ import annotations

from caesura.experiments.reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("ghinassi2024", "Ghinassi et al., When cohesion lies in the embedding space")
