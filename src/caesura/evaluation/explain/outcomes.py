# SPDX-License-Identifier: Apache-2.0
"""The outcome of each segment: retrieved, split, merged, edge effect, missed (Bouchekif et al., Figs. 2-3).

A segment R of the reference is compared with its partner H, the segment of the hypothesis that covers most of it (ties:
the shorter, then the left-most); o is the number of units they share. Below, "inside" means that more than
gamma of a segment lies in the other, and the first condition that holds is the outcome:

retrieved
    the harmonic coverage 2o / (|R| + |H|) exceeds gamma; this is what CovN and CovD count.
split
    H is inside R, and is one of several such pieces or at most half of R.
merged
    R is inside H, and is one of several such segments or at most half of H.
edge effect
    R and H each hold more than half of the other, but an edge is off, often because of a false neighbour.
missed
    none of these; no segment of the hypothesis corresponds to R.

The same words apply to a segment H of the hypothesis and its partner R: a "retrieved" one is correct, a "split" one is a
fragment, a "missed" one corresponds to no segment of the reference.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.kernels import kernel
from caesura.metrics.pairwise.cov_n import CovN

__all__ = ["GAMMA", "OUTCOMES", "SegmentOutcomes", "batch_outcomes"]

OUTCOMES = ("retrieved", "split", "merged", "edge effect", "missed")
"""The outcomes, best first."""

GAMMA: float = CovN().gamma
"""The default threshold on the harmonic coverage of a retrieved segment."""

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class SegmentOutcomes:
    """The segments of one side of many documents, flat, each with its partner.

    ``document`` is the row of the document in the batch, ``number`` and ``partner`` are the numbers of the segment and of
    its partner in the document, from 1. The units ``start`` + 1 .. ``end`` are the segment's own, ``overlap`` of them in
    common with the partner. ``outcome`` is an index into `OUTCOMES`.
    """

    document: Ints
    number: Ints
    start: Ints
    end: Ints
    partner: Ints
    overlap: Ints
    partner_length: Ints
    outcome: Ints

    @property
    def length(self) -> Ints:
        """Units of each segment."""
        return self.end - self.start

    @property
    def coverage(self) -> npt.NDArray[np.float64]:
        """Share of each segment that its partner covers."""
        return self.overlap / self.length

    @property
    def partner_coverage(self) -> npt.NDArray[np.float64]:
        """Share of its partner that each segment covers."""
        return self.overlap / self.partner_length

    @property
    def harmonic(self) -> npt.NDArray[np.float64]:
        """The harmonic mean of both coverages."""
        return 2 * self.overlap / (self.length + self.partner_length)

    def words(self) -> list[str]:
        """Return the outcome of each segment in words."""
        return [OUTCOMES[place] for place in self.outcome.tolist()]

    def tally(self) -> dict[str, int]:
        """Return the number of segments of each outcome."""
        counts = np.bincount(self.outcome, minlength=len(OUTCOMES)).tolist()
        return dict(zip(OUTCOMES, counts, strict=True))

    def __len__(self) -> int:
        return len(self.number)


def batch_outcomes(pairs: Pairs, gamma: float = GAMMA) -> tuple[SegmentOutcomes, SegmentOutcomes]:
    """Return the outcomes of the segments of the reference, and of the hypothesis.

    >>> from caesura.segmentation import Segmentation
    >>> pairs = Pairs.of(Segmentation.from_masses([20, 10, 12]), Segmentation.from_masses([10, 10, 22]))
    >>> batch_outcomes(pairs)[0].words()  # 20 was cut in two, 10 and 12 were joined
    ['split', 'merged', 'merged']
    """
    # CovN checks gamma and converts it to the same exact fraction, so that its counts and these outcomes agree.
    exact = Fraction(*CovN(gamma=gamma).request(pairs.unit).parameters[:2])
    ref, hyp = _matched(pairs)
    ref_partner = _first_segments(pairs.hyp_ptr)[ref.document] + ref.partner - 1
    hyp_partner = _first_segments(pairs.ref_ptr)[hyp.document] + hyp.partner - 1
    pieces = _inside(hyp, hyp_partner, len(ref), exact)
    joined = _inside(ref, ref_partner, len(hyp), exact)
    ref_outcome = _judge(ref.overlap, ref.length, ref.partner_length, pieces, joined[ref_partner], exact)
    hyp_outcome = _judge(hyp.overlap, hyp.partner_length, hyp.length, pieces[hyp_partner], joined, exact)
    return dataclasses.replace(ref, outcome=ref_outcome), dataclasses.replace(hyp, outcome=hyp_outcome)


def _judge(shared: Ints, ref: Ints, hyp: Ints, pieces: Ints, joined: Ints, gamma: Fraction) -> Ints:
    """Return the outcome of each pair of lengths ``ref`` and ``hyp`` that have ``shared`` units in common.

    ``pieces`` hypothesis segments lie inside the reference's, ``joined`` reference segments inside the hypothesis'.
    """
    retrieved = _exceeds(2 * shared, ref + hyp, gamma)
    split = _exceeds(shared, hyp, gamma) & ((pieces > 1) | (2 * shared <= ref))
    merged = _exceeds(shared, ref, gamma) & ((joined > 1) | (2 * shared <= hyp))
    edge = (2 * shared > ref) & (2 * shared > hyp)
    return np.select([retrieved, split, merged, edge], [0, 1, 2, 3], default=4).astype(np.int64)


def _exceeds(part: Ints, whole: Ints, gamma: Fraction) -> Bools:
    """Return a mask of part / whole > gamma, computed exactly."""
    return np.asarray(part * gamma.denominator > whole * gamma.numerator)


def _inside(side: SegmentOutcomes, partner: Ints, n_other: int, gamma: Fraction) -> Ints:
    """Return the number of segments of this side inside each segment of the other side."""
    inside = _exceeds(side.overlap, side.length, gamma)
    return np.bincount(partner[inside], minlength=n_other).astype(np.int64)


def _first_segments(ptr: Ints) -> Ints:
    """Return the index of the first segment of each document; a document has one segment more than boundaries."""
    return np.asarray(ptr[:-1] - ptr[0] + np.arange(len(ptr) - 1))


def _matched(pairs: Pairs) -> tuple[SegmentOutcomes, SegmentOutcomes]:
    """Return both sides with their partners, without outcomes."""
    n_ref, n_hyp = np.diff(pairs.ref_ptr) + 1, np.diff(pairs.hyp_ptr) + 1
    work = _partners(pairs, 3 * (n_ref + n_hyp))
    # Each document wrote (partner, overlap, partner's length) for the reference's segments, then the hypothesis'.
    is_ref = np.repeat(np.tile([True, False], len(pairs)), np.column_stack([n_ref, n_hyp]).ravel())
    reference = _side(pairs.n_units, pairs.ref_ptr, pairs.ref_pos, n_ref, work[is_ref])
    return reference, _side(pairs.n_units, pairs.hyp_ptr, pairs.hyp_pos, n_hyp, work[~is_ref])


def _partners(pairs: Pairs, cells: Ints) -> Ints:
    """Run the kernel over every document into one array of (partner, overlap, partner's length)."""
    module: Any = kernel("alignment").module
    arrays = [np.ascontiguousarray(pos, dtype=np.int64) for pos in (pairs.ref_pos, pairs.hyp_pos)]
    # Uncompiled loops read and write lists several times faster than arrays.
    ref, hyp = arrays if module.COMPILED else [array.tolist() for array in arrays]
    ends = np.cumsum([0, *cells.tolist()]).tolist()
    work = np.empty(ends[-1], dtype=np.int64)
    every = (pairwise(pairs.ref_ptr.tolist()), pairwise(pairs.hyp_ptr.tolist()), pairwise(ends))
    for units, (r0, r1), (h0, h1), (start, end) in zip(pairs.n_units.tolist(), *every, strict=True):
        scratch: Any = work[start:end] if module.COMPILED else [0] * (end - start)
        module.match_segments(units, ref[r0:r1], hyp[h0:h1], scratch)
        if not module.COMPILED:
            work[start:end] = scratch
    return work.reshape(-1, 3)


def _side(n_units: Ints, ptr: Ints, pos: Ints, sizes: Ints, matched: Ints) -> SegmentOutcomes:
    document = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(sizes) - sizes
    place = np.arange(len(document)) - first[document]
    boundaries = pos[ptr[0] : ptr[-1]]
    start, end = np.zeros(len(document), dtype=np.int64), np.empty(len(document), dtype=np.int64)
    # Every segment but the first of a document starts at a boundary, every one but the last ends at one.
    opening, closing = place == 0, place == sizes[document] - 1
    start[~opening] = boundaries
    end[~closing] = boundaries
    end[closing] = n_units
    partner, overlap, partner_length = matched.T
    blank = np.zeros(len(document), dtype=np.int64)
    return SegmentOutcomes(document, place + 1, start, end, partner + 1, overlap, partner_length, blank)
