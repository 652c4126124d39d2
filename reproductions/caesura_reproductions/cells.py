# SPDX-License-Identifier: Apache-2.0
"""Conversion of our values to cells: the printed number, ours, and the status of the pair."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from caesura.errors import DeclarationError
from caesura.results.base import Number, number
from caesura.results.reproduce.facts import Cell, Erratum, Series, Status, digits_of
from caesura_reproductions.base import Found, Item, Value
from caesura_reproductions.printed import Entry, Place

__all__ = ["cells_of", "errata_of", "series_of"]

_ROUNDING = 1e-9
"""The tolerance for sums of printed numbers that end in a tie of the last digit, inexact in floats."""


def cells_of(item: Item, entries: dict[Place, Entry], found: Iterable[Found], lacking: str = "") -> list[Cell]:
    """Return a cell for each value, and one for each printed number that has none; printed ones first, in their order.

    ``lacking`` names the missing data, if any: numbers without a value then cannot be exact.
    """
    values: dict[Place, Value] = {}
    for value in found:
        if isinstance(value, Value):
            if (value.row, value.column) in values:
                raise DeclarationError(f"{item.name} gives {value.row}, {value.column} twice; give it once")
            values[value.row, value.column] = value
    cells = []
    for (row, column), entry in entries.items():
        ours = values.pop((row, column), None) or Value(row, column, note=lacking or item.otherwise)
        cell = _cell(item.name, ours, entry)
        cell.can_be_exact &= not (lacking and ours.ours is None)
        cells.append(cell)
    if lacking and not cells and not values:
        values["the figure", "curves"] = Value("the figure", "curves", note=lacking)
    return cells + [_unprinted(item.name, value) for value in values.values()]


def errata_of(item: Item, found: Iterable[Found]) -> list[Erratum]:
    """Return the errors that an item proves."""
    return [replace(each, item=item.name) for each in found if isinstance(each, Erratum)]


def series_of(item: Item, found: Iterable[Found]) -> list[Series]:
    """Return the series that an item draws in addition to its cells."""
    return [replace(each, item=item.name) for each in found if isinstance(each, Series)]


def _cell(name: str, value: Value, entry: Entry) -> Cell:
    digits = digits_of(entry.printed)
    ours = number(value.ours) if isinstance(value.ours, float | int) else value.ours
    difference: Number = None
    if digits is not None and isinstance(ours, float):
        difference = ours - entry.number
    return Cell(
        name, value.row, value.column, entry.printed, ours, difference, entry.profile,
        _status(value, entry, difference, digits), value.note, value.definition, entry.can_be_exact, entry.corrected,
    )  # fmt: skip


def _status(value: Value, entry: Entry, difference: Number, digits: int | None) -> Status:
    if value.ours is None:
        return "unavailable"
    if value.holds is not None:
        return "shape" if value.holds else "different"
    if digits is None or difference is None:
        return "exact" if value.ours == entry.printed else "different"
    if entry.kind == "shape" and value.sampling is None:
        raise DeclarationError(f"{value.row}, {value.column}: only its shape can be compared; state whether it holds")
    half = 0.5 * 10**-digits + _ROUNDING
    low, high = value.between or (entry.number + difference,) * 2
    # Digits from other draws or a part of the data can only match by chance.
    if (entry.kind != "shape" or not value.sampling) and low - half <= entry.number <= high + half:
        return "exact"
    if value.sampling is not None and abs(difference) <= value.sampling + half:
        return "within sampling"
    return "different"


def _unprinted(name: str, value: Value) -> Cell:
    """Return the cell of something that the paper draws or states without a number; a value of ours has no status then."""
    ours = number(value.ours) if isinstance(value.ours, float | int) else value.ours
    note = f"{value.note}; what the paper says of it does not hold" if value.holds is False else value.note
    status: Status | None = "unavailable" if ours is None else None
    return Cell(name, value.row, value.column, None, ours, None, "paper", status, note, value.definition)
