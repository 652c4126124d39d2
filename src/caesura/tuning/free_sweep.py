# SPDX-License-Identifier: Apache-2.0
"""Density-quality curves without a reference: cohesion against segments per 100 units, and where to stand on the curve.

A raw cohesion score drifts with the number of segments, so its best value says nothing about the best threshold. Each
point is therefore placed beside random segmentations with as many boundaries in each document, as far apart: its gain is what the score
has above their mean. A document left whole has nothing to show, and gains 0.

The recommended point is the one with the fewest boundaries whose mean gain lies within the interval of the highest: where
the data do not tell two thresholds apart, the simpler segmentation is taken. Of the metrics the silhouette recommends
unless it was not asked for; ``docs/validity.md`` shows how near each comes to the density of references.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from caesura._version import __version__
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, DeclarationError, and_more
from caesura.evaluation.cohesion.null import null_distributions
from caesura.evaluation.cohesion.run import DEFAULT_COHESION, cohesion_metrics, embed_documents
from caesura.evaluation.comparison.run import gain
from caesura.evaluation.inputs import CorpusLike, SystemsLike, read_source, read_systems
from caesura.evaluation.intervals import check_resampling
from caesura.metrics.base import Floats
from caesura.metrics.cohesion import CohesionMetric, count_together
from caesura.results import as_number
from caesura.results.cohesion import EncoderFacts
from caesura.segmenters.random import checked_seed
from caesura.selectors import StaticSelector
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap, Interval
from caesura.table import Column, Table, Value
from caesura.tuning.policy import Policy
from caesura.tuning.sweep import threshold_grid

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed
    from caesura.metrics.base import Metric

__all__ = ["FreePoint", "FreeSweep", "LengthLimits", "sweep_without_reference"]


@dataclasses.dataclass(frozen=True)
class LengthLimits:
    """How long segments may be.

    Attributes
    ----------
    units, tokens : int or None
        The greatest length, in units and in words between spaces.
    over : float
        The share of segments that may be longer.
    """

    units: int | None = None
    tokens: int | None = None
    over: float = 0.05

    def __post_init__(self) -> None:
        for name, value in (("units", self.units), ("tokens", self.tokens)):
            if value is not None and value < 1:
                raise DeclarationError(f"the limit of {value} {name} is below 1")
        if not 0 <= self.over <= 1:
            raise DeclarationError(f"over is {self.over}; it must be a share between 0 and 1")


@dataclasses.dataclass(frozen=True)
class FreePoint:
    """One threshold of one scorer, without a reference.

    Attributes
    ----------
    threshold : float
        The threshold.
    boundaries : int
        How many boundaries it gives in all documents.
    per_100 : float
        Segments per 100 units.
    over_units, over_tokens : float or None
        The share of segments longer than the limit; None without one.
    scores, intervals : mappings
        Mean over documents of each metric, and its bootstrap interval.
    gains, gain_intervals : mappings
        Mean over documents of what each metric has above as many random boundaries, positive where it is better; and its
        interval.
    z : mapping
        Mean over documents of the gain in standard deviations of the random segmentations.
    infinite : mapping
        Documents whose score is infinite and left out of the means.
    """

    threshold: float
    boundaries: int
    per_100: float
    over_units: float | None
    over_tokens: float | None
    scores: dict[str, float]
    intervals: dict[str, Interval]
    gains: dict[str, float]
    gain_intervals: dict[str, Interval]
    z: dict[str, float]
    infinite: dict[str, int]

    def within(self, limits: LengthLimits) -> bool:
        """Say whether few enough segments are longer than the limits."""
        return all(over is None or over <= limits.over for over in (self.over_units, self.over_tokens))


def sweep_without_reference(
    documents: CorpusLike,
    scorers: SystemsLike,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    encoder: str | Encoder | Precomputed = "default",
    thresholds: Sequence[float] | None = None,
    quantiles: int | None = None,
    min_gap: int = 1,
    limits: LengthLimits | None = None,
    draws: int = 30,
    resamples: int = 1000,
    seed: int = 0,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> FreeSweep:
    """Measure every threshold of every scorer without a reference.

    Parameters
    ----------
    documents : path or Corpus
        The texts; their boundaries, if any, are not looked at.
    scorers : mapping of name to path or Corpus, or paths
        Documents with one score per gap.
    metrics : iterable of str, optional
        Metrics without a reference; ARPpair, Silhouette and SegReFree if not given.
    encoder : str, Encoder or Precomputed
        Whose vectors.
    thresholds, quantiles, min_gap
        As in `caesura.sweep`.
    limits : LengthLimits, optional
        How long segments may be.
    draws : int
        Random segmentations per point.
    resamples, seed : int
        Of the bootstrap, and of all draws.
    cache, allow_download, format, strict
        As in `caesura.cohesion`.
    progress : callable, optional
        Told how many points are done, of how many.
    """
    check_resampling(resamples=resamples)
    checked_seed(seed)
    if draws < 2:
        raise DeclarationError(f"draws is {draws}; a distribution needs at least 2")
    asked = cohesion_metrics(DEFAULT_COHESION if metrics is None else metrics)
    corpus = read_source(documents, "documents", format=format, strict=strict).corpus
    systems = {name: s.corpus for name, s in read_systems(scorers, format=format, strict=strict).items()}
    scores = {name: _scores_of(corpus, system, name, min_gap) for name, system in systems.items()}
    grid = {name: threshold_grid(thresholds, quantiles, flat) for name, flat in scores.items()}
    base, vectors = embed_documents(corpus, encoder, cache, allow_download)
    limits = limits or LengthLimits()
    bare = [document.id for document in corpus if document.units is None]
    if limits.tokens is not None and bare:
        raise ComparabilityError(
            f"document {bare[0]!r}{and_more(len(bare))} has no texts, which a limit in tokens needs; give 'units'"
        )
    made = FreeSweep(
        corpus,
        scores,
        asked,
        base,
        vectors,
        grid,
        min_gap,
        limits,
        draws,
        Bootstrap(len(corpus), resamples, seed),
    )
    made.draw(progress)
    return made


@dataclasses.dataclass(frozen=True)
class FreeSweep:
    """Curves of several scorers without a reference; see `sweep_without_reference` for what the fields are."""

    corpus: Corpus
    scores: Mapping[str, FlatScores]
    metrics: Mapping[str, CohesionMetric]
    base: Embedded
    vectors: EncoderFacts
    thresholds: Mapping[str, Floats]
    min_gap: int
    limits: LengthLimits
    draws: int
    bootstrap: Bootstrap

    @property
    def points(self) -> dict[str, list[FreePoint]]:
        """The curve of each scorer, by ascending threshold."""
        return self.draw()

    def draw(self, progress: Callable[[int, int], None] | None = None) -> dict[str, list[FreePoint]]:
        """Make the curves, once."""
        known: dict[str, list[FreePoint]] | None = self.__dict__.get("_points")
        if known is not None:
            return known
        whole = sum(map(len, self.thresholds.values()))
        found: dict[str, list[FreePoint]] = {}
        done = 0
        for name, flat_scores in self.scores.items():
            found[name] = []
            for threshold in self.thresholds[name]:
                found[name].append(self._point(float(threshold), flat_scores.at_threshold(float(threshold))))
                done += 1
                if progress is not None:
                    progress(done, whole)
        self.__dict__["_points"] = found
        return found

    @functools.cached_property
    def _tokens(self) -> Floats | None:
        """How many words stand before each unit of the corpus, documents end to end."""
        if self.limits.tokens is None:
            return None
        counts = [len(text.split()) for document in self.corpus for text in document.units or ()]
        return np.concatenate(([0.0], np.cumsum(counts)))

    def _point(self, threshold: float, flat: Flat) -> FreePoint:
        scores = self._score(flat)
        nulls = null_distributions(
            scores,
            self.metrics,
            self.base.with_segmentations(flat),
            "count",
            self.draws,
            self.bootstrap.seed,
            min_gap=self.min_gap,
        )
        over_units, over_tokens = self._over(flat)
        gains = {name: self._gain(name, scores[name], null.mean) for name, null in nulls.items()}
        segments = len(flat.pos) + len(flat)
        return FreePoint(
            threshold=threshold,
            boundaries=len(flat.pos),
            per_100=100 * segments / int(flat.n_units.sum()),
            over_units=over_units,
            over_tokens=over_tokens,
            scores={name: _mean(values) for name, values in scores.items()},
            intervals={name: self._interval(values) for name, values in scores.items()},
            gains={name: _mean(values) for name, values in gains.items()},
            infinite={name: int(np.isinf(values).sum()) for name, values in scores.items()},
            gain_intervals={name: self._interval(values) for name, values in gains.items()},
            z={name: float(np.nan_to_num(null.z, nan=0.0).mean()) for name, null in nulls.items()},
        )

    def _gain(self, name: str, scores: Floats, chance: Floats) -> Floats:
        """Return what each document has above chance, by the direction of the metric.

        0 for a document left whole, which has nothing to show; NaN for one whose score is infinite, which is left out.
        """
        above = gain(self.metrics[name], scores, chance)
        return np.where(np.isnan(scores), 0.0, np.where(np.isfinite(above), above, np.nan))

    def _score(self, flat: Flat) -> dict[str, Floats]:
        tables = count_together(list(self.metrics.values()), self.base.with_segmentations(flat))
        return {n: m.score(table) for (n, m), table in zip(self.metrics.items(), tables, strict=True)}

    def _interval(self, values: Floats) -> Interval:
        finite = np.where(np.isfinite(values), values, np.nan)
        return self.bootstrap.interval(self.bootstrap.mean(finite), int((~np.isnan(finite)).sum()))

    def _over(self, flat: Flat) -> tuple[float | None, float | None]:
        """Return the shares of segments over the limits."""
        starts = np.concatenate(([0], np.cumsum(flat.n_units)))
        inner = flat.pos + np.repeat(starts[:-1], np.diff(flat.ptr))
        edges = np.union1d(inner, starts)
        units = tokens = None
        if self.limits.units is not None:
            units = float((np.diff(edges) > self.limits.units).mean())
        if self.limits.tokens is not None and self._tokens is not None:
            tokens = float((np.diff(self._tokens[edges]) > self.limits.tokens).mean())
        return units, tokens

    @property
    def recommends(self) -> str:
        """The metric that recommends: the silhouette, or the first."""
        names = [name for name, metric in self.metrics.items() if metric.name() == "Silhouette"]
        return (names or list(self.metrics))[0]

    def recommended(self, name: str | None = None, metric: str | None = None) -> Policy:
        """Return the point with the fewest boundaries whose gain is within the interval of the highest, and why.

        Parameters
        ----------
        name : str, optional
            The scorer; the only one if there is one.
        metric : str, optional
            The metric that recommends; `recommends` if none is named.

        Raises
        ------
        ComparabilityError
            If several scorers were swept and none is named, or no threshold keeps the limits.
        """
        if name is None:
            if len(self.scores) != 1:
                raise ComparabilityError(f"several scorers; say for which: {', '.join(self.scores)}")
            name = next(iter(self.scores))
        if name not in self.scores:
            raise ComparabilityError(f"{name!r} is no scorer; there are {', '.join(self.scores)}")
        metric = metric or self.recommends
        if metric not in self.metrics:
            raise ComparabilityError(f"{metric!r} was not swept; there are {', '.join(self.metrics)}")
        points = self.points[name]
        if not any(p.boundaries for p in points):
            raise ComparabilityError(f"no threshold of {name!r} sets a boundary; lower the thresholds")
        allowed = [p for p in points if p.boundaries and p.within(self.limits)]
        if not allowed:
            least = min(max(p.over_units or 0.0, p.over_tokens or 0.0) for p in points)
            raise ComparabilityError(
                f"no threshold of {name!r} keeps the limits on length; at best {least:.0%} of the segments are longer: "
                "lower the thresholds, or raise the limit"
            )
        top = max(allowed, key=lambda p: (p.gains[metric], p.threshold))
        low = top.gain_intervals[metric].low
        near = [p for p in allowed if p is top or p.gains[metric] >= low]
        best = max(near, key=lambda p: p.threshold)
        if top.gains[metric] <= 0 or not low > 0:
            why = f"no threshold is surely better than chance by {metric}; this is the sparsest of the best"
        else:
            why = (
                f"fewest boundaries among the {len(near)} thresholds whose {metric} above chance at equal density reaches the "
                f"interval of the highest ({top.gains[metric]:.3f} at {top.threshold:g})"
            )
        if len(allowed) < len(points):
            why += f"; {len(allowed)} of {len(points)} thresholds keep the limits on length"
        return Policy(
            selector=str(StaticSelector(threshold=best.threshold, min_gap=self.min_gap)),
            why=why,
            scorer=name,
            reached={
                "units_per_segment": 100 / best.per_100,
                **{m: as_number(v) for m, v in best.scores.items()},
                **{f"{m} above chance": as_number(v) for m, v in best.gains.items()},
            },
        )

    # ------------------------------------------------------------------ showing

    def tables(self) -> list[Table]:
        """Return the curve of each scorer."""
        return [self._table(name) for name in self.scores]

    def _table(self, name: str) -> Table:
        columns = [Column("threshold"), Column("boundaries"), Column("segments/100", digits=1)]
        if self.limits.units is not None:
            columns.append(Column(f"> {self.limits.units} units %", digits=1))
        if self.limits.tokens is not None:
            columns.append(Column(f"> {self.limits.tokens} tokens %", digits=1))
        for metric in self.metrics:
            columns += [Column(metric), Column("above chance", "higher"), Column("95 %")]
        rows: list[list[Value]] = []
        for p in self.points[name]:
            row: list[Value] = [p.threshold, p.boundaries, p.per_100]
            row += [100 * over for over in (p.over_units, p.over_tokens) if over is not None]
            for metric in self.metrics:
                i = p.gain_intervals[metric]
                row += [
                    p.scores[metric],
                    p.gains[metric],
                    "" if math.isnan(i.low) else f"{i.low:.3f}..{i.high:.3f}",
                ]
            rows.append(row)
        b = self.bootstrap
        note = (
            f"no reference; vectors of {self.vectors.name} ({self.vectors.fingerprint}); above chance: the score "
            f"less that of as many random boundaries ({self.draws} draws), 0 for a document left whole; intervals: documents resampled "
            f"{b.resamples} times, seed {b.seed}; min_gap {self.min_gap}"
        )
        infinite = {
            f"{metric}: infinite in up to {most} documents of a threshold, left out there": None
            for metric in self.metrics
            if (most := max(p.infinite[metric] for p in self.points[name]))
        }
        return Table(columns, rows, notes=[note, *infinite], title=name)

    def curve(self, name: str) -> list[dict[str, Any]]:
        """Return the curve of a scorer as rows of plain data."""
        rows = []
        for p in self.points[name]:
            row: dict[str, Any] = {
                "threshold": p.threshold,
                "boundaries": p.boundaries,
                "segments_per_100": p.per_100,
                "over_units": p.over_units,
                "over_tokens": p.over_tokens,
            }
            for metric, score in p.scores.items():
                row[metric] = as_number(score)
                row[f"{metric}_ci"] = [
                    as_number(v) for v in (p.intervals[metric].low, p.intervals[metric].high)
                ]
                row[f"{metric}_gain"] = as_number(p.gains[metric])
                ends = p.gain_intervals[metric]
                row[f"{metric}_gain_ci"] = [as_number(ends.low), as_number(ends.high)]
                row[f"{metric}_z"] = as_number(p.z[metric])
                row[f"{metric}_infinite"] = p.infinite[metric]
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "schema": "caesura.sweep/1",
            "caesura": __version__,
            "reference": None,
            "documents": len(self.corpus),
            "unit": self.corpus.unit,
            "encoder": dataclasses.asdict(self.vectors),
            "min_gap": self.min_gap,
            "limits": dataclasses.asdict(self.limits),
            "draws": self.draws,
            "resamples": self.bootstrap.resamples,
            "seed": self.bootstrap.seed,
            "curves": {name: self.curve(name) for name in self.scores},
        }


def _scores_of(documents: Corpus, scored: Corpus, name: str, min_gap: int) -> FlatScores:
    """Return the scores of a scorer for the documents, in their order."""
    lacking = [key for key in documents.ids if key not in scored]
    if lacking:
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} is missing from {name!r}; add its scores"
        )
    flat = FlatScores.from_corpus(scored, documents.ids, min_gap)
    wrong = np.flatnonzero(flat.n_units != documents.flat.n_units)
    if len(wrong):
        row = int(wrong[0])
        raise ComparabilityError(
            f"document {documents.ids[row]!r} has {documents.flat.n_units[row]} units, but {name!r} scores "
            f"{flat.n_units[row]}; both must be of the same units{and_more(len(wrong), True)}"
        )
    return flat


def _mean(values: Floats) -> float:
    kept = values[np.isfinite(values)]
    return float(kept.mean()) if len(kept) else math.nan
