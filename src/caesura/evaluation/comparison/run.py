# SPDX-License-Identifier: Apache-2.0
"""Systems compared pair by pair: how large a difference is, whether it is significant, and how much of it density explains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.chance.skill import Expectation, expectations
from caesura.evaluation.comparison.equal_density import at_equal_density
from caesura.evaluation.comparison.standing import standing
from caesura.evaluation.intervals import DRAWS, PERMUTATIONS, check_resampling, ends_of
from caesura.metrics.base import Floats
from caesura.metrics.pairwise.bor import BOR
from caesura.results import Comparison, Number, Standing, as_float, number
from caesura.results.comparison import DIFFERENT
from caesura.results.verdict import Thresholds
from caesura.statistics import Bootstrap, Exchanged, Permutation, Statistic, holm, paired_effect

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = ["compare", "compare_and_rank", "corrected"]

_EQUAL = 1e-12  # below this two scores differ by rounding only
Chance = Mapping[str, Mapping[str, Expectation]]


def compare(
    evaluation: Evaluation,
    with_: str | None = None,
    *,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    level: float = 0.95,
    draws: int = DRAWS,
    chance: Chance | None = None,
    thresholds: Thresholds | None = None,
) -> list[Comparison]:
    """Compare the systems of an evaluation on each of its metrics.

    Baselines are compared with the systems, and not with one another; they are corrected apart, so that adding one changes
    no other comparison.

    Parameters
    ----------
    evaluation : Evaluation
        At least two systems against a reference.
    with_ : str, optional
        Compare every other system with this one, instead of all pairs.
    resamples : int
        Of the documents, for the intervals.
    permutations : int
        For the tests; where all ways to exchange two systems are not more, each is tried once.
    seed : int
        Of all draws.
    level : float
        Of the intervals.
    draws : int
        Random placements for the density and placement parts by chance; 0 leaves these out.
    chance : mapping, optional
        What `caesura.evaluation.chance.skill.expectations` returned, if it is at hand.
    thresholds : Thresholds, optional
        Where the regimes begin and end; BOR 0.8 and 1.2 if not given.

    Returns
    -------
    list of Comparison
        Metric by metric; all from the same draws. A system is named as better only if p is below 0.05 after correction.

    Examples
    --------
    >>> from caesura.evaluation import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {str(n): Segmentation(9, (4,)) for n in range(6)}
    >>> wrong = {key: Segmentation(9, (7,)) for key in reference}
    >>> found = compare(evaluate(reference, {"a": reference, "b": wrong}, ["F1"]))[0]
    >>> found.difference, found.p, found.better  # 2 of the 2**6 ways to exchange them
    (1.0, 0.03125, 'a')
    """
    return compare_and_rank(
        evaluation, with_, resamples=resamples, permutations=permutations, seed=seed, level=level, draws=draws,
        chance=chance, thresholds=thresholds,
    )[0]  # fmt: skip


def compare_and_rank(
    evaluation: Evaluation,
    with_: str | None,
    *,
    resamples: int,
    permutations: int,
    seed: int,
    level: float,
    draws: int,
    chance: Chance | None,
    thresholds: Thresholds | None,
) -> tuple[list[Comparison], dict[str, Standing] | None]:
    """Compare the systems, and say which is best on each metric, if all systems were compared with one another."""
    check_resampling(resamples=resamples, permutations=permutations, level=level)
    baselines = {name for name, source in evaluation.systems.items() if source.baseline}
    pairs = _pairs(list(evaluation.systems), with_, baselines)
    statistics = evaluation.statistics()
    n = len(evaluation.documents)
    bootstrap = Bootstrap(n, resamples, seed, level)
    replicates = evaluation.replicates(bootstrap)
    couples = [(row[first], row[second]) for row in statistics.values() for first, second in pairs]
    exchanged = iter(Permutation(n, permutations, seed).exchanged(couples))
    if chance is None and draws:
        chance = expectations(evaluation, draws, seed)
    comparer = _Comparer(evaluation, bootstrap, thresholds or Thresholds(), chance)
    items: list[Comparison] = []
    standings: dict[str, Standing] = {}
    for name, row in statistics.items():
        compared = []
        for first, second in pairs:
            drawn = replicates[name][first], replicates[name][second]
            couple = row[first], row[second]
            compared.append(comparer.compare(name, (first, second), couple, drawn, next(exchanged)))
        with_baseline = [baselines & {item.first, item.second} != set() for item in compared]
        systems = [item for item, is_one in zip(compared, with_baseline, strict=True) if not is_one]
        for family in (systems, [i for i, is_one in zip(compared, with_baseline, strict=True) if is_one]):
            for item in corrected(family):
                # A direction alone is no finding.
                item.better = item.better if as_float(item.p_corrected) < DIFFERENT else None
        items += compared
        if with_ is None and systems:
            rivals = [system for system in evaluation.systems if system not in baselines]
            found = standing(
                evaluation.metrics[name].facts(),
                {system: evaluation.aggregates[system][name].score for system in rivals},
                {system: replicates[name][system] for system in rivals},
                systems,
            )
            standings.update({} if found is None else {name: found})
    return items, standings or None


def corrected(family: list[Comparison]) -> list[Comparison]:
    """Add the p-values after Holm's correction to the comparisons of one metric."""
    p_values = holm([as_float(item.p) for item in family])
    for item, p in zip(family, p_values, strict=True):
        item.p_corrected, item.family = number(p), sum(not math.isnan(each) for each in p_values)
    return family


class _Comparer:
    """What all comparisons of an evaluation share."""

    def __init__(
        self, evaluation: Evaluation, bootstrap: Bootstrap, thresholds: Thresholds, chance: Chance | None
    ) -> None:
        self.evaluation, self.bootstrap, self.thresholds, self.chance = (
            evaluation,
            bootstrap,
            thresholds,
            chance,
        )
        self.equal = at_equal_density(evaluation, bootstrap)
        self.bors = {system: _pooled_bor(pairs) for system, pairs in evaluation.pairs.items()}

    def compare(
        self,
        name: str,
        systems: tuple[str, str],
        statistics: tuple[Statistic, Statistic],
        replicates: tuple[Floats, Floats],
        exchanged: Exchanged,
    ) -> Comparison:
        """Compare two systems on one metric; the correction of p comes later."""
        gain = self.evaluation.metrics[name].facts().gain
        ours, theirs = (self.evaluation.aggregates[system][name] for system in systems)
        difference, documents = ours.score - theirs.score, statistics[0].documents
        with np.errstate(invalid="ignore"):  # infinity less infinity
            differences, gains = replicates[0] - replicates[1], gain(*replicates)
            better_by = gain(ours.score, theirs.score)
        bors = self.bors[systems[0]], self.bors[systems[1]]
        compared = Comparison(
            metric=name,
            first=systems[0],
            second=systems[1],
            aggregation=ours.aggregation,
            scores=(number(ours.score), number(theirs.score)),
            difference=number(difference),
            interval=ends_of(
                self.bootstrap.interval(differences, documents, statistics[0].left_out(statistics[1]))
            ),
            p=number(exchanged.p_value(gain)),
            exact=exchanged.exact,
            p_bootstrap=number(self.bootstrap.p_value(gains, documents)),
            p_corrected=None,
            effect=number(_effect(*statistics)) if ours.aggregation == "macro" else None,
            documents=documents,
            dropped=len(self.evaluation.documents) - documents,
            better=None if not abs(better_by) > _EQUAL else systems[0] if better_by > 0 else systems[1],
            bors=(number(bors[0]), number(bors[1])),
            regimes=(self.thresholds.regime(bors[0]), self.thresholds.regime(bors[1])),
        )
        self._add_parts(compared, difference)
        return compared

    def _add_parts(self, compared: Comparison, difference: float) -> None:
        """Separate density from placement: at equal density where both have scores, else by chance."""
        name, first, second = compared.metric, compared.first, compared.second
        by_chance: tuple[Number, Number] | None = None
        if self.chance is not None:
            density = self.chance[first][name].expected - self.chance[second][name].expected
            # (score_a - E_a) - (score_b - E_b), written so that the two parts add up
            by_chance = (number(density), number(difference - density))
        if self.equal is not None and {first, second} <= self.equal.pairs.keys():
            placement, interval = self.equal.difference(name, first, second)
            compared.density, compared.placement = number(difference - placement), number(placement)
            compared.parts_by, compared.placement_interval = "equal density", ends_of(interval)
            compared.by_chance = by_chance
        elif by_chance is not None:
            compared.density, compared.placement = by_chance
            compared.parts_by = "chance"


def _pairs(systems: list[str], with_: str | None, baselines: set[str]) -> list[tuple[str, str]]:
    """Return who is compared with whom: never two baselines."""
    if len(systems) < 2:
        raise ComparabilityError(f"{systems[0]!r} is the only system; a comparison needs at least two")
    if with_ is None:
        return [pair for pair in itertools.combinations(systems, 2) if not baselines.issuperset(pair)]
    # A baseline that knows the reference's density is shown as "even (oracle)", and may be named without that.
    other = f"{with_} (oracle)" if f"{with_} (oracle)" in systems else with_
    if other not in systems:
        raise ComparabilityError(f"{with_!r} is not one of the systems; {nearest(with_, systems)}")
    pairs = ((system, other) for system in systems if system != other)
    return [pair for pair in pairs if not baselines.issuperset(pair)]


def _pooled_bor(pairs: Pairs) -> float:
    return float(BOR().score(np.array([pairs.ref_ptr[-1], pairs.hyp_ptr[-1]], dtype=np.float64)))


def _effect(first: Statistic, second: Statistic) -> float:
    """Return the paired effect of two means over the documents that were compared."""
    # The columns of a mean: score, and whether the document counts.
    counted = first.columns[:, 1] > 0
    return paired_effect(first.columns[counted, 0] - second.columns[counted, 0])
