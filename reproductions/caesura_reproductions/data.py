# SPDX-License-Identifier: Apache-2.0
"""The files that items read: their locations, and whether they are the released ones.

``files.csv`` has the size and the SHA-256 of every released file. A different file is refused, with the likely difference: line
ends, encoding, or a missing part. ``released.zip`` has the small ones that contain only numbers, for use without a folder.
"""

from __future__ import annotations

import csv
import functools
import gzip
import hashlib
import zipfile
from pathlib import Path

from caesura.errors import FormatError

__all__ = ["Data", "released_files", "shipped_files"]

_RELEASED = "reproduction"
_SHIPPED = "released.zip"
_LINE_ENDS = {"Windows line ends": b"\r\n", "old Mac line ends": b"\r"}
_ENCODINGS = {"UTF-8 with a byte order mark": "utf-8-sig", "UTF-16": "utf-16", "Latin-1": "latin-1"}


class Data:
    """A folder of data: corpora, and the released files below ``reproduction``; that subfolder may be given instead.

    ``given`` is whether there is a folder, ``model`` the folder of a trained scorer of the user.
    """

    def __init__(self, folder: str | Path | None, model: str | Path | None = None) -> None:
        self.given = folder is not None
        self.model = model
        self.folder = Path(folder or "")

    def path(self, name: str) -> Path:
        """Return the path of a file or folder, such as ``choi`` or ``reproduction/tiage_masses.json``."""
        places = [self.folder / name]
        if name.startswith(f"{_RELEASED}/"):
            places.append(self.folder / name.removeprefix(f"{_RELEASED}/"))
        if self.folder.name == _RELEASED:
            places.append(self.folder.parent / name)
        for place in places:
            if place.exists():
                return place
        shipped = "; the package has a copy, which is read without --data and CAESURA_DATA" * (name in shipped_files())
        raise FormatError(f"is missing; the numbers that were requested are computed from it{shipped}", places[0])

    def read(self, name: str) -> bytes:
        """Return the content of a released file, uncompressed, if it is the released one.

        Without a folder it is the copy in the package.
        """
        if not self.given:
            with zipfile.ZipFile(Path(__file__).with_name(_SHIPPED)) as shipped:
                data = shipped.read(name)
            return gzip.decompress(data) if name.endswith(".gz") else data
        path = self.path(name)
        size, digest = released_files()[name]
        if not path.is_file():
            raise FormatError(f"is not a file; expected the released file ({size:,} bytes)", path)
        try:
            # A file of another size is refused; the limit keeps a huge file out of memory.
            with path.open("rb") as file:
                data = file.read(2 * size + 4096)
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror or error})", path) from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise FormatError(_what_is_wrong(data, size, digest), path)
        return gzip.decompress(data) if path.suffix == ".gz" else data


@functools.cache
def shipped_files() -> frozenset[str]:
    """Return the names of the released files in the package."""
    with zipfile.ZipFile(Path(__file__).with_name(_SHIPPED)) as shipped:
        return frozenset(shipped.namelist())


@functools.cache
def released_files() -> dict[str, tuple[int, str]]:
    """Return the size and the SHA-256 of every released file."""
    with Path(__file__).with_name("files.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: (int(row["bytes"]), row["sha256"]) for row in csv.DictReader(file)}


def _what_is_wrong(data: bytes, size: int, digest: str) -> str:
    expected = f"expected {size:,} bytes with SHA-256 {digest[:16]}"
    for name, end in _LINE_ENDS.items():
        if hashlib.sha256(data.replace(end, b"\n")).hexdigest() == digest:
            return f"has {name}; expected the released file, with line feeds ({size:,} bytes)"
    for name, encoding in _ENCODINGS.items():
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        if hashlib.sha256(text.encode()).hexdigest() == digest:
            return f"is encoded in {name}; expected the released file, in UTF-8 ({size:,} bytes)"
    if len(data) < size:
        return f"has {len(data):,} bytes, so a part is missing or it is another version; {expected}"
    return f"is another version of the released file; {expected}"
