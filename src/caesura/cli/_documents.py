# SPDX-License-Identifier: Apache-2.0
"""Documents of a command that reads files of a format as well as published datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from caesura.corpus import Corpus

__all__ = ["read_documents"]


def read_documents(path: str, dataset: str | None, source_format: str | None, *, strict: bool) -> Corpus:
    """Return the documents of a file or folder: the original files of a dataset, or else files of a format."""
    if dataset is None:
        from caesura.formats import load

        return load(path, source_format, strict=strict)
    if source_format is not None:
        raise click.UsageError("--dataset and --from exclude each other: original files are read in their own format")
    from caesura.datasets import dataset as read

    return read(dataset, path, strict=strict)
