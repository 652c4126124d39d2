# SPDX-License-Identifier: Apache-2.0
"""Conversion of annotated spans of text to boundaries between units, for the formats of annotation tools.

Annotation tools store spans of characters; units are lines, sentences or characters of the same text. With
``marks='segments'`` every span is a segment: its edges move to the nearest edges of units (the later one in a tie), it
has at least one unit, and a boundary lies at its start. Text that no span covers is a hole: ``holes='own'`` makes it a
segment, ``'previous'`` adds it to the segment before it (or, before the first span, to the first). With
``marks='first'`` the unit in which a span begins is the first of a segment, with ``'last'`` the unit in which it ends is
the last. Labels do not matter: adjacent spans with the same label are two segments. White space at the edges of a span
is ignored.

Without ``marks``, spans are segments unless they look like marks: read as segments, marks on first units would double the
boundaries, since a segment of one unit would be followed by a hole. Segments together cover a text, even if some stretches
are left out; marks cover one unit of each segment. So the reader is asked if all spans of a file cover less than a tenth of
the units, or if none is longer than one unit and they cover less than half.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus, Document
from caesura.declare import param
from caesura.errors import SegmentationError
from caesura.files import stem
from caesura.formats._base import Format
from caesura.formats._files import notice, plural
from caesura.formats._flags import Unclear
from caesura.segmentation import Segmentation

_SPARSE = 0.1
_MARKED = 0.5

TEXT_UNITS = ("line", "paragraph", "character")
"""The units of plain text: non-blank lines, blocks of them, single characters."""


class Span(NamedTuple):
    """A span of text: offset of its first character, and of the one after its last."""

    start: int
    end: int


class Layout(NamedTuple):
    """The units of a text: their name, their spans in order, and their strings."""

    unit: str
    spans: Sequence[Span]
    units: tuple[str, ...]


class Tally:
    """Decisions made while reading the spans of one file, reported in one warning."""

    def __init__(self) -> None:
        self.moved = 0
        self.furthest = 0
        self.overlaps = 0
        self.empty = 0
        self.units = self.covered = self.spans = self.longest = 0
        self.others: list[str] = []

    def move(self, distance: int) -> None:
        """Count an edge of a span that was moved to the edge of a unit."""
        self.moved += distance > 0
        self.furthest = max(self.furthest, distance)

    def cover(self, segments: Sequence[Span], n_units: int) -> None:
        """Count the units of a document that spans cover; a document without spans says nothing about them."""
        if segments:
            self.units += n_units
            self.covered += len({unit for segment in segments for unit in range(*segment)})
            self.spans += len(segments)
            self.longest = max(self.longest, *(end - start for start, end in segments))

    def check(self, unit: str) -> None:
        """Raise if spans that are read as segments look like marks of single units."""
        single = self.longest == 1
        if not self.units or self.covered >= self.units * (_MARKED if single else _SPARSE):
            return
        each = f", none longer than one {unit}" if single else ""
        share = f"{self.covered / self.units:.1%}".replace("%", " %")
        raise Unclear(
            f"{plural(self.spans, 'span covers', 'spans cover')} {share} of the text{each}: say whether they are segments "
            "(marks='segments') or mark the first or last unit of one, as in",
            "first",
        )

    def tell(self, path: Path, *, strict: bool) -> None:
        """Warn about the decisions, if there were any."""
        remarks = list(self.others)
        if self.moved:
            far = plural(self.furthest, "character", "characters")
            edges = plural(self.moved, "edge of a span", "edges of spans")
            remarks.append(f"{edges} inside a unit moved to the nearest edge of a unit, by at most {far}")
        if self.overlaps:
            spans = plural(self.overlaps, "span overlaps", "spans overlap")
            remarks.append(f"{spans} the previous one; a segment ends where the next one starts")
        if self.empty:
            remarks.append(f"{plural(self.empty, 'span', 'spans')} without text ignored")
        if remarks:
            notice("; ".join(remarks), path, strict=strict)


@dataclasses.dataclass(frozen=True)
class SpanFormat(Format):
    """A read-only format of annotated spans of text."""

    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "annotations"})

    # In a writable format this is the unit to write; here it is the unit to read.
    unit: str = param("line", "the unit of the text", choices=TEXT_UNITS)  # type: ignore[misc]
    marks: str | None = param(
        None,
        "what a span marks: a whole segment, or the first or last unit of one [segments; asked if they look like marks]",
        choices=("segments", "first", "last"),
    )
    holes: str = param(
        "own",
        "whether text outside all segments is a segment of its own or belongs to the previous one",
        choices=("own", "previous"),
    )

    def segmented(self, spans: Sequence[Span], places: Layout, tally: Tally) -> Segmentation:
        """Return the segmentation given by spans; the tally records the decisions made."""
        if len(places.spans) == 1 and len({(span.start, span.end) for span in spans}) > 1:
            what = f"{len(spans)} spans lie in a single {places.unit}, so there is no boundary"
            raise SegmentationError(f"{what}; read the text by characters, as in FILE::FORMAT(unit='character')")
        starts, ends = [unit.start for unit in places.spans], [unit.end for unit in places.spans]
        if self.marks in (None, "segments"):
            segments = sorted(_segments(spans, starts, ends, tally))
            tally.cover(segments, len(places.spans))
            gaps = self._covered(segments, len(places.spans), tally)
        elif self.marks == "first":
            # The unit that contains the offset or, between two units, the later one.
            gaps = {max(bisect.bisect_right(starts, s.start) - 1, bisect.bisect_right(ends, s.start)) for s in spans}
        else:
            gaps = {bisect.bisect_left(starts, max(s.end, s.start + 1)) for s in spans}
        inside = sorted(gap for gap in gaps if 0 < gap < len(places.spans))
        return Segmentation(len(places.spans), inside, unit=places.unit)

    def finish(self, tally: Tally, unit: str, path: Path, strict: bool) -> None:
        """Ask if spans look like marks and their meaning is not given; warn about the decisions made."""
        if self.marks is None:
            tally.check(unit)
        tally.tell(path, strict=strict)

    def one_document(self, path: Path, spans: Sequence[Span], places: Layout, tally: Tally, strict: bool) -> Corpus:
        """Return the corpus of a file that holds one document of one annotator."""
        segmentation = self.segmented(spans, places, tally)
        self.finish(tally, places.unit, path, strict)
        document = Document(
            id=stem(path), n_units=segmentation.n_units, segmentation=segmentation, unit=places.unit, units=places.units
        )
        return Corpus([document], name=str(path), ids_are_given=False)

    def _covered(self, segments: Sequence[Span], n_units: int, tally: Tally) -> set[int]:
        """Return the gaps at the edges of segments (in units) and of the holes between them."""
        gaps: set[int] = set()
        covered = 0
        for start, end in segments:
            if start > covered and self.holes == "own":
                gaps.add(covered)
            if covered or self.holes == "own":
                gaps.add(start)
            tally.overlaps += start < covered
            covered = max(covered, end)
        if self.holes == "own":
            gaps.add(covered)
        return gaps


def _segments(spans: Sequence[Span], starts: Sequence[int], ends: Sequence[int], tally: Tally) -> Iterator[Span]:
    """Yield spans in units, which have ``starts`` and ``ends``, instead of characters; a repeated span counts once."""
    for span in set(spans):
        if span.end <= span.start:
            tally.empty += 1
            continue
        first, last = _nearest(starts, span.start), _nearest(ends, span.end)
        if last < first:
            first = last = max(bisect.bisect_right(starts, (span.start + span.end) // 2) - 1, 0)
        tally.move(abs(starts[first] - span.start))
        tally.move(abs(ends[last] - span.end))
        yield Span(first, last + 1)


def _nearest(places: Sequence[int], wanted: int) -> int:
    """Return the index of the nearest of some increasing offsets, the later one in a tie."""
    after = bisect.bisect_left(places, wanted)
    if after == len(places) or (after and wanted - places[after - 1] < places[after] - wanted):
        return after - 1
    return after


def trimmed(span: Span, text: str) -> Span:
    """Return a span without white space at its edges; a span of white space becomes empty.

    >>> trimmed(Span(0, 6), " ab c  ")
    Span(start=1, end=5)
    """
    inside = text[span.start : span.end]
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, max(start, span.start + len(inside.rstrip())))


def layout(text: str, unit: str) -> Layout:
    r"""Return the units of a plain text.

    >>> layout("a b \n\n c", "line")
    Layout(unit='line', spans=[Span(start=0, end=3), Span(start=7, end=8)], units=('a b', 'c'))
    """
    if unit == "character":
        return Layout(unit, [Span(place, place + 1) for place in range(len(text))], tuple(text))
    spans: list[Span] = []
    place = 0
    after_blank = True
    for line in text.split("\n"):
        span = trimmed(Span(place, place + len(line)), text)
        place += len(line) + 1
        blank = span.start == span.end
        if not blank and (unit == "line" or after_blank):
            spans.append(span)
        elif not blank:
            spans[-1] = Span(spans[-1].start, span.end)
        after_blank = blank
    return Layout(unit, spans, tuple(text[start:end] for start, end in spans))
