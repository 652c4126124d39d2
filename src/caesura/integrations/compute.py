# SPDX-License-Identifier: Apache-2.0
"""Scores from two lists, called as metrics of Hugging Face's evaluate are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura.errors import CaesuraError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.inputs import CorpusLike
from caesura.segmentation import Spelled

__all__ = ["compute"]


def compute(
    *,
    predictions: CorpusLike | Sequence[Spelled],
    references: CorpusLike | Sequence[Spelled],
    metric: str | Iterable[str] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Score predictions against references, document by document in their order.

    Parameters
    ----------
    predictions, references : sequence of documents, or anything that `evaluate` takes
        A document is a `Segmentation`, a string of 0 and 1 (one digit per gap), or a list or array of bool.
    metric : str or iterable of str, optional
        Names of metrics; without them the standard ones.
    **options
        Those of `evaluate`, such as ``profile`` and ``by``.

    Returns
    -------
    dict of str to float
        The score of each metric, under its name.

    Examples
    --------
    >>> compute(predictions=["0100", "0010"], references=["0100", "0100"], metric=["F1", "Pk"])
    {'F1': 0.5, 'Pk': 0.333...}
    """
    given, gold = _by_place(predictions), _by_place(references)
    if isinstance(given, Mapping) and isinstance(gold, Mapping) and len(given) != len(gold):
        raise CaesuraError(f"{len(given)} predictions and {len(gold)} references; each prediction needs its reference")
    metrics = [metric] if isinstance(metric, str) else metric
    evaluation = evaluate(gold, {"predictions": given}, metrics, **options)
    return {name: float(score) for name, score in evaluation.scores["predictions"].items()}


def _by_place(documents: Any) -> CorpusLike:
    """Return a list of documents by their places; one document, a path or a corpus as it is."""
    listed = isinstance(documents, (Sequence, np.ndarray)) and not isinstance(documents, (str, bytes))
    if not listed or not len(documents) or isinstance(documents[0], (bool, int, float, np.generic)):
        whole: CorpusLike = documents
        return whole
    return {str(place): document for place, document in enumerate(documents, 1)}
