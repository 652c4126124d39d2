# SPDX-License-Identifier: Apache-2.0
"""Chapters in JSON, of one recording or of many: yt-dlp, ffprobe, AssemblyAI, language models, and the chapter benchmarks."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem, suffix
from caesura.formats._base import FORMATS, Sample
from caesura.formats._chapters import ChapterFormat, ChapterList, chapter_lists
from caesura.formats._files import faults, filled_lines, read_text
from caesura.formats._json import json_line, json_object, read_json, top_keys
from caesura.formats._jsonl_line import OWN_KEYS
from caesura.formats._timed import Chapter, parse_clock, time_in_ms

__all__ = ["ChapterJson"]

_STARTS = ("start_time", "startTime", "start", "start_seconds", "start_sec", "time", "timestamp", "begin", "segment")
_ENDS = ("end_time", "endTime", "end", "end_seconds", "end_sec", "stop")
_TITLES = (
    "title", "headline", "chapter_title", "name", "label", "heading", "sentence", "gist", "chapter", "topic", "summary",
)  # fmt: skip
_LISTS = ("chapters", "timestamps", "starts", "reference", "hypothesis")
_TITLE_LISTS = ("sentences", "titles", "labels")
_LENGTHS = ("duration", "audio_duration", "length_seconds")
_IDS = ("id", "video_id", "episode_id", "episode", "video", "audio")
_WRAPPERS = ("results", "database")
_LINES = (".jsonl", ".ndjson")
_SIDES = ("reference", "hypothesis")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class ChapterJson(ChapterFormat):
    """Chapters in JSON: a list of objects with a start, perhaps an end, and a title, of one recording or of many.

    Read are yt-dlp (``*.info.json``), ffprobe (``-show_chapters -show_format``), AssemblyAI, Podlove simple chapters, what
    language models write (``[{"start": "00:46", "title": "…"}]``, ``{"00:46": "…"}``), the references and predictions of
    VidChapters, ``chapters.json`` of Chapter-Llama, and the records of chunkseg, of which ``side`` chooses the reference or
    the hypothesis. Times are seconds or clock times (AssemblyAI: milliseconds). A ``duration`` is the length; without it the
    recording ends with the last chapter, if that has an end. ``{id: list}``, a list of records with ids, and JSON lines hold
    many recordings.
    """

    card: ClassVar[Card] = Card(
        title="chapters in JSON: yt-dlp, ffprobe, AssemblyAI, language models, VidChapters, chunkseg"
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl", ".ndjson")
    sample: ClassVar[Sample] = {"chapter_json": (120_000, 480_000, 300_000)}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = ChapterFormat.keeps | {"ids"}

    side: str | None = param(None, "which list of a record of chunkseg is read [asked]", choices=(None, *_SIDES))

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first keys are those of a list of chapters, or of the programs that write one."""
        start = head.strip()
        if start in (b"[]", b"{}"):
            return True
        keys = top_keys(start.removeprefix(b"[").lstrip())
        if keys & OWN_KEYS or "segments" in keys:
            return False
        if start.startswith(b"[") or suffix(path) in _LINES:
            titled = keys & {"title", "headline", "chapter_title", "name", "sentence"}
            others = keys & {"text", "annotations"}
            return bool(keys & set(_STARTS) and titled and not others) or _is_record(keys)
        if "chapters" in keys:
            return b'"startTime"' not in head and any(f'"{key}"'.encode() in head for key in (*_STARTS, "duration"))
        # yt-dlp and AssemblyAI write their chapters far behind the start of the file.
        known = path.name.endswith(".info.json") or {"id", "formats"} <= keys or {"acoustic_model", "words"} <= keys
        inner = top_keys(start, 2) | top_keys(start, 3) | top_keys(start, 4)
        times = bool(keys) and all(parse_clock(key) is not None for key in keys)
        return known or times or _is_record(keys) or (_is_record(inner) or {"timestamp", "sentence"} <= inner)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        lists = list(self._lists(path))
        numbered = [each.id for each in lists] == [str(place) for place in range(1, len(lists) + 1)]
        return chapter_lists(path, lists, strict=strict, numbered=numbered)

    def _lists(self, path: Path) -> Iterator[ChapterList]:
        if suffix(path) in _LINES:
            for place, (number, line) in enumerate(filled_lines(read_text(path)), start=1):
                with faults(line=number):
                    record = json_object(line, "write one record of a recording on each line")
                    yield self._list(record, _name(record, str(place)), lambda _, number=number: number)
            return
        content = read_json(path, Any)
        steps: tuple[str | int, ...] = ()
        for wrapper in _WRAPPERS:
            if isinstance(content, dict) and isinstance(content.get(wrapper), dict):
                content, steps = content[wrapper], (*steps, wrapper)
        many: list[tuple[str | int, str, object]] = []
        if isinstance(content, dict) and not set(_LISTS) & content.keys() and not _are_times(content):
            many = [(key, key, value) for key, value in content.items() if isinstance(value, (dict, list))]
        elif isinstance(content, list) and all(isinstance(each, dict) and _is_record(each.keys()) for each in content):
            many = [(place, _name(each, str(place + 1)), each) for place, each in enumerate(content)]
        if many:
            for step, name, value in many:
                yield self._list(value, name, functools.partial(json_line, path, *steps, step))
        else:
            yield self._list(content, None, functools.partial(json_line, path, *steps))

    def _list(self, value: object, name: str | None, locate: Callable[..., int | None]) -> ChapterList:
        """Return the chapters of one recording."""
        entries, end = value, None
        key: tuple[str, ...] = ()
        titles: Sequence[object] = ()
        if isinstance(value, dict) and not _are_times(value):
            chosen = self._key(value)
            entries, key = value[chosen] or [], (chosen,)
            titles = next((value[name] for name in _TITLE_LISTS if isinstance(value.get(name), list)), ())
            if chosen in _SIDES:
                pairs = value.get("reference_titles" if chosen == "reference" else "hyp_titles") or ()
                titles = [pair[0] if isinstance(pair, list) and pair else pair for pair in pairs]
            end = _length(value)
        if isinstance(entries, dict):
            entries = [{"start": start, "title": title} for start, title in entries.items()]
        if not isinstance(entries, list):
            where = f"{name!r}: " if name else ""
            raise FormatError(
                f'{where}its chapters are no list; write [{{"start": 0, "title": "…"}}, …]', line=locate()
            )
        chapters: list[Chapter] = []
        unread: list[FormatError] = []
        for place, entry in enumerate(entries):
            try:
                title = titles[place] if place < len(titles) else ""
                chapters.append(_chapter(entry, title, place))
            except FormatError as error:
                unread.append(error)
        return ChapterList(chapters, end, name, unread, lambda place: locate(*key, place))

    def _key(self, record: Mapping[str, object]) -> str:
        """Return the key of the list of chapters; of a record with two, the chosen one."""
        found = [key for key in _LISTS if key in record]
        if not found:
            shown = ", ".join(map(repr, list(record)[:8]))
            raise FormatError(f"has no list of chapters; its keys are {shown}; name the list 'chapters'")
        if set(_SIDES) <= set(found):
            if self.side is None:
                sizes = " and ".join(
                    f"{len(listed)} in {key!r}" for key in _SIDES if isinstance(listed := record[key], list)
                )
                raise FormatError(
                    f"holds two lists of each recording ({sizes} in the first); choose one: "
                    "FILE::chapter_json(side='reference') or FILE::chapter_json(side='hypothesis')"
                )
            return self.side
        return found[0]


def _is_record(found: Iterable[str]) -> bool:
    """Return whether the keys are those of one recording of many."""
    keys = set(found)
    listed = {"timestamps", "sentences"} <= keys or {"starts", "titles"} <= keys or {"segment", "title"} <= keys
    return (
        listed
        or {"chapters", "duration"} <= keys
        or {"reference", "hypothesis", "duration"} <= keys
        or ("chapters" in keys and bool(keys & set(_IDS)))
    )


def _are_times(content: Mapping[str, object]) -> bool:
    """Return whether an object maps times to titles."""
    return bool(content) and all(parse_clock(key) is not None for key in content)


def _name(record: Mapping[str, object], other: str) -> str:
    """Return the id of a record; an audio file gives its name."""
    key = next((key for key in _IDS if isinstance(record.get(key), (str, int))), None)
    return other if key is None else stem(str(record[key])) if key == "audio" else str(record[key])


def _length(record: Mapping[str, object]) -> int | None:
    """Return the length of the recording, if the record has it; ffprobe has it below ``format``."""
    inner = record.get("format")
    known = {**(inner if isinstance(inner, dict) else {}), **record}
    for key in _LENGTHS:
        if isinstance(known.get(key), (int, float, str)) and known[key]:
            return time_in_ms(known[key], key)
    return None


def _chapter(entry: object, title: object, place: int) -> Chapter:
    """Return a chapter given as an object, as [start, end], or as its start."""
    start, end, factor = entry, None, 1000
    if isinstance(entry, dict):
        start, end = (
            next((entry[key] for key in keys if entry.get(key) is not None), None) for keys in (_STARTS, _ENDS)
        )
        if start is None:
            shown = ", ".join(map(repr, list(entry)[:8])) or "none"
            raise FormatError(f"chapter {place + 1} has no start; its keys are {shown}; add 'start'", line=place)
        tags = entry.get("tags")
        named = {**(tags if isinstance(tags, dict) else {}), **entry}
        title = next((named[key] for key in _TITLES if isinstance(named.get(key), (str, int))), title)
        factor = 1 if {"gist", "headline"} <= entry.keys() else 1000  # AssemblyAI counts milliseconds
    if isinstance(start, list) and len(start) == 2:
        start, end = start
    what = f"the start of chapter {place + 1}"
    start = time_in_ms(start, what, place, factor=factor)
    end = None if end is None else time_in_ms(end, what.replace("start", "end"), place, factor=factor)
    return Chapter(start, end, str(title or ""), place)
