# SPDX-License-Identifier: Apache-2.0
"""Counts of a panel: what the annotators of each document have in common, as a table (documents, columns)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Panel, PanelPairs
from caesura.kernels import multi_window_diff as windows_kernel
from caesura.metrics.agreement._support import votes_of
from caesura.metrics.base import Floats, Request

__all__ = [
    "EDIT_COLUMNS",
    "SLOT_COLUMNS",
    "WINDOW_COLUMNS",
    "PairBlock",
    "count_by_annotator",
    "count_edits",
    "count_pairs",
    "count_slots",
    "count_windows",
    "count_windows_left_out",
    "pair_blocks",
    "pooled_window",
    "two_of",
    "windows_left_out",
]

_AT_ONCE = 16_384  # a block is built and counted several times faster than everything at once
SLOT_COLUMNS = (
    "items", "annotators", "agree", "pairs", "ones", "judgements", "pairable", "share_sum", "share_squares",
)  # fmt: skip
EDIT_COLUMNS = (
    "b_agree", "b_all", "s_agree", "s_all", "boundaries", "gaps", "shares_product", "share_sum", "annotators",
)  # fmt: skip
WINDOW_COLUMNS: tuple[str, ...] = windows_kernel.MULTI_WINDOW_DIFF_COLUMNS
Ints = npt.NDArray[np.int64]


def count_slots(panel: Panel, include_end: bool) -> Floats:
    """Count gaps as items with two categories, in time linear in the boundaries of all annotators.

    Only gaps that somebody marked are visited; on all others everybody agrees. A document with one annotator has no
    pair to agree, and counts nothing.
    """
    h = panel.n_annotators.astype(np.float64)
    end = 1.0 if include_end else 0.0
    items = panel.n_units - 1.0 + end
    marked_document, votes = votes_of(panel)
    marked = votes.astype(np.float64)
    by_mark = marked * (marked - 1) + (h[marked_document] - marked) * (h[marked_document] - marked - 1)
    agree = _by_document(by_mark - _all_agree(h[marked_document]), marked_document, panel)
    agree += items * _all_agree(h)
    per_coding = panel.n_boundaries + end
    ones = _by_document(per_coding, panel.document, panel)
    share = np.divide(per_coding, items[panel.document], out=np.zeros(len(per_coding)), where=items[panel.document] > 0)
    table = np.column_stack(
        [
            items,
            h,
            agree,
            items * _all_agree(h),
            ones,
            items * h,
            np.divide(agree, h - 1, out=np.zeros_like(agree), where=h > 1),
            _by_document(share, panel.document, panel),
            _by_document(share**2, panel.document, panel),
        ]
    )
    table[h < 2] = 0.0
    return table


def _all_agree(h: Floats) -> Floats:
    return h * (h - 1)


def count_edits(panel: Panel, n_t: int) -> Floats:
    """Count the edits between every two annotators of each document; quadratic in them, as the definition is."""
    width = panel.n_units - 1.0
    share = panel.n_boundaries / np.maximum(width[panel.document], 1.0)
    sums = np.zeros((len(panel), 5))
    for pairs, rows, first, second in pair_blocks(panel):
        edits = Request("edits", n_t=n_t).count(pairs)
        gaps, matches, additions = edits[:, 0], edits[:, 1], edits[:, 2] + edits[:, 3]
        near, weighted = edits[:, 4], edits[:, 5]
        columns = [
            near + matches - weighted,
            additions + near + matches,
            gaps - additions - weighted,
            gaps,
            share[first] * share[second],
        ]
        low, high = int(rows[0]), int(rows[-1]) + 1
        sums[low:high] += np.column_stack(
            [np.bincount(rows - low, weights=column, minlength=high - low) for column in columns]
        )
    h = panel.n_annotators
    boundaries = _by_document(panel.n_boundaries, panel.document, panel)
    chance = sums[:, 4] / np.maximum(h * (h - 1) // 2, 1)
    shares = _by_document(share, panel.document, panel)
    table = np.column_stack([sums[:, :4], boundaries, width * h, chance, shares, h])
    table[h < 2] = 0.0
    return table


def count_by_annotator(panel: Panel) -> Floats:
    """Count the boundaries, and then the gaps, of each annotator in each document that has another annotator too."""
    people, shared = len(panel.names), panel.n_annotators > 1
    cell = panel.document * people + panel.annotator
    counted = [
        np.bincount(cell, weights=values * shared[panel.document], minlength=len(panel) * people)
        for values in (panel.n_boundaries, panel.n_units[panel.document] - 1)
    ]
    return np.column_stack([values.reshape(len(panel), people) for values in counted])


def _by_document(values: npt.NDArray[np.floating | np.integer], rows: Ints, panel: Panel) -> Floats:
    """Sum values by document; bincount forgets that they are floats when there are none."""
    return np.bincount(rows, weights=values, minlength=len(panel)).astype(np.float64)


def pooled_window(panel: Panel, rounding: str = "half_even", min_k: int = 2) -> Ints:
    """Return half the mean segment over all annotators of each document, rounded in whole numbers."""
    segments = _by_document(panel.n_boundaries + 1, panel.document, panel).astype(np.int64)
    return _half_mean(panel.n_units * panel.n_annotators, segments, rounding, min_k)


def windows_left_out(panel: Panel, rounding: str = "half_even", min_k: int = 2) -> Ints:
    """Return the pooled window of the other annotators for every coding; documents have at least two."""
    document, own = panel.document, panel.n_boundaries + 1
    segments = _by_document(own, document, panel).astype(np.int64)[document] - own
    return _half_mean((panel.n_units * (panel.n_annotators - 1))[document], segments, rounding, min_k)


def _half_mean(units: Ints, segments: Ints, rounding: str, min_k: int) -> Ints:
    bottom = 2 * segments
    q, rest = np.divmod(units, bottom)
    if rounding == "half_even":
        q = q + ((2 * rest > bottom) | ((2 * rest == bottom) & (q % 2 == 1)))
    elif rounding == "half_up":
        q = q + (2 * rest >= bottom)
    return np.maximum(q, min_k)


def count_windows(pairs: PanelPairs, windows: Ints, *, closed: bool) -> Floats:
    """Slide a window over all annotators and the hypothesis of each document."""
    owned = _owned(pairs.panel, pairs.hypothesis, closed=closed)
    return _slide(owned, owned.owner, pairs.panel.n_annotators, windows)


def count_windows_left_out(panel: Panel, places: Iterable[Ints], windows: Ints, *, closed: bool) -> Iterator[Floats]:
    """Yield the counts with one coding of each document as the hypothesis of the others, for each of the ``places``.

    ``windows`` has one row per coding. The boundaries of a document are sorted once: the coding that is left out becomes
    the last owner, and the last takes its place.
    """
    owned = _owned(panel, None, closed=closed)
    document = np.repeat(np.arange(len(panel)), np.diff(owned.ptr))
    last = panel.n_annotators[document] - 1
    for place in places:
        mine = (place - panel.doc_ptr[:-1])[document]
        owner = np.where(owned.owner == mine, last, np.where(owned.owner == last, mine, owned.owner))
        yield _slide(owned, owner, panel.n_annotators - 1, windows[place])


class _Owned(NamedTuple):
    """The boundaries of all owners of each document, sorted by place."""

    slots: Ints  # [D]
    ptr: Ints  # [D + 1]
    position: Ints
    owner: Ints  # the hypothesis owns under the number of annotators
    most: Ints  # [D]: the largest number of boundaries that any owner has


def _slide(owned: _Owned, owner: Ints, annotators: Ints, windows: Ints) -> Floats:
    out = np.empty((len(owned.slots), len(WINDOW_COLUMNS)), dtype=np.float64)
    size = int((2 * annotators + owned.most).max(initial=0)) + 16
    arrays = [owned.slots, owned.ptr, owned.position, owner, annotators, owned.most, windows]
    whole = [np.ascontiguousarray(array, dtype=np.int64) for array in arrays]
    run: Callable[..., None] = windows_kernel.count_multi_window_diff
    if windows_kernel.COMPILED:
        run(*whole, out, np.zeros(size, dtype=np.int64))
    else:
        run(*(array.tolist() for array in whole), out, [0] * size)
    return out


def _owned(panel: Panel, hypothesis: Flat | None, *, closed: bool) -> _Owned:
    """Collect the boundaries of the annotators, and of a hypothesis if there is one."""
    place = np.arange(len(panel.annotator)) - panel.doc_ptr[panel.document]
    rows = np.arange(len(panel))
    codings = [(place, panel.document, panel.codings)]
    most = np.maximum.reduceat(panel.n_boundaries, panel.doc_ptr[:-1])
    if hypothesis is not None:
        codings.append((panel.n_annotators, rows, hypothesis))
        most = np.maximum(most, np.diff(hypothesis.ptr))
    parts = [(who, row, flat.pos, np.diff(flat.ptr)) for who, row, flat in codings]
    owners = [np.repeat(who, sizes) for who, _, _, sizes in parts]
    documents = [np.repeat(row, sizes) for _, row, _, sizes in parts]
    positions = [pos for _, _, pos, _ in parts]
    if closed:
        owners += [who for who, _, _ in codings]
        documents += [row for _, row, _ in codings]
        positions += [panel.n_units[row] for _, row, _ in codings]
    document, position = np.concatenate(documents), np.concatenate(positions)
    order = np.lexsort((position, document))
    ptr = np.searchsorted(document[order], np.arange(len(panel) + 1))
    slots = panel.n_units - 1 + int(closed)
    return _Owned(slots, ptr, position[order], np.concatenate(owners)[order], most + int(closed))


class PairBlock(NamedTuple):
    """Every two annotators of some documents, each two once."""

    pairs: Pairs  # the one who comes first in the document as reference
    document: Ints  # [P]: the document of each pair
    first: Ints  # [P]: the places of the two codings
    second: Ints


def count_pairs(panel: Panel) -> int:
    """Return in how many ways two annotators of the same document can be compared."""
    h = panel.n_annotators
    return int((h * (h - 1) // 2).sum())


def pair_blocks(panel: Panel) -> Iterator[PairBlock]:
    """Yield every two annotators of each document; all pairs of a document are in one block."""
    sizes = panel.n_annotators
    last_of = np.cumsum(sizes * (sizes - 1) // 2)
    start = done = 0
    while start < len(panel):
        stop = max(start + 1, int(np.searchsorted(last_of, done + _AT_ONCE, side="right")))
        if last_of[stop - 1] > done:
            yield _block(panel, start, stop)
        start, done = stop, int(last_of[stop - 1])


def _block(panel: Panel, start: int, stop: int) -> PairBlock:
    places = [two_of(h) for h in panel.n_annotators[start:stop].tolist()]
    number = [len(first) for first, _ in places]
    document = np.repeat(np.arange(start, stop), number)
    offset = panel.doc_ptr[document]
    first = np.concatenate([a for a, _ in places]) + offset
    second = np.concatenate([b for _, b in places]) + offset
    left, right = panel.codings.take(first), panel.codings.take(second)
    pairs = Pairs.beside(left, right, panel.unit)
    return PairBlock(pairs, document, first, second)


@functools.lru_cache(maxsize=64)
def two_of(h: int) -> tuple[Ints, Ints]:
    """Return the places of each two of h annotators, in the order of the pairs.

    >>> [places.tolist() for places in two_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(h, k=1)
    return first.astype(np.int64), second.astype(np.int64)
