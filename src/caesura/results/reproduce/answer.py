# SPDX-License-Identifier: Apache-2.0
"""The answer of a reproduction: exact numbers, misprints, and numbers that cannot be reproduced."""

from __future__ import annotations

from collections import Counter

from caesura.results._sentences import joined, number_of
from caesura.results.base import required
from caesura.results.reproduce.facts import STATUSES, Cell, ItemFacts
from caesura.results.schema import Results

__all__ = ["answer"]

_MOST = 3  # maximum number of cells named in a sentence


def answer(results: Results) -> tuple[str, ...]:
    """Return the reproduced and missed numbers, the misprints, and the missing ones."""
    facts, cells = required(results.reproduction), results.cells or []
    possible = sum(item.can_be_exact for item in facts.items)
    missed = [cell for cell in cells if cell.can_be_exact and cell.failed]
    sentences = []
    by_rounding = sum(cell.by_rounding for cell in cells)
    rounded = (
        f", {by_rounding} of them within the rounding of the numbers they are computed from" if by_rounding else ""
    )
    if possible:
        sentences.append(
            f"{possible - len(missed)} of the {possible} numbers that can be exact have every printed digit; not {_named(missed)}."
            if missed
            else f"{'All' if possible > 1 else 'The'} {number_of(possible, 'number that can be exact has', 'numbers that can be exact have')} "
            f"every printed digit{rounded}."
        )
    misprints = [cell for cell in cells if cell.misprint and not cell.failed]
    if misprints:
        wrong = joined([f"{_place(c)} {c.printed} for {c.corrected}" for c in misprints[:_MOST]])
        more = f", and {len(misprints) - _MOST} more" if len(misprints) > _MOST else ""
        sentences.append(
            f"{number_of(len(misprints), 'printed number is a misprint', 'printed numbers are misprints')}: {wrong}{more}."
        )
    sentences += _totals(facts.items)
    if facts.errata:
        listed = "lists it" if len(facts.errata) == 1 else "lists them"
        sentences.append(f"{number_of(len(facts.errata), 'error')} of the text or the code: --full {listed}.")
    return tuple(sentences)


def _totals(items: list[ItemFacts]) -> list[str]:
    totals: Counter[str] = Counter()
    for item in items:
        totals.update(item.counts)
    words = {"shape": "equal in shape"}
    parts = [f"{totals[status]} {words.get(status, status)}" for status in STATUSES if totals[status]]
    return [f"Of {number_of(sum(totals.values()), 'printed number')}, {joined(parts)}."] if len(parts) > 1 else []


def _named(missed: list[Cell]) -> str:
    names = [_place(cell) for cell in missed[:_MOST]]
    return joined([*names, f"{len(missed) - _MOST} more"] if len(missed) > _MOST else names)


def _place(cell: Cell) -> str:
    return f"{cell.item} {cell.row}, {cell.column}"
