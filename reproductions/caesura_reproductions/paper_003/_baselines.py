# SPDX-License-Identifier: Apache-2.0
"""The paper's baselines, drawn as its scripts draw them: one stream of Python's generator per dataset, seed 42."""

from __future__ import annotations

import random

from caesura.errors import DeclarationError
from caesura.placements import even, every, none
from caesura.segmentation import Segmentation
from caesura_reproductions.paper_003._gold import Gold

__all__ = ["baseline"]

SEED = 42
SHARE = 0.1
"""Of the gaps, for the random baseline of Table 4."""


def baseline(name: str, reference: Gold) -> Gold:
    """Return a baseline for every dialogue of a gold, in its order.

    The N of ``Every-N`` is the mean segment, at least 2. ``Random`` has as many boundaries as the gold, ``Random share`` a
    tenth of the gaps, ``Even`` (Table 4 calls it Oracle-Periodic) as many as the gold at even distances.

    >>> baseline("Every-N", {"a": Segmentation(9, (3, 6)), "b": Segmentation(9, (4,))})["a"].boundaries  # N = 18 / 5
    (4, 8)
    """
    if name == "No-boundary":
        return {key: none(g.n_units) for key, g in reference.items()}
    if name == "Every-N":
        units = sum(g.n_units for g in reference.values())
        length = max(2, round(units / sum(g.n_segments for g in reference.values())))
        return {key: every(g.n_units, length) for key, g in reference.items()}
    if name == "Even":
        return {key: even(g.n_units, g.n_boundaries) for key, g in reference.items()}
    if name not in ("Random", "Random share"):
        raise DeclarationError(f"the paper has no baseline {name!r}")
    stream = random.Random(SEED)
    return {key: _drawn(stream, g, share=name == "Random share") for key, g in reference.items()}


def _drawn(stream: random.Random, gold: Segmentation, *, share: bool) -> Segmentation:
    gaps = list(range(1, gold.n_units))
    count = int(SHARE * len(gaps)) if share else min(gold.n_boundaries, len(gaps))
    return Segmentation(gold.n_units, sorted(stream.sample(gaps, count)))
