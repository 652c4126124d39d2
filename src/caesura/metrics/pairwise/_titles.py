# SPDX-License-Identifier: Apache-2.0
"""Titles of segments: their words, and how alike two of them are."""

from __future__ import annotations

import functools
import itertools
import math
import re
import unicodedata
from collections import Counter
from typing import NamedTuple

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs, Titles
from caesura.errors import MetricError
from caesura.metrics.base import Floats
from caesura.units.stem import stem

__all__ = ["WORDS", "Titled", "Words", "cider", "rouge_l", "titled", "words_of"]

Words = tuple[str, ...]
WORDS = ("unicode", "stems", "captions")

# Scripts without spaces: every character is a word.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_CAPTION = re.compile(
    r"""\#[a-z]\w* | \$ | (?:[a-z]\.){2,} | (?:mr|mrs|ms|dr|prof|st|vs|etc|jr|sr|no|vol|inc|co|corp|ltd)\.(?=\s|$) |
    \d+(?:[.,:/]\d+)+ | '(?:s|m|d|re|ve|ll)\b | [a-z]+(?=n't\b) | n't\b |
    [a-z0-9]+(?:(?:[-_&/.](?=[a-z0-9])|'(?!(?:s|m|d|re|ve|ll)\b))[a-z0-9]+)*\+* | [^\s\w] | _+""",
    re.VERBOSE,
)
_CUT = {"cannot": ("can", "not"), "gonna": ("gon", "na"), "wanna": ("wan", "na"), "gotta": ("got", "ta")}
_CUT |= {"lemme": ("lem", "me"), "gimme": ("gim", "me")}
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_DROPPED = frozenset("'\"`.?!,:-;")
_KEPT = 1 << 18  # results that are remembered


class Titled(NamedTuple):
    """The title of each segment of both sides, as a place in the list of the words of all titles."""

    reference: Ints
    hypothesis: Ints
    words: list[Words]

    def rouge(self, reference: Ints, hypothesis: Ints, beta: float = 1.0, nothing: Words = ()) -> Floats:
        """Return precision, recall and F of pairs of segments, in one column each; ``nothing`` is a title without words."""
        keys = self.reference[reference] * len(self.words) + self.hypothesis[hypothesis]
        unique, places = np.unique(keys, return_inverse=True)
        found = np.array([
            rouge_l(self.words[key // len(self.words)] or nothing, self.words[key % len(self.words)] or nothing, beta)
            for key in unique.tolist()
        ])  # fmt: skip
        return found.reshape(-1, 3)[places]


def titled(pairs: Pairs, owner: str, how: str) -> Titled:
    """Return the titles of all segments of both sides; a segment without one has an empty title."""
    given = pairs.titles
    if given is None:
        raise MetricError(
            f"{owner} reads the titles of segments, and there are none; give 'segment_titles' on both sides, or leave it out"
        )
    return pairs.remember(("titles", how), lambda: _titled(pairs, given, how))


def _titled(pairs: Pairs, given: tuple[Titles, Titles], how: str) -> Titled:
    places: dict[str, int] = {}
    sides: list[Ints] = []
    for flat, titles in zip((pairs.reference, pairs.hypothesis), given, strict=True):
        found: list[int] = []
        for size, of in zip((np.diff(flat.ptr) + 1).tolist(), titles, strict=True):
            own = of if len(of) == size else (*of, *[""] * size)[:size]
            found += [places.setdefault(title, len(places)) for title in own]
        sides.append(np.array(found, dtype=np.int64))
    return Titled(sides[0], sides[1], [words_of(title, how) for title in places])


@functools.lru_cache(maxsize=_KEPT)
def words_of(title: str, how: str) -> Words:
    """Return the words of a title.

    ``unicode``: letters and digits of any script, in any case; a character of a script without spaces is a word.
    ``stems``: stems of runs of a-z and 0-9, as the package rouge-score has them. ``captions``: as the tokenizer of the Penn Treebank
    cuts ASCII text, without punctuation, as the caption metrics of COCO have them; near enough for titles.

    >>> words_of("Über  KI: L'été", "unicode"), words_of("今日は", "unicode")
    (('über', 'ki', 'l', 'été'), ('今', '日', 'は'))
    >>> words_of("Hopping flies!", "stems"), words_of("Bird's-eye view (don't) #1", "captions")
    (('hop', 'fli'), ('bird', "'s", 'eye', 'view', '-lrb-', 'do', "n't", '-rrb-', '#', '1'))
    """
    if how == "stems":
        return tuple(
            stem(word, nltk=True) if len(word) > 3 else word for word in re.findall("[a-z0-9]+", title.lower())
        )
    if how == "captions":
        plain = re.sub(r"[^\x00-\x7f]", " ", title).lower()
        cut = itertools.chain.from_iterable(_CUT.get(word, (word,)) for word in _CAPTION.findall(plain))
        return tuple(_BRACKETS.get(word, word) for word in cut if word not in _DROPPED)
    if title.isascii():
        return tuple(re.findall("[a-z0-9]+", title.lower()) or title.lower().split())
    text = unicodedata.normalize("NFKC", title).casefold()
    letters = "".join(each if each.isalnum() or unicodedata.category(each)[0] == "M" else " " for each in text)
    words = tuple(_UNSPACED.sub(r" \1 ", letters).split())
    return words or tuple(text.split())


def rouge_l(reference: Words, hypothesis: Words, beta: float = 1.0) -> tuple[float, float, float]:
    """Return precision, recall and F of the longest common subsequence of words; a title without words is like no other.

    >>> rouge_l(("a", "b", "c", "d"), ("b", "d"))
    (1.0, 0.5, 0.6666666666666666)
    """
    common = len(reference) if reference == hypothesis else _longest_common(reference, hypothesis)
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(hypothesis), common / len(reference)
    return precision, recall, (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def _longest_common(first: Words, second: Words) -> int:
    """Return the length of a longest common subsequence, one row of the table as the bits of one number (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for place, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(first)) - 1
    row = whole
    for word in second:
        hits = row & places.get(word, 0)
        row = (row + hits) | (row - hits)
    return (~row & whole).bit_count()


@functools.lru_cache(maxsize=_KEPT)  # most thresholds find the same pairs
def cider(pairs: tuple[tuple[Words, Words], ...], number: int) -> tuple[float, ...]:
    """Return the CIDEr-D of (reference, hypothesis) pairs, with the document frequencies of these pairs among ``number``.

    >>> [round(each, 4) for each in cider(((("a", "b"), ("a", "b")), (("c", "d"), ("c", "e"))), 2)]
    [5.0, 1.25]
    """
    references = [_grams(reference) for reference, _ in pairs]
    frequency = Counter(gram for grams in references for each in grams for gram in each)
    least = math.log(number) if number else 0.0
    weight = {gram: least - math.log(count) for gram, count in frequency.items()}
    found = []
    for reference, (_, words) in zip(references, pairs, strict=True):
        hypothesis = _grams(words)
        total = 0.0
        for refs, hyps in zip(reference, hypothesis, strict=True):
            if refs and hyps and not refs.keys().isdisjoint(hyps):
                ref = {gram: count * weight[gram] for gram, count in refs.items()}
                hyp = {gram: count * weight.get(gram, least) for gram, count in hyps.items()}
                norms = math.sqrt(sum(w * w for w in ref.values())) * math.sqrt(sum(w * w for w in hyp.values()))
                total += sum(min(w, ref[gram]) * ref[gram] for gram, w in hyp.items() if gram in ref) / (norms or 1.0)
        gap = sum(hypothesis[1].values()) - sum(reference[1].values())
        found.append(total / 4 * math.exp(-(gap**2) / 72) * 10)
    return tuple(found)


@functools.lru_cache(maxsize=_KEPT)
def _grams(words: Words) -> tuple[Counter[Words], ...]:
    """Return how often each sequence of one, two, three and four words occurs."""
    return tuple(Counter(words[at : at + n] for at in range(len(words) - n + 1)) for n in range(1, 5))
