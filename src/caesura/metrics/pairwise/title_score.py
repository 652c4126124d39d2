# SPDX-License-Identifier: Apache-2.0
"""How well titles agree, of segments that belong together."""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, Request, harmonic_mean, quantity, ratio
from caesura.metrics.counting import OwnCounts
from caesura.metrics.pairwise._overlaps import Overlaps, check_thresholds, n_segments, overlaps, thresholds
from caesura.metrics.pairwise._titles import WORDS, Titled, Words, rouge_l, titled, vectors_of_titles, words_of
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["TitleScore", "titles_alike"]

Matched = list[tuple[int, int]]  # segments of reference and hypothesis, numbered in the document
_PARTS = ("f1", "precision", "recall", "matched")


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class TitleScore(PairwiseMetric):
    r"""How well the titles of segments agree.

    Definition
    ----------
    Segments are paired, and s is the similarity of the titles of each pair in M. With R and H the titles of the two sides,

    .. math::  P = \sum_M s / |H|, \quad R = \sum_M s / |R|, \quad F = 2PR / (P + R).

    Pairs: ``match="tiou"`` overlap by more than ``tiou`` (with ``matching="any"`` all such pairs); ``"time"`` start and end within
    ``tolerance``, the nearest free one for each segment of the reference in turn; ``"start"`` the same by the start alone;
    ``"order"`` compares all titles of a side as one text. ``unmatched="skip"`` is the mean of s over pairs (``part`` then chooses
    precision, recall or F of ROUGE-L), ``"hypothesis"`` over pairs and titles of the hypothesis without a partner.
    ``part="matched"`` is the share of the reference's titles that have a partner.

    Similarity: ``"rouge"`` is F of the longest common subsequence of words (ROUGE-L), ``"cider"`` is CIDEr-D with the
    document frequencies of the pairs, from 0 to 10, ``"encoder"`` the cosine of the vectors of the two titles by an ``encoder``, 0 if it
    is negative: for titles that say the same in other words. What unlike titles have depends on the encoder, so read it beside chance.

    Edge cases
    ----------
    A document whose reference has no titles: NaN. Without a pair: 0, and NaN where unmatched titles are skipped. A title that is
    missing matches nothing; ``empty="undefined"`` leaves out documents where a title has no words. CIDEr-D of a single pair is 0, since
    every word is in every reference.

    Examples
    --------
    >>> from caesura.batches.pairs import Pairs
    >>> from caesura.segmentation import Segmentation
    >>> pairs = Pairs.of(Segmentation(20, (10,)), Segmentation(20, (9,)))
    >>> pairs = pairs.with_titles([["Opening", "The main part"]], [["Opening", "Main part"]])
    >>> metric = TitleScore()
    >>> float(metric.score(metric.count(pairs))[0])  # (1 + 4/5) / 2
    0.9

    See Also
    --------
    SODA : overlap and title in one number.
    """

    match: str = param("tiou", "how segments are paired", choices=("tiou", "time", "start", "order"))
    similarity: str = param(
        "rouge", "of two titles: ROUGE-L, CIDEr-D or the cosine of their vectors", choices=("rouge", "cider", "encoder")
    )
    encoder: str = param("default", "with similarity='encoder': which one, such as onnx:minilm")
    part: str = param("f1", "which rate, or the share of titles with a partner", choices=_PARTS)
    unmatched: int | str = param(
        0,
        "titles without a partner: count 0, are left out, or count 0 in the hypothesis only",
        choices=(0, "skip", "hypothesis"),
    )
    tiou: float | str = param(
        0.5, "how much paired segments overlap: more than this; several between commas", check=check_thresholds
    )
    matching: str = param("one_to_one", "one_to_one: each at most once; any: all pairs", choices=("one_to_one", "any"))
    tolerance: int | str = quantity(1, "how far start and end may be off; a length such as '5s' on time", minimum=0)
    words: str = param(
        "unicode", "words of a title: of any script, stems, or as caption metrics cut them", choices=WORDS
    )
    beta: float = param(1.0, "weight of recall in ROUGE-L", positive=True, maximum=10)
    empty: str = param(
        "zero", "a title without words: scores 0, or its document is undefined", choices=("zero", "undefined")
    )

    card = MetricCard(
        title="how well titles of segments agree",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        additive=False,
        citation="Lin 2004, ROUGE: a package for automatic evaluation of summaries",
        formula="2PR / (P + R), P and R the mean similarity of the titles of each side",
    )
    columns = ("n_ref", "n_hyp", "matched", "scored", "precision", "recall", "f1")
    undefined = "the reference has no titles, or no segments are paired"

    def facts(self) -> MetricCard:
        """Return the card: CIDEr-D reaches 10, and titles of the two sides are not treated alike by every choice."""
        high = 10.0 if self.similarity == "cider" and self.part != "matched" else 1.0
        alike = (
            self.part == "f1" and self.unmatched != "hypothesis" and self.match in ("tiou", "order") and self.beta == 1
        )
        return dataclasses.replace(self.card, bounds=(0.0, high), perfect=high, symmetric=alike and high == 1)

    def needs_titles(self) -> bool:
        """Say whether titles are read: always."""
        return True

    def title_encoder(self) -> str:
        """Return the encoder whose vectors of titles are read."""
        return self.encoder if self.similarity == "encoder" else ""

    def needs_distance(self, unit: str) -> bool:
        """Say whether the tolerance must be given as a length."""
        return self.match in ("time", "start") and needs_distance(self.tolerance, unit, 1)

    def request(self, unit: str) -> Request:
        """Ask for the counts that all parts share."""
        return OwnCounts(dataclasses.replace(self, part="f1"))

    def count(self, pairs: Pairs) -> Floats:
        """Pair the segments of each document, and compare their titles."""
        if self.match == "order" and self.similarity != "rouge":
            raise MetricError(f"{self.name()}: match='order' compares words; leave similarity={self.similarity!r} out")
        titles, size = titled(pairs, self.name(), self.words), len(pairs)
        numbers = np.column_stack([n_segments(pairs.reference), n_segments(pairs.hypothesis)])
        if self.match == "order":
            matched, scored = numbers[:, 0], np.ones(size)
            rates = np.array([rouge_l(*both, self.beta) for both in _joined(titles, numbers)]).reshape(-1, 3)
        else:
            encoder = self.title_encoder()
            vectors = vectors_of_titles(pairs, self.name(), encoder) if encoder else None
            each = [self._compared(titles, vectors, numbers, *matched) for matched in self._matched(pairs)]
            matched, scored, rates = (np.mean(parts, axis=0) for parts in zip(*each, strict=True))
        counts = np.column_stack([numbers, matched, scored == 1, rates])
        named = pairs.titles[0].sizes > 0 if pairs.titles else np.zeros(size, dtype=bool)
        if self.empty == "undefined":
            for side, number in ((titles.reference, numbers[:, 0]), (titles.hypothesis, numbers[:, 1])):
                silent = np.array([not words for words in titles.vocabulary.words])[side]
                named &= np.bincount(np.repeat(np.arange(size), number.astype(np.int64)), silent, size) == 0
        return np.asarray(counts * named[:, np.newaxis], dtype=np.float64)

    def score(self, counts: Floats) -> Floats:
        """Return the part asked for, NaN where it is not defined."""
        if self.part == "matched":
            return ratio(counts[..., 2], counts[..., 0])
        return np.where(counts[..., 3] > 0, counts[..., 4 + ("precision", "recall", "f1").index(self.part)], np.nan)

    def _matched(self, pairs: Pairs) -> list[tuple[Ints, Ints, Ints]]:
        """Return the document and the two segments of each pair, for each threshold."""
        if self.match == "tiou":
            return [self._overlapping(overlaps(pairs), threshold) for threshold in thresholds(self.tiou)]
        reach = resolve_quantity(self.tolerance, pairs.unit, owner=self.name(), name="tolerance", default_limit=1)
        edges = [_edges(side) for side in (pairs.reference, pairs.hypothesis)]
        found, before = [], [0, 0]
        for row, (ref, hyp) in enumerate(zip(*edges, strict=True)):
            near = _nearest(ref, hyp, reach, self.match == "start")
            found += [(row, one + before[0], other + before[1]) for one, other in near]
            before = [before[0] + len(ref) - 1, before[1] + len(hyp) - 1]
        document, one, other = np.array(found, dtype=np.int64).reshape(-1, 3).T
        return [(document, one, other)]

    def _overlapping(self, found: Overlaps, threshold: float) -> tuple[Ints, Ints, Ints]:
        hits = np.flatnonzero(found.above(threshold))
        if self.matching == "one_to_one" and threshold < 0.5:
            hits = found.one_to_one(hits)
        return found.document[hits], found.reference[hits], found.hypothesis[hits]

    def _compared(
        self,
        titles: Titled,
        vectors: npt.NDArray[np.float32] | None,
        numbers: Floats,
        document: Ints,
        ref: Ints,
        hyp: Ints,
    ) -> tuple[Floats, Floats, Floats]:
        """Return the titles of the reference with a partner, whether there is a score, and the rates, of each document."""
        size = len(numbers)
        matched, partners = (_distinct(document, side, size) for side in (ref, hyp))
        number = np.bincount(document, minlength=size).astype(np.float64)
        without = numbers[:, 1] - partners
        if vectors is not None:
            similar = np.repeat(titles.cosines(ref, hyp, vectors)[:, np.newaxis], 3, axis=1)
        elif self.similarity == "cider":
            similar = np.repeat(titles.cider(ref, hyp, document, number + without)[:, np.newaxis], 3, axis=1)
        else:
            # Caption metrics split an empty title into one empty word.
            similar = titles.rouge(ref, hyp, self.beta, ("",) if self.words == "captions" else ())
        sums: Floats = np.array([np.bincount(document, rate, size) for rate in similar.T], dtype=np.float64).T
        if self.unmatched == "skip":
            return matched, (number > 0).astype(np.float64), ratio(sums, number[:, np.newaxis], empty=0.0)
        total = sums[:, 2:]
        if self.unmatched == "hypothesis":
            rates = np.repeat(ratio(total, (number + without)[:, np.newaxis]), 3, axis=1)
        else:
            precision, recall = ratio(total, numbers[:, 1:]), ratio(total, numbers[:, :1])
            rates = np.column_stack([precision, recall, harmonic_mean(precision, recall)])
        return matched, np.ones(size), rates


def titles_alike(reference: str, hypothesis: str) -> float:
    """Return the ROUGE-L of two titles, of any script.

    >>> titles_alike("The main part", "Main part!"), titles_alike("今日は", "今日は")
    (0.8, 1.0)
    """
    return rouge_l(words_of(reference, "unicode"), words_of(hypothesis, "unicode"))[2]


def _distinct(document: Ints, segments: Ints, size: int) -> Floats:
    """Return how many different segments of each document there are; segments rise with documents."""
    _, first = np.unique(segments, return_index=True)
    return np.bincount(document[first], minlength=size).astype(np.float64)


def _edges(side: Flat) -> list[list[int]]:
    """Return start, boundaries and end of each document."""
    pos, ptr = side.pos.tolist(), side.ptr.tolist()
    return [[0, *pos[a:b], end] for a, b, end in zip(ptr[:-1], ptr[1:], side.n_units.tolist(), strict=True)]


def _joined(titles: Titled, numbers: Floats) -> Iterator[tuple[Words, Words]]:
    """Yield all words of the titles of each document, of both sides."""
    starts = [starts_of(number).tolist() for number in numbers.T.astype(np.int64)]
    sides = [[titles.vocabulary.words[place] for place in side.tolist()] for side in titles[:2]]
    for row in range(len(numbers)):
        one, other = (
            tuple(itertools.chain.from_iterable(side[at[row] : at[row + 1]]))
            for side, at in zip(sides, starts, strict=True)
        )
        yield one, other


def _nearest(ref: list[int], hyp: list[int], reach: int, start_only: bool) -> Matched:
    """Return for each segment of the reference in turn the nearest free one; both are given by all their edges."""
    free, matched = set(range(len(hyp) - 1)), Matched()
    for one in range(len(ref) - 1):
        best: tuple[int, int] | None = None
        for other in range(bisect_left(hyp, ref[one] - reach), bisect_right(hyp, ref[one] + reach)):
            ends = 0 if start_only or other not in free else abs(hyp[other + 1] - ref[one + 1])
            away = abs(hyp[other] - ref[one]) + ends
            if other in free and ends <= reach and (best is None or away < best[0]):
                best = away, other
        if best is not None:
            free.remove(best[1])
            matched.append((one, best[1]))
    return matched
