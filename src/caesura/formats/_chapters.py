# SPDX-License-Identifier: Apache-2.0
"""Documents made of chapters: tiers and transcripts, and lists of chapters, which must follow rules or are repaired.

Chapters give a segmentation in milliseconds: ``n`` chapters are ``n`` segments, with a boundary at the start of every chapter
but the first. If a chapter ends before the next one starts, the hole belongs to the earlier chapter; in a tier, time before
the first interval belongs to the first. One warning reports holes and overlaps of more than a second, with the largest.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import check_output, stem, write_together
from caesura.formats._base import EMPTY, FORMATS, Format, Irregular
from caesura.formats._files import notice, plural, positions
from caesura.formats._timed import Chapter, Cue, clock
from caesura.segmentation import Segmentation
from caesura.units.quantity import as_time

_SLACK = 1000


@dataclasses.dataclass(frozen=True)
class ChapterFormat(Format):
    """A format of chapter lists in time, which is only read."""

    unit: ClassVar[str | None] = "ms"
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "open_ended", "segment_titles"})


class ChapterList(NamedTuple):
    """The chapters of one recording as a file gives them, with its end if the file has it.

    ``id`` is None if the document is named after its file; ``faults`` are entries that could not be read; ``locate``
    finds the line of a position (see `positions`).
    """

    chapters: Sequence[Chapter]
    end: int | None = None
    id: str | None = None
    faults: Sequence[FormatError] = ()
    locate: Callable[[int], int | None] | None = None


def chapters_corpus(
    path: Path,
    chapters: Sequence[Chapter],
    *,
    end: int | None = None,
    exact: bool = True,
    strict: bool = False,
    holes: bool = True,
    name: str | None = None,
) -> Corpus:
    """Return the corpus of one tier or transcript, as chapters ordered by their starts.

    The recording ends at ``end``, by default at the last end of a chapter; without either the document is open-ended.
    If the end is not ``exact``, it is the minimum length, and the document is open-ended too. Holes and overlaps are
    reported if ``holes`` is set. ``name`` is the id, by default the name of the file.
    """
    if not chapters:
        raise FormatError("contains no chapter; check that it is the right file")
    repeated = sum(after.start == before.start for before, after in pairwise(chapters))
    distinct, length, faults = _mended(chapters, end)
    hard = [fault for fault in faults if fault.rule != _TWICE]
    if hard:
        raise FormatError(hard[0].message, line=hard[0].line)
    if repeated:
        message = f"{plural(repeated, 'chapter', 'chapters')} with the same start as the previous one ignored"
        notice(message, path, strict=strict, line=faults[0].line if strict else None)
    if holes:
        _tell_holes(chapters, path, strict)
    document = _document(stem(path) if name is None else name, distinct, length, exact=exact)
    return Corpus([document], name=str(path), ids_are_given=name is not None)


def chapter_lists(path: Path, lists: Sequence[ChapterList], *, strict: bool = False, numbered: bool = False) -> Corpus:
    """Return the corpus of a file of chapter lists, one document each; raise `Irregular` if a list breaks the rules.

    Chapters begin at 0, in order, each at a time of its own and before the end of the recording. The ids are ``numbered``
    if the file has none.
    """
    documents: list[Document] = []
    first: tuple[str, int | None] | None = None
    for each in lists:
        name = stem(path) if each.id is None else each.id
        chapters, length, faults = _mended(each.chapters, each.end, each.faults, starts_at_zero=True)
        documents.append(_document(name, chapters, length, faults=faults))
        if not faults:
            with positions(each.locate or int):
                _tell_holes(each.chapters, path, strict)
        elif first is None:
            message, line, *_ = faults[0]
            line = line if line is None or each.locate is None else each.locate(line)
            first = message if each.id is None else f"{name!r}: {message}", line
    if not documents:
        raise FormatError("contains no chapter; check that it is the right file")
    corpus = Corpus(documents, name=str(path), ids_are_given=lists[0].id is not None and not numbered)
    if first is not None:
        raise Irregular(first[0], corpus, first[1])
    return corpus


def nothing(path: Path) -> Corpus:
    """Return the repaired corpus of an empty list of chapters: one segment of unknown length."""
    try:
        return chapter_lists(path, [ChapterList(())])
    except Irregular as error:
        return error.corpus


class _Fault(NamedTuple):
    """What is wrong with a list of chapters, the line, the rule that repairs it, and its kind with every place."""

    message: str
    line: int | None
    rule: str
    kind: str
    places: Sequence[str] = ()


_TWICE = "of chapters with the same start, the first kept"


def _mended(
    given: Sequence[Chapter], end: int | None, unread: Sequence[FormatError] = (), *, starts_at_zero: bool = False
) -> tuple[list[Chapter], int | None, list[_Fault]]:
    """Return chapters with increasing starts before the end, the end if it is known, and what was wrong."""
    faults = [
        _Fault(
            str(each),
            each.line,
            f"{plural(len(unread), 'entry', 'entries')} left out",
            "unread",
            [f"line {one.line}" if one.line else "" for one in unread],
        )
        for each in unread[:1]
    ]
    if not given:
        what = "contains no chapter: no time such as 02:15 was found; write at least one, such as 00:00 Intro"
        return [Chapter(0, None, "")], end, [*faults, _Fault(what, None, EMPTY, "empty")]
    for number, (before, after) in enumerate(pairwise(given), start=2):
        if after.start < before.start:
            what = (
                f"chapter {number} starts at {clock(after.start)}, before chapter {number - 1} at {clock(before.start)}"
            )
            early = [later for earlier, later in pairwise(given) if later.start < earlier.start]
            rule = "sorted by start"
            faults.append(_Fault(f"{what}; chapters must be in order", after.line, rule, "order", _times(early)))
            break
    for number, chapter in enumerate(given, start=1):
        if chapter.end is not None and chapter.end < chapter.start:
            what = f"chapter {number} ends at {clock(chapter.end)}, before it starts at {clock(chapter.start)}"
            wrong = [one for one in given if one.end is not None and one.end < one.start]
            rule = "ends before starts ignored"
            faults.append(_Fault(f"{what}; correct its times", chapter.line, rule, "ends", _times(wrong)))
            break
    chapters = sorted(given, key=lambda chapter: chapter.start)
    ends = [chapter.end for chapter in chapters if chapter.end is not None and chapter.end >= chapter.start]
    length = end if end is not None else max(ends) if ends and chapters[-1].end is not None else None
    again = [after for before, after in pairwise(chapters) if after.start == before.start]
    if again:
        what = f"several chapters start at {clock(again[0].start)}"
        what = f"{what}; give each a time of its own"
        faults.append(_Fault(what, again[0].line, _TWICE, "twice", _times(again)))
        chapters = [chapters[0], *(after for before, after in pairwise(chapters) if after.start > before.start)]
    late = [chapter for chapter in chapters if length is not None and chapter.start >= length]
    if late and length is not None:
        last = late[-1]
        what = f"the last chapter starts at {clock(last.start)}, but the recording ends at {clock(length)}"
        rule = f"{plural(len(late), 'chapter', 'chapters')} after the end left out"
        faults.append(_Fault(f"{what}; correct one of the times", last.line, rule, "late", _times(late)))
        chapters = chapters[: -len(late)] or [Chapter(0, None, "")]
    if starts_at_zero and chapters[0].start >= _SLACK:
        begins = clock(chapters[0].start)
        what = f"the first chapter starts at {begins}; add one at 0:00"
        rule = f"a segment before the first chapter, at {begins}, added"
        faults.append(_Fault(what, chapters[0].line, rule, "start", _times(chapters[:1])))
        chapters = [Chapter(0, None, ""), *chapters]
    return chapters, length, faults


def _times(chapters: Sequence[Chapter]) -> list[str]:
    return [as_time(chapter.start / 1000) for chapter in chapters]


def _document(
    name: str, chapters: Sequence[Chapter], length: int | None, *, exact: bool = True, faults: Sequence[_Fault] = ()
) -> Document:
    extra: dict[str, object] = {"segment_titles": [chapter.title for chapter in chapters]}
    if faults:
        extra["repaired"] = "; ".join(fault.rule for fault in faults)
        extra["faults"] = {fault.kind: list(fault.places) for fault in faults}
    n_units = chapters[-1].start + 1 if length is None else length
    return Document(
        id=name,
        n_units=n_units,
        segmentation=Segmentation(n_units, [chapter.start for chapter in chapters[1:]], unit="ms"),
        unit="ms",
        open_ended=length is None or not exact,
        extra=extra,
    )


def _tell_holes(chapters: Sequence[Chapter], path: Path, strict: bool) -> None:
    """Report holes and overlaps of more than a second, each kind with its largest."""
    steps = [(chapters[0].start, chapters[0].line)]
    for before, after in pairwise(chapters):
        if before.end is not None:
            steps.append((after.start - before.end, after.line))
    holes = [(step, line) for step, line in steps if step > _SLACK]
    overlaps = [(-step, line) for step, line in steps if step < -_SLACK]
    to_whom = "a hole belongs to the chapter before it (before the first chapter, to the first)"
    for sizes, one, many, rule in (
        (holes, "a hole", "holes", to_whom),
        (overlaps, "an overlap", "overlaps", "a chapter ends where the next one starts"),
    ):
        if sizes:
            several = f"{len(sizes)} {many} between chapters, the largest of"
            what = f"{one} between chapters, of" if len(sizes) == 1 else several
            largest, line = max(sizes, key=lambda size: size[0])
            # The warning covers all of them, so only an error points to one line.
            message = f"{what} {largest / 1000:g} s; {rule}"
            notice(message, path, strict=strict, line=line if strict else None)


def chapters_of_cues(path: Path, cues: Sequence[Cue], titles: Mapping[int, str], *, strict: bool) -> Corpus:
    """Return the corpus of a transcript as chapters; ``titles`` maps the first cue of each chapter to its title."""
    chapters = [Chapter(cues[first].start, None, title, cues[first].line) for first, title in titles.items()]
    end = max(cue.end for cue in cues)
    return chapters_corpus(path, chapters, end=end, exact=False, strict=strict, holes=False)


def save_each(
    corpus: Corpus,
    folder: str | os.PathLike[str],
    format: str = "podcast",  # noqa: A002
    *,
    overwrite: bool = True,
) -> list[Path]:
    """Write each document to a file of a folder, named after its id, in a format of one document, all or none; return the paths."""
    chosen = FORMATS.parse(format)
    paths: dict[str | Path, bytes] = {}
    for document in corpus:
        plain = re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|]+', "-", document.id).strip(". ")[:200] or "show"
        names = itertools.chain([plain], (f"{plain}-{number}" for number in itertools.count(2)))
        path = next(path for name in names if (path := Path(folder) / f"{name}{chosen.suffixes[0]}") not in paths)
        check_output(path, overwrite=overwrite)
        paths[path] = b"".join(chosen.encode(Corpus([document])))
    Path(folder).mkdir(parents=True, exist_ok=True)
    write_together({**paths})
    return list(map(Path, paths))
