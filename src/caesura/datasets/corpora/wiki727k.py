# SPDX-License-Identifier: Apache-2.0
"""Wiki-727k and Wiki-50: articles with their headings."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import read_text

__all__ = ["Wiki727k"]

# The title may hold commas and dots; the dot at the end is always added.
_HEADING = re.compile(r"={8},(?P<level>[0-9]+),(?P<title>.*?)\.?\s*\Z")
_LEVELS = 9


class _Unit(NamedTuple):
    text: str
    section: int
    level: int
    title: str


@DATASETS.register("Wiki50")
@dataclasses.dataclass(frozen=True)
class Wiki727k(Dataset):
    """Articles of Wikipedia: one sentence per line, and lines such as ``========,2,Education.`` for headings.

    The text before the first heading is its own section (``preface``). If headings are left out, a heading without text makes
    no segment, and passes its level to the next one if it is the higher of the two; ``hierarchy`` holds the sections of each
    level. A heading that is kept is a unit, with the dot that the files add to it.
    """

    card = DatasetCard(
        title="articles of Wikipedia with headings of several levels",
        citation="Koshorek, O., Cohen, A., Mor, N., Rotman, M., and Berant, J. (2018). Text segmentation as a supervised "
        "learning task. NAACL-HLT.",
        source="github.com/koomri/text-segmentation; Wiki-50 also in github.com/Ighina/DeepTiling (data/wiki_test_50)",
        licence="CC BY-SA 3.0 (Wikipedia)",
        unit="sentence",
        boundary="every heading with its own text",
        files="files without suffix that are named by the number of the page and begin with '========,1,preface.'",
        serves="paper 002 (Wiki-50); training (727k)",
    )
    patterns = ("[0-9]*",)

    headings: str = param(
        "drop",
        "whether heading lines are left out, open their segment, or are separate segments",
        choices=("drop", "open", "own"),
    )

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the document of a file."""
        units = list(self._units(read_text(file)))
        if not units:
            raise FormatError("has no sentence")
        # The first section opens no boundary, regardless of its level.
        depths = sorted({unit.level for unit in units if unit.section != units[0].section})
        levels = [_above(units, level) for level in depths[:-1]] if self.headings == "drop" else []
        yield built(
            Path(name).name,
            self.card.unit,
            [unit.text for unit in units],
            [unit.section for unit in units],
            tally,
            levels=levels,
            titles={unit.section: unit.title for unit in units},
        )

    def _units(self, text: str) -> Iterator[_Unit]:
        """Yield the units with the number, the level and the title of their section."""
        section, level, title = 0, 0, ""
        waiting = False  # for the text of a heading
        for number, line in enumerate(text.split("\n"), start=1):
            heading = _HEADING.match(line)
            if heading is not None:
                section += 1
                found = min(int(heading["level"]), _LEVELS)
                level = min(level, found) if waiting else found
                title, waiting = heading["title"], True
                if self.headings != "drop":
                    # As separate segments, headings are distinguished from their text by the sign.
                    yield _Unit(f"{title}.", section if self.headings == "open" else -section, level, title)
            elif line.startswith("========"):
                raise FormatError(f"{line[:40]!r} is not a heading such as '========,2,Education.'", line=number)
            elif line.strip():
                if not section:
                    raise FormatError("begins without a heading; the first line must be '========,1,preface.'", line=1)
                waiting = False
                yield _Unit(line, section, level, title)


def _above(units: list[_Unit], level: int) -> list[int]:
    """Return the section number of each unit, counting sections down to this level."""
    found, labels = 0, []
    before = None
    for unit in units:
        if unit.section != before and unit.level <= level:
            found += 1
        before = unit.section
        labels.append(found)
    return labels
