# SPDX-License-Identifier: Apache-2.0
"""How systems are laid beside a reference: documents by id or by the order of the files, and ends that a file does not know."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import Source
from caesura.files import stem
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation
from caesura.units.quantity import as_clock, duration_in_ms

__all__ = ["Match", "chunks_on_units", "endless_note", "lasting", "matched", "on_units"]

Match = Literal["id", "order"]


def matched(systems: Mapping[str, Source], documents: Corpus, match: str) -> dict[str, Source]:
    """Return the systems, by order with the ids of the documents at the same places.

    A system whose ids are those of the documents is matched by id in any case. Files must have equally many documents, and
    whoever scores them checks that documents at the same place have the same length.
    """
    if match not in ("id", "order"):
        raise ComparabilityError(f"match is {match!r}; it must be 'id' or 'order'")
    if match == "id":
        return {name: _by_file(source, documents) for name, source in systems.items()}
    return {name: _in_order(source, documents, name) for name, source in systems.items()}


def _by_file(source: Source, documents: Corpus) -> Source:
    """Return a system of chunks under the ids of the documents, if its own ids name the files of the documents."""
    corpus = source.corpus
    if corpus.unit != "character" or all(key in documents for key in corpus.ids):
        return source
    chunks = list(corpus)
    files = [str(document.extra.get("chunk_source", document.id)) for document in chunks]
    last = [file.replace("\\", "/").rpartition("/")[2] for file in files]
    for ids in (files, last, list(map(stem, last)), list(map(stem, corpus.ids))):
        if len(set(ids)) == len(ids) and all(key in documents for key in ids):
            renamed = [dataclasses.replace(document, id=key) for key, document in zip(ids, chunks, strict=True)]
            return dataclasses.replace(source, corpus=corpus.replaced(renamed))
    return source


def _in_order(source: Source, documents: Corpus, name: str) -> Source:
    corpus = source.corpus
    both_given = corpus.ids_are_given and documents.ids_are_given
    if both_given and set(corpus.ids) <= set(documents.ids):
        return source
    if len(corpus) != len(documents):
        raise ComparabilityError(
            f"{name!r} has {len(corpus)} documents and the reference {len(documents)}; matching by order needs equally many"
        )
    if both_given:
        for place, key in enumerate(corpus.ids):
            if key in documents and documents.ids[place] != key:
                raise ComparabilityError(
                    f"document {key!r} is number {place + 1} in {name!r} and number {documents.row(key) + 1} in the "
                    "reference; match by id, or make the ids agree"
                )
    renamed = [dataclasses.replace(document, id=key) for key, document in zip(documents.ids, corpus, strict=True)]
    beside = corpus.replaced(renamed)
    beside.ids_are_given = documents.ids_are_given
    return dataclasses.replace(source, corpus=beside, assumed={**source.assumed, "match": "order"})


def lasting(sources: Mapping[str, Source], duration: str | None) -> dict[str, Source]:
    """Return the sources with the end of the one recording where a file does not know it, as a list of starts does not."""
    if duration is None:
        return dict(sources)
    end = duration_in_ms(duration)
    if not any(source.corpus.open_rows and source.corpus.unit == "ms" for source in sources.values()):
        raise ComparabilityError("duration: every file knows its end, or is not in time; leave it out")
    return {name: _ended(source, end, duration) for name, source in sources.items()}


def _ended(source: Source, end: int, duration: str) -> Source:
    corpus = source.corpus
    if not corpus.open_rows or corpus.unit != "ms":
        return source
    if len(corpus) > 1:
        raise ComparabilityError(
            f"{source.name!r} has {len(corpus)} recordings, which do not all last {duration}; evaluate them one by one"
        )
    (document,) = corpus
    last = max((0, *(document.segmentation.boundaries if document.segmentation else ())))
    if last >= end:
        raise ComparabilityError(
            f"{source.name!r} has a boundary at {as_clock(last)}, but the recording lasts {as_clock(end)}; check the duration"
        )

    def longer(segmentation: Segmentation) -> Segmentation:
        return Segmentation(end, segmentation.boundaries, unit="ms")

    ended = dataclasses.replace(
        document,
        n_units=end,
        segmentation=document.segmentation and longer(document.segmentation),
        annotations={name: longer(value) for name, value in document.annotations.items()},
        hierarchy=tuple(map(longer, document.hierarchy)),
        open_ended=False,
    )
    return dataclasses.replace(
        source, corpus=corpus.replaced([ended]), assumed={**source.assumed, "duration": as_clock(end)}
    )


def endless_note(documents: int) -> str:
    """Return what to know of documents whose end neither side knows."""
    many = "1 document" if documents == 1 else f"{documents} documents"
    return (
        f"the end of {many} is unknown on both sides, so the last segment ends at the last time in the files; give the "
        "length of the recording with duration= (--duration)"
    )


def on_units(systems: Mapping[str, Source], documents: Corpus) -> tuple[dict[str, Source], list[str]]:
    """Project boundaries in characters or time onto the units of the documents, with one remark per system."""
    from caesura.units.align import word_share
    from caesura.units.projection import project_corpus, summary

    projected: dict[str, Source] = {}
    notes: list[str] = []
    for name, system in systems.items():
        if system.corpus.unit in CONTINUOUS_UNITS and documents.unit not in CONTINUOUS_UNITS:
            corpus, projections = project_corpus(system.corpus, "units", units_of=documents)
            share = word_share(p.alignment for p in projections if p.alignment is not None)
            assumed = {**system.assumed, **({"words": share} if share else {})}
            projected[name] = dataclasses.replace(system, corpus=corpus, assumed=assumed)
            notes.append(f"{name}: {summary(projections)}")
        else:
            projected[name] = system
    return projected, notes


def chunks_on_units(systems: Mapping[str, Source], documents: Corpus) -> dict[str, Source]:
    """Locate chunks in the texts of a reference and project them onto its units; other systems are left as they are."""
    placed = dict(systems)
    characters = {name: system for name, system in systems.items() if system.corpus.unit == "character"}
    if documents.unit in CONTINUOUS_UNITS or not characters:
        return placed
    from caesura.units.text import has_chunks

    for name, system in characters.items():
        if all(map(has_chunks, system.corpus)):
            made, (note,) = on_units({name: system}, documents)
            placed[name] = dataclasses.replace(made[name], remark=note.removeprefix(f"{name}: "))
    return placed
