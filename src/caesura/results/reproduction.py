# SPDX-License-Identifier: Apache-2.0
"""Results of a reproduced paper."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["Reproduction"]


class Reproduction(Section):
    """Results of a reproduced paper."""
