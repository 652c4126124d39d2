# SPDX-License-Identifier: Apache-2.0
"""Results of a test of reference-free metrics."""

from __future__ import annotations

from caesura.results.base import Section

__all__ = ["Validity"]


class Validity(Section):
    """Results of a test of reference-free metrics."""
