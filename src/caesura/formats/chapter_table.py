# SPDX-License-Identifier: Apache-2.0
"""Tables of times: chapters with start and title, markers of Premiere, labels of Audacity, and Whisper's transcripts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists
from caesura.formats._files import notice, read_raw_text
from caesura.formats._roles import NAMES, folded
from caesura.formats._tables import delimiter_of, table_rows
from caesura.formats._timed import Chapter, Cue, cues_corpus, is_time, time_in_ms

__all__ = ["ChapterTable", "frames_notice"]

_ROLES = {
    "start": (
        "start", "start_time", "starttime", "time", "timestamp", "timecode", "begin", "in", "start_seconds", "start_s", "start_ms",
    ),
    "end": ("end", "end_time", "endtime", "stop", "out", "end_seconds", "end_s", "end_ms"),
    "title": ("title", "chapter", "chapter_title", "marker_name", "name", "headline", "heading"),
    "more": ("description",),
    "doc": tuple(name for name in NAMES["doc"] if name != "id"),
}  # fmt: skip
_CODED = {*NAMES["label"], *NAMES["boundary"], *NAMES["masses"], *NAMES["bits"], *NAMES["text"]}
_WHISPER = ["start", "end", "text"]
_FRAMES = re.compile(r"[0-9]+:[0-9]+:[0-9]+[:;]0*[1-9]")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class ChapterTable(Format):
    """Tables (CSV, TSV) of chapters: a column ``start`` (or time, timestamp, in), perhaps an ``end`` (out), and a ``title``.

    Times are seconds, mm:ss or hh:mm:ss; columns named ``start_ms`` and ``end_ms`` count milliseconds. A column that names
    the recording (video_id, episode, file …) makes each a document. Markers as Premiere exports them are read, and tables
    without a first row of names: labels of Audacity (start, end, label) and start, title. Frames of timecodes
    (00:01:02:12) are read if ``fps`` is given, and otherwise left out, with a note. Whisper's own TSV (start, end, text) is a
    transcript: its rows are units named ``cue``.
    """

    card: ClassVar[Card] = Card(
        title="tables of chapters: start and title, Premiere markers, Audacity labels, Whisper's TSV"
    )
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv", ".txt")
    sample: ClassVar[Sample] = {"chapter_table": (120_000, 480_000, 300_000)}
    writable: ClassVar[bool] = False
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "open_ended", "segment_titles"})

    fps: float | None = param(None, "frames per second of timecodes such as 00:01:02:12", positive=True)

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first row names a start and a title, or the rows begin with times."""
        lines = [line for line in head.decode("utf-8", "replace").splitlines()[:20] if line.strip(" \t\\")]
        rows = [line.split(delimiter_of(lines[0])) for line in lines[:2]] if lines else []
        if not rows or len(rows[0]) < 2 or (suffix(path) == ".txt" and "\t" not in lines[0]):
            return False
        header = [folded(cell.strip(' "')) for cell in rows[0]]
        if header == _WHISPER:
            return "\t" in lines[0] and (len(rows) < 2 or all(cell.strip().isdigit() for cell in rows[1][:2]))
        if is_time(rows[0][0].strip('" ')):
            return not is_time(rows[0][-1].strip('" ')) and bool(
                re.search(r"[^\W\d_]", rows[0][-1]) or len(rows[0]) == 3
            )
        places = _places(header)
        if not {"start", "title"} <= places.keys() or set(header) & _CODED:
            return False
        return len(rows) < 2 or len(rows[1]) <= places["start"] or is_time(rows[1][places["start"]].strip('" '))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        rows = list(_rows(read_raw_text(path)))
        header = [folded(cell.strip(' "')) for cell in rows[0][1]]
        if header == _WHISPER:
            return cues_corpus(path, [_cue(row, line) for line, row in rows[1:]])
        places = _places(header)
        if is_time(rows[0][1][0]):
            places = {"start": 0, "title": 1} if len(header) == 2 else {"start": 0, "end": 1, "title": 2}
        else:
            rows = rows[1:]
        if not {"start", "title"} <= places.keys():
            lacking = "start" if "start" not in places else "title"
            raise FormatError(f"no column is named {lacking}; the columns are {', '.join(header)}; name one so", line=1)
        found: dict[str | None, tuple[list[Chapter], list[FormatError]]] = {} if "doc" in places else {None: ([], [])}
        for line, row in rows:
            cells = {role: row[place].strip() if place < len(row) else "" for role, place in places.items()}
            chapters, unread = found.setdefault(cells.get("doc"), ([], []))
            try:
                chapters.append(self._chapter(cells, header, line))
            except FormatError as error:
                unread.append(error)
        frames_notice((cell for _, row in rows for cell in row), self.fps, path, strict)
        lists = [ChapterList(chapters, None, name, unread) for name, (chapters, unread) in found.items()]
        return chapter_lists(path, lists, strict=strict)

    def _chapter(self, cells: dict[str, str], header: Sequence[str], line: int) -> Chapter:
        factor = 1 if "start_ms" in header else 1000
        start = time_in_ms(cells["start"], "the start of a chapter", line, factor=factor, fps=self.fps)
        end = None
        if cells.get("end"):
            end = time_in_ms(cells["end"], "the end of a chapter", line, factor=factor, fps=self.fps)
        # A label of Audacity or a marker without a length is a point, whose end says nothing.
        return Chapter(start, None if end == start else end, cells["title"] or cells.get("more", ""), line)


def frames_notice(cells: Iterator[str], fps: float | None, path: Path, strict: bool) -> None:
    """Say that frames were left out, if there are any and their rate is not known."""
    if fps is None and any(_FRAMES.match(cell.strip()) for cell in cells):
        notice("times have frames, left out since their rate is unknown; give it with fps=25", path, strict=strict)


def _places(header: Sequence[str]) -> dict[str, int]:
    """Return the column of each role, the first that has one of its names."""
    found = {role: [header.index(name) for name in names if name in header] for role, names in _ROLES.items()}
    return {role: places[0] for role, places in found.items() if places}


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the filled rows with their lines; Audacity writes a second line, which begins with a backslash, for a frequency range."""
    first = text.lstrip().partition("\n")[0]
    mark = delimiter_of(first)
    plain = mark == "\t" and is_time(first.split(mark)[0])
    for line, row in table_rows(text, mark, quoted=not plain):
        if any(cell.strip() for cell in row) and row[0] != "\\":
            yield line, row


def _cue(row: Sequence[str], line: int) -> Cue:
    if len(row) != len(_WHISPER) or not all(re.fullmatch(r"[0-9]{1,12}", cell.strip()) for cell in row[:2]):
        raise FormatError("is not start, end and text, with times in milliseconds; write the file again", line=line)
    return Cue(int(row[0]), int(row[1]), row[2].strip(), "", line)
