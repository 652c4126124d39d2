# SPDX-License-Identifier: Apache-2.0
"""What it cost to make the systems."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Cost"]


class Cost(Section):
    """What one system cost: seconds without encoding the units, and the most memory that the process had until then.

    ``method`` is the text that makes it. ``encoder`` has name and fingerprint, if the system read vectors. ``failure`` says why
    there is no output.
    """

    method: str = ""
    seconds: Number = None
    seconds_per_document: Number = None
    peak_memory_mb: Number = None
    per_100: Number = None
    oracle: bool = False
    encoder: str | None = None
    failure: str | None = None
