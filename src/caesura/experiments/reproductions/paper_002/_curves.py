# SPDX-License-Identifier: Apache-2.0
"""The damaged corpora behind Tables 1, 2, 3 and 6 and Figures 2 to 7."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from caesura.evaluation.degradations import Degradation
from caesura.evaluation.degradations.removal import Removal
from caesura.evaluation.degradations.splitting import Splitting
from caesura.evaluation.degradations.transposition import Transposition
from caesura.experiments.curves import Curves, degradation_curves
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_002._corpora import choi, embedded, repeating, wiki

__all__ = ["ABLATIONS", "CORPORA", "INDEX", "REFERENCES", "SWAPPED", "Kind", "curves"]

Kind = Literal["removal", "splitting", "transposition"]
INDEX = "SegReFree"
SWAPPED = "swapped"
ABLATIONS = {
    "Proposed": INDEX,
    "-Size Penalty": "SegReFree(size_penalty=False)",
    "-Adjacen. Req.": "SegReFree(adjacent=False)",
    "Orig. DBI": "SegReFree(adjacent=False, size_penalty=False)",
    "L1 Dist.": "SegReFree(distance='l1')",
    "Cos. Dist.": "SegReFree(distance='cosine')",
}
REFERENCES = {"Pk": "Pk", "WindowDiff": "WindowDiff", "Seg. Sim.": "S", "Bound. Sim.": "B"}
CORPORA = ("Choi 3-11", "Wiki-50")

_DRAWS = {"Choi 3-11": 5, "Wiki-50": 30}  # as section 4.1 says
_LEVELS = {"Choi 3-11": 7, "Wiki-50": 5}
"""Levels 0 to 6 and 0 to 4: the tables do not say, and these fit."""
_DISTANCES = 9
_DAMAGE: dict[Kind, Callable[[int], Degradation]] = {
    "removal": lambda level: Removal(count=level),
    "splitting": lambda level: Splitting(count=level),
    "transposition": lambda level: Transposition(distance=level, which="one", direction="random"),
}


def curves(data: Data, corpus: str, kind: Kind, *, without_repeats: bool = False) -> Curves:
    """Return the mean scores of the damaged corpus, of the index and its ablations and of the reference metrics.

    ``without_repeats`` leaves out every document of Choi that holds a segment twice, not only where they are neighbours.
    """
    return _curves(data.folder, corpus, kind, without_repeats)


@functools.lru_cache(maxsize=16)
def _curves(folder: Path, corpus: str, kind: Kind, without_repeats: bool) -> Curves:
    data = Data(folder)
    documents = choi(data) if corpus == "Choi 3-11" else wiki(data)
    without = repeating(documents, neighbours=not without_repeats) if corpus == "Choi 3-11" else []
    batch = embedded(data, "choi" if corpus == "Choi 3-11" else "wiki50", documents, without)
    several = kind != "transposition"
    return degradation_curves(
        batch,
        _DAMAGE[kind],
        range(_LEVELS[corpus] if several else _DISTANCES),
        list(ABLATIONS.values()) if several else [INDEX],
        list(REFERENCES.values()),
        profiles=("caesura", SWAPPED),
        draws=_DRAWS[corpus],
    )
