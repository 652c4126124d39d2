# SPDX-License-Identifier: Apache-2.0
"""HiCBench: documents with hierarchical chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard
from caesura.datasets.units import Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import read_json

__all__ = ["HiCBench"]


class _Splits(msgspec.Struct):
    splits: list[tuple[str, int]]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class HiCBench(Dataset):
    """Documents that were cut into chunks on several levels.

    A chunk has its text and the level of its start, 1 being the coarsest. The unit is a line of the text. The chunks down to
    a level are the reference, and ``hierarchy`` holds every level above it too.
    """

    card: ClassVar[DatasetCard] = DatasetCard(
        title="documents with hierarchical chunks",
        citation="Lu, W., et al. (2025). HiChunk: evaluating and enhancing retrieval-augmented generation with hierarchical "
        "chunking. arXiv:2509.11552.",
        source="github.com/TencentYoutuResearch/HiChunk",
        licence="none stated for the data",
        unit="line",
        boundary="the start of a chunk of at most the level",
        files="NAME.json with {document: {'splits': [[text, level], ...]}}",
        serves="chunking, hierarchies",
        checked=False,
    )
    patterns: ClassVar[tuple[str, ...]] = ("*HiCBench*.json", "*.json")

    level: int | None = param(None, "the deepest level of the reference; by default all", minimum=1)

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the documents of a file."""
        for key, document in read_json(file, dict[str, _Splits]).items():
            depths = sorted({level for _, level in document.splits})
            if not depths or depths[0] < 1:
                raise FormatError(f"document {key!r} has no chunk, or a level below 1")
            wanted = [level for level in depths if self.level is None or level <= self.level] or depths[:1]
            texts: list[str] = []
            numbers: dict[int, list[int]] = {level: [] for level in wanted}
            for text, level in document.splits:
                lines = [line for line in text.split("\n") if line.strip()]
                for depth, found in numbers.items():
                    before = found[-1] if found else 0
                    found += [before + (level <= depth)] * len(lines)
                texts += lines
            *above, finest = numbers.values()
            yield built(key, self.card.unit, texts, finest, tally, levels=above)
