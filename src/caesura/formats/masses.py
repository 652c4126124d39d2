# SPDX-License-Identifier: Apache-2.0
"""Mass lists: the segment lengths of one document per line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample, counted, segmented
from caesura.formats._files import faults, filled_lines, read_text
from caesura.segmentation import Segmentation

__all__ = ["Masses"]

_NUMBERS = re.compile(rb"[1-9][0-9]*(?:[\s,;]+[1-9][0-9]*)*[\s,;]*\Z")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Masses(Format):
    """Mass lists: one document per line, its segment lengths separated by spaces or commas.

    ``6 3 4`` is a document of 13 units with boundaries after units 6 and 9. Documents are numbered from 1; blank lines do
    not count.
    """

    card: ClassVar[Card] = Card(title="mass lists, one document per line: 6 3 4")
    suffixes: ClassVar[tuple[str, ...]] = (".masses", ".txt")
    sample: ClassVar[Sample] = {"1": (3, 2), "2": (2, 2)}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether each line is a list of positive integers."""
        lines = [line.strip() for line in head.splitlines()[:50] if line.strip()]
        return bool(lines) and all(_NUMBERS.match(line) for line in lines)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        segmentations: list[Segmentation] = []
        for number, line in filled_lines(read_text(path)):
            with faults(line=number):
                masses = [_mass(word) for word in re.split(r"[\s,;]+", line.strip(" \t,;"))]
                segmentations.append(Segmentation.from_masses(masses))
        return counted(segmentations, str(path))

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the lines."""
        for _, segmentation in segmented(corpus):
            yield (" ".join(map(str, segmentation.masses)) + "\n").encode()


def _mass(word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,30}", word):
        raise FormatError(f"{word[:30]!r} is not a mass; write integers separated by spaces, such as 6 3 4")
    return int(word)
