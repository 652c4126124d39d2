# SPDX-License-Identifier: Apache-2.0
"""Projection of documents and corpora, with all their segmentations."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal, overload

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import Segmentation
from caesura.units.projection._segmentations import (
    Projection,
    Rule,
    Times,
    mean_displacement,
    project_to_characters,
    project_to_time,
    project_to_units,
)
from caesura.units.text import Text, has_chunks, locate, text_of

Onto = Literal["ms", "units", "character"]
Offsets = Sequence[int] | None


@overload
def project(
    thing: Segmentation, onto: Onto, *, unit_times: Times | None = ..., offsets: Offsets = ..., rule: Rule = ...
) -> Projection: ...
@overload
def project(
    thing: Document, onto: Onto, *, unit_times: Times | None = ..., offsets: Offsets = ..., rule: Rule = ...
) -> tuple[Document, Projection]: ...
def project(
    thing: Segmentation | Document,
    onto: Onto,
    *,
    unit_times: Times | None = None,
    offsets: Offsets = None,
    rule: Rule = "nearest",
) -> Projection | tuple[Document, Projection]:
    """Project a segmentation, or a document with all its segmentations, onto another unit.

    Parameters
    ----------
    thing : Segmentation or Document
        The object to project. A document has its own ``unit_times``, and its offsets follow from its texts, joined by
        newlines.
    onto : {"ms", "units", "character"}
        The unit of the result.
    unit_times, offsets : sequence, optional
        The positions of the units in time or in the text.
    rule : {"nearest", "next", "previous"}
        The gap for a boundary that falls between two.

    Returns
    -------
    Projection, or (Document, Projection)
        For a document the new one, without the texts and times of the old unit, and the cost over all its
        segmentations.
    """
    if isinstance(thing, Document):
        return _project_document(thing, onto, unit_times, offsets, rule)
    if onto not in ("ms", "units", "character"):
        raise ComparabilityError(f"cannot project onto {onto!r}; it must be 'ms', 'units' or 'character'")
    if onto == "units":
        places = unit_times if thing.unit == "ms" else offsets
        if places is None:
            raise ComparabilityError(
                f"projecting {thing.unit!r} onto units requires the positions of the units; give unit_times or offsets"
            )
        return project_to_units(thing, places, rule=rule)
    if onto == "ms" and unit_times is not None:
        return project_to_time(thing, unit_times)
    if onto == "character" and offsets is not None:
        return project_to_characters(thing, offsets)
    needed = "unit_times" if onto == "ms" else "texts or offsets"
    raise ComparabilityError(f"projecting {thing.unit!r} onto {onto!r} requires the {needed} of the units; give them")


def project_corpus(
    corpus: Corpus, onto: Onto, *, units_of: Corpus | None = None, rule: Rule = "nearest"
) -> tuple[Corpus, list[Projection]]:
    """Project every document of a corpus onto another unit, as `project` does.

    To project onto units, ``units_of`` must have documents with the same ids and the positions of their units.
    """
    documents, projections = [], []
    for document in corpus:
        name = f"document {document.id!r}: "
        where = f"{corpus.name}: {name}" if corpus.name else name
        if onto == "units":
            place = _place_of(document, corpus, units_of, where)
            # Outside the try block, since these errors name their document already.
            text = None if place.units is None else text_of(place)
        try:
            if onto == "units":
                projected, cost = _onto_units_of(document, place, text, rule)
            else:
                projected, cost = project(document, onto, rule=rule)
        except (ComparabilityError, SegmentationError) as error:
            raise type(error)(where + str(error).removeprefix(name)) from None
        documents.append(projected)
        projections.append(cost)
    return corpus.replaced(documents), projections


def _place_of(document: Document, corpus: Corpus, units_of: Corpus | None, where: str) -> Document:
    """Return the document with the positions of the units of another."""
    if units_of is None:
        raise ComparabilityError(
            f"{where}projecting onto units requires a file with the positions of the units; give it (--onto)"
        )
    if document.id in units_of:
        return units_of[document.id]
    if len(corpus) == len(units_of) == 1 and not (corpus.ids_are_given and units_of.ids_are_given):
        return next(iter(units_of))
    raise ComparabilityError(f"{where}is not in {units_of.name or 'the file with the units'}; check the ids")


def _onto_units_of(document: Document, place: Document, text: Text | None, rule: Rule) -> tuple[Document, Projection]:
    offsets = None if text is None else text.starts
    alignment = None
    if has_chunks(document):
        if text is None:
            raise ComparabilityError("projecting chunks onto units requires the texts of the units; give 'units'")
        alignment = locate(document, text.text)
        cuts, length = alignment.segmentation, alignment.n_characters
        document = Document(
            id=document.id, n_units=length, segmentation=cuts, unit="character", extra=document.provenance
        )
    bare, cost = project(document, "units", unit_times=place.unit_times, offsets=offsets, rule=rule)
    if bare.n_units != place.n_units:
        raise ComparabilityError(f"has {bare.n_units} positions for {place.n_units} units; give one per unit")
    projected = dataclasses.replace(
        place,  # of two single documents, an unnamed one takes the id of the other
        segmentation=bare.segmentation and bare.segmentation.with_unit(place.unit),
        annotations={name: value.with_unit(place.unit) for name, value in bare.annotations.items()},
        hierarchy=tuple(value.with_unit(place.unit) for value in bare.hierarchy),
        scores=None,
        open_ended=False,
        extra=bare.extra,
    )
    return projected, dataclasses.replace(cost, alignment=alignment)


def _project_document(
    document: Document, onto: Onto, unit_times: Times | None, offsets: Offsets, rule: Rule
) -> tuple[Document, Projection]:
    times = document.unit_times if unit_times is None else unit_times
    if offsets is None and document.units is not None:
        text = text_of(document)
        offsets = [*text.starts, len(text.text)]

    def carry(segmentation: Segmentation) -> Projection:
        return project(segmentation, onto, unit_times=times, offsets=offsets, rule=rule)

    # A document without a segmentation still needs its length in the new unit.
    main = carry(document.segmentation or Segmentation(document.n_units, unit=document.unit))
    others = {name: carry(value) for name, value in document.annotations.items()}
    levels = [carry(value) for value in document.hierarchy]
    everything = [main, *others.values(), *levels]
    extra = dict(document.extra)
    if main.merged or main.dropped:
        extra.pop("segment_titles", None)
    projected = Document(
        id=document.id,
        n_units=main.segmentation.n_units,
        segmentation=None if document.segmentation is None else main.segmentation,
        unit=main.segmentation.unit,
        annotations={name: value.segmentation for name, value in others.items()},
        hierarchy=tuple(value.segmentation for value in levels),
        extra=extra,
    )
    cost = dataclasses.replace(
        main,
        max_displacement=max(value.max_displacement for value in everything),
        mean_displacement=mean_displacement(everything),
        merged=sum(value.merged for value in everything),
        dropped=sum(value.dropped for value in everything),
        moved=tuple(moved for value in everything for moved in value.moved),
    )
    return projected, cost
