# SPDX-License-Identifier: Apache-2.0
"""Hashes of texts, of documents and of files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from caesura.files import file_hash

__all__ = ["files_hash", "text_hash", "texts_hash"]


def text_hash(text: str) -> bytes:
    """Return 16 bytes that stand for a text: BLAKE2b of its UTF-8 form."""
    # Half a surrogate pair is no character, but a hash of it does no harm.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def texts_hash(texts: Sequence[str]) -> str:
    """Return 32 hexadecimal digits that stand for the texts of a document, in order.

    Examples
    --------
    >>> texts_hash(["ab", "c"]) == texts_hash(["a", "bc"])
    False
    """
    return hashlib.blake2b(b"".join(map(text_hash, texts)), digest_size=16).hexdigest()


def files_hash(paths: Iterable[Path], below: Path) -> str:
    """Return one SHA-256 of several files with their names, whatever order they are listed in."""
    named = {path.relative_to(below).as_posix(): file_hash(path) for path in paths}
    lines = "".join(f"{named[name]}  {name}\n" for name in sorted(named))
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
