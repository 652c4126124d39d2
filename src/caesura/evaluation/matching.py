# SPDX-License-Identifier: Apache-2.0
"""How systems are laid beside a reference: documents by id or by the order of the files, and ends that a file does not know."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, and_more, listed
from caesura.evaluation.inputs import Source
from caesura.files import stem
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation, units_agree
from caesura.units.quantity import as_clock, duration_in_ms

if TYPE_CHECKING:
    from caesura.units.projection import Projection

__all__ = ["Durations", "Match", "endless_note", "lasting", "matched", "meeting", "on_units", "repaired"]

Match = Literal["id", "order"]
Durations = str | os.PathLike[str] | Mapping[str, str | float]
"""The lengths of recordings: a file or folder, or a mapping of id to seconds or a time such as ``"1:02:30"``."""


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
    for given in (files, corpus.ids):
        ids = [_document_of(file, documents) for file in given]
        if len(set(ids)) == len(ids) and all(ids):
            renamed = [dataclasses.replace(document, id=key) for key, document in zip(ids, chunks, strict=True)]
            return dataclasses.replace(source, corpus=corpus.replaced(renamed))
    return source


def _document_of(file: str, documents: Corpus) -> str:
    """Return the longest end of a path that is the id of a document, with or without its suffix; empty if there is none."""
    *folders, name = file.replace("\\", "/").split("/")
    ends = ("/".join([*folders[place:], last]) for place in range(len(folders) + 1) for last in (name, stem(name)))
    return next((end for end in ends if end in documents), "")


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


def lasting(
    sources: Mapping[str, Source], duration: str | None, durations: Durations | None = None
) -> dict[str, Source]:
    """Return the sources with the ends of recordings that a file does not know, as a list of starts does not.

    ``duration`` is the length of the only recording, ``durations`` says where the lengths of several stand
    (`caesura.formats.read_durations`). The source named "" is the reference: it is refused if a boundary lies behind the end,
    and other lists of chapters are cut off there.
    """
    if duration is None and durations is None:
        return dict(sources)
    if duration is not None and durations is not None:
        raise ComparabilityError("duration and durations are both given; give one of them")
    open_ended = [s for s in sources.values() if s.corpus.open_rows and s.corpus.unit == "ms"]
    if not open_ended:
        option = "duration" if durations is None else "durations"
        raise ComparabilityError(f"{option}: every file knows its end, or is not in time; leave it out")
    if durations is None:
        many = next((s for s in open_ended if len(s.corpus) > 1), None)
        if many is not None:
            raise ComparabilityError(
                f"{many.name!r} has {len(many.corpus)} recordings, which do not all last {duration}; give the length of "
                "each with durations= (--durations FILE, a table or JSON of id and length)"
            )
        end = duration_in_ms(str(duration))
        return {name: _ended(source, dict.fromkeys(source.corpus.ids, end), name) for name, source in sources.items()}
    from caesura.formats import length_in_ms, read_durations

    if isinstance(durations, Mapping):
        known = {str(key): length_in_ms(value, f"durations: the length of {key!r}") for key, value in durations.items()}
    else:
        known = read_durations(durations)
    if not any(key in known for source in open_ended for key in source.corpus.ids):
        had, lacked = next(iter(known), "none"), open_ended[0].corpus.ids[0]
        raise ComparabilityError(
            f"durations: no length of any recording, such as {lacked!r}; the ids there are {had!r}{and_more(len(known))}"
        )
    return {name: _ended(source, known, name) for name, source in sources.items()}


def _ended(source: Source, ends: Mapping[str, int], name: str) -> Source:
    """Return a source with known ends of its open recordings."""
    corpus = source.corpus
    rows = [row for row in sorted(corpus.open_rows) if corpus.ids[row] in ends] if corpus.unit == "ms" else []
    if not rows:
        return source
    documents, told = list(corpus), {}
    for row in rows:
        document, end = documents[row], ends[corpus.ids[row]]
        last = max((0, *(document.segmentation.boundaries if document.segmentation else ())))
        if last >= end and not name:
            raise ComparabilityError(
                f"{source.name!r} has a boundary at {as_clock(last)}, but the recording lasts {as_clock(end)}; check the duration"
            )
        documents[row] = _cut(document, end)
        told[document.id] = as_clock(end)
    given = {"duration": next(iter(told.values()))} if len(corpus) == 1 else {"durations": json.dumps(told)}
    return dataclasses.replace(source, corpus=corpus.replaced(documents), assumed={**source.assumed, **given})


def _cut(document: Document, end: int) -> Document:
    """Return a recording of another length; chapters after its end are left out, which ``extra["repaired"]`` says."""

    def longer(segmentation: Segmentation) -> Segmentation:
        return Segmentation(end, [at for at in segmentation.boundaries if at < end], unit="ms")

    segmentation = document.segmentation and longer(document.segmentation)
    extra = dict(document.extra)
    late = 0
    if document.segmentation is not None and segmentation is not None:
        late = document.segmentation.n_segments - segmentation.n_segments
    if late:
        titles = extra.get("segment_titles")
        extra |= {"segment_titles": titles[:-late]} if isinstance(titles, list) else {}
        told = f"{late} {'chapter' if late == 1 else 'chapters'} after the end left out"
        extra["repaired"] = f"{extra['repaired']}; {told}" if "repaired" in extra else told
    return dataclasses.replace(
        document,
        n_units=end,
        segmentation=segmentation,
        annotations={name: longer(value) for name, value in document.annotations.items()},
        hierarchy=tuple(map(longer, document.hierarchy)),
        open_ended=False,
        extra=extra,
    )


def repaired(systems: Mapping[str, Source], reference: Corpus) -> dict[str, Source]:
    """Return systems whose lists of chapters end with the recordings of the reference, with what was repaired in each.

    The reference knows how long a recording is: what a list has behind its end is left out, and its last chapter lasts to it.
    """
    return {name: _within(source, reference) for name, source in systems.items()}


def _within(source: Source, reference: Corpus) -> Source:
    corpus = source.corpus
    if corpus.unit != "ms" or reference.unit != "ms" or corpus.origin is None:
        return source
    single = len(corpus) == len(reference) == 1
    documents = list(corpus)
    for row, document in enumerate(documents):
        key = reference.ids[0] if single else document.id
        if "segment_titles" not in document.extra or key not in reference or reference.row(key) in reference.open_rows:
            continue
        end = int(reference.flat.n_units[reference.row(key)])
        if document.open_ended and document.n_units <= end:
            continue  # it takes the length of the reference
        if document.n_units != end:
            cut = _cut(document, end)
            if "repaired" not in cut.extra:
                side = "before" if document.n_units < end else "after"
                rule = f"ends {as_clock(abs(document.n_units - end))} {side} the recording, moved to its end"
                cut = cut if document.open_ended else dataclasses.replace(cut, extra={**cut.extra, "repaired": rule})
            documents[row] = cut
    told = [f"{d.id} ({d.extra['repaired']})" for d in documents if "repaired" in d.extra]
    if not told:
        return source
    lists = "1 list of chapters" if len(told) == 1 else f"{len(told)} lists of chapters"
    remark = f"repaired {lists} of {len(documents)}: {listed(told)}"
    return source.remarked(remark, corpus=corpus.replaced(documents))


def endless_note(documents: int) -> str:
    """Return what to know of documents whose end neither side knows."""
    many = "1 document" if documents == 1 else f"{documents} documents"
    return (
        f"the end of {many} is unknown on both sides, so the last segment ends at the last time in the files; give the "
        "length of the recording with duration= (--duration), of several with durations= (--durations)"
    )


def on_units(systems: Mapping[str, Source], documents: Corpus) -> tuple[dict[str, Source], list[str]]:
    """Project boundaries in characters or time onto the units of the documents, with one remark per system."""
    from caesura.units.projection import summary

    projected: dict[str, Source] = {}
    notes: list[str] = []
    for name, system in systems.items():
        projected[name] = system
        if system.corpus.unit in CONTINUOUS_UNITS and documents.unit not in CONTINUOUS_UNITS:
            projected[name], projections = _on_units(system, documents)
            notes.append(f"{name}: {summary(projections)}")
    return projected, notes


def _on_units(system: Source, documents: Corpus) -> tuple[Source, list[Projection]]:
    from caesura.units.align import word_share
    from caesura.units.projection import project_corpus

    corpus, projections = project_corpus(system.corpus, "units", units_of=documents)
    share = word_share(p.alignment for p in projections if p.alignment is not None)
    assumed = {**system.assumed, **({"words": share} if share else {})}
    return dataclasses.replace(system, corpus=corpus, assumed=assumed), projections


def meeting(systems: Mapping[str, Source], documents: Corpus) -> dict[str, Source]:
    """Project systems that count another unit onto that of the reference, where one side knows the way; others stay as they are.

    Times go to the gaps of units with times, characters and chunks to those of units with texts; units with times go to
    time, and units with texts to the characters, or the other units, of the same text.
    """
    return {name: _met(source, documents) for name, source in systems.items()}


def _met(source: Source, documents: Corpus) -> Source:
    corpus, onto = source.corpus, documents.unit
    if units_agree(corpus.unit, onto):
        return source
    from caesura.units.projection import distances, project_corpus, summary
    from caesura.units.text import has_chunks

    timed, written = (any(getattr(each, key) for each in corpus) for key in ("unit_times", "units"))
    chunked = all(map(has_chunks, corpus))
    if (onto == "ms" and timed) or (onto == "character" and written):
        made, costs = project_corpus(corpus, "ms" if onto == "ms" else "character")
        # A transcript ends with its last word, a recording later: its end is the reference's, unless that does not know it.
        ends = (
            {key for row, key in enumerate(documents.ids) if row not in documents.open_rows} if onto == "ms" else set()
        )
        single = len(made) == len(documents) == 1 and bool(ends)
        fitted = made.replaced([dataclasses.replace(each, open_ended=single or each.id in ends) for each in made])
        met = dataclasses.replace(source, corpus=fitted)
    elif onto in CONTINUOUS_UNITS or not any(
        each.unit_times if corpus.unit == "ms" else chunked or (each.units and (corpus.unit == "character" or written))
        for each in documents
    ):
        return source
    else:
        if corpus.unit == "character" and not chunked:
            _check_texts(source, documents)
        if corpus.unit not in CONTINUOUS_UNITS:
            source = dataclasses.replace(source, corpus=corpus.replaced(list(map(_as_chunks, corpus))))
        met, costs = _on_units(source, documents)
    if chunked:
        remark = summary(costs)
    else:
        remark = f"counts {corpus.unit}, projected onto the {onto} of the reference: {distances(costs)}"
    projected = onto if onto in CONTINUOUS_UNITS else "units"
    return met.remarked(remark, assumed={**met.assumed, "project": projected})


def _check_texts(source: Source, documents: Corpus) -> None:
    """Refuse characters of another text than that of the reference."""
    from caesura.units.text import text_of

    for each in source.corpus:
        if each.id in documents and not each.open_ended:
            length = len(text_of(documents[each.id]).text)
            if length != each.n_units:
                raise ComparabilityError(
                    f"document {each.id!r}: the text of the reference has {length} characters, {source.name!r} counts "
                    f"{each.n_units}; both must be of the same text"
                )


def _as_chunks(document: Document) -> Document:
    """Return the segments of a document as chunks, which are found in another text by their words."""
    units, cut = document.units or (), document.segmentation
    ends = [0, *(cut.boundaries if cut else ()), document.n_units]
    chunks = ["\n".join(units[a:b]) for a, b in itertools.pairwise(ends)]
    return Document(id=document.id, n_units=max(1, len("".join(chunks))), unit="character", extra={"chunks": chunks})
