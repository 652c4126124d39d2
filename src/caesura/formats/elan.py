# SPDX-License-Identifier: Apache-2.0
"""ELAN annotation files: a tier of annotations with times."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import ClassVar, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._annotators import Gathering
from caesura.formats._base import FORMATS, Sample
from caesura.formats._chapters import chapters_corpus
from caesura.formats._files import notice, read_text, utf8
from caesura.formats._timed import Chapter, chapters_of, milliseconds
from caesura.formats._xml import parsed
from caesura.formats.textgrid import TierFormat, is_usual, labelled

__all__ = ["Elan"]

_NEEDED = {
    "TIME_SLOT": ("TIME_SLOT_ID",),
    "TIER": ("TIER_ID",),
    "ALIGNABLE_ANNOTATION": ("ANNOTATION_ID", "TIME_SLOT_REF1", "TIME_SLOT_REF2"),
    "REF_ANNOTATION": ("ANNOTATION_ID",),
}
"""Required attributes by element; those that end with ID are unique."""
_DIVIDED = 0.8
"""The share of the recording that a tier of segments covers at least."""
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"


class _Tier(NamedTuple):
    """The annotations of a tier that have times, in order, and who made it."""

    annotations: list[Chapter]
    annotator: str


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Elan(TierFormat):
    """ELAN annotation files (EAF): the annotations of one tier are the segments, in milliseconds.

    The tier is the one named by ``tier``, or the only one with times, or the one named topics, segments or chapters.
    If several tiers each divide the whole recording, and none refines another unless each names an annotator of its own
    (``ANNOTATOR``), they are read as the segments of annotators, with a note; ``tiers='annotators'`` says so for any
    tiers, ``tiers='anna+ben'`` for some.
    Annotations without text are ignored, unless none has text. The document lasts at least to the last time in the
    file, since ELAN does not store the length of the recording. A file with a document type declaration is refused: ELAN
    writes none, and such a declaration can make a small file expand into a large one.
    """

    card: ClassVar[Card] = Card(
        title="ELAN annotation files", citation="Max Planck Institute for Psycholinguistics, EAF format, version 3.0."
    )
    suffixes: ClassVar[tuple[str, ...]] = (".eaf",)
    sample: ClassVar[Sample] = {"elan": (120_000, 480_000, 300_000)}

    tiers: str | None = param(None, "'annotators' if each tier holds the segments of one, or their tiers: 'anna+ben'")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the root element is that of ELAN."""
        return b"<ANNOTATION_DOCUMENT" in head[:2000]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        tiers, end = _tiers(read_text(path))
        people = self._people(tiers, end, path, strict)
        if people is None:
            intervals = tiers[self._choose_tier(list(tiers))].annotations
            return chapters_corpus(path, intervals, end=end, exact=False, strict=strict)
        gathering = Gathering()
        for name, who in people.items():
            (document,) = chapters_corpus(path, tiers[name].annotations, end=end, exact=False, strict=strict)
            bare = dataclasses.replace(document, segmentation=None, extra={})
            gathering.add(bare, who, document.segmentation, place=f"tier {name!r}")
        return Corpus(gathering.documents(), name=str(path), ids_are_given=False)

    def _people(self, tiers: Mapping[str, _Tier], end: int, path: Path, strict: bool) -> dict[str, str] | None:
        """Return the annotator of each tier that holds the segments of one; None if one tier holds the segments."""
        names = list(tiers)
        if not names or (self.tiers is None and (self.tier is not None or len(names) < 2 or any(map(is_usual, names)))):
            return None
        if self.tiers not in (None, "annotators"):
            chosen = [name.strip() for name in self.tiers.split("+")]
            names = [dataclasses.replace(self, tier=name)._choose_tier(names) for name in chosen]
        said = [tiers[name].annotator for name in names]
        signed = all(said) and len(set(said)) == len(said)
        people = dict(zip(names, said if signed else names, strict=True))
        if self.tiers is not None:
            return people
        if _all_divide(tiers.values(), end, refine=signed):
            notice(f"read as annotators: {', '.join(people.values())} (tiers='annotators')", path, strict=strict)
            return people
        shown = ", ".join(f"{name!r} ({len(tiers[name].annotations)} annotations)" for name in names[:10])
        what = f"has the tiers {shown}{', …' if len(names) > 10 else ''}; choose one with tier={names[0]!r}"
        raise FormatError(f"{what}, or read each as the segments of an annotator with tiers='annotators'")

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the file."""
        (document,) = corpus
        # The schema wants a date; a fixed one, so that equal documents give equal files.
        facts = {"AUTHOR": "", "DATE": "1970-01-01T00:00:00Z", "FORMAT": "3.0", "VERSION": "3.0", "xmlns:xsi": _SCHEMA}
        facts["xsi:noNamespaceSchemaLocation"] = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
        root = Element("ANNOTATION_DOCUMENT", facts)
        SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
        order = SubElement(root, "TIME_ORDER")
        tier = SubElement(root, "TIER", LINGUISTIC_TYPE_REF="default-lt", TIER_ID=self._written_tier)
        SubElement(root, "LINGUISTIC_TYPE", LINGUISTIC_TYPE_ID="default-lt", TIME_ALIGNABLE="true")
        for number, chapter in enumerate(chapters_of(document, needs_end=True), start=1):
            slots = {"TIME_SLOT_REF1": f"ts{2 * number - 1}", "TIME_SLOT_REF2": f"ts{2 * number}"}
            for slot, time in zip(slots.values(), (chapter.start, chapter.end), strict=True):
                SubElement(order, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=str(time))
            annotation = SubElement(tier, "ANNOTATION")
            aligned = SubElement(annotation, "ALIGNABLE_ANNOTATION", {"ANNOTATION_ID": f"a{number}", **slots})
            SubElement(aligned, "ANNOTATION_VALUE").text = chapter.title
        indent(root)
        yield utf8('<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n")


def _tiers(text: str) -> tuple[dict[str, _Tier], int]:
    """Return the tiers that have annotations with times, and the last time."""
    if "<ANNOTATION_DOCUMENT" not in text:
        raise FormatError("is not an ELAN file: it has no ANNOTATION_DOCUMENT; check that it is the right file")
    lines = parsed(text, "ELAN files do")
    _check(lines)
    slots = {node.get("TIME_SLOT_ID"): node.get("TIME_VALUE") for node in lines if node.tag == "TIME_SLOT"}
    times = {slot: milliseconds(int(time) / 1000, "a time") for slot, time in slots.items() if time is not None}
    tiers: dict[str, _Tier] = {}
    for tier in (node for node in lines if node.tag == "TIER"):
        intervals: list[Chapter] = []
        for node in tier.iter("ALIGNABLE_ANNOTATION"):
            start, end = (times.get(node.get(f"TIME_SLOT_REF{side}")) for side in (1, 2))
            if start is None or end is None:
                what = f"an annotation of tier {tier.get('TIER_ID')!r} has no time"
                raise FormatError(f"{what}; time-align it in ELAN", line=lines[node])
            intervals.append(Chapter(start, end, node.findtext("ANNOTATION_VALUE") or "", lines[node]))
        if intervals:
            tiers[tier.get("TIER_ID", "")] = _Tier(labelled(sorted(intervals)), tier.get("ANNOTATOR", "").strip())
    return tiers, max(times.values(), default=0)


def _all_divide(tiers: Collection[_Tier], end: int, *, refine: bool) -> bool:
    """Return whether each tier covers nearly the whole time, as speakers cannot; none may ``refine`` another, as levels do."""
    covered = [sum((each.end or 0) - each.start for each in tier.annotations) for tier in tiers]
    starts = [{each.start for each in tier.annotations[1:]} for tier in tiers]
    if min(covered) < _DIVIDED * end:
        return False
    return refine or not any(one <= other for one, other in permutations(starts, 2))


def _check(lines: Mapping[Element, int]) -> None:
    """Refuse elements that lack an attribute or share a name, annotations without a value, and times that are none."""
    seen: dict[tuple[str, str], int] = {}
    for node, line in lines.items():
        what = None
        for key in _NEEDED.get(node.tag, ()):
            value = node.get(key)
            if value is None:
                what = what or f"{node.tag} has no {key}"
            elif key.endswith("ID") and (key, value) in seen:
                what = what or f"{key} {value[:30]!r} appears twice, first on line {seen[key, value]}"
            else:
                seen[key, value] = line
        time = node.get("TIME_VALUE", "0") if node.tag == "TIME_SLOT" else "0"
        if not re.fullmatch(r"[0-9]{1,12}", time):
            what = f"TIME_VALUE is {time[:30]!r}, but must be a time in milliseconds, at least 0"
        elif node.tag.endswith("_ANNOTATION") and node.find("ANNOTATION_VALUE") is None:
            what = what or f"{node.tag} has no ANNOTATION_VALUE"
        if what is not None:
            raise FormatError(f"{what}; open the file in ELAN and save it again", line=line)
