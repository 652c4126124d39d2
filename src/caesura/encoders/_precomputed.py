# SPDX-License-Identifier: Apache-2.0
"""Precomputed vectors: a file with one array per document, or one array for all documents.

Headers and sizes are checked before any vector is read, and nothing is ever unpickled.
"""

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus
from caesura.declare import nearest
from caesura.encoders.base import LARGEST_DIM, EncoderKind, Vectors, check_vectors, fingerprint, texts_hash
from caesura.errors import EncoderError, and_more
from caesura.files import file_hash
from caesura.strict_npy import header

__all__ = ["ArrayFile", "Member", "NamedArrays", "Precomputed", "array_faults", "read_header", "split_key"]


@dataclasses.dataclass(frozen=True)
class Member:
    """One array of a file: its shape, how to read it once the shape was checked, and `texts_hash` of its texts if stored."""

    shape: tuple[int, ...]
    read: Callable[[], npt.NDArray[Any]]
    texts: str = ""


class ArrayFile(Protocol):
    """A file with named arrays."""

    def names(self) -> Sequence[str]:
        """Return the names of the arrays."""
        ...

    def member(self, name: str) -> Member:
        """Return an array whose header was checked."""
        ...


class Precomputed:
    """Vectors read from a file, by document.

    Parameters
    ----------
    name : str
        The spec, for messages and signatures.
    fingerprint : str
        The hash of the file.
    arrays : ArrayFile
        The open file.
    key : str or None
        The array that holds the vectors of all documents, in the order of the corpus; None if there is one array per
        document id.

    Its vectors may have any length, so `normalized` is False.
    """

    normalized = False

    def __init__(self, name: str, fingerprint: str, arrays: ArrayFile, key: str | None = None) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._arrays = arrays
        self._key = key
        self._known = set(arrays.names())
        if not self._known:
            raise EncoderError(f"{name} holds no array; it must have one per document id")
        if key is not None and key not in self._known:
            raise EncoderError(f"{name}: no array is called {key!r}; {nearest(key, self._known)}")
        first = arrays.names()[0] if key is None else key
        self.dim = self._shape(arrays.member(first), f"{name}, array {first!r}" if first else name)[1]

    def of(self, document_id: str, n_units: int, texts: Sequence[str] | None = None) -> Vectors:
        """Return the vectors of a document, one per unit.

        If ``texts`` are given and the file stores a hash of its texts, it must be theirs. A file with one array for all
        documents has no ids and is read as this document's.
        """
        who = f"{self.name}, document {document_id!r}"
        if self._key is None:
            self._check_present([document_id])
        member = self._arrays.member(document_id if self._key is None else self._key)
        rows, dim = self._shape(member, who)
        if rows != n_units:
            raise EncoderError(f"{who} has {rows} vectors for {n_units} units; there must be one per unit")
        if dim != self.dim:
            raise EncoderError(self._odd_one())
        if member.texts and texts is not None and member.texts != texts_hash(texts):
            raise EncoderError(f"{who}: the vectors belong to other texts; encode the documents again")
        return check_vectors(member.read(), n_units, self.dim, who)

    def over(self, corpus: Corpus) -> dict[str, Vectors]:
        """Return the vectors of every document of a corpus, by id."""
        if self._key is None:
            self._check_present(corpus.ids)
            return {d.id: self.of(d.id, d.n_units, d.units) for d in corpus}
        counts = [int(n) for n in corpus.flat.n_units]
        member = self._arrays.member(self._key)
        if member.shape[0] != sum(counts):
            raise EncoderError(
                f"{self.name} holds {member.shape[0]} vectors, but the {len(corpus)} documents have {sum(counts)} units; "
                "it must have one row per unit, in the order of the documents"
            )
        rows, start, found = member.read(), 0, {}
        for document_id, n_units in zip(corpus.ids, counts, strict=True):
            who = f"{self.name}, document {document_id!r}"
            found[document_id] = check_vectors(rows[start : start + n_units], n_units, self.dim, who)
            start += n_units
        return found

    def _check_present(self, ids: Sequence[str]) -> None:
        missing = [key for key in ids if key not in self._known]
        if missing:
            raise EncoderError(
                f"{self.name} has no vectors of document {missing[0]!r}{and_more(len(missing))}; "
                "it needs one array per document id"
            )

    def _odd_one(self) -> str:
        """Name the arrays whose dimension differs from that of most; called only if two are known to differ."""
        dims = {}
        for name in self._arrays.names():
            with contextlib.suppress(EncoderError):  # an array with another fault is reported when it is read
                dims[name] = self._shape(self._arrays.member(name), self.name)[1]
        ((usual, count),) = collections.Counter(dims.values()).most_common(1)
        odd = [name for name, dim in dims.items() if dim != usual]
        return (
            f"{self.name}, document {odd[0]!r}{and_more(len(odd))} has vectors of dimension {dims[odd[0]]}, "
            f"but {count} of {len(dims)} arrays have {usual}; encode the document again"
        )

    def _shape(self, member: Member, who: str) -> tuple[int, int]:
        if len(member.shape) != 2:
            raise EncoderError(f"{who} has shape {member.shape}; it must have two dimensions, (units, dim)")
        if not 1 <= member.shape[1] <= LARGEST_DIM:
            raise EncoderError(f"{who} has vectors of dimension {member.shape[1]}; it must be 1 to {LARGEST_DIM}")
        return member.shape[0], member.shape[1]


def split_key(where: str) -> tuple[Path, str | None]:
    """Split ``FILE#KEY``; the name of an existing file may itself contain ``#``."""
    if Path(where).exists():
        return Path(where), None
    path, mark, key = where.rpartition("#")
    return (Path(path), key) if mark and path else (Path(where), None)


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
    """Check the header of an array and return its shape, its type, and whether it is stored in column order."""
    try:
        shape, dtype, by_column = header(stream)
    except ValueError as error:
        raise EncoderError(f"{who} {error}") from None
    if dtype.kind != "f" or dtype.itemsize > 8:
        raise EncoderError(f"{who} holds {dtype}; vectors must be float16, float32 or float64")
    return shape, dtype, by_column


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
