# SPDX-License-Identifier: Apache-2.0
"""Files of segmented documents: JSON lines with scores, or chapters with times."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats import FORMATS, save
from caesura.segmentation import Segmentation
from caesura.units.projection import project_corpus

__all__ = ["file_names", "save_segmented"]

_CHAPTERS = {".vtt": "webvtt", ".chapters": "youtube"}
_WHOLE_SECONDS = "youtube"


def file_names(names: Iterable[str], folder: str, ending: str) -> list[str]:
    """Return one path per method in a folder, by the names of the methods, without characters that a shell reads.

    >>> file_names(["TextTiling(cutoff=0.5)", "every (oracle)"], "out", ".jsonl")
    ['out/TextTiling-cutoff-0.5.jsonl', 'out/every-oracle.jsonl']
    """
    paths: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "method"
        stems = itertools.chain([plain], (f"{plain}-{number}" for number in itertools.count(2)))
        free = (path for stem in stems if (path := str(Path(folder) / f"{stem}{ending}")) not in paths)
        paths.append(next(free))
    return paths


def save_segmented(corpus: Corpus, path: str, format: str | None = None, *, overwrite: bool) -> None:  # noqa: A002
    """Write segmented documents; to a format of chapters their boundaries as times.

    A format that holds whole seconds gets the nearest second.

    Raises
    ------
    FormatError
        If chapters are requested but the documents have no times.
    """
    name = _CHAPTERS.get(suffix(path)) if format is None else FORMATS.parse(format).name()
    if name is not None and (name in _CHAPTERS.values() or FORMATS.parse(name).unit == "ms"):
        corpus = _timed(corpus, name, path)
    save(corpus, path, format or name, overwrite=overwrite)


def _timed(corpus: Corpus, name: str, path: str) -> Corpus:
    for document in corpus:
        if document.unit != "ms" and document.unit_times is None:
            raise FormatError(
                f"document {document.id!r} has no times, which chapters need; write jsonl, or segment a transcript",
                path,
            )
    if corpus.unit != "ms":
        corpus = project_corpus(corpus, "ms")[0]
    bare = [_chapters(document, name == _WHOLE_SECONDS) for document in corpus]
    # The ids come from the files of a folder; chapters of one file have no place for them.
    return Corpus(bare, name=corpus.name, ids_are_given=corpus.ids_are_given and len(corpus) > 1)


def _chapters(document: Document, whole_seconds: bool) -> Document:
    segmentation = document.segmentation or Segmentation(document.n_units, unit="ms")
    if whole_seconds:
        nearest = {1000 * round(place / 1000) for place in segmentation.boundaries}
        kept = sorted(place for place in nearest if 0 < place < document.n_units)
        segmentation = Segmentation(document.n_units, kept, unit="ms")
    return Document(
        id=document.id, n_units=document.n_units, unit="ms", segmentation=segmentation, open_ended=whole_seconds
    )
