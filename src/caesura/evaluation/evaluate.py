# SPDX-License-Identifier: Apache-2.0
"""The one call that measures systems against a reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from caesura.corpus import Missing, Pairing, pair
from caesura.errors import MetricError
from caesura.evaluation.evaluation import Counted, Evaluation
from caesura.evaluation.inputs import CorpusLike, Source, SystemsLike, read_source, read_systems
from caesura.kernels import kernel
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.metrics.profiles import profile as find_profile
from caesura.metrics.profiles import under_profile
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation

__all__ = ["DEFAULT_METRICS", "evaluate"]

DEFAULT_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "Purity", "Coverage", "CovN", "CovD")
_DEFAULT_CONTINUOUS = ("Pk", "WindowDiff", "BOR", "Purity", "Coverage", "CovN", "CovD")


def evaluate(
    reference: CorpusLike,
    systems: SystemsLike,
    metrics: Iterable[str | PairwiseMetric] | str | None = None,
    *,
    by: Aggregation | None = None,
    profile: str = "caesura",
    missing: Missing = "error",
    cut: int | str | None = None,
    threads: int = 1,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
) -> Evaluation:
    """Measure systems against a reference.

    Parameters
    ----------
    reference : path, Corpus, or mapping of id to Segmentation
        What is right.
    systems : mapping of name to such a thing, or one or several paths
        What is judged; files are named by their stem.
    metrics : iterable of str or metric, optional
        Such as ``["Pk", "BoundaryF1(tolerance=1)"]``; a standard set if not given.
    by : {"macro", "micro"}, optional
        How documents are put together; each metric's own default if not given.
    profile : str
        Whose conventions hold (`caesura.metrics.profiles`).
    missing : {"error", "skip"}
        What to do when a system lacks a document of the reference.
    cut : int or str, optional
        Also break CovN, CovD and the boundary scores down into segments shorter and not shorter than this.
    threads : int
        How many threads count; the numbers are the same.
    format : str, optional
        The format of the files; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Returns
    -------
    Evaluation
        Scores, table, signatures, results file.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = {"d1": Segmentation.from_masses([6, 3, 4])}
    >>> e = evaluate(reference, {"a": {"d1": Segmentation.from_masses([4, 4, 5])}}, metrics=["Pk", "B"])
    >>> round(e.scores["a"]["Pk"], 3)
    0.545
    """
    source = read_source(reference, "reference", format=format, strict=strict)
    hypotheses = read_systems(
        systems, single=isinstance(reference, Segmentation), format=format, strict=strict
    )
    chosen = find_profile(profile)
    pairings = {
        name: pair(source.corpus, hypothesis.corpus, name=name, missing=missing)
        for name, hypothesis in hypotheses.items()
    }
    pairings = _common(pairings)
    if chosen.swap:
        pairings = {name: dataclasses.replace(p, pairs=p.pairs.swapped()) for name, p in pairings.items()}
    unit = next(iter(pairings.values())).pairs.unit
    asked = _with_length_classes(_metrics(metrics, unit, profile), cut)
    for name, metric in asked.items():
        if by == "micro" and not metric.card.additive:
            raise MetricError(
                f"{name}: the counts of documents do not add, so there is no micro score; use macro"
            )
    requests = {name: metric.request(unit) for name, metric in asked.items()}
    counted = {
        name: Counted(_count(pairing, asked, requests, threads), pairing.skipped, pairing.fitted)
        for name, pairing in pairings.items()
    }
    rows = next(iter(pairings.values())).rows
    return Evaluation(
        reference=source,
        systems=hypotheses,
        metrics=asked,
        requests=requests,
        counted=counted,
        documents=_ids(source, rows),
        unit=unit,
        by=by,
        profile=profile,
    )


def _ids(source: Source, rows: Any) -> list[str]:
    ids = source.corpus.ids
    return ids if len(rows) == len(ids) else [ids[row] for row in rows]


def _metrics(
    metrics: Iterable[str | PairwiseMetric] | str | None, unit: str, profile: str
) -> dict[str, PairwiseMetric]:
    """Return the metrics by the text they were asked for with."""
    if metrics is None:
        metrics = _DEFAULT_CONTINUOUS if unit in CONTINUOUS_UNITS else DEFAULT_METRICS
    if isinstance(metrics, (str, PairwiseMetric)):
        metrics = [metrics]
    found: dict[str, PairwiseMetric] = {}
    for item in metrics:
        metric = under_profile(item, profile) if isinstance(item, str) else item
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(f"{item!r} is no metric; give a name such as 'Pk' or 'WindowDiff(k=5)'")
        found[str(item)] = metric
    if not found:
        raise MetricError("no metric given; name at least one, such as 'Pk'")
    return found


def _with_length_classes(
    metrics: Mapping[str, PairwiseMetric], cut: int | str | None
) -> dict[str, PairwiseMetric]:
    """Add to each metric that knows length classes its short and its long part."""
    if cut is None:
        return dict(metrics)
    found: dict[str, PairwiseMetric] = {}
    for name, metric in metrics.items():
        found[name] = metric
        if getattr(metric, "length", None) == "all":
            for length in ("short", "long"):
                options: dict[str, Any] = {"length": length, "cut": cut}
                found[f"{name} [{length}]"] = dataclasses.replace(metric, **options)
    if len(found) == len(metrics):
        raise MetricError(
            f"cut={cut!r}: none of the metrics knows length classes; ask for CovN, CovD or Boundary*"
        )
    return found


def _common(pairings: Mapping[str, Pairing]) -> dict[str, Pairing]:
    """Keep the documents that every system has, so that all numbers of a table speak of the same ones."""
    kept: Any = None
    for pairing in pairings.values():
        kept = pairing.rows if kept is None else np.intersect1d(kept, pairing.rows)
    if all(len(pairing.rows) == len(kept) for pairing in pairings.values()):
        return dict(pairings)
    return {
        name: pairing.take(np.flatnonzero(np.isin(pairing.rows, kept))) for name, pairing in pairings.items()
    }


def _count(
    pairing: Pairing, metrics: Mapping[str, PairwiseMetric], requests: Mapping[str, Request], threads: int
) -> dict[Request, Floats]:
    """Run each distinct request once, whatever number of metrics reads it."""
    for metric in metrics.values():
        metric.check_corpus(pairing.pairs)
    tables: dict[Request, Floats] = {}
    for request in requests.values():
        if request not in tables:
            tables[request] = kernel(request.kernel).count(pairing.pairs, request.parameters, threads=threads)
    return tables
