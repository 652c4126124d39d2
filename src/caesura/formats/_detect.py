# SPDX-License-Identifier: Apache-2.0
"""From a path to a corpus and back: which format a file is in, `load` and `save`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import check_output, stem, suffix
from caesura.formats._annotators import COMPANIONS, gathered
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import faults, head
from caesura.formats._json import read_json

__all__ = ["detect", "load", "save"]

_JSON_LINES = (".jsonl", ".ndjson")
_OWN = "jsonl"
_FOLDERS = "annotator_folders"


def detect(path: str | os.PathLike[str]) -> Format:
    """Return the format of a file, from its suffix and, where that leaves several, from its content.

    Raises
    ------
    FormatError
        If no format fits, or several do; the message names them.
    """
    place = _checked(path)
    own = FORMATS.parse(_OWN)
    start = None
    if suffix(place) in _JSON_LINES:
        start = head(place)
        if own.sniff(start, place):
            return own  # the usual case, without importing the other formats
    readable = [cls for cls in FORMATS if cls.readable]
    named = [cls for cls in readable if suffix(place) in cls.suffixes]
    if len(named) == 1:
        return named[0]()
    start = head(place) if start is None else start
    if not start.strip():
        raise FormatError("the file is empty; it holds no document", place)
    fitting = [cls for cls in named or readable if cls.sniff(start, place)]
    if len(fitting) == 1:
        return fitting[0]()
    if fitting:
        raise FormatError(f"could be {_listed(fitting)}; say which with --from (format=)", place)
    if suffix(place) in _JSON_LINES:
        return own  # its reader says what is wrong, and where
    if b"\0" in start:
        raise FormatError("is a binary file in no known format; check what it holds", place)
    if suffix(place) == ".json":
        _check_json(start, place)
    raise FormatError(
        f"looks like none of the formats {_listed(named or readable)}; say which it is with --from (format=)",
        place,
    )


def load(path: str | os.PathLike[str], format: str | None = None, *, strict: bool = False) -> Corpus:  # noqa: A002
    """Read the documents of a file, or of a directory with one document a file.

    Parameters
    ----------
    path : path-like
        The file; ``.gz`` and ``.zst`` are decompressed. In a directory all files must be of one format; the ids are
        then their names without suffix, sorted. A directory of directories has one for each annotator.
    format : str, optional
        Its format, such as ``"choi"`` or ``"bits(marks='last')"``; otherwise it is detected.
    strict : bool
        Whether what would be a warning (unknown keys, holes between chapters) is an error.

    Raises
    ------
    FormatError
        If the file cannot be read; the message says file, line and what to do.
    ComparabilityError
        If documents stand twice or count different units.
    """
    chosen = None if format is None else FORMATS.parse(format)
    place = _checked(path)
    if place.is_dir():
        return _load_directory(place, chosen, strict)
    return _read(place, chosen or detect(place), strict)


def save(
    corpus: Corpus,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    overwrite: bool = True,
) -> None:
    """Write the documents to a file: whole, or not at all.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    path : path-like
        The file; ``.gz`` and ``.zst`` are compressed.
    format : str, optional
        Its format; otherwise the one that goes by the suffix.
    overwrite : bool
        Whether a file that is there already may be replaced.

    Raises
    ------
    OutputExistsError
        If the file exists and may not be replaced.
    FormatError
        If the format cannot hold the documents, or the suffix stands for none or several.
    """
    place = Path(path)
    chosen = _by_suffix(place) if format is None else FORMATS.parse(format)
    if not chosen.writable:
        raise FormatError(f"the format {chosen.name()} cannot be written, only read", place)
    check_output(place, overwrite=overwrite)
    if place.is_dir():
        raise FormatError("is a directory; name a file in it", place)
    chosen.write(corpus, place)


def _check_json(start: bytes, path: Path) -> None:
    """Say where a file is no JSON, if it is none, rather than that no format fits; JSON lines are let pass."""
    try:
        msgspec.json.decode(start.lstrip().partition(b"\n")[0])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        read_json(path, msgspec.Raw)


def _checked(path: str | os.PathLike[str]) -> Path:
    place = Path(path)
    if "\0" in str(place) or not place.exists():
        raise FormatError("no such file; check the name", place)
    if not (place.is_file() or place.is_dir()):
        raise FormatError(
            "is a pipe or a device, which can be read only once; write it to a file first", place
        )
    return place


def _read(path: Path, format: Format, strict: bool) -> Corpus:  # noqa: A002
    if not format.readable:
        raise FormatError(f"the format {format.name()} cannot be read, only written", path)
    with faults(path):
        return format.read(path, strict=strict)


def _by_suffix(path: Path) -> Format:
    if suffix(path) in _JSON_LINES:
        return FORMATS.parse(_OWN)
    writable = [cls for cls in FORMATS if cls.writable]
    named = [cls for cls in writable if suffix(path) in cls.suffixes]
    if len(named) == 1:
        return named[0]()
    what = f"stands for {_listed(named)}" if named else f"stands for none of the formats {_listed(writable)}"
    raise FormatError(f"the suffix {suffix(path)!r} {what}; say which with --to (format=)", path)


def _load_directory(path: Path, chosen: Format | None, strict: bool) -> Corpus:
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    files = [entry for entry in entries if entry.is_file() and entry.name.casefold() not in COMPANIONS]
    if chosen is None and entries and (suffix(path) == ".annotators" or not files):
        chosen = FORMATS.parse(_FOLDERS)
    if chosen is not None and chosen.name() == _FOLDERS:
        return _read(path, chosen, strict)
    if not files:
        raise FormatError("the directory holds no file", path)
    formats = [chosen or detect(entry) for entry in files]
    for entry, format in zip(files, formats, strict=True):  # noqa: A001
        if format != formats[0]:
            raise FormatError(
                f"is {format}, but {files[0].name!r} of the same directory is {formats[0]}; "
                "a directory is read when all its files are of one format, or with --from (format=)",
                entry,
            )
    documents: list[tuple[Path, Document]] = []
    for entry, format in zip(files, formats, strict=True):  # noqa: A001
        named = _named_documents(entry, _read(entry, format, strict))
        documents.extend((entry, document) for document in named)
    return Corpus(gathered(documents, path), name=str(path))


def _named_documents(path: Path, corpus: Corpus) -> Iterable[Document]:
    """Return the documents of one file of a directory, each under an id that is its own in the directory."""
    if corpus.ids_are_given:
        return corpus
    if len(corpus) == 1:
        return [dataclasses.replace(document, id=stem(path)) for document in corpus]
    return [dataclasses.replace(document, id=f"{stem(path)}/{document.id}") for document in corpus]


def _listed(classes: Iterable[type[Format]]) -> str:
    names = [cls.name() for cls in classes]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
