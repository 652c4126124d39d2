# SPDX-License-Identifier: Apache-2.0
"""Labels of 0 and 1, which may be topics or boundary flags; the meaning must be given, or leave no doubt.

The rule, for every format and for rows in Python (`settled`): another label anywhere settles that labels are topics. Flags
with which every document begins are starts (`caesura.segmentation.look_like_starts`), which a note says. Otherwise the
reader is asked, with the segments that each reading gives, what the data suggest, and the whole argument to copy.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from caesura.corpus import Document
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats._files import Asked, plural
from caesura.segmentation import Marks, Segmentation, look_like_starts

FLAGS = {
    "0": "0", "0.0": "0", "false": "0", "no": "0", "n": "0", "i": "0", "blank": "0",
    "1": "1", "1.0": "1", "true": "1", "yes": "1", "y": "1", "b": "1", "mark": "1",
}  # fmt: skip
"""Spellings of a flag; ``b`` and ``i`` begin and continue a segment, ``mark`` stands for a tick."""

_CHOICES = ("topics", "first", "last", "last_closed")


class Unclear(FormatError):
    """Labels or spans that can mean several things; ``marks`` is what the data suggest, or an example."""

    def __init__(self, what: str, marks: str, line: int | None = None, path: Path | None = None) -> None:
        self.what, self.marks = what, marks
        super().__init__(f"{what} marks={marks!r}", path, line)

    def within(self, path: Path) -> Unclear:
        """Return the error with the file in which the labels are."""
        return Unclear(self.what, self.marks, self.line, path)

    def told(self, argument: str) -> FormatError:
        """Return the error with the argument to copy: a file and its format."""
        message = f'{self.what} "{argument}" (marks={self.marks!r} in Python)'
        return Asked(message, self.path, self.line)


class Coded(NamedTuple):
    """The labels of a document, by one annotator, with the line on which they begin."""

    document: str
    labels: Sequence[object]
    line: int | None = None


class Flags:
    """The labels of documents while these are read, until it is clear what they mean."""

    def __init__(self, marks: str | None) -> None:
        self.marks = marks if marks in _CHOICES else None
        self._coded: dict[int, Coded] = {}
        self._topics = marks == "topics"

    def add(self, document: Document, labels: Sequence[object] | None, row: int, line: int) -> Document:
        """Return the document at a row with the meaning of its labels, if that is given."""
        if not labels or self._topics:
            return document
        if self.marks is not None:
            return dataclasses.replace(document, segmentation=flagged(labels, self.marks, document.unit))
        self._coded[row] = Coded(document.id, labels, line)
        if not look_like_flags([*labels, 1]):
            self._topics = True  # another label settles it, and nothing is kept
            self._coded.clear()
        return document

    def settle(self, documents: list[Document], *, whole: bool = True) -> str:
        """Change the documents to what their labels mean, and return the note on it; raise `Unclear` if it is not clear."""
        meaning, note = settled(list(self._coded.values()), whole=whole)
        if meaning != "topics":
            for row, each in self._coded.items():
                unit = documents[row].unit
                documents[row] = dataclasses.replace(documents[row], segmentation=flagged(each.labels, meaning, unit))
        return note


def marks_param() -> Any:
    """Return the parameter for the meaning of labels of 0 and 1."""
    return param(
        None,
        "what labels of 0 and 1 mean: topics, or a 1 on the first or last unit of a segment [asked if unclear]",
        choices=_CHOICES,
    )


def look_like_flags(labels: Iterable[object]) -> bool:
    """Return whether labels may be flags: only 0 and 1 in any spelling, with at least one 1.

    >>> look_like_flags([0, 0, 1]), look_like_flags(["a", "b"]), look_like_flags([0, 0]), look_like_flags([0, 1, 2])
    (True, False, False, False)
    """
    values = {_bit(label) for label in labels}
    return "1" in values and "" not in values


def flagged(labels: Sequence[object], marks: str, unit: str | None = None) -> Segmentation:
    """Return the segmentation of flags."""
    bits = [_bit(label) for label in labels]
    if "" in bits:
        place = bits.index("")
        raise FormatError(f"the flag of unit {place + 1} is {str(labels[place])[:30]!r}; write 0 or 1")
    text = "".join(bits)
    segmentation = Segmentation.from_bits(text, marks=cast(Marks, marks))
    return segmentation if unit is None else segmentation.with_unit(unit)


def settled(coded: Sequence[Coded], *, topics: bool = True, whole: bool = True) -> tuple[str, str]:
    """Return what the labels of a source mean, with a note if the data decided it; raise `Unclear` if they do not.

    ``topics`` says whether they may be topics at all, ``whole`` whether these are all labels of the source: a part of it
    decides nothing.

    >>> settled([Coded("a", [0, 1, 2])]), settled([Coded("a", [0, 0])])
    (('topics', ''), ('topics', ''))
    >>> settled([Coded(f"d{n}", [1, 0, 0, 1, 0]) for n in range(5)])[0]
    'first'
    """
    if topics and not all(look_like_flags([*each.labels, 1]) for each in coded):
        return "topics", ""
    ones = next((each for each in coded if look_like_flags(each.labels)), None)
    if ones is None:
        return "topics" if topics else "first", ""  # without a 1, every reading is the same
    bits = [[_bit(label) == "1" for label in each.labels] for each in coded]
    documents = len({each.document for each in coded})
    # Several annotators of a document are one piece of evidence, and all must begin alike.
    first = {each.document: row for each, row in zip(coded, bits, strict=True)}
    alike = all(row[0] for row in bits if len(row) > 1)
    if whole and alike and look_like_starts(first.values(), topics=topics):
        others = "'last' or 'topics'" if topics else "'last'"
        return "first", (
            f"flags of 0 and 1 are read as marks='first', since all {documents} documents begin with a 1; "
            f"say marks={others} if they mean something else"
        )
    raise _question(ones, bits, topics)


def _bit(label: object) -> str:
    return FLAGS.get(str(label).strip().casefold(), "")


def _segments(segmentation: Segmentation) -> str:
    """Return what a reading gives: the number of segments, and the lengths of the first."""
    masses = segmentation.masses
    lengths = "-".join(map(str, masses[:5])) + "-…" * (len(masses) > 5)
    return f"{plural(len(masses), 'segment', 'segments')}: {lengths}"


def _question(coded: Coded, bits: Sequence[Sequence[bool]], topics: bool) -> Unclear:
    """Return the error that asks for the meaning, with the result of each reading and what the data suggest."""
    labels = coded.labels
    spelled = {_bit(label): str(label).strip() for label in labels}
    zero, one = spelled.get("0", "0"), spelled.get("1", "1")
    last, first = (_segments(flagged(labels, marks)) for marks in ("last", "first"))
    readings = [
        f"a {one} on the last unit of a segment ({last}, marks='last')",
        f"on the first ({first}, marks='first')",
    ]
    if topics:
        changes = _segments(Segmentation.from_labels([str(label) for label in labels]))
        readings.append(f"or topics ({changes}, marks='topics')")
    rows = [row for row in bits if len(row) > 1]
    begin, end = all(row[0] for row in rows), all(row[-1] for row in rows)
    what, marks = "say which, as in", "last"
    follow = sum(before and after for row in rows for before, after in itertools.pairwise(row))
    if topics and 2 * follow > sum(map(sum, rows)):
        what, marks = f"most {one}s follow another, which suggests", "topics"
    elif begin != end:
        marks = "first" if begin else "last"
        where = "begins" if begin else "ends"
        what = f"every document {where} with a {one}, which suggests"
    return Unclear(f"labels of {zero} and {one} can mean {', '.join(readings)}; {what}", marks, line=coded.line)
