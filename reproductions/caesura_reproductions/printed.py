# SPDX-License-Identifier: Apache-2.0
"""The numbers that a paper prints, from the file ``printed.csv`` of its package.

``kind`` is what to expect of our value: ``exact`` (every printed digit), ``arithmetic`` (it follows from other printed
numbers), ``shape`` (only statements about it can be checked), ``none`` (it is unavailable here, or a misprint). ``profile``
names the conventions that give the number, and ``corrected`` is what should have been printed.
"""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import NamedTuple

__all__ = ["Entry", "Place", "Printed", "printed_numbers"]

Place = tuple[str, str]
"""Row and column."""


class Entry(NamedTuple):
    """One printed number."""

    printed: str
    kind: str
    profile: str
    corrected: str | None

    @property
    def number(self) -> float:
        """The printed number; for a percentage, the number before the sign."""
        return float(self.printed.rstrip(".%"))

    @property
    def can_be_exact(self) -> bool:
        """Whether every printed digit can be reproduced."""
        return self.kind in ("exact", "arithmetic")


class Printed(dict[Place, Entry]):
    """The printed numbers of an item by row and column; `others` are those of the other items of the paper."""

    def __init__(self, entries: dict[Place, Entry], others: dict[str, dict[Place, Entry]]) -> None:
        super().__init__(entries)
        self.others = others

    def number(self, row: str, column: str) -> float:
        """Return a printed number."""
        return self[row, column].number


@functools.cache
def printed_numbers(folder: Path) -> dict[str, dict[Place, Entry]]:
    """Return the printed numbers of a paper: item to row and column to number."""
    items: dict[str, dict[Place, Entry]] = {}
    with (folder / "printed.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entry = Entry(row["printed"], row["kind"], row["profile"], row["corrected"] or None)
            items.setdefault(row["item"], {})[row["row"], row["column"]] = entry
    return items
