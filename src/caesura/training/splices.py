# SPDX-License-Identifier: Apache-2.0
"""Documents joined from pieces of real ones, and documents of a single segment as a control.

A join must be found by what the pieces are about. So pieces come from inside segments, away from where they open and close, and
greetings, thanks and farewells are left out: next to a join they would give it away. A segment that would be too short without its
ends keeps them, so the first or last unit of an original segment stays beside many joins where segments are short.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.segmentation import Segmentation
from caesura.training.config import Splicing

__all__ = ["controls", "is_stock", "segments_of", "spliced"]

_LONGEST_STOCK = 8  # words; a longer unit says more than hello
_STOCK = re.compile(
    r"\b(?:hi|hello|hey|howdy|greetings|welcome|bye|goodbye|farewell|cheers|thanks|thank you|you'?re welcome|"
    r"good (?:morning|afternoon|evening|night|day)|have a (?:nice|good|great|lovely|wonderful)|see you|take care|"
    r"nice (?:talking|chatting|to (?:meet|talk|chat))|how are you|anything else|that(?:'s| is| will be) all)\b",
    re.IGNORECASE,
)


def is_stock(text: str) -> bool:
    """Say whether a unit is a greeting, thanks or a farewell, and little more.

    >>> is_stock("Hello , how are you ?"), is_stock("Thank you!"), is_stock("I thank the city for its trains.")
    (True, True, False)
    >>> is_stock("Which trains leave on Sunday?"), is_stock("Thanks, and which of the trains to Ely leave before nine?")
    (False, False)
    """
    joined = re.sub(r"\s+(?='|n't)", "", text)
    return len(joined.split()) <= _LONGEST_STOCK and _STOCK.search(joined) is not None


Piece = tuple[int, tuple[str, ...]]


def segments_of(corpus: Corpus, how: Splicing) -> list[Piece]:
    """Return the inside of every segment that is long enough for it, and shorter ones whole, with the place of the document."""
    found: list[Piece] = []
    for place, document in enumerate(corpus):
        units = document.units or ()
        boundaries = () if document.segmentation is None else document.segmentation.boundaries
        edges = [0, *boundaries, len(units)]
        for start, stop in itertools.pairwise(edges):
            if stop - start >= 2 * how.trim + how.units[0]:
                start, stop = start + how.trim, stop - how.trim
            inside = [unit for unit in units[start:stop] if not (how.stock and is_stock(unit))]
            if len(inside) >= how.units[0]:
                found.append((place, tuple(inside)))
    return found


def spliced(corpus: Corpus, how: Splicing, documents: int, seed: Sequence[int]) -> Corpus:
    """Return documents that are joined from pieces of different documents, with a boundary at each join."""
    pool = segments_of(corpus, how)
    origins = {place for place, _ in pool}
    if len(origins) < how.pieces[0]:
        raise ComparabilityError(
            f"{len(origins)} of {len(corpus)} documents have a segment of {how.units[0]} units, and a splice takes "
            f"{how.pieces[0]}; give more documents, lower stage1.units, or leave stage 1 out (stage1.epochs = 0)"
        )
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        wanted = min(int(rng.integers(how.pieces[0], how.pieces[1] + 1)), len(origins))
        pieces = list(_drawn(pool, wanted, how, rng))
        ends = np.cumsum([len(piece) for piece in pieces]).tolist()
        units = tuple(unit for piece in pieces for unit in piece)
        segmentation = Segmentation(len(units), ends[:-1])
        made.append(Document(id=f"splice {number + 1}", n_units=len(units), units=units, segmentation=segmentation))
    return Corpus(made, name="splices")


def _drawn(pool: Sequence[Piece], wanted: int, how: Splicing, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Yield so many pieces, each from a document of its own."""
    taken: set[int] = set()
    while len(taken) < wanted:
        place, units = pool[int(rng.integers(len(pool)))]
        if place in taken:
            continue
        taken.add(place)
        yield _cut(units, how, rng)


def _cut(units: tuple[str, ...], how: Splicing, rng: np.random.Generator) -> tuple[str, ...]:
    """Return some successive units."""
    length = min(len(units), int(rng.integers(how.units[0], how.units[1] + 1)))
    start = int(rng.integers(0, len(units) - length + 1))
    return units[start : start + length]


def controls(corpus: Corpus, how: Splicing, seed: Sequence[int]) -> Corpus:
    """Return documents of one segment each, in which no boundary belongs; fewer where there are not so many segments."""
    pool = [units for _, units in segments_of(corpus, how) if len(units) > 1]
    order = np.random.default_rng(seed).permutation(len(pool))[: how.control]
    made = [
        Document(
            id=f"control {number + 1}", n_units=len(pool[place]), units=pool[place],
            segmentation=Segmentation(len(pool[place])),
        )
        for number, place in enumerate(order)
    ]  # fmt: skip
    return Corpus(made, name="control")
