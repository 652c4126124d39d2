# SPDX-License-Identifier: Apache-2.0
"""File names, hashes, and atomic output."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from caesura.errors import CaesuraError, FormatError, OutputExistsError

if sys.platform != "win32":
    import fcntl

__all__ = [
    "COMPRESSIONS",
    "Content",
    "check_output",
    "file_hash",
    "last_format",
    "output_target",
    "split_format",
    "split_text",
    "stem",
    "suffix",
    "system_name",
    "write_atomically",
    "write_together",
    "writing",
]

COMPRESSIONS = (".gz", ".zst")
"""Suffixes of compressed files; the suffix of the format comes before them."""

_TEMPORARY = re.compile(r"\.caesura-[0-9a-f]{16}\.tmp")
_DAY = 86_400.0

PathLike = str | os.PathLike[str]
Content = bytes | memoryview | Callable[[IO[bytes]], object]

_FORMAT = re.compile(r"[a-z_]+(?:\(.*\))?\Z", re.DOTALL)


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
    """Return the file and the format of ``FILE::FORMAT``; an existing file of that full name takes precedence.

    >>> split_format("runs/a.txt::bits(marks='last')")[1], split_format("a.txt")[1]
    ("bits(marks='last')", None)
    """
    text, own = split_text(path)
    return Path(text), own


def system_name(path: PathLike) -> str:
    """Return a name for the system of a file, of a folder, or of the files of a pattern.

    >>> system_name("runs/a.jsonl.gz"), system_name("b/*.parquet"), system_name("b/part-*.jsonl::jsonl")
    ('a', 'b', 'part')
    """
    file = split_format(path)[0]
    name = stem(file)
    before = re.split(r"[*?\[]", name)[0]
    return name if before == name else before.rstrip("-_. ") or file.parent.name or name


def split_text(path: PathLike) -> tuple[str, str | None]:
    """Do the same as `split_format`, but return the file as text: an address is not a path."""
    file, own = last_format(os.fspath(path))
    return (os.fspath(path), None) if own is None or os.path.lexists(path) else (file, own)


def last_format(text: str) -> tuple[str, str | None]:
    """Return the parts before and after the last ``::`` of a text that ends in a format, else the text and None.

    >>> last_format("cut.sh --fast::bits"), last_format("a::B.txt")
    (('cut.sh --fast', 'bits'), ('a::B.txt', None))
    """
    before, _, own = text.rpartition("::")
    return (before, own) if before and _FORMAT.match(own) else (text, None)


def file_hash(path: PathLike) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    try:
        facts = os.stat(path)  # noqa: PTH116  (the path may be a text)
        return _hash_once(os.fspath(path), facts.st_size, facts.st_mtime_ns, facts.st_ino)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the file", path) from None


@functools.lru_cache(maxsize=1024)
def _hash_once(path: str, size: int, changed: int, inode: int) -> str:
    """Hash a file, once until it changes."""
    with open(path, "rb") as file:  # noqa: PTH123
        return hashlib.file_digest(file, "sha256").hexdigest()


def output_target(path: PathLike) -> Path:
    """Return the file that an output replaces or creates: the path, or the target of a symbolic link.

    Raises
    ------
    FormatError
        If it is a directory, a device, a pipe or a socket.
    """
    if "\0" in str(path):
        raise FormatError("cannot be written: the name is not valid; name another", path)
    with _faults(path):
        target = Path(os.path.realpath(path))
        try:
            mode = Path(path).stat().st_mode
        except FileNotFoundError:
            return target
    kinds = {stat.S_ISDIR: "directory", stat.S_ISFIFO: "pipe", stat.S_ISSOCK: "socket"}
    kind = next((name for test, name in kinds.items() if test(mode)), "device")
    if not stat.S_ISREG(mode):
        raise FormatError(f"is a {kind}; outputs replace regular files only, so name a file", path)
    return target


def check_output(path: PathLike, *, overwrite: bool = False) -> None:
    """Refuse to replace an existing file, and anything that is not a file.

    Raises
    ------
    OutputExistsError
        If the file exists and ``overwrite`` is False.
    FormatError
        If it is not a regular file.
    """
    output_target(path)
    if not overwrite and os.path.lexists(path):
        message = "exists already; write to another file, or overwrite it with --force (overwrite=True)"
        raise OutputExistsError(str(FormatError(message, path)))


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file for writing; it appears at its path only if the block ends without an error.

    Raises
    ------
    FormatError
        If the file cannot be written.
    """
    with _faults(path), _staged(path) as staged:
        yield staged.stream
        staged.commit()


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file completely or not at all."""
    write_together({path: data})


def write_together(files: Mapping[str | Path, Content]) -> None:
    """Write several files, one after the other, each of them whole, and all of them or none.

    A function writes what it has to say itself; so it may know what was written before.
    """
    with contextlib.ExitStack() as stack:
        waiting: list[tuple[str | Path, _Staged]] = []
        for path, data in files.items():
            with _faults(path):
                staged = stack.enter_context(_staged(path))
                if callable(data):
                    data(staged.stream)
                else:
                    staged.stream.write(data)
                staged.stream.flush()
                waiting.append((path, staged))
        for path, staged in waiting:
            with _faults(path):
                staged.commit()


class _Staged:
    """A temporary file in the folder of its target, so that renaming is atomic."""

    def __init__(self, target: Path) -> None:
        self.target = target
        while True:
            self.path = target.parent / f".caesura-{secrets.token_hex(8)}.tmp"
            self.stream: IO[bytes] = self.path.open("xb")
            _lock(self.stream.fileno())
            if self.path.exists():  # otherwise it was swept before it was locked
                return
            self.stream.close()

    def commit(self) -> None:
        """Replace the target, keeping its permissions."""
        if not self.stream.closed:
            self.stream.flush()
        with contextlib.suppress(OSError):
            self.path.chmod(stat.S_IMODE(self.target.stat().st_mode))
        if sys.platform == "win32":
            self.stream.close()
        self.path.replace(self.target)


@contextlib.contextmanager
def _staged(path: PathLike) -> Iterator[_Staged]:
    """Yield a temporary file, removed unless committed; leftovers of killed runs are removed too."""
    target = output_target(path)
    _sweep(target.parent)
    staged = _Staged(target)
    try:
        yield staged
    finally:
        with contextlib.suppress(OSError):
            staged.stream.close()
        with contextlib.suppress(OSError):
            staged.path.unlink(missing_ok=True)


def _lock(descriptor: int, *, wait: bool = True) -> bool:
    """Lock a file until it is closed or the process ends; return whether the lock was acquired."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Remove temporary files of Caesura that no process locks; on Windows, those older than a day."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [entry for entry in entries if _TEMPORARY.fullmatch(entry.name)]
        for entry in left:
            with contextlib.suppress(OSError):
                if not entry.is_file(follow_symlinks=False):
                    continue
                if sys.platform == "win32":
                    if entry.stat().st_mtime < time.time() - _DAY:
                        Path(entry.path).unlink()
                    continue
                with Path(entry.path).open("r+b") as stream:
                    if _lock(stream.fileno(), wait=False):
                        Path(entry.path).unlink()


@contextlib.contextmanager
def _faults(path: PathLike) -> Iterator[None]:
    try:
        yield
    except CaesuraError:
        raise
    except OSError as error:
        message = f"cannot be written ({error.strerror or error}); check the folder and the disk"
        raise FormatError(message, path) from None
