# SPDX-License-Identifier: Apache-2.0
"""File access for all formats: faults with their place, warnings, size limits, UTF-8.

Compressed files are read completely or refused, with a limit on their expansion.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import IO, Any, cast

from caesura.errors import CaesuraWarning, FormatError, MissingExtraError, SegmentationError
from caesura.files import writing
from caesura.limits import ALLOWANCE, CONTENT, MEMBER, RATIO

Locate = Callable[[], int | None]
"""A function that finds a line on demand, since finding all lines in advance would be expensive."""

_BAD: ContextVar[tuple[bool, list[str]] | None] = ContextVar("bad", default=None)
"""Whether lines and files that cannot be read are left out now, and those that were."""

BOM = b"\xef\xbb\xbf"
UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16 files, which spreadsheets and PowerShell write."""

_PIECE = 1 << 20
_ADVICE = "or leave out and count what cannot be read with missing='skip' (--missing skip)"
_GZIP, _ZSTANDARD = ".gz", ".zst"
_PACKED = 1 << 16
_ZSTANDARD_PIECE = 1 << 12
"""A block of four bytes can hold 128 KiB, so this bounds what one call of the library returns."""


class Asked(FormatError):
    """A question about the meaning of a file, with the argument to copy."""


class Unlike(Asked):
    """The question what the columns or keys of a file hold; beside files that can be read it is a bad file."""


@contextlib.contextmanager
def leaving_out(missing: str | None) -> Iterator[list[str]]:
    """Yield a list for what is wrong with documents that are left out, which ``missing="skip"`` allows and "error" advises."""
    lines: list[str] = []
    token = _BAD.set(None if missing is None else (missing == "skip", lines))
    try:
        yield lines
    finally:
        _BAD.reset(token)


def leave_out(error: FormatError, path: Path, *, note: bool = True) -> None:
    """Note a line or file that cannot be read and is left out; otherwise, or if it is a question, it is an error."""
    skips, lines = _BAD.get() or (None, [])
    if skips and type(error) is FormatError:
        lines += [str(error if error.path else FormatError(str(error), path, error.line))] if note else []
    elif skips is False and type(error) is FormatError and _ADVICE not in str(error):
        advised = FormatError(f"{error}, {_ADVICE}")
        advised.path, advised.line = error.path, error.line
        raise advised from None
    else:
        raise error


def plural(number: int, thing: str, things: str) -> str:
    """Return a number with its noun."""
    return f"{number} {thing if number == 1 else things}"


def notice(message: str, path: str | Path, *, strict: bool = False, line: int | None = None) -> None:
    """Warn about a decision made for the caller; raise it as an error if strict."""
    if strict:
        raise FormatError(message, line=line)
    warnings.warn(CaesuraWarning(str(FormatError(message, path, line))), stacklevel=4)


@contextlib.contextmanager
def faults(path: Path | None = None, line: int | Locate | None = None) -> Iterator[None]:
    """Report an invalid segmentation as a `FormatError`, and add file and line to errors without them.

    A reader raises errors with the line, if there is one, and its caller adds the file.
    """
    try:
        yield
    except (FormatError, SegmentationError) as error:
        if isinstance(error, FormatError):
            if error.path is not None:
                raise
            line = line if error.line is None else error.line
        kind = type(error) if isinstance(error, Asked) else FormatError
        raise kind(str(error), path, line() if callable(line) else line) from None


@contextlib.contextmanager
def positions(locate: Callable[[int], int | None]) -> Iterator[None]:
    """Replace the list position in the ``line`` of an error by the real line, searched only after an error."""
    try:
        yield
    except FormatError as error:
        if error.line is not None:
            error.line = locate(error.line)
        raise


def library(name: str, purpose: str, extra: str) -> ModuleType:
    """Import a third-party module; without it, name the extra that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(purpose, extra) from None


@contextlib.contextmanager
def open_binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed; I/O and compression errors become `FormatError`."""
    try:
        with path.open("rb") as raw, faults(path):
            yield _decompressed(raw, path.name, os.fstat(raw.fileno()).st_size)
    except FileNotFoundError:
        raise FormatError("no such file; check the name", path) from None
    except IsADirectoryError:
        raise FormatError("is a directory; name a file in it", path) from None
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the file", path) from None


def head(path: Path, size: int = 1 << 16) -> bytes:
    """Return the first bytes, decompressed, without a byte order mark; UTF-16 is converted to UTF-8."""
    with open_binary(path) as stream:
        start = stream.read(size).removeprefix(BOM)
    return start.decode("utf-16", "ignore").encode() if start.startswith(UTF16) else start


def read_bytes(path: Path) -> bytes:
    """Return the whole content, decompressed, without a byte order mark."""
    content, most = io.BytesIO(), CONTENT.value
    with open_binary(path) as stream:
        while piece := stream.read(_PIECE):
            content.write(piece)
            if content.tell() > most:
                raise FormatError(CONTENT.refusal("is larger than"), path)
    return content.getvalue().removeprefix(BOM)


def read_text(path: Path) -> str:
    """Return the whole content as text, with all line ends converted to newlines."""
    return read_raw_text(path).replace("\r\n", "\n").replace("\r", "\n")


def read_raw_text(path: Path) -> str:
    """Return the whole content as text, with its original line ends; refuse a blank file."""
    data = read_bytes(path)
    encoding = "utf-16" if data.startswith(UTF16) else "utf-8"
    if encoding == "utf-8" and b"\0" in data:
        raise FormatError("is a binary file, not text; check its content", path)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte 0x{data[error.start]:02x} is not {encoding.upper()}; save the file as UTF-8",
            path,
            line_at(data, error.start),
        ) from None
    if not text.strip():
        raise FormatError("the file is empty; it holds no document", path)
    return text


def filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def line_at(data: bytes, place: int) -> int:
    r"""Return the line number of a byte, for any kind of line end.

    >>> line_at(b"a\nb\r\nc\rd", 7)
    4
    """
    return len(re.findall(rb"\r\n|\n|\r", data[:place])) + 1


def utf8(text: str) -> bytes:
    """Encode a string, or raise if a text file cannot hold it."""
    if "\0" in text:
        raise FormatError("a string holds a null character, which a text file cannot hold; remove it")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(f"a string holds {text[error.start]!a}, which is not a valid character; remove it") from None


@contextlib.contextmanager
def write_binary(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for atomic writing, compressed if its suffix requires it."""
    with writing(path) as raw, _compressed(raw, path.name) as stream:
        yield stream


def _decompressed(raw: IO[bytes], name: str, size: int) -> IO[bytes]:
    """Return a stream of the content of a file; ``size`` is its stored size."""
    if name.lower().endswith(_GZIP):
        return bounded(_gzip_pieces(raw), size)
    if name.lower().endswith(_ZSTANDARD):
        return bounded(_zstandard_pieces(raw), size)
    return raw


@contextlib.contextmanager
def _compressed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """Yield a stream that writes to a file, compressed according to its suffix."""
    if name.lower().endswith(_GZIP):
        # The header has no name and no time, so that equal documents give equal files.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif name.lower().endswith(_ZSTANDARD):
        with _zstandard().open(raw, "wb") as packed:
            yield packed
    else:
        yield raw


class _Bounded(io.RawIOBase):
    """Pieces of content as a stream that raises an error beyond a maximum size."""

    def __init__(self, pieces: Iterator[bytes], size: int) -> None:
        self._pieces, self._held, self._total = pieces, memoryview(b""), 0
        self._most = max(ALLOWANCE.value, RATIO.value * size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._held = memoryview(piece)
            self._total += len(piece)
            if self._total > self._most:
                raise FormatError(RATIO.refusal("expands to more than"))
        count = min(len(buffer), len(self._held))
        buffer[:count] = self._held[:count]
        self._held = self._held[count:]
        return count


def bounded(pieces: Iterator[bytes], size: int) -> IO[bytes]:
    """Return decompressed pieces as a stream that refuses to go far beyond the stored size."""
    return io.BufferedReader(_Bounded(pieces, size), _PACKED)


@contextlib.contextmanager
def unzipping(path: Path) -> Iterator[tuple[zipfile.ZipFile, Callable[[str], bytes]]]:
    """Open a zip archive, with a function that returns the bounded content of a member."""
    data = read_bytes(path)

    def member(name: str) -> bytes:
        with archive.open(name) as packed:
            content = bounded(iter(lambda: packed.read(_PACKED), b""), len(data)).read(MEMBER.value + 1)
        if len(content) > MEMBER.value:
            raise FormatError(MEMBER.refusal(f"{name[:60]!r} in it is larger than"))
        return content

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive, member
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        raise FormatError("is not a valid zip archive; pack it again") from None


def _gzip_pieces(raw: IO[bytes]) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=raw) as stream:
            while piece := stream.read(_PACKED):
                yield piece
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"is not a complete gzip file ({error}); compress it again") from None


def _zstandard_pieces(raw: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of all frames; a file may have several."""
    zstandard = _zstandard()
    rest = b""
    frame: Any = None
    while piece := rest or raw.read(_ZSTANDARD_PIECE):
        # Every frame needs a new decompressor.
        frame = frame or _decompressor(zstandard)
        try:
            content = frame.decompress(piece)
        except zstandard.ZstdError as error:
            raise FormatError(f"is not a complete Zstandard file ({error}); compress it again") from None
        if content:
            yield content
        rest = b""
        if frame.eof:
            rest, frame = frame.unused_data, None
    if frame is not None:
        raise FormatError("is not a complete Zstandard file (it ends inside a frame); compress it again")


def _decompressor(library: ModuleType) -> Any:
    maker = library.ZstdDecompressor()
    return maker.decompressobj() if hasattr(maker, "decompressobj") else maker


def _zstandard() -> ModuleType:
    """Return the Zstandard module: Python's own from 3.14 on, or the third-party package."""
    for name in ("compression.zstd", "zstandard"):
        with contextlib.suppress(ImportError):
            return __import__(name, fromlist=["open"])
    raise MissingExtraError("reading and writing .zst", "zstd")
