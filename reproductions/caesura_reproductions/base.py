# SPDX-License-Identifier: Apache-2.0
"""The declaration of papers and their items.

A paper is a package ``paper_NUMBER``: `PAPER` in its ``__init__``, the printed numbers in ``printed.csv``, and one file for
each table or figure. Such a file has one function with the decorator `item`, which yields a `Value` for each number, a
`finding` for each error it proves, and what is `drawn` for each curve that is not made of such numbers. Files that begin with an
underscore are helpers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from caesura.results.base import Number
from caesura.results.reproduce.facts import Erratum, Series, SeriesKind
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["Found", "Item", "Paper", "Value", "drawn", "finding", "item"]


@dataclasses.dataclass(frozen=True)
class Paper:
    """A paper: the name of its first author with the year, and authors and title.

    ``caution`` is what a reader of the statuses has to know; the index of the pages prints it.
    """

    alias: str
    title: str
    caution: str = ""


@dataclasses.dataclass(frozen=True)
class Value:
    """Our value of one number.

    Parameters
    ----------
    row, column : str
        As in ``printed.csv``. A place that is not in it is something that the paper draws or states without a number.
    ours : float or str, optional
        None if it is unavailable; ``note`` then says why.
    note : str
        An explanation of the value, in a sentence or two.
    definition : float or str, optional
        The value under the definitions in the paper, if ``ours`` follows its code.
    between : (float, float), optional
        For a value computed from rounded numbers: its range within their rounding.
    sampling : float, optional
        For a value that depends on random draws: the largest difference they explain.
    holds : bool, optional
        For a number that can be compared in shape only: whether the paper's statement about it holds for ours, such as the order in
        which it prints systems, or the sign of a correlation. A place without a printed number has no status: its note says
        if the statement does not hold.
    """

    row: str
    column: str
    ours: Number | str = None
    note: str = ""
    definition: Number | str = None
    between: tuple[float, float] | None = None
    sampling: float | None = None
    holds: bool | None = None


Found = Value | Erratum | Series
Run = Callable[[Printed, Data], Iterable[Found]]


def finding(where: str, said: str, shown: str) -> Erratum:
    """Return an error of the paper or its code: its location, the claim, and the numbers that contradict it."""
    return Erratum(item="", where=where, said=said, shown=shown)


def drawn(
    panel: str,
    name: str,
    x: Iterable[float],
    y: Iterable[float],
    low: Iterable[float] = (),
    high: Iterable[float] = (),
    *,
    kind: SeriesKind = "line",
    axes: tuple[str, str] = ("", ""),
) -> Series:
    """Return a part of a figure that does not consist of values, rounded to the precision of a figure."""

    def short(values: Iterable[float]) -> list[float]:
        return [float(f"{value:.4g}") for value in values]

    return Series(
        item="", panel=panel, name=name, x=short(x), y=short(y), low=short(low), high=short(high), kind=kind, axes=axes
    )


@dataclasses.dataclass(frozen=True)
class Item:
    """A table or figure, and the function that computes it.

    ``needs`` says which files outside the package it reads, empty if none; ``otherwise`` why the numbers that ``run`` does not
    yield are unavailable.
    """

    name: str
    title: str
    run: Run
    needs: str = ""
    otherwise: str = ""
    takes_model: bool = False


def item(
    name: str, title: str, *, needs: str = "", otherwise: str = "", takes_model: bool = False
) -> Callable[[Run], Item]:
    """Return a decorator that makes a function an item.

    Parameters
    ----------
    name : str
        The name by which it is requested, such as "T4" or "Fig3".
    title : str
        What the table or figure shows, in a few words.
    needs : str
        Which files outside the package it reads, in a few words.
    otherwise : str
        Why the numbers that it does not yield are unavailable.
    takes_model : bool
        Whether it also scores a trained scorer of the user.
    """

    def declare(run: Run) -> Item:
        return Item(name, title, run, needs, otherwise, takes_model)

    return declare
