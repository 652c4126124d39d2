# SPDX-License-Identifier: Apache-2.0
"""The gold that the paper's tables were computed on: which dialogues, which units, which boundaries.

Table 3 and the sweeps use the user's turns only, without the boundary at the end of the first segment; Tables 4 and 6 use
all utterances. The released masses hold both views.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.segmentation import Segmentation
from caesura.strict_json import decode
from caesura_reproductions.data import Data

__all__ = ["DATASETS", "Gold", "gold"]

View = Literal["user_turns", "utterances"]
Gold = dict[str, Segmentation]

DATASETS = {"DialSeg711": "reproduction/dialseg711_masses.json", "TIAGE": "reproduction/tiage_masses.json"}


class _Turns(msgspec.Struct):
    n: int
    as_run_boundaries: list[int]


class _Dialogue(msgspec.Struct):
    id: int
    set: str
    masses: list[int]
    user_turns: _Turns


class _Masses(msgspec.Struct):
    dialogues: list[_Dialogue]


def gold(data: Data, dataset: str, item: str, view: View) -> Gold:
    """Return the gold of a table ("T3", "T4" or "T6"), in the units of a view.

    Table 4 takes every dialogue that is not tagged ``dev``, the others all of DialSeg711 and the test part of TIAGE. "dev"
    and "all" are the dialogues with that tag, and all of them.
    """
    found = decode(data.read(DATASETS[dataset]), _Masses).dialogues
    dialogues = [d for d in found if _belongs(item, dataset, d.set)]
    if view == "user_turns":
        return {str(d.id): Segmentation(d.user_turns.n, d.user_turns.as_run_boundaries) for d in dialogues}
    return {str(d.id): Segmentation.from_masses(d.masses) for d in dialogues}


def _belongs(item: str, dataset: str, tag: str) -> bool:
    if item in ("all", "dev"):
        return item == "all" or tag == "dev"
    return tag != "dev" if item == "T4" else dataset != "TIAGE" or tag == "test"
