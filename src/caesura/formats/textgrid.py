# SPDX-License-Identifier: Apache-2.0
"""Praat's TextGrid: a tier of labelled intervals.

Long and short files hold the same values in the same order; the long form adds names before them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import chapters_corpus
from caesura.formats._files import read_text, utf8
from caesura.formats._timed import Chapter, chapters_of, milliseconds

__all__ = ["Textgrid", "TierFormat", "is_usual", "labelled"]

_VALUE = re.compile(
    r"""
      (?P<text>"[^"]*(?:""[^"]*)*"(?=[ \t]*$)|"[^\n]*"(?=[ \t]*$))  # closed at the end of its line
    | (?P<open>")
    | (?P<flag><[a-z]+>)
    | =[ \t]*(?P<assigned>[^\s"<]+|(?=$))                           # xmin = 0
    | ^[ \t]*(?P<alone>[^\s"=<\[]+)[ \t]*$                          # a number on a line of its own
    """,
    re.VERBOSE | re.MULTILINE,
)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?\Z")
_USUAL = ("topics", "topic", "segments", "segment", "chapters", "chapter")


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
                raise FormatError(f"has {names.count(self.tier)} tiers named {self.tier!r}; rename all but one")
            if self.tier in names:
                return self.tier
            raise FormatError(f"has no tier {self.tier!r}; choose from {shown}")
        usual = [name for name in names if is_usual(name)]
        if len(names) == 1 or len(usual) == 1:
            return (usual or list(names))[0]
        raise FormatError(f"has the tiers {shown}; choose one with tier='…'")


def is_usual(name: str) -> bool:
    """Return whether a tier has a usual name of segments."""
    return name.strip().casefold() in _USUAL


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
        text = read_text(path)
        if "ooTextFile" not in text[:200]:
            message = 'is not a TextGrid: its first line must be File type = "ooTextFile"; check the file'
            raise FormatError(message, line=1)
        tiers = _tiers(text)
        names = [tier.name for tier in tiers]
        tier = tiers[names.index(self._choose_tier(names))]
        entries = labelled(tier.entries)
        if not tier.of_intervals:
            entries = [Chapter(0, None, ""), *(point for point in tier.entries if 0 < point.start < tier.end)]
        return chapters_corpus(path, entries, end=tier.end, strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the file in the long form."""
        (document,) = corpus
        chapters = chapters_of(document, needs_end=True)
        limits = ["xmin = 0", f"xmax = {document.n_units / 1000}"]
        tier = ['class = "IntervalTier"', f"name = {_quoted(self._written_tier)}", *limits]
        lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", *limits, "tiers? <exists>", "size = 1"]
        lines += ["item []:", "    item [1]:", *(f"        {line}" for line in tier)]
        lines.append(f"        intervals: size = {len(chapters)}")
        for number, chapter in enumerate(chapters, start=1):
            times = [f"xmin = {chapter.start / 1000}", f"xmax = {(chapter.end or 0) / 1000}"]
            lines.append(f"        intervals [{number}]:")
            lines += [f"            {line}" for line in (*times, f"text = {_quoted(chapter.title)}")]
        yield utf8("\n".join([*lines, ""]))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


class _Value(NamedTuple):
    is_text: bool
    shown: str
    line: int

    def fault(self, what: str, wanted: str) -> FormatError:
        """Return the error for this value."""
        return FormatError(f"{what} is {self.shown[:30]!r}; it must be {wanted}", line=self.line)


class _Tier(NamedTuple):
    """A tier: its name, its end in milliseconds, and its intervals, or points without an end."""

    name: str
    end: int
    of_intervals: bool
    entries: list[Chapter]


def _tiers(text: str) -> list[_Tier]:
    """Return the tiers of a TextGrid; refuse a value that is missing, superfluous, or not a valid time."""
    walk = _Walk(text)
    walk.text("the file type")
    walk.text("the object class")
    walk.time("xmin")
    walk.time("xmax")
    tiers = []
    for number in range(1, walk.count("the number of tiers") + 1):
        of = f"of tier {number}"
        kind = walk.text(f"the class {of}")
        if kind.shown not in ("IntervalTier", "TextTier"):
            raise kind.fault(f"the class {of}", "IntervalTier or TextTier")
        name = walk.text(f"the name {of}").shown
        walk.time(f"xmin {of}")
        tier = _Tier(name, walk.time(f"xmax {of}")[0], kind.shown == "IntervalTier", [])
        for entry in range(1, walk.count(f"the number of entries {of}") + 1):
            this = f"entry {entry} {of}"
            start, line = walk.time(f"the time of {this}")
            end = walk.time(f"the end of {this}")[0] if tier.of_intervals else None
            tier.entries.append(Chapter(start, end, walk.text(f"the label of {this}").shown.strip(), line))
        tiers.append(tier)
    walk.done()
    return tiers


class _Walk:
    """Steps through the values of a file, checking the kind of each."""

    def __init__(self, text: str) -> None:
        self._last = text.rstrip().count("\n") + 1
        self._values = self._found(text)

    def _found(self, text: str) -> Iterator[_Value]:
        line, at = 1, 0
        for match in _VALUE.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            if match["open"]:
                causes = "the file is truncated, or a quote inside a string is not doubled"
                raise FormatError(f"a quoted string is not closed; {causes}", line=line)
            if match["text"]:
                yield _Value(True, match["text"][1:-1].replace('""', '"'), line)
            elif not match["flag"]:
                yield _Value(False, match["assigned"] or match["alone"] or "", line)

    def _next(self, what: str) -> _Value:
        value = next(self._values, None)
        if value is None:
            raise FormatError(f"ends before {what}; the file is truncated, save it again from Praat", line=self._last)
        return value

    def text(self, what: str) -> _Value:
        """Return a string."""
        value = self._next(what)
        if not value.is_text and value.line == self._last:
            # A truncated keyword of the long form, which would precede the string.
            self._values = iter(())
            self._next(what)
        if not value.is_text:
            raise value.fault(what, "a quoted string")
        return value

    def time(self, what: str) -> tuple[int, int]:
        """Return a time in milliseconds, and its line."""
        value = self._next(what)
        if value.is_text or not _NUMBER.match(value.shown):
            raise value.fault(what, "a number of seconds")
        if value.shown.startswith("-") and float(value.shown):
            message = f"{what} is {value.shown[:30]}; it must be a time in seconds, at least 0"
            raise FormatError(message, line=value.line)
        return milliseconds(float(value.shown), what, value.line), value.line

    def count(self, what: str) -> int:
        """Return an integer."""
        value = self._next(what)
        if value.is_text or not re.fullmatch(r"[0-9]{1,9}", value.shown):
            raise value.fault(what, "an integer")
        return int(value.shown)

    def done(self) -> None:
        """Check that nothing follows."""
        value = next(self._values, None)
        if value is not None:
            what = "there are more values than the numbers of tiers and entries announce"
            raise FormatError(f"{what}; correct them, or save it again from Praat", line=value.line)
