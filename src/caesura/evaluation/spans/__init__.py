# SPDX-License-Identifier: Apache-2.0
"""Spans that a reader needs whole, such as answers or citations, against the chunks of a text.

A span is a stretch of the document, so the gold does not depend on any chunker. `spans` measures how many spans each chunker
cuts, how many chunks a reader needs to get a whole span, and how much other text these chunks contain.
"""

from caesura.evaluation.spans.report import SpanReport
from caesura.evaluation.spans.run import has_structure, spans

__all__ = ["SpanReport", "has_structure", "spans"]
