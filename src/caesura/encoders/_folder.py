# SPDX-License-Identifier: Apache-2.0
"""A folder of vectors: parts of some documents each, one array and one index per part, read memory-mapped.

``00000.npy`` holds the vectors of all units of the first part, ``00000.json`` the ids, lengths and hashes of the texts of its
documents, and the encoder. The index is written last, so that a part without one is not there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from caesura.batches.flat import starts_of
from caesura.corpus import Corpus, Document
from caesura.encoders._embed import embed
from caesura.encoders._model.hashing import texts_hash
from caesura.encoders._precomputed import Member
from caesura.encoders.base import Encoder, Vectors
from caesura.errors import EncoderError, OutputExistsError
from caesura.files import write_atomically, writing
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["DOCUMENTS", "Part", "VectorFolder", "encode_parts"]

DOCUMENTS = 1_000
"""Documents of a part."""
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
    """What became of a part: which it is, of how many, its units, whether it was there before, and a line per failure."""

    place: int
    parts: int
    units: int
    was_there: bool
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
        return Member((size, index.dim), lambda: _mapped(file)[start : start + size], index.texts[row])


def encode_parts(
    corpus: Corpus,
    encoder: Encoder,
    folder: Path,
    *,
    cache: bool | None = None,
    overwrite: bool = False,
    documents: int = DOCUMENTS,
) -> Iterator[Part]:
    """Encode documents part by part into a folder, and yield each part when it is whole; those that are there are skipped.

    Raises
    ------
    OutputExistsError
        If the folder holds other documents or vectors of another encoder, unless ``overwrite``.
    """
    everything = list(corpus)
    parts = [everything[start : start + documents] for start in range(0, len(everything), documents)]
    superfluous = [
        file for file in folder.glob("*.json") if file.name not in {_name(p) for p in range(len(parts))}
    ]
    for file in superfluous:
        if not overwrite:
            raise _other(folder, file)
        file.unlink()
    for place, part in enumerate(parts):
        file = folder / _name(place)
        key, units = _key(part, encoder), sum(document.n_units for document in part)
        known = _known(file)
        if known is not None and known.key != key and not overwrite:
            raise _other(folder, file)
        if known is not None and known.key == key and not known.failed:
            yield Part(place, len(parts), units, True, [])
            continue
        failed: list[str] = []
        vectors = dict(_encoded(part, encoder, cache, failed.append))
        _write(file, key, encoder, [document for document in part if document.id in vectors], vectors, part)
        yield Part(place, len(parts), units, False, failed)


def _other(folder: Path, file: Path) -> OutputExistsError:
    return OutputExistsError(
        f"{folder} holds vectors of other documents or of another encoder ({file.name}); choose another folder, or "
        "replace them with --force"
    )


def _encoded(
    part: Sequence[Document], encoder: Encoder, cache: bool | None, tell: Callable[[str], None]
) -> Iterator[tuple[str, Vectors]]:
    """Yield the vectors of documents; if some fail, they are told, and the others encoded one by one."""
    try:
        yield from embed(Corpus(part), encoder, cache=cache).items()
        return
    except EncoderError:
        pass
    for document in part:
        try:
            yield from embed(Corpus([document]), encoder, cache=cache).items()
        except EncoderError as error:
            tell(f"document {document.id!r}: {error}")


def _name(place: int) -> str:
    return f"{place:05}.json"


def _key(part: Sequence[Document], encoder: Encoder) -> str:
    """Return a hash of the encoder, and of the ids and texts of a part."""
    facts = [(document.id, texts_hash(document.units or ())) for document in part]
    return hashlib.sha256(msgspec.json.encode([encoder.fingerprint, encoder.dim, facts])).hexdigest()


def _write(
    file: Path,
    key: str,
    encoder: Encoder,
    kept: Sequence[Document],
    vectors: dict[str, Vectors],
    part: Sequence[Document],
) -> None:
    """Write a part: the array, and then the index."""
    rows = np.concatenate([vectors[d.id] for d in kept] or [np.empty((0, encoder.dim), np.float32)]).astype(
        np.float32
    )
    file.unlink(missing_ok=True)  # an index must never belong to another array
    with writing(file.with_suffix(".npy")) as stream:
        np.lib.format.write_array(stream, rows, version=(1, 0), allow_pickle=False)
    index = _Index(
        key,
        encoder.name,
        encoder.fingerprint,
        encoder.dim,
        [d.id for d in kept],
        [len(vectors[d.id]) for d in kept],
        [texts_hash(d.units or ()) for d in kept],
        [d.id for d in part if d.id not in vectors],
    )
    write_atomically(file, msgspec.json.encode(index) + b"\n")


def _known(file: Path) -> _Index | None:
    """Return the index of a part that is whole; None if there is none, or a damaged one."""
    try:
        index = _read_index(file)
        _check_size(file.with_suffix(".npy"), index)
    except EncoderError:
        return None
    return index


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
    shape, wanted = _mapped(file).shape, (sum(index.sizes), index.dim)
    if shape != wanted:
        raise EncoderError(f"{file} has the shape {shape}, its index says {wanted}; encode again")


def _mapped(file: Path) -> Vectors:
    from caesura.encoders.npy import mapped_array

    array: Vectors = mapped_array(file)
    return array
