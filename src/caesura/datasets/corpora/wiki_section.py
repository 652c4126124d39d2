# SPDX-License-Identifier: Apache-2.0
"""WikiSection: articles on diseases and cities with labelled sections."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import read_json, sentences

__all__ = ["WikiSection"]


class _Section(msgspec.Struct):
    begin: int
    length: int
    sectionLabel: str = ""  # noqa: N815  (the name in the file)
    sectionHeading: str = ""  # noqa: N815


class _Article(msgspec.Struct):
    text: str
    annotations: list[_Section]
    id: str | int | None = None


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class WikiSection(Dataset):
    """Articles as JSON, with sections as offsets in code points.

    The text is first cut at the offsets, because a section may begin in the middle of a line, and then into units. A
    translation without ids is numbered from 0.
    """

    card = DatasetCard(
        title="articles on diseases and cities with labelled sections",
        citation="Arnold, S., Schneider, R., Cudré-Mauroux, P., Gers, F. A., and Löser, A. (2019). SECTOR: a neural model for "
        "coherent topic segmentation and classification. TACL 7.",
        source="github.com/sebastianarnold/WikiSection; Portuguese in github.com/MaiRodrigues/SpokenNLP",
        licence="CC BY-SA 3.0 (Wikipedia)",
        unit="line or sentence",
        boundary="every section, or every change of the section label",
        files="files wikisection_LANGUAGE_DOMAIN_SPLIT.json, each a list of objects with 'text' and 'annotations'",
        serves="paper 000",
    )
    patterns = ("wikisection_*_{split}*.json", "*{split}*.json")

    split: str = param("test", "the part to read from a folder", choices=("train", "validation", "test"))
    unit: str = param("line", "the unit of the text", choices=("line", "sentence"))
    language: str = param("en", "the language, for unit='sentence'", choices=("en", "de"))
    merge_same_label: bool = param(False, "whether neighbouring sections with the same label are one segment")

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the articles of a file."""
        for place, article in enumerate(read_json(file, list[_Article])):
            key = str(place) if article.id is None else str(article.id)
            texts: list[str] = []
            labels: list[Hashable] = []
            titles: dict[Hashable, str] = {}
            reached = 0
            for number, section in enumerate(sorted(article.annotations, key=lambda s: s.begin)):
                end = section.begin + section.length
                if section.begin < reached or end > len(article.text) or section.length < 0:
                    raise FormatError(
                        f"article {key!r}: the section at {section.begin} overlaps another or ends after the text, "
                        f"which has {len(article.text)} characters"
                    )
                reached = end
                label: Hashable = section.sectionLabel if self.merge_same_label else number
                text = article.text[section.begin : end]
                lines = [line for line in text.split("\n") if line.strip()]
                units = sentences(text, self.language).units if self.unit == "sentence" else lines
                texts += units
                labels += [label] * len(units)
                titles[label] = section.sectionLabel
            if texts:
                yield built(f"{name}/{key}", self.unit, texts, labels, tally, titles=titles)
            else:
                tally.remark("an article without text left out", [f"{name}/{key}"])
