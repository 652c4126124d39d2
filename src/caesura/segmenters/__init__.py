# SPDX-License-Identifier: Apache-2.0
"""Segmenters: documents in, boundaries out. Here only the baselines that look at no text."""

from caesura.segmenters.baselines import every, none, random_boundaries

__all__ = ["every", "none", "random_boundaries"]
