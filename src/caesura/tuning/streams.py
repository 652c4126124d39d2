# SPDX-License-Identifier: Apache-2.0
"""Evaluation of streams: an adaptive selector online, compared with selection from the whole document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from caesura._version import __version__
from caesura.corpus import Document
from caesura.errors import ComparabilityError
from caesura.evaluation.against import chosen_source, one_reference
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.inputs import CorpusLike, Source, read_source
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome, metric_facts
from caesura.metrics import metric as find_metric
from caesura.metrics.base import PairwiseMetric
from caesura.results import Number, Results, as_float, number
from caesura.results.select.facts import Stream, StreamedDocument, StreamSummary
from caesura.segmentation import Segmentation
from caesura.selectors import AdaptiveSelector, TopKSelector
from caesura.selectors.adaptive import Commit
from caesura.tuning.select import scores_of

__all__ = ["StreamReport", "evaluate_stream"]


@dataclasses.dataclass(frozen=True)
class StreamReport(Outcome):
    """An adaptive selector run over a corpus of scores."""

    scores: Source
    reference: Source | None
    stream: Stream
    against: str = "boundaries"

    @property
    def documents(self) -> list[StreamedDocument]:
        """What happened in each document."""
        return self.stream.documents

    def summary(self) -> StreamSummary:
        """Return delays, rate errors and regrets over the whole corpus."""
        return self.stream.summary

    def results(self) -> Results:
        """Return every document and the summary, as typed data."""
        metric, inputs = self.stream.metric, [self.scores.as_input("scores")]
        return Results(
            question="select",
            caesura=__version__,
            against="nothing" if self.reference is None else self.against,
            unit=self.scores.corpus.unit,
            environment=environment(),
            inputs=inputs if self.reference is None else [*inputs, self.reference.as_input("reference")],
            metrics={} if metric is None else {metric: metric_facts(find_metric(metric))},
            stream=self.stream,
        )


def evaluate_stream(
    scores: CorpusLike,
    selector: AdaptiveSelector,
    reference: CorpusLike | None = None,
    metric: str = "W-F1",
    *,
    against: str = "boundaries",
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
) -> StreamReport:
    """Run an adaptive selector over every document as a stream, and measure it.

    The documents have one score per gap, and follow each other; the threshold is carried over. If there is a reference, a
    pairwise metric compares the stream with static selection; ``against`` chooses its boundaries, such as ``"consensus=0.5"``. ``format``, ``columns`` and ``marks`` are as in `caesura.load`.

    Examples
    --------
    >>> from caesura.corpus import Corpus
    >>> corpus = Corpus([Document(id="d", n_units=5, scores=(0.6, 0.9, 0.1, 0.2))])
    >>> report = evaluate_stream(corpus, AdaptiveSelector(rate=0.25, min_gap=2, step=0.0, threshold=0.5))
    >>> report.documents[0].commits, round(report.documents[0].score_regret, 2)
    ([(1, 1)], 0.3)
    """
    measure = find_metric(metric)
    if not isinstance(measure, PairwiseMetric):
        raise ComparabilityError(f"{metric!r} does not compare two segmentations; use one such as 'W-F1'")
    source = read_source(scores, "scores", format=format, columns=columns, marks=marks)
    gold = (
        None if reference is None else read_source(reference, "reference", format=format, columns=columns, marks=marks)
    )
    if gold is not None:
        one_reference(against, "a stream is scored against one")
        gold = chosen_source(gold, against)
    documents = []
    streams = selector.run_all(map(scores_of, source.corpus))
    for document in source.corpus:
        segmentation = None
        if gold is not None:
            if document.id not in gold.corpus:
                why = f"document {document.id!r} of the scores is not in the reference; add it"
                raise ComparabilityError(why)
            segmentation = gold.corpus[document.id].segmentation
        documents.append(_run(document, next(streams), selector, segmentation, measure))
    summary = _summary(documents, None if gold is None else measure)
    stream = Stream(str(selector), None if gold is None else metric, summary, documents, selector.rate)
    return StreamReport(source, gold, stream, against)


def _summary(documents: list[StreamedDocument], metric: PairwiseMetric | None) -> StreamSummary:
    """Return delays, rate errors and regrets over all documents, the latter by the direction of the metric."""
    delays = np.array([delay for d in documents for delay in d.delays])
    errors = np.array([error for d in documents for error in d.rate_error])
    gaps, committed = len(errors), len(delays)
    summary = StreamSummary(
        documents=len(documents),
        gaps=gaps,
        boundaries=committed,
        rate=committed / gaps if gaps else None,
        delay_mean=float(delays.mean()) if committed else None,
        delay_median=float(np.median(delays)) if committed else None,
        delay_max=float(delays.max()) if committed else None,
        rate_error_mean=float(np.abs(errors).mean()) if gaps else None,
        rate_error_last=_mean(d.rate_error[-1] for d in documents if d.rate_error),
        score_regret=_mean(d.score_regret for d in documents),
    )
    if metric is not None:
        sign = -1 if metric.card.direction == "lower" else 1
        summary.score = _mean(d.score for d in documents)
        summary.static_score = _mean(d.static_score for d in documents)
        summary.regret = _mean(sign * (as_float(d.static_score) - as_float(d.score)) for d in documents)
    return summary


def _run(
    document: Document,
    commits: list[Commit],
    selector: AdaptiveSelector,
    gold: Segmentation | None,
    metric: PairwiseMetric,
) -> StreamedDocument:
    scores = scores_of(document)
    values = np.asarray(scores, dtype=np.float64)
    gaps = [commit.gap for commit in commits]
    best = TopKSelector(k=len(gaps), min_gap=selector.min_gap).select(scores, unit=document.unit)
    committed = Segmentation(document.n_units, sorted(gaps), unit=document.unit)
    regret = 0.0
    if gaps:
        regret = float(values[best.positions - 1].sum() - values[committed.positions - 1].sum()) / len(gaps)
    return StreamedDocument(
        id=document.id,
        commits=[(commit.gap, commit.step) for commit in commits],
        delays=[commit.step - commit.gap for commit in commits],
        rate_error=_rate_errors(commits, len(values), selector),
        score_regret=number(regret),
        score=None if gold is None else number(metric(gold, committed)),
        static_score=None if gold is None else number(metric(gold, best)),
    )


def _rate_errors(commits: list[Commit], steps: int, selector: AdaptiveSelector) -> list[float]:
    """Return the share of the window's gaps committed at each step, minus the target."""
    errors = []
    for step in range(1, steps + 1):
        first = step - selector.window
        inside = sum(commit.step <= step and commit.gap > first for commit in commits)
        errors.append(inside / min(selector.window, step) - selector.rate)
    return errors


def _mean(values: Iterable[Number]) -> Number:
    """Return the mean of the values that are defined."""
    return number(mean_defined(np.array([as_float(value) for value in values])))
