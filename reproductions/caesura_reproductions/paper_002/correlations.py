# SPDX-License-Identifier: Apache-2.0
"""Tables 1, 2 and 3: the index and reference metrics over the levels of a damage."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Item, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_002._corpora import NEEDS
from caesura_reproductions.paper_002._curves import CORPORA, INDEX, LEVELS, REFERENCES, SWAPPED, Kind, curves, fewer
from caesura_reproductions.printed import Printed

__all__ = ["removal", "splitting", "transposition"]

_SAMPLING = 0.003
"""Spread of a correlation over the random draws, on Choi."""


def _correlations(printed: Printed, data: Data, kind: Kind) -> Iterator[Value]:
    """Yield a table of correlations: with the sides exchanged as in the paper's notebook, and in the right order."""
    for corpus in CORPORA:
        found = curves(data, corpus, kind)
        for column, metric in REFERENCES.items():
            levels = LEVELS[corpus, kind]
            right = found.pearson(INDEX, metric, levels)
            ours = found.pearson(INDEX, f"{metric} [{SWAPPED}]", levels)
            fitted = "" if kind == "transposition" else ", chosen because they fit best"
            note = (
                f"levels {levels[0]} to {levels[-1]}{fitted}, mean of {found.draws} draws; with the sides the right way "
                f"round {right:.3f}"
            )
            if kind != "transposition":
                other = range(7) if corpus == "Choi 3-11" else range(5)
                usual = found.pearson(INDEX, f"{metric} [{SWAPPED}]", other)
                note += f"; levels 0 to {other[-1]} {usual:.3f}"
                note += f"; {few}" if (few := fewer(found, levels[-1])) else ""
            entry = printed[corpus, column]
            if entry.profile == SWAPPED:
                yield Value(corpus, column, ours, note=note, definition=right, sampling=_SAMPLING)
            else:
                yield Value(corpus, column, ours, note=note, definition=right, holds=ours * entry.number > 0)


def _table(name: str, what: str, kind: Kind) -> Item:
    @item(name, f"{what}: correlation with reference metrics", needs=NEEDS)
    def table(printed: Printed, data: Data) -> Iterator[Found]:
        """Correlate the means over the levels."""
        yield from _correlations(printed, data, kind)

    return table


removal = _table("T1", "Boundaries removed", "removal")
splitting = _table("T2", "Segments split", "splitting")
transposition = _table("T3", "One boundary moved", "transposition")
