# SPDX-License-Identifier: Apache-2.0
"""Table 6: the index without one part at a time, correlated with Pk."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from caesura.evaluation.validate.curves import Curves
from caesura.results.reproduce.facts import Erratum
from caesura_reproductions.ablations import SEGREFREE_ABLATIONS, ablation_correlations
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_002._corpora import NEEDS, choi, repeating
from caesura_reproductions.paper_002._curves import SWAPPED, Kind, ablated
from caesura_reproductions.printed import Printed

__all__ = ["ablations"]

_COLUMNS: dict[str, tuple[str, Kind]] = {
    "Choi Split": ("Choi 3-11", "splitting"),
    "Choi Del.": ("Choi 3-11", "removal"),
    "Wiki-50 Split": ("Wiki-50", "splitting"),
    "Wiki-50 Del.": ("Wiki-50", "removal"),
}
_LEVELS = {"Choi 3-11": range(7), "Wiki-50": range(5)}
"""A different run than that of Tables 1 and 2, as its first row shows."""
_PK = f"Pk [{SWAPPED}]"
_BOUNDARIES = 9  # of a document of Choi


@item("T6", "The index without one part at a time", needs=NEEDS)
def ablations(printed: Printed, data: Data) -> Iterator[Found]:
    """Correlate every ablation with Pk; on Choi also without the documents that contain a segment twice."""
    for column, (corpus, kind) in _COLUMNS.items():
        found, levels = ablated(data, corpus, kind), _LEVELS[corpus]
        fewer = ablated(data, corpus, kind, without_repeats=True) if corpus == "Choi 3-11" else None
        definition = ablation_correlations(found, "Pk", levels=levels)
        for row, ours in ablation_correlations(found, _PK, levels=levels).items():
            text = SEGREFREE_ABLATIONS[row]
            yield Value(
                row,
                column,
                ours,
                note=_note(found, fewer, text, levels),
                definition=definition[row],
                holds=ours * printed.number(row, column) > 0,
            )
    yield _artefact(printed, data)


def _note(found: Curves, fewer: Curves | None, text: str, levels: range) -> str:
    note = f"levels {levels[0]} to {levels[-1]}, mean of {found.draws} draws, Pk with its sides exchanged"
    if fewer is None:
        return note
    infinite = int(found.infinite[text].sum())
    note += f"; without all documents that hold a segment twice {fewer.pearson(text, _PK, levels):.3f}"
    return f"{note}; {infinite} infinite scores left out" if infinite else note


def _artefact(printed: Printed, data: Data) -> Erratum:
    """Return the reason for negative printed correlations: scores that explode until one of two copies is merged."""
    found = ablated(data, "Choi 3-11", "removal")
    # A copy inside the document has two boundaries, so both are intact while none of four is removed.
    levels = _LEVELS["Choi 3-11"]
    whole = [math.comb(_BOUNDARIES - 4, n) / math.comb(_BOUNDARIES, n) for n in levels]
    apart = float(np.corrcoef(whole, found.losses(_PK)[list(levels)])[0, 1])
    row = "-Adjacen. Req."
    text = SEGREFREE_ABLATIONS[row]
    return finding(
        "Table 6 and Appendix D",
        "Without the rule of adjacency the index falls as boundaries of Choi are deleted: both its rows and the cosine are "
        f"negative ({printed[row, 'Choi Del.'].printed}).",
        f"{len(repeating(choi(data)))} documents hold a segment twice, and the paper leaves out two of them. Over all pairs of "
        "segments the two copies have the same centroid, so the index of such a document is huge and dominates the mean, until a "
        f"deletion merges one copy. The chance that both are whole correlates with Pk at {apart:.2f}. Infinite scores left out, the "
        f"correlation is {found.pearson(text, _PK, levels):+.2f}.",
    )
