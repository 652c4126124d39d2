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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeVar

from caesura.errors import CaesuraError, FormatError, OutputExistsError

if sys.platform != "win32":
    import fcntl

__all__ = [
    "COMPRESSIONS",
    "Content",
    "check_output",
    "file_hash",
    "is_address",
    "last_format",
    "lock",
    "output_target",
    "read_with_hash",
    "readable",
    "relative_to",
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

_READINGS = 3  # of a file that is replaced while it is read

PathLike = str | os.PathLike[str]
Content = bytes | memoryview | Callable[[IO[bytes]], object]
T = TypeVar("T")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_FORMAT = re.compile(r"[A-Za-z_]+(?:\(.*\))?\Z", re.DOTALL)


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
    return readable(Path(_uncompressed(path)).stem or Path(path).name)


def readable(name: str) -> str:
    r"""Return the name of a file with its bytes that are not UTF-8 made visible, since JSON and pages cannot hold them.

    >>> print(readable(os.fsdecode(b"\xff-a.jsonl")))
    \udcff-a.jsonl
    """
    return name.encode("utf-8", "backslashreplace").decode()


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
    return name if before == name else before.rstrip("-_. ") or readable(file.parent.name) or name


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


def relative_to(path: PathLike, folder: PathLike = ".") -> str:
    """Return a path from a folder on, with slashes; an address stays, and of a path on another drive the name is left.

    >>> relative_to("data/gold.jsonl", "runs"), relative_to("s3://bucket/gold.parquet", "runs")
    ('../data/gold.jsonl', 's3://bucket/gold.parquet')
    """
    text = os.fspath(path)
    if is_address(text):
        return text
    try:
        return readable(Path(os.path.relpath(text, folder)).as_posix())
    except ValueError:  # another drive of Windows
        return readable(Path(text).name)


def is_address(text: str) -> bool:
    """Return whether a text is an address such as ``s3://bucket/gold.parquet``."""
    return bool(_ADDRESS.match(text))


def file_hash(path: PathLike) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    return read_with_hash([path], lambda: None)[1][0]


def read_with_hash(files: Sequence[PathLike], read: Callable[[], T]) -> tuple[T, list[str]]:
    """Return what a function reads from some files, and the hashes of exactly these files.

    Reading and hashing open a file twice. If another was put in its place in between, both are done again; a file that
    changes all the time is refused.
    """
    path: PathLike = ""
    for _ in range(_READINGS):
        try:
            before = [_state(file) for file in files]
            content = read()
            hashes = []
            for path, state in zip(files, before, strict=True):
                hashes.append(_hash_once(os.fspath(path), state))
                if _state(path) != state:
                    raise _ChangedError
        except _ChangedError:
            continue
        except OSError as error:
            raise FormatError(
                f"cannot be read ({error.strerror or error}); check the file", error.filename or path
            ) from None
        return content, hashes
    raise FormatError("changes while it is read; read it when it is complete", path)


class _ChangedError(Exception):
    """A file is not the one that was there before."""


def _state(file: PathLike | int) -> tuple[int, int, int] | None:
    """Return what tells a file from another one of its name, and from itself after a change; None if there is none."""
    try:
        facts = os.stat(file)  # noqa: PTH116  (a path may be a text, or a file that is open)
    except FileNotFoundError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


@functools.lru_cache(maxsize=1024)
def _hash_once(path: str, state: tuple[int, int, int] | None) -> str:
    """Hash a file, once until it changes."""
    with open(path, "rb") as file:  # noqa: PTH123
        if _state(file.fileno()) != state:
            raise _ChangedError
        return hashlib.file_digest(file, "sha256").hexdigest()


def output_target(path: PathLike) -> Path:
    """Return the regular file that an output replaces or creates: the path, or the target of a symbolic link."""
    if "\0" in str(path):
        raise FormatError("cannot be written: the name is not valid; name another", path)
    with _faults(path):
        target = Path(os.path.realpath(path))
        try:
            mode = Path(path).stat().st_mode
        except FileNotFoundError:
            return target
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "directory", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
        kind = kinds.get(stat.S_IFMT(mode), "device")
        raise FormatError(f"is a {kind}; outputs replace regular files only, so name a file", path)
    return target


def check_output(path: PathLike, *, overwrite: bool = False) -> None:
    """Refuse to replace an existing file unless told to, and anything that is not a file."""
    output_target(path)
    if not overwrite and os.path.lexists(path):
        message = "exists already; write to another file, or overwrite it with --force (overwrite=True)"
        raise OutputExistsError(str(FormatError(message, path)))


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file for writing; it appears at its path only if the block ends without an error."""
    with _faults(path), _staged(path) as staged:
        yield staged.stream
        staged.commit()


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file completely or not at all."""
    write_together({path: data})


def write_together(files: Mapping[str | Path, Content]) -> None:
    """Write several files in order, all of them or none; a function that writes its own may know what came before."""
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
            lock(self.stream.fileno())
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


def lock(descriptor: int, *, wait: bool = True) -> bool:
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
                    if lock(stream.fileno(), wait=False):
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
