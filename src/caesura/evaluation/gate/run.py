# SPDX-License-Identifier: Apache-2.0
"""Gates: limits that scores must reach, and drops since an earlier run. The caller decides on the exit code."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Ints
from caesura.corpus import drawing_order
from caesura.declare import parameters
from caesura.errors import ComparabilityError, DeclarationError, FormatError, MetricError
from caesura.evaluation.intervals import PERMUTATIONS, check_evaluated, check_resampling
from caesura.files import readable
from caesura.metrics import spelled
from caesura.metrics.base import Floats
from caesura.metrics.profiles import under_profile
from caesura.results import CountTables, Results, as_float, number, read_results, stored_counts
from caesura.results.gate.facts import Breach, Drop, Gates
from caesura.statistics import Exchanged, Permutation, Statistic
from caesura.statistics.moments import Joint
from caesura.statistics.statistic import is_normal

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["Gate", "gate"]

_NAMED = 3  # documents named with a breach
_OF_THE_CORPUS = frozenset({"docs", "undefined", "dropped", "missing", "caesura"})


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
    check_evaluated("gate", evaluation)
    limits = [Gate(*pair) for pair in minimum.items()] if isinstance(minimum, Mapping) else list(minimum)
    gates = [item if isinstance(item, Gate) else Gate.parse(item) for item in limits]
    # What would let everything pass is refused.
    if last is None and max_drop:
        raise DeclarationError(f"max_drop is {max_drop!r}, but there is no earlier results file; give last")
    if last is None and not gates:
        raise DeclarationError("a gate needs a limit, such as {'W-F1': 0.6}, or an earlier results file (last)")
    outcome = Gates(limits={item.metric: item.limit for item in gates}, breaches=_below(evaluation, gates))
    if last is None:
        return outcome
    check_resampling(permutations=permutations)
    if not 0 < alpha < 1 or not 0 <= max_drop < math.inf:
        raise DeclarationError(
            f"max_drop is {max_drop:g}, alpha {alpha:g}; max_drop is at least 0, alpha lies between 0 and 1"
        )
    outcome.last, outcome.max_drop, outcome.alpha = readable(Path(last).name), max_drop, alpha
    _add_drops(outcome, evaluation, _Earlier.read(last), permutations, seed)
    return outcome


def _add_drops(found: Gates, evaluation: Evaluation, earlier: _Earlier, permutations: int, seed: int) -> None:
    """Compare an evaluation with an earlier one of the same systems, document by document."""
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
        worse = evaluation.metrics[name].facts().gain
        p = _normal_p(old, new, worse) if swaps is None else swaps.p_value(worse, "greater")
        drop = worse(old.value, new.value)
        found.drops.append(
            Drop(
                system=system, metric=name, before=number(old.value), now=number(new.value), drop=number(drop),
                p=number(p), documents=new.documents,
            )
        )  # fmt: skip
        if math.isnan(drop):
            found.notes.append(f"{system}, {name}: not defined on the common documents, then or now; not compared")
        if drop > as_float(found.max_drop) and p <= as_float(found.alpha):
            message = (
                f"{old.value:.3f} before, {new.value:.3f} now: worse by {drop:.3f}, more than {found.max_drop:g} "
                f"(one-sided p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {new.documents} documents)"
            )
            named = _weightiest(drop - worse(old.without(), new.without()), documents)
            found.breaches.append(
                Breach(
                    system=system, metric=name, score=number(new.value), message=message, documents=named, kind="drop",
                    limit=found.max_drop, before=number(old.value), drop=number(drop), p=number(p),
                )
            )  # fmt: skip
    if not found.compared:
        # What compared nothing would let everything pass.
        raise ComparabilityError(
            f"{earlier.path}: no score can be compared with it, since none is defined on the common documents then and "
            "now; evaluate again with -o"
        )


def _normal_p(old: Statistic, new: Statistic, worse: Callable[[float, float], float]) -> float:
    """Return the p-value of a drop by normal theory of paired differences, from the moments of the documents."""
    joint = Joint.of({"old": old, "new": new})
    return joint.between("old", "new", lambda one, other: float(worse(one, other))).p_greater


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
                    documents=_weightiest(better, evaluation.drawn_documents),
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


def _weightiest(weights: Floats, documents: Iterable[str]) -> list[str]:
    """Return the documents whose removal would help most; a single document is always named."""
    names = list(documents)
    if len(names) == 1:
        return names
    order = np.argsort(-np.where(np.isnan(weights), -np.inf, weights), kind="stable")[:_NAMED]
    return [names[place] for place in order if weights[place] > 1e-12]
