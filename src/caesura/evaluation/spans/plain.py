# SPDX-License-Identifier: Apache-2.0
"""Spans against chunks as plain data: the results file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura._version import __version__
from caesura.evaluation.reference.report import environment
from caesura.evaluation.spans.measures import MEASURES
from caesura.evaluation.spans.tables import notes
from caesura.results import Input, MetricFacts, Results, Score, as_number

if TYPE_CHECKING:
    from caesura.evaluation.spans.report import SpanReport

__all__ = ["plain_results", "signature"]


def plain_results(report: SpanReport, worst: int = 3) -> Results:
    """Return the results as plain data, in the form of every results file."""
    return Results(
        caesura=__version__,
        against="spans",
        seed=report.seed,
        environment=environment(),
        inputs=_inputs(report),
        metrics={name: _facts(name) for name in report.measures},
        systems={
            system: {name: _score(report, system, name, value) for name, value in row.items()}
            for system, row in report.scores.items()
        },
        intervals={
            system: {name: [as_number(i.low), as_number(i.high)] for name, i in row.items()}
            for system, row in report.intervals.items()
        },
        comparisons=[each.as_dict() for each in report.comparisons] if len(report.systems) > 1 else None,
        density={s: {key: as_number(v) for key, v in row.items()} for s, row in report.density.items()},
        worst=report.worst(worst),
        notes=notes(report),
    )


def signature(report: SpanReport, system: str, name: str) -> str:
    """Return the recipe of a number."""
    outcome = report.systems[system]
    fields = {
        "unit": "character" if report.has_text else "unit",
        "agg": "micro",
        "ref": "spans",
        "docs": len(report.documents),
        "spans": len(outcome.rows),
    }
    if name == "InsideByChance":
        fields["places"] = "units" if outcome.at_units else "tokens"
    if report.missing.get(system):
        fields["missing"] = report.missing[system]
    return "|".join([name, *(f"{key}:{value}" for key, value in fields.items()), f"caesura:{__version__}"])


def _score(report: SpanReport, system: str, name: str, value: float) -> Score:
    recipe = signature(report, system, name)
    reason = None
    if value != value:
        by_chance = name == "InsideByChance"
        reason = (
            "chunks overlap: there is no chance level" if by_chance else "no span has a part in any chunk"
        )
    return Score(
        score=as_number(value),
        aggregation="micro",
        documents=len(report.documents),
        reason=reason,
        signature=recipe,
        short_signature=recipe,
    )


def _facts(name: str) -> MetricFacts:
    measure = MEASURES[name]
    return MetricFacts(
        metric=name,
        title=measure.title,
        direction=measure.direction,
        perfect=measure.perfect,
        bounds=(as_number(measure.bounds[0]), as_number(measure.bounds[1])),
        request="spans",
        columns=["sum", "spans"],
    )


def _inputs(report: SpanReport) -> list[Input]:
    sources = [("documents", "documents", report.source)]
    sources += [("system", name, source) for name, source in report.chunkers.items()]
    return [
        Input(
            role=role,
            name=name,
            documents=len(source.corpus),
            unit=source.corpus.unit,
            file=source.file,
            sha256=source.sha256,
            missing=report.missing.get(name, 0) if role == "system" else 0,
        )
        for role, name, source in sources
    ]
