# SPDX-License-Identifier: Apache-2.0
"""Label Studio's JSON export: tasks with the annotations of several annotators."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import DATES, SECONDS, TITLES, Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._annotators import Gathering, sole
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import faults, plural
from caesura.formats._json import json_file, json_line, top_keys
from caesura.formats._jsonl_line import OWN_KEYS
from caesura.formats._label_studio_tasks import (
    DIALOGUE_KIND,
    KEPT,
    KINDS,
    MIN_KEY,
    TEXT_KINDS,
    TITLE,
    UNIT,
    Annotation,
    Task,
    read_tasks,
    written_task,
)
from caesura.formats._roles import NAMES
from caesura.formats._spans import Layout, Span, SpanFormat, Tally, layout, trimmed

__all__ = ["LabelStudio"]

_IDS = (*(name for name in NAMES["doc"] if name != "id"), "name", "title", "id")
"""Keys of data that may name the document; a number called ``id`` says the least."""
_SPEAKERS = ("author", "speaker", "name", "role")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class LabelStudio(SpanFormat):
    """Label Studio's JSON export: a list of tasks, each with ``data`` and the ``annotations`` of several annotators; also JSON-MIN.

    In a text, regions of type ``labels`` or ``hypertextlabels`` are read, from ``start`` to ``end`` in characters. In a
    dialogue, regions of type ``paragraphlabels`` are read, from paragraph ``start`` to paragraph ``end``; there the units
    are the paragraphs with their speakers, regardless of ``unit``. The annotator is the e-mail address or number in
    ``completed_by``. Cancelled annotations (skipped tasks) are ignored and counted; predictions are not read. An
    annotation without regions is one whole segment. The document id is the key of ``data`` named by ``id``, or else a usual
    key (``id``, ``name``, ``file``, ``meeting`` …) that differs in all tasks, or else the task id. The dates of the annotations
    are kept as ``annotated_at``, the time they took as ``annotator_seconds``.

    Written are tasks to import: each unit is a paragraph of a dialogue, each segment a region over whole paragraphs with the
    label "Segment" (or "Major", in a project with two levels), its title a text area of the region. Units, speakers, boundaries of all
    annotators, titles, dates and time are read back. A sole segmentation without annotators gets the annotator 1.
    """

    card: ClassVar[Card] = Card(
        title="Label Studio's JSON and JSON-MIN exports, with several annotators",
        citation="HumanSignal, Label Studio documentation, 'Label Studio JSON format of annotated tasks'.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    sample: ClassVar[Sample] = {"1": {"ann@example.org": (2, 1), "ben@example.org": (1, 2)}}
    writable: ClassVar[bool] = True
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = SpanFormat.keeps | {"ids", "speakers", "segmentation"}

    label: str | None = param(None, "the label of the regions to read [all]")
    field: str | None = param(None, "the key of data that holds the text, if there are several")
    id: str | None = param(None, "the key of data that names the document [a usual one that differs in all tasks]")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file holds tasks."""
        if head.lstrip().startswith(b"["):
            keys = top_keys(head.lstrip()[1:])
            return MIN_KEY in keys or (bool(keys & {"annotations", "completions"}) and b'"result"' in head)
        keys = top_keys(head)
        return {"data", "annotations"} <= keys and not keys & OWN_KEYS

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        tasks = read_tasks(path)
        if not tasks:
            raise FormatError("the file contains no task; export the project again")
        gathering = Gathering()
        tally = Tally()
        cancelled = 0
        key = self.id or _usual_key([task for _, task in tasks])
        for number, (place, task) in enumerate(tasks, start=1):
            locate = functools.partial(json_line, path, *([] if place is None else [place]))
            name = number if task.id is None else task.id
            if key is not None:
                with faults(line=locate):
                    name = _name(task, key, name)
            cancelled += self._read_task(task, str(name), locate, gathering, tally)
        if cancelled:
            what = plural(cancelled, "cancelled annotation", "cancelled annotations")
            tally.others.append(f"{what} ignored")
        ids_are_given = key is not None or all(task.id is not None for _, task in tasks)
        corpus = Corpus(gathering.documents(), name=str(path), ids_are_given=ids_are_given)
        self.finish(tally, corpus.unit, path, strict)
        return corpus

    def _read_task(
        self, task: Task, name: str, locate: Callable[..., int | None], gathering: Gathering, tally: Tally
    ) -> int:
        """Gather the annotations of a task, and return how many were cancelled; ``locate`` finds the line of a part."""
        key = "completions" if task.annotations is None else "annotations"
        annotations: list[Annotation] | None = getattr(task, key)
        with faults(line=locate):
            if annotations is None:
                raise FormatError(f"task {name!r} has no annotations; export the project as JSON or JSON-MIN")
            valid = [(n, annotation) for n, annotation in enumerate(annotations) if not annotation.was_cancelled]
            document, places, text = self._document(task, name, [annotation for _, annotation in valid])
            dates = {_annotator(each, name): each.created_at for _, each in valid if isinstance(each.created_at, str)}
            seconds = {
                _annotator(each, name): each.lead_time for _, each in valid if isinstance(each.lead_time, (int, float))
            }
            titles = {_annotator(each, name): _titles(each) for _, each in valid}
            said = {DATES: dates, SECONDS: seconds, TITLES: {who: found for who, found in titles.items() if found}}
            document = dataclasses.replace(document, extra={key: values for key, values in said.items() if values})
            if not valid:
                gathering.add(document, None, None)
        for number, annotation in valid:
            with faults(line=functools.partial(locate, key, number)):
                who = _annotator(annotation, name)
                spans = list(self._spans(annotation, places, text, f"task {name!r}, annotator {who!r}"))
                coding = self.segmented(spans, places, tally)
                gathering.add(document, who, coding, place=f"annotation {annotation.id!r}")
        return len(annotations) - len(valid)

    def _document(self, task: Task, name: str, annotations: Sequence[Annotation]) -> tuple[Document, Layout, str]:
        """Return the document of a task, its units, and the text that contains them."""
        types = {region.type for annotation in annotations for region in annotation.result or ()}
        value = task.data[self._key(task, name, types)]
        if isinstance(value, str):
            places, speakers, text = layout(value, self.unit), None, value
        else:
            turns = [_turn(turn, number, name) for number, turn in enumerate(value)]
            text = "\n".join(utterance for utterance, _ in turns)
            starts = itertools.accumulate((len(utterance) + 1 for utterance, _ in turns), initial=0)
            units = tuple(utterance for utterance, _ in turns)
            spans = [Span(start, start + len(unit)) for start, unit in zip(starts, units, strict=False)]
            named = any(speaker for _, speaker in turns)
            speakers = tuple(speaker for _, speaker in turns) if named else None
            unit = task.data.get(UNIT)
            if not isinstance(unit, str) or not unit:
                unit = "turn" if named else "paragraph"
            places = Layout(unit, spans, units)
        if not places.spans:
            raise FormatError(f"task {name!r} has no text; delete it, or name the key of the text with field='…'")
        document = Document(id=name, n_units=len(places.spans), unit=places.unit, units=places.units, speakers=speakers)
        return document, places, text

    def _key(self, task: Task, name: str, types: set[str]) -> str:
        """Return the key of the data that holds the annotated text."""
        texts = [key for key, value in task.data.items() if isinstance(value, str)]
        dialogues = [key for key, value in task.data.items() if isinstance(value, list) and value]
        wanted = dialogues if DIALOGUE_KIND in types else texts if types & set(TEXT_KINDS) else dialogues or texts
        if self.field is not None:
            wanted = [key for key in (*texts, *dialogues) if key == self.field]
        elif "text" in wanted:
            return "text"
        if len(wanted) == 1:
            return wanted[0]
        there = ", ".join(repr(key)[:30] for key in list(task.data)[:10]) or "nothing"
        raise FormatError(f"task {name!r}: data has {there}; name the key of the text with field='…'")

    def _spans(self, annotation: Annotation, places: Layout, text: str, where: str) -> Iterator[Span]:
        """Yield the segments' regions, in characters of the text."""
        for number, region in enumerate(annotation.result or (), start=1):
            if region.type not in KINDS:
                continue
            labels = region.value.get(region.type)
            names = labels if isinstance(labels, list) else [labels]
            if self.label is not None and self.label not in names:
                continue
            span = _in_dialogue(region.value, places) if region.type == DIALOGUE_KIND else _in_text(region.value, text)
            if span is None or not 0 <= span.start <= span.end <= len(text):
                ends = " to ".join(repr(region.value.get(key))[:20] for key in ("start", "end"))
                raise FormatError(
                    f"{where}: region {number} spans {ends}, which is not part of the text ({len(text)} characters, "
                    f"{plural(len(places.spans), 'unit', 'units')}); HTML and linked texts are not supported"
                )
            # Whole paragraphs stay, also those that begin or end with white space.
            whole = region.type == DIALOGUE_KIND and _is_whole(span, region.value, places)
            yield span if whole else trimmed(span, text)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the JSON of the tasks."""
        yield json_file([written_task(number, document) for number, document in enumerate(corpus, start=1)])

    def _check_corpus(self, corpus: Corpus) -> None:
        """Refuse an empty corpus only: ``unit`` is how texts are read, and any unit is written."""
        if not len(corpus):
            raise FormatError("the corpus is empty; there is no document to write")

    def _lost(self, corpus: Corpus) -> list[str]:
        """Return what is not written, beside what tasks have of ``extra``."""
        bare = [
            dataclasses.replace(each, extra={key: value for key, value in each.extra.items() if key not in KEPT})
            for each in corpus
        ]
        lost = super()._lost(Corpus(bare, ids_are_given=corpus.ids_are_given))
        beside = (each for each in corpus if each.annotations and each.segmentation != sole(each.annotations))
        return ["the segmentation beside annotations", *lost] if any(each.segmentation for each in beside) else lost


def _usual_key(tasks: Sequence[Task]) -> str | None:
    """Return the key of data that obviously names the documents: of a usual name, with another value in every task."""
    for key in _IDS:
        values = [task.data.get(key) for task in tasks]
        if all(map(_is_name, values)) and len({str(value) for value in values}) == len(values):
            return key
    return None


def _is_name(value: object) -> bool:
    is_text = isinstance(value, str) and 0 < len(value) < 256 and "\n" not in value
    return is_text or (isinstance(value, int) and not isinstance(value, bool))


def _name(task: Task, key: str, number: int | str) -> str:
    """Return the value of a key of data as the id of a document."""
    value = task.data.get(key)
    if not _is_name(value):
        there = ", ".join(repr(name)[:30] for name in list(task.data)[:10]) or "nothing"
        raise FormatError(
            f"task {number!r}: data has no {key!r} to name the document by, it has {there}; choose id='…'"
        )
    return str(value)


def _annotator(annotation: Annotation, name: str) -> str:
    who: object = annotation.completed_by
    if isinstance(who, dict):
        who = who.get("email") or who.get("username") or who.get("id")
    if isinstance(who, bool) or not isinstance(who, (int, str)) or who == "":
        raise FormatError(f"task {name!r}: annotation {annotation.id!r} has no annotator; it needs completed_by")
    return str(who)


def _turn(turn: Any, number: int, name: str) -> tuple[str, str]:
    """Return the text and the speaker of a paragraph."""
    if isinstance(turn, str):
        return turn, ""
    utterance = turn.get("text") if isinstance(turn, dict) else None
    if not isinstance(utterance, str):
        raise FormatError(f"task {name!r}: paragraph {number} has no 'text'; name the key of the text with field='…'")
    return utterance, next((str(turn[key]) for key in _SPEAKERS if turn.get(key)), "")


def _whole(value: object) -> int:
    """Return an integer, which Label Studio also writes as a string, or -1."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _in_dialogue(value: Mapping[str, object], places: Layout) -> Span | None:
    """Return a region of a dialogue in characters of its joined paragraphs."""
    first, last = _whole(value.get("start")), _whole(value.get("end"))
    if not 0 <= first <= last < len(places.spans):
        return None
    from_, to = places.spans[first], places.spans[last]
    start = from_.start + min(max(_whole(value.get("startOffset", 0)), 0), from_.end - from_.start)
    length = to.end - to.start
    end = to.start + min(max(_whole(value.get("endOffset", length)), 0), length)
    return Span(start, max(start, end))


def _is_whole(span: Span, value: Mapping[str, object], places: Layout) -> bool:
    """Return whether a region of a dialogue covers its first and last paragraph as a whole."""
    first, last = (places.spans[_whole(value.get(key))] for key in ("start", "end"))
    return (span.start, span.end) == (first.start, last.end)


def _titles(annotation: Annotation) -> dict[str, str]:
    """Return the titles of segments, from the text areas of regions in a dialogue, by the paragraph they begin with."""
    found = {}
    for region in annotation.result or ():
        text = region.value.get("text")
        start = _whole(region.value.get("start"))
        if (region.type, region.from_name) == ("textarea", TITLE) and start >= 0 and isinstance(text, list):
            found[str(start)] = "\n".join(map(str, text))
    return found


def _in_text(value: Mapping[str, object], text: str) -> Span | None:
    """Return a region of a text; its offsets count UTF-16 code units, as in browsers, if its copy of the text shows it."""
    around = value.get("globalOffsets") if "<" not in text else None
    offsets = around if isinstance(around, dict) else value
    span = Span(_whole(offsets.get("start")), _whole(offsets.get("end")))
    if span.start < 0 or span.end < span.start:
        return None
    copy = value.get("text")
    if isinstance(copy, str) and text[span.start : span.end] != copy and not text.isascii():
        wide = text.encode("utf-16-le", "surrogatepass")
        if wide[2 * span.start : 2 * span.end] == copy.encode("utf-16-le", "surrogatepass"):
            before = len(wide[: 2 * span.start].decode("utf-16-le", "replace"))
            return Span(before, before + len(copy))
    return span
