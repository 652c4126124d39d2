# SPDX-License-Identifier: Apache-2.0
"""Words of a text, without those that carry no topic, as stems; and their counts in the units of a document."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caesura.errors import DeclarationError

__all__ = ["STOP_WORDS_HELP", "Terms", "count_terms", "stem", "stop_list", "terms_of", "weigh_terms", "words"]

STOP_WORDS_HELP = "words to leave out: 'english', 'none', or a file with one word per line"
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
# English function words by kind, and words that manage a conversation rather than its topic.
_ENGLISH = """
a an the this that these those such same other another each every either neither both all any some no none few many much
more most several own certain enough one ones two
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves who whom whose which what whoever whatever someone somebody something
anyone anybody anything everyone everybody everything nobody nothing
am is are was were be been being do does did done doing have has had having will would shall should can could may might
must ought need dare let get gets got getting gotten go goes going gone went come comes came coming make makes made making
take takes took taken taking give gives gave given say says said saying see seen saw seem seems seemed become became
aboard about above across after against along among amongst around as at before behind below beneath beside besides between
beyond by concerning despite down during except for from in inside into like near of off on onto out outside over past per
since than through throughout till to toward towards under underneath until unto up upon via with within without
and but or nor so yet if unless because although though while whereas whether when whenever where wherever why how once then
there here now just only also too very quite rather almost always never ever often sometimes again still already even else
away back perhaps maybe thus therefore hence however moreover otherwise instead indeed not n't further well really actually
yes no yeah yep nope ok okay oh ah uh um hmm mm hi hello hey please thanks thank sorry sure right fine great good nice
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd we'll
they're they've they'd they'll that's that'll there's here's what's who's where's how's let's isn't aren't wasn't weren't
don't doesn't didn't haven't hasn't hadn't won't wouldn't shan't shouldn't can't cannot couldn't mustn't needn't ain't
"""
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_CELLS = 1 << 22  # numbers in one slab of a dense matrix


@dataclasses.dataclass(frozen=True)
class Terms:
    """The counts of terms in units, as a sparse matrix sorted by unit and then by term."""

    n_units: int
    vocabulary: tuple[str, ...]
    unit: Ints  # [E]: the unit of each entry
    term: Ints  # [E]: its term, an index of `vocabulary`
    count: Floats  # [E]: the count of the term in the unit

    def weighted(self, weights: Floats) -> Terms:
        """Return the counts times the weight of their term."""
        return dataclasses.replace(self, count=self.count * weights[self.term])

    def part(self, first: int, last: int) -> Terms:
        """Return the counts of the units from ``first`` to ``last`` (exclusive)."""
        lo, hi = np.searchsorted(self.unit, (first, last))
        unit, term, count = self.unit[lo:hi] - first, self.term[lo:hi], self.count[lo:hi]
        return dataclasses.replace(self, n_units=last - first, unit=unit, term=term, count=count)

    def slabs(self) -> Iterator[Floats]:
        """Yield the matrix of units by terms in slabs of columns, so that a long document fits the memory."""
        width = max(1, _CELLS // max(self.n_units, 1))
        order = np.argsort(self.term, kind="stable")
        unit, term, count = self.unit[order], self.term[order], self.count[order]
        for first in range(0, len(self.vocabulary), width):
            last = min(first + width, len(self.vocabulary))
            lo, hi = np.searchsorted(term, (first, last))
            slab = np.zeros((self.n_units, last - first))
            slab[unit[lo:hi], term[lo:hi] - first] = count[lo:hi]
            yield slab

    @functools.cached_property
    def totals(self) -> Floats:
        """The counts of each term in the whole document."""
        sums = np.bincount(self.term, weights=self.count, minlength=len(self.vocabulary))
        return sums.astype(np.float64)


def terms_of(text: str, stop_words: str = "english", stemmed: bool = True) -> list[str]:
    """Return the terms of a text: its words without stop words, as stems.

    >>> terms_of("The cats were sleeping on a mat.")
    ['cat', 'sleep', 'mat']
    """
    stops = stop_list(stop_words)
    kept = [word for word in words(text) if word not in stops]
    return [stem(word.removesuffix("'s")) for word in kept] if stemmed else kept


def count_terms(lists: Sequence[Sequence[str]]) -> Terms:
    """Return the counts of terms given as one list per unit.

    >>> terms = count_terms([["cat", "cat"], [], ["mat", "cat"]])
    >>> terms.vocabulary, terms.unit.tolist(), terms.term.tolist(), terms.count.tolist()
    (('cat', 'mat'), [0, 2, 2], [0, 0, 1], [2.0, 1.0, 1.0])
    """
    places: dict[str, int] = {}
    flat = [places.setdefault(term, len(places)) for terms in lists for term in terms]
    unit = np.repeat(np.arange(len(lists)), [len(terms) for terms in lists])
    size = max(len(places), 1)
    keys, count = np.unique(unit * size + np.array(flat, dtype=np.int64), return_counts=True)
    return Terms(len(lists), tuple(places), keys // size, keys % size, count.astype(np.float64))


def weigh_terms(weights: Sequence[Mapping[str, float]]) -> Terms:
    """Return terms with a separate weight in each unit.

    >>> weigh_terms([{"cat": 2.0}, {"mat": 0.5, "cat": 1.0}]).count.tolist()
    [2.0, 1.0, 0.5]
    """
    counted = count_terms([list(of) for of in weights])
    vocabulary = counted.vocabulary
    own = [weights[unit][vocabulary[term]] for unit, term in zip(counted.unit, counted.term, strict=True)]
    return dataclasses.replace(counted, count=np.array(own, dtype=np.float64))


def _longest_first(suffixes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"({'|'.join(sorted(suffixes, key=len, reverse=True))})$")


_ENDS_2, _ENDS_3 = _longest_first(tuple(_STEP_2)), _longest_first(tuple(_STEP_3))
_ENDS_4 = _longest_first(_STEP_4)


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; a word of one or two letters, or with other letters, is kept.

    >>> [stem(word) for word in ("relational", "hopping", "flies", "generalizations", "sky")]
    ['relat', 'hop', 'fli', 'gener', 'sky']
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _ENDS_2, _STEP_2)
    word = _replaced(word, _ENDS_3, _STEP_3)
    match = _ENDS_4.search(word)
    if match is not None:
        rest = word[: match.start()]
        if _measure(rest) > 1 and (match[0] != "ion" or rest.endswith(("s", "t"))):
            word = rest
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if not _has_vowel(rest):
                return word
            if rest.endswith(("at", "bl", "iz")):
                return rest + "e"
            if len(rest) > 1 and rest[-1] == rest[-2] and _kinds(rest)[-1] == "c" and rest[-1] not in "lsz":
                return rest[:-1]
            return rest + "e" if _measure(rest) == 1 and _short(rest) else rest
    return word


def _replaced(word: str, ends: re.Pattern[str], by: dict[str, str]) -> str:
    match = ends.search(word)
    if match is None or _measure(word[: match.start()]) == 0:
        return word
    return word[: match.start()] + by[match[0]]


def _kinds(word: str) -> str:
    """Return c for each consonant and v for each vowel; y is a vowel after a consonant.

    >>> _kinds("toy"), _kinds("syzygy")
    ('cvc', 'cvcvcv')
    """
    kinds = ""
    for letter in word:
        kinds += "v" if letter in "aeiou" or (letter == "y" and kinds.endswith("c")) else "c"
    return kinds


def _measure(word: str) -> int:
    """Return the number of times a consonant follows a vowel.

    >>> [_measure(word) for word in ("tree", "trouble", "private")]
    [0, 1, 2]
    """
    return _kinds(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _kinds(word)


def _short(word: str) -> bool:
    """Return whether a word ends in consonant, vowel, consonant, and the last is not w, x or y."""
    return _kinds(word).endswith("cvc") and word[-1] not in "wxy"


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: letters, with apostrophes inside; numbers are not words.

    >>> words("It’s 5 o'clock, Émile!")
    ["it's", "o'clock", 'émile']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


@functools.lru_cache(maxsize=8)
def stop_list(name: str) -> frozenset[str]:
    """Return a stop list by name, or from a file with one word per line."""
    if name == "english":
        return frozenset(_ENGLISH.split())
    if name == "none":
        return frozenset()
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        what = getattr(error, "strerror", None) or "not UTF-8 text"
        raise DeclarationError(
            f"stop_words is {name!r}, which cannot be read ({what}); give 'english', 'none' or a file of words"
        ) from None
    return frozenset(text.lower().split())
