# SPDX-License-Identifier: Apache-2.0
"""Figures 2 to 7: the index and reference metrics over the levels of each damage."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Item, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_002._corpora import NEEDS
from caesura_reproductions.paper_002._curves import INDEX, REFERENCES, SWAPPED, Kind, curves, fewer
from caesura_reproductions.printed import Printed

__all__ = ["fig2", "fig3", "fig4", "fig5", "fig6", "fig7"]

_CALLED = {
    "removal": "boundaries removed",
    "splitting": "segments split",
    "transposition": "one boundary moved by so many units",
}


def _figure(name: str, corpus: str, kind: Kind, *, rises: bool = True) -> Item:
    """Return the item of a figure; ``rises`` is whether the paper finds every curve above its start."""

    @item(name, f"{corpus}, {_CALLED[kind]}", needs=NEEDS)
    def drawn(printed: Printed, data: Data) -> Iterator[Found]:
        """Yield every point; similarities are inverted, as the paper draws them."""
        found = curves(data, corpus, kind)
        for row, text in {INDEX: INDEX, **{n: f"{m} [{SWAPPED}]" for n, m in REFERENCES.items()}}.items():
            losses = found.losses(text)
            for level, loss in zip(found.levels, losses.tolist(), strict=True):
                holds = loss >= losses[0] if rises else None
                few = fewer(found, level) if row == INDEX else ""
                note = f"the paper draws it without a number{f'; {few}' if few else ''}"
                yield Value(row, f"{level}", loss, note=note, holds=holds)

    return drawn


fig2 = _figure("Fig2", "Choi 3-11", "removal")
fig3 = _figure("Fig3", "Wiki-50", "removal")
fig4 = _figure("Fig4", "Choi 3-11", "splitting")
fig5 = _figure("Fig5", "Wiki-50", "splitting", rises=False)
fig6 = _figure("Fig6", "Choi 3-11", "transposition")
fig7 = _figure("Fig7", "Wiki-50", "transposition", rises=False)
