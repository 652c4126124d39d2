# SPDX-License-Identifier: Apache-2.0
"""A score without a reference among the scores of random segmentations of the same documents.

A raw cohesion score says little: it depends on the number of segments, their lengths, the encoder and the text. What can
be interpreted is the place of a segmentation among random ones that share what must not matter: as many boundaries
anywhere (``count``), or the same segment lengths in another order (``lengths``).

The draws for a document depend on the seed, the kind and the document's id alone. Two systems that segment a document
alike therefore have the same chance there, whatever they do elsewhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, get_args

import msgspec
import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat, Ints
from caesura.corpus import drawing_order
from caesura.errors import DeclarationError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.cohesion.pooling import DocumentPooling, pool_documents
from caesura.evaluation.intervals import check_resampling
from caesura.metrics.base import Floats, Metric
from caesura.metrics.cohesion import CohesionMetric, count_in_one_pass
from caesura.placements.random import RandomPlacements, ShuffledLengths, checked_seed
from caesura.results import Null, number

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = [
    "KINDS",
    "Counted",
    "Drawn",
    "Kind",
    "NullDistribution",
    "Nulls",
    "RandomSegmentations",
    "Sampling",
    "draw_nulls",
]

Kind = Literal["count", "lengths"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""As many boundaries at random places; the same segments in a random order."""
Counted = Mapping[Kind, Mapping[str, Floats]]
"""The counts of random segmentations by kind and metric: (draws, documents, columns)."""
Drawn = Mapping[str, Counted]
"""The counts of random segmentations of each system."""

_SAME = 1e-12  # values nearer than this, relative to their size, are one value


@dataclasses.dataclass(frozen=True)
class NullDistribution:
    """One metric of one system among random segmentations of one `Kind`.

    For each document: ``mean`` and ``sd`` of the finite draws; ``z``, how many standard deviations the score lies on the better
    side of the mean, NaN where all draws are equal, as in a document of one segment, and where the score is infinite;
    ``percentile``, the percentage of draws that the score beats, where a tie counts half and an infinite score or draw is the
    worst possible, NaN where all draws equal the score.

    ``corpus`` is the same of the whole corpus, as the results have it.
    """

    mean: Floats
    sd: Floats
    z: Floats
    percentile: Floats
    corpus: Null

    def per_document(self) -> Null:
        """Return that of the corpus with z and percentile of every document."""
        z, percentile = ([number(value) for value in each.tolist()] for each in (self.z, self.percentile))
        return msgspec.structs.replace(self.corpus, per_document_z=z, per_document_percentile=percentile)


@dataclasses.dataclass(frozen=True)
class RandomSegmentations:
    """What is drawn for each document: random segmentations of some kinds, so many of each.

    ``min_gap`` is the minimum distance between two boundaries of kind "count", if the selector has one.
    """

    kinds: tuple[Kind, ...]
    draws: int
    seed: int
    min_gap: int = 1

    def draw(self, batch: Embedded, row: int, kind: Kind) -> Flat:
        """Return random segmentations of one document; the seed also depends on its id."""
        flat = batch.segmentations
        own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
        units = np.full(self.draws, flat.n_units[row], dtype=np.int64)
        digest = hashlib.blake2b(batch.ids[row].encode("utf-8", "surrogatepass"), digest_size=16).digest()
        seeds = [checked_seed(self.seed), KINDS.index(kind), *np.frombuffer(digest, dtype="<u4").tolist()]
        if kind == "count":
            counts = np.full(self.draws, len(own), dtype=np.int64)
            return RandomPlacements(units, counts, seed=seeds, min_gap=self.min_gap).draw()
        ptr = np.arange(self.draws + 1, dtype=np.int64) * len(own)
        return ShuffledLengths(Flat._known(units, ptr, np.tile(own, self.draws)), seed=seeds).draw()

    def counts(
        self, metrics: Mapping[str, CohesionMetric], batch: Embedded, advance: Callable[[], None] = lambda: None
    ) -> Counted:
        """Return the counts of random segmentations of each document, by kind and metric: (draws, documents, columns).

        A document's counts depend on nothing but the document, so that parts of a batch may be counted apart. ``advance`` is
        called after each document.
        """
        whole: dict[str, Floats] = {}
        for rows in batch.blocks(len(self.kinds) * self.draws):
            # All draws of a document follow one another: sums and distances of its units are then made once.
            drawn = [self.draw(batch, row, kind) for row in rows for kind in self.kinds]
            variants = batch.variants(np.repeat(rows, len(self.kinds) * self.draws), Flat.joined(drawn))
            tables = count_in_one_pass(list(metrics.values()), variants)
            for name, table in zip(metrics, tables, strict=True):
                shape = len(self.kinds), self.draws, len(batch), table.shape[1]
                if name not in whole:
                    whole[name] = np.empty(shape)
                block = table.reshape(len(rows), len(self.kinds), self.draws, -1)
                whole[name][:, :, rows.start : rows.stop] = block.transpose(1, 2, 0, 3)
            for _ in rows:
                advance()
        return {kind: {name: table[place] for name, table in whole.items()} for place, kind in enumerate(self.kinds)}

    def distributions(
        self,
        scores: Mapping[str, Floats],
        metrics: Mapping[str, CohesionMetric],
        batch: Embedded,
        *,
        by: DocumentPooling | None = None,
        drawn: Counted | None = None,
        advance: Callable[[], None] = lambda: None,
    ) -> dict[Kind, dict[str, NullDistribution]]:
        """Return where the scores of each document lie among those of random segmentations, by kind and metric.

        ``by`` is how documents are aggregated; each metric's default if not given. ``drawn`` is what `counts` returned, if that
        was done elsewhere.
        """
        drawn = self.counts(metrics, batch, advance) if drawn is None else drawn
        own = dict(zip(metrics, count_in_one_pass(list(metrics.values()), batch), strict=True))
        units, order = batch.n_units.astype(np.float64), np.arange(len(batch))[drawing_order(batch.ids)]
        return {
            kind: {
                name: self._placed(kind, metric, own[name], scores[name], drawn[kind][name], by, units, order)
                for name, metric in metrics.items()
            }
            for kind in self.kinds
        }

    def _placed(
        self,
        kind: Kind,
        metric: Metric,
        counts: Floats,
        score: Floats,
        tables: Floats,
        by: DocumentPooling | None,
        units: Floats,
        order: Ints,
    ) -> NullDistribution:
        """Put a score among the draws; ``tables`` is (draws, documents, columns), added up in this ``order`` of documents."""
        sign = -1.0 if metric.facts().direction == "lower" else 1.0
        drawn = metric.score(tables)
        same = _SAME * np.maximum(1.0, np.abs(np.where(np.isfinite(score), score, 0.0)))
        finite = np.where(np.isfinite(drawn) & np.isfinite(score), drawn, np.nan)
        enough = (~np.isnan(finite)).sum(axis=0) > 1
        with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # a document without a score has the mean NaN
            mean, sd = np.nanmean(finite, axis=0), np.nanstd(finite, axis=0, ddof=1)
            z = np.where(enough & (sd > same), sign * (score - mean) / sd, np.nan)
            tie = (np.abs(drawn - score) <= same) | (drawn == score)
            both = ~np.isnan(drawn) & ~np.isnan(score)
            worse = np.where(both, np.where(tie, 0.5, sign * (score - drawn) > 0), 0.0).sum(axis=0)
            percentile = np.where((both & ~tie).any(axis=0), 100 * worse / both.sum(axis=0), np.nan)
        whole = np.isfinite(score) & np.isfinite(drawn).all(axis=0)
        rows = order[whole[order]]
        how: DocumentPooling = by or metric.card.aggregation
        if how == "micro" and len(rows):
            own = float(metric.score(counts[rows].sum(axis=0)))
            values = metric.score(tables[:, rows].sum(axis=1))
        else:
            own = pool_documents(how, score[rows], units[rows])
            values = np.array([pool_documents(how, row, units[rows]) for row in drawn[:, rows]])
        spread = float(np.std(values, ddof=1)) if len(rows) else math.nan
        centre = float(np.mean(values)) if len(rows) else math.nan
        corpus_z = sign * (own - centre) / spread if spread > _SAME * max(1.0, abs(own)) else math.nan
        corpus = Null(
            kind=kind,
            score=number(own),
            mean=number(centre),
            sd=number(spread),
            z=number(corpus_z),
            documents=len(rows),
            mean_z=number(mean_defined(z)),
            z_documents=int((~np.isnan(z)).sum()),
            mean_percentile=number(mean_defined(percentile)),
            percentile_documents=int((~np.isnan(percentile)).sum()),
            aggregation=how,
            draws=self.draws,
            seed=self.seed,
            signature=f"null:{kind}|agg:{how}|draws:{self.draws}|seed:{self.seed}",
        )
        return NullDistribution(np.where(enough, mean, np.nan), np.where(enough, sd, np.nan), z, percentile, corpus)


Nulls = dict[str, dict[str, dict[Kind, NullDistribution]]]
"""System to metric to kind of chance."""


@dataclasses.dataclass(frozen=True)
class Sampling:
    """What is drawn: the kinds of random segmentations, how many of each, resamples of the documents, and the seed."""

    kinds: tuple[Kind, ...]
    draws: int
    resamples: int
    seed: int

    def __post_init__(self) -> None:
        check_resampling(resamples=self.resamples, seed=self.seed)
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise DeclarationError(f"null {unknown[0]!r} is unknown; choose from {', '.join(KINDS)}")
        if self.draws < 2:
            raise DeclarationError(f"draws is {self.draws}; it must be at least 2")

    @property
    def segmentations(self) -> RandomSegmentations:
        """The random segmentations."""
        return RandomSegmentations(self.kinds, self.draws, self.seed)


def draw_nulls(
    cohesion: Cohesion, progress: Callable[[int, int], None] | None = None, drawn: Drawn | None = None
) -> Nulls:
    """Draw random segmentations for every system, unless that was done, and return where the scores lie among theirs."""
    sampling = cohesion.sampling
    nulls: Nulls = {system: {name: {} for name in cohesion.metrics} for system in cohesion.systems}
    steps = itertools.count(1)
    total = len(cohesion.systems) * len(cohesion.documents)

    def advance() -> None:
        if progress is not None:
            progress(next(steps), total)

    for system, batch in cohesion.batches.items() if sampling.kinds else ():
        scores = {name: cohesion.per_document(system, name) for name in cohesion.metrics}
        placed = sampling.segmentations.distributions(
            scores,
            cohesion.metrics,
            batch,
            by=cohesion.pooling,
            drawn=None if drawn is None else drawn[system],
            advance=advance,
        )
        for kind, name in itertools.product(placed, cohesion.metrics):
            nulls[system][name][kind] = placed[kind][name]
    return nulls
