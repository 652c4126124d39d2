# SPDX-License-Identifier: Apache-2.0
"""Results of boundaries selected on a live stream."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["Stream"]


class Stream(Section):
    """Results of boundaries selected on a live stream."""
