# SPDX-License-Identifier: Apache-2.0
"""The test of reference-free metrics: every metric judged by what it makes of damage, beside the one that reads nothing.

Every command that rests on such a metric uses this test, with the same damage, repetitions and limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import Corpus, drawing_order
from caesura.evaluation.validate.trials import DISTANCES, DRAWS, LEVELS, Damage, Trial, do_damage, noticed, trials
from caesura.evaluation.validate.trust import trust
from caesura.kernels import one_thread
from caesura.metrics.base import Floats
from caesura.metrics.cohesion import COHESION, CohesionMetric, count_in_one_pass
from caesura.results import as_float, number
from caesura.results.validate.facts import (
    BLIND,
    CorpusFacts,
    Kind,
    Limits,
    MetricCheck,
    Trust,
    damage_names,
    reads_words,
)

__all__ = ["Tested", "check_metrics", "corpus_facts", "judge_metrics", "scores_of", "with_blind"]

_PAIRS = 20_000  # the mean cosine of this many pairs is accurate to about 0.002
_AT_ONCE = 500  # pairs whose vectors stay in the cache of a processor
_FOOLING: tuple[Kind, ...] = ("even", "odd")  # what fools metrics, and may be just what a system does


class Tested(NamedTuple):
    """The scores before the damage, and after it by trial and draw, the facts of the documents, and the verdicts."""

    before: Mapping[str, Floats]
    damages: list[list[Damage]]
    after: list[list[dict[str, Floats]]]
    facts: CorpusFacts
    judged: dict[str, Trust]


def with_blind(metrics: Mapping[str, CohesionMetric]) -> dict[str, CohesionMetric]:
    """Add the metric that reads nothing, if it is not there."""
    return {**metrics, BLIND: COHESION.parse(BLIND)}


def scores_of(
    metrics: Mapping[str, CohesionMetric],
    batch: Embedded,
    flats: Sequence[Flat],
    advance: Callable[[int], None] = lambda _: None,
) -> list[dict[str, Floats]]:
    """Return the score of every document by each metric, for each of several segmentations of the documents.

    All segmentations of a document are counted together: sums and distances of its units are then made once. ``advance`` is
    told how many documents were scored.
    """
    found = [{name: np.empty(len(batch)) for name in metrics} for _ in flats]
    every = Flat.joined(flats)
    for rows in batch.blocks(len(flats)):
        places = [number * len(batch) + row for row in rows for number in range(len(flats))]
        variants = batch.variants(np.repeat(rows, len(flats)), every.take(places))
        tables = count_in_one_pass(list(metrics.values()), variants)
        for (name, metric), table in zip(metrics.items(), tables, strict=True):
            scores = metric.score(table).reshape(len(rows), len(flats))
            for run, each in enumerate(found):
                each[name][rows.start : rows.stop] = scores[:, run]
        advance(len(rows))
    return found


@one_thread()
def judge_metrics(
    metrics: Mapping[str, CohesionMetric],
    corpus: Corpus,
    batch: Embedded,
    *,
    gold: bool,
    planned: Sequence[Trial] | None = None,
    draws: int = DRAWS,
    limits: Limits | None = None,
    seed: int = 0,
    advance: Callable[[int], None] = lambda _: None,
    same_vectors: bool = False,
) -> Tested:
    """Damage segmentations, each with a boundary at least, and judge every metric; the blind one must be among them.

    ``gold`` says whether they are a reference. What a system gave is damaged with another seed, since it may itself be
    the output of `caesura degrade`; and if it is evenly spaced, or cuts out odd units, it cannot vouch for a metric. What was
    made with the ``same_vectors`` vouches only for metrics that read words.
    """
    limits = limits or Limits()
    planned = planned or trials([*LEVELS, limits.removal], DISTANCES)
    damages = [list(do_damage(batch, trial, draws, seed if gold else seed + 1)) for trial in planned]
    flats = [batch.segmentations, *(damage.flat for runs in damages for damage in runs)]
    before, *others = scores_of(metrics, batch, flats, advance)
    rest = iter(others)
    after = [[next(rest) for _ in runs] for runs in damages]
    facts = corpus_facts(corpus, batch, seed)
    made = {
        name: [
            noticed(runs[0].trial, metric, before[name], [s[name] for s in scores], [d.changed for d in runs])
            for scores, runs in zip(after, damages, strict=True)
        ]
        for name, metric in metrics.items()
    }
    blind = trust(made[BLIND], facts, limits, None)
    judged = {
        name: blind if name == BLIND else trust(made[name], facts, limits, as_float(blind.worst)) for name in metrics
    }
    if not gold:
        for name, each in judged.items():
            _cannot_vouch(each, limits, same_vectors and not reads_words(name) and name != BLIND)
    return Tested(before, damages, after, facts, judged)


def _cannot_vouch(trust: Trust, limits: Limits, same_vectors: bool) -> None:
    """Refuse a metric where what was damaged was made with its vectors, or is itself one of the damages that fool metrics."""
    names = damage_names(limits)
    own = [names[kind] for kind in _FOOLING if trust.damages.get(kind) is None]
    reasons = ["what was given was made with these vectors"] if same_vectors else []
    reasons += [f"what was given is itself {' and '.join(own)}"] if own else []
    if reasons:
        trust.verdict = "not usable here"
        trust.reasons = [*reasons, *trust.reasons]


def check_metrics(
    metrics: Mapping[str, CohesionMetric], corpus: Corpus, batch: Embedded, *, gold: bool, seed: int
) -> dict[str, MetricCheck]:
    """Return whether each metric, and the blind one, may be used on these segmentations; documents without a boundary are left out."""
    metrics = with_blind(metrics)
    batch = batch.take(np.flatnonzero(np.diff(batch.segmentations.ptr)))
    if not len(batch):
        nothing = ["no document has a boundary"]
        return {name: MetricCheck("not usable here", nothing, {}, None, 0, reference=gold) for name in metrics}
    corpus = corpus if len(batch) == len(corpus) else corpus.subset(batch.ids)
    judged = judge_metrics(metrics, corpus, batch, gold=gold, seed=seed).judged
    return {
        name: MetricCheck(t.verdict, t.reasons, t.damages, t.worst, t.documents, reference=gold)
        for name, t in judged.items()
    }


def corpus_facts(corpus: Corpus, batch: Embedded, seed: int = 0) -> CorpusFacts:
    """Measure the facts of documents, their segmentation and their vectors; `CorpusFacts` says what they are."""
    flat = batch.segmentations
    starts = np.concatenate(([0], np.cumsum(flat.n_units)))
    lengths = np.diff(np.union1d(flat.pos + np.repeat(starts[:-1], np.diff(flat.ptr)), starts))
    return CorpusFacts(
        singletons=float((lengths == 1).mean()),
        repeats=number(_repeats(corpus)),
        anisotropy=number(_anisotropy(batch, seed)),
        documents=len(batch),
        units=int(flat.n_units.sum()),
        segments=len(lengths),
    )


def _repeats(corpus: Corpus) -> float:
    repeated = units = 0
    for document in corpus:
        if document.units is None:
            return float("nan")
        counts = Counter(" ".join(text.casefold().split()) for text in document.units)
        repeated += sum(times for times in counts.values() if times > 1)
        units += document.n_units
    return repeated / units if units else float("nan")


def _anisotropy(batch: Embedded, seed: int) -> float:
    """Return the mean cosine of random pairs of units of different documents; of any units if there is one document."""
    rng, order = np.random.default_rng(seed), drawing_order(batch.ids)
    starts, sizes = batch.starts[order], batch.n_units[order]
    rows = np.concatenate([np.arange(s, s + n) for s, n in zip(starts, sizes, strict=True)])
    owner = np.repeat(np.arange(len(batch)), sizes)
    first, second = rng.integers(0, len(rows), size=(2, _PAIRS))
    apart = owner[first] != owner[second] if len(batch) > 1 else first != second
    first, second, found = rows[first[apart]], rows[second[apart]], []
    for start in range(0, len(first), _AT_ONCE):
        one, two = (batch.vectors[each[start : start + _AT_ONCE]].astype(np.float64) for each in (first, second))
        lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", two, two))
        usable = lengths > 0
        found.append(np.einsum("ij,ij->i", one, two)[usable] / lengths[usable])
    cosines = np.concatenate([*found, []])
    return float(cosines.mean()) if len(cosines) else float("nan")
