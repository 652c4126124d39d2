# SPDX-License-Identifier: Apache-2.0
"""The function that measures every span of every document against the chunks of every system."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.pairs import Missing
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, and_more
from caesura.evaluation.inputs import CorpusLike, Reading, Source, SystemsLike, check_missing, read_source, read_systems
from caesura.evaluation.matching import Match, matched
from caesura.evaluation.spans.files import Asked, Counted, Place, SpanRecord, placed, read_spans, skip
from caesura.evaluation.spans.measures import MEASURES, PrecisionOmega, SpanRow, SystemSpans
from caesura.evaluation.spans.overlap import Query, Span, omega
from caesura.evaluation.spans.page import Chunked, Ints, Page, chance_of_missing
from caesura.evaluation.spans.report import SpanReport
from caesura.evaluation.spans.retrieval import Pool, Retriever
from caesura.evaluation.spans.retrieve import Resample, Retrieving, clock_of
from caesura.evaluation.spans.tokens import Starts, token_starts, tokenizer_of
from caesura.files import read_with_hash, relative_to
from caesura.limits import check_units
from caesura.results import Input
from caesura.units.align import word_share

__all__ = ["has_structure", "measured_spans", "partners_of", "spans"]

_STRUCTURE = "structure"  # in place of spans: what the documents' own structure keeps together
_KEPT = ("heading", "code", "table", "list_item")
_OMEGA = PrecisionOmega(), PrecisionOmega(touching="strict")


def spans(
    documents: CorpusLike,
    gold: str | os.PathLike[str] | Mapping[str, Sequence[object]],
    systems: SystemsLike,
    *,
    retrieve: Retriever | None = None,
    budget: int | None = None,
    k: int | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
    max_tokens: int | None = None,
    resample: Resample | None = None,
    clock: bool = True,
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
    """Measure how many spans each chunker cuts and, by retrieval, how much of the answers a budget of tokens holds.

    Parameters
    ----------
    documents : path, Corpus, or mapping of id to text or list of units
        The documents, with their texts; without texts everything is counted in units.
    gold : path, or mapping of document id to spans
        The spans that must stay whole: ``(start, end)``, ``{"start", "end"}``, or the words; or questions, ``{"question": "…",
        "spans": [...], "tags": [...]}``; or ``"structure"``: code, tables, items of lists and headings with their first line.
    systems : mapping of name to path, Corpus or mapping of id to list of chunks, or one or several paths
        Output of chunkers, or segmentations of the documents in any format.
    retrieve : str, Encoder or mapping, optional
        Retrieve chunks for every question: by ``"bm25"``, by an encoder or its spec, or as a mapping of system to one list of
        chunks (numbers from 0, in the order of documents and chunks) for each question.
    budget, k : int, optional
        How much is retrieved: chunks in rank order while they fit so many tokens [1000], or ``k`` chunks; either or both.
    tokenizer : path or str, optional
        Count the tokens of this ``tokenizer.json``, or of a model in the local cache of Hugging Face; words if not given.
    max_tokens : int, optional
        The limit of the embedding model: chunks with more tokens are counted.
    resample : {"questions", "documents"}, optional
        What is resampled and exchanged in tests: questions if there are any, else documents.
    clock : bool
        Whether to add, for each chunker, chunks of its own mean length that ignore the text.
    counted : {"character", "units"}, optional
        The unit of offsets if the spans give none; characters if there are texts.
    missing : {"error", "skip"}
        What to do when a system lacks a document that has spans, or a span, or a line of a file, cannot be used.
    match : {"id", "order"}
        As in `caesura.evaluate`.
    worst : int
        The number of worst spans to quote for each system.
    resamples, seed : int
        Bootstrap resamples, and the seed of all draws.
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
    retrieving = Retrieving(retrieve, budget, k, tokenizer, max_tokens, resample, clock)
    reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": missing}
    source = read_source(documents, "documents", format=format, texts=True, **reading)
    chunkers = matched(read_systems(systems, format=chunks_format, **reading), source.corpus, match)
    report = measured_spans(source, gold, chunkers, counted=counted, missing=missing, retrieving=retrieving)
    report.intervals(resamples, seed)
    if len(report.systems) > 1:
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
    retrieving: Retrieving | None = None,
) -> SpanReport:
    """Measure spans as `spans` does, without intervals and comparisons; no clock and no retrieval unless asked for."""
    wanted = retrieving or Retrieving(clock=False)
    bad: list[str] | None = [] if missing == "skip" else None
    records, file = _structure(source.corpus) if gold == _STRUCTURE else _read_spans(gold, counted, bad)
    by_id = _matched(source.corpus, records, bad)
    named = list(source.corpus.ids) if wanted.by is not None or wanted.whole else list(by_id)
    bare = [each.n_units for each in map(source.corpus.__getitem__, named) if each.units is None]
    check_units(sum(bare), len(named), "the scale of documents without texts")
    pages = {name: Page(source.corpus[name]) for name in named}
    asked = {name: placed(record, pages[name], counted, bad) for name, record in by_id.items()}
    asked = {name: row for name, row in asked.items() if row}
    if not asked:
        raise ComparabilityError(f"{bad[0]}; no span is left" if bad else "there is no span; give at least one")
    partners, lacking = partners_of(source.corpus, chunkers, list(asked), missing)
    without = set().union(*lacking.values())
    shared = [name for name in source.corpus.ids if name in asked and name not in without]
    if not shared:
        raise ComparabilityError("no document has chunks of every system; check the ids")
    # Documents without a question are there to be found by mistake.
    beside = {name for name in named if name not in asked and all(name in own.corpus for own in chunkers.values())}
    texts = [pages[name] for name in source.corpus.ids if name in beside or (name in asked and name not in without)]
    token_name, starts = (None, None) if wanted.tokenizer is None else tokenizer_of(wanted.tokenizer)
    texts = texts if starts is None else _tokenized(texts, shared, starts, bad)
    has_text = all(page.text is not None for page in texts)
    questions, numbers = _questions({page.document.id: asked.get(page.document.id, ()) for page in texts})
    by_question = wanted.resample == "questions" or (wanted.resample is None and any(each.text for each in questions))
    row_of = {name: row for row, name in enumerate(shared)}
    homes = [texts[query.passages[0][0].document].document.id for query in questions]
    counted_in = np.array([row if by_question else row_of[home] for row, home in enumerate(homes)])

    def measured(name: str, of: Mapping[str, Document]) -> SystemSpans:
        rows = [(page, asked.get(page.document.id, ()), of[page.document.id]) for page in texts]
        found = _measured(name, rows, numbers, counted_in, starts)
        if has_text:
            own = {
                str(measure): np.array([omega(q, found.pool, strict=measure.touching == "strict") for q in questions])
                for measure in _OMEGA
            }
            found = dataclasses.replace(found, values=own)
        return found

    chosen = {
        name: measured(name, {**{key: chunkers[name].corpus[key] for key in beside}, **partners[name]})
        for name in chunkers
    }
    sources = {name: _with_share(chunker, chosen[name]) for name, chunker in chunkers.items()}
    clocks: dict[str, str] = {}
    for name, of in list(chosen.items()) if wanted.clock else ():
        clock = clock_of(of.pool, texts)
        clocks[name] = clock.name
        if clock.name not in sources:
            sources[clock.name] = clock
            chosen[clock.name] = measured(
                clock.name, {page.document.id: clock.corpus[page.document.id] for page in texts}
            )
    retrieved = wanted.run(wanted.by, texts, questions, chosen) if wanted.by is not None else None
    if retrieved is not None:
        chosen = {
            name: dataclasses.replace(of, values={**of.values, **retrieved.values[name]}) for name, of in chosen.items()
        }
    metrics = [m for m in MEASURES if has_text or not m.needs_text]
    metrics += [*(_OMEGA if has_text else ()), *(retrieved.measures if retrieved else ())]
    return SpanReport(
        source=source,
        systems=sources,
        metrics={str(m): m for m in metrics},
        measured=chosen,
        documents=[query.name for query in questions] if by_question else shared,
        texts=shared,
        missing={**lacking, **{name: [] for name in clocks.values()}},
        has_text=has_text,
        questions=questions,
        homes=homes,
        by_question=by_question,
        clocks=clocks,
        measured_in=token_name or ("words" if has_text else "units"),
        max_tokens=wanted.max_tokens,
        retrieved=retrieved,
        repeated=sum(each.places[0].repeated for name in shared for each in asked[name]),
        gold=file,
        structure=gold == _STRUCTURE,
        bad=bad or (),
        places=[
            [pages[name].in_text(each.places[0].start, each.places[0].end) for each in asked[name]] for name in shared
        ],
    )


def _tokenized(texts: list[Page], shared: Sequence[str], starts: Starts, bad: list[str] | None) -> list[Page]:
    """Return the documents whose tokens can be counted; without ``bad`` a failure is an error, as is one that has spans."""
    kept = []
    for page in texts:
        try:
            starts(page)
            kept.append(page)
        except CaesuraError as error:
            if bad is None or page.document.id in shared:
                raise
            bad.append(str(error))
    return kept


def _questions(asked: Mapping[str, Sequence[Asked]]) -> tuple[list[Query], list[list[int]]]:
    """Return the questions in the order of their first passage, and for each document those of its passages."""
    numbers: dict[str, int] = {}
    first: list[tuple[str, Asked]] = []
    passages: list[list[tuple[Span, ...]]] = []
    of: list[list[int]] = []
    for document, (name, rows) in enumerate(asked.items()):
        of.append([])
        for each in rows:
            number = numbers.setdefault(each.key, len(numbers))
            if number == len(first):
                first.append((name, each))
                passages.append([])
            passages[number].append(tuple(Span(document, *p.inside, p.start, p.end) for p in each.places))
            of[-1].append(number)
    names: dict[str, None] = {}
    for name, each in first:
        own = (
            each.key if "\n" not in each.key else f"{name} {sum(other == name for other, _ in first[: len(names)]) + 1}"
        )
        while own in names:
            own += "'"
        names[own] = None
    return [
        Query(name, each.text, each.tags, tuple(needed))
        for name, (_, each), needed in zip(names, first, passages, strict=True)
    ], of


def _structure(corpus: Corpus) -> tuple[dict[str | None, SpanRecord], None]:
    """Return what a chunker should not part: code, tables, items of lists, and each heading with the line that follows it."""
    from caesura.formats import structure_of

    records: dict[str | None, SpanRecord] = {}
    for document in corpus:
        text, spans = document.extra.get("text"), []
        blocks = structure_of(document)
        for block, after in itertools.zip_longest(blocks, blocks[1:]):
            end = block.end
            if block.kind == "heading" and after is not None and isinstance(text, str):
                line = text.find("\n", after.start, after.end)
                end = after.end if line < 0 else line
            if block.kind in _KEPT and end > block.start:
                spans.append([block.start, end])
        if spans:
            records[document.id] = SpanRecord(spans, "character", f"document {document.id!r}:")
    if not records:
        raise ComparabilityError(
            "no document has a heading, code, a table or a list; give Markdown, HTML or reStructuredText"
        )
    return records, None


def has_structure(document: Document) -> bool:
    """Say whether a document has a heading, code, a table or an item of a list."""
    from caesura.formats import structure_of

    return isinstance(document.extra.get("text"), str) and any(b.kind in _KEPT for b in structure_of(document))


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


def partners_of(
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


def _measured(
    name: str,
    documents: Sequence[tuple[Page, Sequence[Asked], Document]],
    questions: Sequence[Sequence[int]],
    counted_in: Ints,
    starts: Starts | None,
) -> SystemSpans:
    """Measure the spans of all documents, of whose ``questions`` each is, against the chunks of one system; pool all chunks."""
    located = [page.chunks(document, name) for page, _, document in documents]
    pool = _pool([(page, ranges) for (page, _, _), (ranges, _) in zip(documents, located, strict=True)], starts)
    own = [place for place, row in enumerate(questions) if row]
    rows, located = [documents[place] for place in own], [located[place] for place in own]
    numbers = [questions[place] for place in own]
    scaled = [[page.at(*each) for each in ranges] for (page, _, _), (ranges, _) in zip(rows, located, strict=True)]
    chunked = [Chunked(places) for places in scaled]
    overlap = any(chunks.overlap for chunks in chunked)
    # If all boundaries lie between units, chance also places them between units.
    at_units = all(
        bool(np.isin(chunks.starts[1:], page.unit_starts).all())
        for chunks, (page, _, _) in zip(chunked, rows, strict=True)
    )
    span_rows: list[SpanRow] = []
    tokens = 0
    for row, (chunks, (page, asked, _)) in enumerate(zip(chunked, rows, strict=True)):
        for question, each in zip(numbers[row], asked, strict=True):
            options = [
                _row(row, question, place, chunks, page, at_units=at_units, overlap=overlap) for place in each.places
            ]
            span_rows.append(min(options, key=lambda each: (each.cut, each.lost, each.chunks, each.padding_characters)))
        tokens += int((np.searchsorted(page.tokens, chunks.ends) - np.searchsorted(page.tokens, chunks.starts)).sum())
    return SystemSpans(
        rows=span_rows,
        counted_in=counted_in,
        chunks=sum(map(len, chunked)),
        tokens=tokens,
        overlap=overlap,
        at_units=at_units,
        alignments=[alignment for _, alignment in located if alignment is not None],
        places=[
            [page.in_text(start, end) for start, end in places if start < end]
            for places, (page, _, _) in zip(scaled, rows, strict=True)
        ],
        pool=pool,
    )


def _pool(documents: Sequence[tuple[Page, Sequence[tuple[int, int]]]], starts: Starts | None) -> Pool:
    """Return all chunks of all documents, with their tokens."""
    columns: list[Ints] = []
    for number, (page, ranges) in enumerate(documents):
        edges = np.array(ranges, dtype=np.int64).reshape(-1, 2)
        tokens = np.diff(np.searchsorted(token_starts(starts, page), edges), axis=1)
        columns.append(np.column_stack((np.full(len(edges), number), edges, page.on_scale(edges), tokens)))
    return Pool(*np.concatenate(columns).T)


def _row(
    document: int, question: int, place: Place, chunks: Chunked, page: Page, *, at_units: bool, overlap: bool
) -> SpanRow:
    cover = chunks.cover(place.start, place.end)
    # Of the smallest sets of chunks, the one with the least padding, however that is counted.
    around = [(min(first, place.start), max(last, place.end)) for first, last in cover.ends]
    tokens = (page.tokens_in(a, place.start) + page.tokens_in(place.end, b) for a, b in around)
    units = min(page.units_in(a, b) for a, b in around) - page.units_in(place.start, place.end)
    if at_units:
        gaps, inside = len(page.unit_starts) - 1, page.units_in(place.start, place.end) - 1
    else:
        gaps, inside = len(page.tokens) - 1, page.tokens_in(place.start + 1, place.end)
    return SpanRow(
        document=document,
        question=question,
        words=place.words,
        inside=cover.chunks == 1 and not cover.lost,
        chunks=cover.chunks,
        padding_tokens=min(tokens),
        padding_characters=min(b - a for a, b in around) - (place.end - place.start),
        padding_units=units,
        lost=cover.lost / (place.end - place.start),
        by_chance=float("nan") if overlap else chance_of_missing(gaps, len(chunks) - 1, inside),
    )
