# SPDX-License-Identifier: Apache-2.0
"""``npy:FILE``: one array with the vectors of all units, in the order of the documents."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from caesura.declare import Card
from caesura.encoders._precomputed import Member, Precomputed, array_faults, read_header
from caesura.encoders.base import ENCODERS, EncoderKind, fingerprint
from caesura.errors import EncoderError
from caesura.files import file_hash

__all__ = ["Npy", "mapped_array"]


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
            raise EncoderError(f"{path} has {size} bytes, but its header announces {wanted}; write it again")
        self._path, self._shape, self._dtype, self._order = path, shape, dtype, "F" if fortran else "C"

    def names(self) -> Sequence[str]:
        return [""]

    def member(self, name: str) -> Member:
        return Member(self._shape, self._read)

    def _read(self) -> Any:
        if 0 in self._shape:
            return np.zeros(self._shape)
        # Memory-mapped, so that only the rows of one document are in memory at a time.
        order: Any = self._order
        with array_faults(self._path):
            return np.memmap(self._path, self._dtype, "r", self._start, self._shape, order)


def mapped_array(path: Path) -> Any:
    """Return the array of a file, mapped into memory; its header and size are checked.

    A file is mapped once for as long as it stays as it is: a process may have some ten thousand mappings, fewer than documents.
    """
    with array_faults(path):
        facts = path.stat()
    return _mapped_once(path, facts.st_size, facts.st_mtime_ns, facts.st_ino)


@functools.lru_cache(maxsize=1024)
def _mapped_once(path: Path, size: int, changed: int, inode: int) -> Any:
    return _NpyFile(path).member("").read()
