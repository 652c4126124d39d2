# SPDX-License-Identifier: Apache-2.0
"""Retrieval of chunks by questions, offline: rankings by BM25, by the vectors of an encoder, or given."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError
from caesura.evaluation.spans.page import Ints, Page
from caesura.metrics.base import Floats

if TYPE_CHECKING:
    from caesura.encoders import Encoder

__all__ = ["BM25", "Pool", "Ranked", "Retriever", "Words", "rankings"]

BM25 = "bm25"
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")
_BLOCK = 256  # questions that are scored by vectors at a time
_SPARE = 16

Retriever: TypeAlias = "str | Encoder | Mapping[str, Sequence[Sequence[int]]]"
Ranked = Sequence[Ints]
"""For each question, the chunks that were found, best first."""


@dataclasses.dataclass(frozen=True)
class Pool:
    """All chunks of a system in the order of documents and chunks.

    ``start`` and ``end`` are characters of the text of document ``document`` (units without texts), ``first`` and ``last`` the same on
    the scale of its page, ``tokens`` how many tokens begin in each chunk.
    """

    document: Ints
    start: Ints
    end: Ints
    first: Ints
    last: Ints
    tokens: Ints

    def __len__(self) -> int:
        return len(self.document)

    @functools.cached_property
    def _rows(self) -> dict[int, tuple[int, list[int], list[int], list[int]]]:
        """For each document the number of its first chunk, the starts, the ends, and how far chunks reach up to each."""
        rows = {}
        for document in np.unique(self.document).tolist():
            low, high = np.searchsorted(self.document, (document, document + 1)).tolist()
            start, end = self.start[low:high], self.end[low:high]
            rows[document] = low, start.tolist(), end.tolist(), np.maximum.accumulate(end).tolist()
        return rows

    def near(self, document: int, start: int, end: int) -> list[tuple[int, int, int]]:
        """Return the chunks that share a character or a border with a range, each with its start and end."""
        if document not in self._rows:
            return []
        first, starts, ends, reach = self._rows[document]
        low, high = bisect.bisect_left(reach, start), bisect.bisect_right(starts, end)
        return [(first + at, starts[at], ends[at]) for at in range(low, high) if ends[at] >= start]


class Words:
    """The words of all documents: runs of letters, digits and underscores, in lower case.

    >>> from caesura.corpus import Document
    >>> Words([Page(Document(id="d", n_units=1, units=("The cat, the dog.",)))]).numbers("THE dog barks")
    [0, 2]
    """

    def __init__(self, pages: Sequence[Page]) -> None:
        self._known: dict[str, int] = {}
        self._of: list[tuple[Ints, Ints, Ints]] = []
        for page in pages:
            found = list(_WORD.finditer(page.text or ""))
            numbers = [self._known.setdefault(match[0].lower(), len(self._known)) for match in found]
            places = [[match.start() for match in found], [match.end() for match in found], numbers]
            self._of.append(tuple(np.array(column, dtype=np.int64) for column in places))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self._known)

    def numbers(self, question: str) -> list[int]:
        """Return the words of a question that any document has."""
        words = (self._known.get(match.lower()) for match in _WORD.findall(question))
        return [word for word in words if word is not None]

    def inside(self, pool: Pool) -> tuple[Ints, Ints]:
        """Return every occurrence of a word wholly inside a chunk: the chunk, and the word."""
        chunks: list[Ints] = [np.empty(0, np.int64)]
        words: list[Ints] = [np.empty(0, np.int64)]
        edges = np.searchsorted(pool.document, np.arange(len(self._of) + 1))
        for document, (starts, ends, numbers) in enumerate(self._of):
            own = np.arange(edges[document], edges[document + 1])
            low, high = np.searchsorted(starts, pool.start[own]), np.searchsorted(ends, pool.end[own], side="right")
            counts = np.maximum(high - low, 0)
            # The places low, low + 1, … of each chunk, one after the other.
            steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            chunks.append(np.repeat(own, counts))
            words.append(numbers[np.repeat(low, counts) + steps])
        return np.concatenate(chunks), np.concatenate(words)


class _Okapi:
    """The weight of every word in every chunk by Okapi BM25, with k1 = 1.2 and b = 0.75.

    The idf of a word in n of N chunks is log(1 + (N - n + 0.5) / (n + 0.5)), as in Lucene, so that no weight is negative.
    """

    def __init__(self, words: Words, pool: Pool) -> None:
        self._chunks = len(pool)
        chunk, word = words.inside(pool)
        lengths = np.bincount(chunk, minlength=len(pool))
        pairs, often = np.unique(word * max(len(pool), 1) + chunk, return_counts=True)
        self._at, owner = pairs % max(len(pool), 1), pairs // max(len(pool), 1)
        self._edges = np.searchsorted(owner, np.arange(len(words) + 1))
        held = np.diff(self._edges)[owner]
        longer = lengths[self._at] / max(lengths.mean() if len(pool) else 0.0, 1e-9)
        rarity = np.log1p((len(pool) - held + 0.5) / (held + 0.5))
        self._weights = rarity * often * (_K1 + 1) / (often + _K1 * (1 - _B + _B * longer))

    def scores(self, words: Sequence[int]) -> Floats:
        """Return the score of every chunk; a word that a question has twice counts twice."""
        slices = [slice(self._edges[word], self._edges[word + 1]) for word in words]
        if not slices:
            return np.zeros(self._chunks)
        at, weights = (np.concatenate([column[each] for each in slices]) for column in (self._at, self._weights))
        return np.bincount(at, weights=weights, minlength=self._chunks).astype(np.float64)


def _best(scores: Floats, number: int, *, positive: bool) -> Ints:
    """Return the best chunks, at equal scores in their order; with ``positive`` only those that share a word."""
    if number < len(scores):
        least = np.partition(scores, len(scores) - number)[len(scores) - number]
        found = np.flatnonzero(scores >= least)
    else:
        found = np.arange(len(scores))
    if positive:
        found = found[scores[found] > 0]
    return found[np.argsort(-scores[found], kind="stable")][:number]


def _deep_enough(scores: Floats, pool: Pool, k: int, budget: int, *, positive: bool) -> Ints:
    """Return so many of the best chunks that neither a number of chunks nor a budget reaches further."""
    number = max(k, _SPARE + int(2 * budget / max(pool.tokens.mean(), 1.0)))
    while True:
        found = _best(scores, number, positive=positive)
        if len(found) < number or pool.tokens[found].sum() > budget:
            return found
        number *= 4


def _vectors(encoder: Encoder, pages: Sequence[Page], pool: Pool) -> npt.NDArray[np.floating]:
    texts = [
        (pages[document].text or "")[start:end] or " "
        for document, start, end in zip(pool.document.tolist(), pool.start.tolist(), pool.end.tolist(), strict=True)
    ]
    return _unit(encoder.encode(texts))


def _unit(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    from caesura.encoders.base import unit_length

    return unit_length(np.asarray(vectors))


def rankings(
    by: Retriever, pages: Sequence[Page], questions: Sequence[str], k: int, budget: int
) -> tuple[str, Callable[[str, Pool], Ranked]]:
    """Return the name of a retriever, and the function that ranks the chunks of a named system for every question.

    ``by`` is "bm25", an encoder or its spec, or a mapping of system to one list of chunks for each question, such as another
    retriever found; a system without an entry there, such as a clock, is refused.
    """
    if isinstance(by, Mapping):
        return "given", lambda system, pool: list(_given(by, system, pool, len(questions)))
    if isinstance(by, str) and by.lower() == BM25:
        words = Words(pages)
        asked = [words.numbers(question) for question in questions]

        def by_words(system: str, pool: Pool) -> Ranked:
            weights = _Okapi(words, pool)
            return [_deep_enough(weights.scores(each), pool, k, budget, positive=True) for each in asked]

        return f"{BM25}(k1={_K1},b={_B})", by_words

    from caesura.encoders import encoder as opened

    encoder = opened(by)
    encoded = functools.cache(lambda: _unit(encoder.encode(list(questions))))

    def by_vectors(system: str, pool: Pool) -> Ranked:
        chunks, found = _vectors(encoder, pages, pool), []
        for first in range(0, len(questions), _BLOCK):
            near = np.asarray(encoded()[first : first + _BLOCK] @ chunks.T, dtype=np.float64)
            found += [_deep_enough(row, pool, k, budget, positive=False) for row in near]
        return found

    return encoder.name, by_vectors


def _given(by: Mapping[str, Sequence[Sequence[int]]], system: str, pool: Pool, questions: int) -> Iterator[Ints]:
    """Yield the given rankings of a system."""
    if system not in by:
        raise ComparabilityError(f"there are no rankings of {system!r}; give one list of chunks for each question")
    if len(by[system]) != questions:
        raise ComparabilityError(f"{system!r} has {len(by[system])} rankings, but there are {questions} questions")
    for row in by[system]:
        found = np.asarray(row, dtype=np.int64).reshape(-1)
        if found.size and not (int(found.min()) >= 0 and int(found.max()) < len(pool)):
            raise ComparabilityError(f"{system!r}: a ranking names chunk {found.max()}, but there are {len(pool)}")
        yield found
