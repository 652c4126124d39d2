# SPDX-License-Identifier: Apache-2.0
"""``npz:FILE``: one array per document id, as written by ``caesura encode``; ``npz:FILE#KEY``: one array of all units.

The file is an ordinary npz. Comments that other readers ignore hold more: that of the archive names the encoder, and
that of each member holds the hash of the encoded texts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
import numpy.typing as npt

from caesura.declare import Card
from caesura.encoders._folder import EncodedPart, Part, PartWriter, VectorFolder, encode_part, parts_of
from caesura.encoders._precomputed import ArrayFile, Member, NamedArrays, array_faults, read_header
from caesura.encoders.base import ENCODERS, Vectors, texts_hash
from caesura.errors import EncoderError, FormatError
from caesura.files import writing

__all__ = ["EncodedPart", "Npz", "Part", "PartWriter", "VectorFolder", "encode_part", "parts_of", "write_npz"]

_SUFFIX = ".npy"
_TEXTS = b"caesura texts "
_EPOCH = (1980, 1, 1, 0, 0, 0)  # equal vectors give equal files


class _NpzFile:
    def __init__(self, path: Path) -> None:
        with _zip_faults(path):
            # Left open, so that the list of members is read once, not once per document.
            self._archive = zipfile.ZipFile(path)
        members = [info for info in self._archive.infolist() if info.filename.endswith(_SUFFIX)]
        self._path = path
        self._members = {info.filename.removesuffix(_SUFFIX): info for info in members}
        if len(self._members) != len(members):
            raise EncoderError(f"{path} contains two arrays of the same name; write it again")

    def names(self) -> Sequence[str]:
        return list(self._members)

    def member(self, name: str) -> Member:
        info, who = self._members[name], f"{self._path}, array {name!r}"
        with self._open(info) as stream:
            shape, dtype, fortran = read_header(stream, who)
            start, size = stream.tell(), math.prod(shape) * dtype.itemsize
        if info.file_size != start + size:
            raise EncoderError(
                f"{who} has {info.file_size} bytes, but its header announces {start + size}; write it again"
            )

        def read() -> npt.NDArray[Any]:
            with self._open(info) as stream:
                stream.seek(start)
                data = stream.read(size)
            return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")

        texts = info.comment.removeprefix(_TEXTS).decode("ascii", "replace")
        return Member(shape, read, texts if info.comment.startswith(_TEXTS) else "")

    @contextlib.contextmanager
    def _open(self, info: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
        with _zip_faults(self._path), self._archive.open(info) as stream:
            yield stream


@contextlib.contextmanager
def _zip_faults(path: Path) -> Iterator[None]:
    with array_faults(path):
        try:
            yield
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
            raise EncoderError(f"{path} is not a complete npz file ({error}); write it again") from None


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Npz(NamedArrays):
    """A NumPy archive with one array per document id."""

    card: ClassVar[Card] = Card(title="vectors of a NumPy archive, one array per document id")
    takes: ClassVar[str] = "FILE or npz:FILE#KEY, or a folder of vectors"

    @staticmethod
    def open(path: Path) -> ArrayFile:
        """Open the file, or the folder that caesura encode wrote."""
        return VectorFolder(path) if path.is_dir() else _NpzFile(path)


def write_npz(
    path: str | Path, documents: Iterable[tuple[str, Vectors, Sequence[str] | None]], made_by: str = ""
) -> None:
    """Write vectors by document id, whole or not at all; only one document is in memory at a time.

    ``made_by`` is the name and fingerprint of the encoder.
    """
    path = Path(path)
    with writing(path) as raw, zipfile.ZipFile(raw, "w") as archive:
        for document_id, vectors, texts in documents:
            content = io.BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(vectors), version=(1, 0), allow_pickle=False)
            archive.writestr(_info(document_id, texts, path), content.getvalue())
        archive.comment = f"caesura {made_by}".encode()[:65_535]


def _info(document_id: str, texts: Sequence[str] | None, path: Path) -> zipfile.ZipInfo:
    name = document_id + _SUFFIX
    info = zipfile.ZipInfo(name, _EPOCH)
    try:
        same = info.filename == name and len(name.encode()) < 65_536
    except UnicodeEncodeError:
        same = False
    if not same:
        raise FormatError(
            f"document id {document_id[:80]!a} is not a valid name in an npz file; rename the document", path
        )
    if texts is not None:
        info.comment = _TEXTS + texts_hash(texts).encode()
    return info
