# SPDX-License-Identifier: Apache-2.0
"""SuperDialseg: dialogues grounded in documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.datasets.dialogues import UTTERANCE, read_dialogues
from caesura.declare import param

__all__ = ["SuperDialseg"]


@DATASETS.register("SuperSeg")
@dataclasses.dataclass(frozen=True)
class SuperDialseg(Dataset):
    """Dialogues about documents, in the JSON of the release or the lines of Def-DTS.

    In the JSON, the last turn of a topic has the label 1. The lines of Def-DTS lack the last turn of every dialogue. The test
    part contains 71 texts twice (``caesura datasets check``).
    """

    card = DatasetCard(
        title="dialogues about documents",
        citation="Jiang, J., et al. (2023). SuperDialseg: a large-scale dataset for supervised dialogue segmentation. EMNLP.",
        source="github.com/Coldog2333/SuperDialseg; github.com/ElPlaguister/Def-DTS (last turns missing)",
        licence="MIT",
        unit=UTTERANCE,
        boundary="the part of the document under discussion changes",
        files="segmentation_file_SPLIT.json (release) or superseg*.jsonl (Def-DTS)",
        serves="paper 003 (SuperSeg)",
    )
    patterns = ("*segmentation_file_{split}.json", "*superseg*{split}*.jsonl", "*superseg*.jsonl")

    split: str = param("test", "the part to read from a folder", choices=("train", "validation", "test"))

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the dialogues of a file."""
        return read_dialogues(file, tally)
