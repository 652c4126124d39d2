# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals of the scores of an evaluation: documents resampled, counts multiplied, nothing read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from caesura.errors import DeclarationError
from caesura.results import Ends, number
from caesura.results.base import FEW

if TYPE_CHECKING:
    from caesura.evaluation.measured import Measured
    from caesura.metrics.base import Floats
    from caesura.statistics import Interval
    from caesura.statistics.moments import Estimate

__all__ = [
    "DRAWS",
    "PERMUTATIONS",
    "by_normal_theory",
    "check_evaluated",
    "check_resampling",
    "ends_of",
    "intervals",
    "normal_intervals",
    "uneven_notes",
]

DRAWS = 200
"""The default number of random placements, for chance levels."""
PERMUTATIONS = 9_999
"""The default number of permutations of a test."""
MOST_DRAWS = 1_000_000
"""The maximum number of resamples or permutations; each holds a number for every score."""


def check_evaluated(question: str, evaluation: object) -> None:
    """Refuse what is not the outcome of an evaluation, such as the name of a file."""
    if not hasattr(evaluation, "statistics"):
        raise TypeError(
            f"{question} takes what evaluate returns, not {type(evaluation).__name__}; write {question}(evaluate(gold, systems))"
        )


def intervals(
    evaluation: Measured, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> dict[str, dict[str, Interval]]:
    """Return a bootstrap interval for every score.

    Documents are drawn with replacement, once for all systems and metrics. A macro score of a resample is (W @ score) /
    (W @ defined), a micro score is the score of W @ counts. The documents are those behind the score: for a macro score
    the ones on which every system is defined. Where `by_normal_theory` holds the interval is normal, from the moments of
    the documents: nothing is drawn, and `Interval.resamples` is 0.

    Parameters
    ----------
    evaluation : Evaluation or Cohesion
        Systems that were measured on the same documents.
    resamples : int
        How many times the documents are drawn.
    seed : int
        Of the draws.
    level : float
        Such as 0.95.

    Returns
    -------
    dict of str to dict of str to Interval
        System to metric; the ends are NaN where fewer than two documents count.

    Examples
    --------
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {str(n): Segmentation(9, (4,)) for n in range(8)}
    >>> e = evaluate(reference, {"a": {str(n): Segmentation(9, (4 + n % 2,)) for n in range(8)}}, ["F1"])
    >>> found = intervals(e)["a"]["F1"]
    >>> e.scores["a"]["F1"], 0.5 in found, found.low > 0
    (0.5, True, True)
    """
    check_evaluated("intervals", evaluation)
    from caesura.statistics import Bootstrap
    from caesura.statistics.moments import Joint

    check_resampling(resamples=resamples, level=level, seed=seed)
    if by_normal_theory(evaluation):
        of = evaluation.statistics()
        return normal_intervals(
            evaluation, lambda system, name: Joint.of({system: of[name][system]}).estimate(system), level
        )
    bootstrap = Bootstrap(len(evaluation.documents), resamples, seed, level)
    statistics, replicates = evaluation.statistics(), evaluation.replicates(bootstrap)
    return {
        system: {
            name: bootstrap.interval(replicates[name][system], statistic.documents, statistic.left_out()).within(
                metric.facts().bounds
            )
            for name, metric in evaluation.metrics.items()
            for statistic in [statistics[name][system]]
        }
        for system in evaluation.systems
    }


def normal_intervals(
    measured: Measured, estimate: Callable[[str, str], Estimate], level: float
) -> dict[str, dict[str, Interval]]:
    """Return the normal interval of every score; ``estimate`` gives the score of a system on a metric with its error."""
    return {
        system: {
            name: estimate(system, name).interval(level).within(metric.facts().bounds)
            for name, metric in measured.metrics.items()
        }
        for system in measured.systems
    }


def by_normal_theory(measured: Measured, pairs: Iterable[tuple[str, str]] = ()) -> bool:
    """Say whether normal theory takes the place of resampling: from 20,000 documents on, unless few of them decide.

    Few do if a score, or the difference of one of the ``pairs`` of systems, varies as if fewer than 300 documents contributed
    equally. Beyond 100,000 documents nothing is resampled. Systems that were run several times are always resampled.
    """
    from caesura.statistics.statistic import is_normal

    return not measured.has_runs and is_normal(len(measured.documents), _influences(measured, list(pairs)))


def _influences(measured: Measured, pairs: list[tuple[str, str]]) -> Iterator[Floats]:
    for statistics in measured.statistics().values():
        known = {system: statistic.influences() for system, statistic in statistics.items()}
        yield from known.values()
        yield from (known[first] - known[second] for first, second in pairs)


def uneven_notes(evaluation: Measured) -> list[str]:
    """Name the pooled metrics whose scores a few documents decide: no interval of theirs can be relied on.

    Below ten documents every interval carries a note, and fewer than nine degrees of freedom are as many.
    """
    from caesura.statistics import freedom_of
    from caesura.statistics.statistic import RESAMPLED_TO, are_spread

    if len(evaluation.documents) < FEW:
        return []
    if len(evaluation.documents) > RESAMPLED_TO:
        few = [
            name
            for name, of in evaluation.statistics().items()
            if not all(are_spread(statistic.influences()) for statistic in of.values())
        ]
        return [f"{', '.join(few)}: a few documents dominate, so normal intervals may be wrong"] if few else []
    uneven = [
        name
        for name, of in evaluation.statistics().items()
        if any(
            (left := statistic.left_out()) is not None and np.isfinite(left).all() and freedom_of(left) < FEW - 1
            for statistic in of.values()
        )
    ]
    return [f"{', '.join(uneven)}: a few documents dominate, so intervals may be too narrow"] if uneven else []


def check_resampling(
    *, resamples: object = 1, permutations: object = 1, level: object = 0.95, seed: object = 0
) -> None:
    """Raise if a number of draws, a level or a seed is invalid."""
    from caesura.placements.random import checked_seed

    for name, times in (("resamples", resamples), ("permutations", permutations)):
        if isinstance(times, bool) or not isinstance(times, (int, np.integer)) or not 1 <= times <= MOST_DRAWS:
            raise DeclarationError(f"{name} is {times!r}; it must be a whole number from 1 to {MOST_DRAWS:,}")
    if not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise DeclarationError(f"level is {level!r}; it must lie between 0 and 1, such as 0.95")
    checked_seed(seed)


def ends_of(interval: Interval) -> Ends:
    """Return the ends of an interval, as the results hold them."""
    return Ends(number(interval.low), number(interval.high))
