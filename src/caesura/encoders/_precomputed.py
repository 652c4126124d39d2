# SPDX-License-Identifier: Apache-2.0
"""Precomputed vectors: a file with one array per document, or one array for all documents.

Headers and sizes are checked before any vector is read, and nothing is ever unpickled.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from caesura.corpus import Corpus
from caesura.declare import nearest
from caesura.encoders._model.hashing import texts_hash
from caesura.encoders.base import LARGEST_DIM, Vectors, check_vectors
from caesura.errors import EncoderError, and_more

__all__ = ["ArrayFile", "Member", "Precomputed", "split_key"]


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
        self._check_rows(member, n_units, who)
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

    def _check_rows(self, member: Member, n_units: int, who: str) -> None:
        rows, dim = self._shape(member, who)
        if rows != n_units:
            raise EncoderError(f"{who} has {rows} vectors for {n_units} units; there must be one per unit")
        if dim != self.dim:
            raise EncoderError(self._odd_one())

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
