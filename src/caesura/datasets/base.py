# SPDX-License-Identifier: Apache-2.0
"""The base class of datasets, their registry, and `dataset`, which reads one."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import READ_AS, Corpus, Document
from caesura.datasets.folders import files_below, opened, relative_name
from caesura.datasets.units import Tally
from caesura.declare import Card, Declared, Registry
from caesura.errors import DeclarationError, FormatError
from caesura.formats import faults

__all__ = ["DATASETS", "Dataset", "DatasetCard", "dataset"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DatasetCard(Card):
    """The public facts of a dataset.

    Attributes
    ----------
    source : str
        Where it is published.
    licence : str
        The licence, as far as one is stated.
    unit : str
        The unit of its documents.
    boundary : str
        Where a boundary lies.
    files : str
        The files that the folder must hold.
    serves : str
        Its use.
    checked : bool
        Whether the loader was tested with original files. If not, it follows the documentation of the files.
    """

    source: str
    licence: str
    unit: str
    boundary: str
    files: str
    serves: str
    checked: bool = True


@dataclasses.dataclass(frozen=True)
class Dataset(Declared):
    """A published dataset.

    A subclass declares the choices that the release leaves open as parameters, its facts as ``card``, and implements
    `documents`; one whose documents are spread over several files overrides `read`. ``patterns`` are file names below
    the folder, in order of preference: the files of the first pattern that matches are read.
    """

    card: ClassVar[DatasetCard]
    patterns: ClassVar[tuple[str, ...]] = ()

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the documents of a file; ``name`` is its path below the folder, without the suffix."""
        raise NotImplementedError  # pragma: no cover - every dataset has its own

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the documents of a folder, or of a single file."""
        for file in self.files(folder):
            with faults(file):
                yield from self.documents(file, relative_name(file, folder), tally)

    def files(self, folder: Path) -> list[Path]:
        """Return the files to read, in natural order."""
        names = [pattern.format(**self.options()) for pattern in self.patterns]
        return files_below(folder, names, self.name(), self.card.files)

    def recipe(self) -> str:
        """Return the name with all parameters, including defaults."""
        return f"{self.name()}({','.join(f'{name}={value!r}' for name, value in self.options().items())})"


DATASETS: Registry[Dataset] = Registry("dataset", "caesura.datasets", DeclarationError)


def dataset(name: str, path: str | os.PathLike[str], *, strict: bool = False, **parameters: object) -> Corpus:
    """Read a published dataset in its original files.

    Parameters
    ----------
    name : str
        A dataset, such as ``"Choi"`` or ``"QMSum(gaps='previous')"``; ``caesura datasets`` lists them.
    path : path-like
        The folder with the files, an archive of it (``.zip``, ``.tar.gz``), or one of the files.
    strict : bool
        Whether to raise an error instead of a warning when something is left out or decided, such as blank units.
    parameters
        Parameters of the dataset, in addition to those in ``name``.

    Raises
    ------
    FormatError
        If a file is missing or is not as expected; the message names the file.
    """
    wanted = DATASETS.parse(name, parameters=parameters or None)
    place = Path(path)
    tally = Tally()
    try:
        with opened(place, wanted.name()) as folder:
            documents = [_marked(document, wanted.recipe()) for document in wanted.read(folder, tally)]
    except FormatError as error:
        raise _expected(error, wanted) from None
    if not documents:
        raise FormatError(f"holds no document of {wanted.name()}; it expects {wanted.card.files}", place)
    tally.tell(place, strict=strict)
    with faults(place):
        return Corpus(documents, name=str(place))


def _marked(document: Document, recipe: str) -> Document:
    return dataclasses.replace(document, extra={**document.extra, READ_AS: recipe})


def _expected(error: FormatError, wanted: Dataset) -> FormatError:
    """Return an error that names the expected dataset and its files."""
    message = str(error)
    if wanted.card.files in message:
        return error
    again = FormatError(f"{message} ({wanted.name()} expects {wanted.card.files})")
    again.path, again.line = error.path, error.line
    return again
