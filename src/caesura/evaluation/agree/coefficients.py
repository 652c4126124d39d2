# SPDX-License-Identifier: Apache-2.0
"""Agreement coefficients of a corpus, with intervals over its documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.errors import MetricError
from caesura.evaluation.aggregate import aggregate
from caesura.evaluation.intervals import ends_of
from caesura.metrics.agreement import AGREEMENT, AgreementMetric
from caesura.metrics.agreement.edit_agreement import EditAgreement
from caesura.metrics.base import Floats
from caesura.metrics.profiles import under_profile
from caesura.results import Number, number
from caesura.results.agree.facts import Coefficient
from caesura.statistics import Bootstrap, Statistic
from caesura.statistics.exact import exact_sum

__all__ = ["DEFAULT_COEFFICIENTS", "agreement_metric", "coefficient", "sd_defined"]

DEFAULT_COEFFICIENTS = (
    "FleissKappa", "FleissKappa(include_end=True)", "MultiKappa", "KrippendorffAlpha", "AgreementB", "AgreementS",
)  # fmt: skip


def agreement_metric(name: str, profile: str = "caesura") -> AgreementMetric:
    """Return a coefficient by name, under a profile."""
    metric = under_profile(name, profile)
    if not isinstance(metric, AgreementMetric):
        choices = ", ".join(AGREEMENT.names())
        raise MetricError(f"{name!r} is not an agreement coefficient; choose from {choices}")
    return metric


def coefficient(name: str, panel: Panel, bootstrap: Bootstrap, profile: str = "caesura") -> Coefficient:
    """Compute one coefficient with its interval, under a profile."""
    metric = agreement_metric(name, profile)
    counts = metric.count(panel)
    values = metric.score(counts)
    defined, how = ~np.isnan(values), metric.facts().aggregation
    left_out = None
    if how == "micro":
        # One row, the sum over all documents, takes the place of the documents.
        pooled = Statistic.pooled(metric.count_pooled(panel), metric.score)
        rows = exact_sum(pooled.columns)[np.newaxis]
        score, left_out = float(metric.score(rows)[0]), pooled.left_out()
        drawn = bootstrap.replicates([pooled])[0]
    else:
        rows, drawn = counts[defined], bootstrap.mean(values)
        score = aggregate(metric, counts, "macro").score
    documents = int(defined.sum())
    interval = bootstrap.interval(drawn, documents, left_out).within(metric.facts().bounds)
    return Coefficient(
        metric=str(metric),
        aggregation=how,
        score=number(score),
        interval=ends_of(interval),
        sd=number(sd_defined(values)),
        observed=_mean(metric.observed(rows)),
        expected=_mean(metric.expected(rows)),
        documents=documents,
        undefined=len(values) - documents,
        reason=metric.why_undefined() if math.isnan(score) else None,
        bias=_mean(metric.bias_of(rows)) if isinstance(metric, EditAgreement) else None,
        per_document=[number(value) for value in values.tolist()],
    )


def _mean(values: Floats) -> Number:
    return number(float(values.mean())) if len(values) else None


def sd_defined(values: npt.NDArray[Any]) -> float:
    """Return the sample standard deviation of the values that are defined; NaN for fewer than two."""
    defined = values[~np.isnan(values)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan
