# SPDX-License-Identifier: Apache-2.0
"""Results of spans against chunks."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["SpanFacts"]


class SpanFacts(Section):
    """Results of spans against chunks."""
