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
from caesura.declare import in_any_case, nearest, parameters
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, FormatError, MetricError
from caesura.evaluation.against import EACH
from caesura.evaluation.gate.stored import ALONE, Stored
from caesura.evaluation.intervals import PERMUTATIONS, check_evaluated, check_resampling
from caesura.files import readable
from caesura.metrics import spelled
from caesura.metrics.base import Floats
from caesura.metrics.profiles import under_profile
from caesura.results import CountTables, Results, as_float, number, read_results, stored_counts
from caesura.results.gate.facts import Breach, Drop, Gates, WorstDocument
from caesura.statistics import Exchanged, Permutation, Statistic
from caesura.statistics.distributions import t_cdf
from caesura.statistics.moments import Joint
from caesura.statistics.statistic import is_normal

if TYPE_CHECKING:
    from caesura.evaluation.referenced import Referenced

__all__ = ["Gate", "gate", "gated"]

_NAMED = 3  # documents named with a breach
_OF_THE_CORPUS = frozenset({"docs", "undefined", "dropped", "missing", "caesura", "spans", "left_out", "places"})


@dataclasses.dataclass(frozen=True)
class Gate:
    """A score that every system must reach: the minimum if higher is better, the maximum if lower is better.

    For a metric with a target, the limit is the maximum distance from it. A metric may be named as it is printed: ``F1 (10s)``.
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
    evaluation: Referenced | str | Path,
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
    evaluation : Evaluation, PanelEvaluation, RunEvaluation, or path of a results file
        Must hold the metric of each limit. A results file may be of any question with scores: evaluate, compare, spans, cohesion,
        bench, agree, check.
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
    if isinstance(evaluation, (str, Path)):
        return gated(
            Stored(evaluation), minimum, last=last, max_drop=max_drop, alpha=alpha, permutations=permutations, seed=seed
        )
    check_evaluated("gate", evaluation)
    return gated(evaluation, minimum, last=last, max_drop=max_drop, alpha=alpha, permutations=permutations, seed=seed)


def gated(
    evaluation: Referenced | Stored,
    minimum: Mapping[str, float] | Iterable[str | Gate],
    *,
    last: str | Path | None,
    max_drop: float,
    alpha: float,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Gates:
    """Check limits and drops of scores that were measured now, or stored."""
    limits = [Gate(*pair) for pair in minimum.items()] if isinstance(minimum, Mapping) else list(minimum)
    gates = [item if isinstance(item, Gate) else Gate.parse(item) for item in limits]
    # What would let everything pass is refused.
    if last is None and max_drop:
        raise DeclarationError(f"max_drop is {max_drop!r}, but there is no earlier results file; give last")
    if last is None and not gates:
        raise DeclarationError("a gate needs a limit, such as {'W-F1': 0.6}, or an earlier results file (last)")
    outcome = Gates(
        limits={item.metric: item.limit for item in gates},
        breaches=_below(evaluation, gates),
        worst=_worst(evaluation, [_metric_of(evaluation, item) for item in gates]),
    )
    if last is None:
        return outcome
    if not isinstance(evaluation, Stored) and (evaluation.has_runs or evaluation.against in EACH):
        raise ComparabilityError(
            "an earlier results file has the counts of one run against one reference, so drops are tested for those only; "
            "set limits instead (--min), or give one run and consensus=0.5"
        )
    check_resampling(permutations=permutations)
    if not 0 < alpha < 1 or not 0 <= max_drop < math.inf:
        raise DeclarationError(
            f"max_drop is {max_drop:g}, alpha {alpha:g}; max_drop is at least 0, alpha lies between 0 and 1"
        )
    outcome.last, outcome.max_drop, outcome.alpha = readable(Path(last).name), max_drop, alpha
    earlier = Stored(last) if isinstance(evaluation, Stored) else _Earlier.read(last)
    _add_drops(outcome, evaluation, earlier, permutations, seed)
    return outcome


def _add_drops(
    found: Gates, evaluation: Referenced | Stored, earlier: _Earlier | Stored, permutations: int, seed: int
) -> None:
    """Compare an evaluation with an earlier one of the same systems: document by document, or else as two samples."""
    keys, found.notes = _common(evaluation, earlier)
    rows, others = _common_rows(evaluation.documents, earlier)
    found.unpaired = not len(rows)
    if found.unpaired:
        rows, others = np.arange(len(evaluation.documents)), np.arange(len(earlier.documents))
        if min(len(rows), len(others)) < 2:
            raise ComparabilityError(
                f"{earlier.path}: has no document in common with this run, and two samples need two documents each; check the ids"
            )
        found.notes.append(
            f"no document is in both: the {len(others)} documents then and the {len(rows)} now are compared as two samples, by "
            "Welch's t-test; harder documents may explain a drop"
        )
    elif len(rows) < max(len(evaluation.documents), len(earlier.documents)):
        found.notes.append(
            f"{len(rows)} documents are in both; {len(evaluation.documents) - len(rows)} are new, "
            f"{len(earlier.documents) - len(rows)} are gone"
        )

    untested = {name for each in (evaluation, earlier) if isinstance(each, Stored) for name in each.untested}

    def couple(key: tuple[str, str]) -> tuple[Statistic, Statistic]:
        """Return a score then and now."""
        if key[1] in untested:  # one row, which holds the score of all documents
            return _couple(evaluation, key[1], evaluation.counts(*key)[:1], earlier.counts(*key)[:1])
        then = earlier.counts(*key, evaluation.stored(key[1])[1])
        return _couple(evaluation, key[1], evaluation.counts(*key)[rows], then[others], paired=not found.unpaired)

    documents = [evaluation.documents[row] for row in rows.tolist()]
    found.normal = not (found.unpaired or untested) and is_normal(
        len(rows), (old.influences() - new.influences() for old, new in map(couple, keys))
    )
    # One (system, metric) at a time, since there may be very many documents.
    couples: Iterable[tuple[Statistic, Statistic]] = map(couple, keys)
    exchanged: Iterable[Exchanged | None] = [None] * len(keys)
    if not (found.normal or found.unpaired or untested):
        couples = list(couples)
        exchanged = Permutation(len(rows), permutations, seed).exchanged(couples)
    for (system, name), (old, new), swaps in zip(keys, couples, exchanged, strict=True):
        worse = evaluation.metrics[name].facts().gain
        drop = worse(old.value, new.value)
        if name in untested:
            p = math.nan
        elif found.unpaired:
            p = _welch_p(old, new, drop)
        else:
            p = _normal_p(old, new, worse) if swaps is None else swaps.p_value(worse, "greater")
        found.drops.append(
            Drop(
                system=system, metric=name, before=number(old.value), now=number(new.value), drop=number(drop),
                p=number(p), documents=new.documents,
            )
        )  # fmt: skip
        if math.isnan(drop):
            found.notes.append(f"{system}, {name}: not defined on the common documents, then or now; not compared")
        if drop > as_float(found.max_drop) and (name in untested or p <= as_float(found.alpha)):
            test = f"one-sided p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {new.documents} documents"
            if found.unpaired:
                test = f"{test} now, {old.documents} others then"
            if name in untested:
                test = "not tested: its counts are not beside both files"
            message = f"{old.value:.3f} before, {new.value:.3f} now: worse by {drop:.3f}, more than {found.max_drop:g} ({test})"
            named = _named(old, new, worse, documents, paired=not found.unpaired and name not in untested)
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


def _named(
    old: Statistic, new: Statistic, worse: Callable[[Floats, Floats], Floats], documents: Sequence[str], *, paired: bool
) -> list[str]:
    """Return the documents without which the score would have dropped least."""
    if len(new.columns) != len(documents) or documents == ALONE:
        return []
    without = worse(old.without() if paired else np.array(old.value), new.without())
    return _weightiest(worse(np.array(old.value), np.array(new.value)) - without, documents)


def _welch_p(old: Statistic, new: Statistic, drop: float) -> float:
    """Return the p-value of a drop between two samples of documents: Welch's t-test, of a score of sums to first order.

    >>> old, new = (Statistic.mean(np.array(scores)) for scores in ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 1.0]))
    >>> round(_welch_p(old, new, old.value - new.value), 4)  # scipy.stats.ttest_ind(equal_var=False, alternative="greater")
    0.1164
    """
    variances, sizes = [], [each.documents for each in (old, new)]
    if min(sizes) < 2:
        return math.nan
    for each, size in zip((old, new), sizes, strict=True):
        variances.append(float(np.square(each.influences()).sum()) * size / (size - 1))
    error = math.sqrt(sum(variances))
    if error == 0:
        return 0.0 if drop > 0 else 1.0
    freedom = sum(variances) ** 2 / sum(v**2 / (size - 1) for v, size in zip(variances, sizes, strict=True))
    return 1 - t_cdf(freedom, drop / error)


def _worst(evaluation: Referenced | Stored, metrics: Sequence[str]) -> list[WorstDocument]:
    """Return the three worst documents of each system, by the first metric of a limit, or the first of all."""
    name = next(iter([*metrics, *evaluation.metrics]))
    if len(evaluation.documents) < 2 or (isinstance(evaluation, Stored) and name in evaluation.untested):
        return []
    badness = evaluation.metrics[name].facts().badness
    found = []
    for system in evaluation.systems:
        if not evaluation.systems[system].baseline:
            scores = evaluation.rows(system, name).scores
            if len(scores) != len(evaluation.documents):  # a row is one of several references
                return []
            bad = np.where(np.isnan(scores), -np.inf, badness(scores))
            order = [at for at in np.argsort(-bad, kind="stable")[:_NAMED].tolist() if np.isfinite(bad[at])]
            found += [
                WorstDocument(system=system, document=evaluation.documents[at], metric=name, score=number(scores[at]))
                for at in order
            ]
    return found


def _normal_p(old: Statistic, new: Statistic, worse: Callable[[float, float], float]) -> float:
    """Return the p-value of a drop by normal theory of paired differences, from the moments of the documents."""
    joint = Joint.of({"old": old, "new": new})
    return joint.between("old", "new", lambda one, other: float(worse(one, other))).p_greater


def _below(evaluation: Referenced | Stored, gates: Iterable[Gate]) -> list[Breach]:
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
                    documents=evaluation.heaviest(name)[:_NAMED]
                    if isinstance(evaluation, Stored) and evaluation.documents == ALONE
                    else _weightiest(better, evaluation.drawn_documents),
                    limit=item.limit,
                )
            )
    return breaches


def _metric_of(evaluation: Referenced | Stored, gate: Gate) -> str:
    """Return the name under which the metric of a gate was evaluated: the same text, or the same metric."""
    if gate.metric in evaluation.metrics:
        return gate.metric
    alike = in_any_case(gate.metric, list(evaluation.metrics))
    if alike is not None:
        return alike
    try:
        wanted = under_profile(gate.metric, evaluation.profile)
    except CaesuraError:
        if not isinstance(evaluation, Stored):
            raise
        raise MetricError(
            f"gate {gate}: {evaluation.path} has no {gate.metric}; {nearest(gate.metric, evaluation.metrics)}"
        ) from None
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

    @property
    def systems(self) -> Iterable[str]:
        """The systems of the file."""
        return self.results.systems

    @property
    def metrics(self) -> Iterable[str]:
        """The metrics of the file."""
        return self.results.metrics

    def counts(self, system: str, name: str, columns: Sequence[str] = ()) -> Floats:
        """Return some columns of the counts behind a metric, one row per document."""
        request, file = self.results.metrics[name].request, self.results.counts
        try:
            known = file.requests[request] if file is not None else []
            table = self.tables[system][request][:, [known.index(column) for column in columns]]
            return table.astype(np.float64)
        except (KeyError, ValueError, IndexError):
            raise FormatError(f"lacks the counts of {system}, {name}; evaluate again with -o", self.path) from None


def _common(evaluation: Referenced | Stored, earlier: _Earlier | Stored) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the (system, metric) pairs that both files have with the same recipe, and notes on the others."""
    then = earlier.results
    if (
        isinstance(evaluation, Stored)
        and evaluation.results.question != then.question != "gate" != evaluation.results.question
    ):
        raise ComparabilityError(
            f"{earlier.path}: has results of {then.question!r}, {evaluation.path} of {evaluation.results.question!r}; give two alike"
        )
    systems = [name for name in evaluation.systems if name in earlier.systems]
    metrics = [name for name in evaluation.metrics if name in earlier.metrics]
    if not systems or not metrics:
        what = "metric" if systems else "system"
        names = (earlier.metrics, evaluation.metrics) if systems else (earlier.systems, evaluation.systems)
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
    hashes = {i.sha256 for i in then.inputs if i.role in ("reference", "spans", "documents") and i.sha256}
    gold = evaluation.gold if isinstance(evaluation, Stored) else evaluation.reference.sha256
    if gold and hashes and gold not in hashes:
        notes.append("the reference file has changed since; this may explain a drop")
    return [(system, name) for system in systems for name in metrics], notes


def _check_recipe(evaluation: Referenced | Stored, earlier: _Earlier | Stored, system: str, name: str) -> None:
    scores = earlier.results.systems.get(system, {})
    if isinstance(evaluation, Stored) and name not in scores:
        return
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


def _common_rows(documents: Sequence[str], earlier: _Earlier | Stored) -> tuple[Ints, Ints]:
    """Return the indices of the common documents, now and then, in the order in which they are drawn; there may be none."""
    order = np.arange(len(documents))[drawing_order(documents)]
    if list(documents) == list(earlier.documents):
        return order, order
    places = {key: place for place, key in enumerate(earlier.documents)}
    both = [(row, places[documents[row]]) for row in order.tolist() if documents[row] in places]
    rows, others = np.array(both, dtype=np.int64).reshape(-1, 2).T
    return rows, others


def _couple(
    evaluation: Referenced | Stored, name: str, now: Floats, then: Floats, *, paired: bool = True
) -> tuple[Statistic, Statistic]:
    """Return the score then and now; of pairs, over the documents on which it is defined both times."""
    metric = evaluation.metrics[name]
    if evaluation.aggregation(name) == "micro":
        return Statistic.pooled(then, metric.score), Statistic.pooled(now, metric.score)
    used = metric.included(then), metric.included(now)
    if paired:
        used = used[0] & used[1], used[0] & used[1]
    return Statistic.mean(metric.score(then), used[0]), Statistic.mean(metric.score(now), used[1])


def _weightiest(weights: Floats, documents: Iterable[str]) -> list[str]:
    """Return the documents whose removal would help most; a single document is always named."""
    names = list(documents)
    if len(names) == 1:
        return names
    order = np.argsort(-np.where(np.isnan(weights), -np.inf, weights), kind="stable")[:_NAMED]
    return [names[place] for place in order if weights[place] > 1e-12]
