# SPDX-License-Identifier: Apache-2.0
"""Metrics, in a folder per family; those that share counts and parameters share a file.

Conventions
-----------
The reference comes first, the hypothesis second, always by these names. A metric is a value: a frozen dataclass whose
fields are its parameters. It counts a batch of documents (``count``: by a kernel that it names in ``request``, or by itself), its
``columns`` name the counts, and ``score`` makes the score of them; everything else (corpus, bootstrap, tables, docs) is written once and reads the declaration.

Families
--------
``pairwise``
    a reference and a hypothesis.
``agreement``
    several annotators, alone or with a hypothesis; imported when one of them is requested.
``cohesion``
    a segmentation and the vectors of its units, without a reference; imported likewise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from caesura.declare import Registry, in_any_case, split_names
from caesura.metrics.base import METRICS, Metric, MetricCard, PairwiseMetric, Request
from caesura.metrics.pairwise import __path__ as _pairwise_path

__all__ = [
    "METRICS", "Metric", "MetricCard", "PairwiseMetric", "Request", "families", "listed_metrics", "metric", "parse_metric",
    "spelled",
]  # fmt: skip

_MODEL = "model:"
"""Before a folder of ``caesura train --metric``, whose weights `Support` reads."""

_PRINTED = re.compile(r"F1 \(([^()'\"=]+)\)")

METRICS.discover(_pairwise_path, "caesura.metrics.pairwise", lazy=True)


def families() -> tuple[Registry[Any], ...]:
    """Return the registries of all families: pairwise, agreement of annotators, a hypothesis among annotators, cohesion."""
    from caesura.metrics.agreement import AGREEMENT, PANEL
    from caesura.metrics.cohesion import COHESION

    return METRICS, AGREEMENT, PANEL, COHESION


def metric(text: str, /, **parameters: bool | int | float | str | None) -> Metric:
    """Return the metric that a text names.

    Parameters
    ----------
    text : str
        A name or alias, optionally with parameters: ``"Pk"``, ``"WindowDiff(k=5)"``, ``"W-F1"``.
    **parameters
        Parameters beside those of the text: ``metric("Pk", k=3)`` is ``metric("Pk(k=3)")``.

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
    >>> str(metric("W-F1")), str(metric("Pk", k=3))
    ('BoundaryF1(tolerance=1)', 'Pk(k=3)')
    """
    known = METRICS.remembered(text) if not parameters and isinstance(text, str) else None
    return parse_metric(text, None, parameters) if known is None else known


def parse_metric(
    text: str, defaults: Mapping[str, Mapping[str, Any]] | None = None, parameters: Mapping[str, Any] | None = None
) -> Metric:
    """Return the metric that a text names, of whatever family, with other defaults by metric name."""
    if isinstance(text, str) and text.startswith(_MODEL):  # type: ignore[redundant-expr]
        from caesura.metrics.cohesion.support import Support

        return Support(weights=text.removeprefix(_MODEL))
    text = _called(text) if isinstance(text, str) else text  # type: ignore[redundant-expr]
    name = text.partition("(")[0].strip() if isinstance(text, str) else ""  # type: ignore[redundant-expr]
    family = _family(name) if name else METRICS
    if family is None:
        raise METRICS.unknown(name, [n for each in families() for n in (*each.names(), *each.aliases())])
    found: Metric = family.parse(text, defaults, parameters)
    return found


def spelled(text: str) -> str:
    """Return the text of a metric with its name as it is registered; a text that names none is left as it is.

    >>> spelled("w-f1"), spelled("windowdiff(k=5)"), spelled("ArpPair"), spelled("CovN [short]")
    ('W-F1', 'WindowDiff(k=5)', 'ARPpair', 'CovN [short]')
    >>> spelled("F1 (10s)"), spelled("F1 (2)")  # as tables and answers name boundary F1 within a tolerance
    ("BoundaryF1(tolerance='10s')", 'BoundaryF1(tolerance=2)')
    """
    text = _called(text)
    family = _family(text.partition("(")[0].strip())
    return text if family is None else family.spelled(text)


def listed_metrics(metrics: Iterable[str | Metric] | str | Metric, known: Iterable[str] = ()) -> list[str | Metric]:
    """Return metrics as a list: one, or several, or texts with several names between commas, each as it is registered.

    Names that are ``known`` otherwise, to a profile, are left to it.

    >>> listed_metrics("pk, WindowDiff(k=5, edge='lamprier'),b")
    ['Pk', "WindowDiff(k=5, edge='lamprier')", 'B']
    """
    items = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    texts = [split_names(item) or [item] if isinstance(item, str) else [item] for item in items]
    names = tuple(known)
    return [
        (in_any_case(item, names) or spelled(item)) if isinstance(item, str) else item
        for each in texts
        for item in each
    ]


def _called(text: str) -> str:
    """Return the call that a text means: that of boundary F1, if it is the name under which that is printed."""
    printed = _PRINTED.fullmatch(text)
    if printed is None:
        return text
    return f"BoundaryF1(tolerance={printed[1] if printed[1].isdecimal() else repr(printed[1])})"


def _family(name: str) -> Registry[Any] | None:
    """Return the family that has a metric of this name, or None."""
    return METRICS if name in METRICS else next((family for family in families() if name in family), None)
