# SPDX-License-Identifier: Apache-2.0
"""References times systems: the same systems against every choice of what counts as the truth (Table 2 of Kazantseva and Szpakowicz)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.evaluation.aggregate import aggregate
from caesura.metrics.base import PairwiseMetric
from caesura.results import Number, number
from caesura.results.evaluate.facts import ReferenceRow

if TYPE_CHECKING:
    from caesura.evaluation.agree.standing import PanelEvaluation

__all__ = ["MOST_ANNOTATORS", "against_each"]

SHARES = (0.5, 0.3, 0.0)
"""The shares of annotators whose consensus serves as a reference, as in the paper; 0 is the union."""
MOST_ANNOTATORS = 30
"""If there are more annotators, those with most documents serve as references."""


def against_each(evaluation: PanelEvaluation) -> list[ReferenceRow]:
    """Return the scores of every system against all annotators, the nearest, three consensus levels, and each annotator.

    Every row is what `caesura.evaluate` gives with its ``against``; a metric of all annotators at once is scored in the first.
    """
    panel, flats = evaluation.panel, evaluation.hypotheses
    boundaries = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel)) / panel.n_annotators
    units = int(panel.n_units.sum())
    mean = 100 * float(boundaries.sum()) / units
    pairwise = {name: m for name, m in evaluation.metrics.items() if isinstance(m, PairwiseMetric)}
    near = dataclasses.replace(evaluation, metrics=pairwise, against="best")
    rows = [
        ReferenceRow(
            against=each.against, documents=len(panel), per_100_units=number(mean),
            systems={s: {name: number(v) for name, v in row.items()} for s, row in each.scores.items()},
        )
        for each in (dataclasses.replace(evaluation, against="annotators"), near)
    ]  # fmt: skip
    for against, reference, places in _single(evaluation):
        pairs = {s: Pairs.beside(reference, flat.take(places), panel.unit) for s, flat in flats.items()}
        rows.append(
            ReferenceRow(
                against=against,
                documents=len(places),
                per_100_units=number(100 * len(reference.pos) / int(reference.n_units.sum())),
                systems=_scores(evaluation, pairwise, pairs),
            )
        )
    return rows


def _single(evaluation: PanelEvaluation) -> Iterator[tuple[str, Flat, Ints]]:
    """Yield each single reference: its name, its boundaries, and the places of its documents in the panel."""
    panel, corpus = evaluation.panel, evaluation.reference.corpus.subset(evaluation.panel.ids)
    for share in SHARES:
        yield f"consensus={share:g}", corpus.consensus(share, min_annotators=0).flat, np.arange(len(panel))
    coded = np.bincount(panel.annotator, minlength=len(panel.names))
    chosen = np.sort(np.argsort(-coded, kind="stable")[:MOST_ANNOTATORS])
    for place in chosen[coded[chosen] > 0].tolist():
        codings = np.flatnonzero(panel.annotator == place)
        yield f"annotator={panel.names[place]}", panel.codings.take(codings), panel.document[codings]


def _scores(
    evaluation: PanelEvaluation, metrics: Mapping[str, PairwiseMetric], pairs: Mapping[str, Pairs]
) -> dict[str, dict[str, Number]]:
    found: dict[str, dict[str, Number]] = {system: {} for system in pairs}
    for name, metric in metrics.items():
        counts = {system: metric.count(each) for system, each in pairs.items()}
        scores = {system: metric.score(each) for system, each in counts.items()}
        included = {system: metric.included(counts[system], scores[system]) for system in pairs}
        how = evaluation.aggregation(name)
        used = np.ones(len(next(iter(scores.values()))), dtype=bool)
        if how == "macro":
            used = np.logical_and.reduce(list(included.values()))
        for system in pairs:
            a = aggregate(metric, counts[system], how, used, scores=scores[system], included=included[system])
            found[system][name] = number(a.score)
    return found
