# SPDX-License-Identifier: Apache-2.0
"""The Moonstone with hierarchical annotations (HAPS)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.datasets.folders import natural
from caesura.declare import param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats import faults, read_text
from caesura.segmentation import Segmentation

__all__ = ["HAPS"]

_NAME = re.compile(r"(?P<chapter>ch[0-9]+)-(?P<annotator>an[0-9]+)\Z")


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class HAPS(Dataset):
    """Nine chapters of the Moonstone, segmented on several levels by three to six readers.

    A file is one chapter by one annotator: ``par,level1,level2,…`` with a 1 where a segment of that level ends. The last row
    has only ones; unused columns have zeros in all other rows. ``level='any'`` takes the boundaries of all
    levels. The texts are not included.
    """

    card = DatasetCard(
        title="nine chapters of a novel, segmented on several levels",
        citation="Kazantseva, A., and Szpakowicz, S. (2014). Hierarchical topical segmentation with affinity propagation. "
        "COLING.",
        source="github.com/anna-ka/HAPS (data/moonstone_hierarchical/annots)",
        licence="none stated",
        unit="paragraph",
        boundary="a 1 in the row of the last paragraph of a segment",
        files="chN/chN-anM.csv (par,level1,...)",
        serves="agreement on hierarchies",
        checked=False,
    )
    patterns = ("ch*-an*.csv",)

    level: str = param(
        "any",
        "the level of the annotations: one of them, or the union of all",
        choices=("any", "1", "2", "3", "4", "5", "6"),
    )

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the chapters, each with its annotators."""
        chapters: dict[str, dict[str, Segmentation]] = {}
        for file in self.files(folder):
            with faults(file):
                match = _NAME.match(stem(file))
                if match is None:
                    raise FormatError("is not named chN-anM.csv")
                chapters.setdefault(match["chapter"], {})[match["annotator"]] = self._segmentation(file)
        for chapter in sorted(chapters, key=natural):
            annotations = chapters[chapter]
            lengths = {value.n_units for value in annotations.values()}
            if len(lengths) > 1:
                raise FormatError(
                    f"the annotators of {chapter} have {sorted(lengths)} paragraphs; they must have equally many",
                    folder,
                )
            yield Document(id=chapter, n_units=lengths.pop(), unit=self.card.unit, annotations=annotations)

    def _segmentation(self, file: Path) -> Segmentation:
        # The files use CR line ends, which read_text converts.
        header, *lines = [line for line in read_text(file).split("\n") if line.strip()]
        names = [name.strip() for name in header.split(",")]
        if names[:2] != ["par", "level1"]:
            raise FormatError("does not begin with par,level1", line=1)
        columns = [
            place for place, name in enumerate(names) if name == f"level{self.level}" or (place and self.level == "any")
        ]
        ends: list[bool] = []
        for number, line in enumerate(lines, start=1):
            cells = [cell.strip() for cell in line.split(",")]
            if len(cells) != len(names) or cells[0] != str(number) or set(cells[1:]) - {"0", "1"}:
                raise FormatError(
                    f"the row is not paragraph {number} and {len(names) - 1} flags of 0 or 1", line=number + 1
                )
            ends.append(any(cells[place] == "1" for place in columns))
        if not ends:
            raise FormatError("has no paragraph")
        return Segmentation(len(ends), [n for n, end in enumerate(ends[:-1], start=1) if end], unit=self.card.unit)
