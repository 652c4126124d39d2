# SPDX-License-Identifier: Apache-2.0
"""Silhouette."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import numpy as np

from caesura.batches.embedded import Embedded, Vectors
from caesura.batches.flat import Ints
from caesura.declare import param
from caesura.kernels import one_thread
from caesura.kernels import silhouettes as kernel
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._base import COHESION, BoundedMetric, bounded_card, pool
from caesura.metrics.cohesion._layout import layout, shared_rows

NEARLY = 1e-6
"""Below this share of the squared lengths, a squared distance is recomputed from differences."""
Summed = Callable[[slice, slice], Floats]
"""Maps rows of units and a range of segments to the summed distance of each unit to each segment."""
SILHOUETTE_DISTANCES = ("l2", "l1", "cosine", "sqeuclidean")
_ROWS = 128  # units of a long document looked at together
_CELLS = 1 << 20  # distances held at once
_SHORT = 1 << 8  # units of a document whose products are all made, though only neighbours are compared
_SQUARE = 1 << 10  # the same where all segments are compared
_SHARED_UNITS = 2048  # all distances of one document are held up to this length


def silhouettes(batch: Embedded, distance: str, adjacent: bool) -> Floats:
    """Return the silhouette of each unit, document by document; NaN in documents of one segment."""
    return batch.remember(("silhouettes", distance, adjacent), lambda: _silhouettes(batch, distance, adjacent))


@one_thread()
def _silhouettes(batch: Embedded, distance: str, adjacent: bool) -> Floats:
    if adjacent and shared_rows(batch) and int(batch.n_units.max()) <= _SHARED_UNITS:
        return np.concatenate([_shared(batch, rows, distance) for rows in shared_rows(batch)])
    ends = np.cumsum(batch.n_units)
    out = np.full(int(ends[-1]) if len(ends) else 0, np.nan)
    flat, last = batch.segmentations, (-1, -1)
    known: _Document | None = None
    for row in np.flatnonzero(np.diff(flat.ptr) > 0).tolist():
        n_units = int(batch.n_units[row])
        bounds = np.concatenate(([0], flat.pos[flat.ptr[row] : flat.ptr[row + 1]], [n_units]))
        here = int(batch.starts[row]), n_units
        if known is None or here != last:
            # Segmentations of one document stand one after the other, and share its products.
            known, last = _Document(batch.vectors_of(row), distance), here
        known.write(bounds, adjacent, out[int(ends[row]) - n_units : int(ends[row])])
    return out


def _shared(batch: Embedded, rows: slice, distance: str) -> Floats:
    """Return the silhouettes of many segmentations of one document from shared running sums of its distances."""
    whole = prepared(batch.vectors_of(rows.start), distance)
    everything = slice(0, len(whole))
    running = np.zeros((len(whole), len(whole) + 1))
    np.cumsum(distances(whole, everything, everything, distance), axis=1, out=running[:, 1:])
    flat = batch.segmentations
    out = np.empty((rows.stop - rows.start, len(whole)))
    if kernel.COMPILED:
        ends = rows.start, rows.stop, len(whole), 0
        kernel.measure_shared_silhouettes(running, flat.ptr, flat.pos, *ends, out.reshape(-1))
    else:
        for place, row in enumerate(range(rows.start, rows.stop)):
            edges = np.concatenate(([0], flat.pos[flat.ptr[row] : flat.ptr[row + 1]], [len(whole)]))
            sizes = np.diff(edges)
            own = np.repeat(np.arange(len(sizes)), sizes)
            out[place] = _values(np.diff(running[:, edges], axis=1), own, sizes, adjacent=True)
    out[np.diff(flat.ptr[rows.start : rows.stop + 1]) == 0] = np.nan
    return out.reshape(-1)


class _Document:
    """The vectors of a document, for the silhouettes of its segmentations."""

    def __init__(self, vectors: Vectors, distance: str) -> None:
        self._distance = distance
        self._whole = prepared(vectors, distance)
        self._compiled = distance == "l2" and kernel.COMPILED
        self._room = np.empty(len(vectors))

    @functools.cached_property
    def _products(self) -> Floats:
        return np.asarray(self._whole @ self._whole.T)

    @functools.cached_property
    def _squares(self) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self._whole, self._whole))

    def write(self, bounds: Ints, adjacent: bool, out: Floats) -> None:
        """Write the silhouettes of the units in several segments, block by block if the document is long."""
        whole = self._whole
        if self._compiled and len(whole) <= (_SHORT if adjacent else _SQUARE):
            self._measure(self._products, bounds, (0, len(whole), 0, 0), adjacent, out)
            return
        sizes = np.diff(bounds)
        segment = np.repeat(np.arange(len(sizes)), sizes)
        sums = None if self._compiled else summed(whole, bounds, self._distance)
        begin = 0
        while begin < len(whole):
            first = int(segment[begin])
            left = max(first - 1, 0) if adjacent else 0
            rows = slice(begin, _enough(begin, bounds, segment, left, adjacent))
            right = min(int(segment[rows.stop - 1]) + 2, len(sizes)) if adjacent else len(sizes)
            if sums is None:
                columns = slice(int(bounds[left]), int(bounds[right]))
                products = whole[rows] @ whole[columns].T
                self._measure(products, bounds, (rows.start, rows.stop, columns.start, first), adjacent, out)
            else:
                totals = sums(rows, slice(left, right))
                out[rows] = _values(totals, segment[rows] - left, sizes[left:right], adjacent)
            begin = rows.stop

    def _measure(
        self, products: Floats, bounds: Ints, block: tuple[int, int, int, int], adjacent: bool, out: Floats
    ) -> None:
        kernel.measure_silhouettes(
            products, self._whole, self._squares, bounds, *block, int(adjacent), NEARLY, self._room, out
        )


def _enough(begin: int, bounds: Ints, segment: Ints, left: int, adjacent: bool) -> int:
    """Return where a block of rows must end so that its distances fit into memory."""
    n_units = len(segment)
    if not adjacent:
        return min(n_units, begin + max(1, _CELLS // n_units))
    stop = min(n_units, begin + _ROWS)
    while True:
        right = min(int(segment[stop - 1]) + 2, len(bounds) - 1)
        width = int(bounds[right] - bounds[left])
        if (stop - begin) * width <= _CELLS or stop - begin == 1:
            return stop
        stop = begin + max(1, (stop - begin) // 2)


def _values(sums: Floats, own: Ints, sizes: Ints, adjacent: bool) -> Floats:
    """Return the silhouettes of some units from their summed distances to segments."""
    rows = np.arange(len(sums))
    a = ratio(sums[rows, own], (sizes[own] - 1).astype(np.float64))
    means = sums / sizes
    if adjacent:
        before = np.where(own > 0, means[rows, np.maximum(own - 1, 0)], np.inf)
        last = len(sizes) - 1
        after = np.where(own < last, means[rows, np.minimum(own + 1, last)], np.inf)
        b = np.minimum(before, after)
    else:
        means[rows, own] = np.inf
        b = means.min(axis=1)
    return np.where(sizes[own] == 1, 0.0, _compared(a, b))


def _compared(a: Floats, b: Floats) -> Floats:
    """Return (b - a) / max(a, b); 0 where both are 0."""
    with np.errstate(invalid="ignore"):
        return ratio(b - a, np.maximum(a, b), empty=0.0)


def prepared(vectors: Vectors, distance: str) -> Floats:
    """Return vectors as float64; under ``cosine`` as unit vectors, zero vectors unchanged."""
    whole = vectors.astype(np.float64)
    if distance == "cosine":
        lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole))
        whole /= np.where(lengths == 0, 1.0, lengths)[:, None]
    elif distance == "sqeuclidean":
        whole -= whole.mean(axis=0)
    return whole


def summed(whole: Floats, bounds: Ints, distance: str) -> Summed:
    """Return a function that sums distances to the segments of a document."""
    if distance in ("cosine", "sqeuclidean"):
        return _by_sums(whole, bounds, cosine=distance == "cosine")

    def by_distances(rows: slice, some: slice) -> Floats:
        columns = slice(int(bounds[some.start]), int(bounds[some.stop]))
        found = distances(whole, rows, columns, distance)
        return np.asarray(np.add.reduceat(found, bounds[some.start : some.stop] - columns.start, axis=1))

    return by_distances


def distances(whole: Floats, rows: slice, columns: slice, distance: str) -> Floats:
    """Return the distances between units of a document that went through `prepared`; 0 to itself."""
    if distance == "l1":
        from scipy.spatial.distance import cdist  # type: ignore[import-untyped]

        return np.asarray(cdist(whole[rows], whole[columns], "cityblock"))
    squares = np.einsum("ij,ij->i", whole, whole)
    found = _squared(whole, squares, rows, columns)
    if distance == "l2":
        return np.sqrt(found, out=found)
    if distance == "cosine":
        found /= 2
        for place, zero in ((0, squares[rows] == 0), (1, squares[columns] == 0)):
            if zero.any():
                found[(zero, slice(None)) if place == 0 else (slice(None), zero)] = 1.0
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        found[same - rows.start, same - columns.start] = 0.0
    return found


def _by_sums(whole: Floats, bounds: Ints, *, cosine: bool) -> Summed:
    """Return summed squared distances (halved: cosine distances of unit vectors) from the sums of each segment."""
    squares = np.einsum("ij,ij->i", whole, whole)
    sizes = np.diff(bounds).astype(np.float64)
    sums = np.add.reduceat(whole, bounds[:-1], axis=0)
    totals = np.add.reduceat(squares, bounds[:-1])
    segment = np.repeat(np.arange(len(sizes)), np.diff(bounds))
    # A zero vector has cosine 0 with every other, so it is one apart from all of them but not from itself.
    zero = np.flatnonzero(squares == 0) if cosine else np.empty(0, dtype=np.int64)
    zeros = np.bincount(segment[zero], minlength=len(sizes)) if cosine else 0 * sizes

    def by_sums(rows: slice, some: slice) -> Floats:
        products = whole[rows] @ sums[some].T
        scale = squares[rows, None] * sizes[some] + totals[some]
        found = scale - 2 * products
        for row, place in np.argwhere(found <= NEARLY * scale):
            begin, end = bounds[some.start + place], bounds[some.start + place + 1]
            moved = whole[begin:end] - whole[rows.start + row]
            found[row, place] = np.einsum("ij,ij->", moved, moved)
        if cosine:
            found /= 2
            if len(zero):
                found += zeros[some] / 2
                lone = zero[(zero >= rows.start) & (zero < rows.stop)]
                found[lone - rows.start] = sizes[some]
                inside = (segment[lone] >= some.start) & (segment[lone] < some.stop)
                found[lone[inside] - rows.start, segment[lone[inside]] - some.start] -= 1.0
        return np.asarray(found)

    return by_sums


def _squared(whole: Floats, squares: Floats, rows: slice, columns: slice) -> Floats:
    """Return squared Euclidean distances by one matrix product, those of close pairs from differences."""
    found = whole[rows] @ whole[columns].T
    found *= -2
    sums = squares[rows, None] + squares[columns]
    found += sums
    near = np.nonzero(found <= NEARLY * sums)
    for begin in range(0, len(near[0]), 1024):
        first, second = near[0][begin : begin + 1024], near[1][begin : begin + 1024]
        moved = whole[first + rows.start] - whole[second + columns.start]
        found[first, second] = np.einsum("ij,ij->i", moved, moved)
    return np.asarray(found)


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class Silhouette(BoundedMetric):
    r"""How much closer units are to their own segment than to the closer of its two neighbours.

    Definition
    ----------
    For each unit, a is the mean distance to the other units of its segment, b the mean distance to the units of the segment
    before or after, whichever is smaller. The value of a segment is the mean over its units, the score is the mean over
    segments.

    .. math::  s = \frac{b - a}{\max(a, b)}

    ``weighting='unit'`` pools units instead of segments. ``adjacent=False`` takes b over all other segments, which is the
    silhouette of clusters as in scikit-learn (which pools units).

    Edge cases
    ----------
    A segment of one unit scores 0, and so does a unit with a = b = 0. One segment: NaN, or -1 under ``on_single='worst'``.
    A zero vector has no direction: its cosine with anything is 0, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 2], [8, 3]])
    >>> round(Silhouette()(Segmentation(6, (4,)), vectors), 4)
    0.8354

    See Also
    --------
    SegReFree : compares centroids instead of units.
    """

    distance: str = param("l2", "distance of vectors", choices=SILHOUETTE_DISTANCES)
    adjacent: bool = param(True, "compare with the neighbouring segments only, not with all")
    weighting: str = param(
        "segment", "what is pooled: segments by the mean of their units, or units", choices=("segment", "unit")
    )

    card = bounded_card(
        title="how much nearer units lie to their own segment than to a neighbouring one",
        citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING; Rousseeuw 1987",
        equation="Eq. 8-12",
        formula="mean of (b - a) / max(a, b)",
    )

    def raw(self, batch: Embedded) -> Floats:
        """Return the mean over the units of each segment."""
        where = layout(batch)
        begin = np.cumsum(where.lengths) - where.lengths
        units = silhouettes(batch, self.distance, self.adjacent)
        return np.add.reduceat(units, begin) / where.lengths if len(units) else units

    def count(self, batch: Embedded) -> Floats:
        """Return the counts of each document; under ``weighting='unit'`` units are pooled."""
        if self.weighting == "segment":
            return super().count(batch)
        units = silhouettes(batch, self.distance, self.adjacent)
        document = np.repeat(np.arange(len(batch)), batch.n_units)
        if self.on_single == "worst":
            units = np.where(layout(batch).alone[document], self.worst(), units)
        return pool(units, document, np.ones(len(units)), len(batch), self.pooling)
