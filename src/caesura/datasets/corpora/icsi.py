# SPDX-License-Identifier: Apache-2.0
"""The ICSI meetings."""

from __future__ import annotations

import dataclasses

from caesura.datasets.base import DATASETS, DatasetCard
from caesura.datasets.nxt import NxtTopics

__all__ = ["ICSI"]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class ICSI(NxtTopics):
    """Meetings of research groups with nested topics, in the NXT release of the corpus.

    Units and boundaries are as for AMI; topics point to segments of speech. A segment of segments is replaced by its parts, and a segment
    without a time takes the time of its words.
    """

    card = DatasetCard(
        title="meetings of research groups, nested topics",
        citation="Janin, A., et al. (2003). The ICSI meeting corpus. ICASSP.",
        source="groups.inf.ed.ac.uk/ami/icsi/download (ICSI core and plus NXT annotations)",
        licence="CC BY 4.0",
        unit="segment",
        boundary="the first segment of speech of a topic",
        files="Contributions/TopicSegmentation/M.topic.xml, Segments/M.A.segs.xml and Words/M.A.words.xml for each meeting M",
        serves="meetings",
        checked=False,
    )
    patterns = ("*.topic.xml",)
