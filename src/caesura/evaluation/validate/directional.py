# SPDX-License-Identifier: Apache-2.0
"""How often a reference-free metric prefers the gold to a segmentation known to be worse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.metrics.base import Floats
from caesura.metrics.cohesion import COHESION
from caesura.segmentation import Segmentation

__all__ = ["Direction", "directional_share"]


class Direction(NamedTuple):
    """Scores of the gold and of the other segmentation by document, and the share of documents in which gold is better.

    Documents on which one of the two has no score are left out of the share, and a tie is not better.
    """

    gold: Floats
    other: Floats
    share: float


def directional_share(metric: str, gold: Embedded, other: Mapping[str, Segmentation]) -> Direction:
    """Score gold and another segmentation of the same documents, and count the documents in which gold is better.

    Parameters
    ----------
    metric : str
        A metric without a reference.
    gold : Embedded
        The gold boundaries, and a vector for each unit.
    other : mapping of document id to Segmentation
        The segmentation known to be worse; other documents are ignored.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.1], [0.0, 1.0]])
    >>> batch = Embedded.of({"d": Segmentation(4, (2,))}, {"d": vectors})
    >>> directional_share("SegReFree", batch, {"d": Segmentation(4, (1,))}).share
    1.0
    """
    judge = COHESION.parse(metric)
    scored = gold, gold.with_segmentations({key: other[key] for key in gold.ids})
    first, second = (np.asarray(judge.score(judge.count(each))) for each in scored)
    gains = judge.facts().gain(first, second)
    defined = ~np.isnan(gains)
    return Direction(first, second, float((gains[defined] > 0).mean()) if defined.any() else float("nan"))
