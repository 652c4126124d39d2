# SPDX-License-Identifier: Apache-2.0
"""The file layouts of segmented dialogues; the same dialogues exist in several of them.

Def-DTS
    JSON lines ``{"id", "dialogue"}`` with ``role: text`` items joined by ``[NEWLINE]`` and ``[BOUNDARY]`` between topics.
lxing532
    A JSON list of ``{"dial_id", "utterances", "segments"}``, ``segments`` being masses.
SuperDialseg
    JSON ``{"dial_data": {NAME: [{"dial_id", "turns"}]}}``, read by the format of that name.
TADAM
    Text: a line ``call_id_N``, then lines ``SEGMENT text``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import Tally, built, running
from caesura.datasets.folders import each_line
from caesura.errors import FormatError
from caesura.formats import faults, load, plural, read_bytes, read_json, read_text, top_keys
from caesura.segmentation import Segmentation

__all__ = ["UTTERANCE", "alternating", "read_dialogues"]

UTTERANCE = "utterance"
_CALL = re.compile(r"call_id_\S+\Z")
_BOUNDARY = "[BOUNDARY]"


class _DefDts(msgspec.Struct):
    id: str | int
    dialogue: str


class _Lxing(msgspec.Struct):
    dial_id: str | int
    utterances: list[str]
    segments: list[int]
    set: str | None = None


def read_dialogues(file: Path, tally: Tally, *, splits: frozenset[str] | None = None) -> Iterator[Document]:
    """Yield the dialogues of a file in any of the layouts; ``splits`` are the parts to keep if the file names parts."""
    head = read_bytes(file).lstrip()[: 1 << 16]
    if head.startswith(b"["):
        yield from _lxing(file, tally, splits)
    elif "dial_data" in top_keys(head):
        yield from _superdialseg(file, tally)
    elif head.startswith(b"{"):
        yield from _def_dts(file, tally)
    else:
        yield from _tadam(file, tally)


def alternating(count: int) -> list[str]:
    """Return the speakers of a dialogue whose source does not name them: they take turns, and the user begins."""
    return ["user" if place % 2 == 0 else "agent" for place in range(count)]


def _def_dts(file: Path, tally: Tally) -> Iterator[Document]:
    lost: list[str] = []
    for line, record in each_line(file, _DefDts):
        key = str(record.id)
        texts: list[str] = []
        speakers: list[str] = []
        starts: list[bool] = []
        opens = True
        for item in record.dialogue.split("[NEWLINE]"):
            if item.strip() == _BOUNDARY:
                opens = True
                continue
            speaker, colon, text = item.partition(":")
            if not colon:
                raise FormatError(f"dialogue {key!r}: {item[:40]!r} is not 'role: text'", line=line)
            texts.append(text)
            speakers.append(speaker.strip())
            starts.append(opens)
            opens = False
        if opens and texts:
            lost.append(key)
        with faults(line=line):
            yield built(key, UTTERANCE, texts, running(starts), tally, speakers=speakers)
    remark = "this release lacks the last turn of every dialogue"
    tally.remark(f"{remark}, and {plural(len(lost), 'boundary', 'boundaries')} before it" if lost else remark, lost)


def _lxing(file: Path, tally: Tally, splits: frozenset[str] | None) -> Iterator[Document]:
    for record in read_json(file, list[_Lxing]):
        if splits is not None and record.set is not None and record.set not in splits:
            continue
        segmentation = Segmentation.from_masses(record.segments)
        if segmentation.n_units != len(record.utterances):
            raise FormatError(
                f"dialogue {str(record.dial_id)!r}: the segments have {segmentation.n_units} utterances, but there are "
                f"{len(record.utterances)}"
            )
        speakers = alternating(len(record.utterances))
        yield built(str(record.dial_id), UTTERANCE, record.utterances, segmentation.labels, tally, speakers=speakers)


def _superdialseg(file: Path, tally: Tally) -> Iterator[Document]:
    for document in load(file, "superdialseg"):
        labels = None if document.segmentation is None else document.segmentation.labels
        yield built(document.id, UTTERANCE, document.units or (), labels, tally, speakers=document.speakers)


def _tadam(file: Path, tally: Tally) -> Iterator[Document]:
    lines = [(number, line) for number, line in enumerate(read_text(file).split("\n"), start=1) if line.strip()]
    if not lines or not _CALL.match(lines[0][1].strip()):
        raise FormatError("does not begin with a line call_id_N, '[' or '{'", line=1)
    calls: list[tuple[str, list[tuple[int, str]]]] = []
    for number, line in lines:
        if _CALL.match(line.strip()):
            calls.append((line.strip(), []))
        else:
            calls[-1][1].append((number, line))
    for key, rows in calls:
        texts, labels = [], []
        for number, line in rows:
            segment, _, text = line.strip().partition(" ")
            if not segment.isdecimal():
                raise FormatError(
                    f"the line begins with {segment[:20]!r}, not with the number of a segment", line=number
                )
            texts.append(text)
            labels.append(segment)
        yield built(key, UTTERANCE, texts, labels, tally, speakers=alternating(len(texts)))
