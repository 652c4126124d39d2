# SPDX-License-Identifier: Apache-2.0
"""The base class of datasets, their registry, `dataset`, which reads one, and `built`, which makes a document of its units.

Every unit has a label, and a boundary lies between two neighbours with different labels. Labels are compared with their
type: 0, False, "" and None are four labels. A source that marks starts is given running numbers (`running`), so that a start
on a blank unit passes to the next one.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from caesura.corpus import READ_AS, Corpus, Document
from caesura.datasets.folders import files_below, opened, relative_name
from caesura.declare import Card, Declared, Registry
from caesura.errors import DeclarationError, FormatError
from caesura.formats import faults, notice, plural
from caesura.segmentation import Segmentation

__all__ = ["DATASETS", "Dataset", "DatasetCard", "Tally", "built", "dataset", "running"]

_NAMED = 5


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
            mark = {READ_AS: wanted.recipe()}
            found = wanted.read(folder, tally)
            documents = [dataclasses.replace(document, extra={**document.extra, **mark}) for document in found]
    except FormatError as error:
        raise _expected(error, wanted) from None
    if not documents:
        raise FormatError(f"holds no document of {wanted.name()}; it expects {wanted.card.files}", place)
    tally.tell(place, strict=strict)
    with faults(place):
        return Corpus(documents, name=str(place))


def _expected(error: FormatError, wanted: Dataset) -> FormatError:
    """Return an error that names the expected dataset and its files."""
    message = str(error)
    if wanted.card.files in message:
        return error
    again = FormatError(f"{message} ({wanted.name()} expects {wanted.card.files})")
    again.path, again.line = error.path, error.line
    return again


class Tally:
    """Omissions and decisions while a dataset is read, reported in one warning."""

    def __init__(self) -> None:
        self.blank = 0
        self.remarks: list[str] = []

    def remark(self, text: str, ids: Sequence[str] = ()) -> None:
        """Add a remark, with the documents it concerns."""
        shown = ", ".join(ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")
        self.remarks.append(f"{text}: {shown}" if ids else text)

    def tell(self, path: Path, *, strict: bool = False) -> None:
        """Warn about the omissions and decisions, if any."""
        blank = [f"{plural(self.blank, 'blank unit', 'blank units')} dropped"] if self.blank else []
        remarks = [*blank, *self.remarks]
        if remarks:
            notice("; ".join(remarks), path, strict=strict)


def running(starts: Iterable[bool]) -> list[int]:
    """Return the number of the segment of each unit, from whether it starts one.

    >>> running([True, False, True, False])
    [1, 1, 2, 2]
    """
    return list(itertools.accumulate(int(start) for start in starts))


def built(
    key: str,
    unit: str,
    texts: Sequence[str],
    labels: Sequence[Hashable] | None,
    tally: Tally,
    *,
    speakers: Sequence[str] | None = None,
    times: Sequence[tuple[float, float]] | None = None,
    levels: Sequence[Sequence[Hashable]] = (),
    titles: Mapping[object, str] | None = None,
    extra: Mapping[str, object] | None = None,
) -> Document:
    """Return the document with the id ``key`` of the units that have text; ``tally`` counts the others.

    ``texts``, ``labels``, ``speakers`` and ``times`` (start and end in seconds) have an entry for each unit, blank ones
    included; without labels the document has no segmentation. ``levels`` are the labels of a hierarchy above ``labels``, from
    coarse to fine, ``titles`` the title of each label, and ``extra`` is kept.
    """
    stripped = [text.strip() for text in texts]
    kept = [place for place, text in enumerate(stripped) if text]
    tally.blank += len(stripped) - len(kept)
    if not kept:
        raise FormatError(f"document {key!r} has no unit with text")

    def segmented(values: Sequence[Hashable]) -> Segmentation:
        # With its type, because 1 and True are equal.
        return Segmentation.from_labels([(type(values[i]), values[i]) for i in kept], unit=unit)

    segmentation = None if labels is None else segmented(labels)
    hierarchy = _nested([segmented(level) for level in levels], segmentation)
    more = dict(extra or {})
    if titles is not None and labels is not None and segmentation is not None:
        more["segment_titles"] = [titles.get(labels[kept[start]], "") for start, _ in segmentation.spans]
    return Document(
        id=key,
        n_units=len(kept),
        segmentation=segmentation,
        unit=unit,
        units=tuple(stripped[i] for i in kept),
        speakers=None if speakers is None else tuple(speakers[i] for i in kept),
        unit_times=None if times is None else tuple(times[i] for i in kept),
        hierarchy=hierarchy,
        extra=more,
    )


def _nested(levels: Sequence[Segmentation], finest: Segmentation | None) -> tuple[Segmentation, ...]:
    """Return nested levels: each gets the boundaries of the coarser ones."""
    if not levels or finest is None:
        return ()
    nested: list[Segmentation] = []
    above: set[int] = set()
    for level in [*levels, finest]:
        above |= set(level.boundaries)
        nested.append(Segmentation(level.n_units, sorted(above), unit=level.unit))
    return tuple(nested)
