# SPDX-License-Identifier: Apache-2.0
"""Whether chunks can be used for retrieval, without answers or a reference: what is lost, too long, cut or left behind.

Text that no chunk holds cannot be found, and of a chunk over the limit of a model the end is not read: such chunks cannot be used
as they are. The other rules are counted only, since a chunker may break them on purpose, such as by overlaps.
"""

from __future__ import annotations

import bisect
import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from caesura.corpus import Document
from caesura.errors import ComparabilityError, and_more, listed
from caesura.evaluation.check.rules import Breach, Rule, counted, tallied
from caesura.evaluation.inputs import Source
from caesura.evaluation.spans.files import skip
from caesura.evaluation.spans.page import Chunked, Ints, Page
from caesura.evaluation.spans.run import partners_of
from caesura.evaluation.spans.tokens import Starts, token_starts, tokenizer_of
from caesura.formats import Block, structure_of
from caesura.results.check.facts import CheckFacts
from caesura.units.align import Alignment, word_share

__all__ = ["checked_chunks"]

_FEWEST = 10  # tokens of a chunk that says something
_LOST = Rule("no text is lost", of="characters", short="lost")
_DOUBLED = Rule("no text is doubled", of="characters", must=False, short="doubled")
_SENTENCE = Rule("no sentence is cut", of="chunks", must=False, short="sentences")
_HEADING = Rule("no heading is left behind", of="headings", must=False, short="headings")
_BLOCK = Rule("no code, table or list item is cut", of="blocks", must=False, short="blocks")
_WHOLE = {"code": "code", "table": "a table", "list_item": "a list item"}
_PROSE = ("paragraph", "quote", "list_item")
_SMALL = ("word", "token")  # units smaller than a sentence
_CLOSING = r"[\"'”’»)\]*_」』）]*\Z"
_FULL_STOP, _CLOSE_STOP = re.compile(f"[.!?…。！？]{_CLOSING}"), re.compile(f"[。！？]{_CLOSING}")
_LOOKED_BACK = 40
_QUOTED = 40
T = TypeVar("T")


class _Lengths(NamedTuple):
    """The rules for the length of a chunk, and its limit in tokens; without one no chunk is too long."""

    tiny: Rule
    over: Rule | None
    limit: int


class _Text(NamedTuple):
    """A text, its blocks if they are known, its chunks in characters, and where its tokens begin."""

    page: Page
    blocks: list[Block]
    chunks: list[tuple[int, int]]
    tokens: Ints

    def tokens_in(self, start: int, end: int) -> int:
        return int(np.diff(np.searchsorted(self.tokens, (start, end)))[0])

    def quoted(self, start: int, end: int) -> str:
        words = " ".join((self.page.text or "")[start : min(end, start + 4 * _QUOTED)].split())
        return words if len(words) <= _QUOTED else words[: _QUOTED - 1] + "…"


def checked_chunks(
    source: Source,
    chunker: Source,
    *,
    tokenizer: str | os.PathLike[str] | None = None,
    max_tokens: int | None = None,
    missing: str = "error",
) -> tuple[CheckFacts, list[str]]:
    """Return what the chunks of documents break, and what there is to know about how that was counted.

    A document without chunks is lost. With ``missing="skip"`` one whose chunks are not in its text is left out and counted.
    """
    own, lacking = partners_of(source.corpus, {chunker.name: chunker}, source.corpus.ids, "skip")
    if not own[chunker.name]:
        raise ComparabilityError(f"{chunker.name!r} has chunks of none of the documents; check the ids")
    name, starts = (None, None) if tokenizer is None else tokenizer_of(tokenizer)
    unit = "tokens" if name else "words"
    over = (
        None if max_tokens is None else Rule(f"no chunk is over {max_tokens:,} {unit}", of="chunks", short="too long")
    )
    tiny = Rule(f"no chunk is under {_FEWEST} {unit}", of="chunks", must=False, short="tiny")
    lengths = _Lengths(tiny, over, max_tokens or 0)
    rules = [_LOST, *([] if over is None else [over]), _DOUBLED, tiny, _SENTENCE, _HEADING, _BLOCK]
    found: dict[str, list[Breach]] = {}
    totals: Counter[str] = Counter()
    alignments: list[Alignment] = []
    bad: list[str] = []
    for document in source.corpus:
        try:
            text, alignment = _located(document, own[chunker.name].get(document.id), chunker.name, starts)
        except ComparabilityError as error:
            skip(error, bad if missing == "skip" else None, "documents")
            continue
        alignments += [] if alignment is None else [alignment]
        found[document.id] = [*_coverage(text), *_edges(text, lengths), *_structure(text, lengths, totals)]
        found[document.id] += [Breach(tiny, "", "no text", _FEWEST)] * (0 if alignment is None else alignment.empty)
        totals["documents"] += 1
        totals["characters"] += text.page.length
        totals["chunks"] += len(text.chunks) + (0 if alignment is None else alignment.empty)
    if not found:
        raise ComparabilityError(f"{bad[0]}; no document is left")
    facts = CheckFacts(
        of="chunks",
        items=totals["chunks"],
        documents=len(found),
        asked=[],
        rules=tallied(rules, found, totals),
        broken={key: counted(some) for key, some in found.items() if some},
        max_tokens=max_tokens,
        measured_in=name or "words",
    )
    return facts, list(_notes(name, over is not None, lacking[chunker.name], bad, alignments, totals))


def _notes(
    tokenizer: str | None,
    limited: bool,
    lacking: Sequence[str],
    bad: Sequence[str],
    alignments: Sequence[Alignment],
    totals: Counter[str],
) -> Iterator[str]:
    yield f"tokens of {tokenizer}" if tokenizer else "words are counted; --tokenizer counts the tokens of a model"
    if not limited:
        yield "no limit was given (--max-tokens), so none is too long"
    if lacking:
        yield f"document {lacking[0]!r}{and_more(len(lacking))} has no chunks"
    if bad:
        yield f"{len(bad)} left out, whose chunks cannot be found: {listed(bad, '; ')}"
    share = word_share(alignments)
    if share is not None:
        yield f"chunks are not exact pieces of the texts ({share} of the words are); their places are nearly right"
    if not totals["headings"] + totals["blocks"]:
        yield "no document has a heading, code, a table or a list; Markdown, HTML and reStructuredText show them"


def _located(
    document: Document, chunks: Document | None, system: str, starts: Starts | None
) -> tuple[_Text, Alignment | None]:
    page = Page(document)
    if page.text is None:
        raise ComparabilityError(f"document {document.id!r} has no text; a check of chunks needs it")
    ranges, alignment = ([], None) if chunks is None else page.chunks(chunks, system)
    filled = [page.at(*each) for each in ranges]
    trimmed = [page.in_text(first, last) for first, last in filled if first < last]
    blocks = structure_of(document) if isinstance(document.extra.get("text"), str) else []
    return _Text(page, blocks, trimmed, token_starts(starts, page)), alignment


def _coverage(text: _Text) -> Iterator[Breach]:
    """Yield the stretches that no chunk holds, if they have a letter or digit, and those that several hold."""
    page = text.page
    depth = np.zeros(page.length + 1, dtype=np.int64)
    for start, end in text.chunks:
        first, last = page.at(start, end)
        depth[first] += 1
        depth[last] -= 1
    held = np.minimum(np.cumsum(depth)[:-1], 2)
    edges = [0, *(np.flatnonzero(np.diff(held)) + 1).tolist(), page.length]
    for first, last in itertools.pairwise(edges):
        if first == last or held[first] == 1:
            continue
        start, end = page.in_text(first, last)
        if held[first] == 2 or any(map(str.isalnum, (page.text or "")[start:end])):
            rule = _DOUBLED if held[first] else _LOST
            yield Breach(rule, str(start), text.quoted(start, end), last - first, last - first)


def _edges(text: _Text, lengths: _Lengths) -> Iterator[Breach]:
    """Yield chunks that are too long, tiny, or begin or end inside a sentence."""
    whole, inside = text.page.text or "", _Sentences(text)
    for start, end in text.chunks:
        size = text.tokens_in(start, end)
        if lengths.over is not None and size > lengths.limit:
            yield Breach(lengths.over, str(start), f"{size:,}", size - lengths.limit)
        if size < _FEWEST and (start, end) != text.page.in_text(0, text.page.length):
            yield Breach(lengths.tiny, str(start), text.quoted(start, end), _FEWEST - size)
        cut = [word for word, place in (("starts", start), ("ends", end)) if place in inside]
        if cut:
            last = whole[max(start, end - _QUOTED) : end]
            shown = text.quoted(start, end) if "starts" in cut else "…" + " ".join(last.split())
            yield Breach(_SENTENCE, str(start), f"{' and '.join(cut)}: {shown}", len(cut))


class _Sentences:
    """The places inside sentences: of a document whose units are sentences those inside a unit, else those in a paragraph behind no full stop.

    An abbreviation counts as the end of a sentence, so that of texts in other units too few are found rather than too many.
    """

    def __init__(self, text: _Text) -> None:
        page = text.page
        self._text, self._unit = page.text or "", page.document.unit
        units = [(a, b) for a, b in zip(page.unit_starts.tolist(), page.unit_ends.tolist(), strict=True) if a < b]
        self._units = [(0, len(self._text))] if self._unit in _SMALL else [page.in_text(*each) for each in units]
        self._blocks = text.blocks

    def __contains__(self, place: int) -> bool:
        block = _around(place, self._blocks, lambda block: (block.start, block.end))
        if _around(place, self._units, lambda unit: unit) is None or (self._blocks and block is None):
            return False
        if block is not None and block.kind not in _PROSE:
            return False
        if self._unit == "sentence":
            return True
        before = self._text[max(0, place - _LOOKED_BACK) : place].rstrip()
        apart = self._text[place - 1].isspace() or self._text[place].isspace()
        return not (_FULL_STOP.search(before) if apart else _CLOSE_STOP.search(before))


def _around(place: int, spans: Sequence[T], edges: Callable[[T], tuple[int, int]]) -> T | None:
    """Return the span, of some in order, that goes on before and after a place."""
    number = bisect.bisect_left(spans, place, key=lambda span: edges(span)[0]) - 1
    return spans[number] if number >= 0 and edges(spans[number])[1] > place else None


def _structure(text: _Text, lengths: _Lengths, totals: Counter[str]) -> Iterator[Breach]:
    """Yield headings that are parted from what follows them, and blocks that no chunk holds whole though the limit lets one."""
    page, blocks = text.page, text.blocks
    chunked = Chunked([page.at(*each) for each in text.chunks])
    for block in blocks:
        heading = block.kind == "heading" and block is not blocks[-1]
        if not heading and block.kind not in _WHOLE:
            continue
        first, last = page.at(block.start, block.end)
        if lengths.over is not None and text.tokens_in(block.start, block.end) > lengths.limit:
            continue
        totals["headings" if heading else "blocks"] += 1
        cover = chunked.cover(first, last + 1 if heading else last)
        if cover.chunks > 1 or (cover.chunks and cover.lost):  # what no chunk holds is lost, not cut
            what = "" if heading else f"{_WHOLE[block.kind]}: "
            quoted = what + text.quoted(block.start, block.end)
            yield Breach(_HEADING if heading else _BLOCK, str(block.start), quoted, cover.chunks)
