# SPDX-License-Identifier: Apache-2.0
"""Shared parts of files of vectors: opening, headers of NumPy arrays, errors in one line."""

from __future__ import annotations

import abc
import ast
import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from caesura.encoders._precomputed import ArrayFile, Precomputed, split_key
from caesura.encoders.base import EncoderKind, fingerprint
from caesura.errors import EncoderError
from caesura.files import file_hash

__all__ = ["NamedArrays", "array_faults", "read_header"]

_LONGEST_HEADER = 10_000
_LENGTHS = {b"\x01\x00": 2, b"\x02\x00": 4}  # bytes that hold the length of the header, by version


@dataclasses.dataclass(frozen=True)
class NamedArrays(EncoderKind, abc.ABC):
    """A file with one array per document id, or with one array for all, named by ``#KEY``."""

    @staticmethod
    @abc.abstractmethod
    def open(path: Path) -> ArrayFile:
        """Open the file and check its headers."""

    def load(self, *, allow_download: bool = False) -> Precomputed:
        """Open the file."""
        path, key = split_key(self.where)
        arrays = self.open(path)
        digest = getattr(arrays, "digest", None) or file_hash(path)
        self.check_hash(digest, str(path))
        return Precomputed(self.spec, fingerprint(self.name(), file=digest, key=key), arrays, key)


def read_header(stream: IO[bytes], who: str) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Check the header of an array and return its shape, its type, and whether it is stored in column order.

    NumPy's own reader also accepts headers of Python 2, and fails in many ways on damaged ones.
    """
    start = stream.read(8)
    if start[:6] != np.lib.format.MAGIC_PREFIX or start[6:] not in _LENGTHS:
        raise EncoderError(f"{who} is not a NumPy array of version 1 or 2; write it again")
    length = int.from_bytes(stream.read(_LENGTHS[start[6:]]), "little")
    if length > _LONGEST_HEADER:
        raise EncoderError(
            f"{who} has a header of {length} bytes, but an array of numbers needs at most {_LONGEST_HEADER}; write it again"
        )
    try:
        facts = ast.literal_eval(stream.read(length).decode("latin-1").strip())
        shape, descr, fortran = facts["shape"], facts["descr"], facts["fortran_order"]
        dtype = np.dtype(descr if isinstance(descr, str) else object)
    except (SyntaxError, ValueError, TypeError, KeyError, RecursionError, MemoryError):
        raise EncoderError(f"{who} has a damaged header; write it again") from None
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise EncoderError(f"{who} holds {dtype}; vectors must be float16, float32 or float64")
    if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
        raise EncoderError(f"{who} has the invalid shape {shape!r}; write it again")
    return shape, dtype, fortran is True


@contextlib.contextmanager
def array_faults(path: Path) -> Iterator[None]:
    """Report I/O errors and damaged files in one line."""
    try:
        yield
    except EncoderError:
        raise
    except FileNotFoundError:
        raise EncoderError(f"{path}: no such file; check the name") from None
    except IsADirectoryError:
        raise EncoderError(f"{path} is a directory; name a file") from None
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror or error}); check the file") from None
    except (ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise EncoderError(f"{path} is not a complete file of arrays ({error}); write it again") from None
