# SPDX-License-Identifier: Apache-2.0
"""Results of a measurement without a reference."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["CohesionFacts"]


class CohesionFacts(Section):
    """Results of a measurement without a reference."""
