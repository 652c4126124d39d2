# SPDX-License-Identifier: Apache-2.0
"""Evaluation of a system against each level of a hierarchical reference, and the level it matches.

A low score may only mean that the system segments at another level than the reference: chapters against sections. The
system is therefore scored against every level, from coarse to fine.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from caesura.batches.pairs import Missing
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.evaluate.report import Evaluation
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.evaluate.sources import without_documents
from caesura.evaluation.evaluate.trees import has_levels, tree_scores
from caesura.evaluation.inputs import CorpusLike, SystemsLike, read_source, read_systems
from caesura.evaluation.matching import Match, matched
from caesura.evaluation.outcome import Outcome
from caesura.metrics.base import Aggregation, Metric
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.results import Results, number
from caesura.results.evaluate.facts import Level, LevelMatch, Levels, TreeScore
from caesura.segmentation import Segmentation
from caesura.units.quantity import default_tolerance

__all__ = ["LevelEvaluation", "consensus_levels", "evaluate_levels", "level_corpora"]

_SUPPORT = {"all annotators": 1.0, "three quarters": 0.75, "half": 0.5, "a quarter": 0.25, "any": 0.0}
DEFAULT_METRICS = ("W-F1", "BOR", "Purity", "Coverage")


@dataclasses.dataclass(frozen=True)
class LevelEvaluation(Outcome):
    """Systems measured against each level of a reference, from coarse to fine.

    ``filled`` counts the documents that lack a level, for which their finest level is used; ``matches`` has the level that
    each system matches, by W-F1 with this ``tolerance``; ``names`` are the names of the levels, if any; ``trees`` compares whole hierarchies,
    for systems that have levels themselves.
    """

    levels: Sequence[Evaluation]
    filled: Sequence[int]
    matches: Mapping[str, LevelMatch]
    tolerance: int | str
    names: Sequence[str] = ()
    trees: Mapping[str, TreeScore] = dataclasses.field(default_factory=dict)

    def results(self) -> Results:
        """Return the results of the finest level, with the scores at every level."""
        results = self.levels[-1].results()
        results.levels = Levels(
            tolerance=self.tolerance,
            documents=len(self.levels[0].reference.corpus),
            levels=[
                Level(
                    level=place,
                    filled=count,
                    systems={s: {m: number(score) for m, score in row.items()} for s, row in evaluation.scores.items()},
                    name=self.names[place - 1] if self.names else None,
                )
                for place, (evaluation, count) in enumerate(zip(self.levels, self.filled, strict=True), start=1)
            ],
            matches=dict(self.matches),
            trees=dict(self.trees),
        )
        return results

    def save(self, path: str | Path, *, overwrite: bool = True) -> Results:
        """Write the results file, with the counts of the finest level next to it."""
        return self.levels[-1].save(path, results=self.results(), overwrite=overwrite)


def evaluate_levels(
    reference: CorpusLike,
    systems: SystemsLike,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    levels: Literal["hierarchy", "consensus"] = "hierarchy",
    tolerance: int | str | None = None,
    by: Aggregation | None = None,
    profile: str = "caesura",
    missing: Missing = "error",
    match: Match = "id",
    threads: int | None = None,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> LevelEvaluation:
    """Measure systems against every level of a hierarchical reference.

    Parameters
    ----------
    reference : path or Corpus
        Documents with a ``hierarchy``, from coarse to fine, or with annotations.
    systems : mapping of name to corpus or path, or one or several paths
        The segmentations to score.
    metrics : iterable of str or metric, optional
        W-F1, BOR, Purity and Coverage if not given.
    levels : {"hierarchy", "consensus"}
        The source of the levels: the hierarchy of the documents, or the consensus of the annotators at decreasing
        support, which is nested too: the boundaries that all, three quarters, half, a quarter, or any of them marked.
    tolerance : int or str, optional
        The tolerance of the W-F1 that decides the level; by default 1, 10 seconds on time, 40 characters on characters.
    by, profile, missing, match, threads, format, columns, marks, strict
        As for `caesura.evaluation.evaluate.run`; the level is decided by the standard definitions under every profile.

    Examples
    --------
    >>> tree = (Segmentation(12, (6,)), Segmentation(12, (3, 6, 9)))
    >>> reference = Corpus([Document(id="d", n_units=12, segmentation=tree[-1], hierarchy=tree)])
    >>> found = evaluate_levels(reference, {"coarse": {"d": Segmentation(12, (6,))}})
    >>> found.matches["coarse"].by_score, found.matches["coarse"].by_density
    (1, 1)
    """
    source = read_source(reference, "reference", format=format, columns=columns, marks=marks, strict=strict)
    hypotheses = read_systems(systems, single=source.single, format=format, columns=columns, marks=marks, strict=strict)
    hypotheses = matched(hypotheses, source.corpus, match)
    if levels == "consensus":
        whole = source.corpus.ids
        source = dataclasses.replace(source, corpus=consensus_levels(source.corpus))
        unread = set(whole) - set(source.corpus.ids)
        hypotheses = {name: without_documents(system, unread) for name, system in hypotheses.items()}
    corpora = {name: hypothesis.corpus for name, hypothesis in hypotheses.items()}
    unit = source.corpus.unit
    near = default_tolerance(unit) if tolerance is None else tolerance
    if metrics is None:  # W-F1 with its tolerance, unless that is the default
        own = {"W-F1": BoundaryF1(tolerance=near)} if near != 1 else {}
        metrics = [own.get(name, name) for name in DEFAULT_METRICS]
    judges = {"W-F1": BoundaryF1(tolerance=near), "BOR": BOR()}
    evaluations: list[Evaluation] = []
    judged: list[Evaluation] = []
    corpora_of_levels, filled = level_corpora(source.corpus)
    for level in corpora_of_levels:
        evaluation = evaluate(level, corpora, metrics, by=by, profile=profile, missing=missing, threads=threads)
        evaluations.append(
            dataclasses.replace(evaluation, systems=hypotheses, reference=dataclasses.replace(source, corpus=level))
        )
        judged.append(evaluate(level, corpora, judges.values(), missing=missing, threads=threads))
    matches = {
        system: _match(
            tuple(e.scores[system][str(judges["W-F1"])] for e in judged),
            tuple(e.scores[system][str(judges["BOR"])] for e in judged),
        )
        for system in corpora
    }
    names = tuple(_SUPPORT) if levels == "consensus" else ()
    trees = {}
    for system, corpus in corpora.items():
        if levels == "hierarchy" and has_levels(corpus):
            parts = {str(place): each for place, each in enumerate(level_corpora(corpus)[0])}
            scored = [
                evaluate(each, parts, [judges["W-F1"]], missing=missing, threads=threads) for each in corpora_of_levels
            ]
            by_level = [[row[name][str(judges["W-F1"])] for name in parts] for row in (each.scores for each in scored)]
            trees[system] = tree_scores(source.corpus, corpus, by_level)
    return LevelEvaluation(evaluations, filled, matches, near, names, trees)


def consensus_levels(reference: Corpus) -> Corpus:
    """Return the annotated documents with the consensus at decreasing support as their levels.

    >>> votes = {"a": Segmentation(9, (3, 6)), "b": Segmentation(9, (3,)), "c": Segmentation(9, (3, 4))}
    >>> made = consensus_levels(Corpus([Document(id="d", n_units=9, annotations=votes)]))
    >>> [level.boundaries for level in made["d"].hierarchy]
    [(3,), (3,), (3,), (3, 4, 6), (3, 4, 6)]
    """
    # Few annotators are told of once, at the majority.
    agreed = [reference.consensus(s, min_annotators=3 if s == 0.5 else 0) for s in _SUPPORT.values()]
    documents = []
    for versions in zip(*agreed, strict=True):
        hierarchy = tuple(version.segmentation for version in versions if version.segmentation is not None)
        documents.append(dataclasses.replace(versions[-1], hierarchy=hierarchy))
    return Corpus(documents, name=f"{reference.name} [consensus]".strip(), ids_are_given=reference.ids_are_given)


def level_corpora(reference: Corpus) -> tuple[list[Corpus], list[int]]:
    """Return the reference at each level, coarse to fine, and how many documents lack each level.

    A document with fewer levels contributes its finest level instead, one without a hierarchy its boundaries.
    """
    documents = list(reference)
    depth = max((len(document.hierarchy) for document in documents), default=0)
    if not depth:
        raise ComparabilityError(
            f"{reference.name or 'the reference'} has no document with levels; "
            "give 'hierarchy': [[coarse boundaries], [finer boundaries]]"
        )
    bare = [d.id for d in documents if not d.hierarchy and d.segmentation is None]
    if bare:
        raise ComparabilityError(
            f"document {bare[0]!r} of the reference has neither 'hierarchy' nor boundaries; give it one of them"
        )
    corpora = []
    for level in range(depth):
        at_level = [dataclasses.replace(d, segmentation=_at_level(d, level)) for d in documents]
        name = f"{reference.name} [level {level + 1}]".strip()
        corpora.append(Corpus(at_level, name=name, ids_are_given=reference.ids_are_given))
    return corpora, [sum(len(d.hierarchy) <= level for d in documents) for level in range(depth)]


def _at_level(document: Document, level: int) -> Segmentation | None:
    if not document.hierarchy:
        return document.segmentation
    return document.hierarchy[min(level, len(document.hierarchy) - 1)]


def _match(scores: tuple[float, ...], ratios: tuple[float, ...]) -> LevelMatch:
    far = [abs(math.log(ratio)) if 0 < ratio < math.inf else math.inf for ratio in ratios]
    best = max((score for score in scores if not math.isnan(score)), default=0.0)
    return LevelMatch(
        by_score=scores.index(best) + 1 if best > 0 else None,
        by_density=far.index(min(far)) + 1 if min(far) < math.inf else None,
        scores=[number(score) for score in scores],
        ratios=[number(ratio) for ratio in ratios],
    )
