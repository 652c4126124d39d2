# SPDX-License-Identifier: Apache-2.0
"""Results of the agreement of annotators."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["Agreement"]


class Agreement(Section):
    """Results of the agreement of annotators."""
