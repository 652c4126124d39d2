# SPDX-License-Identifier: Apache-2.0
"""The reference against real systems: segmenters that read the text, which the six damages do not.

A metric that notices every damage may still score most systems above the reference, since they cut where its own evidence is
strongest. Such a metric cannot rank systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus, drawing_order
from caesura.errors import CaesuraError, ComparabilityError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.intervals import ends_of
from caesura.evaluation.validate.judging import scores_of
from caesura.evaluation.validate.trials import Preferred, changed_documents, preferred
from caesura.metrics.base import ratio
from caesura.metrics.cohesion import CohesionMetric
from caesura.results import Ends, number
from caesura.results.validate.facts import AgainstSystems, EncoderTrust
from caesura.statistics import Bootstrap, Statistic

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed
    from caesura.segmenters import Segmenter

__all__ = ["REAL_SYSTEMS", "find_systems", "rank_systems"]

REAL_SYSTEMS = ("TextTiling", "VectorTiling", "BayesSeg", "TreeSeg", "C99", "MinCutSeg", "APS", "Scatter")
"""Segmenters that read words or vectors, none told the number of boundaries; `train --metric` learns from their outputs too."""


def find_systems(systems: bool | Iterable[str | Segmenter], *, gold: bool) -> list[Segmenter]:
    """Return the systems to compare the reference with: none, eight that are included, or those named."""
    if systems is False:
        return []
    if not gold:
        raise ComparabilityError("real systems are compared with a reference; give documents that have boundaries")
    from caesura.segmenters.run import parse_methods

    return parse_methods(REAL_SYSTEMS if systems is True else systems)


def rank_systems(
    trust: EncoderTrust,
    metrics: Mapping[str, CohesionMetric],
    corpus: Corpus,
    batch: Embedded,
    methods: Sequence[Segmenter],
    encoder: tuple[str | Encoder | Precomputed, Cache | bool | None, bool],
    seed: int,
    advance: Callable[[int], None],
) -> None:
    """Segment the documents, and add to the verdicts how often each metric scores the reference above what the systems gave."""
    from caesura.scorers import Encoding
    from caesura.segmenters.run import run_methods, told

    spec, cache, allow_download = encoder
    # As for the metrics: the vectors of an encoder object are cached only on request.
    cache = False if cache is None and not isinstance(spec, str) else cache
    encoding = Encoding(spec, cache=cache, allow_download=allow_download)
    made: dict[str, Flat] = {}
    failure: CaesuraError | None = None
    for method, found, failed in run_methods(
        corpus, methods, encoding=encoding, seed=seed, progress=lambda *_: advance(1)
    ):
        if isinstance(found, CaesuraError):
            failure, failed = failure or found, [str(found)]
        else:
            made[method.label] = _on_all(found, corpus)
            trust.systems[method.label] = _per_100(found.flat)
        trust.failed += [told(method, line) for line in failed]
    if not made and failure is not None:
        raise failure
    before, *after = scores_of(metrics, batch, [corpus.flat, *made.values()])
    changed = [changed_documents(corpus.flat, flat) for flat in made.values()]
    for name, metric in metrics.items():
        pairs = zip(made, after, changed, strict=True)
        each = {system: preferred(metric, before[name], [scores[name]], [other]) for system, scores, other in pairs}
        trust.metrics[name].systems = _summary(each, drawing_order(corpus.ids), seed)


def _summary(each: Mapping[str, Preferred], order: Ints | slice, seed: int) -> AgainstSystems:
    """Return the share of pairs won, over all systems and of each, with a bootstrap interval over documents."""
    counts = np.stack([[one.wins, one.seen] for one in each.values()]).sum(axis=0).T[order]
    counts = counts[counts[:, 1] > 0]
    share = Statistic.pooled(counts, lambda sums: ratio(sums[..., 0], sums[..., 1]))
    bootstrap = Bootstrap(len(counts), seed=seed)
    drawn = bootstrap.replicates([share])[0] if len(counts) else counts[:, 0]
    interval = bootstrap.interval(drawn, len(counts), share.left_out()) if len(counts) else None
    return AgainstSystems(
        share=number(share.value),
        interval=Ends(None, None) if interval is None else ends_of(interval.within((0.0, 1.0))),
        pairs=int(counts[:, 1].sum()),
        documents=len(counts),
        systems={name: number(mean_defined(one.wins[one.seen > 0])) for name, one in each.items()},
    )


def _on_all(found: Corpus, corpus: Corpus) -> Flat:
    """Return what a system gave; a document that it failed on keeps its boundaries, and so is in no pair."""
    return Flat.from_segmentations([(found if key in found else corpus).segmentation(key) for key in corpus.ids])


def _per_100(flat: Flat) -> float:
    return 100 * (len(flat.pos) + len(flat)) / int(flat.n_units.sum())
