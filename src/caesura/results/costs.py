# SPDX-License-Identifier: Apache-2.0
"""The cost of creating the systems."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Cost"]


class Cost(Section):
    """The cost of one system: seconds without encoding the units, and the peak memory of the process until then.

    ``method`` is the text that creates it. ``moved_mean`` and ``moved_most`` are the mean and the largest distance, in
    characters, from the cuts of a chunker to the gaps between units that were scored; None for other systems, and where its
    chunks were scored. ``encoder`` has name and fingerprint, if the system read vectors. ``failure`` says why
    there is no output.
    """

    method: str = ""
    seconds: Number = None
    seconds_per_document: Number = None
    peak_memory_mb: Number = None
    per_100: Number = None
    moved_mean: Number = None
    moved_most: Number = None
    oracle: bool = False
    encoder: str | None = None
    failure: str | None = None
