# SPDX-License-Identifier: Apache-2.0
"""Pairwise comparison of systems: the size and significance of each difference, and the part that density explains."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.compare.paired import Drawn, Normal, compared, settled, tests_of
from caesura.evaluation.compare.standing import best_of, standing
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import DRAWS, PERMUTATIONS, check_evaluated, check_resampling, ends_of
from caesura.evaluation.measured import Measured
from caesura.evaluation.measurement import ShownList
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.metrics.profiles import Profile
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Comparison, Number, Resampling, Skill, Standing, as_float, number
from caesura.results.evaluate.verdict import Thresholds
from caesura.statistics import Bootstrap, Interval
from caesura.statistics.moments import Joint

if TYPE_CHECKING:
    from caesura.evaluation.referenced import Referenced

__all__ = ["MOST_PAIRS", "Compared", "compare", "compare_and_rank"]

MOST_PAIRS = 1_000
"""If there are more pairs of systems, only those of the best system on each metric are compared."""


def compare(
    evaluation: Referenced,
    with_: str | None = None,
    *,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    level: float = 0.95,
    draws: int = DRAWS,
    thresholds: Thresholds | None = None,
) -> ShownList[Comparison]:
    """Compare the systems of an evaluation on each of its metrics.

    With very many documents, intervals and p-values follow normal theory, from the moments of the documents
    (`caesura.evaluation.intervals.by_normal_theory`). Baselines are compared with systems, not with each other; their
    p-values are corrected separately, so that adding a baseline changes no other comparison. If there are more than 1,000
    pairs of systems, those of the best system on each metric are compared, and p is corrected for the number of all pairs.

    Parameters
    ----------
    evaluation : Evaluation or PanelEvaluation
        At least two systems against a reference, or against annotators.
    with_ : str, optional
        Compare every other system with this one, instead of all pairs.
    resamples : int
        Number of bootstrap resamples of the documents, for the intervals.
    permutations : int
        Number of permutations of each test; if there are no more in all, each is used once.
    seed : int
        Random seed.
    level : float
        Confidence level of the intervals.
    draws : int
        Random placements for the density and placement parts by chance; 0 leaves these out.
    thresholds : Thresholds, optional
        The limits of the regimes; BOR 0.8 and 1.2 if not given.

    Returns
    -------
    list of Comparison
        Metric by metric, printed as a table; all from the same draws. A system is named as better only if p is below 0.05 after correction.

    Examples
    --------
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {str(n): Segmentation(9, (4,)) for n in range(6)}
    >>> wrong = {key: Segmentation(9, (7,)) for key in reference}
    >>> found = compare(evaluate(reference, {"a": reference, "b": wrong}, ["F1"]))[0]
    >>> found.difference, found.p, found.better  # 2 of the 2**6 ways to exchange them
    (1.0, 0.03125, 'a')
    """
    check_evaluated("compare", evaluation)
    comparisons, standings, resampling = compare_and_rank(
        evaluation, with_, resamples=resamples, permutations=permutations, seed=seed, level=level, draws=draws,
        thresholds=thresholds,
    )  # fmt: skip
    answers = dataclasses.replace(
        evaluation.answers, comparisons=comparisons, standings=standings, comparison_resampling=resampling
    )
    return ShownList(comparisons).shown_by(evaluation, "Comparison", answers)


class Compared(NamedTuple):
    """Comparisons, the best system on each metric, and the settings of the resampling."""

    comparisons: list[Comparison]
    standings: dict[str, Standing] | None
    resampling: Resampling


def compare_and_rank(
    evaluation: Referenced,
    with_: str | None,
    *,
    resamples: int,
    permutations: int,
    seed: int,
    level: float,
    draws: int,
    thresholds: Thresholds | None,
) -> Compared:
    """Compare the systems, and rank them on each metric unless they are all compared with one."""
    check_resampling(resamples=resamples, permutations=permutations, level=level, seed=seed)
    baselines = {name for name, source in evaluation.systems.items() if source.baseline}
    pairs = _pairs(list(evaluation.systems), with_, baselines)
    bootstrap = Bootstrap(len(evaluation.documents), resamples, seed, level)
    of = 0 if with_ is not None else sum(baselines.isdisjoint(pair) for pair in pairs)
    with_best = (
        _with_best(evaluation, pairs, baselines) if of > MOST_PAIRS else dict.fromkeys(evaluation.metrics, pairs)
    )
    tested = list(dict.fromkeys(pair for each in with_best.values() for pair in each))
    tests = tests_of(evaluation, tested, bootstrap, permutations)
    chance = evaluation.expectations(draws, seed) if draws else None
    comparer = _Comparer(evaluation, tests, bootstrap, thresholds or Thresholds(), chance)
    items: list[Comparison] = []
    standings: dict[str, Standing] = {}
    for name, metric in evaluation.metrics.items():
        comparisons = [comparer.compare(name, pair) for pair in with_best[name]]
        systems = [item for item in comparisons if baselines.isdisjoint({item.first, item.second})]
        settled(systems, of if of > MOST_PAIRS else 0)
        settled([item for item in comparisons if not baselines.isdisjoint({item.first, item.second})])
        items += comparisons
        if with_ is None and systems:
            rivals = [system for system in evaluation.systems if system not in baselines]
            scores = {system: evaluation.aggregates[system][name].score for system in rivals}
            ranked = standing(metric.facts(), scores, tests.replicates(name, rivals), systems)
            standings.update({} if ranked is None else {name: ranked})
    return Compared(items, standings or None, tests.resampling)


class _Comparer:
    """The data shared by all comparisons of an evaluation."""

    def __init__(
        self,
        evaluation: Referenced,
        tests: Drawn | Normal,
        bootstrap: Bootstrap,
        thresholds: Thresholds,
        chance: Mapping[str, Mapping[str, Skill]] | None,
    ) -> None:
        self.evaluation, self.tests, self.thresholds, self.chance = evaluation, tests, thresholds, chance
        self.equal = _at_equal_density(evaluation, bootstrap, normal=isinstance(tests, Normal))
        self.bors = evaluation.bors()

    def compare(self, name: str, systems: tuple[str, str]) -> Comparison:
        """Compare two systems on one metric; the correction of p comes later."""
        first, second = systems
        found = compared(self.evaluation, self.tests, name, first, second, len(self.evaluation.documents))
        bors = self.bors[first], self.bors[second]
        found.bors = number(bors[0]), number(bors[1])
        found.regimes = self.thresholds.regime(bors[0]), self.thresholds.regime(bors[1])
        # Separate density from placement: at equal density if both systems have scores, else by chance.
        difference = as_float(found.difference)
        by_chance: tuple[Number, Number] | None = None
        if self.chance is not None:
            density = as_float(self.chance[first][name].expected) - as_float(self.chance[second][name].expected)
            # (score_a - E_a) - (score_b - E_b), computed so that the two parts add up
            by_chance = (number(density), number(difference - density))
        if self.equal is not None and {first, second} <= self.equal.pairs.keys():
            placement, interval = self.equal.difference(name, first, second)
            found.density, found.placement = number(difference - placement), number(placement)
            found.parts_by, found.placement_interval = "equal density", ends_of(interval)
            found.by_chance = by_chance
        elif by_chance is not None:
            found.density, found.placement = by_chance
            found.parts_by = "chance"
        return found


def _pairs(systems: list[str], with_: str | None, baselines: set[str]) -> list[tuple[str, str]]:
    """Return the pairs of systems to compare: never two baselines."""
    if len(systems) < 2:
        raise ComparabilityError(f"{systems[0]!r} is the only system; a comparison needs at least two")
    if with_ is None:
        return [pair for pair in itertools.combinations(systems, 2) if not baselines.issuperset(pair)]
    # A baseline that knows the reference's density is shown as "even (oracle)", and may be named without the suffix.
    other = f"{with_} (oracle)" if f"{with_} (oracle)" in systems else with_
    if other not in systems:
        raise ComparabilityError(f"{with_!r} is not one of the systems; {nearest(with_, systems)}")
    pairs = ((system, other) for system in systems if system != other)
    return [pair for pair in pairs if not baselines.issuperset(pair)]


def _with_best(
    evaluation: Referenced, pairs: list[tuple[str, str]], baselines: set[str]
) -> dict[str, list[tuple[str, str]]]:
    """Return the pairs of the best system on each metric, and those with a baseline."""
    chosen: dict[str, list[tuple[str, str]]] = {}
    for name, metric in evaluation.metrics.items():
        scores = {system: row[name] for system, row in evaluation.scores.items() if system not in baselines}
        best = best_of(metric.facts(), scores)
        chosen[name] = [pair for pair in pairs if best in pair or not baselines.isdisjoint(pair)]
    return chosen


@dataclasses.dataclass(frozen=True)
class _EqualDensity(Measured):
    """Systems at the density of the reference, measured like the evaluation.

    ``pairs`` hold the reference with each reselected system.
    """

    systems: Mapping[str, Source]
    metrics: Mapping[str, PairwiseMetric]
    documents: Sequence[str]
    unit: str
    by: Aggregation | None
    pairs: Mapping[str, Pairs]
    bootstrap: Bootstrap
    profile: Profile
    normal: bool = False

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document."""
        request = self.metrics[metric].request(self.unit)
        if (system, request) not in self._counts:
            self._counts[system, request] = request.count(self.profile.arranged(self.pairs[system]))
        return self._counts[system, request][:, self.metrics[metric].places(request)]

    @functools.cached_property
    def _counts(self) -> dict[tuple[str, Request], Floats]:
        return {}

    @functools.cached_property
    def _replicates(self) -> dict[str, dict[str, Floats]]:
        return self.replicates(self.bootstrap)

    def difference(self, metric: str, first: str, second: str) -> tuple[float, Interval]:
        """Return the difference of two systems at equal density, and its interval."""
        statistics = self.statistics()[metric]
        value = statistics[first].value - statistics[second].value
        if self.normal:
            joint = Joint.of({system: statistics[system] for system in (first, second)})
            return value, joint.between(first, second, operator.sub).interval(self.bootstrap.level)
        replicates = self._replicates[metric]
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            spread = replicates[first] - replicates[second]
        return value, self.bootstrap.interval(spread, statistics[first].documents)


def _at_equal_density(evaluation: Referenced, bootstrap: Bootstrap, *, normal: bool = False) -> _EqualDensity | None:
    """Reselect every system that has scores, each document with the reference's number of boundaries.

    The best gaps are taken, without spacing; ties go to the earlier gap. Systems that lack the scores of a document are left
    out; the result is None if fewer than two systems have scores. Intervals are resampled, or ``normal``.

    >>> from caesura.corpus import Corpus, Document
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> made = lambda scores, gaps: Corpus(
    ...     [Document(id="d", n_units=5, scores=scores, segmentation=Segmentation(5, gaps))]
    ... )
    >>> e = evaluate({"d": Segmentation(5, (2,))}, {"a": made((0, 9, 1, 1), (1, 2, 3)), "b": made((9, 0, 1, 1), (1,))}, ["F1"])
    >>> _at_equal_density(e, Bootstrap(1, 10, 0)).difference("F1", "a", "b")[0]
    1.0
    """
    again = {system: evaluation.reselected(system) for system in evaluation.systems}
    selected = {system: pairs for system, pairs in again.items() if pairs is not None}
    if len(selected) < 2:
        return None
    return _EqualDensity(
        systems={system: evaluation.systems[system] for system in selected},
        metrics=cast("Mapping[str, PairwiseMetric]", evaluation.metrics),
        documents=evaluation.documents,
        unit=evaluation.unit,
        by=evaluation.by,
        pairs=selected,
        bootstrap=bootstrap,
        profile=find_profile(evaluation.profile),
        normal=normal,
    )
