# SPDX-License-Identifier: Apache-2.0
"""A measurement without a reference as plain data: the results file."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caesura._version import __version__
from caesura.evaluation.cohesion.null import Null
from caesura.evaluation.cohesion.tables import has_texts, notes
from caesura.evaluation.reference.report import environment
from caesura.results import Input, MetricFacts, Results, Score, as_number, write_results

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["plain_results", "write"]


def plain_results(cohesion: Cohesion, *, per_document: bool = False, worst: int = 3) -> Results:
    """Return the results as plain data."""
    quoted = worst and has_texts(cohesion)
    return Results(
        caesura=__version__,
        against="nothing",
        seed=cohesion.chance.seed,
        environment=environment(),
        inputs=_inputs(cohesion),
        metrics={name: _facts(cohesion, name) for name in cohesion.metrics},
        systems={s: {name: _score(cohesion, s, name) for name in cohesion.metrics} for s in cohesion.systems},
        documents=list(cohesion.documents) if per_document else None,
        per_document=_per_document(cohesion) if per_document else None,
        intervals={
            s: {name: [as_number(i.low), as_number(i.high)] for name, i in row.items()}
            for s, row in cohesion.intervals.items()
        },
        comparisons=[c.as_dict() for c in cohesion.comparisons] if len(cohesion.systems) > 1 else None,
        encoder=dataclasses.asdict(cohesion.vectors),
        density={
            s: {
                "segments_per_100": as_number(cohesion.segments_per_100(s)),
                "singletons": as_number(cohesion.singletons(s)),
            }
            for s in cohesion.systems
        },
        nulls=_nulls(cohesion, per_document) if cohesion.chance.kinds else None,
        worst={s: [w.as_dict() for w in cohesion.worst(s, number=worst)] for s in cohesion.systems}
        if quoted
        else None,
        notes=notes(cohesion),
    )


def write(
    cohesion: Cohesion, path: str | Path, *, results: Results | None = None, overwrite: bool = True
) -> None:
    """Write the results file, with the counts of every document beside it."""
    write_results(
        path,
        results or plain_results(cohesion),
        {
            s: {str(cohesion.metrics[n]): t for n, t in row.items()}
            for s, row in cohesion.tables_of_counts.items()
        },
        cohesion.documents,
        {str(metric): metric.columns for metric in cohesion.metrics.values()},
        overwrite=overwrite,
    )


def _nulls(cohesion: Cohesion, per_document: bool) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    def plain(null: Null) -> dict[str, Any]:
        found: dict[str, Any] = null.as_dict()
        if per_document:
            found["per_document"] = {
                "z": [as_number(v) for v in null.z],
                "percentile": [as_number(v) for v in null.percentile],
            }
        return found

    return {
        system: {name: {kind: plain(null) for kind, null in kinds.items()} for name, kinds in row.items()}
        for system, row in cohesion.nulls.items()
    }


def _per_document(cohesion: Cohesion) -> dict[str, dict[str, list[Any]]]:
    return {
        system: {
            name: [as_number(v) for v in cohesion.per_document(system, name)] for name in cohesion.metrics
        }
        for system in cohesion.systems
    }


def _score(cohesion: Cohesion, system: str, name: str) -> Score:
    a, recipe = cohesion.aggregates[system][name], cohesion.recipe(name, system)
    return Score(
        score=as_number(a.score),
        aggregation=a.aggregation,
        documents=a.documents,
        undefined=a.undefined,
        dropped=a.dropped,
        reason=cohesion.metrics[name].why_undefined() if math.isnan(a.score) else None,
        signature=recipe.long(),
        short_signature=recipe.short(),
    )


def _facts(cohesion: Cohesion, name: str) -> MetricFacts:
    metric, facts = cohesion.metrics[name], cohesion.metrics[name].facts()
    return MetricFacts(
        metric=str(metric),
        title=facts.title,
        direction=facts.direction,
        perfect=as_number(facts.perfect),
        bounds=(as_number(facts.bounds[0]), as_number(facts.bounds[1])),
        request=str(metric),
        columns=list(metric.columns),
    )


def _inputs(cohesion: Cohesion) -> list[Input]:
    systems = [s.as_input("system", len(cohesion.missing[name])) for name, s in cohesion.systems.items()]
    return [cohesion.source.as_input("documents"), *systems]
