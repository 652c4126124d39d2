# SPDX-License-Identifier: Apache-2.0
"""Systems compared pair by pair: how large a difference is, whether it can be believed, and what it is made of."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.chance.skill import DRAWS, Expectation, expectations
from caesura.evaluation.comparison.equal_density import EqualDensity, at_equal_density
from caesura.evaluation.intervals import check_resampling, ends_of
from caesura.metrics.base import Floats
from caesura.results import Comparison, Number, as_float, number
from caesura.results.reference import Thresholds
from caesura.statistics import Bootstrap, Exchanged, Permutation, Statistic, holm, paired_effect

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = ["PERMUTATIONS", "compare", "corrected"]

PERMUTATIONS = 9_999
_EQUAL = 1e-12  # below this two scores differ by rounding only


def compare(
    evaluation: Evaluation,
    with_: str | None = None,
    *,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    level: float = 0.95,
    draws: int = DRAWS,
    chance: Mapping[str, Mapping[str, Expectation]] | None = None,
    thresholds: Thresholds | None = None,
) -> list[Comparison]:
    """Compare the systems of an evaluation on each of its metrics.

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
        Metric by metric; all from the same draws.

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
    check_resampling(resamples=resamples, permutations=permutations, level=level)
    pairs = _pairs(list(evaluation.systems), with_)
    thresholds = thresholds or Thresholds()
    made = evaluation.statistics()
    n = len(evaluation.documents)
    bootstrap = Bootstrap(n, resamples, seed, level)
    every = [statistic for row in made.values() for statistic in row.values()]
    replicates = dict(zip(map(id, every), bootstrap.replicates(every), strict=True))
    couples = [(row[first], row[second]) for row in made.values() for first, second in pairs]
    exchanged = iter(Permutation(n, permutations, seed).exchanged(couples))
    if chance is None and draws:
        chance = expectations(evaluation, draws, seed)
    equal = at_equal_density(evaluation, bootstrap)
    bors = {system: _pooled_bor(evaluation, system) for system in evaluation.systems}
    items: list[Comparison] = []
    for name, row in made.items():
        family = [
            _Pair(evaluation, name, pair, bootstrap, thresholds, equal).compared(
                (row[pair[0]], row[pair[1]]),
                (replicates[id(row[pair[0]])], replicates[id(row[pair[1]])]),
                next(exchanged),
                (bors[pair[0]], bors[pair[1]]),
                chance,
            )
            for pair in pairs
        ]
        items += corrected(family)
    return items


def corrected(family: list[Comparison]) -> list[Comparison]:
    """Add the p-values after Holm's correction to the comparisons of one metric."""
    p_values = holm([as_float(item.p) for item in family])
    for item, p in zip(family, p_values, strict=True):
        item.p_corrected, item.family = number(p), sum(not math.isnan(each) for each in p_values)
    return family


@dataclasses.dataclass(frozen=True)
class _Pair:
    """Two systems on one metric, before they are compared."""

    evaluation: Evaluation
    name: str
    systems: tuple[str, str]
    bootstrap: Bootstrap
    thresholds: Thresholds
    equal: EqualDensity | None

    def compared(
        self,
        statistics: tuple[Statistic, Statistic],
        replicates: tuple[Floats, Floats],
        exchanged: Exchanged,
        bors: tuple[float, float],
        chance: Mapping[str, Mapping[str, Expectation]] | None,
    ) -> Comparison:
        """Put together all that is known of the pair; the correction of p comes later."""
        metric = self.evaluation.metrics[self.name]
        ours, theirs = (self.evaluation.aggregates[system][self.name] for system in self.systems)
        difference, documents = ours.score - theirs.score, statistics[0].documents
        with np.errstate(invalid="ignore"):  # infinity less infinity
            differences, gains = replicates[0] - replicates[1], metric.facts().gain(*replicates)
        compared = Comparison(
            metric=self.name,
            first=self.systems[0],
            second=self.systems[1],
            aggregation=ours.aggregation,
            scores=(number(ours.score), number(theirs.score)),
            difference=number(difference),
            interval=ends_of(self.bootstrap.interval(differences, documents)),
            p=number(exchanged.p_value(metric.facts().gain)),
            exact=exchanged.exact,
            p_bootstrap=number(self.bootstrap.p_value(gains, documents)),
            p_corrected=None,
            effect=number(_effect(*statistics)) if ours.aggregation == "macro" else None,
            documents=documents,
            dropped=len(self.evaluation.documents) - documents,
            better=self._better(ours.score, theirs.score),
            bors=(number(bors[0]), number(bors[1])),
            regimes=(self.thresholds.regime(bors[0]), self.thresholds.regime(bors[1])),
        )
        self._add_parts(compared, difference, chance)
        return compared

    def _add_parts(
        self, compared: Comparison, difference: float, chance: Mapping[str, Mapping[str, Expectation]] | None
    ) -> None:
        """Separate density from placement: at equal density where both have scores, else by chance."""
        first, second = self.systems
        by_chance: tuple[Number, Number] | None = None
        if chance is not None:
            density = chance[first][self.name].expected - chance[second][self.name].expected
            # (score_a - E_a) - (score_b - E_b), written so that the two parts add up
            by_chance = (number(density), number(difference - density))
        if self.equal is not None and {first, second} <= self.equal.pairs.keys():
            placement, interval = self.equal.difference(self.name, first, second)
            compared.density, compared.placement = number(difference - placement), number(placement)
            compared.parts_by, compared.placement_interval = "equal density", ends_of(interval)
            compared.by_chance = by_chance
        elif by_chance is not None:
            compared.density, compared.placement = by_chance
            compared.parts_by = "chance"

    def _better(self, ours: float, theirs: float) -> str | None:
        more = self.evaluation.metrics[self.name].facts().gain(ours, theirs)
        if math.isnan(more) or abs(more) <= _EQUAL:
            return None
        return self.systems[0] if more > 0 else self.systems[1]


def _pairs(systems: list[str], with_: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise ComparabilityError(f"{systems[0]!r} is the only system; a comparison needs at least two")
    if with_ is None:
        return list(itertools.combinations(systems, 2))
    if with_ not in systems:
        raise ComparabilityError(f"{with_!r} is not one of the systems; {nearest(with_, systems)}")
    return [(system, with_) for system in systems if system != with_]


def _pooled_bor(evaluation: Evaluation, system: str) -> float:
    pairs = evaluation.pairs[system]
    ref, hyp = int(np.diff(pairs.ref_ptr).sum()), int(np.diff(pairs.hyp_ptr).sum())
    if ref == 0:
        return 1.0 if hyp == 0 else math.inf
    return hyp / ref


def _effect(first: Statistic, second: Statistic) -> float:
    """Return the paired effect of two means over the documents that were compared."""
    # The columns of a mean: score, and whether the document counts.
    kept = first.columns[:, 1] > 0
    return paired_effect(first.columns[kept, 0] - second.columns[kept, 0])
