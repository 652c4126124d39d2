# SPDX-License-Identifier: Apache-2.0
"""The Moonstone: chapters of a novel with several annotators."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats import faults, load, read_bytes
from caesura.formats.moonstone import groups_of, of_group

__all__ = ["Moonstone", "paragraphs"]

_MEMBERS = "annot_to_group.csv"


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class Moonstone(Dataset):
    """Chapters of Wilkie Collins's novel; four to six readers set the boundaries between paragraphs.

    The tables give the segment number of each paragraph for each annotator. The texts next to them, in Mac Roman or UTF-8,
    have one sentence per line and three line ends or more between paragraphs. Without texts the documents have lengths and
    annotations only. Five groups of readers coded four chapters each; with the two tables of the groups the annotators are
    named by group and column, as in ``g3.an1``, 27 in all.
    """

    card = DatasetCard(
        title="chapters of a novel, four to six annotators each",
        citation="Kazantseva, A., and Szpakowicz, S. (2012). Topical segmentation: a study of human performance and a new "
        "measure of quality. NAACL-HLT.",
        source="github.com/contours/textseg (data/moonstone_corpus, 20 chapters); 8 chapters come with Caesura",
        licence="public domain (text); BSD-3-Clause (annotations of 8 chapters); none stated for the others",
        unit="paragraph",
        boundary="the segment number of an annotator changes",
        files="segmentations/chN.csv (paragraph,an1,...), text/chN.txt, annot_to_group.csv and group_to_chapter.csv",
        serves="paper 004; agreement",
    )
    patterns = ("*ch[0-9]*.csv",)

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the chapters."""
        without: list[str] = []
        around = folder.parent if folder.is_file() else folder
        chapters = {file: next(iter(load(file, "moonstone"))) for file in self.files(folder)}
        for file, document in self._by_people(around, chapters, tally).items():
            name = stem(file)
            texts = [path for path in sorted(around.rglob(f"{name}.txt")) if path.is_file()]
            if not texts:
                without.append(name)
                yield dataclasses.replace(document, id=name)
                continue
            with faults(texts[0]):
                units = paragraphs(texts[0])
                if len(units) != document.n_units:
                    raise FormatError(
                        f"has {len(units)} paragraphs, but {file.name} has {document.n_units}; they are not from the same release"
                    )
                yield dataclasses.replace(document, id=name, units=units)
        if without:
            tally.remark("chapters without a text", without)

    def _by_people(self, folder: Path, chapters: Mapping[Path, Document], tally: Tally) -> dict[Path, Document]:
        """Return the chapters with annotators named by group and column, where the tables of the groups are there."""
        tables = sorted(folder.rglob(_MEMBERS))
        if tables:
            groups = groups_of(tables[0].parent, {d.id: len(d.annotations) for d in chapters.values()})
            return {file: of_group(document, groups[document.id]) for file, document in chapters.items()}
        if len({len(document.annotations) for document in chapters.values()}) > 1:
            tally.remark(
                f"{_MEMBERS} is not here, so each name of an annotator is taken for one person, though chapters were coded "
                "by different groups"
            )
        return dict(chapters)


def paragraphs(file: Path) -> tuple[str, ...]:
    """Return the paragraphs of a text, separated by three or more line ends, each on one line."""
    data = read_bytes(file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("mac_roman")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    pieces = (" ".join(piece.split()) for piece in re.split(r"\n{3,}", text))
    return tuple(piece for piece in pieces if piece)
