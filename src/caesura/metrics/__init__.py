# SPDX-License-Identifier: Apache-2.0
"""Metrics: one file each, in a folder per family.

Conventions
-----------
The reference comes first, the hypothesis second, always by these names. A metric is a value: a frozen dataclass whose
fields are its parameters. It says which counts it needs of a document (``request``, ``columns``) and what score they
make (``score``); everything else (corpus, bootstrap, tables, docs) is written once and reads the declaration.

Families
--------
``pairwise``
    a reference and a hypothesis.
``agreement``
    several annotators, alone or with a hypothesis; imported when one of them is asked for.
``cohesion``
    a segmentation and the vectors of its units, without a reference; imported likewise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caesura.declare import Registry, nearest
from caesura.errors import MetricError
from caesura.metrics.base import METRICS, Metric, MetricCard, PairwiseMetric, Request
from caesura.metrics.pairwise import __path__ as _pairwise_path

__all__ = ["METRICS", "Metric", "MetricCard", "PairwiseMetric", "Request", "families", "metric"]

METRICS.discover(_pairwise_path, "caesura.metrics.pairwise")


def families() -> tuple[Registry[Any], ...]:
    """Return the registries of all families: pairwise, agreement of annotators, a hypothesis among annotators, cohesion."""
    from caesura.metrics.agreement import AGREEMENT, PANEL
    from caesura.metrics.cohesion import COHESION

    return METRICS, AGREEMENT, PANEL, COHESION


def metric(text: str, defaults: Mapping[str, Mapping[str, Any]] | None = None) -> Any:
    """Return the metric that a text names.

    Parameters
    ----------
    text : str
        A name or alias, optionally with parameters: ``"Pk"``, ``"WindowDiff(k=5)"``, ``"W-F1"``.
    defaults : mapping, optional
        Other defaults by metric name, such as those of a profile.

    Returns
    -------
    Metric
        Called with (reference, hypothesis); a coefficient of annotators with a list of segmentations, MultiWindowDiff
        with (list of references, hypothesis), a metric without a reference with (segmentation, vectors).

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> round(metric("Pk")(reference, hypothesis), 4)
    0.5455
    >>> str(metric("W-F1"))
    'BoundaryF1(tolerance=1)'
    """
    name = text.partition("(")[0].strip() if isinstance(text, str) else ""  # type: ignore[redundant-expr]
    if name in METRICS or not name:
        return METRICS.parse(text, defaults)
    for family in families():
        if name in family:
            return family.parse(text, defaults)
    known = [known for family in families() for known in (*family.names(), *family.aliases())]
    raise MetricError(f"unknown metric {name!r}; {nearest(name, known)}")
