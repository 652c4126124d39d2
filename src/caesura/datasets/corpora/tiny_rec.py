# SPDX-License-Identifier: Apache-2.0
"""TinyRec: recordings of work at a screen, with two levels of topics."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats import faults, read_json

__all__ = ["TinyRec"]

_ANNOTATION = "_anno"


class _Entry(msgspec.Struct):
    start: float
    end: float
    doc: str | None = None


class _Recording(msgspec.Struct):
    entries: list[_Entry]


class _Annotation(msgspec.Struct):
    coarse: list[tuple[int, int, str]]
    fine: list[tuple[int, int, str]]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class TinyRec(Dataset):
    """Recordings with a transcript and two levels of topics.

    A unit is an entry with text; screen content is left out. A segment begins at the first unit at or after its
    first entry, and a coarse boundary is always a fine one too: if the annotation lacks it, it is added and counted.
    """

    card = DatasetCard(
        title="recordings of work at a screen, two levels of topics",
        citation="Gklezakos, D. C., et al. (2024). TreeSeg: hierarchical topic segmentation of large transcripts. arXiv.",
        source="github.com/AugmendTech/treeseg (datasets/augmend)",
        licence="Apache-2.0",
        unit="utterance",
        boundary="the first utterance of an annotated segment",
        files="ID.json and ID_anno.json for each recording",
        serves="hierarchies; units with times",
    )
    patterns = (f"*{_ANNOTATION}.json",)

    level: str = param("fine", "the level of the reference; the hierarchy holds both", choices=("fine", "coarse"))

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the recordings."""
        added: list[str] = []
        for file in self.files(folder):
            if not stem(file).endswith(_ANNOTATION):
                raise FormatError("is a transcript; name the file with _anno, or the folder", file)
            other = file.with_name(file.name.replace(_ANNOTATION, "", 1))
            with faults(file):
                annotations = read_json(file, dict[str, _Annotation])
            if not other.is_file():
                raise FormatError(f"no such file; it holds the transcript of {file.name}", other)
            with faults(other):
                recordings = read_json(other, dict[str, _Recording])
                for key, annotation in annotations.items():
                    if key not in recordings:
                        raise FormatError(f"has no recording {key!r}, which {file.name} annotates")
                    yield self._document(key, recordings[key].entries, annotation, tally, added)
        if added:
            tally.remark("coarse boundaries missing from the fine level added to it", added)

    def _document(
        self, key: str, entries: Sequence[_Entry], annotation: _Annotation, tally: Tally, added: list[str]
    ) -> Document:
        coarse, fine = (_starts(annotation.coarse, len(entries), key), _starts(annotation.fine, len(entries), key))
        if coarse - fine:
            added.append(key)
        spoken = [place for place, entry in enumerate(entries) if entry.doc is not None]
        wide = [_number(place, coarse) for place in spoken]
        narrow = [_number(place, coarse | fine) for place in spoken]
        chosen: list[Hashable] = list(narrow if self.level == "fine" else wide)
        return built(
            key,
            self.card.unit,
            [entries[place].doc or "" for place in spoken],
            chosen,
            tally,
            times=[(entries[place].start, entries[place].end) for place in spoken],
            levels=[wide] if self.level == "fine" else [],
        )


def _starts(segments: Sequence[tuple[int, int, str]], entries: int, key: str) -> set[int]:
    """Return the entries at which segments begin; they may overlap by one entry."""
    for first, last, title in segments:
        if not 0 <= first <= last < entries:
            raise FormatError(
                f"recording {key!r}: the segment {title!r} is {first} to {last}, but there are {entries} entries"
            )
    return {first for first, _, _ in segments}


def _number(place: int, starts: set[int]) -> int:
    return sum(start <= place for start in starts if start)
