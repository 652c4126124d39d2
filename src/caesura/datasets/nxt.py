# SPDX-License-Identifier: Apache-2.0
"""Meetings in the XML of the NITE toolkit (NXT): words, segments of speech, and topics that point to either.

A unit is a segment of speech; units of all speakers are ordered by their start. A topic begins with its first unit. Speech
overlaps, so units of the previous topic may follow: they belong to the surrounding segment, and so do units without a topic.
ICSI has segments of segments, whose parts are the units, and a few segments without a time, which take that of their words.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from caesura.corpus import Document
from caesura.datasets.base import Dataset, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import faults, read_bytes, refuse_dangers

__all__ = ["NxtTopics"]

_ID = "{http://nite.sourceforge.net/}id"
_CHILD = "{http://nite.sourceforge.net/}child"
_POINTER = "{http://nite.sourceforge.net/}pointer"
_NAMES = "default-topics.xml"
_DECLARATION = re.compile(rb"\s*<\?xml[^>]*\?>")
_ENCODING = re.compile(rb"encoding\s*=\s*[\"']([^\"']*)[\"']")
_RANGE = re.compile(r"(?P<file>[^#]+)#id\((?P<first>[^)]*)\)(?:\.\.id\((?P<last>[^)]*)\))?\Z")
_TOPIC = ".topic.xml"
_SEGMENT = "segment"


class _Speech(NamedTuple):
    start: float
    end: float
    speaker: str
    text: str
    topic: int | None


@dataclasses.dataclass(frozen=True)
class NxtTopics(Dataset):
    """Meetings with topics in the XML of the NITE toolkit."""

    level: str = param("top", "the level of the topics: the outermost, or the innermost", choices=("top", "innermost"))

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the meetings."""
        around = folder.parent.parent if folder.is_file() else folder
        found = {path.name: path for path in sorted(around.rglob("*.xml")) if path.is_file()}
        for file in self.files(folder):
            yield self._meeting(file.name.removesuffix(_TOPIC), file, _Files(found), tally)

    def _meeting(self, key: str, file: Path, files: _Files, tally: Tally) -> Document:
        with faults(file):
            owners, titles = self._topics(_parsed(file), files)
        spoken = sorted(
            (
                speech
                for name in files.named(key, (".segments.xml", ".segs.xml"))
                for speech in _segments(files, name, name.split(".")[-3], owners)
            ),
            key=lambda speech: (speech.start, speech.end, speech.speaker),
        )
        if not spoken:
            raise FormatError(f"no segments of {key}: {key}.A.segments.xml or {key}.A.segs.xml is missing", file)
        # Topics are numbered by their first unit in time.
        order: dict[int | None, int] = {}
        labels = []
        current = 0
        for speech in spoken:
            if speech.topic is not None:
                current = max(current, order.setdefault(speech.topic, len(order)))
            labels.append(current)
        return built(
            key,
            self.card.unit,
            [speech.text for speech in spoken],
            labels,
            tally,
            speakers=[speech.speaker for speech in spoken],
            times=[(speech.start, speech.end) for speech in spoken],
            titles={order[topic]: titles[topic] for topic in titles if topic in order},
        )

    def _topics(self, root: ElementTree.Element, files: _Files) -> tuple[dict[str, int], dict[int, str]]:
        """Return the topic of each word or segment, and the description of each topic."""
        owners: dict[str, int] = {}
        titles: dict[int, str] = {}

        def walk(element: ElementTree.Element, topic: int | None) -> None:
            for child in element:
                if child.tag == "topic":
                    own = topic
                    if own is None or self.level == "innermost":
                        own = len(titles)
                        described = child.get("other_description") or child.get("description")
                        titles[own] = described or files.topic_name(child)
                    walk(child, own)
                elif child.tag == _CHILD and topic is not None:
                    owners.update(dict.fromkeys(files.ids(child.get("href", "")), topic))

        walk(root, None)
        if not titles:
            raise FormatError("names no topic")
        return owners, titles


class _Files:
    """The XML files of a corpus by name, and the elements of each in order."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self.paths = paths
        self.elements: dict[str, dict[str, ElementTree.Element]] = {}

    def named(self, meeting: str, endings: tuple[str, ...]) -> list[str]:
        return [name for name in self.paths if name.startswith(f"{meeting}.") and name.endswith(endings)]

    def of(self, name: str) -> dict[str, ElementTree.Element]:
        """Return the elements of a file by id, in the order of the file; parts of an element follow it."""
        if name not in self.elements:
            if name not in self.paths:
                raise FormatError(f"points to {name}, which is missing")
            root = _parsed(self.paths[name])
            inside = (element for element in root.iter() if element is not root)
            self.elements[name] = {element.get(_ID, ""): element for element in inside if element.get(_ID)}
        return self.elements[name]

    def topic_name(self, topic: ElementTree.Element) -> str:
        """Return the name of the topic type that a topic points to; empty if the list of types is missing."""
        pointer = topic.find(_POINTER)
        match = None if pointer is None else _RANGE.match(pointer.get("href", ""))
        if match is None or match["file"] != _NAMES or _NAMES not in self.paths:
            return ""
        kinds = _parsed(self.paths[_NAMES]).iter("topicname")
        return next((kind.get("name", "") for kind in kinds if kind.get(_ID) == match["first"]), "")

    def ids(self, href: str) -> list[str]:
        """Return the ids that a reference denotes: one, or all from the first to the last."""
        match = _RANGE.match(href)
        if match is None:
            raise FormatError(f"has a reference that cannot be read: {href[:80]!r}")
        places = list(self.of(match["file"]))
        first, last = match["first"], match["last"] or match["first"]
        try:
            begin, end = places.index(first), places.index(last)
        except ValueError:
            raise FormatError(f"points to {first} or {last}, which {match['file']} does not have") from None
        return places[begin : end + 1]


def _segments(files: _Files, name: str, speaker: str, owners: dict[str, int]) -> Iterator[_Speech]:
    with faults(files.paths[name]):
        elements = files.of(name)
        around = {part.get(_ID, ""): key for key, whole in elements.items() for part in whole.findall(_SEGMENT)}
        for key, segment in elements.items():
            if segment.find(_SEGMENT) is not None:
                continue
            topic = owners.get(key, owners.get(around.get(key, "")))
            words: list[ElementTree.Element] = []
            for child in segment.iter(_CHILD):
                href = child.get("href", "")
                inside = files.of(href.partition("#")[0])
                for word in files.ids(href):
                    topic = owners.get(word) if topic is None else topic
                    if inside[word].tag == "w" and (inside[word].text or "").strip():
                        words.append(inside[word])
            start = _seconds([segment, *words], "transcriber_start", "starttime")
            if start is None:
                if words:
                    raise FormatError(f"segment {key!r} has no time, and neither do its words")
                continue
            end = _seconds([segment, *reversed(words)], "transcriber_end", "endtime")
            text = " ".join((word.text or "").strip() for word in words)
            yield _Speech(start, start if end is None else end, segment.get("participant") or speaker, text, topic)


def _seconds(elements: Iterable[ElementTree.Element], *names: str) -> float | None:
    """Return the first time attribute of any of the elements, by name."""
    for element in elements:
        text = next((element.get(name) for name in names if element.get(name)), None)
        if text:
            try:
                return float(text)
            except ValueError:
                raise FormatError(f"{element.get(_ID)!r} has {text[:20]!r} as a time") from None
    return None


def _parsed(path: Path) -> ElementTree.Element:
    """Return the root of a file; the files of the corpora declare Latin-1."""
    with faults(path):
        data = read_bytes(path)
        declared = _DECLARATION.match(data)
        named = _ENCODING.search(declared[0]) if declared else None
        encoding = named[1].decode("ascii", "replace").lower() if named else "utf-8"
        if encoding not in ("utf-8", "us-ascii", "iso-8859-1", "latin-1"):
            raise FormatError(f"is declared to be in {encoding[:20]!r}; ISO-8859-1 or UTF-8 was expected")
        body = data[declared.end() if declared else 0 :]
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            raise FormatError(f"byte 0x{body[error.start]:02x} is not {encoding.upper()}") from None
        refuse_dangers(text, "meetings do")
        try:
            return ElementTree.fromstring(text)  # noqa: S314  (dangerous declarations were refused)
        except ElementTree.ParseError as error:
            raise FormatError(f"is not complete XML ({error}); download it again") from None
