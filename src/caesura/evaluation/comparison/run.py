# SPDX-License-Identifier: Apache-2.0
"""Systems compared pair by pair: how large a difference is, whether it can be believed, and what it is made of."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping

import numpy as np

from caesura.errors import ComparabilityError
from caesura.evaluation.chance.skill import DRAWS, Expectation, expectations, system_pairs
from caesura.evaluation.chance.verdict import Thresholds
from caesura.evaluation.comparison.equal_density import EqualDensity, at_equal_density
from caesura.evaluation.comparison.report import Comparison, Comparisons
from caesura.evaluation.intervals import check_resampling, statistics_of
from caesura.evaluation.reference.report import Evaluation
from caesura.metrics.base import Floats
from caesura.statistics import Bootstrap, Exchanged, Permutation, Statistic, holm, paired_effect

__all__ = ["Comparison", "Comparisons", "compare"]

PERMUTATIONS = 9_999
_EQUAL = 1e-12  # below this two scores differ by rounding only


def compare(
    evaluation: Evaluation,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    baseline: str | None = None,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    chance: Mapping[str, Mapping[str, Expectation]] | None = None,
    thresholds: Thresholds | None = None,
) -> Comparisons:
    """Compare the systems of an evaluation on each of its metrics.

    Parameters
    ----------
    evaluation : Evaluation
        At least two systems against a reference.
    resamples : int
        Of the documents, for the intervals.
    permutations : int
        For the tests; where all ways to exchange two systems are not more, each is tried once.
    seed : int
        Of all draws.
    baseline : str, optional
        Compare every other system with this one, instead of all pairs.
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
    Comparisons
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
    pairs = _pairs(list(evaluation.systems), baseline)
    thresholds = thresholds or Thresholds()
    made = statistics_of(evaluation)
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
        corrected = holm([item.p for item in family])
        size = sum(not math.isnan(p) for p in corrected)
        items += [
            dataclasses.replace(item, p_corrected=p, family=size)
            for item, p in zip(family, corrected, strict=True)
        ]
    facts = {name: metric.facts() for name, metric in evaluation.metrics.items()}
    targets = {name: fact.perfect for name, fact in facts.items() if fact.direction == "target"}
    return Comparisons(tuple(items), resamples, permutations, seed, level, targets)


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
            scores=(ours.score, theirs.score),
            difference=difference,
            interval=self.bootstrap.interval(differences, documents),
            p=exchanged.p_value(metric.facts().gain),
            exact=exchanged.exact,
            p_bootstrap=self.bootstrap.p_value(gains, documents),
            p_corrected=math.nan,
            family=1,
            effect=_effect(*statistics) if ours.aggregation == "macro" else math.nan,
            documents=documents,
            dropped=len(self.evaluation.documents) - documents,
            better=self._better(ours.score, theirs.score),
            bors=bors,
            regimes=(self.thresholds.regime(bors[0]), self.thresholds.regime(bors[1])),
        )
        return self._with_parts(compared, chance)

    def _with_parts(
        self, compared: Comparison, chance: Mapping[str, Mapping[str, Expectation]] | None
    ) -> Comparison:
        """Tell density from placement: at equal density where both have scores, else by chance."""
        first, second = self.systems
        difference, by_chance = compared.difference, None
        if chance is not None:
            density = chance[first][self.name].expected - chance[second][self.name].expected
            # (score_a - E_a) - (score_b - E_b), written so that the two parts add up
            by_chance = (density, difference - density)
        if self.equal is not None and {first, second} <= self.equal.systems:
            placement, interval = self.equal.difference(self.name, first, second)
            return dataclasses.replace(
                compared,
                density=difference - placement,
                placement=placement,
                parts_by="equal density",
                placement_interval=interval,
                by_chance=by_chance,
            )
        if by_chance is None:
            return compared
        return dataclasses.replace(compared, density=by_chance[0], placement=by_chance[1], parts_by="chance")

    def _better(self, ours: float, theirs: float) -> str | None:
        more = self.evaluation.metrics[self.name].facts().gain(ours, theirs)
        if math.isnan(more) or abs(more) <= _EQUAL:
            return None
        return self.systems[0] if more > 0 else self.systems[1]


def _pairs(systems: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise ComparabilityError(f"{systems[0]!r} is the only system; a comparison needs at least two")
    if baseline is None:
        return list(itertools.combinations(systems, 2))
    if baseline not in systems:
        raise ComparabilityError(f"the baseline {baseline!r} is no system; there are {', '.join(systems)}")
    return [(system, baseline) for system in systems if system != baseline]


def _pooled_bor(evaluation: Evaluation, system: str) -> float:
    pairs = system_pairs(evaluation, system)
    ref, hyp = int(np.diff(pairs.ref_ptr).sum()), int(np.diff(pairs.hyp_ptr).sum())
    if ref == 0:
        return 1.0 if hyp == 0 else math.inf
    return hyp / ref


def _effect(first: Statistic, second: Statistic) -> float:
    """Return the paired effect of two means over the documents that were compared."""
    # The columns of a mean: score, and whether the document counts.
    kept = first.columns[:, 1] > 0
    return paired_effect(first.columns[kept, 0] - second.columns[kept, 0])
