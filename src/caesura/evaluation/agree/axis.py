# SPDX-License-Identifier: Apache-2.0
"""People and systems on one axis of density, and the systems under windows of several sizes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.agree.references import MOST_ANNOTATORS
from caesura.metrics.agreement import pooled_window
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.results import number
from caesura.results.evaluate.facts import Axis, AxisPoint, WindowRow

if TYPE_CHECKING:
    from caesura.evaluation.agree.standing import PanelEvaluation

__all__ = ["LEVELS", "one_axis"]

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The shares of annotators whose consensus is a point."""
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)


def one_axis(evaluation: PanelEvaluation) -> Axis:
    """Return systems, annotators and consensus levels by density and by every metric against the annotators.

    An annotator is scored against the others, on the documents of theirs that others coded too; a consensus against all, those
    included who made it. The windows of MultiWindowDiff are a quarter to four times the median one.
    """
    among = dataclasses.replace(evaluation, against="annotators")
    densities = among.bors()
    points = [
        AxisPoint(
            name=system, what="system", bor=number(densities[system]),
            scores={name: number(score) for name, score in among.scores[system].items()},
        )
        for system in among.systems
    ]  # fmt: skip
    return Axis(points=[*points, *_people(among), *_levels(among)], windows=list(_windows(among)))


def _people(among: PanelEvaluation) -> Iterator[AxisPoint]:
    """Yield every annotator; if there are very many, those with most documents."""
    panel = among.panel
    boundaries = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel)) / panel.n_annotators
    coded = np.bincount(panel.annotator, minlength=len(panel.names))
    for place in np.sort(np.argsort(-coded, kind="stable")[:MOST_ANNOTATORS]).tolist():
        own = np.flatnonzero(panel.annotator == place)
        if not len(own):
            continue
        usual = float(boundaries[panel.document[own]].sum())
        yield AxisPoint(
            name=panel.names[place],
            what="annotator",
            bor=number(int(panel.n_boundaries[own].sum()) / usual if usual else float("nan")),
            scores={name: number(mean_defined(among.against_others(name)[own])) for name in among.metrics},
        )


def _levels(among: PanelEvaluation) -> Iterator[AxisPoint]:
    """Yield every level of consensus."""
    corpus = among.reference.corpus.subset(among.panel.ids)
    names = {f"consensus={share:g}": corpus.consensus(share, min_annotators=0) for share in LEVELS}
    sources = {name: dataclasses.replace(among.reference, name=name, corpus=agreed) for name, agreed in names.items()}
    rows = [corpus.row(key) for key in among.panel.ids]
    agreed = dataclasses.replace(
        among, systems=sources, hypotheses={name: c.flat.take(rows) for name, c in names.items()},
        missing=dict.fromkeys(sources, ()),
    )  # fmt: skip
    densities = agreed.bors()
    for name, scores in agreed.scores.items():
        yield AxisPoint(
            name=name,
            what="consensus",
            bor=number(densities[name]),
            scores={metric: number(score) for metric, score in scores.items()},
        )


def _windows(among: PanelEvaluation) -> Iterator[WindowRow]:
    """Yield the scores of systems and people by MultiWindowDiff, by ascending window."""
    usual = float(np.median(pooled_window(among.panel)))
    longest = int(among.panel.n_units.max()) - 1
    timed = among.unit == "ms"
    sizes = {max(1, round(factor * usual / 1000) * 1000 if timed else round(factor * usual)) for factor in _FACTORS}
    for size in sorted(sizes):
        if size > longest:
            continue
        window: int | str = f"{size // 1000}s" if timed else size
        metric = MultiWindowDiff(m=window)
        scored = dataclasses.replace(among, metrics={"m": metric})
        yield WindowRow(
            window=window,
            systems={system: number(row["m"]) for system, row in scored.scores.items()},
            people=number(scored.ceiling["m"]),
        )
