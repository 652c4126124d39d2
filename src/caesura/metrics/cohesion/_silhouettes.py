# SPDX-License-Identifier: Apache-2.0
"""The silhouette of each unit: mean distance to the units of its own segment, of its neighbours or of all others."""

from __future__ import annotations

import numpy as np

from caesura.batches.embedded import Embedded, Vectors
from caesura.batches.flat import Ints
from caesura.kernels import one_thread
from caesura.kernels import silhouettes as silhouettes_kernel
from caesura.kernels import variants as variants_kernel
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._distances import NEARLY, distances, prepared, summed
from caesura.metrics.cohesion._layout import layout, shared_rows

SILHOUETTE_DISTANCES = ("l2", "l1", "cosine", "sqeuclidean")
_ROWS = 128  # units of a long document looked at together
_CELLS = 1 << 20  # distances held at once
_SHORT = 1 << 8  # units of a document whose products are made by the loops of the kernel
_SQUARE = 1 << 10  # units of a document all of whose distances are held
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
    rest = np.diff(batch.segmentations.ptr) > 0
    if distance == "l2" and silhouettes_kernel.COMPILED:
        short = rest & (batch.n_units <= _SHORT)
        if short.any():
            _short(batch, int(batch.n_units[short].max()), adjacent, out)
        rest &= ~short
    for row in np.flatnonzero(rest).tolist():
        where = layout(batch)
        some = slice(int(where.ptr[row]), int(where.ptr[row + 1]))
        bounds = np.append(where.lo[some] - batch.starts[row], batch.n_units[row])
        mine = out[int(ends[row] - batch.n_units[row]) : int(ends[row])]
        _document(batch.vectors_of(row), bounds, distance, adjacent, mine)
    return out


def _shared(batch: Embedded, rows: slice, distance: str) -> Floats:
    """Return the silhouettes of many segmentations of one document from shared running sums of its distances."""
    whole = prepared(batch.vectors_of(rows.start), distance)
    everything = slice(0, len(whole))
    running = np.zeros((len(whole), len(whole) + 1))
    np.cumsum(distances(whole, everything, everything, distance), axis=1, out=running[:, 1:])
    flat = batch.segmentations
    out = np.empty((rows.stop - rows.start, len(whole)))
    if variants_kernel.COMPILED:
        ends = rows.start, rows.stop, len(whole), 0
        variants_kernel.measure_shared_silhouettes(running, flat.ptr, flat.pos, *ends, out.reshape(-1))
    else:
        for place, row in enumerate(range(rows.start, rows.stop)):
            edges = np.concatenate(([0], flat.pos[flat.ptr[row] : flat.ptr[row + 1]], [len(whole)]))
            sizes = np.diff(edges)
            own = np.repeat(np.arange(len(sizes)), sizes)
            out[place] = _values(np.diff(running[:, edges], axis=1), own, sizes, adjacent=True)
    out[np.diff(flat.ptr[rows.start : rows.stop + 1]) == 0] = np.nan
    return out.reshape(-1)


def _short(batch: Embedded, longest: int, adjacent: bool, out: Floats) -> None:
    """Write the silhouettes of the documents of several segments and at most ``longest`` units."""
    flat, kernel = batch.segmentations, silhouettes_kernel
    rows, columns = longest + kernel.COLUMNS, -(-batch.dimension // kernel.LANES) * kernel.LANES
    sums = np.empty(kernel.ROWS * kernel.COLUMNS * kernel.LANES)
    squares, found = np.empty((2, rows))
    kernel.measure_short(
        batch.vectors, batch.starts, flat.n_units, flat.ptr, flat.pos, longest, int(adjacent), NEARLY, int(kernel.WIDE),
        _at_a_line(rows, columns), np.empty((rows, rows)), squares, found, sums, np.empty(rows, dtype=np.int64), out,
    )  # fmt: skip


def _at_a_line(rows: int, columns: int) -> Floats:
    """Return a table that begins at a line of the cache (64 bytes), where the processor reads it a fifth faster."""
    room = np.empty(rows * columns + 8)
    begin = -room.ctypes.data % 64 // 8
    return room[begin : begin + rows * columns].reshape(rows, columns)


def _document(vectors: Vectors, bounds: Ints, distance: str, adjacent: bool, out: Floats) -> None:
    """Write the silhouettes of a document of several segments, block by block."""
    whole = prepared(vectors, distance)
    compiled = distance == "l2" and silhouettes_kernel.COMPILED
    wide = int(compiled and silhouettes_kernel.WIDE)
    found = np.empty(len(whole))
    if compiled and not adjacent and len(whole) <= _SQUARE:
        products = whole @ whole.T
        squares = products.diagonal().copy()
        silhouettes_kernel.measure_silhouettes(
            products, whole, squares, bounds, 0, len(whole), 0, 0, int(adjacent), NEARLY, wide, found, out
        )
        return
    sizes = np.diff(bounds)
    segment = np.repeat(np.arange(len(sizes)), sizes)
    squares = np.einsum("ij,ij->i", whole, whole)
    sums = summed(whole, bounds, distance)
    begin = 0
    while begin < len(whole):
        first = int(segment[begin])
        left = max(first - 1, 0) if adjacent else 0
        rows = slice(begin, _enough(begin, bounds, segment, left, adjacent))
        right = min(int(segment[rows.stop - 1]) + 2, len(sizes)) if adjacent else len(sizes)
        if compiled:
            columns = slice(int(bounds[left]), int(bounds[right]))
            products = whole[rows] @ whole[columns].T
            ends = (rows.start, rows.stop, columns.start)
            silhouettes_kernel.measure_silhouettes(
                products, whole, squares, bounds, *ends, first, int(adjacent), NEARLY, wide, found, out
            )
        else:
            totals = sums(rows, slice(left, right))
            out[rows] = _values(totals, segment[rows] - left, sizes[left:right], adjacent)
        begin = rows.stop


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
