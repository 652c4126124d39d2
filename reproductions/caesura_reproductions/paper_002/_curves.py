# SPDX-License-Identifier: Apache-2.0
"""The damaged corpora behind Tables 1, 2, 3 and 6 and Figures 2 to 7."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from caesura.evaluation.degrade import Degradation
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.degrade.splitting import Splitting
from caesura.evaluation.degrade.transposition import Transposition
from caesura.evaluation.validate.curves import Curves, degradation_curves
from caesura_reproductions.ablations import SEGREFREE_ABLATIONS
from caesura_reproductions.data import Data
from caesura_reproductions.paper_002._corpora import choi, embedded, repeating, wiki

__all__ = ["CORPORA", "INDEX", "LEVELS", "REFERENCES", "SWAPPED", "Kind", "ablated", "curves", "fewer"]

Kind = Literal["removal", "splitting", "transposition"]
INDEX = "SegReFree"
SWAPPED = "swapped"
REFERENCES = {"Pk": "Pk", "WindowDiff": "WindowDiff", "Seg. Sim.": "S", "Bound. Sim.": "B"}
CORPORA = ("Choi 3-11", "Wiki-50")

_DRAWS = {"Choi 3-11": 5, "Wiki-50": 30}  # as in section 4.1
_FEW_DRAWS = {"Choi 3-11": 1, "Wiki-50": 6}
_DAMAGED = {"Choi 3-11": 8, "Wiki-50": 6}
_DISTANCES = 9
LEVELS: dict[tuple[str, Kind], range] = {
    ("Choi 3-11", "removal"): range(1, 7),
    ("Choi 3-11", "splitting"): range(8),
    ("Choi 3-11", "transposition"): range(_DISTANCES),
    ("Wiki-50", "removal"): range(6),
    ("Wiki-50", "splitting"): range(1, 5),
    ("Wiki-50", "transposition"): range(_DISTANCES),
}
"""The levels of Tables 1 to 3. The paper does not state them: those of removal and splitting were chosen among about eleven
ranges, up to 8 and beginning with 0 or 1, because they fit best; no other levels of transposition were tried."""
_DAMAGE: dict[Kind, Callable[[int], Degradation]] = {
    "removal": lambda level: Removal(count=level),
    "splitting": lambda level: Splitting(count=level),
    "transposition": lambda level: Transposition(distance=level, which="one", direction="random"),
}


def curves(data: Data, corpus: str, kind: Kind) -> Curves:
    """Return the mean scores of the damaged corpus, by the index and by the reference metrics, with as many draws as in the paper."""
    return _curves(data.folder, corpus, kind, (INDEX,), tuple(REFERENCES.values()), _DRAWS[corpus])


def ablated(data: Data, corpus: str, kind: Kind, *, without_repeats: bool = False) -> Curves:
    """Return the mean scores by every ablation and by Pk, with fewer draws, since only their signs can be compared.

    ``without_repeats`` leaves out every document of Choi that contains a segment twice, not only adjacent ones.
    """
    return _curves(
        data.folder, corpus, kind, tuple(SEGREFREE_ABLATIONS.values()), ("Pk",), _FEW_DRAWS[corpus], without_repeats
    )


def fewer(found: Curves, level: int) -> str:
    """Return how many documents the mean of the index is of at a level, where some have no boundary left; else nothing."""
    emptied = found.emptied[found.levels.index(level)]
    if not emptied:
        return ""
    return f"at level {level} the index is a mean of {found.documents - emptied:.0f} documents, Pk of {found.documents}"


@functools.lru_cache(maxsize=16)
def _curves(
    folder: Path,
    corpus: str,
    kind: Kind,
    metrics: tuple[str, ...],
    references: tuple[str, ...],
    draws: int,
    without_repeats: bool = False,
) -> Curves:
    data = Data(folder)
    documents = choi(data) if corpus == "Choi 3-11" else wiki(data)
    without = repeating(documents, neighbours=not without_repeats) if corpus == "Choi 3-11" else []
    batch = embedded(data, "choi" if corpus == "Choi 3-11" else "wiki50", documents, without)
    levels = range(_DISTANCES if kind == "transposition" else _DAMAGED[corpus])
    return degradation_curves(
        batch, _DAMAGE[kind], levels, metrics, references, profiles=("caesura", SWAPPED), draws=draws
    )
