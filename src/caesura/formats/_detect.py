# SPDX-License-Identifier: Apache-2.0
"""Detect the format of a file; `load` and `save` a corpus."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from caesura.annotations import FILE
from caesura.corpus import Corpus, Document, Origin
from caesura.errors import FormatError
from caesura.files import check_output, file_hash, is_address, read_with_hash, split_format, split_text, stem, suffix
from caesura.formats._annotators import COMPANIONS, documents_folder, gathered
from caesura.formats._base import EMPTY, FORMATS, Format, Irregular
from caesura.formats._files import Unlike, faults, head, leave_out
from caesura.formats._flags import Unclear
from caesura.formats._json import abridged, read_json, top_keys
from caesura.formats._places import expanded, fetched, is_elsewhere
from caesura.formats._roles import VALUE, Unmapped, are_named, folded, named_columns
from caesura.segmentation import Segmentation, check_marks

_JSON_LINES = (".jsonl", ".ndjson")
_FAR = 1 << 24
"""How far to look if the beginning of a JSON file tells nothing: the first text may be long."""
_OWN = "jsonl"
_FOLDERS = "annotator_folders"
_DOCUMENTS = "documents"
_PROJECT = "annotation_project"
_EMPTY = "youtube"  # the format of a list of chapters without any


def detect(path: str | os.PathLike[str]) -> Format:
    """Return the format of a file, from its suffix and, if that is ambiguous, from its content.

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
    named = [cls for cls in FORMATS if suffix(place) in cls.suffixes]
    if len(named) == 1:
        return named[0]()
    start = head(place) if start is None else start
    if not start.strip():
        raise FormatError("the file is empty; it holds no document", place)
    fitting = [cls for cls in named or FORMATS if cls.sniff(start, place)]
    if all(cls.general for cls in fitting) and start.lstrip().startswith((b"{", b"[")):
        start = abridged(head(place, _FAR))
        fitting = [cls for cls in named or FORMATS if cls.sniff(start, place)]
    fitting = [cls for cls in fitting if not cls.general] or fitting
    if len(fitting) == 1:
        return fitting[0]()
    if fitting:
        raise FormatError(f"could be {_listed(fitting)}; choose one with --from (format=)", place)
    if suffix(place) in _JSON_LINES:
        return own  # its reader reports what is wrong, and where
    if b"\0" in start:
        raise FormatError("is a binary file in an unknown format; check its content", place)
    if suffix(place) == ".json":
        _check_json(start, place)
    raise FormatError(
        f"does not look like {_listed(named or FORMATS)}; name its format with --from (format=), or see caesura formats",
        place,
    )


def load(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    repair: bool = False,
) -> Corpus:
    """Read the documents of a file, or of a directory of files.

    Parameters
    ----------
    path : path-like
        The file; ``.gz`` and ``.zst`` are decompressed. All files of a directory must have the same format; document ids
        are then the file names without suffix, sorted. A directory of directories holds one per annotator, or documents
        (Markdown, HTML, reStructuredText, plain text), which may have different formats.
        ``FILE::FORMAT`` names the format of this file and overrides ``format``. A pattern such as ``part-*.parquet``
        reads the documents of all matching files; an address such as ``s3://bucket/gold.parquet`` is opened by fsspec.
    format : str, optional
        The format, such as ``"choi"`` or ``"bits(marks='last')"``; detected by default.
    columns : str, optional
        What the columns of tables and the keys of records are for, such as ``"doc=dial_id,label=topic"`` or ``"text=turns[].text"``; other
        formats ignore it. ``FILE::FORMAT`` overrides it.
    marks : {"first", "last", "last_closed", "topics", "gap", "segments"}, optional
        What labels of 0 and 1, bits, or spans of an annotation tool mark: the option of that name of the format, if it has this value.
        ``FILE::FORMAT`` overrides it.
    strict : bool
        Whether to raise an error instead of a warning (unknown keys, gaps between chapters).
    repair : bool
        Whether to repair a machine-made list of chapters that is empty, out of order, repeats a time, starts late or passes
        the end, instead of refusing it; ``extra["repaired"]`` of its document then says what was done.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the file, the line and a remedy.
    ComparabilityError
        If two documents have the same id, or count different units.
    """
    given: object = path
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(path):
        raise FormatError(f"the name of a file is {given!r}; give the path of one")
    check_marks(marks)
    if columns is not None:
        path = with_columns(path, columns, format)
    if is_elsewhere(path):
        return _load_elsewhere(os.fspath(path), format, marks=marks, strict=strict, repair=repair)
    file, own = split_format(path)
    named = own or format
    how = _How(None if named is None else FORMATS.parse(named), marks if own is None else None, strict, repair)
    place = _checked(file)
    return _load_directory(place, how) if place.is_dir() else _read(place, how)


def with_columns(path: str | os.PathLike[str], columns: str, format: str | None = None) -> str:  # noqa: A002
    """Return ``FILE::FORMAT`` with what its columns are for; a file whose format has no columns, or not these, stays as it is.

    A file of Caesura's own JSONL is read as records of any keys if it has all keys that are named.
    """
    text = os.fspath(path)
    file, own = split_text(text)
    found = expanded(text) if is_elsewhere(text) else _files_of(Path(file)) if Path(file).is_dir() else [file]
    example = Path(split_text(found[0])[0]) if found else Path()
    if own is not None or is_address(text) or not example.is_file():
        return text
    chosen = FORMATS.parse(format) if format is not None else detect(example)
    start = head(example).lstrip()
    if chosen.name() == _OWN and are_named(columns, top_keys(start[1:].lstrip() if start.startswith(b"[") else start)):
        chosen = FORMATS.parse("records")
    mapped = chosen.with_columns(columns)
    named = [folded(name.partition("[]")[0]) for names in named_columns(columns).values() for name in names]
    words = folded(start.decode("utf-8", "replace"))
    if mapped is chosen or (b"\0" not in start and named and not any(name in words or name == VALUE for name in named)):
        return text
    return f"{file}::{mapped}"


def save(
    corpus: Corpus | Mapping[str, Segmentation],
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    overwrite: bool = True,
) -> None:
    """Write a corpus to a file, completely or not at all.

    Parameters
    ----------
    corpus : Corpus or mapping of str to Segmentation
        The documents.
    path : path-like
        The file; ``.gz`` and ``.zst`` are compressed.
    format : str, optional
        The format; by default that of the suffix.
    overwrite : bool
        Whether an existing file may be replaced.

    Raises
    ------
    OutputExistsError
        If the file exists and ``overwrite`` is False.
    FormatError
        If the format cannot hold the documents, or the suffix belongs to no format or to several.
    """
    place = Path(path)
    documents = corpus if isinstance(corpus, Corpus) else Corpus.from_segmentations(corpus)
    chosen = _by_suffix(place) if format is None else FORMATS.parse(format)
    if not chosen.writable:
        raise FormatError(f"the format {chosen.name()} cannot be written, only read", place)
    check_output(place, overwrite=overwrite)
    chosen.write(documents, place)


def _check_json(start: bytes, path: Path) -> None:
    """Raise an error that locates invalid JSON, which helps more than "no format fits"; accept JSON lines."""
    try:
        msgspec.json.decode(start.lstrip().partition(b"\n")[0])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        read_json(path, msgspec.Raw)


def _checked(path: str | os.PathLike[str]) -> Path:
    place = Path(path)
    if "\0" in str(place) or not place.exists():
        raise FormatError("no such file; check the name", place)
    if not (place.is_file() or place.is_dir()):
        raise FormatError("is a pipe or a device, which can be read only once; save its content to a file first", place)
    return place


class _How(NamedTuple):
    """How files are read: the format, unless each is detected, and the options of `load`."""

    format: Format | None = None
    marks: str | None = None
    strict: bool = False
    repair: bool = False


def _read(path: Path, how: _How, given: Path | None = None) -> Corpus:
    """Read a file, or a folder of a format of folders; the corpus knows what was read, and how.

    If its meaning is unclear, ask with the argument to copy, which names the folder ``given`` instead of the file.
    """

    def read() -> tuple[Corpus, Format]:
        if how.repair and path.is_file() and not head(path).strip():
            from caesura.formats._chapters import nothing

            return nothing(path), how.format or FORMATS.parse(_EMPTY)
        known = (how.format or detect(path)).with_marks(how.marks)
        with faults(path):
            try:
                return known.read(path, strict=how.strict), known
            except Unclear as error:
                raise error.told(f"{given or path}::{known.with_marks(error.marks)}") from None
            except Unmapped as error:
                raise error.told(f"{given or path}::{known.with_columns(error.columns)}") from None
            except Irregular as error:
                if not how.repair or how.strict:
                    raise
                return error.corpus, known

    parts = [path] if how.format is None else how.format.parts(path)
    (corpus, known), hashes = read_with_hash(parts or [path], read)
    if corpus.origin is not None:
        return corpus  # the format knows better than its files what was read
    place = os.path.abspath(path)  # noqa: PTH100  (links stay)
    if parts == [path]:
        corpus.origin = Origin(
            place, hashes[0], str(known), without_names=functools.partial(_without_names, known, path)
        )
    else:
        corpus.origin = Origin.of_several(place, hashes, str(known))
    return corpus


def _without_names(known: Format, path: Path) -> str:
    return str(known.by_place(path))


def _by_suffix(path: Path) -> Format:
    if suffix(path) in _JSON_LINES:
        return FORMATS.parse(_OWN)
    named = [cls for cls in FORMATS if suffix(path) in cls.suffixes]
    writable = [cls for cls in named if cls.writable]
    if len(named) == len(writable) == 1:
        return named[0]()
    what = (
        f"is used by {_listed(writable)}"
        if writable
        else f"belongs to none of {_listed(c for c in FORMATS if c.writable)}"
    )
    if len(writable) == 1:
        what += f", but also by {_listed(cls for cls in named if not cls.writable)}, which is only read"
    raise FormatError(f"the suffix {suffix(path)!r} {what}; choose one with --to (format=)", path)


def _files_of(path: Path) -> list[Path]:
    """Return the files of a folder, sorted, without hidden ones and companions of others."""
    files = (entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    return sorted(entry for entry in files if entry.name.casefold() not in COMPANIONS)


def _load_directory(path: Path, how: _How) -> Corpus:
    files = _files_of(path)
    chosen = how.format
    if chosen is None and (path / FILE).exists():
        chosen = FORMATS.parse(_PROJECT)
    if chosen is None and any(not entry.name.startswith(".") for entry in path.iterdir()):
        documents = FORMATS.parse(_DOCUMENTS)
        if suffix(path) == ".annotators" or documents_folder(path):
            chosen = FORMATS.parse(_FOLDERS)
        elif documents.sniff(b"", path):
            chosen = documents
        elif not files:
            chosen = FORMATS.parse(_FOLDERS)
    if chosen is not None and chosen.name() in (_FOLDERS, _DOCUMENTS, _PROJECT):
        return _read(path, how._replace(format=chosen, repair=False))
    names = {entry.name for entry in files}
    for cls in FORMATS if chosen is None else (type(chosen),):
        if cls.folder_files and cls.folder_files <= names:
            return _read(path, how._replace(format=chosen or cls(), repair=False))
    if not files:
        raise FormatError("the directory holds no file; name one with files", path)
    return _load_files(path, files, how)


def _load_files(path: Path, files: Sequence[Path], how: _How) -> Corpus:
    """Read some files of a folder."""
    read: dict[Path, Corpus] = {}
    unlike: list[FormatError] = []
    for entry in files:
        try:
            read[entry] = _read(entry, how, path)
        except Unlike as asked:
            unlike.append(asked)
        except FormatError as error:
            leave_out(error, entry)
            if not read and entry == files[-1]:
                raise
    if unlike and not read:
        raise unlike[0]
    for each in unlike:
        leave_out(FormatError(str(each)), path)
    origins = [corpus.origin for corpus in read.values() if corpus.origin is not None]
    # An empty file of a system has no format of its own.
    empty = {
        entry for entry, corpus in read.items() if how.repair and corpus[corpus.ids[0]].extra.get("repaired") == EMPTY
    }
    first = next((o.format for e, o in zip(read, origins, strict=True) if e not in empty), origins[0].format)
    documents: list[tuple[Path, Document]] = []
    for (entry, corpus), origin in zip(read.items(), origins, strict=True):
        named = list(_named_documents(entry, corpus))
        if origin.format != first and entry not in empty and not all(document.annotations for document in named):
            raise FormatError(
                f"is {origin.format}, but {files[0].name!r} in the same directory is {first}; "
                "use one format per directory unless every file names its annotators, or name it with --from (format=)",
                entry,
            )
        documents.extend((entry, document) for document in named)
    with faults(path):
        together = Corpus(gathered(documents), name=str(path))
    together.origin = _together(path, origins)
    return together


def _together(path: str | Path, origins: Sequence[Origin]) -> Origin:
    """Return the origin of the documents of several files."""
    formats = {origin.format for origin in origins}
    place = os.fspath(path)
    return Origin.of_several(
        place if is_address(place) else os.path.abspath(place),  # noqa: PTH100
        [origin.sha256 for origin in origins],
        formats.pop() if len(formats) == 1 else None,
    )


def load_unchanged(path: Path, format: str | None, hashes: Collection[str], *, repair: bool = False) -> Corpus:  # noqa: A002
    """Read those files of a folder that have one of some hashes; see `load`."""
    chosen = None if format is None else FORMATS.parse(format)
    files = [entry for entry in _files_of(path) if file_hash(entry) in hashes]
    if not files or (chosen is not None and (chosen.name() in (_FOLDERS, _DOCUMENTS) or chosen.folder_files)):
        raise FormatError("has other files than before", path)
    return _load_files(path, files, _How(chosen, repair=repair))


def _load_elsewhere(text: str, format: str | None, **options: Any) -> Corpus:  # noqa: A002
    """Read the files of an address or a pattern, with the options of `load`."""
    files = expanded(text)
    if files == [text]:
        address, own = split_text(text)
        with fetched(address) as copy:
            corpus = load(copy, own or format, **(options | {"marks": None} if own else options))
            corpus.name = address
            corpus.origin = corpus.origin and dataclasses.replace(corpus.origin, path=address)
            return corpus
    corpora = {file: load(file, format, **options) for file in files}
    with faults(Path(text)):
        if all(corpus.ids_are_given for corpus in corpora.values()):
            together = Corpus.joined(list(corpora.values()), name=text)
        else:
            named = [(Path(f), d) for f, c in corpora.items() for d in _named_documents(Path(f), c)]
            together = Corpus(gathered(named), name=text)
    origins = [corpus.origin for corpus in corpora.values() if corpus.origin is not None]
    together.origin = _together(split_text(text)[0], origins)
    return together


def _named_documents(path: Path, corpus: Corpus) -> Iterable[Document]:
    """Return the documents of one file of a directory, under ids that are unique in the directory."""
    if corpus.ids_are_given:
        return corpus
    if len(corpus) == 1:
        return [dataclasses.replace(document, id=stem(path)) for document in corpus]
    return [dataclasses.replace(document, id=f"{stem(path)}/{document.id}") for document in corpus]


def _listed(classes: Iterable[type[Format]]) -> str:
    names = [cls.name() for cls in classes]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
