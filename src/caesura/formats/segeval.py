# SPDX-License-Identifier: Apache-2.0
"""The files of the segeval package: masses by annotator."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError, SegmentationError
from caesura.files import stem, suffix
from caesura.formats._annotators import sole
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import faults, filled_lines, read_text
from caesura.formats._json import json_file, json_line, read_json, top_keys
from caesura.formats._tables import SEGEVAL, table_row
from caesura.segmentation import Segmentation

__all__ = ["Segeval"]

_OPTIONS = {"segmentation_type": ("linear",), "boundary_format": ("mass", "position")}
"""The values of an option of a file, its default first."""
_ONLY_ANNOTATOR = "1"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Segeval(Format):
    """The files of the segeval package: masses by document and annotator.

    JSON: ``{"segmentation_type": "linear", "items": {document: {annotator: [masses]}}}``; ``"items"`` may
    also be called ``"documents"``. With ``"boundary_format": "position"`` the numbers are one segment number per unit.
    Documents may be in named groups, which become part of their ids (``G2/ch10``). Tables: a first row ``Coder``,
    ``Masses`` (or ``Positions``), then one annotator per row; the file is one document. Every annotator becomes one of
    the document's annotations; the segmentation of a sole annotator is also the document's.
    """

    card: ClassVar[Card] = Card(
        title="segeval's JSON and tables of masses by annotator",
        citation="Fournier, C. (2013). Evaluating text segmentation using boundary edit distance. ACL.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".tsv", ".csv")
    sample: ClassVar[Sample] = {"walk": {"ann": (3, 2), "ben": (2, 1, 2)}}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "annotations", "n_units"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file has segeval's keys, or the header of its tables."""
        if head.lstrip().startswith(b"{"):
            return bool(top_keys(head) & {"items", "segmentation_type"})
        return bool(SEGEVAL.match(head))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        if suffix(path) in (".tsv", ".csv"):
            return Corpus([_table(path)], name=str(path), ids_are_given=False)
        content = read_json(path, dict[str, Any])
        for option, choices in _OPTIONS.items():
            value = content.get(option, choices[0])
            if value not in choices:
                message = f"{option} is {value!r}; it must be {' or '.join(map(repr, choices))}"
                raise FormatError(message, line=json_line(path, option))
        key = "items" if "items" in content else "documents"
        items = content.get(key)
        if not isinstance(items, dict) or not items:
            message = 'has no "items": {document: {annotator: [masses]}}; add them'
            raise FormatError(message, line=json_line(path, key))
        kind = content.get("boundary_format", "mass")
        locate = functools.partial(json_line, path, key)
        documents = [
            _document("/".join(steps), codings, kind, functools.partial(locate, *steps))
            for steps, codings in _leaves(items, (), locate)
        ]
        return Corpus(documents, name=str(path))

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the JSON."""
        items: dict[str, dict[str, tuple[int, ...]]] = {}
        for document in corpus:
            codings = {name: value.masses for name, value in document.annotations.items()}
            if not codings and document.segmentation is not None:
                codings = {_ONLY_ANNOTATOR: document.segmentation.masses}
            if not codings:
                raise FormatError(f"document {document.id!r} has no segmentation to write")
            items[document.id] = codings
        yield json_file({"items": items, "segmentation_type": "linear"})


def _leaves(
    items: Mapping[str, object], groups: tuple[str, ...], locate: Callable[..., int | None]
) -> Iterator[tuple[tuple[str, ...], dict[str, list[object]]]]:
    """Yield the documents with their codings, each named by the steps through its groups."""
    for name, value in items.items():
        steps = (*groups, name)
        if not isinstance(value, dict) or not value:
            message = f"item {'/'.join(steps)!r} is not {{annotator: [masses]}}; correct it"
            raise FormatError(message, line=locate(*steps))
        if all(isinstance(coding, list) for coding in value.values()):
            yield steps, value
        else:
            yield from _leaves(value, steps, locate)


def _document(
    name: str, codings: Mapping[str, Sequence[Any]], kind: str, locate: Callable[[str], int | None]
) -> Document:
    annotations: dict[str, Segmentation] = {}
    for annotator, numbers in codings.items():
        with faults(line=functools.partial(locate, annotator)):
            try:
                labels = map(str, numbers)
                coding = Segmentation.from_masses(numbers) if kind == "mass" else Segmentation.from_labels(labels)
            except SegmentationError as error:
                raise FormatError(f"item {name!r}, annotator {annotator!r}: {error}") from None
            annotations[annotator] = coding
            first = next(iter(annotations))
            n_units = annotations[first].n_units
            if coding.n_units != n_units:
                counts = f"annotator {first!r} gives {n_units} units, but {annotator!r} gives {coding.n_units}"
                raise FormatError(f"item {name!r}: {counts}; all must segment the same units")
    return Document(id=name, n_units=n_units, segmentation=sole(annotations), annotations=annotations)


def _table(path: Path) -> Document:
    lines = list(filled_lines(read_text(path)))
    delimiter = "\t" if "\t" in lines[0][1] else ","
    rows = [(number, table_row(line, delimiter, number)) for number, line in lines]
    header = [cell.strip().casefold() for cell in rows[0][1]]
    if len(header) < 2 or header[0] != "coder" or header[1] not in ("masses", "positions"):
        raise FormatError("the first row must be 'Coder' and 'Masses' or 'Positions'; add it", line=rows[0][0])
    codings: dict[str, list[object]] = {}
    places: dict[str, int] = {}
    for number, (annotator, *cells) in rows[1:]:
        with faults(line=number):
            if annotator in codings:
                raise FormatError(
                    f"annotator {annotator!r} appears twice, first on line {places[annotator]}; keep one row"
                )
            numbers = [cell.strip() for cell in cells if cell.strip()]
            for cell in numbers:
                if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
                    raise FormatError(
                        f"annotator {annotator!r}: {cell[:30]!r} is not an integer; write numbers such as 6 3 4"
                    )
            places[annotator] = number
            codings[annotator] = [int(cell) for cell in numbers]
    if not codings:
        raise FormatError("the table has no annotator; add one row per annotator")
    return _document(stem(path), codings, "mass" if header[1] == "masses" else "position", places.get)
