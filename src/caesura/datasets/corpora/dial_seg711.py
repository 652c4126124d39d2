# SPDX-License-Identifier: Apache-2.0
"""DialSeg711: joined task dialogues."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.datasets.dialogues import UTTERANCE, read_dialogues

__all__ = ["DialSeg711"]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class DialSeg711(Dataset):
    """711 dialogues joined from MultiWOZ and the Stanford dialogues, in any of the layouts in which they are distributed.

    The release with Def-DTS lacks the last turn of every dialogue, so that 2,743 of 2,754 boundaries are left. If the
    source does not name speakers, they alternate, and the user begins.
    """

    card = DatasetCard(
        title="711 joined task dialogues",
        citation="Xu, Y., Zhao, H., and Zhang, Z. (2021). Topic-aware multi-turn dialogue modeling. AAAI.",
        source="github.com/xyease/TADAM and github.com/lxing532/Dialogue-Topic-Segmenter (complete), "
        "github.com/ElPlaguister/Def-DTS (last turns missing)",
        licence="none stated (TADAM); MIT (Def-DTS)",
        unit=UTTERANCE,
        boundary="two dialogues were joined",
        files="dialseg711*.jsonl (Def-DTS), dialseg_711.json (lxing532), en_dataset_reference_2.txt (TADAM) or "
        "segmentation_file_SPLIT.json (SuperDialseg)",
        serves="paper 003",
    )
    patterns = ("dialseg_711.json", "en_dataset_reference*.txt", "*segmentation_file_test.json", "*dialseg711*.jsonl")

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the dialogues of a file."""
        return read_dialogues(file, tally)
