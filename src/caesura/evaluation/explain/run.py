# SPDX-License-Identifier: Apache-2.0
"""Scoring of a pair or corpus under every known convention, with the reason for each difference."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping

from caesura.batches.pairs import Missing, Pairs, pair
from caesura.corpus import Corpus
from caesura.declare import nearest
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.evaluate.sources import with_title_vectors, with_titles, without_documents
from caesura.evaluation.explain.chapters import chapter_conventions
from caesura.evaluation.explain.conventions import CAESURA, Counter, conventions_of
from caesura.evaluation.explain.outcomes import GAMMA
from caesura.evaluation.explain.reasons import reasons
from caesura.evaluation.explain.report import Explanation, Row
from caesura.evaluation.inputs import CorpusLike, Source, default_metrics, read_source
from caesura.evaluation.matching import Durations, Match, lasting, matched, meeting, repaired
from caesura.metrics import METRICS, listed_metrics, parse_metric
from caesura.metrics.base import PairwiseMetric

__all__ = ["EXPLAINED_METRICS", "explain"]

EXPLAINED_METRICS = (
    "Pk", "WindowDiff", "S", "B", "EditPrecision", "EditRecall", "W-F1", "BOR", "Purity", "Coverage", "CovN", "CovD",
)  # fmt: skip
"""The metrics that are explained by default."""

_MOST_NAMED = 20  # maximum number of documents searched for a misspelt id


def explain(
    reference: CorpusLike,
    hypothesis: CorpusLike,
    metrics: Iterable[str | PairwiseMetric] | str | None = None,
    *,
    document: str | None = None,
    gamma: float = GAMMA,
    near: int | str | None = None,
    missing: Missing = "error",
    match: Match = "id",
    duration: str | None = None,
    durations: Durations | None = None,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> Explanation:
    """Score a pair or corpus under every known convention, and name the rule behind each difference.

    Parameters
    ----------
    reference, hypothesis : path, Corpus, mapping of id to Segmentation, or Segmentation
        The gold segmentation, and the one to score.
    metrics : iterable of str or metric, optional
        The metrics to explain; by default those whose score depends on a convention, of recordings what the programs of chapter
        benchmarks print.
    document : str, optional
        Explain this document only.
    gamma : float
        The threshold of the segment outcomes, and of CovN and CovD unless they have their own.
    near : int or str, optional
        Largest distance of a near miss in the drawing; 1 unit, or 10 seconds on time, if not given.
    missing : {"error", "skip"}
        What to do with a document that the hypothesis lacks.
    match, duration, durations
        As in `caesura.evaluate`.
    format : str, optional
        The format of the files; detected if not given.
    columns : str, optional
        What columns and keys are for (`caesura.load`).
    marks : str, optional
        What labels of 0 and 1, bits or spans mark, such as ``"first"`` (`caesura.load`).
    strict : bool
        Refuse unknown keys in files.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> e = explain(Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5]), metrics="Pk")
    >>> round(e.row("Pk", "NLTK, gap string").outcome.score, 3)
    0.4
    >>> e.row("Pk", "NLTK, gap string").reasons
    ('k = 3, not 2: the 12 gaps over twice the 2 boundaries, 12/4 = 3',)
    """
    gold = read_source(
        reference, "reference", format=format, columns=columns, marks=marks, strict=strict, missing=missing
    )
    repair = gold.corpus.unit == "ms"
    scored = read_source(
        hypothesis,
        "hypothesis",
        format=format,
        columns=columns,
        marks=marks,
        strict=strict,
        repair=repair,
        missing=missing,
    )
    if "left_out" in gold.assumed:
        scored = without_documents(scored, set(scored.corpus.ids) - set(gold.corpus.ids))
    met = meeting(matched({"hypothesis": scored}, gold.corpus, match), gold.corpus)
    both = lasting({"": gold, **met}, duration, durations)
    gold = both.pop("")
    scored = repaired(both, gold.corpus)["hypothesis"]
    if document is not None:
        gold, scored = _only(gold, document), _only(scored, document)
    pairing = pair(gold.corpus, scored.corpus, missing=missing)
    if not len(pairing.pairs):
        raise ComparabilityError("the reference has no documents; there is nothing to explain")
    if pairing.pairs.unit == "ms":
        titled, _ = with_titles({"hypothesis": pairing}, gold, {"hypothesis": scored}, (), optional=True)
        pairing = dataclasses.replace(pairing, pairs=titled["hypothesis"])
    if metrics is None and pairing.pairs.unit == "ms":
        found = chapter_conventions(pairing.pairs, near)
        rows = [Row(name, outcome, off, (rule,)) for name, outcome, off, rule in found]
    else:
        chosen = _metrics(metrics, pairing.pairs.unit, gamma)
        encoders = {each.title_encoder() for each in chosen.values()} - {""}
        rows = list(_rows(with_title_vectors({"": pairing.pairs}, encoders)[""], chosen))
    return Explanation(gold, scored, pairing, tuple(rows), gamma, near)


def _only(source: Source, document: str) -> Source:
    """Keep one document, so that errors in the others do not matter."""
    if document not in source.corpus:
        hint = nearest(document, source.corpus.ids[:_MOST_NAMED])
        raise ComparabilityError(f"no document {document!r} in the {source.name}; {hint}")
    return dataclasses.replace(source, corpus=Corpus([source.corpus[document]], name=source.corpus.name))


def _metrics(
    metrics: Iterable[str | PairwiseMetric] | str | None, unit: str, gamma: float
) -> Mapping[str, PairwiseMetric]:
    """Return the metrics by name as given; those with a gamma take the given one by default."""
    if metrics is None:
        metrics = default_metrics(unit, EXPLAINED_METRICS)
    defaults = {name: {"gamma": gamma} for name in METRICS.names()}
    by_name: dict[str, PairwiseMetric] = {}
    for item in listed_metrics(metrics):
        metric = parse_metric(item, defaults) if isinstance(item, str) else item
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(f"{str(item)!r} is not a pairwise metric; use one such as 'WindowDiff' or 'B'")
        by_name[str(item)] = metric
    if not by_name:
        raise MetricError("no metric given; name at least one, such as 'Pk'")
    return by_name


def _rows(pairs: Pairs, metrics: Mapping[str, PairwiseMetric]) -> Iterator[Row]:
    counter = Counter(pairs)
    for name, metric in metrics.items():
        metric.check_corpus(pairs)
        base = counter.count(CAESURA, metric)
        yield Row(name, base, 0.0, tuple(reasons(base, base)))
        for convention, as_theirs in conventions_of(str(metric), len(pairs)):
            other = counter.count(convention, as_theirs)
            yield Row(name, other, _difference(base.score, other.score), tuple(reasons(base, other)))


def _difference(base: float, other: float) -> float:
    """Return other - base; 0 if both are undefined or equally infinite."""
    alike = base == other or (math.isnan(base) and math.isnan(other))
    return 0.0 if alike else other - base
