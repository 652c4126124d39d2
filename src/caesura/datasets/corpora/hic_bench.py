# SPDX-License-Identifier: Apache-2.0
"""HiCBench: documents with hierarchical chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats import read_json, read_text

__all__ = ["HiCBench"]


class _Splits(msgspec.Struct):
    splits: list[tuple[str, int]]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class HiCBench(Dataset):
    """Documents with chunks on several levels, marked by headings; and chunkings of them by a system.

    A document is a text in which a line that begins with ``#`` starts a chunk; the number of signs is its level, 1 the
    coarsest. A system gives a JSON file, in which a chunk has its text and the level of its start. The unit is a line of the
    text. The chunks down to a level are the reference, and ``hierarchy`` holds every level above it too.
    """

    card = DatasetCard(
        title="documents with hierarchical chunks",
        citation="Lu, W., et al. (2025). HiChunk: evaluating and enhancing retrieval-augmented generation with hierarchical "
        "chunking. arXiv:2509.11552.",
        source="github.com/TencentYoutuResearch/HiChunk",
        licence="none stated for the data",
        unit="line",
        boundary="a heading of at most the level, or the start of such a chunk",
        files="docs/HiCBench/NAME.txt with headings, or NAME.json of a chunker with {document: {'splits': [[text, level], ...]}}",
        serves="chunking, hierarchies",
        checked=False,
    )
    patterns = ("HiCBench/*.txt", "*.txt", "*HiCBench*.json", "*.json")

    level: int | None = param(None, "the deepest level of the reference; by default all", minimum=1)

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the documents of a file."""
        if suffix(file) == ".txt":
            chunks = list(_headed(read_text(file)))
            if not any(level for _, level in chunks):
                raise FormatError("has no line that begins with '#', so no chunk is marked")
            yield self._document(Path(name).name, [(text, level or 1) for text, level in chunks], tally)
            return
        for key, document in read_json(file, dict[str, _Splits]).items():
            yield self._document(key, document.splits, tally)

    def _document(self, key: str, splits: Sequence[tuple[str, int]], tally: Tally) -> Document:
        depths = sorted({level for _, level in splits})
        if not depths or depths[0] < 1:
            raise FormatError(f"document {key!r} has no chunk, or a level below 1")
        wanted = [level for level in depths if self.level is None or level <= self.level] or depths[:1]
        texts: list[str] = []
        numbers: dict[int, list[int]] = {level: [] for level in wanted}
        for text, level in splits:
            lines = [line for line in text.split("\n") if line.strip()]
            for depth, found in numbers.items():
                before = found[-1] if found else 0
                found += [before + (level <= depth)] * len(lines)
            texts += lines
        *above, finest = numbers.values()
        return built(key, self.card.unit, texts, finest, tally, levels=above)


def _headed(text: str) -> Iterator[tuple[str, int]]:
    """Yield the chunks of a text with the level of their headings; 0 for text before the first heading."""
    lines: list[str] = []
    level = 0
    for line in text.split("\n"):
        if line.startswith("#"):
            if lines:
                yield "\n".join(lines), level
            lines, level = [], len(line) - len(line.lstrip("#"))
        lines.append(line)
    yield "\n".join(lines), level
