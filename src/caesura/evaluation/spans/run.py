# SPDX-License-Identifier: Apache-2.0
"""Every span of every document against the chunks of every system."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.pairs import Missing
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, and_more
from caesura.evaluation.inputs import CorpusLike, Source, SystemsLike, read_source, read_systems
from caesura.evaluation.spans.files import Counted, Place, SpanRecord, placed, read_spans
from caesura.evaluation.spans.measures import SpanRow, SystemSpans
from caesura.evaluation.spans.page import Chunked, Page, chance_of_missing
from caesura.evaluation.spans.report import SpanReport

__all__ = ["spans"]


def spans(
    documents: CorpusLike,
    gold: str | os.PathLike[str] | Mapping[str, Sequence[object]],
    systems: SystemsLike,
    *,
    counted: Counted | None = None,
    missing: Missing = "error",
    resamples: int = 1000,
    seed: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    chunks_format: str | None = None,
    strict: bool = False,
) -> SpanReport:
    """Ask of each chunker how many spans it cuts, how many chunks a span needs, and how much else they hold.

    Parameters
    ----------
    documents : path, Corpus
        The documents, with their texts; without texts everything is counted in units.
    gold : path, or mapping of document id to spans
        A span is ``(start, end)``, ``{"start", "end"}``, or its words.
    systems : mapping of name to path or Corpus, or one or several paths
        Chunkers' output, or segmentations of the documents in any format.
    counted : {"character", "units"}, optional
        What offsets count where the spans do not say; characters if there are texts.
    missing : {"error", "skip"}
        What to do when a system lacks a document that has spans.
    resamples, seed : int
        Of the bootstrap over documents; the seed also of the permutations.
    format, chunks_format : str, optional
        The formats of the documents and of the systems; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> document = Document(id="d", n_units=3, units=("One here.", "Two here.", "Three here."))
    >>> found = spans(Corpus([document]), {"d": ["here. Two", "Three"]}, {"a": {"d": Segmentation(3, (1,))}})
    >>> found.scores["a"]["Inside"], found.scores["a"]["Chunks"]
    (0.5, 1.5)
    """
    if missing not in ("error", "skip"):
        raise ComparabilityError(f"missing is {missing!r}; it must be 'error' or 'skip'")
    source = read_source(documents, "documents", format=format, strict=strict)
    records = _records(gold)
    chunkers = read_systems(systems, format=chunks_format, strict=strict)
    matched = _matched(source.corpus, records)
    pages = {name: Page(source.corpus[name]) for name in matched}
    places = {name: placed(record, pages[name], counted) for name, record in matched.items()}
    places = {name: row for name, row in places.items() if row}
    if not places:
        raise ComparabilityError("there is no span; give at least one")
    partners, lacking = _partners(source.corpus, chunkers, list(places), missing)
    kept = [name for name in places if not any(name in ids for ids in lacking.values())]
    if not kept:
        raise ComparabilityError("no document has chunks of every system; check the ids")
    found = {
        name: _measured(name, [(pages[key], places[key], partners[name][key]) for key in kept])
        for name in chunkers
    }
    return SpanReport(
        documents=kept,
        systems=found,
        source=source,
        chunkers=chunkers,
        missing={name: len(ids) for name, ids in lacking.items()},
        has_text=all(pages[name].text is not None for name in kept),
        repeated=sum(place.repeated for name in kept for place in places[name]),
        resamples=resamples,
        seed=seed,
    )


def _records(gold: str | os.PathLike[str] | Mapping[str, Sequence[object]]) -> dict[str | None, SpanRecord]:
    if isinstance(gold, (str, os.PathLike)):
        return read_spans(gold)
    return {
        name: SpanRecord(
            [list(span) if isinstance(span, tuple) else span for span in row], None, f"document {name!r}:"
        )
        for name, row in gold.items()
    }


def _matched(corpus: Corpus, records: Mapping[str | None, SpanRecord]) -> dict[str, SpanRecord]:
    """Return the spans by the ids of the documents; without an id they can only be those of a single document."""
    if None in records:
        if len(corpus) > 1:
            raise ComparabilityError(
                f"{records[None].where} has no id, but there are {len(corpus)} documents; say whose spans these are"
            )
        return {corpus.ids[0]: records[None]}
    found = {name: record for name, record in records.items() if name is not None}
    unknown = [name for name in found if name not in corpus]
    if unknown:
        where = found[unknown[0]].where.removesuffix(":")
        only = f" (the only document is {corpus.ids[0]!r})" if len(corpus) == 1 else ""
        raise ComparabilityError(
            f"{where}{and_more(len(unknown))} is not among the documents; check the ids{only}"
        )
    return found


def _partners(
    corpus: Corpus, systems: Mapping[str, Source], names: Sequence[str], missing: str
) -> tuple[dict[str, dict[str, Document]], dict[str, list[str]]]:
    """Return the documents of each system by the ids of the corpus, and which each lacks."""
    partners: dict[str, dict[str, Document]] = {}
    lacking: dict[str, list[str]] = {}
    for name, source in systems.items():
        other = source.corpus
        alone = len(corpus) == len(other) == 1 and not (corpus.ids_are_given and other.ids_are_given)
        if alone:
            partners[name] = {names[0]: next(iter(other))}
        else:
            partners[name] = {key: other[key] for key in names if key in other}
        lacking[name] = [key for key in names if key not in partners[name]]
        if lacking[name] and missing != "skip":
            raise ComparabilityError(
                f"document {lacking[name][0]!r}{and_more(len(lacking[name]))} has spans but no chunks in {name!r}; "
                "add them, or skip and count such documents with missing='skip' (--missing skip)"
            )
    return partners, lacking


def _measured(name: str, rows: Sequence[tuple[Page, Sequence[Place], Document]]) -> SystemSpans:
    """Return every span against the chunks of one system."""
    made = [page.chunks(document, name) for page, _, document in rows]
    chunked = [Chunked(places) for places, _ in made]
    overlap = any(chunks.overlap for chunks in chunked)
    # Boundaries that all lie between units are compared with chance between units, which never cuts one either.
    at_units = all(
        bool(np.isin(chunks.starts[1:], page.unit_starts).all())
        for chunks, (page, _, _) in zip(chunked, rows, strict=True)
    )
    found: list[SpanRow] = []
    for row, (chunks, (page, places, _)) in enumerate(zip(chunked, rows, strict=True)):
        found += [_row(row, place, chunks, page, at_units=at_units, overlap=overlap) for place in places]
    sizes = [
        (
            len(chunks),
            sum(page.count(page.tokens, a, b) for a, b in zip(chunks.starts, chunks.ends, strict=True)),
        )
        for chunks, (page, _, _) in zip(chunked, rows, strict=True)
    ]
    return SystemSpans(
        rows=found,
        chunks=sum(number for number, _ in sizes),
        tokens=sum(tokens for _, tokens in sizes),
        overlap=overlap,
        at_units=at_units,
        alignments=[alignment for _, alignment in made if alignment is not None],
    )


def _row(
    document: int, place: Place, chunks: Chunked, page: Page, *, at_units: bool, overlap: bool
) -> SpanRow:
    cover = chunks.cover(place.start, place.end)
    before = (min(cover.start, place.start), place.start)
    after = (place.end, max(cover.end, place.end))
    if at_units:
        gaps, inside = len(page.unit_starts) - 1, page.units_in(place.start, place.end) - 1
    else:
        gaps, inside = len(page.tokens) - 1, page.count(page.tokens, place.start + 1, place.end)
    return SpanRow(
        document=document,
        words=place.words,
        inside=cover.chunks == 1 and not cover.lost,
        chunks=cover.chunks,
        padding_tokens=page.count(page.tokens, *before) + page.count(page.tokens, *after),
        padding_characters=before[1] - before[0] + after[1] - after[0],
        padding_units=page.units_in(before[0], after[1]) - page.units_in(place.start, place.end),
        lost=cover.lost / (place.end - place.start),
        by_chance=float("nan") if overlap else chance_of_missing(gaps, len(chunks) - 1, inside),
    )
