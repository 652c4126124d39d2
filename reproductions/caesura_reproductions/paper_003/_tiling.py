# SPDX-License-Identifier: Apache-2.0
"""TextTiling as the paper ran it, from the depths of every gap under its encoder in float32.

A gap is a boundary if its depth is above the mean of the dialogue plus alpha standard deviations. Table 6 has alpha 0; for
Table 4 it was chosen on the dialogues tagged ``dev``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.evaluation.evaluate import evaluate
from caesura.segmentation import Segmentation
from caesura.strict_json import decode
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._gold import Gold, gold

__all__ = ["Depths", "chosen_alpha", "depths", "tiled"]

Floats = npt.NDArray[np.float64]
Depths = dict[str, Floats]
_ALPHAS = np.arange(-2, 2, 0.1)
_FILE = "reproduction/minilm_float32_depths.json.gz"


class _File(msgspec.Struct):
    dialseg711_utterances: list[list[float]]
    dialseg711_user_turns: list[list[float]]
    tiage_utterances: list[list[float]]


def depths(data: Data, dataset: str, view: Literal["user_turns", "utterances"]) -> Depths:
    """Return the depths of the gaps of every dialogue of a dataset, including those that a table leaves out."""
    found: list[list[float]] = getattr(decode(data.read(_FILE), _File), f"{dataset.lower()}_{view}")
    return {key: np.array(row) for key, row in zip(gold(data, dataset, "all", view), found, strict=True)}


def tiled(found: Depths, reference: Mapping[str, object], alpha: float) -> Gold:
    """Return TextTiling of the dialogues of a reference."""
    return {key: _cut(found[key], alpha) for key in reference}


def chosen_alpha(data: Data, dataset: str, found: Depths) -> float:
    """Return the first alpha with the highest exact F1, mean over the dialogues tagged ``dev``."""
    reference = gold(data, dataset, "dev", "utterances")
    systems = {f"{alpha}": tiled(found, reference, float(alpha)) for alpha in _ALPHAS}
    scores = evaluate(reference, systems, "F1").scores
    return float(max(systems, key=lambda name: scores[name]["F1"]))


def _cut(depth: Floats, alpha: float) -> Segmentation:
    n_units = len(depth) + 1
    if n_units <= 2:
        return Segmentation(n_units)
    return Segmentation(n_units, (np.flatnonzero(depth > depth.mean() + alpha * depth.std()) + 1).tolist())
