# SPDX-License-Identifier: Apache-2.0
"""Agreement coefficients of a corpus, with intervals over its documents."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.batches.panel import Panel
from caesura.errors import MetricError
from caesura.evaluation.aggregate import aggregate
from caesura.metrics.agreement import AgreementMetric
from caesura.metrics.agreement.edit_agreement import EditAgreement
from caesura.metrics.base import Floats
from caesura.metrics.profiles import under_profile
from caesura.statistics import Bootstrap, Interval

__all__ = ["DEFAULT_COEFFICIENTS", "Coefficient", "coefficient"]

DEFAULT_COEFFICIENTS = (
    "FleissKappa",
    "FleissKappa(include_end=True)",
    "MultiKappa",
    "KrippendorffAlpha",
    "AgreementB",
    "AgreementS",
)


@dataclasses.dataclass(frozen=True)
class Coefficient:
    """One coefficient of a corpus.

    Attributes
    ----------
    name : str
        As it was asked for.
    score : float
        Mean over the documents where it is defined.
    sd : float
        Sample standard deviation over these documents; NaN for fewer than two.
    interval : Interval
        Documents resampled.
    observed, expected : float
        Mean observed and expected agreement over these documents.
    documents, undefined : int
        How many documents it is made of, and how many were left out.
    reason : str or None
        Why it is not defined, where it is not.
    bias : float or None
        For coefficients over B and S: how much of the pooled chance comes from annotators who mark at different rates,
        mean over documents.
    per_document : float64[D]
        One value per document; NaN where it is not defined.
    """

    name: str
    score: float
    sd: float
    interval: Interval
    observed: float
    expected: float
    documents: int
    undefined: int
    reason: str | None
    bias: float | None
    per_document: Floats


def coefficient(name: str, panel: Panel, bootstrap: Bootstrap, profile: str = "caesura") -> Coefficient:
    """Compute one coefficient with its interval, under a profile."""
    metric = under_profile(name, profile)
    if not isinstance(metric, AgreementMetric):
        raise MetricError(
            f"{name!r} is no coefficient of annotators; such are {', '.join(DEFAULT_COEFFICIENTS)}"
        )
    counts = metric.count(panel)
    values = metric.score(counts)
    whole = aggregate(metric, counts, "macro")
    kept = ~np.isnan(values)
    undefined = math.isnan(whole.score)
    return Coefficient(
        name=name,
        score=whole.score,
        sd=_sd(values[kept]),
        interval=bootstrap.interval(bootstrap.mean(values), whole.documents),
        observed=math.nan if undefined else float(metric.observed(counts)[kept].mean()),
        expected=math.nan if undefined else float(metric.expected(counts)[kept].mean()),
        documents=whole.documents,
        undefined=whole.undefined,
        reason=metric.why_undefined() if undefined else None,
        bias=_bias(metric, counts[kept]),
        per_document=values,
    )


def _bias(metric: AgreementMetric, counts: Floats) -> float | None:
    if not isinstance(metric, EditAgreement):
        return None
    return float(metric.bias_of(counts).mean()) if len(counts) else math.nan


def _sd(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan
