# SPDX-License-Identifier: Apache-2.0
"""Drops: scores that are significantly worse than in an earlier results file."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Ints
from caesura.corpus import drawing_order
from caesura.declare import parameters
from caesura.errors import ComparabilityError, DeclarationError, FormatError
from caesura.evaluation.intervals import check_resampling
from caesura.metrics.base import Floats
from caesura.metrics.card import MetricCard
from caesura.results import CountTables, Results, number, read_results, stored_counts
from caesura.results.gate.facts import Breach, Drop, Gates
from caesura.statistics import Exchanged, Permutation, Statistic
from caesura.statistics.moments import Joint
from caesura.statistics.normal import is_normal

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["add_drops", "weightiest"]

NAMED = 3
"""The number of documents named with a breach."""

_OF_THE_CORPUS = frozenset({"docs", "undefined", "dropped", "missing", "caesura"})


def add_drops(
    found: Gates, evaluation: Evaluation, last: str | Path, max_drop: float, alpha: float, permutations: int, seed: int
) -> None:
    """Compare an evaluation with an earlier one of the same systems, document by document."""
    check_resampling(permutations=permutations)
    if not 0 < alpha < 1 or not 0 <= max_drop < math.inf:
        raise DeclarationError(
            f"max_drop is {max_drop:g}, alpha {alpha:g}; max_drop is at least 0, alpha lies between 0 and 1"
        )
    earlier = _Earlier.read(last)
    keys, found.notes = _common(evaluation, earlier)
    rows, others = _common_rows(evaluation.documents, earlier)
    if len(rows) < max(len(evaluation.documents), len(earlier.documents)):
        found.notes.append(
            f"{len(rows)} documents are in both; {len(evaluation.documents) - len(rows)} are new, "
            f"{len(earlier.documents) - len(rows)} are gone"
        )

    def couple(key: tuple[str, str]) -> tuple[Statistic, Statistic]:
        """Return a score then and now."""
        then = earlier.counts(*key, evaluation.stored(key[1])[1])
        return _couple(evaluation, key[1], evaluation.counts(*key)[rows], then[others])

    documents = [evaluation.documents[row] for row in rows.tolist()]
    found.normal = is_normal(len(rows), (old.influences() - new.influences() for old, new in map(couple, keys)))
    # One (system, metric) at a time, since there may be very many documents.
    couples: Iterable[tuple[Statistic, Statistic]] = map(couple, keys)
    exchanged: Iterable[Exchanged | None] = [None] * len(keys)
    if not found.normal:
        couples = list(couples)
        exchanged = Permutation(len(rows), permutations, seed).exchanged(couples)
    for (system, name), (old, new), swaps in zip(keys, couples, exchanged, strict=True):
        facts = evaluation.metrics[name].facts()
        worse = facts.gain
        p = _normal_p(old, new, facts) if swaps is None else swaps.p_value(worse, "greater")
        drop = worse(old.value, new.value)
        found.drops.append(
            Drop(
                system=system, metric=name, before=number(old.value), now=number(new.value), drop=number(drop),
                p=number(p), documents=new.documents,
            )
        )  # fmt: skip
        if math.isnan(drop):
            found.notes.append(f"{system}, {name}: not defined on the common documents, then or now; not compared")
        if drop > max_drop and p <= alpha:
            p_text = "< 0.001" if p < 0.001 else f"= {p:.3f}"
            message = (
                f"{old.value:.3f} before, {new.value:.3f} now: worse by {drop:.3f}, "
                f"more than {max_drop:g} (one-sided p {p_text}, {new.documents} documents)"
            )
            named = weightiest(drop - worse(old.without(), new.without()), documents)
            found.breaches.append(
                Breach(
                    system=system,
                    metric=name,
                    score=number(new.value),
                    message=message,
                    documents=named,
                    kind="drop",
                    limit=max_drop,
                    before=number(old.value),
                    drop=number(drop),
                    p=number(p),
                )
            )


def _normal_p(old: Statistic, new: Statistic, facts: MetricCard) -> float:
    """Return the p-value of a drop by normal theory of paired differences, from the moments of the documents."""
    joint = Joint.of({"old": old, "new": new})
    return joint.between("old", "new", lambda one, other: float(facts.gain(one, other))).p_greater


@dataclasses.dataclass(frozen=True)
class _Earlier:
    """An earlier results file with its counts."""

    path: Path
    results: Results
    documents: list[str]
    tables: CountTables

    @classmethod
    def read(cls, path: str | Path) -> _Earlier:
        results = read_results(path)
        documents, tables = stored_counts(path, results)
        return cls(Path(path), results, documents, tables)

    def counts(self, system: str, name: str, columns: Sequence[str]) -> Floats:
        """Return some columns of the counts behind a metric, one row per document."""
        request, file = self.results.metrics[name].request, self.results.counts
        try:
            known = file.requests[request] if file is not None else []
            table = self.tables[system][request][:, [known.index(column) for column in columns]]
            return table.astype(np.float64)
        except (KeyError, ValueError, IndexError):
            raise FormatError(f"lacks the counts of {system}, {name}; evaluate again with -o", self.path) from None


def _common(evaluation: Evaluation, earlier: _Earlier) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the (system, metric) pairs that both files have with the same recipe, and notes on the others."""
    then = earlier.results
    systems = [name for name in evaluation.systems if name in then.systems]
    metrics = [name for name in evaluation.metrics if name in then.metrics]
    if not systems or not metrics:
        what = "metric" if systems else "system"
        names = (then.metrics, evaluation.metrics) if systems else (then.systems, evaluation.systems)
        theirs, ours = map(", ".join, names)
        raise ComparabilityError(
            f"{earlier.path}: has no {what} in common with this run: {theirs} then, {ours} now; give them the same names"
        )
    lacking = [("system", name) for name in evaluation.systems if name not in systems]
    lacking += [("metric", name) for name in evaluation.metrics if name not in metrics]
    notes = [f"{what} {name}: not in {earlier.path.name}, not compared" for what, name in lacking]
    for system in systems:
        for name in metrics:
            _check_recipe(evaluation, earlier, system, name)
    hashes = {i.sha256 for i in then.inputs if i.role == "reference" and i.sha256}
    if evaluation.reference.sha256 and hashes and evaluation.reference.sha256 not in hashes:
        notes.append("the reference file has changed since; this may explain a drop")
    return [(system, name) for system in systems for name in metrics], notes


def _check_recipe(evaluation: Evaluation, earlier: _Earlier, system: str, name: str) -> None:
    scores = earlier.results.systems[system]
    # A parameter that the older version lacks had its default value.
    defaults = {p.name: "none" if p.default is None else str(p.default) for p in parameters(evaluation.metrics[name])}
    then = defaults | (_recipe(scores[name].signature) if name in scores else {})
    now = _recipe(evaluation.signature(name, system))
    for key in now | then:
        if now.get(key) != then.get(key):
            raise ComparabilityError(
                f"{earlier.path}: {name} was made with {key} {then.get(key, 'not given')}, now with "
                f"{key} {now.get(key, 'not given')}; evaluate both alike"
            )


def _recipe(signature: str) -> dict[str, str]:
    """Return the chosen parameters of a signature, without values resolved from the corpus or the version.

    >>> _recipe("Pk|k:auto=2..4|unit:turn|agg:macro|docs:9|caesura:0.1")
    {'metric': 'Pk', 'k': 'auto', 'unit': 'turn', 'agg': 'macro'}
    """
    name, *fields = signature.split("|")
    recipe = {"metric": name}
    for key, _, value in (field.partition(":") for field in fields):
        if key not in _OF_THE_CORPUS:
            # The part after the equals sign of a parameter was resolved from the data.
            recipe[key] = value if key == "ref" else value.partition("=")[0]
    return recipe


def _common_rows(documents: Sequence[str], earlier: _Earlier) -> tuple[Ints, Ints]:
    """Return the indices of the common documents, now and then, in the order in which they are drawn."""
    order = np.arange(len(documents))[drawing_order(documents)]
    if list(documents) == earlier.documents:
        return order, order
    places = {key: place for place, key in enumerate(earlier.documents)}
    both = [(row, places[documents[row]]) for row in order.tolist() if documents[row] in places]
    if not both:
        raise ComparabilityError(f"{earlier.path}: has no document in common with this run; check the ids")
    rows, others = np.array(both, dtype=np.int64).T
    return rows, others


def _couple(evaluation: Evaluation, name: str, now: Floats, then: Floats) -> tuple[Statistic, Statistic]:
    """Return the score then and now, over the documents on which it is defined both times."""
    metric = evaluation.metrics[name]
    if evaluation.aggregation(name) == "micro":
        return Statistic.pooled(then, metric.score), Statistic.pooled(now, metric.score)
    shared = metric.included(then) & metric.included(now)
    return Statistic.mean(metric.score(then), shared), Statistic.mean(metric.score(now), shared)


def weightiest(weights: Floats, documents: Iterable[str]) -> list[str]:
    """Return the documents whose removal would help most; a single document is always named."""
    names = list(documents)
    if len(names) == 1:
        return names
    order = np.argsort(-np.where(np.isnan(weights), -np.inf, weights), kind="stable")[:NAMED]
    return [names[place] for place in order if weights[place] > 1e-12]
