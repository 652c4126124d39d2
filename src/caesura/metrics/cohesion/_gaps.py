# SPDX-License-Identifier: Apache-2.0
"""What is known of every gap of a document: how the windows on its two sides differ, in vectors, in letters and on the surface.

No boundary is looked at. A column is one feature, standardised over the gaps of the document; linear in the length of the
document, since windows have at most `_WIDEST` units on each side.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

import numpy as np

from caesura.batches.embedded import Embedded, Vectors
from caesura.batches.flat import Ints
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._likeness import centred
from caesura.metrics.cohesion._prefix import running
from caesura.metrics.cohesion._surface import LISTS, SURFACE, surface
from caesura.metrics.cohesion._words import Occurrences, evidence_steps

__all__ = ["FEATURES", "LISTS", "UNTRAINED", "features", "rotated_gaps", "scale_of_sum", "values_beside"]

_WINDOWS = (1, 2, 3, 5, 8)
_GAINS = (2, 3, 5, 8, 12)
_EVIDENCE = (2, 5, 8)
_WIDEST = max(_GAINS)
_NEAR = 2  # gaps on each side that a gap is compared with
_SQUARE = 256  # units up to which all products are made at once
_SAME = 1e-9  # spreads and lengths below this share of the whole are rounding


def _named(kind: str, windows: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{kind} {window}" for window in windows)


_OF_VECTORS = (
    *_named("vectors", _WINDOWS),
    *_named("centred", _WINDOWS),
    *_named("vectors depth", _WINDOWS),
    *_named("gain", _GAINS),
)
_OF_LETTERS = (
    *_named("letters", _WINDOWS),
    *_named("letters depth", _WINDOWS),
    *_named("evidence", _EVIDENCE),
    *_named("new after", _WINDOWS),
    *_named("gone before", _WINDOWS),
)
_PLAIN = _OF_VECTORS + _OF_LETTERS
FEATURES = (*_PLAIN, *(f"{name} above neighbours" for name in _PLAIN), *SURFACE)
"""The name of each column."""

UNTRAINED: Floats = np.zeros(len(FEATURES))
"""The weights that nothing was learned for: each window of the centred vectors and of the letters counts once, and the former
half as much again where it stands out among its neighbours."""
for _window in _WINDOWS:
    UNTRAINED[FEATURES.index(f"centred {_window}")] = UNTRAINED[FEATURES.index(f"letters {_window}")] = 1.0
    UNTRAINED[FEATURES.index(f"centred {_window} above neighbours")] = 0.5
UNTRAINED.flags.writeable = False


def features(
    vectors: Vectors,
    texts: Sequence[str] | None,
    speakers: Sequence[str] | None = None,
    found: Occurrences | None = None,
) -> Floats:
    """Return one row per gap: every feature, standardised; those of the text are 0 without one. ``found`` are the words of the texts, if known.

    >>> features(np.eye(3), ["a", "b", "c"]).shape == (2, len(FEATURES))
    True
    """
    gaps = len(vectors) - 1
    out = np.zeros((gaps, len(FEATURES)))
    if gaps < 2:
        return out
    plain, where = len(_PLAIN), _Windows(len(vectors))
    out[:, : len(_OF_VECTORS)] = _of_vectors(vectors, where)
    if texts is not None:
        out[:, len(_OF_VECTORS) : plain] = _of_letters(found or Occurrences(texts), where)
        out[:, 2 * plain :] = surface(texts, speakers)
    out = _standardised(out)
    out[:, plain : 2 * plain] = _standardised(_above_neighbours(out[:, :plain]))
    return out


def scale_of_sum(gaps: int, chosen: int) -> float:
    """Return the standard deviation of the sum of k of m values of mean 0 and variance 1, over all choices of k; 0 if there is one choice.

    >>> round(scale_of_sum(4, 2), 4)
    1.1547
    """
    return math.sqrt(chosen * (gaps - chosen) / (gaps - 1)) if 0 < chosen < gaps else 0.0


def rotated_gaps(values: Floats, boundaries: Ints, by: Ints) -> Floats:
    """Return the sum over the boundaries after each shift, round the end of the document.

    >>> rotated_gaps(np.array([1.0, 2, 4]), np.array([1, 3]), np.arange(3)).tolist()
    [5.0, 3.0, 6.0]
    """
    return sum((values[(place + by) % len(values)] for place in (boundaries - 1).tolist()), np.zeros(len(by)))


def values_beside(batch: Embedded, values: Iterable[Floats], *, undefined: bool) -> Floats:
    """Return the mean value of the boundaries of each segment; a document of one segment has 0, or no value."""
    flat, where = batch.segmentations, layout(batch)
    out = np.zeros(len(where.document))
    for row, of_gaps in enumerate(values):
        own = of_gaps[flat.pos[flat.ptr[row] : flat.ptr[row + 1]] - 1]
        if len(own):
            some = slice(int(where.ptr[row]), int(where.ptr[row + 1]))
            out[some] = np.concatenate((own[:1], (own[1:] + own[:-1]) / 2, own[-1:]))
    if undefined:
        out[where.alone[where.document]] = np.nan
    return out


class _Windows:
    """The windows on both sides of every gap: widths in rows, gaps in columns; fewer units at the ends."""

    def __init__(self, n_units: int) -> None:
        self.n_units = n_units
        self.gap = np.arange(1, n_units)

    def edges(self, widths: Sequence[int]) -> tuple[Ints, Ints]:
        """Return where the windows before the gaps begin, and where those after them end."""
        wide = np.array(widths)[:, None]
        return np.maximum(self.gap - wide, 0), np.minimum(self.gap + wide, self.n_units)


class _Sums:
    """Sums over the square blocks along the diagonal of one or several symmetric matrices of which only a band is known.

    ``band[..., o, i]`` is what units i - o and i have in common, both ways if they differ; where i < o it is not read. Running sums
    along the band, and then across it, make any block two look-ups.
    """

    def __init__(self, band: Floats) -> None:
        width, n_units = band.shape[-2:]
        ends = np.zeros((*band.shape[:-1], n_units + 1))
        np.cumsum(band, axis=-1, out=ends[..., 1:])
        begins = np.zeros_like(ends)
        for apart in range(width):
            # Pairs whose earlier unit lies before.
            begins[..., apart, : n_units + 1 - apart] = ends[..., apart, apart:]
        self._ends, self._begins = np.cumsum(ends, axis=-2), np.cumsum(begins, axis=-2)

    def __call__(self, lo: Ints, hi: Ints) -> Floats:
        """Return the sum over the units from lo to hi - 1, paired with one another and with themselves."""
        apart = hi - lo - 1
        return np.asarray(self._ends[..., apart, hi] - self._begins[..., apart, lo])


@dataclasses.dataclass(frozen=True)
class _Sides:
    """Squared lengths of the summed vectors before and after each gap, and the product of the two sums."""

    before: Floats
    after: Floats
    product: Floats

    @classmethod
    def of(cls, sums: _Sums, lo: Ints, gap: Ints, hi: Ints) -> _Sides:
        before, after, both = sums(lo, gap + 0 * lo), sums(gap + 0 * hi, hi), sums(lo, hi)
        return cls(before, after, (both - before - after) / 2)

    def cosine(self, size: float | Floats) -> Floats:
        """Return the cosine of the two sums; 0 where one of them is 0 but for rounding."""
        long = np.sqrt(np.maximum(self.before, 0.0) * np.maximum(self.after, 0.0))
        proper = np.minimum(self.before, self.after) > _SAME * size
        return np.asarray(np.divide(self.product, long, out=np.zeros_like(long), where=proper))


def _of_vectors(vectors: Vectors, where: _Windows) -> Floats:
    """Return the features of vectors, one row per gap."""
    n_units = where.n_units
    moved, mean = centred(vectors.astype(np.float64))
    width, later = min(2 * _WIDEST, n_units), np.arange(n_units)
    earlier = later - np.arange(width)[:, None]
    band, along = np.empty((2, width, n_units)), moved @ mean
    if n_units <= _SQUARE:
        band[0] = (moved @ moved.T)[earlier, later]
    else:
        for apart in range(width):
            band[0, apart, apart:] = np.einsum("ij,ij->i", moved[apart:], moved[: n_units - apart])
            band[0, apart, :apart] = 0.0
    np.add(band[0], along + float(mean @ mean), out=band[1])
    band[1] += along[earlier]
    squares = running(band[0, 0])
    band[:, 1:] *= 2.0
    size, raw_size = np.add.reduce(band[:, 0], axis=1).tolist()
    both = _Sums(band)
    lo, hi = where.edges(_WINDOWS)
    alike, cosines = _Sides.of(both, lo, where.gap, hi).cosine(np.array([size, raw_size])[:, None, None] / n_units)
    lo, hi = where.edges(_GAINS)
    gap = np.broadcast_to(where.gap, lo.shape)
    gains = np.zeros(lo.shape)
    for sign, begin, end in ((1.0, lo, gap), (1.0, gap, hi), (-1.0, lo, hi)):
        several = np.maximum(end - begin - 1, 1)
        likeness = (both(begin, end)[0] - (squares[end] - squares[begin])) / several
        gains += sign * np.where(end - begin > 1, likeness, 0.0)
    if size <= _SAME**2 * raw_size:
        alike[:], gains[:] = 0.0, 0.0
    return np.concatenate((-cosines, -alike, _depths(cosines), gains)).T


def _of_letters(found: Occurrences, where: _Windows) -> Floats:
    """Return the features of stretches of letters, one row per gap."""
    n_units = where.n_units
    out = np.zeros((len(_OF_LETTERS), n_units - 1))
    if not len(found.word):
        return out.T
    entry = found.distinct()
    width = min(2 * max(_WINDOWS), n_units)
    band = np.zeros((width, n_units))
    band[0] = np.bincount(entry.unit, entry.weight**2, n_units)
    sides, words = _WINDOWS, len(_WINDOWS)
    for first, second in entry.pairs(width):
        place = (entry.unit[second] - entry.unit[first]) * n_units + entry.unit[second]
        band += np.bincount(place, 2 * entry.weight[first] * entry.weight[second], band.size).reshape(band.shape)
    lo, hi = where.edges(sides)
    cosines = _Sides.of(_Sums(band), lo, where.gap, hi).cosine(float(band[0].mean()))
    out[:words], out[words : 2 * words] = -cosines, _depths(cosines)
    lo, hi = where.edges(_EVIDENCE)
    out[2 * words : 2 * words + len(_EVIDENCE)] = _evidence(found, width, lo, where.gap, hi)
    out[2 * words + len(_EVIDENCE) :] = entry.unseen(sides)
    return out.T


def _evidence(found: Occurrences, width: int, lo: Ints, gap: Ints, hi: Ints) -> Floats:
    """Return the log evidence for two stretches against one, per occurrence."""
    n_units = found.n_units
    band = np.zeros((width, n_units))
    own, every = evidence_steps(found)
    gain = np.diff(own, 2)
    for first, second in found.pairs(width):
        place = (found.unit[second] - found.unit[first]) * n_units + found.unit[second]
        band += np.bincount(place, gain[second - first - 1], band.size).reshape(band.shape)
    before = running(np.bincount(found.unit, minlength=n_units).astype(np.float64)).astype(np.int64)
    sums = _Sums(band)
    total = np.zeros(lo.shape)
    for sign, begin, end in ((1.0, lo, gap + 0 * lo), (1.0, gap + 0 * hi, hi), (-1.0, lo, hi)):
        total += sign * (sums(begin, end) - every[before[end] - before[begin]])
    return np.asarray(total / np.maximum(before[hi] - before[lo], 1))


def _depths(cosines: Floats) -> Floats:
    """Return how deep each gap lies below the nearest peaks on both sides, in every row.

    >>> _depths(np.array([[0.5, 0.1, 0.3, 0.9, 0.2]])).round(3).tolist()
    [[0.0, 1.2, 0.6, 0.0, 0.7]]
    """
    return _peaks(cosines) + _peaks(cosines[:, ::-1])[:, ::-1] - 2 * cosines


def _peaks(values: Floats) -> Floats:
    """Return the value at the top of the slope that leads up to the left of each place."""
    places = np.broadcast_to(np.arange(values.shape[1]), values.shape).copy()
    places[:, 1:][values[:, :-1] >= values[:, 1:]] = 0
    return np.take_along_axis(values, np.maximum.accumulate(places, axis=1), axis=1)


def _standardised(columns: Floats) -> Floats:
    """Return columns with mean 0 and standard deviation 1; 0 where a column is constant."""
    away = columns - np.add.reduce(columns, axis=0) / len(columns)
    spread = np.sqrt(np.einsum("ij,ij->j", away, away) / len(away))
    largest = np.maximum(columns.max(axis=0), -columns.min(axis=0))
    proper = spread > _SAME * np.maximum(1.0, largest)
    return np.asarray(away / np.where(proper, spread, np.inf))


def _above_neighbours(columns: Floats) -> Floats:
    """Return columns less the highest of the nearest gaps on both sides; the ends are repeated."""
    ends = np.repeat(columns[[0, -1]], _NEAR, axis=0)
    padded = np.concatenate((ends[:_NEAR], columns, ends[_NEAR:]))
    highest = padded[: len(columns)].copy()
    for by in (by for by in range(1, 2 * _NEAR + 1) if by != _NEAR):
        np.maximum(highest, padded[by : by + len(columns)], out=highest)
    return np.asarray(columns - highest)
