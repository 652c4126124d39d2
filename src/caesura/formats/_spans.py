# SPDX-License-Identifier: Apache-2.0
"""From marked stretches of text to boundaries between units: what the files of annotation tools share.

A tool keeps spans of characters. The units are stretches of the same text: its lines, its sentences, its characters.
With ``marks='segments'`` every span is a segment: it begins and ends with the nearest edges of units (the later one if
both are as near) and has at least one unit; a boundary lies at its start. What no span covers is a hole:
``holes='own'`` makes it a segment of its own, ``'previous'`` leaves it to the segment before it (before the first span,
to the first). With ``marks='first'`` a span marks the unit it begins in as the first of a segment, with ``'last'`` the
one it ends in as the last. Labels do not matter: neighbours with the same label are two segments. White space at the
edges of a span counts for nothing.
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
from caesura.segmentation import Segmentation

__all__ = ["TEXT_UNITS", "Layout", "Span", "SpanFormat", "Tally", "layout", "trimmed"]

TEXT_UNITS = ("line", "paragraph", "character")
"""The units that can be found in a plain text: filled lines, blocks of them, single characters."""


class Span(NamedTuple):
    """A stretch of text, from its first character to the one after its last."""

    start: int
    end: int


class Layout(NamedTuple):
    """Where the units of a text lie, in order, and what they are."""

    unit: str
    spans: Sequence[Span]
    units: tuple[str, ...]


class Tally:
    """What was decided while the spans of one file were read, said in one warning at its end."""

    def __init__(self) -> None:
        self.moved = 0
        self.furthest = 0
        self.overlaps = 0
        self.empty = 0
        self.others: list[str] = []

    def move(self, distance: int) -> None:
        """Count an edge of a span that had to move to the edge of a unit."""
        self.moved += distance > 0
        self.furthest = max(self.furthest, distance)

    def tell(self, path: Path, *, strict: bool) -> None:
        """Say what happened, if anything did."""
        said = list(self.others)
        if self.moved:
            far = plural(self.furthest, "character", "characters")
            edges = plural(self.moved, "edge of a span", "edges of spans")
            said.append(f"{edges} inside a unit moved to the nearest edge of one, by {far} at most")
        if self.overlaps:
            spans = plural(self.overlaps, "span overlaps", "spans overlap")
            said.append(f"{spans} the one before; a segment ends where the next starts")
        if self.empty:
            said.append(f"{plural(self.empty, 'span', 'spans')} without text left out")
        if said:
            notice("; ".join(said), path, strict=strict)


@dataclasses.dataclass(frozen=True)
class SpanFormat(Format):
    """A format whose files hold marked stretches of text; it can only be read."""

    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "annotations"})

    # Of a format that is written this says what it writes; here, where nothing is, what is read.
    unit: str = param("line", "what the text is cut into", choices=TEXT_UNITS)  # type: ignore[misc]
    marks: str = param(
        "segments",
        "what a span stands for: a whole segment, or the first or the last unit of one",
        choices=("segments", "first", "last"),
    )
    holes: str = param(
        "own",
        "whether what no segment covers is a segment of its own or belongs to the one before",
        choices=("own", "previous"),
    )

    def segmented(self, spans: Sequence[Span], places: Layout, tally: Tally) -> Segmentation:
        """Return the segmentation that spans make; what had to be decided goes into the tally."""
        if len(places.spans) == 1 and len({(span.start, span.end) for span in spans}) > 1:
            raise SegmentationError(
                f"{len(spans)} spans lie in one {places.unit} and leave no boundary; read the text by characters: "
                "unit='character'"
            )
        if self.marks == "segments":
            gaps = self._covered(sorted(_segments(spans, places.spans, tally)), len(places.spans), tally)
        elif self.marks == "first":
            starts = [unit.start for unit in places.spans]
            ends = [unit.end for unit in places.spans]
            # The unit that holds the place or, between two, the one after it.
            gaps = {
                max(bisect.bisect_right(starts, s.start) - 1, bisect.bisect_right(ends, s.start))
                for s in spans
            }
        else:
            starts = [unit.start for unit in places.spans]
            gaps = {bisect.bisect_left(starts, max(s.end, s.start + 1)) for s in spans}
        inside = sorted(gap for gap in gaps if 0 < gap < len(places.spans))
        return Segmentation(len(places.spans), inside, unit=places.unit)

    def one_document(
        self, path: Path, spans: Sequence[Span], places: Layout, tally: Tally, strict: bool
    ) -> Corpus:
        """Return the corpus of a file that holds one document of one annotator."""
        segmentation = self.segmented(spans, places, tally)
        tally.tell(path, strict=strict)
        document = Document(
            id=stem(path),
            n_units=segmentation.n_units,
            segmentation=segmentation,
            unit=places.unit,
            units=places.units,
        )
        return Corpus([document], name=str(path), ids_are_given=False)

    def _covered(self, segments: Sequence[Span], n_units: int, tally: Tally) -> set[int]:
        """Return the gaps at the edges of segments, given in units, and of the holes between them."""
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


def _segments(spans: Sequence[Span], units: Sequence[Span], tally: Tally) -> Iterator[Span]:
    """Yield spans in units instead of characters; a span that stands twice counts once."""
    starts, ends = [unit.start for unit in units], [unit.end for unit in units]
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
    """Return which of some increasing places is nearest, the later one if two are as near."""
    after = bisect.bisect_left(places, wanted)
    if after == len(places) or (after and wanted - places[after - 1] < places[after] - wanted):
        return after - 1
    return after


def trimmed(span: Span, text: str) -> Span:
    """Return a span without the white space at its edges; one of white space alone is empty.

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
