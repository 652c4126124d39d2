# SPDX-License-Identifier: Apache-2.0
"""The papers and their items, found as packages and modules, and run."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import caesura_reproductions
from caesura.datasets.folders import data_folder
from caesura.declare import nearest
from caesura.errors import DeclarationError, FormatError
from caesura.results.reproduce.facts import Cell, Erratum, Series
from caesura_reproductions.base import Item, Paper
from caesura_reproductions.cells import cells_of, errata_of, series_of
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Entry, Place, Printed, printed_numbers
from caesura_reproductions.report import Reproduction

__all__ = ["Reproduction", "items", "listed", "papers", "reproduce"]

_PREFIX = "paper_"
_SHORT = ((re.compile(r"^table"), "t"), (re.compile(r"^figure"), "fig"))


@functools.cache
def papers() -> dict[str, Paper]:
    """Return the papers that can be reproduced, by number.

    >>> papers()["003"].alias
    'coen2025'
    """
    names = sorted(m.name for m in pkgutil.iter_modules(caesura_reproductions.__path__) if m.name.startswith(_PREFIX))
    return {name.removeprefix(_PREFIX): _package(name).PAPER for name in names}


@functools.cache
def items(paper: str) -> dict[str, Item]:
    """Return the items of a paper by name, in the order in which the paper prints them."""
    package = _package(f"{_PREFIX}{_number(paper)}")
    found: dict[str, Item] = {}
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            content = vars(importlib.import_module(f"{package.__name__}.{module.name}"))
            found.update({thing.name: thing for thing in content.values() if isinstance(thing, Item)})
    order = list(_printed(_number(paper)))
    return dict(sorted(found.items(), key=lambda i: order.index(i[0]) if i[0] in order else len(order)))


def reproduce(
    paper: str, item: str | None = None, data: str | Path | None = None, model: str | Path | None = None
) -> Reproduction:
    """Reproduce the numbers of a paper.

    Parameters
    ----------
    paper : str
        A number or an alias of `papers`.
    item : str, optional
        One table or figure, such as "T4" or "Fig3"; all of them if not given.
    data : path, optional
        The folder of the data; the one that ``CAESURA_DATA`` names if not given. Items whose data are missing are
        reported as unavailable; if all of them need data, a folder is required.
    model : path, optional
        The folder of a scorer that ``caesura train`` saved. Items of a trained scorer that was not released score it too, beside print.
    """
    number = _number(paper)
    requested = items(number) if item is None else {item: _item(number, item)}
    folder = data_folder(data)
    if model is not None and not any(each.takes_model for each in requested.values()):
        raise DeclarationError(
            f"{item or f'paper {number}'} has no table of a trained scorer; a model is for T8 to T12 of paper 003"
        )
    if model is not None and folder is None:
        raise FormatError(
            "a model segments texts, which are not shipped; name their folder with --data, or set CAESURA_DATA to it"
        )
    if folder is None and requested and all(each.needs for each in requested.values()):
        needs = next(iter(requested.values())).needs
        raise FormatError(
            f"paper {number} needs {needs}, not shipped; name the folder with --data, or set CAESURA_DATA to it"
        )
    cells: list[Cell] = []
    errata: list[Erratum] = []
    series: list[Series] = []
    entries = _printed(number)
    for each in requested.values():
        printed = Printed(entries.get(each.name, {}), entries)
        lacking = f"needs {each.needs}; name their folder with --data" if each.needs and folder is None else ""
        values = [] if lacking else list(each.run(printed, Data(folder, model)))
        cells += cells_of(each, printed, values, lacking)
        errata += errata_of(each, values)
        series += series_of(each, values)
    about = papers()[number]
    return Reproduction(number, about.alias, about.title, list(requested.values()), cells, errata, series)


def listed(paper: str | None = None) -> list[list[str]]:
    """Return paper, alias, item, title and needs of every item, or of those of one paper."""
    numbers = list(papers()) if paper is None else [_number(paper)]
    return [
        [number, papers()[number].alias, each.name, each.title, each.needs]
        for number in numbers
        for each in items(number).values()
    ]


def _package(name: str) -> ModuleType:
    return importlib.import_module(f"{caesura_reproductions.__name__}.{name}")


def _number(paper: str) -> str:
    numbers = papers()
    by_alias = {about.alias: number for number, about in numbers.items()}
    if paper not in numbers and paper not in by_alias:
        raise DeclarationError(f"no reproduction of paper {paper!r}; {nearest(paper, [*numbers, *by_alias])}")
    return by_alias.get(paper, paper)


def _item(number: str, name: str) -> Item:
    """Return an item by any spelling of its name: T4, t4, Table 4."""
    names = items(number)
    by_slug = {_slug(key): each for key, each in names.items()}
    if _slug(name) not in by_slug:
        raise DeclarationError(f"paper {number} has no item {name!r}; {nearest(name, names)}")
    return by_slug[_slug(name)]


def _slug(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]", "", name.casefold())
    for pattern, short in _SHORT:
        slug = pattern.sub(short, slug)
    return slug


def _printed(number: str) -> dict[str, dict[Place, Entry]]:
    package = _package(f"{_PREFIX}{number}")
    return printed_numbers(Path(package.__path__[0]))
