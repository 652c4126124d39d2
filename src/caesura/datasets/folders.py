# SPDX-License-Identifier: Apache-2.0
"""The files of a dataset: a folder, an archive that is unpacked for reading, or one file, and their records; and the folder of all corpora."""

from __future__ import annotations

import contextlib
import os
import re
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, TypeVar

import msgspec

from caesura.errors import CaesuraWarning, FormatError
from caesura.files import stem, suffix
from caesura.formats import json_bytes, read_json
from caesura.limits import CONTENT, MEMBER
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["data_folder", "each_line", "each_record", "files_below", "natural", "opened", "relative_name"]

T = TypeVar("T")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_TAR = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tbz2")
_PIECE = 1 << 20
_HIDDEN = re.compile(r"(?:\A|/)(?:\.|__MACOSX(?:/|\Z))")


def data_folder(given: str | Path | None = None) -> Path | None:
    """Return the folder of corpora that are not shipped: the given one, else that of ``CAESURA_DATA``, or None.

    An empty variable is as none. One that names no folder is reported and ignored; a given path that is no folder is refused.
    """
    if given:
        if not Path(given).is_dir():
            raise FormatError("no such folder; name the folder of the data", given)
        return Path(given)
    named = os.environ.get("CAESURA_DATA")
    if not named:
        return None
    if not Path(named).is_dir():
        warnings.warn(
            f"CAESURA_DATA is {named!r}, which is not a folder, so it is ignored; set it to the folder of the corpora",
            CaesuraWarning,
            stacklevel=3,
        )
        return None
    return Path(named)


def natural(text: str) -> list[tuple[int, int | str]]:
    """Return a sorting key under which ``ch2`` comes before ``ch10``."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", text) if part]


def relative_name(file: Path, folder: Path) -> str:
    """Return the path of a file below a folder without its suffix, as an id; for a single file, its stem."""
    inside = file.relative_to(folder) if file != folder else Path(file.name)
    return inside.with_name(stem(inside)).as_posix()


def files_below(folder: Path, patterns: Sequence[str], name: str, expected: str) -> list[Path]:
    """Return the files of the first pattern that matches any file; a path that is a file is returned unchanged.

    Hidden files, and those of the folder that macOS adds to archives, are ignored.
    """
    if folder.is_file():
        return [folder]
    files = sorted(
        (
            path
            for path in folder.rglob("*")
            if path.is_file() and not _HIDDEN.search(path.relative_to(folder).as_posix())
        ),
        key=lambda path: natural(path.relative_to(folder).as_posix()),
    )
    for pattern in patterns:
        matches = [path for path in files if any(path.match(form) for form in (pattern, f"{pattern}.gz"))]
        if matches:
            return matches
    raise FormatError(f"holds no file {' or '.join(patterns)}; {name} expects {expected}", folder)


@contextlib.contextmanager
def opened(path: Path, name: str) -> Iterator[Path]:
    """Yield a folder or file to read from; an archive is unpacked into a temporary folder.

    An error in an unpacked file names the archive and the file in it.
    """
    if not path.exists():
        raise FormatError(f"no such folder or file; name the folder with the files of {name}", path)
    if path.is_dir() or not path.name.lower().endswith((".zip", *_TAR)):
        yield path
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _unpack(path, folder)
        try:
            yield folder
        except FormatError as error:
            again = FormatError(str(error).replace(temporary, str(path)))
            again.path, again.line = str(path), error.line
            raise again from None


def _unpack(path: Path, folder: Path) -> None:
    try:
        pieces = _zipped(path) if path.name.lower().endswith(".zip") else _tarred(path)
        total = 0
        for inside, stream in pieces:
            target = folder / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as out:
                while piece := stream.read(_PIECE):
                    out.write(piece)
                    total += len(piece)
                    if out.tell() > MEMBER.value:
                        raise FormatError(MEMBER.refusal(f"the file {inside} in it is larger than"), path)
                    if total > CONTENT.value:
                        raise FormatError(CONTENT.refusal("expands to more than"), path)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise FormatError(
            f"is not a complete archive ({' '.join(str(error).split()) or type(error).__name__}); download it again",
            path,
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be unpacked ({error.strerror or error}); download it again", path) from None


def _zipped(path: Path) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as stream:
                    yield _safe(entry.filename, path), stream


def _tarred(path: Path) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    with tarfile.open(path) as archive:
        for entry in archive:
            stream = archive.extractfile(entry) if entry.isreg() else None
            if stream is not None:
                yield _safe(entry.name, path), stream


def _safe(inside: str, path: Path) -> PurePosixPath:
    place = PurePosixPath(inside.replace("\\", "/"))
    if place.is_absolute() or ".." in place.parts or "\0" in inside or ":" in inside:
        raise FormatError(f"holds a file that lies outside of it ({inside!r}); do not trust the archive", path)
    return place


def each_record(file: Path, kind: type[T]) -> Iterator[tuple[int | None, T]]:
    """Yield the records of a file: a single one without a number, those of a list or of lines numbered from 0."""
    if suffix(file) in (".jsonl", ".ndjson"):
        yield from ((number, record) for number, (_, record) in enumerate(each_line(file, kind)))
    elif json_bytes(file).lstrip().startswith(b"["):
        listed: type[list[T]] = list[kind]  # type: ignore[valid-type]
        yield from enumerate(read_json(file, listed))
    else:
        yield None, read_json(file, kind)


def each_line(file: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Yield the records of a file with one per line, and their lines."""
    # Line ends inside JSON strings are escaped, so every CR ends a line too.
    for number, line in enumerate(_LINE_END.split(json_bytes(file)), start=1):
        if not line.strip():
            continue
        try:
            yield number, decode(line, kind)
        except RepeatedKeyError as error:
            raise FormatError(str(error), line=number) from None
        except msgspec.ValidationError as error:
            raise FormatError(f"the record is not as expected: {error}", line=number) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = " ".join(str(error).split())
            raise FormatError(f"is not valid JSON ({reason}); download the file again", line=number) from None
