# SPDX-License-Identifier: Apache-2.0
"""Words of a text, without those that carry no topic, as stems; and their counts in the units of a document."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from caesura.errors import DeclarationError
from caesura.units.stem import stem

__all__ = [
    "STOP_WORDS_HELP",
    "Terms",
    "count_terms",
    "stem",
    "stop_list",
    "telling_words",
    "terms_of",
    "weigh_terms",
    "words",
]

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


def telling_words(segments: Sequence[str], number: int = 3) -> list[list[str]]:
    """Return the words that tell each segment from the others: frequent in it, and in few of them (tf-idf), most telling first.

    A word is counted by its stem, and shown as it is written most often; of equally telling ones, the first in the text.

    >>> telling_words(["The cat saw a cat. The Cats ran.", "Dogs ran, a dog barked."], 2)
    [['cat', 'ran'], ['Dogs', 'barked']]
    """
    stops = stop_list("english")
    spelled: list[dict[str, Counter[str]]] = []
    for text in segments:
        own: dict[str, Counter[str]] = {}
        for word in _WORD.findall(text.replace("’", "'")):
            plain = word.lower().removesuffix("'s")
            if plain not in stops and len(plain) > 1:
                own.setdefault(stem(plain), Counter())[word.removesuffix("'s")] += 1
        spelled.append(own)
    among = Counter(term for own in spelled for term in own)
    found = []
    for own in spelled:
        weight = {term: forms.total() * (1 + np.log(len(spelled) / among[term])) for term, forms in own.items()}
        best = sorted(own, key=lambda term: -weight[term])[:number]
        found.append([own[term].most_common(1)[0][0] for term in best])
    return found


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
