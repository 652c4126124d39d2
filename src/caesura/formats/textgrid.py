# SPDX-License-Identifier: Apache-2.0
"""Praat's TextGrid: a tier of labelled intervals."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import library, read_text, utf8
from caesura.formats._textgrid_lines import TierLines, odd_line, tier_lines
from caesura.formats._timed import Chapter, chapters_corpus, chapters_of, milliseconds

__all__ = ["Textgrid", "TierFormat", "labelled"]

_USUAL = ("topics", "topic", "segments", "segment", "chapters", "chapter")
_LIBRARY = "praatio.utilities.textgrid_io"


@dataclasses.dataclass(frozen=True)
class TierFormat(Format):
    """A format of tiers with times, one of which holds the segments."""

    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "segment_titles"})

    tier: str | None = param(None, "the tier that holds the segments")

    @property
    def _written_tier(self) -> str:
        return self.tier or _USUAL[0]

    def _choose_tier(self, names: Sequence[str]) -> str:
        """Return the requested tier, the only one, or the one with a usual name."""
        if not names:
            raise FormatError("contains no tier with times; check that it is the right file")
        shown = ", ".join(repr(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
        if self.tier is not None:
            if names.count(self.tier) > 1:
                what = f"has {names.count(self.tier)} tiers named {self.tier!r}"
                raise FormatError(f"{what}; rename all but one")
            if self.tier in names:
                return self.tier
            raise FormatError(f"has no tier {self.tier!r}; choose from {shown}")
        usual = [name for name in names if name.strip().casefold() in _USUAL]
        if len(names) == 1 or len(usual) == 1:
            return (usual or list(names))[0]
        raise FormatError(f"has the tiers {shown}; choose one with tier='…'")


def labelled(intervals: Sequence[Chapter]) -> list[Chapter]:
    """Return the intervals with a label, or all if none has one."""
    named = [interval for interval in intervals if interval.title.strip()]
    return named or list(intervals)


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Textgrid(TierFormat):
    """Praat's TextGrid, short or long: the labelled intervals of one tier are the segments, in milliseconds.

    The tier is the one named by ``tier``, or the only one, or the one named topics, segments or chapters. Praat fills the
    time between labelled intervals with empty ones: these are holes, and belong to the previous segment. If no interval
    has a label, all are segments. In a point tier every point is a boundary.
    """

    card: ClassVar[Card] = Card(
        title="Praat TextGrid",
        citation="Boersma, P. & Weenink, D., Praat: doing phonetics by computer; manual, TextGrid file formats.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".textgrid",)
    sample: ClassVar[Sample] = {"textgrid": (120_000, 480_000, 300_000)}

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file begins with Praat's file type."""
        return b"ooTextFile" in head[:64] and b"TextGrid" in head[:200]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        praatio = library(_LIBRARY, "reading TextGrid", "transcripts")
        text = read_text(path)
        if "ooTextFile" not in text[:200]:
            message = 'is not a TextGrid: its first line must be File type = "ooTextFile"; check the file'
            raise FormatError(message, line=1)
        lines = tier_lines(text)
        try:
            tiers = praatio.parseTextgridStr(text, includeEmptyIntervals=True)["tiers"]
            names = [str(tier["name"]) for tier in tiers]
            found = [len(tier["entries"]) for tier in tiers]
        except Exception:
            found = []
        if found != [len(tier.entries) for tier in lines]:
            raise FormatError("cannot be read as TextGrid; save it again from Praat", line=odd_line(text))
        chosen = names.index(self._choose_tier(names))
        return self._corpus(tiers[chosen], lines[chosen], path, strict)

    def _corpus(self, tier: dict[str, Any], lines: TierLines, path: Path, strict: bool) -> Corpus:
        end = _ms(tier["xmax"], lines.end)
        entries = zip(tier["entries"], lines.entries, strict=True)
        if tier["class"] == "IntervalTier":
            intervals = [
                Chapter(_ms(start, line), _ms(stop, line), str(label), line) for (start, stop, label), line in entries
            ]
            return chapters_corpus(path, labelled(intervals), end=end, strict=strict)
        points = [Chapter(_ms(time, line), None, str(label), line) for (time, label), line in entries]
        chapters = [point for point in points if 0 < point.start < end]
        return chapters_corpus(path, [Chapter(0, None, ""), *chapters], end=end, strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the file in the long form."""
        praatio = library(_LIBRARY, "writing TextGrid", "transcripts")
        (document,) = corpus
        entries = [
            (chapter.start / 1000, (chapter.end or 0) / 1000, chapter.title)
            for chapter in chapters_of(document, needs_end=True)
        ]
        limits = {"xmin": 0.0, "xmax": document.n_units / 1000}
        tier = {"class": "IntervalTier", "name": self._written_tier, **limits, "entries": entries}
        content = {**limits, "tiers": [tier]}
        yield utf8(praatio.getTextgridAsStr(content, format="long_textgrid", includeBlankSpaces=False))


def _ms(value: Any, line: int) -> int:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        message = f"a time is {str(value)[:30]!r}; it must be a number of seconds"
        raise FormatError(message, line=line) from None
    return milliseconds(seconds, "a time", line)
