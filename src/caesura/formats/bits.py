# SPDX-License-Identifier: Apache-2.0
"""Strings of 0 and 1: one document per line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, cast

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample, counted, segmented
from caesura.formats._files import faults, filled_lines, read_text
from caesura.segmentation import Marks, Segmentation

__all__ = ["Bits"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Bits(Format):
    """Strings of 0 and 1, one document per line; spaces and commas between the digits are ignored.

    The meaning of a digit differs from tool to tool, so it is an option: ``gap`` (one digit per gap, that is, one fewer
    than units), ``first`` (one per unit, 1 on the first unit of a new segment), ``last`` (one per unit, 1 on the last
    unit of a segment; the final 1 is optional), ``last_closed`` (the same; the final 1 is required). Documents are
    numbered from 1; blank lines do not count.
    """

    card: ClassVar[Card] = Card(title="strings of 0 and 1, one document per line: 000001001000")
    suffixes: ClassVar[tuple[str, ...]] = (".bits", ".txt")
    sample: ClassVar[Sample] = {"1": (3, 2), "2": (2, 2)}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units"})

    marks: str = param("gap", "what a digit marks", choices=("gap", "first", "last", "last_closed"))

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file holds only the digits 0 and 1."""
        body = head if len(head) < 1 << 16 else head[: head.rfind(b"\n") + 1] or head
        words = body.replace(b",", b" ").split()
        return bool(words) and all(re.fullmatch(rb"[01]+", word) for word in words)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        segmentations: list[Segmentation] = []
        for number, line in filled_lines(read_text(path)):
            digits = re.sub(r"[\s,]", "", line)
            with faults(line=number):
                segmentations.append(Segmentation.from_bits(digits, marks=cast(Marks, self.marks)))
        return counted(segmentations, str(path))

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the lines."""
        for document, segmentation in segmented(corpus):
            bits = segmentation.bits
            if not bits and self.marks == "gap":
                what = f"document {document.id!r} has one unit, so there is no gap to write"
                raise FormatError(f"{what}; choose bits(marks='last')")
            line = {"gap": bits, "first": "0" + bits, "last": bits + "0", "last_closed": bits + "1"}[self.marks]
            yield line.encode() + b"\n"
