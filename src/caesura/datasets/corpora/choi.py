# SPDX-License-Identifier: Apache-2.0
"""Choi's synthetic documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.datasets.duplicates import repeats
from caesura.formats import load, plural

__all__ = ["Choi"]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class Choi(Dataset):
    """Ten segments of the Brown corpus each, in Choi's layout: one sentence per line, a line of ``=`` between segments.

    Some documents contain a segment twice. If the two are adjacent, the boundary between them cannot be detected; a
    warning names both kinds.
    """

    card = DatasetCard(
        title="ten segments of the Brown corpus in each document",
        citation="Choi, F. Y. Y. (2000). Advances in domain independent linear text segmentation. NAACL.",
        source="github.com/logological/C99, github.com/koomri/text-segmentation (data/choi)",
        licence="research, non-commercial (Brown corpus)",
        unit="sentence",
        boundary="a line of five or more '='",
        files="files NAME.ref, such as 3/3-11/0.ref",
        serves="paper 002; the standard synthetic benchmark",
    )
    patterns = ("*.ref",)

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the document of a file."""
        (found,) = load(file, "choi")
        yield dataclasses.replace(found, id=name, unit=self.card.unit)

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the documents, and name those with a repeated segment."""
        documents = list(super().read(folder, tally))
        neighbours, others = repeats(documents)
        if neighbours:
            tally.remark(
                f"{plural(len(neighbours), 'document holds', 'documents hold')} two adjacent equal segments", neighbours
            )
        if others:
            tally.remark(f"{plural(len(others), 'document holds', 'documents hold')} a segment twice, apart", others)
        yield from documents
