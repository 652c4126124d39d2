# SPDX-License-Identifier: Apache-2.0
"""A score without a reference beside the same score of random segmentations of the same documents.

A raw cohesion score says little: it moves with the number of segments, their lengths, the encoder and the text. What can
be read is how a segmentation stands among random ones that share what must not count: as many boundaries anywhere
(``count``), or the same segments in another order (``lengths``).
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from caesura.embedded import Embedded
from caesura.flat import Flat
from caesura.metrics.base import Floats, Metric
from caesura.metrics.cohesion import CohesionMetric, count_together
from caesura.results import Number, as_number
from caesura.segmenters.placements import RandomPlacements
from caesura.segmenters.shuffles import ShuffledLengths

__all__ = ["KINDS", "Kind", "Null", "null_distributions", "placements"]

Kind = Literal["count", "lengths"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""As many boundaries at random places; the same segments in a random order."""

_SAME = 1e-12  # draws nearer than this are one value


@dataclasses.dataclass(frozen=True)
class Null:
    """One metric of one system among random segmentations.

    Attributes
    ----------
    kind : {"count", "lengths"}
        What the random segmentations share with the system's.
    mean, sd : float64[D]
        Of the draws, for each document.
    z : float64[D]
        How many standard deviations the score lies on the better side of the mean; NaN where all draws are alike, as in
        a document of one segment.
    percentile : float64[D]
        The share of draws that the score is better than, in per cent; a tie counts half.
    corpus_mean, corpus_sd : float
        Of the mean over documents of each draw.
    corpus_z : float
        How the mean over documents stands among those of the draws.
    draws, seed : int
        How many random segmentations, and of which seed.
    """

    kind: Kind
    mean: Floats
    sd: Floats
    z: Floats
    percentile: Floats
    corpus_mean: float
    corpus_sd: float
    corpus_z: float
    draws: int
    seed: int

    @property
    def mean_z(self) -> float:
        """The mean of z over the documents that have one."""
        return _mean(self.z)

    @property
    def mean_percentile(self) -> float:
        """The mean percentile over the documents that have one."""
        return _mean(self.percentile)

    def as_dict(self) -> dict[str, Number | int | str]:
        """Return the numbers of the corpus as plain data."""
        return {
            "null_mean": as_number(self.corpus_mean),
            "null_sd": as_number(self.corpus_sd),
            "corpus_z": as_number(self.corpus_z),
            "z": as_number(self.mean_z),
            "percentile": as_number(self.mean_percentile),
            "documents": int((~np.isnan(self.z)).sum()),
            "signature": f"null:{self.kind}|draws:{self.draws}|seed:{self.seed}",
        }


def placements(kind: Kind, flat: Flat, seed: int, min_gap: int = 1) -> RandomPlacements | ShuffledLengths:
    """Return the source of random segmentations of a kind; ``min_gap`` is that of the boundaries they stand for."""
    if kind == "count":
        return RandomPlacements(flat.n_units, np.diff(flat.ptr), seed=[seed, 0], min_gap=min_gap)
    return ShuffledLengths(flat, seed=[seed, 1])


def null_distributions(
    scores: Mapping[str, Floats],
    metrics: Mapping[str, CohesionMetric],
    batch: Embedded,
    kind: Kind,
    draws: int,
    seed: int,
    advance: Callable[[], None] = lambda: None,
    min_gap: int = 1,
) -> dict[str, Null]:
    """Place the scores of each document among those of random segmentations.

    Parameters
    ----------
    scores : mapping of str to float64[D]
        Metric to the scores of the system.
    metrics : mapping of str to metric
        The metrics by the same names.
    batch : Embedded
        The segmentations of the system beside the vectors.
    kind : {"count", "lengths"}
        What the random segmentations keep.
    draws, seed : int
        How many, and of which seed.
    advance : callable
        Called after each document.
    min_gap : int
        Least distance of two boundaries of kind "count", where a selector keeps one.
    """
    source = placements(kind, batch.segmentations, seed, min_gap)
    flats = [source.draw() for _ in range(draws)]
    drawn = {name: np.full((draws, len(batch)), np.nan) for name in metrics}
    for row in range(len(batch)):
        # All draws of one document together: sums and distances of its units are then made once.
        variants = batch.variants(row, _of_document(flats, row))
        tables = count_together(list(metrics.values()), variants)
        for (name, metric), table in zip(metrics.items(), tables, strict=True):
            drawn[name][:, row] = metric.score(table)
        advance()
    return {
        name: _placed(scores[name], drawn[name], metric, kind, draws, seed)
        for name, metric in metrics.items()
    }


def _of_document(flats: Sequence[Flat], row: int) -> Flat:
    """Return the draws of one document as segmentations of their own."""
    parts = [flat.pos[flat.ptr[row] : flat.ptr[row + 1]] for flat in flats]
    ptr = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=ptr[1:])
    return Flat(np.full(len(parts), flats[0].n_units[row], dtype=np.int64), ptr, np.concatenate(parts))


def _placed(score: Floats, drawn: Floats, metric: Metric, kind: Kind, draws: int, seed: int) -> Null:
    sign = -1.0 if metric.facts().direction == "lower" else 1.0
    finite = np.where(np.isfinite(drawn) & np.isfinite(score), drawn, np.nan)
    number = (~np.isnan(finite)).sum(axis=0)
    enough = number > 1
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # documents without a score have no mean, which is what NaN says
        mean, sd = np.nanmean(finite, axis=0), np.nanstd(finite, axis=0, ddof=1)
        means = np.nanmean(finite, axis=1)
        z = np.where(enough & (sd > _SAME), sign * (score - mean) / sd, np.nan)
        better = sign * (score - drawn)
        tie = (np.abs(better) <= _SAME) | (drawn == score)
        both = ~np.isnan(drawn) & ~np.isnan(score)
        worse = np.where(both, np.where(tie, 0.5, better > 0), 0.0).sum(axis=0)
        percentile = np.where(np.isnan(z), np.nan, 100 * worse / both.sum(axis=0))
    centre = _mean(means)
    spread = float(np.std(means[~np.isnan(means)], ddof=1)) if (~np.isnan(means)).sum() > 1 else math.nan
    own = _mean(score[np.isfinite(score)])
    return Null(
        kind=kind,
        mean=np.where(enough, mean, np.nan),
        sd=np.where(enough, sd, np.nan),
        z=z,
        percentile=percentile,
        corpus_mean=centre,
        corpus_sd=spread,
        corpus_z=sign * (own - centre) / spread if spread > _SAME else math.nan,
        draws=draws,
        seed=seed,
    )


def _mean(values: Floats) -> float:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else math.nan
