# SPDX-License-Identifier: Apache-2.0
"""Many documents."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, starts_of
from caesura.corpus._annotators import FEW_ANNOTATORS, consensus_of, few_annotators, known_annotators, renamed, without
from caesura.corpus._document import MADE_BY, READ_AS, Change, Document, Origin
from caesura.corpus._ids import Numbered, Packed, check_unique, drawing_order
from caesura.errors import CaesuraWarning, ComparabilityError, SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, Spelled, look_like_starts, segmentation_of, units_agree
from caesura.table import Table, Value, as_html, columns_of

_SHOWN = 10  # documents in a notebook

_MAKERS = ("method", "selector", "encoder")


class Corpus:
    """Documents in order, with unique ids and a common unit.

    Parameters
    ----------
    documents : iterable of Document
        The documents.
    name : str, optional
        The source of the documents, for messages.
    ids_are_given : bool
        False if a reader made up the ids because the source has none; two such corpora of one document each are
        compared regardless of their ids.

    Examples
    --------
    >>> corpus = Corpus.from_segmentations({"d1": Segmentation(13, (6, 9))})
    >>> corpus["d1"].segmentation
    Segmentation(13, (6, 9))
    """

    ids: Sequence[str]
    """The ids, in order."""
    flat: Flat
    """The segmentations as arrays; a document without one counts as having no boundary (see `present`)."""
    unit: str
    """The unit of all documents."""
    open_rows: frozenset[int]
    """The indices of open-ended documents."""
    origin: Origin | None
    """Where the documents were read from, and how; None if they were not read from a file."""
    _present: npt.NDArray[np.bool_] | None
    _rich: Sequence[Document] | None
    _given: Sequence[Segmentation] | None
    _details: Callable[[int], Mapping[str, Any]] | None

    def __init__(self, documents: Iterable[Document], *, name: str = "", ids_are_given: bool = True) -> None:
        kept = list(documents)
        for place, each in enumerate(kept, start=1):
            if not isinstance(each, Document):
                raise SegmentationError(
                    f"document {place} is a {type(each).__name__}; it must be a Document (of segmentations: Corpus.from_segmentations)"
                )
        present = np.array([d.segmentation is not None for d in kept], dtype=bool)
        flat = Flat.from_segmentations([d.segmentation or Segmentation(d.n_units) for d in kept])
        ids = [d.id for d in kept]
        check_unique(ids, name)
        self._fill(ids, flat, _one_unit(ids, [d.unit for d in kept], name), name, ids_are_given)
        self._rich = kept
        self.open_rows = frozenset(row for row, d in enumerate(kept) if d.open_ended)
        if not present.all():
            self._present = present

    @classmethod
    def from_flat(
        cls,
        ids: Sequence[str],
        flat: Flat,
        *,
        unit: str = UNSPECIFIED_UNIT,
        name: str = "",
        ids_are_given: bool = True,
        present: npt.NDArray[np.bool_] | None = None,
        details: Callable[[int], Mapping[str, Any]] | None = None,
    ) -> Corpus:
        """Make a corpus from flat arrays; ``present`` says which documents have a segmentation, if not all.

        ``details`` returns the other fields of the document at an index, such as its ``units``; it is called on access.
        """
        if len(ids) != len(flat):
            raise SegmentationError(f"{len(ids)} ids for {len(flat)} documents")
        if not isinstance(ids, Numbered):
            check_unique(ids, name)
        self = cls.__new__(cls)
        self._fill(ids if isinstance(ids, (Numbered, Packed)) else list(ids), flat, unit, name, ids_are_given)
        if present is not None and not present.all():
            self._present = np.array(present, dtype=bool)
        self._details = details
        return self

    @classmethod
    def from_segmentations(
        cls, segmentations: Mapping[str, Spelled], *, name: str = "", marks: str | None = None
    ) -> Corpus:
        """Make a corpus from a mapping of id to segmentation, or to bits (`caesura.segmentation.segmentation_of`).

        Bits mark gaps unless ``marks`` says otherwise. Lists in which every document begins with a 1 are refused without it.
        """
        if not isinstance(segmentations, Mapping):
            raise SegmentationError(
                f"segmentations are a {type(segmentations).__name__}; give a mapping of document id to segmentation"
            )
        ids, values = list(segmentations), list(segmentations.values())
        if set(map(type, ids)) - {str}:
            ids = list(map(str, ids))
            check_unique(ids, name)
        if set(map(type, values)) - {Segmentation}:
            bits = [cast("Sequence[object]", value) for value in values if isinstance(value, (list, tuple, np.ndarray))]
            values = [
                segmentation_of(value, f"document {key!r}", marks=marks) for key, value in zip(ids, values, strict=True)
            ]
            if marks is None and look_like_starts(bits):
                raise SegmentationError(
                    f"{name or 'the segmentations'}: every document begins with a 1, as if flags marked the first unit of a "
                    "segment; say marks='first', or marks='gap' if there is one for each gap"
                )
        given = cast("list[Segmentation]", values)
        self = cls.__new__(cls)
        flat, units = Flat.with_units(given)
        self._fill(ids, flat, _one_unit(ids, units, name), name, True)
        self._given = given
        return self

    @classmethod
    def joined(cls, corpora: Sequence[Corpus], *, name: str = "") -> Corpus:
        """Return one corpus with the documents of several corpora, concatenated."""
        if any((each._rich, each._given, each._details) != (None, None, None) for each in corpora):
            return cls([document for each in corpora for document in each], name=name)
        filled = [each for each in corpora if len(each)]
        sizes = np.concatenate([np.diff(each.flat.ptr) for each in filled] or [np.empty(0, np.int64)])
        flat = Flat(
            np.concatenate([each.flat.n_units for each in filled] or [sizes]),
            starts_of(sizes),
            np.concatenate([each.flat.pos for each in filled] or [sizes]),
        )
        ids = [key for each in filled for key in each.ids]
        unit = _one_unit([each.ids[0] for each in filled], [each.unit for each in filled], name)
        present = np.concatenate([each.present for each in filled] or [np.empty(0, bool)])
        return cls.from_flat(ids, flat, unit=unit, name=name, present=present)

    def _fill(self, ids: Sequence[str], flat: Flat, unit: str, name: str, ids_are_given: bool) -> None:
        self.ids, self.flat, self.unit = ids, flat, unit
        self.name, self.ids_are_given = name, ids_are_given
        self.open_rows, self.origin = frozenset(), None
        self._present = self._rich = self._given = self._details = None

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Whether each document has a segmentation."""
        return np.ones(len(self), dtype=bool) if self._present is None else self._present

    @property
    def bare(self) -> bool:
        """Whether the documents have nothing but ids and segmentations."""
        return self._rich is None and self._details is None

    @property
    def lazy(self) -> bool:
        """Whether texts and other fields are decoded when a document is asked for."""
        return self._details is not None

    @property
    def complete(self) -> bool:
        """Whether every document has a segmentation."""
        return self._present is None

    @functools.cached_property
    def read_as(self) -> str:
        """The dataset and the parameters with which all documents were read; empty if they differ or none is recorded."""
        recipes = {document.extra.get(READ_AS) for document in self._rich or ()}
        recipe = recipes.pop() if len(recipes) == 1 else None
        return recipe if isinstance(recipe, str) else ""

    @functools.cached_property
    def _recipes(self) -> list[Mapping[str, Any]]:
        recipes = (document.extra.get(MADE_BY) for document in self._rich or ())
        return [recipe for recipe in recipes if isinstance(recipe, Mapping)]

    @property
    def by_oracle(self) -> bool:
        """Whether the segmenter that made the documents read the number of their boundaries from a reference."""
        return any(recipe.get("oracle") is True for recipe in self._recipes)

    @property
    def made_by(self) -> dict[str, str]:
        """Who made the boundaries (``method``, ``selector``) and with which vectors (``encoder``), as far as all documents agree."""
        said = {key: {_text(recipe.get(key)) for recipe in self._recipes} for key in _MAKERS}
        agreed = {key: values.pop() for key, values in said.items() if len(values) == 1}
        return {key: text for key, text in agreed.items() if text} if len(self._recipes) == len(self) else {}

    def row(self, document_id: str) -> int:
        """Return the index of a document."""
        return self._rows[document_id]

    @functools.cached_property
    def _rows(self) -> dict[str, int]:
        if isinstance(self.ids, Packed):
            self.ids = list(self.ids)  # the mapping holds the strings anyway
        return {key: row for row, key in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, document_id: object) -> bool:
        return isinstance(document_id, str) and document_id in self._rows

    def __iter__(self) -> Iterator[Document]:
        return (self._document(row) for row in range(len(self)))

    def __getitem__(self, document_id: str) -> Document:
        return self._document(self._known_row(document_id))

    def _known_row(self, document_id: str) -> int:
        try:
            return self.row(document_id)
        except KeyError:
            raise KeyError(f"no document {document_id!r} in {self.name or 'the corpus'}") from None

    def share(self, other: Corpus) -> None:
        """Share ids and lengths with another corpus if they are equal, since they take much of the memory of a large corpus."""
        if self.ids == other.ids:
            self.ids = other.ids
            if np.array_equal(self.flat.n_units, other.flat.n_units):
                self.flat = Flat._known(other.flat.n_units, self.flat.ptr, self.flat.pos)

    def segmentation(self, document: str | int) -> Segmentation:
        """Return the segmentation of a document, named by its id or its index.

        >>> corpus = Corpus.from_segmentations({"d1": Segmentation(13, (6, 9))})
        >>> corpus.segmentation("d1") == corpus.segmentation(0)
        True
        """
        if isinstance(document, str):
            return self.flat.segmentation(self._known_row(document), self.unit)
        try:
            return self.flat.segmentation(document, self.unit)
        except (IndexError, TypeError):
            raise SegmentationError(
                f"{document!r} is no document of {self.name or 'the corpus'}; give an id, or an index below {len(self)}"
            ) from None

    def consensus(self, threshold: float, *, near: bool = False, min_annotators: int = FEW_ANNOTATORS) -> Corpus:
        """Return the corpus with the boundaries that at least a given share of the annotators marked.

        Parameters
        ----------
        threshold : float
            The minimum share of a document's annotators; 0 selects every boundary that any of them marked (the
            union), 1 those that all of them marked. At least this share: of two annotators, 0.5 is the union.
        near : bool
            Join boundaries within half a window (half of half the mean segment over all annotators), at the gap with
            most support: each annotator supports it with their nearest boundary.
        min_annotators : int
            Documents with fewer annotators are kept, and a `CaesuraWarning` counts them, unless the union is wanted anyway.

        Examples
        --------
        >>> votes = {"a": Segmentation(9, (3, 6)), "b": Segmentation(9, (3,)), "c": Segmentation(9, (4,))}
        >>> corpus = Corpus([Document(id="d", n_units=9, annotations=votes)])
        >>> corpus.consensus(0.5)["d"].segmentation, corpus.consensus(0)["d"].segmentation
        (Segmentation(9, (3,)), Segmentation(9, (3, 4, 6)))
        >>> corpus.consensus(1)["d"].segmentation, corpus.consensus(1, near=True)["d"].segmentation
        (Segmentation(9, ()), Segmentation(9, (3,)))
        """
        if not 0 <= threshold <= 1:
            raise ComparabilityError(f"threshold is {threshold!r}; it must be a share between 0 and 1")
        agreed = [
            dataclasses.replace(document, segmentation=consensus_of(document, threshold, near=near))
            for document in self
            if document.annotations
        ]
        if not agreed:
            raise ComparabilityError(
                f"{self.name or 'the corpus'} has no annotations; give each document "
                "'annotations': {\"annotator\": [boundaries]}"
            )
        note = few_annotators(agreed, threshold, min_annotators) if threshold else ""
        if note:
            where = f"{self.name}: " if self.name else ""
            warnings.warn(CaesuraWarning(f"{where}{note}"), stacklevel=2)
        return self._redone(agreed, f"consensus={threshold}{', near' if near else ''}")

    def without_annotators(self, names: Collection[str]) -> Corpus:
        """Return the corpus without the annotations of some annotators."""
        return self.replaced(without(list(self), names), change=Change(exclude=tuple(names)))

    def renamed(
        self, annotators: Mapping[str, str] | None = None, documents: Mapping[str, str] | None = None
    ) -> Corpus:
        """Return the corpus with annotators and documents renamed by mappings of old name to new name."""
        changed = renamed(list(self), annotators or {}, documents or {})
        people = tuple(annotators.get(name, name) for name in known_annotators(self)) if annotators else ()
        ids = tuple(document.id for document in changed) if documents else ()
        return self.replaced(changed, change=Change(people, ids))

    def changed(self, change: Change) -> Corpus:
        """Return the corpus with a change made once more that was recorded in an `Origin` of these documents."""
        if change.exclude:
            return self.without_annotators(change.exclude)
        people = known_annotators(self)
        if (change.names and len(change.names) != len(people)) or (change.ids and len(change.ids) != len(self)):
            raise ComparabilityError(f"the new names belong to other documents than {self.name or 'these'}")
        return self.renamed(
            dict(zip(people, change.names, strict=False)), dict(zip(self.ids, change.ids, strict=False))
        )

    def replaced(
        self, documents: Iterable[Document], *, name: str | None = None, change: Change | None = None
    ) -> Corpus:
        """Return changed documents of this corpus as a corpus that knows where they came from."""
        name = self.name if name is None else name
        corpus = Corpus(documents, name=name, ids_are_given=self.ids_are_given)
        corpus.origin = self.origin if change is None or self.origin is None else self.origin.changed(change)
        return corpus

    def annotator(self, name: str) -> Corpus:
        """Return the documents that one annotator coded, with that annotator's boundaries."""
        coded = [
            dataclasses.replace(document, segmentation=document.annotations[name])
            for document in self
            if name in document.annotations
        ]
        if not coded:
            names = sorted(known_annotators(self))
            hint = f"the annotators are {', '.join(names)}" if names else "the documents have no annotations"
            raise ComparabilityError(f"no document is annotated by {name!r}; {hint}")
        return self._redone(coded, f"annotator={name}")

    def subset(self, ids: Iterable[str]) -> Corpus:
        """Return the documents with these ids, in the order of the corpus."""
        wanted = set(ids)
        return self.replaced(document for document in self if document.id in wanted)

    def in_drawing_order(self) -> Corpus:
        """Return the documents in the order of `drawing_order`; the corpus itself if they are."""
        order = drawing_order(self.ids)
        if isinstance(order, slice):
            return self
        return self.replaced(self._document(row) for row in order.tolist())

    def segmented(self, flat: Flat, *, name: str = "") -> Corpus:
        """Return the same documents with other boundaries and without texts; ids are not checked again.

        >>> corpus = Corpus.from_segmentations({"d1": Segmentation(13, (6, 9))})
        >>> corpus.segmented(Flat.from_segmentations([Segmentation(13, (4,))]), name="other")["d1"].segmentation
        Segmentation(13, (4,))
        """
        if len(flat) != len(self):
            raise SegmentationError(f"{len(flat)} segmentations for {len(self)} documents")
        other = Corpus.__new__(Corpus)
        other._fill(self.ids, flat, self.unit, name, self.ids_are_given)
        return other

    def _redone(self, documents: list[Document], how: str) -> Corpus:
        return self.replaced(documents, name=f"{self.name} [{how}]".strip())

    def _document(self, row: int) -> Document:
        if self._rich is not None:
            return self._rich[row]
        details = {} if self._details is None else self._details(row)
        if not (self._present is None or self._present[row]):
            return Document(id=self.ids[row], n_units=int(self.flat.n_units[row]), unit=self.unit, **details)
        segmentation = self.segmentation(row) if self._given is None else self._given[row]
        n_units, unit = segmentation.n_units, segmentation.unit
        return Document(id=self.ids[row], n_units=n_units, segmentation=segmentation, unit=unit, **details)

    def __repr__(self) -> str:
        where = f" {self.name!r}" if self.name else ""
        return f"<Corpus{where}: {len(self)} documents, unit {self.unit!r}>"

    def _repr_html_(self) -> str:
        """Return the first documents for a notebook: sizes, and how each begins."""
        shown = [self._document(row) for row in range(min(len(self), _SHOWN))]
        rows: list[list[Value]] = []
        for d in shown:
            boundaries = None if d.segmentation is None else len(d.segmentation.boundaries)
            rows.append([d.id, d.n_units, boundaries, len(d.annotations), " ".join((d.units or ())[:20])[:60]])
        notes = [f"the first {len(shown)} of {len(self):,} documents"] if len(shown) < len(self) else []
        columns = columns_of("document", "units", "boundaries", "annotators", "text")
        return as_html(
            [], [Table(columns, rows, notes=notes, title=f"{Path(self.name).name or 'Corpus'}, unit {self.unit}")]
        )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _one_unit(ids: Sequence[str], units: Sequence[str], name: str) -> str:
    """Return the common unit of all documents."""
    if len(set(units)) <= 1:
        return units[0] if units else UNSPECIFIED_UNIT
    unit = units[0]
    for key, other in zip(ids, units, strict=True):
        if not units_agree(unit, other):
            raise ComparabilityError(
                f"document {key!r} counts {other!r}, but earlier documents count {unit!r}; "
                f"all documents of {name or 'a corpus'} must count the same unit"
            )
        unit = other if unit == UNSPECIFIED_UNIT else unit
    return unit
