# SPDX-License-Identifier: Apache-2.0
"""Wiki-300: long articles in Choi's layout."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import load

__all__ = ["Wiki300"]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class Wiki300(Dataset):
    """300 articles of Wikipedia in Choi's layout; the first unit of each is its title."""

    card = DatasetCard(
        title="300 long articles of Wikipedia",
        citation="Badjatiya, P., Kurisinkel, L. J., Gupta, M., and Varma, V. (2018). Attention-based neural text "
        "segmentation. ECIR.",
        source="github.com/pinkeshbadjatiya/neuralTextSegmentation (code/data/wiki)",
        licence="CC BY-SA 3.0 (Wikipedia)",
        unit="sentence",
        boundary="a line of five or more '='",
        files="files wiki_test_N.ref",
        serves="long documents",
    )
    patterns = ("*.ref",)

    title: str = param("keep", "whether the title is the first unit, or left out", choices=("keep", "drop"))

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the document of a file."""
        (found,) = load(file, "choi")
        if found.units is None or found.segmentation is None or found.n_units < 2:
            raise FormatError("has a title only; the article is missing")
        first = 1 if self.title == "drop" else 0
        yield built(name, self.card.unit, found.units[first:], found.segmentation.labels[first:], tally)
