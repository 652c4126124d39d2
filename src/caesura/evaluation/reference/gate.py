# SPDX-License-Identifier: Apache-2.0
"""Gates: a score that must be reached, and a score that must not have dropped. Nothing here ends a program."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from caesura.errors import ComparabilityError, DeclarationError, FormatError, MetricError
from caesura.evaluation.comparison.run import PERMUTATIONS
from caesura.evaluation.intervals import check_resampling, statistics_of
from caesura.evaluation.reference.report import Evaluation
from caesura.metrics.base import Floats, Metric
from caesura.metrics.profiles import under_profile
from caesura.results import Results, read_counts, read_results
from caesura.statistics import Permutation, Statistic

__all__ = ["Breach", "Drop", "Drops", "Gate", "check_drop", "check_gates"]

NAMED = 3
"""So many documents are named with a breach."""

_OF_THE_CORPUS = frozenset({"docs", "undefined", "dropped", "missing", "caesura"})


@dataclasses.dataclass(frozen=True)
class Gate:
    """A score that every system must reach.

    Attributes
    ----------
    metric : str
        The text of a metric.
    limit : float
        The least score where higher is better, the greatest where lower is better; for a metric with a target the
        greatest distance to it.
    """

    metric: str
    limit: float

    @classmethod
    def parse(cls, text: str) -> Gate:
        """Read ``METRIC=NUMBER``; the number stands behind the last equals sign.

        >>> Gate.parse("WindowDiff(k=5)=0.3")
        Gate(metric='WindowDiff(k=5)', limit=0.3)
        """
        metric, _, number = text.rpartition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if not metric.strip() or not math.isfinite(limit):
            raise DeclarationError(f"gate {text!r} is not METRIC=NUMBER, such as W-F1=0.60")
        return cls(metric.strip(), limit)

    def __str__(self) -> str:
        """Return the text that makes it."""
        return f"{self.metric}={self.limit:g}"

    def demand(self, metric: Metric) -> str:
        """Say what is asked for.

        >>> from caesura.metrics import metric
        >>> Gate("BOR", 0.2).demand(metric("BOR"))
        'within 0.2 of 1'
        """
        return metric.facts().demand(self.limit)

    def passes(self, metric: Metric, score: float) -> bool:
        """Say whether a score is good enough; one that is not defined is not."""
        return metric.facts().reaches(score, self.limit)


@dataclasses.dataclass(frozen=True)
class Breach:
    """A gate that failed.

    Attributes
    ----------
    system, metric : str
        Whose score, and which.
    score : float
        What it is.
    message : str
        What is wrong, in one line.
    documents : tuple of str
        The documents that weigh most: without each of them the score, or the drop, would be better by most.
    """

    system: str
    metric: str
    score: float
    message: str
    documents: tuple[str, ...]

    def __str__(self) -> str:
        """Return the line to print."""
        named = f"; most weight: {', '.join(self.documents)}" if self.documents else ""
        return f"{self.system}, {self.metric}: {self.message}{named}"


@dataclasses.dataclass(frozen=True)
class Drop:
    """How a score has changed for the worse since an earlier run.

    Attributes
    ----------
    system, metric : str
        Whose score, and which.
    before, now : float
        Over the common documents.
    drop : float
        By how much it is worse, by the metric's direction; below 0 it is better.
    p : float
        One-sided, by the paired permutation test.
    documents : int
        The common documents that count.
    """

    system: str
    metric: str
    before: float
    now: float
    drop: float
    p: float
    documents: int


@dataclasses.dataclass(frozen=True)
class Drops:
    """An evaluation beside an earlier one.

    Attributes
    ----------
    items : tuple of Drop
        One for each system and metric that both have.
    breaches : tuple of Breach
        Drops that are larger than allowed, and significant.
    notes : tuple of str
        What was not compared, and what to know of the rest.
    """

    items: tuple[Drop, ...]
    breaches: tuple[Breach, ...]
    notes: tuple[str, ...] = ()


def check_gates(evaluation: Evaluation, gates: Iterable[Gate]) -> list[Breach]:
    """Return the gates that a system fails.

    Parameters
    ----------
    evaluation : Evaluation
        Must hold the metric of each gate.
    gates : iterable of Gate
        What must be reached, by every system.

    Examples
    --------
    >>> from caesura.evaluation import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (5,))}
    >>> e = evaluate(reference, {"a": {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (2,))}}, ["F1"])
    >>> [str(breach) for breach in check_gates(e, [Gate.parse("F1=0.6")])]
    ['a, F1: is 0.500, must be at least 0.6; most weight: d2']
    """
    made: dict[str, dict[str, Statistic]] | None = None
    found: list[Breach] = []
    for gate in gates:
        name = _metric_of(evaluation, gate)
        metric = evaluation.metrics[name]
        for system, row in evaluation.scores.items():
            if gate.passes(metric, row[name]):
                continue
            made = made or statistics_of(evaluation)
            statistic = made[name][system]
            better = metric.facts().gain(statistic.without(), np.array(statistic.value))
            is_now = "is not defined" if math.isnan(row[name]) else f"is {row[name]:.3f}"
            message = f"{is_now}, must be {gate.demand(metric)}"
            named = _weightiest(better, evaluation.documents)
            found.append(Breach(system, name, row[name], message, named))
    return found


def check_drop(
    evaluation: Evaluation,
    last: str | Path,
    max_drop: float = 0.0,
    alpha: float = 0.05,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Drops:
    """Compare an evaluation with an earlier one of the same systems, document by document.

    Parameters
    ----------
    evaluation : Evaluation
        What is now.
    last : path
        An earlier results file, the counts beside it.
    max_drop : float
        How much worse a score may be.
    alpha : float
        A drop counts only if it is significant at this level.
    permutations, seed : int
        Of the test.

    Raises
    ------
    FormatError
        If the file is no results file, or has no counts beside it.
    ComparabilityError
        If nothing can be compared, or a metric was made by another recipe.
    """
    check_resampling(permutations=permutations)
    if not 0 < alpha < 1 or not 0 <= max_drop < math.inf:
        raise DeclarationError(
            f"max_drop is {max_drop:g}, alpha {alpha:g}; max_drop is at least 0, alpha lies between 0 and 1"
        )
    earlier = _Earlier.read(last)
    keys, notes = _common(evaluation, earlier)
    rows, others = _common_rows(evaluation.documents, earlier)
    if len(rows) < max(len(evaluation.documents), len(earlier.documents)):
        notes.append(
            f"{len(rows)} documents are in both; {len(evaluation.documents) - len(rows)} are new, "
            f"{len(earlier.documents) - len(rows)} are gone"
        )
    couples = []
    for system, name in keys:
        now, then = evaluation.counts(system, name), earlier.counts(system, name, _columns(evaluation, name))
        couples.append(_couple(evaluation, name, now[rows], then[others]))
    documents = [evaluation.documents[row] for row in rows]
    items: list[Drop] = []
    breaches: list[Breach] = []
    exchanged = Permutation(len(rows), permutations, seed).exchanged(couples)
    for (system, name), (old, new), swaps in zip(keys, couples, exchanged, strict=True):
        worse = evaluation.metrics[name].facts().gain
        drop = worse(old.value, new.value)
        p = swaps.p_value(worse, "greater")
        items.append(Drop(system, name, old.value, new.value, drop, p, new.documents))
        if math.isnan(drop):
            notes.append(f"{system}, {name}: not defined on the common documents, then or now; not compared")
        if drop > max_drop and p <= alpha:
            message = (
                f"{old.value:.3f} before, {new.value:.3f} now: worse by {drop:.3f}, "
                f"more than {max_drop:g} (p {_p(p)}, {new.documents} documents)"
            )
            named = _weightiest(drop - worse(old.without(), new.without()), documents)
            breaches.append(Breach(system, name, new.value, message, named))
    return Drops(tuple(items), tuple(breaches), tuple(notes))


@dataclasses.dataclass(frozen=True)
class _Earlier:
    """An earlier results file with its counts."""

    path: Path
    results: Results
    documents: list[str]
    tables: Mapping[str, Mapping[str, Floats]]

    @classmethod
    def read(cls, path: str | Path) -> _Earlier:
        """Read it."""
        results = read_results(path)
        documents, tables = read_counts(path, results)
        return cls(Path(path), results, documents, tables)

    def counts(self, system: str, name: str, columns: Sequence[str]) -> Floats:
        """Return some columns of the counts behind a metric, one row per document."""
        request, file = self.results.metrics[name].request, self.results.counts
        try:
            known = file.requests[request] if file is not None else []
            return self.tables[system][request][:, [known.index(column) for column in columns]]
        except (KeyError, ValueError, IndexError):
            raise FormatError(
                f"lacks the counts of {system}, {name}; evaluate again with -o", self.path
            ) from None


def _metric_of(evaluation: Evaluation, gate: Gate) -> str:
    """Return the name under which the metric of a gate was evaluated: the same text, or the same metric."""
    if gate.metric in evaluation.metrics:
        return gate.metric
    wanted = under_profile(gate.metric, evaluation.profile)
    for name, metric in evaluation.metrics.items():
        if metric == wanted:
            return name
    raise MetricError(
        f"gate {gate}: {gate.metric} was not evaluated; ask for it too (-m), "
        f"there are {', '.join(evaluation.metrics)}"
    )


def _common(evaluation: Evaluation, earlier: _Earlier) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the (system, metric) that both have, made by the same recipe, and what is to be said of the others."""
    then = earlier.results
    systems = [name for name in evaluation.systems if name in then.systems]
    metrics = [name for name in evaluation.metrics if name in then.metrics]
    if not systems or not metrics:
        what, ours, theirs = (
            ("system", evaluation.systems, then.systems)
            if not systems
            else ("metric", evaluation.metrics, then.metrics)
        )
        raise ComparabilityError(
            f"{earlier.path}: has no {what} in common with this run: {', '.join(theirs)} then, "
            f"{', '.join(ours)} now; give them the same names"
        )
    notes = [
        f"{what} {name}: not in {earlier.path.name}, not compared"
        for what, names, known in (
            ("system", evaluation.systems, systems),
            ("metric", evaluation.metrics, metrics),
        )
        for name in names
        if name not in known
    ]
    for system in systems:
        for name in metrics:
            _check_recipe(evaluation, earlier, system, name)
    hashes = {i.sha256 for i in then.inputs if i.role == "reference" and i.sha256}
    if evaluation.reference.sha256 and hashes and evaluation.reference.sha256 not in hashes:
        notes.append("the file of the reference has changed since; a drop may be its doing")
    return [(system, name) for system in systems for name in metrics], notes


def _check_recipe(evaluation: Evaluation, earlier: _Earlier, system: str, name: str) -> None:
    scores = earlier.results.systems[system]
    then = _recipe(scores[name].signature) if name in scores else {}
    now = _recipe(evaluation.signature(name, system))
    for key in now | then:
        if now.get(key) != then.get(key):
            raise ComparabilityError(
                f"{earlier.path}: {name} was made with {key} {then.get(key, 'not given')}, now with "
                f"{key} {now.get(key, 'not given')}; evaluate both alike"
            )


def _recipe(signature: str) -> dict[str, str]:
    """Return what was chosen, without what the corpus and the version make of it.

    >>> _recipe("Pk|k:auto=2..4|unit:turn|agg:macro|docs:9|caesura:0.1")
    {'metric': 'Pk', 'k': 'auto', 'unit': 'turn', 'agg': 'macro'}
    """
    name, *fields = signature.split("|")
    found = {"metric": name}
    for key, _, value in (field.partition(":") for field in fields):
        if key not in _OF_THE_CORPUS:
            # Behind the equals sign of a parameter stands what the data made of it.
            found[key] = value if key == "ref" else value.partition("=")[0]
    return found


def _common_rows(documents: Iterable[str], earlier: _Earlier) -> tuple[list[int], list[int]]:
    """Return the places of the documents that both have, now and then."""
    places = {key: place for place, key in enumerate(earlier.documents)}
    both = [(row, places[key]) for row, key in enumerate(documents) if key in places]
    if not both:
        raise ComparabilityError(f"{earlier.path}: has no document in common with this run; check the ids")
    return [row for row, _ in both], [other for _, other in both]


def _columns(evaluation: Evaluation, name: str) -> list[str]:
    """Return the names of the counts that a metric reads, as its kernel calls them."""
    request = evaluation.requests[name]
    return [request.columns[place] for place in evaluation.metrics[name].places(request)]


def _couple(evaluation: Evaluation, name: str, now: Floats, then: Floats) -> tuple[Statistic, Statistic]:
    """Return the score then and now, over the documents on which it is defined both times."""
    metric = evaluation.metrics[name]
    if (evaluation.by or metric.card.aggregation) == "micro":
        return Statistic.pooled(then, metric.score), Statistic.pooled(now, metric.score)
    shared = metric.included(then) & metric.included(now)
    return Statistic.mean(metric.score(then), shared), Statistic.mean(metric.score(now), shared)


def _weightiest(weights: Floats, documents: Iterable[str]) -> tuple[str, ...]:
    """Return the documents whose absence would help most; the only one where there is no other."""
    names = list(documents)
    if len(names) == 1:
        return (names[0],)
    order = np.argsort(-np.where(np.isnan(weights), -np.inf, weights), kind="stable")[:NAMED]
    return tuple(names[place] for place in order if weights[place] > 1e-12)


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
