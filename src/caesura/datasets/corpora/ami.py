# SPDX-License-Identifier: Apache-2.0
"""The AMI meetings."""

from __future__ import annotations

import dataclasses

from caesura.datasets.base import DATASETS, DatasetCard
from caesura.datasets.nxt import NxtTopics

__all__ = ["AMI"]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class AMI(NxtTopics):
    """Meetings of design teams with topics on two levels, in the manual annotations of the corpus (NXT).

    A unit is a segment of speech of one person; units are ordered by their start. A topic begins with its first unit;
    overlapping speech on the previous topic, and speech without a topic, belong to the surrounding segment.
    """

    card = DatasetCard(
        title="meetings of design teams, topics on two levels",
        citation="Carletta, J., et al. (2005). The AMI meeting corpus: a pre-announcement. MLMI.",
        source="groups.inf.ed.ac.uk/ami/download (AMI manual annotations v1.6.2)",
        licence="CC BY 4.0",
        unit="segment",
        boundary="the first segment of speech of a topic",
        files="topics/M.topic.xml, segments/M.A.segments.xml and words/M.A.words.xml for each meeting M",
        serves="meetings",
        checked=False,
    )
    patterns = ("*.topic.xml",)
