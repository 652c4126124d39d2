# SPDX-License-Identifier: Apache-2.0
"""How well titles agree, of segments that belong together."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, harmonic_mean, quantity, ratio
from caesura.metrics.pairwise._overlaps import Overlaps, check_thresholds, overlaps, thresholds
from caesura.metrics.pairwise._titles import WORDS, Words, cider, rouge_l, titles_of, words_of
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["TitleScore"]

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
    document frequencies of the pairs, from 0 to 10.

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
    similarity: str = param("rouge", "of two titles: ROUGE-L or CIDEr-D", choices=("rouge", "cider"))
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
    columns = ("n_ref", "n_hyp", "matched", "score")
    undefined = "the reference has no titles, or no segments are paired"

    def facts(self) -> MetricCard:
        """Return the card: CIDEr-D reaches 10, and only F1 treats both sides alike."""
        high = 10.0 if self.similarity == "cider" and self.part != "matched" else 1.0
        return dataclasses.replace(self.card, bounds=(0.0, high), perfect=high, symmetric=False)

    def needs_titles(self) -> bool:
        """Say whether titles are read: always."""
        return True

    def needs_distance(self, unit: str) -> bool:
        """Say whether the tolerance must be given as a length."""
        return self.match in ("time", "start") and needs_distance(self.tolerance, unit, 1)

    def count(self, pairs: Pairs) -> Floats:
        """Pair the segments of each document, and compare their titles."""
        reach = 0
        if self.match in ("time", "start"):
            reach = resolve_quantity(self.tolerance, pairs.unit, owner=self.name(), name="tolerance", default_limit=1)
        sides = [[words_of(title, self.words) for title in side] for side in titles_of(pairs, self.name())]
        named = [bool(titles) for titles in pairs.titles[0]] if pairs.titles is not None else []
        starts = [side.ptr + np.arange(len(pairs) + 1) for side in (pairs.reference, pairs.hypothesis)]
        matched = self._matched(pairs, reach, starts)
        counts = np.zeros((len(pairs), 4))
        for row in range(len(pairs)):
            ref, hyp = (words[at[row] : at[row + 1]] for words, at in zip(sides, starts, strict=True))
            if not named[row] or (self.empty == "undefined" and not (all(ref) and all(hyp))):
                continue
            scores = [self._score(ref, hyp, each[row]) for each in matched]
            if None not in scores:
                pairs_made = [len({one for one, _ in each[row]}) for each in matched]
                counts[row] = len(ref), len(hyp), np.mean(pairs_made), np.mean([each or 0.0 for each in scores])
        return counts

    def score(self, counts: Floats) -> Floats:
        """Return the score of each document, NaN where it has none."""
        return ratio(counts[..., 3] * counts[..., 0], counts[..., 0])

    def _matched(self, pairs: Pairs, reach: int, starts: list[Ints]) -> list[list[Matched]]:
        """Return the pairs of segments of each document, for each threshold."""
        if self.match == "order":
            return [[[] for _ in range(len(pairs))]]
        if self.match == "tiou":
            found = overlaps(pairs)
            return [self._overlapping(found, threshold, starts) for threshold in thresholds(self.tiou)]
        sides = [np.split(side.pos, side.ptr[1:-1]) for side in (pairs.reference, pairs.hypothesis)]
        near = []
        for length, ref, hyp in zip(pairs.n_units.tolist(), *sides, strict=True):
            near.append(_nearest([0, *ref.tolist(), length], [0, *hyp.tolist(), length], reach, self.match == "start"))
        return [near]

    def _overlapping(self, found: Overlaps, threshold: float, starts: list[Ints]) -> list[Matched]:
        hits = np.flatnonzero(found.above(threshold))
        if self.matching == "one_to_one" and threshold < 0.5:
            hits = found.one_to_one(hits)
        document = found.document[hits]
        ref, hyp = found.reference[hits] - starts[0][document], found.hypothesis[hits] - starts[1][document]
        matched: list[Matched] = [[] for _ in range(len(starts[0]) - 1)]
        for row, *two in zip(document.tolist(), ref.tolist(), hyp.tolist(), strict=True):
            matched[row].append((two[0], two[1]))
        return matched

    def _score(self, ref: list[Words], hyp: list[Words], matched: Matched) -> float | None:
        """Return the score of one document by one threshold; None if it has none."""
        if self.match == "order":
            one, other = (tuple(word for words in side for word in words) for side in (ref, hyp))
            found = rouge_l(one, other, self.beta)
            return {"precision": found[0], "recall": found[1]}.get(self.part, found[2])
        if self.part == "matched":
            return len({one for one, _ in matched}) / len(ref)
        without = len(hyp) - len({other for _, other in matched})
        if self.unmatched == "skip" and not matched:
            return None
        compared = [(ref[one], hyp[other]) for one, other in matched]
        if self.similarity == "cider":
            similar = cider(compared, len(matched) + without).tolist()
            rates = similar, similar, similar
        else:
            # Caption metrics split an empty title into one empty word.
            nothing: Words = ("",) if self.words == "captions" else ()
            each = [rouge_l(one or nothing, other or nothing, self.beta) for one, other in compared]
            rates = tuple([list(rate) for rate in zip(*each, strict=True)] or [[], [], []])
        wanted = {"precision": 0, "recall": 1}.get(self.part, 2)
        if self.unmatched == "skip":
            return float(np.mean(rates[wanted]))
        total = sum(rates[2])
        if self.unmatched == "hypothesis":
            return total / (len(matched) + without)
        precision, recall = total / len(hyp), total / len(ref)
        f1 = float(harmonic_mean(np.float64(precision), np.float64(recall)))  # type: ignore[arg-type]
        return {"precision": precision, "recall": recall}.get(self.part, f1)


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
