# SPDX-License-Identifier: Apache-2.0
"""ELAN annotation files: a tier of annotations with times."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._annotators import Gathering
from caesura.formats._base import FORMATS, Sample
from caesura.formats._chapters import chapters_corpus
from caesura.formats._files import library, notice, read_text, utf8
from caesura.formats._timed import Chapter, chapters_of, milliseconds
from caesura.formats._xml import Element, elements, refuse_dangers
from caesura.formats.textgrid import TierFormat, is_usual, labelled

__all__ = ["Elan"]

_NEEDED = {
    "LICENSE": ("LICENSE_URL",),
    "PROPERTY": ("NAME",),
    "TIME_SLOT": ("TIME_SLOT_ID",),
    "TIER": ("TIER_ID",),
    "ALIGNABLE_ANNOTATION": ("ANNOTATION_ID", "TIME_SLOT_REF1", "TIME_SLOT_REF2"),
    "REF_ANNOTATION": ("ANNOTATION_ID", "ANNOTATION_REF"),
    "LINGUISTIC_TYPE": ("LINGUISTIC_TYPE_ID",),
    "LOCALE": ("LANGUAGE_CODE",),
    "LANGUAGE": ("LANG_ID",),
    "CONSTRAINT": ("STEREOTYPE", "DESCRIPTION"),
    "CONTROLLED_VOCABULARY": ("CV_ID",),
}
"""Required attributes by element, in the order of the schema; the library fails without them."""

_IDS = ("TIME_SLOT_ID", "TIER_ID", "ANNOTATION_ID")
_DIVIDED = 0.8
"""The share of the recording that a tier of segments covers at least."""
_ANNOTATIONS = ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION")


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
        text = read_text(path)
        lines = _annotation_lines(text)
        eaf = _parsed(text)
        names = [name for name, tier in eaf.tiers.items() if tier[0]]
        times = [_ms(time) for time in eaf.timeslots.values() if time is not None]
        people = self._people(eaf, names, max(times, default=0), path, strict)
        if people is None:
            return chapters_corpus(
                path, _intervals(eaf, self._choose_tier(names), lines), end=max(times), exact=False, strict=strict
            )
        gathering = Gathering()
        for tier, who in people.items():
            chapters = _intervals(eaf, tier, lines)
            (document,) = chapters_corpus(path, chapters, end=max(times), exact=False, strict=strict)
            bare = dataclasses.replace(document, segmentation=None, extra={})
            gathering.add(bare, who, document.segmentation, place=f"tier {tier!r}")
        return Corpus(gathering.documents(), name=str(path), ids_are_given=False)

    def _people(self, eaf: Any, names: Sequence[str], end: int, path: Path, strict: bool) -> dict[str, str] | None:
        """Return the annotator of each tier that holds the segments of one; None if one tier holds the segments."""
        if not names or (self.tiers is None and (self.tier is not None or len(names) < 2 or any(map(is_usual, names)))):
            return None
        if self.tiers not in (None, "annotators"):
            chosen = [name.strip() for name in self.tiers.split("+")]
            names = [dataclasses.replace(self, tier=name)._choose_tier(names) for name in chosen]
        said = [str(eaf.tiers[name][2].get("ANNOTATOR") or "").strip() for name in names]
        signed = all(said) and len(set(said)) == len(said)
        people = dict(zip(names, said if signed else names, strict=True))
        if self.tiers is not None:
            return people
        if _all_divide(eaf, names, end, refine=signed):
            notice(f"read as annotators: {', '.join(people.values())} (tiers='annotators')", path, strict=strict)
            return people
        shown = ", ".join(f"{name!r} ({len(eaf.tiers[name][0])} annotations)" for name in names[:10])
        what = f"has the tiers {shown}{', …' if len(names) > 10 else ''}; choose one with tier={names[0]!r}"
        raise FormatError(f"{what}, or read each as the segments of an annotator with tiers='annotators'")

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the file."""
        pympi = library("pympi", "writing ELAN", "transcripts")
        (document,) = corpus
        eaf = pympi.Eaf(author="")
        name = self._written_tier
        eaf.add_tier(name)
        if name != "default":
            eaf.remove_tier("default")
        for chapter in chapters_of(document, needs_end=True):
            utf8(chapter.title)
            eaf.add_annotation(name, chapter.start, chapter.end, chapter.title)
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "made.eaf"
            eaf.to_file(str(target))
            yield target.read_bytes()


def _intervals(eaf: Any, tier: str, lines: Mapping[str, int]) -> list[Chapter]:
    """Return the annotations of a tier in order: those with a text, or all if none has one."""
    intervals: list[Chapter] = []
    for name, (start_slot, end_slot, label, *_) in eaf.tiers[tier][0].items():
        start, end = eaf.timeslots.get(start_slot), eaf.timeslots.get(end_slot)
        line = lines.get(name)
        if start is None or end is None:
            raise FormatError(f"an annotation of tier {tier!r} has no time; time-align it in ELAN", line=line)
        intervals.append(Chapter(_ms(start, line), _ms(end, line), label, line))
    return labelled(sorted(intervals))


def _all_divide(eaf: Any, names: Sequence[str], end: int, *, refine: bool) -> bool:
    """Return whether each tier covers nearly the whole time, as speakers cannot; none may ``refine`` another, as levels do."""
    starts: list[set[int]] = []
    for name in names:
        spans = [(chapter.start, chapter.end or 0) for chapter in _intervals(eaf, name, {})]
        if sum(stop - start for start, stop in spans) < _DIVIDED * end:
            return False
        starts.append({start for start, _ in spans[1:]})
    return refine or not any(one <= other for one, other in permutations(starts, 2))


def _annotation_lines(text: str) -> dict[str, int]:
    """Return the line of every annotation; refuse what makes the library fail or silently drop data."""
    if "<ANNOTATION_DOCUMENT" not in text:
        raise FormatError("is not an ELAN file: it has no ANNOTATION_DOCUMENT; check that it is the right file")
    refuse_dangers(text, "ELAN files do")
    found = elements(text)
    seen: dict[tuple[str, str], int] = {}
    lines: dict[str, int] = {}
    for place, element in enumerate(found):
        what = _fault(element)
        if what is None and element.tag in _ANNOTATIONS:
            after = found[place + 1] if place + 1 < len(found) else element
            if after.depth <= element.depth:
                what = f"{element.tag} has no ANNOTATION_VALUE"
            lines[element.attributes["ANNOTATION_ID"]] = element.line
        for key in _IDS if what is None else ():
            if key in _NEEDED.get(element.tag, ()):
                name = (key, element.attributes[key])
                if name in seen:
                    what = f"{key} {name[1][:30]!r} appears twice, first on line {seen[name]}"
                seen.setdefault(name, element.line)
        if what is not None:
            raise FormatError(f"{what}; open the file in ELAN and save it again", line=element.line)
    return lines


def _fault(element: Element) -> str | None:
    """Return what is wrong with the attributes of an element, or None."""
    lacking = [key for key in _NEEDED.get(element.tag, ()) if key not in element.attributes]
    if lacking:
        return f"{element.tag} has no {lacking[0]}"
    for key in ("TIME_SLOT_ID", "ANNOTATION_ID"):
        if key in _NEEDED.get(element.tag, ()) and not any(map(str.isdigit, element.attributes[key])):
            return f"{key} is {element.attributes[key][:30]!r}, but must contain a number"
    time = element.attributes.get("TIME_VALUE") if element.tag == "TIME_SLOT" else None
    if time is not None and not re.fullmatch(r"[0-9]{1,12}", time):
        return f"TIME_VALUE is {time[:30]!r}, but must be a time in milliseconds, at least 0"
    return None


def _parsed(text: str) -> Any:
    pympi = library("pympi", "reading ELAN", "transcripts")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.eaf"
        copy.write_bytes(text.encode("utf-8"))
        try:
            return pympi.Eaf(str(copy), suppress_version_warning=True)
        except Exception:
            raise FormatError("cannot be read as ELAN; open the file in ELAN and save it again") from None


def _ms(time: int, line: int | None = None) -> int:
    return milliseconds(time / 1000, "a time", line)
