# SPDX-License-Identifier: Apache-2.0
"""Phrases shared by the answers to several questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caesura.results.base import Number
from caesura.results.compare.facts import DIFFERENT

__all__ = ["beats", "is_are", "joined", "number_of", "p_text", "percent"]

_NAMED, _FIRST = 12, 8


def joined(names: Iterable[str], last: str = "and") -> str:
    """Return names joined as an English list; of more than twelve the first eight, and the number of the others.

    >>> joined(["a"]), joined(["a", "b"]), joined(["a", "b", "c"], "or")
    ('a', 'a and b', 'a, b or c')
    >>> joined(map(str, range(300)))
    '0, 1, 2, 3, 4, 5, 6, 7 and 292 others'
    """
    named = list(names) or [""]
    *before, end = named if len(named) <= _NAMED else [*named[:_FIRST], f"{len(named) - _FIRST:,} others"]
    return f"{', '.join(before)} {last} {end}" if before else end


def number_of(count: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the singular for one.

    >>> number_of(1, "document"), number_of(2000, "document"), number_of(0, "boundary", "boundaries")
    ('1 document', '2,000 documents', '0 boundaries')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def is_are(names: Sequence[str]) -> str:
    """Return the verb for one name or for several.

    >>> is_are(["a"]), is_are(["a", "b"])
    ('is', 'are')
    """
    return "is" if len(names) == 1 else "are"


def percent(share: Number) -> str:
    """Return a share in percent; neither 0 % nor 100 % unless it is exactly that.

    >>> percent(0.254), percent(0.001), percent(0.9999), percent(1.0), percent(None)
    ('25 %', '< 1 %', '> 99 %', '100 %', '-')
    """
    if share is None:
        return "-"
    rounded = round(100 * share)
    if rounded == 0 and share > 0:
        return "< 1 %"
    return "> 99 %" if rounded == 100 and share < 1 else f"{rounded} %"


def p_text(p: Number, family: int = 1) -> str:
    """Return a p-value as a phrase, never 0.000; it is adjusted (Holm) if the family has several comparisons.

    >>> p_text(0.0001), p_text(0.0312, family=3), p_text(None)
    ('p < 0.001', 'adjusted p = 0.031', 'p not defined')
    """
    if p is None:
        return "p not defined"
    return ("adjusted " if family > 1 else "") + ("p < 0.001" if p < 0.001 else f"p = {p:.3f}")


def beats(first: str, second: str, p: Number, *, first_better: bool) -> str:
    """Return whether the first system is better than the second, if the adjusted p is significant.

    >>> beats("a", "b", 0.01, first_better=True), beats("a", "b", 0.01, first_better=False)
    ('a is better than b', 'b is better than a')
    >>> beats("a", "b", 0.2, first_better=True)
    'a does not differ significantly from b'
    """
    if p is None or p >= DIFFERENT:
        return f"{first} does not differ significantly from {second}"
    return f"{first} is better than {second}" if first_better else f"{second} is better than {first}"
