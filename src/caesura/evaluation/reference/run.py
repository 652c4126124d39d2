# SPDX-License-Identifier: Apache-2.0
"""The one call that measures systems against a reference."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast, overload

import numpy as np

from caesura.batches.pairs import Missing, Pairing, Pairs, pair
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, MetricError, and_more
from caesura.evaluation.inputs import (
    CorpusLike,
    PairsLike,
    Source,
    SystemsLike,
    asked_metrics,
    default_metrics,
    read_pairs,
    read_source,
    read_systems,
    with_length_classes,
)
from caesura.evaluation.reference.pseudo import named, pseudo_name
from caesura.evaluation.reference.report import Counted, Evaluation
from caesura.kernels import Counts
from caesura.metrics.base import Aggregation, Metric, PairwiseMetric, Request
from caesura.metrics.counting import count_requests
from caesura.metrics.profiles import profile as find_profile

if TYPE_CHECKING:
    from caesura.evaluation.annotators.standing import PanelEvaluation

__all__ = ["evaluate"]


Metrics = Iterable[str | Metric] | str | Metric | None


class Options(TypedDict, total=False):
    """The options of `evaluate` that do not change what kind of thing it returns."""

    by: Aggregation | None
    profile: str
    missing: Missing
    cut: int | str | None
    baselines: str | Iterable[str]
    seed: int
    threads: int
    format: str | None
    strict: bool


@overload
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: Literal["boundaries"] = "boundaries",
    **options: Unpack[Options],
) -> Evaluation: ...
@overload
def evaluate(
    reference: CorpusLike,
    systems: SystemsLike,
    metrics: Metrics = None,
    *,
    against: Literal["annotators"],
    **options: Unpack[Options],
) -> PanelEvaluation: ...
@overload
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: str = "boundaries",
    **options: Unpack[Options],
) -> Evaluation | PanelEvaluation: ...
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: str = "boundaries",
    by: Aggregation | None = None,
    profile: str = "caesura",
    missing: Missing = "error",
    cut: int | str | None = None,
    baselines: str | Iterable[str] = (),
    seed: int = 0,
    threads: int = 1,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
) -> Evaluation | PanelEvaluation:
    """Measure systems against a reference.

    Parameters
    ----------
    reference : path, Corpus, mapping of id to document, one document, or Pairs
        What is right. A document is a `Segmentation`, a string of 0 and 1 (one digit per gap), or a list or array of
        bool; whole numbers may be masses, labels or bits, so they are refused (`Segmentation.from_masses`, ``from_labels``,
        ``from_bits`` and ``from_boundaries`` say which). `Pairs`, or a mapping of names to them, hold their systems
        already: documents are then numbered from 1.
    systems : mapping of name to such a thing, or one or several paths
        What is judged; files are named by their stem. Left out if the reference is `Pairs`.
    metrics : iterable of str or metric, optional
        Such as ``["Pk", "BoundaryF1(tolerance=1)"]``; a standard set if not given.
    against : str
        What of the reference counts: its ``"boundaries"``, all its ``"annotators"``, the boundaries that a share of them
        marked (``"consensus=0.5"``; 0 is the union), or one of them (``"annotator=NAME"``). ``"pseudo"`` takes its boundaries,
        made by a program for want of gold, and marks every number so (`caesura.evaluation.reference.pseudo`).
    by : {"macro", "micro"}, optional
        How documents are put together; each metric's own default if not given.
    profile : str
        Whose conventions hold (`caesura.metrics.profiles`).
    missing : {"error", "skip"}
        What to do when a system lacks a document of the reference.
    cut : int or str, optional
        Also break CovN, CovD and the boundary scores down into segments shorter and not shorter than this.
    baselines : str or iterable of str
        Baselines to score beside the systems, such as ``"none,every,random_density"`` (`caesura.segmenters`).
    seed : int
        Of the random baselines.
    threads : int
        How many threads count; the numbers are the same.
    format : str, optional
        The format of the files; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Returns
    -------
    Evaluation or PanelEvaluation
        Scores, table, signatures, results file; the second, against annotators, also the people among themselves.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = {"d1": Segmentation.from_masses([6, 3, 4])}
    >>> e = evaluate(reference, {"a": {"d1": Segmentation.from_masses([4, 4, 5])}}, metrics=["Pk", "B"])
    >>> round(e.scores["a"]["Pk"], 3)
    0.545
    >>> round(evaluate("000001001000", "000100010000", "Pk").scores["hypothesis"]["Pk"], 3)
    0.545
    """
    _check_options(by, missing, threads)
    source, hypotheses = _read(reference, systems, format, strict)
    chosen = find_profile(profile)
    if against == "annotators":
        from caesura.evaluation.annotators.standing import evaluate_among

        hypotheses |= _baselines(baselines, source.corpus, hypotheses, seed)
        return evaluate_among(
            source, hypotheses, metrics, by=by, profile=profile, missing=missing, cut=cut, threads=threads
        )
    against = named(against, source)
    whole = source.corpus
    source = dataclasses.replace(source, corpus=_chosen_reference(whole, against))
    if len(source.corpus) < len(whole):
        unread = set(whole.ids) - set(source.corpus.ids)
        hypotheses = {name: _without(hypothesis, unread) for name, hypothesis in hypotheses.items()}
    hypotheses |= _baselines(baselines, source.corpus, hypotheses, seed)
    pairings = {
        name: pair(source.corpus, hypothesis.corpus, name=name, missing=missing)
        for name, hypothesis in hypotheses.items()
    }
    had = {name: len(pairing.rows) for name, pairing in pairings.items()}
    pairings = _common(pairings)
    pairs = {name: pairing.pairs for name, pairing in pairings.items()}
    if chosen.swap:
        pairings = {name: dataclasses.replace(p, pairs=p.pairs.swapped()) for name, p in pairings.items()}
    unit = next(iter(pairings.values())).pairs.unit
    wanted = asked_metrics(default_metrics(unit) if metrics is None else metrics, profile)
    asked = with_length_classes(_pairwise(wanted), cut)
    for name, metric in asked.items():
        if by == "micro" and not metric.card.additive:
            raise MetricError(
                f"{name}: the counts of documents do not add, so there is no micro score; use macro"
            )
    requests = {name: metric.request(unit) for name, metric in asked.items()}
    tables = _count(pairings, asked, requests, threads)
    counted = {
        name: Counted(tables[name], pairing.skipped, pairing.fitted, had[name] - len(pairing.rows))
        for name, pairing in pairings.items()
    }
    rows = next(iter(pairings.values())).rows
    return Evaluation(
        reference=source,
        systems=hypotheses,
        metrics=asked,
        requests=requests,
        pairs=pairs,
        counted=counted,
        documents=_ids(source, rows),
        unit=unit,
        by=by,
        profile=profile,
        against=against,
    )


def _read(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None,
    format: str | None,  # noqa: A002
    strict: bool,
) -> tuple[Source, dict[str, Source]]:
    """Return the reference and the systems."""
    pairs = _is_pairs(reference)
    if pairs and systems is not None:
        raise ComparabilityError("Pairs hold reference and hypothesis; give them without systems")
    if not pairs and systems is None:
        raise ComparabilityError("no system given; name at least one hypothesis")
    if pairs:
        source, hypotheses = read_pairs(cast("PairsLike", reference))
    else:
        source = read_source(cast("CorpusLike", reference), "reference", format=format, strict=strict)
    if not len(source.corpus):
        raise ComparabilityError("the reference holds no document")
    if systems is not None:
        hypotheses = read_systems(systems, single=source.single, format=format, strict=strict)
    return source, hypotheses


def _is_pairs(value: CorpusLike | PairsLike) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(each, Pairs) for each in value.values())
    return isinstance(value, Pairs)


def _check_options(by: str | None, missing: str, threads: int) -> None:
    """Refuse words that mean nothing, instead of taking them for a default."""
    if by not in (None, "macro", "micro"):
        raise ComparabilityError(f"by is {by!r}; it must be 'macro', 'micro' or None for each metric's own")
    if missing not in ("error", "skip"):
        raise ComparabilityError(f"missing is {missing!r}; it must be 'error' or 'skip'")
    if threads < 1:
        raise ComparabilityError(f"threads is {threads!r}; it must be a whole number from 1 on")


def _chosen_reference(corpus: Corpus, against: str) -> Corpus:
    """Return the corpus whose boundaries count as the reference."""
    kind, _, value = against.partition("=")
    if (kind == "boundaries" and not value) or pseudo_name(against) is not None:
        if not corpus.present.all() and any(document.annotations for document in corpus):
            raise ComparabilityError(
                "the reference has annotations but not boundaries for every document; "
                "say what counts with against='annotators' or 'consensus=0.5' (--reference)"
            )
        return corpus
    if kind == "annotator" and value:
        return corpus.annotator(value)
    if kind == "consensus":
        try:
            return corpus.consensus(float(value))
        except ValueError as error:
            if isinstance(error, ComparabilityError):
                raise
    raise ComparabilityError(
        f"reference {against!r} is unknown; say boundaries, annotators, consensus=0.5, annotator=NAME or pseudo"
    )


def _baselines(
    texts: str | Iterable[str], reference: Corpus, systems: Mapping[str, Source], seed: int
) -> dict[str, Source]:
    """Return the baselines asked for as systems, under their own names."""
    if not texts:
        return {}
    from caesura.segmenters import baseline_systems

    if not reference.present.all():
        if not any(document.annotations for document in reference):
            bare = [key for key, there in zip(reference.ids, reference.present, strict=True) if not there]
            raise ComparabilityError(
                f"document {bare[0]!r} of the reference has no boundaries{and_more(len(bare), True)}; give 'boundaries'"
            )
        reference = reference.consensus(0)
    found = {name: Source(corpus, name) for name, corpus in baseline_systems(texts, reference, seed).items()}
    clash = sorted(set(found) & set(systems))
    if clash:
        raise ComparabilityError(
            f"a system and a baseline are both called {clash[0]!r}; name the system apart: NAME=FILE"
        )
    return found


def _without(source: Source, unread: set[str]) -> Source:
    """Leave out the documents that the chosen annotators did not read."""
    return dataclasses.replace(
        source, corpus=source.corpus.subset(key for key in source.corpus.ids if key not in unread)
    )


def _ids(source: Source, rows: Any) -> Sequence[str]:
    ids = source.corpus.ids
    return ids if len(rows) == len(ids) else [ids[row] for row in rows]


def _pairwise(metrics: Mapping[str, Metric]) -> dict[str, PairwiseMetric]:
    """Return the metrics, all of a reference and a hypothesis."""
    found: dict[str, PairwiseMetric] = {}
    for name, metric in metrics.items():
        if not isinstance(metric, PairwiseMetric):
            from caesura.metrics.cohesion import CohesionMetric

            if isinstance(metric, CohesionMetric):
                raise MetricError(f"{name}: needs no reference but vectors; measure it with caesura cohesion")
            raise MetricError(
                f"{name}: needs several annotators; evaluate against='annotators' (--reference annotators), "
                "or measure the annotators alone with caesura agree"
            )
        found[name] = metric
    return found


def _common(pairings: Mapping[str, Pairing]) -> dict[str, Pairing]:
    """Keep the documents that every system has, so that all numbers of a table speak of the same ones."""
    rows = [pairing.rows for pairing in pairings.values()]
    if all(each is rows[0] or np.array_equal(each, rows[0]) for each in rows):
        return dict(pairings)
    kept = functools.reduce(np.intersect1d, rows)
    return {
        name: pairing.take(np.flatnonzero(np.isin(pairing.rows, kept))) for name, pairing in pairings.items()
    }


def _count(
    pairings: Mapping[str, Pairing],
    metrics: Mapping[str, PairwiseMetric],
    requests: Mapping[str, Request],
    threads: int,
) -> dict[str, dict[Request, Counts]]:
    """Run each distinct request once for every system, whatever number of metrics reads it."""
    for pairing in pairings.values():
        for metric in metrics.values():
            metric.check_corpus(pairing.pairs)
    batches = [pairing.pairs for pairing in pairings.values()]
    counted = count_requests(batches, list(requests.values()), threads=threads)
    return dict(zip(pairings, counted, strict=True))
