# SPDX-License-Identifier: Apache-2.0
"""Where documents were read from, and how: what it takes to read them again exactly so."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Change:
    """What was done with documents after they were read: new names, or annotators left out.

    ``names`` are those of all annotators in order of first appearance, ``ids`` those of all documents in order. Old
    names are not kept: they may be what the new ones are to hide.
    """

    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Origin:
    """The place that documents were read from, and how.

    Attributes
    ----------
    path : str
        The file, folder or pattern as an absolute path, or an address such as ``s3://bucket/gold.parquet``.
    sha256 : str
        The hash of the file that was read; of several files, that of their hashes.
    format : str or None
        The format with its options; None if the files of a folder were each detected, with different outcomes.
    files : tuple of str
        The hashes of several files, in order; empty for one file.
    changes : tuple of Change
        What was done with the documents since, in order.
    """

    path: str
    sha256: str
    format: str | None = None
    files: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @classmethod
    def of_several(cls, path: str, files: Sequence[str], format: str | None) -> Origin:  # noqa: A002
        """Return the origin of the documents of several files, from the hashes of the files in order."""
        return cls(path, hashlib.sha256("\n".join(files).encode()).hexdigest(), format, tuple(files))

    def changed(self, change: Change) -> Origin:
        """Return the origin of documents with which something more was done."""
        return dataclasses.replace(self, changes=(*self.changes, change))
