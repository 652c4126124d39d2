# SPDX-License-Identifier: Apache-2.0
"""Metrics of several annotators: do they agree, and how does a hypothesis stand among them.

Conventions
-----------
An item is a gap; the end of the document is one only where ``include_end`` says so (``closing_boundary``). Documents may
have different annotators. A coefficient over a corpus is by default the mean over its documents.

Annotators
    ``FleissKappa`` [MultiPi], ``MultiKappa``, ``KrippendorffAlpha``: gaps as items with two categories.
    ``AgreementB``, ``AgreementS``: boundary and segmentation similarity, corrected for chance.
Annotators and a hypothesis
    ``MultiWindowDiff``: a hypothesis against all annotators at once.
"""

from caesura.metrics.agreement._base import AGREEMENT, PANEL, AgreementMetric, PanelMetric
from caesura.metrics.agreement._support import Candidates, candidates_of, supporters
from caesura.metrics.agreement._tables import SLOT_COLUMNS, PairBlock, count_pairs, pair_blocks, pooled_window, two_of

__all__ = [
    "AGREEMENT", "PANEL", "SLOT_COLUMNS", "AgreementMetric", "Candidates", "PairBlock", "PanelMetric", "candidates_of",
    "count_pairs", "pair_blocks", "pooled_window", "supporters", "two_of",
]  # fmt: skip

AGREEMENT.discover(__path__, __name__)
