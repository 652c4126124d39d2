# SPDX-License-Identifier: Apache-2.0
"""Streams evaluated: what an adaptive selector does online, and what waiting for the whole document would have given."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.results import as_number
from caesura.segmentation import Segmentation
from caesura.selectors import AdaptiveSelector, TopKSelector
from caesura.selectors.adaptive import Commit
from caesura.table import Column, Table, Value

__all__ = ["StreamReport", "StreamedDocument", "evaluate_stream"]


@dataclasses.dataclass(frozen=True)
class StreamedDocument:
    """One document, run as a stream.

    Attributes
    ----------
    id : str
        The document.
    commits : tuple of Commit
        Its boundaries, with the step at which each was committed.
    delays : int64[B]
        Steps from a gap to its commit; 0 is at once.
    rate_error : float64[G]
        At each step, the share of committed gaps among those of the window less the target rate.
    score_regret : float
        Summed scores of the best gaps, as many and as far apart, less those of the committed ones, per boundary.
    score, static_score : float
        The metric of the stream, and of static selection with the same number; NaN without a reference.
    """

    id: str
    commits: tuple[Commit, ...]
    delays: np.ndarray[Any, np.dtype[np.int64]]
    rate_error: Floats
    score_regret: float
    score: float
    static_score: float


@dataclasses.dataclass(frozen=True)
class StreamReport:
    """An adaptive run over a corpus of scores."""

    selector: AdaptiveSelector
    metric: str | None
    documents: list[StreamedDocument]

    def summary(self) -> dict[str, float]:
        """Return delays, rate errors and regrets over the whole corpus."""
        delays = np.concatenate([d.delays for d in self.documents]) if self.documents else np.empty(0)
        errors = np.concatenate([d.rate_error for d in self.documents]) if self.documents else np.empty(0)
        gaps, committed = len(errors), len(delays)
        found = {
            "documents": float(len(self.documents)),
            "gaps": float(gaps),
            "boundaries": float(committed),
            "rate": committed / gaps if gaps else math.nan,
            "delay_mean": float(delays.mean()) if committed else math.nan,
            "delay_median": float(np.median(delays)) if committed else math.nan,
            "delay_max": float(delays.max()) if committed else math.nan,
            "rate_error_mean": float(np.abs(errors).mean()) if gaps else math.nan,
            "rate_error_last": _mean([float(d.rate_error[-1]) for d in self.documents if len(d.rate_error)]),
            "score_regret": _mean([d.score_regret for d in self.documents]),
        }
        if self.metric is not None:
            found["score"] = _mean([d.score for d in self.documents])
            found["static_score"] = _mean([d.static_score for d in self.documents])
            found["regret"] = _mean([self._regret(d) for d in self.documents])
        return found

    def _regret(self, document: StreamedDocument) -> float:
        """Return how much better static selection is, whichever way the metric points."""
        return find_metric(self.metric or "").facts().gain(document.static_score, document.score)

    def table(self) -> Table:
        """Return one row per document."""
        rows: list[list[Value]] = []
        for d in self.documents:
            late = float(d.delays.mean()) if len(d.delays) else math.nan
            drift = float(np.abs(d.rate_error).mean()) if len(d.rate_error) else math.nan
            rows.append([d.id, len(d.commits), late, drift, d.score_regret, d.score, d.static_score])
        label = self.metric or "score"
        titles = (
            "document",
            "boundaries",
            "mean delay",
            "rate error",
            "score regret",
            label,
            f"{label}, static",
        )
        notes = [f"{key.replace('_', ' ')}: {value:.3f}" for key, value in self.summary().items()]
        notes.append("static: the best gaps of the whole document, as many as the stream committed")
        return Table([Column(title) for title in titles], rows, notes=notes, title=str(self.selector))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "schema": "caesura.stream/1",
            "selector": str(self.selector),
            "metric": self.metric,
            "summary": {key: as_number(value) for key, value in self.summary().items()},
            "documents": [
                {
                    "id": d.id,
                    "commits": [[c.gap, c.step] for c in d.commits],
                    "delays": d.delays.tolist(),
                    "rate_error": d.rate_error.tolist(),
                    "score_regret": as_number(d.score_regret),
                    "score": as_number(d.score),
                    "static_score": as_number(d.static_score),
                }
                for d in self.documents
            ],
        }


def evaluate_stream(
    scores: Corpus, selector: AdaptiveSelector, reference: Corpus | None = None, metric: str = "W-F1"
) -> StreamReport:
    """Run an adaptive selector over every document as a stream, and measure it.

    Parameters
    ----------
    scores : Corpus
        Documents with one score per gap; each is a stream of its own.
    selector : AdaptiveSelector
        What is run.
    reference : Corpus, optional
        What is right.
    metric : str
        The pairwise metric by which stream and static selection are compared, where there is a reference.

    Examples
    --------
    >>> corpus = Corpus([Document(id="d", n_units=5, scores=(0.6, 0.9, 0.1, 0.2))])
    >>> report = evaluate_stream(corpus, AdaptiveSelector(rate=0.25, min_gap=2, step=0.0, threshold=0.5))
    >>> [(c.gap, c.step) for c in report.documents[0].commits], round(report.documents[0].score_regret, 2)
    ([(1, 1)], 0.3)
    """
    chosen = find_metric(metric)
    if not isinstance(chosen, PairwiseMetric):
        raise ComparabilityError(f"{metric!r} compares no two segmentations; take one such as 'W-F1'")
    return StreamReport(
        selector,
        metric if reference is not None else None,
        [_run(document, selector, _gold(reference, document), chosen) for document in scores],
    )


def _gold(reference: Corpus | None, document: Document) -> Segmentation | None:
    if reference is None:
        return None
    if document.id not in reference:
        raise ComparabilityError(f"document {document.id!r} of the scores is not in the reference")
    return reference[document.id].segmentation


def _run(
    document: Document, selector: AdaptiveSelector, gold: Segmentation | None, metric: PairwiseMetric
) -> StreamedDocument:
    if document.scores is None:
        raise SegmentationError(
            f"document {document.id!r} has no scores; give one per gap under the key 'scores'"
        )
    values = np.asarray(document.scores, dtype=np.float64)
    commits = selector.run(list(document.scores))
    gaps = [commit.gap for commit in commits]
    best = TopKSelector(k=len(gaps), min_gap=selector.min_gap).select(document.scores, unit=document.unit)
    committed = Segmentation(document.n_units, sorted(gaps), unit=document.unit)
    regret = 0.0
    if gaps:
        regret = float(values[best.positions - 1].sum() - values[committed.positions - 1].sum()) / len(gaps)
    return StreamedDocument(
        id=document.id,
        commits=tuple(commits),
        delays=np.array([commit.step - commit.gap for commit in commits], dtype=np.int64),
        rate_error=_rate_errors(commits, len(values), selector),
        score_regret=regret,
        score=math.nan if gold is None else metric(gold, committed),
        static_score=math.nan if gold is None else metric(gold, best),
    )


def _rate_errors(commits: list[Commit], steps: int, selector: AdaptiveSelector) -> Floats:
    """Return at each step the share of the window's gaps that are committed by then, less the target."""
    errors = np.empty(steps)
    for step in range(1, steps + 1):
        first = step - selector.window
        inside = sum(1 for commit in commits if commit.step <= step and commit.gap > first)
        errors[step - 1] = inside / min(selector.window, step) - selector.rate
    return errors


def _mean(values: list[float]) -> float:
    kept = [value for value in values if not math.isnan(value)]
    return sum(kept) / len(kept) if kept else math.nan
