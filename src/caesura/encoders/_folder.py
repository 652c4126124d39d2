# SPDX-License-Identifier: Apache-2.0
"""A folder of vectors: parts of some documents each, one array and one index per part, read memory-mapped.

``00000.npy`` holds the vectors of all units of the first part, ``00000.json`` the ids, lengths and hashes of the texts of its
documents, and the encoder. The index is written last, so that a part without one is not there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from caesura.batches.flat import starts_of
from caesura.corpus import Corpus, Document
from caesura.encoders._embed import embed
from caesura.encoders._precomputed import Member
from caesura.encoders.base import Encoder, Vectors, texts_hash
from caesura.encoders.cache.store import Cache
from caesura.encoders.npy import mapped_array
from caesura.errors import EncoderError, OutputExistsError, shareable
from caesura.files import write_atomically, writing
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["EncodedPart", "Part", "PartWriter", "VectorFolder", "encode_part", "parts_of"]

DOCUMENTS, UNITS = 1_000, 100_000
"""The most documents of a part, and the most units."""
_SCHEMA = "caesura.vectors/1"


class _Index(msgspec.Struct, forbid_unknown_fields=True):
    """What is known of a part; ``failed`` are the ids of documents that the encoder could not encode."""

    key: str
    encoder: str
    fingerprint: str
    dim: int
    ids: list[str]
    sizes: list[int]
    texts: list[str]
    failed: list[str]
    schema: str = _SCHEMA


class Part(NamedTuple):
    """Some documents that are encoded together: which part of a folder they are, and the documents."""

    place: int
    documents: Sequence[Document]

    @property
    def units(self) -> int:
        """The number of vectors."""
        return sum(document.n_units for document in self.documents)


class EncodedPart(NamedTuple):
    """The vectors of a part by document id, and a line for each document that the encoder could not encode."""

    vectors: dict[str, Vectors]
    failed: list[str]


class VectorFolder:
    """The arrays of a folder, by document id."""

    def __init__(self, path: Path) -> None:
        self._where: dict[str, tuple[int, int, int]] = {}
        self._parts = [(file.with_suffix(".npy"), _read_index(file)) for file in sorted(path.glob("*.json"))]
        if not self._parts:
            raise EncoderError(f"{path} holds no vectors; write them with caesura encode DOCS -o {path}")
        made = {(index.fingerprint, index.dim) for _, index in self._parts}
        if len(made) > 1:
            raise EncoderError(f"{path} holds vectors of several encoders; encode into another folder")
        for place, (file, index) in enumerate(self._parts):
            _check_size(file, index)
            for row, (key, start) in enumerate(zip(index.ids, starts_of(index.sizes), strict=False)):
                if key in self._where:
                    raise EncoderError(f"{path}: document {key!r} is in two parts; encode again with --force")
                self._where[key] = place, row, int(start)
        keys = "".join(index.key for _, index in self._parts)
        self.digest = hashlib.sha256(keys.encode()).hexdigest()

    def names(self) -> Sequence[str]:
        """Return the ids of the documents."""
        return list(self._where)

    def member(self, name: str) -> Member:
        """Return the vectors of a document; they are mapped, and read when they are used."""
        place, row, start = self._where[name]
        file, index = self._parts[place]
        size = index.sizes[row]
        return Member((size, index.dim), lambda: mapped_array(file)[start : start + size], index.texts[row])


def parts_of(corpus: Corpus, documents: int = DOCUMENTS, units: int = UNITS) -> list[Part]:
    """Cut documents into parts of at most so many documents, and so many units unless one document has more."""
    parts: list[list[Document]] = []
    held = 0
    for document in corpus:
        if not parts or len(parts[-1]) == documents or held + document.n_units > units:
            parts.append([])
            held = 0
        parts[-1].append(document)
        held += document.n_units
    return [Part(place, part) for place, part in enumerate(parts)]


def encode_part(part: Part, encoder: Encoder, cache: Cache | bool | None = None) -> EncodedPart:
    """Encode a part; if the encoder fails on some documents, but not on all, they are told, and the others encoded one by one."""
    try:
        return EncodedPart(embed(Corpus(part.documents), encoder, cache=cache), [])
    except EncoderError as error:
        first = error
    vectors: dict[str, Vectors] = {}
    failed = []
    for document in part.documents:
        try:
            vectors |= embed(Corpus([document]), encoder, cache=cache)
        except EncoderError as error:
            failed.append(f"document {document.id!r}: {error}")
    if not vectors:
        raise first
    return EncodedPart(vectors, failed)


class PartWriter:
    """Writes parts into a folder, each whole; ``overwrite`` allows to replace other documents or another encoder's vectors."""

    def __init__(self, folder: Path, encoder: Encoder, *, overwrite: bool = False) -> None:
        self.folder, self._overwrite = folder, overwrite
        self._name, self._fingerprint, self._dim = shareable(encoder.name), encoder.fingerprint, encoder.dim

    def make_room(self, parts: int) -> None:
        """Refuse a folder that holds more than these parts, or remove the others if that is allowed."""
        names = {_name(place) for place in range(parts)}
        for file in self.folder.glob("*.json"):
            if file.name in names:
                continue
            if not self._overwrite:
                raise self._other(file)
            file.unlink()

    def is_whole(self, part: Part) -> bool:
        """Say whether a part is there, with all its documents; refuse other documents or another encoder in its place."""
        file = self.folder / _name(part.place)
        try:
            known = _read_index(file)
            _check_size(file.with_suffix(".npy"), known)
        except EncoderError:
            return False  # not there, or damaged
        same = known.key == self.key(part)
        if not same and not self._overwrite:
            raise self._other(file)
        return same and not known.failed

    def write(self, part: Part, encoded: EncodedPart) -> None:
        """Write a part: the array, and then the index."""
        file, vectors = self.folder / _name(part.place), encoded.vectors
        kept = [document for document in part.documents if document.id in vectors]
        rows = np.concatenate([np.empty((0, self._dim)), *(vectors[d.id] for d in kept)], dtype=np.float32)
        file.unlink(missing_ok=True)  # an index must never belong to another array
        with writing(file.with_suffix(".npy")) as stream:
            np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(rows))
            stream.write(rows.data)  # not by NumPy, which does not say that a disk is full
        index = _Index(
            self.key(part),
            self._name,
            self._fingerprint,
            self._dim,
            [d.id for d in kept],
            [len(vectors[d.id]) for d in kept],
            [texts_hash(d.units or ()) for d in kept],
            [d.id for d in part.documents if d.id not in vectors],
        )
        write_atomically(file, msgspec.json.encode(index) + b"\n")

    def key(self, part: Part) -> str:
        """Return a hash of the encoder, and of the ids and texts of a part."""
        facts = [(document.id, texts_hash(document.units or ())) for document in part.documents]
        return hashlib.sha256(msgspec.json.encode([self._fingerprint, self._dim, facts])).hexdigest()

    def _other(self, file: Path) -> OutputExistsError:
        return OutputExistsError(
            f"{self.folder} holds vectors of other documents or of another encoder ({file.name}); choose another folder, "
            "or replace them with --force"
        )


def _name(place: int) -> str:
    return f"{place:05}.json"


def _read_index(file: Path) -> _Index:
    try:
        index = msgspec.convert(decode(file.read_bytes()), _Index)
    except OSError as error:
        raise EncoderError(f"{file}: cannot be read ({error.strerror or error}); check the file") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, RepeatedKeyError) as error:
        raise EncoderError(f"{file} is a damaged index of vectors ({error}); encode again") from None
    same = len(index.ids) == len(index.sizes) == len(index.texts)
    if index.schema != _SCHEMA or not same or index.dim < 1 or min(index.sizes, default=0) < 0:
        raise EncoderError(f"{file} is a damaged index of vectors (its parts do not fit); encode again")
    return index


def _check_size(file: Path, index: _Index) -> None:
    """Refuse an array that is not the one of its index."""
    shape, wanted = mapped_array(file).shape, (sum(index.sizes), index.dim)
    if shape != wanted:
        raise EncoderError(f"{file} has the shape {shape}, its index says {wanted}; encode again")
