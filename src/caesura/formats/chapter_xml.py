# SPDX-License-Identifier: Apache-2.0
"""Chapters in XML: Matroska, Podlove simple chapters, and markers of Final Cut Pro (FCPXML)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Sample
from caesura.formats._chapters import ChapterFormat, ChapterList, chapter_lists
from caesura.formats._files import notice, plural, read_text
from caesura.formats._timed import Chapter, time_in_ms
from caesura.formats._xml import parsed

__all__ = ["ChapterXml"]

_DOCTYPE = re.compile(r"<!DOCTYPE\s[^<>\[\]]*>", re.IGNORECASE)
_ROOTS = re.compile(rb"<(?:\w+:)?(?:Chapters|chapters|fcpxml)[\s>]")
_RATIONAL = re.compile(
    r"\s*(?P<top>[0-9]{1,18})(?:/(?P<bottom>[1-9][0-9]{0,11}))?s\s*\Z|\s*(?P<plain>[0-9]{1,9}\.[0-9]{1,9})s\s*\Z"
)
_Node = ElementTree.Element


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class ChapterXml(ChapterFormat):
    """Chapters in XML: Matroska (as mkvextract writes them), Podlove simple chapters, and markers of FCPXML.

    Of Matroska the chapters of the first edition are read, without hidden ones; chapters inside of others are left out,
    with a warning. Of FCPXML the chapter markers are read, or all markers if there are none, at their places on the
    timeline, whose length is that of the recording.
    """

    card: ClassVar[Card] = Card(title="chapters in XML: Matroska, Podlove simple chapters, FCPXML markers")
    suffixes: ClassVar[tuple[str, ...]] = (".xml", ".psc", ".fcpxml")
    sample: ClassVar[Sample] = {"chapter_xml": (120_000, 480_000, 300_000)}

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether one of the three elements is there."""
        return _ROOTS.search(head) is not None and b"WEBVTT" not in head[:20]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        # A plain document type, which Final Cut Pro writes, declares nothing; one with declarations is refused.
        text = _DOCTYPE.sub(lambda match: "\n" * match[0].count("\n"), read_text(path))
        places = parsed(text, "chapters do")
        root = next(iter(places))
        end = None
        if _tag(root) == "fcpxml":
            chapters, end = _final_cut(root, places)
        elif any(_tag(node) == "ChapterAtom" for node in places) or _tag(root) == "Chapters":
            chapters = _matroska(root, places, path, strict)
        else:
            chapters = _podlove(root, places)
        return chapter_lists(path, [ChapterList(chapters, end)], strict=strict)


def _tag(node: _Node) -> str:
    """Return the name of an element without its namespace."""
    return str(node.tag).rpartition("}")[2]


def _children(node: _Node, tag: str) -> list[_Node]:
    return [child for child in node if _tag(child) == tag]


def _podlove(root: _Node, places: Mapping[_Node, int]) -> list[Chapter]:
    lists = [node for node in places if _tag(node) == "chapters"]
    if len(lists) != 1:
        raise FormatError(
            f"contains {plural(len(lists), 'list', 'lists')} of chapters; give one file for each recording"
        )
    return [
        Chapter(
            time_in_ms(node.get("start"), "the start of a chapter", places[node]),
            None,
            node.get("title", ""),
            places[node],
        )
        for node in _children(lists[0], "chapter")
    ]


def _matroska(root: _Node, places: Mapping[_Node, int], path: Path, strict: bool) -> list[Chapter]:
    edition = next((node for node in places if _tag(node) == "EditionEntry"), root)
    atoms = _children(edition, "ChapterAtom")
    inner = sum(_tag(node) == "ChapterAtom" for node in edition.iter()) - len(atoms)
    if inner:
        notice(f"{plural(inner, 'chapter', 'chapters')} inside of others left out", path, strict=strict)
    chapters = []
    for atom in atoms:
        values = {_tag(node): (node.text or "").strip() for node in atom.iter() if _tag(node) != "ChapterAtom"}
        # Values of the first display, not of a chapter inside, which follow it.
        values |= {_tag(node): (node.text or "").strip() for node in atom}
        strings = (
            node.text or ""
            for display in _children(atom, "ChapterDisplay")
            for node in _children(display, "ChapterString")
        )
        if values.get("ChapterFlagHidden") == "1" or values.get("ChapterFlagEnabled") == "0":
            continue
        start = time_in_ms(values.get("ChapterTimeStart"), "ChapterTimeStart", places[atom])
        end = values.get("ChapterTimeEnd") and time_in_ms(values["ChapterTimeEnd"], "ChapterTimeEnd", places[atom])
        chapters.append(
            Chapter(start, None if not end or end == start else end, next(strings, "").strip(), places[atom])
        )
    return chapters


def _final_cut(root: _Node, places: Mapping[_Node, int]) -> tuple[list[Chapter], int | None]:
    """Return the markers on the timeline of the only sequence, and its length."""
    sequences = [node for node in places if _tag(node) == "sequence"]
    if len(sequences) != 1:
        raise FormatError(f"contains {plural(len(sequences), 'sequence', 'sequences')}; export one project")
    sequence = sequences[0]
    begin = _rational(sequence, "tcStart", places) or Fraction(0)
    found = [
        (_tag(node), Chapter(_at(time - begin, places[node]), None, node.get("value", ""), places[node]))
        for node, time in _markers(sequence, Fraction(0), places)
    ]
    chosen = "chapter-marker" if any(tag == "chapter-marker" for tag, _ in found) else "marker"
    length = _rational(sequence, "duration", places)
    chapters = sorted((chapter for tag, chapter in found if tag == chosen), key=lambda chapter: chapter.start)
    return chapters, None if not length else _at(length, places[sequence])


def _markers(node: _Node, shift: Fraction, places: Mapping[_Node, int]) -> Iterator[tuple[_Node, Fraction]]:
    """Yield the markers below an element with their times on the timeline; ``shift`` moves the element's times there."""
    todo = [(node, shift)]
    while todo:
        parent, moved = todo.pop()
        for child in parent:
            if _tag(child) in ("marker", "chapter-marker"):
                yield child, moved + (_rational(child, "start", places) or 0)
            else:
                offset, start = (_rational(child, key, places) for key in ("offset", "start"))
                # A clip lies at its offset on the timeline of its parent, and its own times begin at its start.
                todo.append((child, moved if offset is None else moved + offset - (start or 0)))


def _rational(node: _Node, key: str, places: Mapping[_Node, int]) -> Fraction | None:
    """Return a time of FCPXML, such as ``1001/30000s``."""
    value = node.get(key)
    if value is None:
        return None
    match = _RATIONAL.match(value)
    if match is None:
        raise FormatError(f"{key} is {value[:30]!r}; it must be a time such as 1001/30000s", line=places[node])
    return Fraction(match["plain"]) if match["plain"] else Fraction(int(match["top"]), int(match["bottom"] or 1))


def _at(time: Fraction, line: int) -> int:
    return time_in_ms(float(time), "a time", line)
