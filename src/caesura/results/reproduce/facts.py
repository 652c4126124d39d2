# SPDX-License-Identifier: Apache-2.0
"""Results of `reproduce`: every printed number with ours, and the errors found in the paper or its code."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from caesura.results.base import Number, Section

__all__ = [
    "STATUSES", "Cell", "Erratum", "ItemFacts", "ReproductionFacts", "Series", "SeriesKind", "Status", "digits_of",
    "shown_as",
]  # fmt: skip

SeriesKind = Literal["line", "bars", "rule", "ticks"]
Status = Literal["exact", "within sampling", "shape", "different", "unavailable"]
STATUSES: tuple[Status, ...] = ("exact", "within sampling", "shape", "different", "unavailable")
"""The possible statuses of a number, best first."""

_NUMBER = re.compile(r"(?P<sign>[+-]?)\d*(?:\.(?P<decimals>\d+))?(?P<unit>%?)\.?")


def digits_of(printed: str) -> int | None:
    """Return the number of decimals of a printed number; None if it is not a number.

    >>> digits_of("0.528"), digits_of("+1.69"), digits_of("94.1%"), digits_of("8/9")
    (3, 2, 1, None)
    """
    match = _NUMBER.fullmatch(printed)
    return len(match["decimals"] or "") if match and any(map(str.isdigit, printed)) else None


def shown_as(printed: str | None, value: Number | str) -> str:
    """Return a value in the style of a printed number: its decimals, plus sign and per cent sign.

    >>> shown_as("0.53", 0.5279), shown_as("+1.7", 1.66), shown_as("94.1%", 94.1176), shown_as(None, 0.5)
    ('0.53', '+1.7', '94.1%', '0.500')
    """
    if value is None or isinstance(value, str):
        return value or "-"
    match = _NUMBER.fullmatch(printed or "")
    digits = 3 if printed is None else digits_of(printed)
    sign = "+" if match and match["sign"] == "+" else ""
    return f"{value:{sign}.{3 if digits is None else digits}f}{match['unit'] if match else ''}"


class Cell(Section):
    """One number of a paper.

    ``item`` is the table or figure, ``row`` and ``column`` say where in it. ``printed`` has the digits as printed, None if
    the paper prints none; our value then has no status (None). ``ours`` is computed under ``profile``, the conventions that give the printed number;
    ``definition`` is the value under the definitions in the paper, where they differ from those conventions.
    ``difference`` is ours minus printed. ``note`` explains, in one or two sentences. ``can_be_exact`` says whether ours has
    to have every printed digit, and ``corrected`` what should have been printed.
    """

    item: str
    row: str
    column: str
    printed: str | None
    ours: Number | str
    difference: Number
    profile: str
    status: Status | None
    note: str = ""
    definition: Number | str = None
    can_be_exact: bool = False
    corrected: str | None = None

    @property
    def failed(self) -> bool:
        """Whether a required number was missed: an exact one, or the correct value of a misprint."""
        if self.can_be_exact:
            return self.status != "exact"
        return self.misprint and shown_as(self.corrected, self.ours) != self.corrected

    @property
    def misprint(self) -> bool:
        """Whether the printed number is wrong and its correct value is known."""
        return self.corrected is not None and not self.can_be_exact

    @property
    def by_rounding(self) -> bool:
        """Whether ours has the printed digits only within the rounding of the printed numbers that it is computed from."""
        return self.status == "exact" and self.shown(self.ours) != self.printed

    def shown(self, value: Number | str) -> str:
        """Return a value as the paper would print it."""
        return shown_as(self.printed, value)


class Erratum(Section):
    """An error of a paper or its code: its location, the claim, and the numbers that contradict it."""

    item: str
    where: str
    said: str
    shown: str


class Series(Section):
    """A part of a figure: a line with an optional band, bars, a level rule, or ticks.

    ``panel`` says in which panel of the figure of ``item`` it belongs, and ``axes`` what that panel measures along and up. A
    rule lies at ``y``, and ticks on a row that is named ``name`` and ends at ``y``.
    """

    item: str
    panel: str
    name: str
    x: list[float]
    y: list[float]
    low: list[float] = msgspec.field(default_factory=list)
    high: list[float] = msgspec.field(default_factory=list)
    kind: SeriesKind = "line"
    axes: tuple[str, str] = ("", "")


class ItemFacts(Section):
    """A table or figure: its name, its title, and what it needs besides the package (empty if nothing).

    ``can_be_exact`` numbers of it have to have every printed digit; ``counts`` says how many printed ones have which status.
    """

    name: str
    title: str
    needs: str
    can_be_exact: int
    counts: dict[str, int]


class ReproductionFacts(Section):
    """A paper's numbers, reproduced.

    ``matched`` says whether every number that can be exact is; ``items`` count all numbers, also if the ``cells`` of the results
    are only those that differ from print. ``series`` are what the figures of the paper show, where that is more than cells.
    """

    paper: str
    alias: str
    title: str
    matched: bool
    items: list[ItemFacts]
    errata: list[Erratum]
    series: list[Series] = msgspec.field(default_factory=list)
