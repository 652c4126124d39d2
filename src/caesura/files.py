# SPDX-License-Identifier: Apache-2.0
"""File names, hashes, and output that is written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from caesura.errors import CaesuraError, FormatError, OutputExistsError

__all__ = [
    "COMPRESSIONS",
    "check_output",
    "file_hash",
    "split_format",
    "stem",
    "suffix",
    "write_atomically",
    "write_together",
    "writing",
]

COMPRESSIONS = (".gz", ".zst")
"""Suffixes of compressed files; the suffix of the format comes before them."""

PathLike = str | os.PathLike[str]

_WITH_FORMAT = re.compile(r"(?P<path>.+?)::(?P<format>[a-z_]+(?:\(.*\))?)\Z", re.DOTALL)


def suffix(path: PathLike) -> str:
    """Return the suffix of the format in lower case.

    >>> suffix("runs/A.JSONL.gz")
    '.jsonl'
    """
    return Path(_uncompressed(path)).suffix.lower()


def stem(path: PathLike) -> str:
    """Return the file name without folder, compression and format.

    >>> stem("runs/a.jsonl.gz")
    'a'
    """
    return Path(_uncompressed(path)).stem or Path(path).name


def _uncompressed(path: PathLike) -> str:
    name = Path(path).name
    for ending in COMPRESSIONS:
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name


def split_format(path: PathLike) -> tuple[Path, str | None]:
    """Return the file and the format of ``FILE::FORMAT``; a file that really has such a name is taken as it is.

    >>> split_format("runs/a.txt::bits(marks='last')")[1], split_format("a.txt")[1]
    ("bits(marks='last')", None)
    """
    match = _WITH_FORMAT.match(os.fspath(path))
    if match is None or os.path.lexists(path):
        return Path(path), None
    return Path(match["path"]), match["format"]


def file_hash(path: PathLike) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the file", path) from None


def check_output(path: PathLike, *, overwrite: bool = False) -> None:
    """Refuse to replace an existing file.

    Raises
    ------
    OutputExistsError
        If the file exists and ``overwrite`` is False.
    """
    if not overwrite and os.path.lexists(path):
        message = "exists already; write to another file, or overwrite it with --force (overwrite=True)"
        raise OutputExistsError(str(FormatError(message, path)))


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears at its path only if the block ends without an error.

    Raises
    ------
    FormatError
        If the file cannot be written.
    """
    with _faults(path), _temporary(path) as temporary:
        with temporary.open("xb") as stream:
            yield stream
        temporary.replace(path)


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    write_together({path: data})


def write_together(files: Mapping[str | Path, bytes]) -> None:
    """Write several files, each of them whole, and all of them or none."""
    with contextlib.ExitStack() as stack:
        staged: list[tuple[str | Path, Path]] = []
        for path, data in files.items():
            with _faults(path):
                temporary = stack.enter_context(_temporary(path))
                temporary.write_bytes(data)
                staged.append((path, temporary))
        for path, temporary in staged:
            with _faults(path):
                temporary.replace(path)


@contextlib.contextmanager
def _temporary(path: PathLike) -> Iterator[Path]:
    """Yield an unused path in the same folder, so that renaming is atomic; what is left there is removed."""
    temporary = Path(path).parent / f".{secrets.token_hex(8)}.tmp"
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _faults(path: PathLike) -> Iterator[None]:
    try:
        yield
    except CaesuraError:
        raise
    except OSError as error:
        message = f"cannot be written ({error.strerror or error}); check the folder and the disk"
        raise FormatError(message, path) from None
