# SPDX-License-Identifier: Apache-2.0
"""The gold that the paper's tables were computed on: which dialogues, which units, which boundaries.

Tables 3 and the sweeps look at the user's turns only, with the boundary that leaves the first segment lost; Tables 4 and 6
at all utterances. The released masses hold both views.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

import msgspec

from caesura.errors import FormatError
from caesura.segmentation import Segmentation

__all__ = ["DATASETS", "Gold", "gold", "read_masses"]

View = Literal["user_turns", "utterances"]
Gold = dict[str, Segmentation]

DATASETS = {"DialSeg711": "dialseg711_masses.json", "TIAGE": "tiage_masses.json"}
_LARGEST = 1 << 26  # bytes; the files have a tenth of a megabyte


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


def gold(folder: Path, dataset: str, item: str, view: View) -> Gold:
    """Return the gold of a table ("T3", "T4" or "T6"), in the units of a view.

    Table 4 takes every dialogue that is not tagged ``dev``, the others all of DialSeg711 and the test part of TIAGE.
    """
    dialogues = [
        d
        for d in read_masses(folder / DATASETS[dataset]).dialogues
        if (d.set != "dev" if item == "T4" else dataset != "TIAGE" or d.set == "test")
    ]
    if view == "user_turns":
        return {str(d.id): Segmentation(d.user_turns.n, d.user_turns.as_run_boundaries) for d in dialogues}
    return {str(d.id): Segmentation.from_masses(d.masses) for d in dialogues}


@functools.lru_cache(maxsize=4)
def read_masses(path: Path) -> _Masses:
    """Read a file of masses."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError("is too large for a file of masses", path)
        return msgspec.json.decode(path.read_bytes(), type=_Masses)
    except OSError as error:
        raise FormatError(
            f"cannot be read ({error.strerror or error}); it belongs to the released data of the paper", path
        ) from None
    except msgspec.MsgspecError as error:
        raise FormatError(f"is not a file of masses: {error}", path) from None
