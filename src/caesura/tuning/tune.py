# SPDX-License-Identifier: Apache-2.0
"""Parameters of a segmenter, chosen on development documents and evaluated on others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, DeclarationError, shareable
from caesura.evaluation.against import one_choice
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.inputs import CorpusLike, read_source, requested_metrics
from caesura.evaluation.measurement import Measurement, environment
from caesura.evaluation.outcome import Outcome, metric_facts
from caesura.metrics.base import Metric
from caesura.metrics.cohesion import CohesionMetric
from caesura.results import Input, Results, number
from caesura.results.tune.facts import Candidate, TuningFacts
from caesura.scorers import Encoding
from caesura.segmenters import Segmenter, segmenter
from caesura.segmenters.others.spec import split_called
from caesura.segmenters.run import run_method
from caesura.statistics.statistic import Statistic
from caesura.table import badness

__all__ = ["Tuned", "settings", "tune"]

FOLDS = 5
MOST = 10_000
"""The maximum number of settings."""

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Tuned(Outcome):
    """The settings tried, the best one, and its score on documents that were not used to choose it."""

    metric: Metric
    facts: TuningFacts
    segmenter: Segmenter
    seed: int
    inputs: tuple[Input, ...] = ()
    against: str = "boundaries"

    def results(self) -> Results:
        """Return everything as typed data."""
        return Results(
            question="tune", caesura=__version__, seed=self.seed, environment=environment(), inputs=list(self.inputs), tuning=self.facts,
            against=self.against,
            metrics={self.facts.metric: metric_facts(self.metric)},
        )  # fmt: skip

    def size(self) -> str:
        """Return a summary with the number of settings tried."""
        return f" of {len(self.facts.tried)} settings"


def settings(method: str, tries: Mapping[str, Sequence[object]], draws: int | None = None, seed: int = 0) -> list[str]:
    """Return the method with every combination of values, or with some combinations at random.

    >>> settings("TextTiling(window=6)", {"cutoff": [-0.5, 0], "smoothing": [1]})
    ['TextTiling(window=6, cutoff=-0.5, smoothing=1)', 'TextTiling(window=6, cutoff=0, smoothing=1)']
    """
    if method.strip().startswith(("command:", "http:", "https:")):
        raise DeclarationError(f"{method}: a command or a server takes no parameters to try; name another method")
    if method.strip().startswith("model:"):
        raise DeclarationError(
            f"{method}: a trained model takes no parameters to try; try selectors instead, with --try selector=… of "
            f"ScoreThenSelect(scorer={method.strip()!r})"
        )
    possible = math.prod(len(values) for values in tries.values())
    if not tries or not possible:
        raise DeclarationError("there is nothing to try; give values of a parameter, such as --try window=2,4,6")
    if draws is None and possible > MOST:
        raise DeclarationError(f"there are {possible:,} combinations, and at most {MOST:,} are tried; use --random")
    every: Sequence[int] = range(possible)
    if draws is not None and draws < possible:
        every = sorted(int(place) for place in np.random.default_rng(seed).choice(possible, draws, replace=False))
    head, bracket, rest = method.strip().partition("(")
    given = rest.removesuffix(")").strip() if bracket else ""
    texts = []
    for place in every:
        words = [given] if given else []
        for name, values in reversed(list(tries.items())):
            place, at = divmod(place, len(values))
            words.insert(1 if given else 0, f"{name}={values[at]!r}")
        texts.append(f"{head}({', '.join(words)})")
    return texts


def tune(
    development: CorpusLike,
    method: str,
    tries: Mapping[str, Sequence[object]],
    metric: str = "Pk",
    *,
    draws: int | None = None,
    held_out: CorpusLike | None = None,
    folds: int = FOLDS,
    encoding: Encoding | None = None,
    against: str = "boundaries",
    seed: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tuned:
    """Choose parameters of a segmenter on development documents.

    Parameters
    ----------
    development : path or Corpus
        The documents; with boundaries, if the metric needs a reference.
    method : str
        The segmenter, with its fixed parameters.
    tries : mapping of str to sequence
        The values of each parameter to try.
    metric : str
        Any metric, with or without a reference. Ties go to the first setting.
    draws : int, optional
        The number of random combinations to try, instead of all.
    held_out : path or Corpus, optional
        Other documents, on which the best setting is scored.
    folds : int
        The number of random folds of the development documents; each is scored with the setting that is best on the
        others. At most one fold per document.
    encoding : Encoding, optional
        The encoder of segmenters and metrics that read vectors.
    against : str
        Which boundaries count as true: ``"boundaries"``, ``"annotators"``, ``"best"``, ``"consensus=0.5"`` or ``"annotator=NAME"``, as
        in `caesura.evaluate`.
    seed : int
        Random seed.
    format, columns, marks, strict : str, str, bool
        How files are read, as in `caesura.load`.
    progress : callable, optional
        Called with the number of settings that were tried, and their total.
    """
    called, method = split_called(method)
    texts = settings(method, tries, draws, seed)
    shown = settings(called, tries, draws, seed) if called else [segmenter(text).label for text in texts]
    methods = dict(zip(shown, map(segmenter, texts), strict=True))
    if len(methods) < len(texts):
        raise DeclarationError(f"{method}: a value is given twice, or several mean the same; give each once")
    source = read_source(development, "development", format=format, columns=columns, marks=marks, strict=strict)
    other = (
        None
        if held_out is None
        else read_source(held_out, "held out", format=format, columns=columns, marks=marks, strict=strict)
    )
    corpus = source.corpus
    name, judge = next(iter(requested_metrics([metric], "caesura").items()))
    shared = encoding or Encoding()
    systems = {}
    for place, (label, made) in enumerate(methods.items()):
        systems[label] = run_method(corpus, made, encoding=shared, seed=seed)
        if progress is not None:
            progress(place + 1, len(methods))
    measured = _measured(corpus, systems, name, judge, shared, against)
    statistic = measured.statistics()[name]
    labels = list(methods)
    best = _best([statistic[label].value for label in labels], judge)
    if best is None:
        raise ComparabilityError(f"{name} is not defined for any setting; use another metric, or other documents")
    folds = min(folds, len(measured.documents))
    chosen, validated = _cross_validated([statistic[label] for label in labels], judge, folds, seed)
    facts = TuningFacts(
        metric=name,
        tried=[
            Candidate(method=label, score=number(statistic[label].value), folds=chosen.count(place))
            for place, label in enumerate(labels)
        ],
        possible=math.prod(len(values) for values in tries.values()),
        chosen=labels[best],
        documents=len(measured.documents),
        folds=folds,
        cross_validated=number(validated),
        method="" if called else shareable(method),
        tries={name: [shareable(repr(value)) for value in values] for name, values in tries.items()},
    )
    winner = methods[labels[best]]
    if other is not None:
        there = Encoding(shared.source) if winner.needs_vectors or isinstance(judge, CohesionMetric) else shared
        made_there = {labels[best]: run_method(other.corpus, winner, encoding=there, seed=seed)}
        scored = _measured(other.corpus, made_there, name, judge, shared, against)
        facts.held_out = number(scored.scores[labels[best]][name])
        facts.held_out_documents = len(scored.documents)
    inputs = (source.as_input("documents"), *([] if other is None else [other.as_input("held out")]))
    return Tuned(judge, facts, winner, seed, inputs, against)


def _measured(
    corpus: Corpus, systems: Mapping[str, Corpus], name: str, judge: Metric, encoding: Encoding, against: str
) -> Measurement:
    given: Any = dict(systems)
    if isinstance(judge, CohesionMetric):
        if against != "boundaries":
            raise ComparabilityError(f"{name} is measured without a reference; leave out against (--against)")
        return cohesion(corpus, given, [name], encoder=encoding.source, nulls=(), check=False)
    return evaluate(corpus, given, [name], against=one_choice(against))


def _best(scores: Sequence[float], judge: Metric) -> int | None:
    """Return the index of the first best score; None if none is defined."""
    facts = judge.facts()
    target = float(facts.perfect)
    worth = [math.inf if math.isnan(score) else badness(score, facts.direction, target) for score in scores]
    return worth.index(min(worth)) if min(worth) < math.inf else None


def _cross_validated(found: Sequence[Statistic], judge: Metric, folds: int, seed: int) -> tuple[list[int], float]:
    """Return the setting that each fold chooses from the others, and the score of all documents by these choices."""
    n = len(found[0].columns)
    if folds < 2:
        return [], math.nan
    part: Ints = np.random.default_rng(seed).permutation(np.arange(n) % folds)
    choices: list[int] = []
    total = np.zeros(found[0].columns.shape[1])
    for fold in range(folds):
        inside = part == fold
        scores = [float(each.score(each.columns[~inside].sum(axis=0))) for each in found]
        best = _best(scores, judge)
        if best is None:
            return [], math.nan
        choices.append(best)
        total += found[best].columns[inside].sum(axis=0)
    return choices, float(found[0].score(total))
