# SPDX-License-Identifier: Apache-2.0
"""The parts that only results of merged shards have: score distributions, worst documents, and failures."""

from __future__ import annotations

import msgspec

from caesura.results.base import Number, Section

__all__ = ["BadDocument", "ShardFacts"]


class BadDocument(Section):
    """A document with one of the worst scores."""

    document: str
    score: Number


class ShardFacts(Section):
    """The number of ``shards`` merged, and a summary of their documents.

    ``histograms`` maps system to metric to the number of documents with a score below 0, in each of twenty equal bins from
    0 to 1, and above 1. ``worst`` maps system to metric to the worst documents, the worst first. ``failed`` says which
    shards are not in the numbers, and why.
    """

    shards: int
    histograms: dict[str, dict[str, list[int]]]
    worst: dict[str, dict[str, list[BadDocument]]]
    failed: list[str] = msgspec.field(default_factory=list)
