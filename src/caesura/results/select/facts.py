# SPDX-License-Identifier: Apache-2.0
"""Results of boundaries selected on a stream of scores."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Stream", "StreamSummary", "StreamedDocument"]


class StreamedDocument(Section):
    """One document, run as a stream.

    ``commits`` are pairs of a gap and the step at which it became a boundary, ``delays`` the steps between the two (0 is
    at once). ``rate_error`` is, at each step, the share of the window's gaps that are committed minus the target rate.
    ``score_regret`` is the sum of the scores of the best gaps, as many and as far apart, minus that of the committed
    ones, per boundary. ``score`` and ``static_score`` are the metric of the stream and of that best selection; None
    without a reference.
    """

    id: str
    commits: list[tuple[int, int]]
    delays: list[int]
    rate_error: list[float]
    score_regret: Number
    score: Number
    static_score: Number


class StreamSummary(Section):
    """Delays, rate errors and regrets over all documents; the last three are None without a reference."""

    documents: int
    gaps: int
    boundaries: int
    rate: Number
    delay_mean: Number
    delay_median: Number
    delay_max: Number
    rate_error_mean: Number
    rate_error_last: Number
    score_regret: Number
    score: Number = None
    static_score: Number = None
    regret: Number = None


class Stream(Section):
    """An adaptive selector run over documents as streams; ``metric`` is None without a reference.

    ``target`` is the share of gaps that the selector was asked to commit.
    """

    selector: str
    metric: str | None
    summary: StreamSummary
    documents: list[StreamedDocument]
    target: Number = None
