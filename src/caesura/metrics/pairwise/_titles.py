# SPDX-License-Identifier: Apache-2.0
"""Titles of segments: their words, and how alike two of them are."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.metrics.base import Floats
from caesura.units.stem import stem

__all__ = ["WORDS", "Titled", "Words", "rouge_l", "titled", "vectors_of_titles", "words_of"]

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
_AT_ONCE = 1 << 14  # pairs whose vectors are in memory at a time
_KEPT = 1 << 18  # results that are remembered


class _Vocabulary:
    """The words of all titles of both sides: what is made of them once, however many documents and draws refer to them."""

    def __init__(self, texts: list[str], how: str) -> None:
        self.words = [words_of(text, how) for text in texts]

    @functools.cached_property
    def bits(self) -> npt.NDArray[np.uint64]:
        """A set of 64 bits for each title; titles whose sets do not meet share no word."""
        one = {
            word: np.uint64(1 << place % 64) for place, word in enumerate(dict.fromkeys(itertools.chain(*self.words)))
        }
        return np.array(
            [functools.reduce(np.bitwise_or, map(one.__getitem__, words), np.uint64(0)) for words in self.words]
        )

    @functools.cached_property
    def bigrams(self) -> Ints:
        """The number of pairs of neighbouring words of each title."""
        return np.array([max(len(words) - 1, 0) for words in self.words], dtype=np.int64)

    @functools.cached_property
    def grams(self) -> list[_Grams]:
        """The sequences of one, two, three and four words of each title."""
        known: dict[str, int] = {}
        words = np.array([known.setdefault(word, len(known)) for title in self.words for word in title], dtype=np.int64)
        sizes = np.array([len(title) for title in self.words], dtype=np.int64)
        title = np.repeat(np.arange(len(sizes)), sizes)
        left = np.repeat(np.cumsum(sizes), sizes) - np.arange(len(words))
        found, at, key = [], np.arange(len(words)), words
        for n in range(1, 5):
            if n > 1:
                longer = left[at] >= n
                at = at[longer]
                key = np.unique(key[longer] * (len(known) + 1) + words[at + n - 1], return_inverse=True)[1]
            size = int(key.max(initial=0)) + 1
            each, counts = np.unique(title[at] * size + key, return_counts=True)
            ptr = np.searchsorted(each // size, np.arange(len(sizes) + 1))
            found.append(_Grams(size, ptr, each % size, counts))
        return found


class _Grams(NamedTuple):
    """The sequences of so many words of each title, by number, and how often each occurs."""

    size: int
    ptr: Ints
    gram: Ints
    often: Ints

    def of(self, titles: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the sequences of some titles: the place of the title, the sequence, and how often it occurs."""
        sizes = (self.ptr[1:] - self.ptr[:-1])[titles]
        owner = np.repeat(np.arange(len(titles)), sizes)
        entry = np.arange(len(owner)) + np.repeat(self.ptr[titles] - (np.cumsum(sizes) - sizes), sizes)
        return owner, self.gram[entry], self.often[entry]


class Titled(NamedTuple):
    """The title of each segment of both sides, as a place in the vocabulary."""

    reference: Ints
    hypothesis: Ints
    vocabulary: _Vocabulary

    def cosines(self, reference: Ints, hypothesis: Ints, vectors: npt.NDArray[np.float32]) -> Floats:
        """Return the cosine of the titles of pairs of segments, at least 0; a title without a text is like no other."""
        ref, hyp = self.reference[reference], self.hypothesis[hypothesis]
        found = np.empty(len(ref))
        for start in range(0, len(ref), _AT_ONCE):
            block = slice(start, start + _AT_ONCE)
            np.einsum("ij,ij->i", vectors[ref[block]], vectors[hyp[block]], out=found[block], dtype=np.float64)
        texts = np.array([bool(words) for words in self.vocabulary.words])
        return np.asarray(np.clip(found, 0.0, 1.0) * (texts[ref] & texts[hyp]))

    def rouge(self, reference: Ints, hypothesis: Ints, beta: float = 1.0, nothing: Words = ()) -> Floats:
        """Return precision, recall and F of pairs of segments, in one column each; ``nothing`` is a title without words."""
        words, bits = self.vocabulary.words, self.vocabulary.bits
        keys = self.reference[reference] * len(words) + self.hypothesis[hypothesis]
        unique, places = np.unique(keys, return_inverse=True)
        ref, hyp = unique // len(words), unique % len(words)
        found = np.zeros((len(unique), 3))
        meeting = (bits[ref] & bits[hyp]) != 0
        if nothing:
            meeting |= (bits[ref] | bits[hyp]) == 0
        for row in np.flatnonzero(meeting).tolist():
            found[row] = rouge_l(words[ref[row]] or nothing, words[hyp[row]] or nothing, beta)
        return found[places]

    def cider(self, reference: Ints, hypothesis: Ints, document: Ints, number: Floats) -> Floats:
        """Return the CIDEr-D of pairs of segments, with the document frequencies of each document's pairs among its ``number``."""
        ref, hyp = self.reference[reference], self.hypothesis[hypothesis]
        most, size = np.log(np.maximum(number, 1))[document], len(ref)
        total = np.zeros(size)
        for grams in self.vocabulary.grams:
            (mine, own, often), (yours, other, seldom) = grams.of(ref), grams.of(hyp)
            if not len(mine):
                continue
            held, back, frequency = np.unique(
                document[mine] * grams.size + own, return_inverse=True, return_counts=True
            )
            weight = often * (most[mine] - np.log(frequency)[back])
            place, known = _found(held, document[yours] * grams.size + other)
            weights = seldom * (most[yours] - np.log(np.where(known, frequency[place], 1)))
            norm = np.sqrt(np.bincount(mine, weight**2, size) * np.bincount(yours, weights**2, size))
            place, known = _found(mine * grams.size + own, yours * grams.size + other)
            common = np.minimum(weights, weight[place]) * weight[place]
            total += np.bincount(yours[known], common[known], size) / np.where(norm > 0, norm, 1.0)
        longer = self.vocabulary.bigrams[hyp] - self.vocabulary.bigrams[ref]
        return np.asarray(total / 4 * np.exp(-(longer**2) / 72) * 10)


def _found(keys: Ints, wanted: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return where each key stands among sorted ones, of which there is one, and whether it does."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


def titled(pairs: Pairs, owner: str, how: str) -> Titled:
    """Return the titles of all segments of both sides; a segment without one has an empty title."""
    if pairs.titles is None:
        raise MetricError(
            f"{owner} reads the titles of segments, and there are none; give 'segment_titles' on both sides, or leave it out"
        )
    ours, theirs = pairs.titles
    # The texts stay alive beside what is made of them, so that their place in memory is theirs alone.
    _, vocabulary = ours.remember(
        (how, id(theirs.texts)), lambda: (theirs.texts, _Vocabulary([*ours.texts, *theirs.texts], how))
    )
    reference, hypothesis = (
        titles.fitted(np.diff(side.ptr) + 1) for titles, side in ((ours, pairs.reference), (theirs, pairs.hypothesis))
    )
    return Titled(reference, hypothesis + len(ours.texts), vocabulary)


def vectors_of_titles(pairs: Pairs, owner: str, encoder: str) -> npt.NDArray[np.float32]:
    """Return a vector of length 1 for each text of the vocabulary of both sides."""
    ours, theirs = pairs.titles or (None, None)
    if ours is None or theirs is None or not (encoder in ours.vectors and encoder in theirs.vectors):
        raise MetricError(
            f"{owner} reads vectors of titles, which caesura.evaluate makes; evaluate documents with 'segment_titles', or compare "
            "titles by words (similarity='rouge')"
        )
    sides = ours.vectors[encoder].rows, theirs.vectors[encoder].rows
    # The array stays alive beside what is made of it, so that its place in memory is its alone.
    return ours.remember((encoder, id(sides[1])), lambda: (sides[1], np.concatenate(sides)))[1]


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
