# SPDX-License-Identifier: Apache-2.0
"""One document; and where documents were read from, and how: what it takes to read them again exactly so."""

from __future__ import annotations

import bisect
import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from caesura.errors import SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, checked_n_units, units_agree
from caesura.table import Table, Value, as_html, columns_of

_SHOWN = 50  # units in a notebook

DATES = "annotated_at"
"""The key of a document under which the date of each annotator's work stands, by annotator."""
SECONDS = "annotator_seconds"
"""The same for the time that each annotator worked on it."""
TITLES = "annotator_titles"
"""The same for the titles of segments, each by the gap that its segment begins after; 0 is the first."""
MAJOR = "annotator_major"
"""The same for the boundaries of the upper level, where there are two."""
COMMENTS = "annotator_comments"
"""The same for comments, by gap."""
UNSURE = "annotator_unsure"
"""The same for the gaps that an annotator found difficult."""
REPEATS = "annotated_again"
"""The same for the boundaries that an annotator marked who coded the document a second time."""
BY_ANNOTATOR = (DATES, SECONDS, TITLES, MAJOR, COMMENTS, UNSURE, REPEATS)
MADE_BY = "made_by"
"""The key of a document under which its segmenter, version, parameters, vectors and cost stand."""
DECISIONS = "decisions"
"""The key of a document under which the decisions about its contested places stand."""
READ_AS = "read_as"
"""The key of a document under which its dataset and the parameters of reading it stand."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Document:
    """One document: its segmentation and its other data.

    Attributes
    ----------
    id : str
        Unique in its corpus.
    segmentation : Segmentation or None
        The segmentation, if there is one.
    n_units : int
        The number of units.
    unit : str
        The name of the unit.
    units : tuple of str or None
        The text of each unit.
    speakers : tuple of str or None
        The speaker of each unit.
    unit_times : tuple of (float, float) or None
        Start and end of each unit in seconds.
    annotations : mapping of str to Segmentation
        One segmentation per annotator.
    scores : tuple of float or None
        One boundary score per gap.
    hierarchy : tuple of Segmentation
        Segmentations from coarse to fine, each containing the previous one.
    open_ended : bool
        Whether the length is unknown because the source gives starts only (a chapter list): ``n_units`` is then the
        minimum length, and a comparison uses the length of the other side.
    extra : mapping
        Every other key of the source.
    """

    id: str
    n_units: int
    segmentation: Segmentation | None = None
    unit: str = UNSPECIFIED_UNIT
    units: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    unit_times: tuple[tuple[float, float], ...] | None = None
    annotations: Mapping[str, Segmentation] = dataclasses.field(default_factory=dict)
    scores: tuple[float, ...] | None = None
    hierarchy: tuple[Segmentation, ...] = ()
    open_ended: bool = False
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.id, str):
            # As the keys of a mapping are.
            object.__setattr__(self, "id", str(self.id))
        if any(not isinstance(name, str) for name in self.annotations):
            object.__setattr__(self, "annotations", {str(name): value for name, value in self.annotations.items()})
        try:
            object.__setattr__(self, "n_units", checked_n_units(self.n_units))
        except SegmentationError as error:
            raise SegmentationError(f"document {self.id!r}: {error}") from None
        for name, value in self._segmentations():
            if not isinstance(value, Segmentation):
                raise SegmentationError(
                    f"document {self.id!r}: {name} is a {type(value).__name__}; it must be a Segmentation"
                )
            if value.n_units != self.n_units:
                raise SegmentationError(
                    f"document {self.id!r}: {name} has {value.n_units} units, but the document has {self.n_units}"
                )
            if not units_agree(value.unit, self.unit):
                raise SegmentationError(
                    f"document {self.id!r}: {name} counts {value.unit!r}, but the document counts {self.unit!r}"
                )
        for name in ("units", "speakers", "unit_times"):
            self._check_length(name, self.n_units, "one per unit")
        self._check_length("scores", self.n_units - 1, "one per gap")

    def _repr_html_(self) -> str:
        """Return the first units for a notebook, by segment."""
        ends = None if self.segmentation is None else self.segmentation.boundaries
        shown = range(min(self.n_units, _SHOWN))
        given = {"speaker": self.speakers, "text": self.units}
        texts = {title: values for title, values in given.items() if values}
        rows: list[list[Value]] = [
            [
                None if ends is None else 1 + bisect.bisect_right(ends, unit),
                unit + 1,
                *(v[unit] for v in texts.values()),
            ]
            for unit in shown
        ]
        notes = [f"the first {len(shown)} of {self.n_units:,} units"] if len(shown) < self.n_units else []
        size = "no segmentation" if ends is None else f"{len(ends) + 1} segments"
        return as_html(
            [], [Table(columns_of("segment", "unit", *texts), rows, notes=notes, title=f"{self.id}: {size}")]
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """Who made the boundaries and how the document was read, which whoever makes another document of it keeps."""
        return {key: self.extra[key] for key in (READ_AS, MADE_BY) if key in self.extra}

    def made_further(self, **facts: Any) -> dict[str, Any]:
        """Return the `provenance` of boundaries that were made from those of this document, with what was done."""
        before = self.extra.get(MADE_BY)
        return {**self.provenance, MADE_BY: {**(before if isinstance(before, Mapping) else {}), **facts}}

    def _segmentations(self) -> Iterator[tuple[str, Segmentation]]:
        if self.segmentation is not None:
            yield "the segmentation", self.segmentation
        for name, value in self.annotations.items():
            yield f"annotator {name!r}", value
        for level, value in enumerate(self.hierarchy, start=1):
            yield f"level {level} of the hierarchy", value

    def _check_length(self, name: str, wanted: int, each: str) -> None:
        value = getattr(self, name)
        if value is not None and len(value) != wanted:
            raise SegmentationError(
                f"document {self.id!r}: {name} has {len(value)} entries; it must have {wanted}, {each}"
            )


@dataclasses.dataclass(frozen=True)
class Change:
    """What was done with documents after they were read: new names, or annotators left out.

    ``names`` are those of all annotators in order of first appearance, ``ids`` those of all documents in order. Old
    names are not kept: they may be what the new ones are to hide.
    """

    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


_COLUMNS = r"\bannotators=[^,]*?(?=,|['\"][,)])"
"""The option of a format that names the columns of annotators."""


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
    without_names : callable or None
        Returns the format without the names of annotators, for documents under new names; called only for these.
    """

    path: str
    sha256: str
    format: str | None = None
    files: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    without_names: Callable[[], str] | None = dataclasses.field(default=None, compare=False, repr=False)

    @classmethod
    def of_several(cls, path: str, files: Sequence[str], format: str | None) -> Origin:  # noqa: A002
        """Return the origin of the documents of several files, from the hashes of the files in order."""
        return cls(path, hashlib.sha256("\n".join(files).encode()).hexdigest(), format, tuple(files))

    def changed(self, change: Change) -> Origin:
        """Return the origin of documents with which something more was done; under new names, its format has no old ones."""
        shown = self.format
        if change.names and shown is not None and re.search(_COLUMNS, shown):
            shown = re.sub(_COLUMNS, "annotators=", shown) if self.without_names is None else self.without_names()
        return dataclasses.replace(self, format=shown, changes=(*self.changes, change), without_names=None)
