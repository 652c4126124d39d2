# SPDX-License-Identifier: Apache-2.0
"""The function that measures every span of every document against the chunks of every system."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.pairs import Missing
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, and_more
from caesura.evaluation.inputs import CorpusLike, Reading, Source, SystemsLike, check_missing, read_source, read_systems
from caesura.evaluation.matching import Match, matched
from caesura.evaluation.spans.files import Counted, Place, SpanRecord, placed, read_spans, skip
from caesura.evaluation.spans.measures import MEASURES, SpanRow, SystemSpans
from caesura.evaluation.spans.page import Chunked, Page, chance_of_missing
from caesura.evaluation.spans.report import SpanReport
from caesura.files import read_with_hash, relative_to
from caesura.limits import check_units
from caesura.results import Input
from caesura.units.align import word_share

__all__ = ["measured_spans", "spans"]


def spans(
    documents: CorpusLike,
    gold: str | os.PathLike[str] | Mapping[str, Sequence[object]],
    systems: SystemsLike,
    *,
    counted: Counted | None = None,
    missing: Missing = "error",
    match: Match = "id",
    worst: int = 3,
    resamples: int = 1000,
    seed: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    chunks_format: str | None = None,
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> SpanReport:
    """Measure how many spans each chunker cuts, how many chunks a span needs, and how much other text these contain.

    Parameters
    ----------
    documents : path, Corpus, or mapping of id to text or list of units
        The documents, with their texts; without texts everything is counted in units.
    gold : path, or mapping of document id to spans
        The spans that must stay whole: ``(start, end)``, ``{"start", "end"}``, or the words.
    systems : mapping of name to path, Corpus or mapping of id to list of chunks, or one or several paths
        Output of chunkers, or segmentations of the documents in any format.
    counted : {"character", "units"}, optional
        The unit of offsets if the spans give none; characters if there are texts.
    missing : {"error", "skip"}
        What to do when a system lacks a document that has spans, or a span, or a line of a file, cannot be used.
    match : {"id", "order"}
        As in `caesura.evaluate`.
    worst : int
        The number of worst spans to quote for each system.
    resamples, seed : int
        Bootstrap resamples of the documents, and the seed of all draws.
    format, chunks_format : str, optional
        The formats of the documents and of the systems; detected if not given.
    columns : str, optional
        What columns and keys are for (`caesura.load`).
    marks : str, optional
        What labels of 0 and 1, bits or spans mark, such as ``"first"`` (`caesura.load`).
    strict : bool
        Refuse unknown keys in files.

    Returns
    -------
    SpanReport
        With intervals, the worst spans and, if there are several systems, their comparison.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> document = Document(id="d", n_units=3, units=("One here.", "Two here.", "Three here."))
    >>> report = spans(Corpus([document]), {"d": ["here. Two", "Three"]}, {"a": {"d": Segmentation(3, (1,))}})
    >>> report.scores["a"]["Inside"], report.scores["a"]["Chunks"]
    (0.5, 1.5)
    """
    check_missing(missing)
    reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": missing}
    source = read_source(documents, "documents", format=format, texts=True, **reading)
    chunkers = matched(read_systems(systems, format=chunks_format, **reading), source.corpus, match)
    report = measured_spans(source, gold, chunkers, counted=counted, missing=missing)
    report.intervals(resamples, seed)
    if len(chunkers) > 1:
        report.compare(resamples=resamples, seed=seed)
    if worst:
        report.worst(worst)
    return report


def measured_spans(
    source: Source,
    gold: str | os.PathLike[str] | Mapping[str, Sequence[object]],
    chunkers: Mapping[str, Source],
    *,
    counted: Counted | None,
    missing: Missing,
) -> SpanReport:
    """Measure spans as `spans` does, without intervals and comparisons."""
    bad: list[str] | None = [] if missing == "skip" else None
    records, file = _read_spans(gold, counted, bad)
    by_id = _matched(source.corpus, records, bad)
    bare = [each.n_units for each in map(source.corpus.__getitem__, by_id) if each.units is None]
    check_units(sum(bare), len(by_id), "the scale of documents without texts")
    pages = {name: Page(source.corpus[name]) for name in by_id}
    places = {name: placed(record, pages[name], counted, bad) for name, record in by_id.items()}
    places = {name: row for name, row in places.items() if row}
    if not places:
        raise ComparabilityError(f"{bad[0]}; no span is left" if bad else "there is no span; give at least one")
    partners, lacking = _partners(source.corpus, chunkers, list(places), missing)
    shared = [name for name in places if not any(name in ids for ids in lacking.values())]
    if not shared:
        raise ComparabilityError("no document has chunks of every system; check the ids")
    has_text = all(pages[name].text is not None for name in shared)
    measured = {
        name: _measured(name, [(pages[key], places[key], partners[name][key]) for key in shared]) for name in chunkers
    }
    return SpanReport(
        source=source,
        systems={name: _with_share(chunker, measured[name]) for name, chunker in chunkers.items()},
        metrics={m.name(): m for m in MEASURES if has_text or not m.needs_text},
        measured=measured,
        documents=shared,
        missing=lacking,
        has_text=has_text,
        repeated=sum(place.repeated for name in shared for place in places[name]),
        gold=file,
        bad=bad or (),
        places=[[pages[name].in_text(place.start, place.end) for place in places[name]] for name in shared],
    )


def _with_share(source: Source, measured: SystemSpans) -> Source:
    """Return the share of matching words, if chunks are not exact pieces of the texts."""
    share = word_share(measured.alignments)
    return source if share is None else dataclasses.replace(source, assumed={**source.assumed, "words": share})


def _read_spans(
    gold: str | os.PathLike[str] | Mapping[str, Sequence[object]], counted: Counted | None, bad: list[str] | None
) -> tuple[dict[str | None, SpanRecord], Input | None]:
    """Return the spans by document, and their file as named in the results."""
    if isinstance(gold, Mapping):
        lists = {name: [list(span) if isinstance(span, tuple) else span for span in row] for name, row in gold.items()}
        return {name: SpanRecord(row, None, f"document {name!r}:") for name, row in lists.items()}, None
    records, (sha256,) = read_with_hash([gold], lambda: read_spans(gold, bad))
    return records, Input(
        role="spans", name="spans", documents=len(records), unit="", file=relative_to(gold), sha256=sha256,
        assumed={"counted": counted} if counted else None,
    )  # fmt: skip


def _matched(corpus: Corpus, records: Mapping[str | None, SpanRecord], bad: list[str] | None) -> dict[str, SpanRecord]:
    """Return the spans by document id; spans without an id belong to the only document."""
    if None in records:
        if len(corpus) > 1:
            raise ComparabilityError(
                f"{records[None].where} has no id, but there are {len(corpus)} documents; add the id of a document"
            )
        return {corpus.ids[0]: records[None]}
    by_id = {name: record for name, record in records.items() if name is not None}
    unknown = [name for name in by_id if name not in corpus]
    for name in unknown:
        where = by_id.pop(name).where.removesuffix(":")
        more = "" if bad is not None else and_more(len(unknown))
        only = f" (the only document is {corpus.ids[0]!r})" if len(corpus) == 1 else ""
        skip(ComparabilityError(f"{where}{more} is not among the documents; check the ids{only}"), bad, "lines")
    return by_id


def _partners(
    corpus: Corpus, systems: Mapping[str, Source], names: Sequence[str], missing: str
) -> tuple[dict[str, dict[str, Document]], dict[str, list[str]]]:
    """Return the documents of each system by the ids of the corpus, and the ids that each lacks."""
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
    """Measure every span against the chunks of one system."""
    located = [page.chunks(document, name) for page, _, document in rows]
    chunked = [Chunked(places) for places, _ in located]
    overlap = any(chunks.overlap for chunks in chunked)
    # If all boundaries lie between units, chance also places them between units.
    at_units = all(
        bool(np.isin(chunks.starts[1:], page.unit_starts).all())
        for chunks, (page, _, _) in zip(chunked, rows, strict=True)
    )
    span_rows: list[SpanRow] = []
    tokens = 0
    for row, (chunks, (page, places, _)) in enumerate(zip(chunked, rows, strict=True)):
        span_rows += [_row(row, place, chunks, page, at_units=at_units, overlap=overlap) for place in places]
        tokens += sum(page.count(page.tokens, a, b) for a, b in zip(chunks.starts, chunks.ends, strict=True))
    return SystemSpans(
        rows=span_rows,
        documents=len(rows),
        chunks=sum(map(len, chunked)),
        tokens=tokens,
        overlap=overlap,
        at_units=at_units,
        alignments=[alignment for _, alignment in located if alignment is not None],
        places=[
            [page.in_text(start, end) for start, end in places if start < end]
            for (places, _), (page, _, _) in zip(located, rows, strict=True)
        ],
    )


def _row(document: int, place: Place, chunks: Chunked, page: Page, *, at_units: bool, overlap: bool) -> SpanRow:
    cover = chunks.cover(place.start, place.end)
    # Of the smallest sets of chunks, the one with the least padding, however that is counted.
    around = [(min(first, place.start), max(last, place.end)) for first, last in cover.ends]
    tokens = (page.count(page.tokens, a, place.start) + page.count(page.tokens, place.end, b) for a, b in around)
    units = min(page.units_in(a, b) for a, b in around) - page.units_in(place.start, place.end)
    if at_units:
        gaps, inside = len(page.unit_starts) - 1, page.units_in(place.start, place.end) - 1
    else:
        gaps, inside = len(page.tokens) - 1, page.count(page.tokens, place.start + 1, place.end)
    return SpanRow(
        document=document,
        words=place.words,
        inside=cover.chunks == 1 and not cover.lost,
        chunks=cover.chunks,
        padding_tokens=min(tokens),
        padding_characters=min(b - a for a, b in around) - (place.end - place.start),
        padding_units=units,
        lost=cover.lost / (place.end - place.start),
        by_chance=float("nan") if overlap else chance_of_missing(gaps, len(chunks) - 1, inside),
    )
