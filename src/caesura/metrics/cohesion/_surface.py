# SPDX-License-Identifier: Apache-2.0
"""What the two units at a gap look like: lengths, questions, speakers, and small English word lists."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

import numpy as np

from caesura.metrics.base import Floats

__all__ = ["LISTS", "SURFACE", "is_english", "surface"]


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_DIGIT = re.compile(r"\d")
_QUESTION = ("?", "\uff1f", "\u061f", "\u037e")
_CUES = _listed(
    "ok okay so well now anyway alright right actually also by speaking another next then first finally moving hi hello hey good thanks thank bye great before oh but and"
)
_PRONOUNS = _listed("he she it they him her them his its their this that these those which who such")
_CLOSING = _listed("thanks thank bye goodbye")
_OPENING = _listed("hello hi hey need help")
_OPENED = 6  # words in which pronouns are counted
_SHORT = 2  # words up to which a unit is short

_OF_UNITS = ("words", "question", "has question", "exclamation", "digit", "short", "cue", "pronoun", "pronouns", "closing", "opening")  # fmt: skip
SURFACE = (
    "words before", "words after", "question before", "question after", "has question after", "same speaker", "other speaker",
    "exclamation after", "exclamation before", "digit after", "short after", "short before",
    "cue after", "cue before", "pronoun after", "pronouns after", "closing before", "closing after", "opening after",
)  # fmt: skip
"""The name of each column, in the order of `surface`."""

LISTS = SURFACE[12:]
"""Those that read English word lists."""

_COMMON = _listed("the of and to a in is you i it that for on was with as are be this have at not we my what do")
_ENGLISH = 0.15
"""The share of very frequent words from which a text is English: it is 0.25 to 0.4 there, and below 0.1 in other languages."""
_LOOKED_AT = 2000  # words


def surface(texts: Sequence[str], speakers: Sequence[str] | None) -> Floats:
    """Return the surface of each gap, one row each, in the order of `SURFACE`."""
    units = np.array([_of_unit(text) for text in texts])
    table = {name: units[:, place] for place, name in enumerate(_OF_UNITS)}
    out = np.zeros((len(texts) - 1, len(SURFACE)))
    for place, name in enumerate(SURFACE):
        what, _, side = name.rpartition(" ")
        if side != "speaker":
            out[:, place] = table[what][1:] if side == "after" else table[what][:-1]
    if speakers is not None:
        same = np.array([one == other for one, other in itertools.pairwise(speakers)])
        out[:, SURFACE.index("same speaker")], out[:, SURFACE.index("other speaker")] = same, ~same
    return out


def _of_unit(text: str) -> tuple[float, ...]:
    words = _WORD.findall(text.lower())
    end = text.rstrip()[-1:]
    first = words[0] if words else ""
    known = set(words)
    opened = words[:_OPENED]
    return (
        math.log1p(len(words)), end in _QUESTION and bool(end), any(mark in text for mark in _QUESTION), end == "!",
        _DIGIT.search(text) is not None, len(words) <= _SHORT, first in _CUES, first in _PRONOUNS,
        sum(word in _PRONOUNS for word in opened) / max(len(opened), 1),
        not known.isdisjoint(_CLOSING), not known.isdisjoint(_OPENING),
    )  # fmt: skip


def is_english(texts: Sequence[str]) -> bool:
    """Return whether a text seems to be English, by the share of very frequent words.

    >>> is_english(["The cat sat on the mat."]), is_english(["Die Katze lag auf der Matte."])
    (True, False)
    """
    seen = known = 0
    for text in texts:
        words = _WORD.findall(text.lower())
        seen += len(words)
        known += sum(word in _COMMON for word in words)
        if seen >= _LOOKED_AT:
            break
    return known > _ENGLISH * seen
