# SPDX-License-Identifier: Apache-2.0
"""Annotators as points on the density axis of a sweep: the density and the scores of each."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.corpus import Corpus
from caesura.evaluation.evaluate.run import evaluate
from caesura.metrics.base import Metric
from caesura.results import Number, number

__all__ = ["people_on"]


def people_on(reference: Corpus, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Number]]:
    """Return the scores of each annotator against the reference, on the documents that they coded."""
    names = dict.fromkeys(name for document in reference for name in document.annotations)
    found: dict[str, dict[str, Number]] = {}
    for name in names:
        coded = reference.annotator(name)
        scores = evaluate(reference.subset(coded.ids), {name: coded}, list(metrics.values())).scores[name]
        found[name] = {key: number(scores[str(metric)]) for key, metric in metrics.items()}
    return found
