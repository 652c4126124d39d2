# SPDX-License-Identifier: Apache-2.0
"""Counts of a panel: what the annotators of each document have in common, as a table (documents, columns)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.panel import Panel, PanelPairs
from caesura.kernels import multi_window_diff as windows_kernel
from caesura.metrics.agreement._pairs import pair_blocks
from caesura.metrics.agreement._support import candidates_of
from caesura.metrics.base import Floats, Request

__all__ = [
    "EDIT_COLUMNS", "SLOT_COLUMNS", "WINDOW_COLUMNS",
    "count_edits", "count_slots", "count_windows", "pooled_window",
]  # fmt: skip

SLOT_COLUMNS = (
    "items", "annotators", "agree", "pairs", "ones", "judgements", "pairable", "share_sum", "share_squares",
)  # fmt: skip
EDIT_COLUMNS = ("b_agree", "b_all", "s_agree", "s_all", "boundaries", "gaps", "shares_product")
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
    gaps = candidates_of(panel)
    marked_document, marked = gaps.document, gaps.votes.astype(np.float64)
    by_mark = marked * (marked - 1) + (h[marked_document] - marked) * (h[marked_document] - marked - 1)
    agree = _by_document(by_mark - _all_agree(h[marked_document]), marked_document, panel)
    agree += items * _all_agree(h)
    per_coding = panel.n_boundaries + end
    ones = _by_document(per_coding, panel.document, panel)
    share = np.divide(
        per_coding, items[panel.document], out=np.zeros(len(per_coding)), where=items[panel.document] > 0
    )
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
        edits = Request("edits", (n_t,)).count(pairs)
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
    table = np.column_stack([sums[:, :4], boundaries, width * h, chance])
    table[h < 2] = 0.0
    return table


def _by_document(values: npt.NDArray[np.floating | np.integer], rows: Ints, panel: Panel) -> Floats:
    """Sum values by document; bincount forgets that they are floats when there are none."""
    return np.bincount(rows, weights=values, minlength=len(panel)).astype(np.float64)


def pooled_window(panel: Panel, rounding: str = "half_even", min_k: int = 2) -> Ints:
    """Return half the mean segment over all annotators of each document, rounded in whole numbers."""
    segments = _by_document(panel.n_boundaries + 1, panel.document, panel).astype(np.int64)
    top, bottom = panel.n_units * panel.n_annotators, 2 * segments
    q, rest = np.divmod(top, bottom)
    if rounding == "half_even":
        q = q + ((2 * rest > bottom) | ((2 * rest == bottom) & (q % 2 == 1)))
    elif rounding == "half_up":
        q = q + (2 * rest >= bottom)
    return np.maximum(q, min_k)


def count_windows(pairs: PanelPairs, windows: Ints, *, closed: bool) -> Floats:
    """Slide a window over all annotators and the hypothesis of each document."""
    panel = pairs.panel
    owners, documents, positions = _owned(panel, pairs.hypothesis, closed=closed)
    order = np.lexsort((positions, documents))
    ptr = np.searchsorted(documents[order], np.arange(len(panel) + 1))
    per_owner = np.maximum(
        np.maximum.reduceat(panel.n_boundaries, panel.doc_ptr[:-1]), np.diff(pairs.hypothesis.ptr)
    )
    most = per_owner + int(closed)
    out = np.empty((len(panel), len(WINDOW_COLUMNS)), dtype=np.float64)
    size = int((2 * panel.n_annotators + most).max(initial=0)) + 16
    slots = panel.n_units - 1 + int(closed)
    arrays = [slots, ptr, positions[order], owners[order], panel.n_annotators, most, windows]
    whole = [np.ascontiguousarray(array, dtype=np.int64) for array in arrays]
    run: Callable[..., None] = windows_kernel.count_multi_window_diff
    if windows_kernel.COMPILED:
        run(*whole, out, np.zeros(size, dtype=np.int64))
    else:
        run(*(array.tolist() for array in whole), out, [0] * size)
    return out


def _owned(panel: Panel, hypothesis: Flat, *, closed: bool) -> tuple[Ints, Ints, Ints]:
    """Return owner, document and position of every boundary; the hypothesis owns under the number of annotators."""
    place = np.arange(len(panel.annotator)) - panel.doc_ptr[panel.document]
    rows = np.arange(len(panel))
    owners = [np.repeat(place, panel.n_boundaries), np.repeat(panel.n_annotators, np.diff(hypothesis.ptr))]
    documents = [np.repeat(panel.document, panel.n_boundaries), np.repeat(rows, np.diff(hypothesis.ptr))]
    positions = [panel.codings.pos, hypothesis.pos]
    if closed:
        owners += [place, panel.n_annotators]
        documents += [panel.document, rows]
        positions += [panel.n_units[panel.document], panel.n_units]
    return np.concatenate(owners), np.concatenate(documents), np.concatenate(positions)
