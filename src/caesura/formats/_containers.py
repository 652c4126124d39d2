# SPDX-License-Identifier: Apache-2.0
"""Compressed files: read completely or refused, with a limit on their expansion."""

from __future__ import annotations

import contextlib
import gzip
import io
import zlib
from collections.abc import Iterator
from types import ModuleType
from typing import IO, Any, cast

from caesura.errors import FormatError, MissingExtraError
from caesura.limits import ALLOWANCE, RATIO

_GZIP, _ZSTANDARD = ".gz", ".zst"
_PIECE = 1 << 16
_ZSTANDARD_PIECE = 1 << 12
"""A block of four bytes can hold 128 KiB, so this bounds what one call of the library returns."""


def decompressed(raw: IO[bytes], name: str, size: int) -> IO[bytes]:
    """Return a stream of the content of a file; ``size`` is its stored size."""
    if name.lower().endswith(_GZIP):
        return bounded(_gzip_pieces(raw), size)
    if name.lower().endswith(_ZSTANDARD):
        return bounded(_zstandard_pieces(raw), size)
    return raw


@contextlib.contextmanager
def compressed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
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
    return io.BufferedReader(_Bounded(pieces, size), _PIECE)


def _gzip_pieces(raw: IO[bytes]) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=raw) as stream:
            while piece := stream.read(_PIECE):
                yield piece
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"is not a complete gzip file ({error}); compress it again") from None


def _zstandard_pieces(raw: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of all frames; a file may have several."""
    library = _zstandard()
    rest = b""
    frame: Any = None
    while piece := rest or raw.read(_ZSTANDARD_PIECE):
        # Every frame needs a new decompressor.
        frame = frame or _decompressor(library)
        try:
            content = frame.decompress(piece)
        except library.ZstdError as error:
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
