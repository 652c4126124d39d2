# SPDX-License-Identifier: Apache-2.0
"""Results of a sweep over thresholds."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["Sweep"]


class Sweep(Section):
    """Results of a sweep over thresholds."""
