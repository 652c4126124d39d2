# SPDX-License-Identifier: Apache-2.0
"""``npy:FILE``: one array with the vectors of all units, document after document."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np

from caesura.declare import Card
from caesura.encoders._precomputed import Member, Precomputed
from caesura.encoders.base import ENCODERS, EncoderKind, fingerprint
from caesura.errors import EncoderError
from caesura.files import file_hash

__all__ = ["Npy", "array_faults", "read_header"]

_LONGEST_HEADER = 10_000
_LENGTHS = {b"\x01\x00": 2, b"\x02\x00": 4}  # bytes that hold the length of the header, by version


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Npy(EncoderKind):
    """A NumPy file with one row per unit of the corpus, in the order of the documents."""

    card: ClassVar[Card] = Card(title="vectors of a NumPy file, one row per unit")
    takes: ClassVar[str] = "FILE"

    def load(self, *, allow_download: bool = False) -> Precomputed:
        """Open the file."""
        path = Path(self.where)
        arrays = _NpyFile(path)
        digest = file_hash(path)
        self.check_hash(digest, str(path))
        return Precomputed(self.spec, fingerprint("npy", file=digest), arrays, key="")


class _NpyFile:
    def __init__(self, path: Path) -> None:
        with array_faults(path), path.open("rb") as stream:
            shape, dtype, fortran = read_header(stream, str(path))
            self._start = stream.tell()
            wanted = self._start + math.prod(shape) * dtype.itemsize
            size = path.stat().st_size
        if size != wanted:
            raise EncoderError(f"{path} has {size} bytes, its header says {wanted}; write it again")
        self._path, self._shape, self._dtype, self._order = path, shape, dtype, "F" if fortran else "C"

    def names(self) -> Sequence[str]:
        return [""]

    def member(self, name: str) -> Member:
        return Member(self._shape, self._read)

    def _read(self) -> Any:
        if 0 in self._shape:
            return np.zeros(self._shape)
        # Mapped, so that only the rows of one document are in memory at a time.
        order: Any = self._order
        with array_faults(self._path):
            return np.memmap(self._path, self._dtype, "r", self._start, self._shape, order)


def read_header(stream: IO[bytes], who: str) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Return shape, type and order (True for column after column) of an array, its header checked.

    NumPy's own reader also takes headers of Python 2, and fails in many ways on damaged ones.
    """
    start = stream.read(8)
    if start[:6] != np.lib.format.MAGIC_PREFIX or start[6:] not in _LENGTHS:
        raise EncoderError(f"{who} is no NumPy array of version 1 or 2; write it again")
    length = int.from_bytes(stream.read(_LENGTHS[start[6:]]), "little")
    if length > _LONGEST_HEADER:
        raise EncoderError(
            f"{who} has a header of {length} bytes, which plain numbers do not need; write it again"
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
        raise EncoderError(f"{who} has shape {shape!r}; write it again")
    return shape, dtype, fortran is True


@contextlib.contextmanager
def array_faults(path: Path) -> Iterator[None]:
    """Turn faults of the system and of the file into one line."""
    try:
        yield
    except EncoderError:
        raise
    except FileNotFoundError:
        raise EncoderError(f"{path}: no such file; check the name") from None
    except IsADirectoryError:
        raise EncoderError(f"{path} is a directory; name a file") from None
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise EncoderError(f"{path} is no whole file of arrays ({error}); write it again") from None
