# SPDX-License-Identifier: Apache-2.0
"""Hashes of texts, documents and files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from caesura.files import file_hash

__all__ = ["files_hash", "text_hash", "texts_hash"]


def text_hash(text: str) -> bytes:
    """Return a hash of 16 bytes: BLAKE2b of the text in UTF-8."""
    # A lone surrogate is not a character, but can be hashed.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def texts_hash(texts: Sequence[str]) -> str:
    """Return a hash of 32 hexadecimal digits of the texts of a document, in order.

    Examples
    --------
    >>> texts_hash(["ab", "c"]) == texts_hash(["a", "bc"])
    False
    """
    return hashlib.blake2b(b"".join(map(text_hash, texts)), digest_size=16).hexdigest()


def files_hash(paths: Iterable[Path], below: Path) -> str:
    """Return one SHA-256 of several files and their names, independent of their order."""
    named = {path.relative_to(below).as_posix(): file_hash(path) for path in paths}
    lines = "".join(f"{named[name]}  {name}\n" for name in sorted(named))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
