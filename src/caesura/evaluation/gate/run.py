# SPDX-License-Identifier: Apache-2.0
"""Gates: limits that scores must reach, and drops since an earlier run. The caller decides on the exit code."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caesura.errors import DeclarationError, MetricError
from caesura.evaluation.gate.drops import add_drops, weightiest
from caesura.evaluation.intervals import PERMUTATIONS
from caesura.metrics import spelled
from caesura.metrics.profiles import under_profile
from caesura.results import number
from caesura.results.gate.facts import Breach, Gates

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["Gate", "gate"]


@dataclasses.dataclass(frozen=True)
class Gate:
    """A score that every system must reach: the minimum if higher is better, the maximum if lower is better.

    For a metric with a target, the limit is the maximum distance from it.
    """

    metric: str
    limit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", spelled(self.metric))
        limit: object = self.limit
        if isinstance(limit, bool) or not isinstance(limit, (int, float, np.number)) or not np.isfinite(self.limit):
            raise DeclarationError(f"gate {self.metric!r}: the limit is {limit!r}; it must be a number")

    @classmethod
    def parse(cls, text: str) -> Gate:
        """Read ``METRIC=NUMBER``; the number follows the last equals sign.

        >>> Gate.parse("WindowDiff(k=5)=0.3")
        Gate(metric='WindowDiff(k=5)', limit=0.3)
        """
        metric, _, value = text.rpartition("=")
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if not metric.strip() or not math.isfinite(limit):
            raise DeclarationError(f"gate {text!r} is not METRIC=NUMBER, such as W-F1=0.60")
        return cls(metric.strip(), limit)

    def __str__(self) -> str:
        """Return the text from which `parse` creates the gate."""
        return f"{self.metric}={self.limit:g}"


def gate(
    evaluation: Evaluation,
    minimum: Mapping[str, float] | Iterable[str | Gate] = (),
    *,
    last: str | Path | None = None,
    max_drop: float = 0.0,
    alpha: float = 0.05,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Gates:
    """Check limits on scores, and drops since an earlier results file.

    Parameters
    ----------
    evaluation : Evaluation
        Must hold the metric of each limit.
    minimum : mapping of metric to number, or iterable of "METRIC=NUMBER"
        The minimum score if higher is better, the maximum if lower is better; for a metric with a target, the maximum
        distance from it. Every system must reach it.
    last : path, optional
        An earlier results file, with its counts next to it.
    max_drop : float
        The maximum decline of a score since the earlier file.
    alpha : float
        A drop is a breach only if it is significant at this level.
    permutations, seed : int
        Number of permutations and random seed of the test.

    Returns
    -------
    Gates
        ``breaches`` is empty if everything passed.

    Examples
    --------
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (5,))}
    >>> e = evaluate(reference, {"a": {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (2,))}}, ["F1"])
    >>> [str(breach) for breach in gate(e, {"F1": 0.6}).breaches]
    ['a, F1: is 0.500, must be at least 0.6; most weight: d2']
    """
    limits = [Gate(*pair) for pair in minimum.items()] if isinstance(minimum, Mapping) else list(minimum)
    gates = [item if isinstance(item, Gate) else Gate.parse(item) for item in limits]
    _check(gates, last, max_drop)
    outcome = Gates(limits={item.metric: item.limit for item in gates}, breaches=_below(evaluation, gates))
    if last is not None:
        outcome.last, outcome.max_drop, outcome.alpha = Path(last).name, max_drop, alpha
        add_drops(outcome, evaluation, last, max_drop, alpha, permutations, seed)
    return outcome


def _check(gates: Sequence[Gate], last: str | Path | None, max_drop: float) -> None:
    """Refuse gates that would let everything pass."""
    if last is None and max_drop:
        raise DeclarationError(f"max_drop is {max_drop!r}, but there is no earlier results file; give last")
    if last is None and not gates:
        raise DeclarationError("a gate needs a limit, such as {'W-F1': 0.6}, or an earlier results file (last)")


def _below(evaluation: Evaluation, gates: Iterable[Gate]) -> list[Breach]:
    """Return the limits that a system does not reach."""
    breaches: list[Breach] = []
    for item in gates:
        name = _metric_of(evaluation, item)
        metric = evaluation.metrics[name]
        for system, row in evaluation.scores.items():
            if evaluation.systems[system].baseline or metric.facts().reaches(row[name], item.limit):
                continue
            statistic = evaluation.statistics()[name][system]
            better = metric.facts().gain(statistic.without(), np.array(statistic.value))
            is_now = "is not defined" if math.isnan(row[name]) else f"is {row[name]:.3f}"
            breaches.append(
                Breach(
                    system=system,
                    metric=name,
                    score=number(row[name]),
                    message=f"{is_now}, must be {metric.facts().demand(item.limit)}",
                    documents=weightiest(better, evaluation.drawn_documents),
                    limit=item.limit,
                )
            )
    return breaches


def _metric_of(evaluation: Evaluation, gate: Gate) -> str:
    """Return the name under which the metric of a gate was evaluated: the same text, or the same metric."""
    if gate.metric in evaluation.metrics:
        return gate.metric
    wanted = under_profile(gate.metric, evaluation.profile)
    for name, metric in evaluation.metrics.items():
        if metric == wanted:
            return name
    raise MetricError(f"gate {gate}: {gate.metric} was not evaluated; add it (-m) to {', '.join(evaluation.metrics)}")
