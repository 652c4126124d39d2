# SPDX-License-Identifier: Apache-2.0
"""What the metrics read of each segment, counted once per batch however many metrics read it.

A measure is a table with one row per segment. ``windows`` holds the dispersions that ARP compares, ``centroids`` the
distances that SegReFree and its relatives compare. The compiled loop makes both in one pass over a document; without a
compiler, and for what it does not do, NumPy makes them from sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from caesura.batches.embedded import Embedded, Vectors
from caesura.batches.flat import Ints
from caesura.kernels import scatter as scatter_kernel
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._centroids import CENTROID_COLUMNS, SAME, centroid_table
from caesura.metrics.cohesion._layout import layout, shared_rows
from caesura.metrics.cohesion._prefix import DISPERSIONS, NEARLY, Prefix, dispersions_of

WINDOW_COLUMNS = ("std_intra", "std_inter", "cos_intra", "cos_inter", "pair_intra", "pair_inter")
Shared = tuple[str, ...]
"""What several metrics read of the segments, and is measured once: a name, and the distance."""

WINDOWS: Shared = ("windows",)
_TOGETHER = 256  # units whose sums are taken together


def centroids_request(distance: str) -> Shared:
    """Return the request for centroids by a distance."""
    return "centroids", distance


def windows(batch: Embedded, cut: str = "balanced") -> Floats:
    """Return the dispersions of the windows of each segment, in the order of `WINDOW_COLUMNS`."""
    if cut == "balanced":
        measure(batch, [WINDOWS])
        return batch.remember(WINDOWS, lambda: _windows(batch, cut))
    return batch.remember(("windows", cut), lambda: _windows(batch, cut))


def nonzero_pairs(batch: Embedded, cut: str) -> Floats:
    """Return the mean cosine distance of the pairs in the intra and inter windows, pairs of cosine 0 left out."""
    spans = layout(batch).windows(cut)
    return np.column_stack(
        [
            [_nonzero_distance(batch.vectors[lo:hi]) for lo, hi in zip(*side, strict=True)]
            for side in (spans[:2], spans[2:])
        ]
    )


def _nonzero_distance(vectors: Vectors) -> float:
    units = vectors.astype(np.float64)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    units /= np.where(lengths == 0, 1.0, lengths)
    distances = []
    for place, unit in enumerate(units):
        others = units[place + 1 :]
        # From differences, so that equal vectors are at distance 0 exactly.
        apart = ((others - unit) ** 2).sum(axis=1) / 2
        distances += apart[others @ unit != 0].tolist()
    return float(np.mean(distances)) if distances else math.nan


def centroids(batch: Embedded, distance: str) -> Floats:
    """Return spread, gap and inertia of each segment, in the order of `CENTROID_COLUMNS`."""
    request = centroids_request(distance)
    measure(batch, [request])
    return batch.remember(request, lambda: _centroids(batch, distance))


def inertias(batch: Embedded) -> tuple[Floats, Floats]:
    """Return variation between and within segments of each document: summed squared distances to centroids."""
    return batch.remember("inertias", lambda: _inertias(batch))


def measure(batch: Embedded, requests: Iterable[Shared]) -> None:
    """Count what several metrics need in one pass over the documents, where the compiled loop can."""
    missing = [request for request in requests if not batch.remembers(request)]
    euclidean = centroids_request("l2")
    wanted = {request for request in missing if request == euclidean or (request == WINDOWS and not shared_rows(batch))}
    if wanted and scatter_kernel.COMPILED:
        table = _scatter(batch, WINDOWS in wanted, euclidean in wanted)
        split = len(WINDOW_COLUMNS)
        for request in wanted:
            part = table[:, :split] if request == WINDOWS else table[:, split:]
            batch.remember(request, part.copy)


def _scatter(batch: Embedded, want_windows: bool, want_centroids: bool) -> Floats:
    """Run the compiled loop, and compute the windows that it leaves out from differences."""
    where = layout(batch)
    out = np.full((len(where.document), len(scatter_kernel.SCATTER_COLUMNS)), np.nan)
    if not len(batch):
        return out
    flat = batch.segmentations
    starts, n_units, ptr, pos = (
        np.ascontiguousarray(array, dtype=np.int64) for array in (batch.starts, flat.n_units, flat.ptr, flat.pos)
    )
    squares, inverse = np.zeros((2, int(n_units.max())))
    total, units, middle = np.zeros((3, batch.dimension))
    scatter_kernel.measure_scatter(
        batch.vectors, starts, n_units, ptr, pos, out, 0, len(batch), squares, inverse, total, units, middle,
        int(want_windows), int(want_centroids), NEARLY, SAME,
    )  # fmt: skip
    if want_windows:
        spans = where.windows()
        for side in (0, 1):
            for row in np.flatnonzero(out[:, side] == -1.0):
                rows = slice(int(spans[2 * side][row]), int(spans[2 * side + 1][row]))
                out[row, side : len(WINDOW_COLUMNS) : 2] = dispersions_of(batch.vectors[rows])
    return out


def _windows(batch: Embedded, cut: str) -> Floats:
    where = layout(batch)
    spans = where.windows(cut)
    out = np.empty((len(where.document), len(WINDOW_COLUMNS)))
    # Each document by itself, so that no digit depends on its neighbours.
    for rows in shared_rows(batch) or (slice(row, row + 1) for row in range(len(batch))):
        some = slice(int(where.ptr[rows.start]), int(where.ptr[rows.stop]))
        begin, end = int(where.lo[some].min()), int(where.hi[some].max())
        # Shuffled segmentations of one document have many spans in common.
        lo, hi, back = _distinct(*(np.concatenate([side[some] for side in ends]) for ends in (spans[::2], spans[1::2])))
        found = Prefix(batch.vectors[begin:end]).dispersions(lo - begin, hi - begin)[back]
        out[some, ::2], out[some, 1::2] = found.reshape(2, -1, len(DISPERSIONS))
    return out


def _centroids(batch: Embedded, distance: str) -> Floats:
    where = layout(batch)
    out = np.empty((len(where.document), len(CENTROID_COLUMNS)))
    for rows in _blocks(batch):
        some = slice(int(where.ptr[rows.start]), int(where.ptr[rows.stop]))
        out[some] = centroid_table(batch.vectors, where.lo[some], where.hi[some], distance)
    out[where.last, 1] = np.nan
    return out


def _inertias(batch: Embedded) -> tuple[Floats, Floats]:
    where = layout(batch)
    within = np.zeros(len(batch))
    np.add.at(within, where.document, centroids(batch, "l2")[:, 2])
    between = np.empty(len(batch))
    for row in range(len(batch)):
        some = slice(int(where.ptr[row]), int(where.ptr[row + 1]))
        whole = batch.vectors_of(row).astype(np.float64)
        middle = np.add.reduceat(whole, where.lo[some] - batch.starts[row], axis=0) / where.lengths[some, None]
        centre = whole.mean(axis=0)
        moved = middle - centre
        between[row] = np.einsum("ij,ij,i->", moved, moved, where.lengths[some].astype(np.float64))
        if between[row] <= SAME**2 * len(whole) * float(centre @ centre):
            between[row] = 0.0
    return between, within


def _blocks(batch: Embedded) -> Iterator[slice]:
    """Yield ranges of consecutive documents that have few units in total."""
    begin, units = 0, 0
    ends = batch.starts + batch.n_units
    for row, n_units in enumerate(batch.n_units.tolist()):
        follows = row > begin and batch.starts[row] == ends[row - 1]
        if row > begin and (not follows or units + n_units > _TOGETHER):
            yield slice(begin, row)
            begin, units = row, 0
        units += n_units
    if len(batch):
        yield slice(begin, len(batch))


def _distinct(lo: Ints, hi: Ints) -> tuple[Ints, Ints, Ints]:
    width = int(hi.max(initial=0)) + 1
    keys, back = np.unique(lo * width + hi, return_inverse=True)
    return keys // width, keys % width, back
