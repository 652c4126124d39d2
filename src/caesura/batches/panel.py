# SPDX-License-Identifier: Apache-2.0
"""Several annotators of the same documents, as flat batches.

`Panel` holds the annotators, `PanelPairs` the annotators and a hypothesis. Documents may have different annotators and
different numbers of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, check_flat, check_pointers, check_rows, owned, starts_of
from caesura.batches.pairs import check_comparable, check_same_units
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, units_agree

__all__ = ["Ints", "Panel", "PanelLike", "PanelPairs"]

Table = npt.NDArray[np.float64]
PanelLike = Sequence[Segmentation] | Mapping[str, Segmentation]


@dataclasses.dataclass(frozen=True, eq=False)
class Panel:
    """Codings of many documents by many annotators.

    A coding is the segmentation of one document by one annotator. The codings of document ``d`` are
    ``doc_ptr[d] .. doc_ptr[d + 1] - 1``, in the order of the source.
    """

    ids: tuple[str, ...]
    n_units: Ints  # [D]: units of each document
    doc_ptr: Ints  # [D + 1]: the first coding of each document
    annotator: Ints  # [C]: the annotator of each coding, as an index into ``names``
    names: tuple[str, ...]
    codings: Flat  # units and boundaries of each coding
    unit: str = UNSPECIFIED_UNIT  # the unit of all documents

    def __post_init__(self) -> None:
        check_flat(self.codings, "codings")
        rows = {name: owned(getattr(self, name), name) for name in ("n_units", "doc_ptr", "annotator")}
        n_units, doc_ptr, annotator = rows.values()
        if not len(self.ids) == len(n_units):
            raise ComparabilityError(f"{len(self.ids)} ids for {len(n_units)} documents")
        check_pointers(doc_ptr, "doc_ptr", len(n_units), len(self.codings), "codings")
        sizes = np.diff(doc_ptr)
        if not sizes.all():
            raise ComparabilityError(f"document {self.ids[int(np.argmin(sizes))]!r} has no annotator")
        check_same_units(np.repeat(n_units, sizes), self.codings.n_units, "coding")
        if len(annotator) != len(self.codings):
            raise ComparabilityError(f"{len(annotator)} annotators for {len(self.codings)} codings; give one each")
        if ((annotator < 0) | (annotator >= len(self.names))).any():
            raise ComparabilityError(f"annotator must hold indices of the {len(self.names)} names, counted from 0")
        self.__dict__.update(rows, ids=tuple(self.ids), names=tuple(self.names))

    @classmethod
    def of(cls, segmentations: PanelLike) -> Panel:
        """Make a batch of one document from its codings.

        >>> panel = Panel.of([Segmentation(13, (11,)), Segmentation(13, (2, 10))])
        >>> panel.names, panel.n_annotators.tolist()
        (('1', '2'), [2])
        """
        if not isinstance(segmentations, Mapping):
            segmentations = {str(place): value for place, value in enumerate(segmentations, start=1)}
        return cls._build(["1"], [segmentations])

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> Panel:
        """Collect the annotations of a corpus; documents without annotations are left out."""
        documents = [document for document in corpus if document.annotations]
        if not documents:
            raise ComparabilityError(
                f"{corpus.name or 'the corpus'} has no annotations; give each document 'annotations': "
                '{"annotator": [boundaries]}'
            )
        return cls._build([d.id for d in documents], [d.annotations for d in documents])

    @classmethod
    def _build(cls, ids: Sequence[str], documents: Sequence[Mapping[str, Segmentation]]) -> Panel:
        names: dict[str, int] = {}
        codings: list[Segmentation] = []
        annotator: list[int] = []
        sizes: list[int] = []
        unit = UNSPECIFIED_UNIT
        for key, named in zip(ids, documents, strict=True):
            unit = _check_document(key, named, unit)
            sizes.append(len(named))
            for name, segmentation in named.items():
                annotator.append(names.setdefault(str(name), len(names)))
                codings.append(segmentation)
        doc_ptr = starts_of(sizes)
        flat = Flat.from_segmentations(codings)
        made_by = np.array(annotator, dtype=np.int64)
        return cls(tuple(ids), flat.n_units[doc_ptr[:-1]], doc_ptr, made_by, tuple(names), flat, unit)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_annotators(self) -> Ints:
        """The number of annotators of each document."""
        return np.diff(self.doc_ptr)

    @property
    def document(self) -> Ints:
        """The index of the document of each coding."""
        return np.repeat(np.arange(len(self)), self.n_annotators)

    @property
    def n_boundaries(self) -> Ints:
        """The number of boundaries of each coding."""
        return np.diff(self.codings.ptr)

    def remember(self, key: Hashable, make: Callable[[], Table]) -> Table:
        """Return a table derived from this panel, computed once: coefficients that read the same counts share it."""
        tables: dict[Hashable, Table] = self.__dict__.setdefault("_tables", {})
        if key not in tables:
            table = make()
            table.setflags(write=False)
            tables[key] = table
        return tables[key]

    def of_document(self, row: int) -> dict[str, Segmentation]:
        """Return the codings of one document by annotator."""
        return {
            self.names[self.annotator[coding]]: self.codings.segmentation(coding, self.unit)
            for coding in range(self.doc_ptr[row], self.doc_ptr[row + 1])
        }

    def take(self, rows: Sequence[int]) -> Panel:
        """Return the documents ``rows``, in that order; the annotators keep their indices."""
        indices = check_rows(rows, len(self))
        sizes = self.n_annotators[indices]
        doc_ptr = starts_of(sizes)
        codings = np.arange(doc_ptr[-1]) + np.repeat(self.doc_ptr[indices] - doc_ptr[:-1], sizes)
        return dataclasses.replace(
            self,
            ids=tuple(self.ids[row] for row in indices),
            n_units=self.n_units[indices],
            doc_ptr=doc_ptr,
            annotator=self.annotator[codings],
            codings=self.codings.take(codings),
        )

    def keep(self, codings: npt.NDArray[np.bool_]) -> Panel:
        """Keep some codings, and drop documents without any."""
        sizes = np.bincount(self.document[codings], minlength=len(self))
        kept, rows = np.flatnonzero(codings), np.flatnonzero(sizes)
        return dataclasses.replace(
            self,
            ids=tuple(self.ids[row] for row in rows),
            n_units=self.n_units[rows],
            doc_ptr=starts_of(sizes[rows]),
            annotator=self.annotator[kept],
            codings=self.codings.take(kept),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class PanelPairs:
    """Annotators and a hypothesis of the same documents."""

    panel: Panel
    hypothesis: Flat

    def __post_init__(self) -> None:
        check_flat(self.hypothesis, "hypothesis")
        check_same_units(self.panel.n_units, self.hypothesis.n_units, "hypothesis")

    @classmethod
    def of(cls, references: PanelLike, hypothesis: Segmentation) -> PanelPairs:
        """Make a batch of one document."""
        panel = Panel.of(references)
        first = references[next(iter(references))] if isinstance(references, Mapping) else references[0]
        check_comparable(first, hypothesis)
        return cls(panel, Flat.from_segmentations([hypothesis]))

    def __len__(self) -> int:
        return len(self.panel)


def _check_document(key: str, named: Mapping[str, Segmentation], unit: str) -> str:
    """Check that the annotators of a document coded the same units, and return the unit."""
    if not named:
        raise ComparabilityError(f"document {key!r} has no annotator; give at least one segmentation")
    first_name, first = next(iter(named.items()))
    for name, value in named.items():
        if not isinstance(value, Segmentation):
            raise SegmentationError(
                f"document {key!r}: annotator {name!r} is a {type(value).__name__}, not a Segmentation"
            )
        if value.n_units != first.n_units:
            raise ComparabilityError(
                f"document {key!r}: annotator {first_name!r} coded {first.n_units} units, {name!r} {value.n_units}; "
                "all annotators of a document must code the same units"
            )
        expected = first.unit if unit == UNSPECIFIED_UNIT else unit
        if not units_agree(expected, value.unit):
            raise ComparabilityError(
                f"document {key!r}: annotator {name!r} counts {value.unit!r}, earlier annotators count {expected!r}; "
                "all annotators must count the same unit"
            )
        if unit == UNSPECIFIED_UNIT:
            unit = value.unit
    return unit
