# SPDX-License-Identifier: Apache-2.0
"""Spans that a reader needs whole, such as answers or citations, against the chunks of a text.

The gold depends on no chunker: a span is a stretch of the document. `spans` asks of each chunker how many spans it cuts, how
many chunks one must read to have a span whole, and how much else stands in them.
"""

from caesura.evaluation.spans.report import SpanReport
from caesura.evaluation.spans.run import spans

__all__ = ["SpanReport", "spans"]
