# SPDX-License-Identifier: Apache-2.0
"""Metrics of segmentation where scikit-learn chooses a model: `score` as a function of labels, `scorer` for ``scoring=``.

A row is a gap between two units: its label is 1 if a topic ends there. ``documents`` says to which document each row belongs;
without it all rows are one document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric as metric_of
from caesura.segmentation import Segmentation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["score", "scorer"]


def score(
    y_true: ArrayLike, y_pred: ArrayLike, *, metric: str = "BoundarySimilarity", documents: ArrayLike | None = None
) -> float:
    """Score predicted labels of gaps against true ones.

    Examples
    --------
    >>> score([0, 1, 0, 0, 1, 0], [0, 1, 0, 1, 0, 0], metric="F1", documents=["a", "a", "a", "b", "b", "b"])
    0.5
    """
    true, predicted = _labels(y_true, "y_true"), _labels(y_pred, "y_pred")
    if len(true) != len(predicted):
        raise CaesuraError(f"y_true has {len(true)} rows, y_pred {len(predicted)}")
    names = np.zeros(len(true), dtype=int) if documents is None else np.asarray(documents)
    if names.shape != true.shape:
        raise CaesuraError(
            f"documents has the shape {names.shape}; it must name a document for each of {len(true)} rows"
        )
    found, places = np.unique(names, return_inverse=True)
    reference, hypothesis = (
        {str(place): Segmentation.from_bits(labels[places == place], marks="gap") for place in range(len(found))}
        for labels in (true, predicted)
    )
    return float(evaluate(reference, {"y_pred": hypothesis}, [metric]).scores["y_pred"][metric])


def scorer(metric: str = "BoundarySimilarity") -> Any:
    """Return a scorer for ``scoring=``, which is negative where a lower score is better.

    To name the documents of rows, turn on metadata routing and ask for them:
    ``sklearn.set_config(enable_metadata_routing=True)``, ``scorer("B").set_score_request(documents=True)``.
    """
    from sklearn.metrics import make_scorer

    direction = metric_of(metric).card.direction
    if direction == "target":
        raise CaesuraError(
            f"{metric} is best at a target, so that neither more nor less is better; choose another metric"
        )
    return make_scorer(score, greater_is_better=direction == "higher", metric=metric)


def _labels(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    labels = np.asarray(values)
    if labels.ndim != 1 or not len(labels) or not np.isin(labels, (0, 1)).all():
        raise CaesuraError(f"{name} must be one row of 0 and 1, one for each gap between two units")
    return labels.astype(bool)
