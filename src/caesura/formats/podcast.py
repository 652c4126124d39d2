# SPDX-License-Identifier: Apache-2.0
"""Podcasting 2.0 chapters: a JSON list of start times and titles."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists
from caesura.formats._files import notice, plural, positions
from caesura.formats._json import json_file, json_line, read_json, top_keys
from caesura.formats._timed import Chapter, chapters_of, time_in_ms
from caesura.formats.chapter_json import ChapterJson

__all__ = ["Podcast"]


class _Entry(msgspec.Struct, rename="camel"):
    start_time: float | str
    end_time: float | str | None = None
    title: str | None = None
    toc: bool = True


class _File(msgspec.Struct):
    chapters: list[_Entry]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Podcast(Format):
    """Podcasting 2.0 chapters (JSON): ``{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Intro"}, …]}``.

    The unit is the millisecond. If the last chapter has an ``endTime``, the document ends there; otherwise its length is
    unknown, and a comparison uses the length of the other side. Entries with ``"toc": false`` change a picture or a link
    and are not chapters of the table of contents: they are ignored with a warning that counts them, unless ``hidden``
    is set.
    """

    card: ClassVar[Card] = Card(
        title="Podcasting 2.0 chapters (JSON)", citation="Podcast Index, JSON Chapters Format, version 1.2 (2021)."
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    sample: ClassVar[Sample] = {"podcast": (120_000, 480_000, 300_000)}
    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "open_ended", "segment_titles"})

    hidden: bool = param(False, 'whether to read entries with "toc": false as chapters')

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether there are chapters that other programs would not write."""
        return "chapters" in top_keys(head) and not ChapterJson.sniff(head, path)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        entries = read_json(path, _File).chapters
        shown = [(place, entry) for place, entry in enumerate(entries) if entry.toc or self.hidden]
        if len(shown) < len(entries):
            hidden = plural(len(entries) - len(shown), "entry", "entries")
            notice(f'{hidden} with "toc": false ignored', path, strict=strict)
        locate = functools.partial(json_line, path, "chapters")
        with positions(locate):
            chapters = [_chapter(entry, number, place) for number, (place, entry) in enumerate(shown, start=1)]
        return chapter_lists(path, [ChapterList(chapters, locate=locate)], strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the JSON."""
        (document,) = corpus
        entries: list[dict[str, object]] = [
            {"startTime": chapter.start / 1000, "title": chapter.title}
            for chapter in chapters_of(document, needs_end=False)
        ]
        if not document.open_ended:
            entries[-1]["endTime"] = document.n_units / 1000
        yield json_file({"version": "1.2.0", "chapters": entries})


def _chapter(entry: _Entry, number: int, place: int) -> Chapter:
    start = time_in_ms(entry.start_time, f"startTime of chapter {number}", place)
    end = None if entry.end_time is None else time_in_ms(entry.end_time, f"endTime of chapter {number}", place)
    return Chapter(start, end, entry.title or "", place)
