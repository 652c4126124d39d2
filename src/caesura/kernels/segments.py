# SPDX-License-Identifier: Apache-2.0
"""Segments laid over segments: purity and coverage, CovN and CovD, the alignment index.

One walk over the merged edges visits every overlapping pair of segments from left to right. The partner of a segment
is the one of the other side that covers most of it; of equal ones the shorter (it has the larger harmonic coverage and
the larger Jaccard index), of those the left-most.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura.kernels import _cython as cython

KERNELS = {
    "overlap": ("units", "n_ref", "n_hyp", "ref_best", "hyp_best", "ref_share", "hyp_share"),
    "retrieval": (
        "n_ref", "n_hyp", "ref_correct", "hyp_correct", "ref_length", "hyp_length", "ref_length_correct", "hyp_length_correct",
    ),
    "alignment": ("edges", "jaccard"),
}
RANGES = {"shares": (0, 1), "strict": (0, 1), "denominator": (1, 1 << 62)}
FRACTIONAL = ("ref_share", "hyp_share", "jaccard")
COMPILED = cython.compiled
Ints = cython.typedef(cython.const[cython.longlong][::1])
Cells = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.double[:, ::1])
i64 = cython.typedef(cython.longlong)
f64 = cython.typedef(cython.double)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    at=i64, r_start=i64, h_start=i64, a=i64, b=i64, stop=i64, overlap=i64, r_best=i64, h_best=i64, r_ends=i64,
    h_ends=i64, ref_best=i64, hyp_best=i64, ref_share=f64, hyp_share=f64,
)
def _overlap_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, shares: i64,
) -> cython.void:
    """Sum over the segments of each side the units (and, if asked, the share) of the best partner."""
    out[row, 0] = n
    out[row, 1] = r_end - r + 1
    out[row, 2] = h_end - h + 1
    ref_best = 0
    hyp_best = 0
    ref_share = 0.0
    hyp_share = 0.0
    r_best = 0
    h_best = 0
    at = 0
    r_start = 0
    h_start = 0
    while at < n:
        a = ref[r] if r < r_end else n
        b = hyp[h] if h < h_end else n
        stop = a if a < b else b
        overlap = stop - at
        at = stop
        r_best = overlap if overlap > r_best else r_best
        h_best = overlap if overlap > h_best else h_best
        # Masks instead of branches, since which side ends first cannot be predicted.
        r_ends = a <= b
        h_ends = b <= a
        ref_best += r_best & -r_ends
        hyp_best += h_best & -h_ends
        if shares:
            ref_share += r_ends * (cython.cast(f64, r_best) / (a - r_start))
            hyp_share += h_ends * (cython.cast(f64, h_best) / (b - h_start))
            r_start += (a - r_start) & -r_ends
            h_start += (b - h_start) & -h_ends
        r_best &= r_ends - 1
        h_best &= h_ends - 1
        r += r_ends
        h += h_ends
    out[row, 3] = ref_best
    out[row, 4] = hyp_best
    out[row, 5] = ref_share
    out[row, 6] = hyp_share


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    at=i64, a=i64, b=i64, r_start=i64, h_start=i64, r_length=i64, h_length=i64, stop=i64, r_ends=i64, h_ends=i64, correct=i64,
    at_least=i64, pairs=i64, ref_length=i64, hyp_length=i64,
)
def _retrieve_pairs(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, numerator: i64,
    denominator: i64, strict: i64,
) -> cython.void:
    """Count as `_retrieval_one` does if gamma is above 2/3 and no segment is left out: then nobody must look for partners.

    With o > gamma (|R|+|H|) / 2 and o <= |H|, o is more than half of |R|, and of |H| likewise: a pair which reaches that is made of
    partners, so that both of its segments are correct, and no other pair of theirs is.
    """
    out[row, 0] = r_end - r + 1
    out[row, 1] = h_end - h + 1
    out[row, 4] = n
    out[row, 5] = n
    pairs = 0
    ref_length = 0
    hyp_length = 0
    at = 0
    r_start = 0
    h_start = 0
    # In whole numbers, left >= right is left > right - 1.
    at_least = 1 - strict
    while at < n:
        a = ref[r] if r < r_end else n
        b = hyp[h] if h < h_end else n
        r_length = a - r_start
        h_length = b - h_start
        stop = a if a < b else b
        correct = 2 * (stop - at) * denominator > numerator * (r_length + h_length) - at_least
        pairs += correct
        ref_length += r_length & -correct
        hyp_length += h_length & -correct
        at = stop
        r_ends = a <= b
        h_ends = b <= a
        r_start += r_length & -r_ends
        h_start += h_length & -h_ends
        r += r_ends
        h += h_ends
    out[row, 2] = pairs
    out[row, 3] = pairs
    out[row, 6] = ref_length
    out[row, 7] = hyp_length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    at=i64, a=i64, b=i64, r_start=i64, h_start=i64, r_length=i64, h_length=i64, stop=i64, overlap=i64, r_best=i64,
    h_best=i64, r_partner=i64, h_partner=i64, better=i64, r_ends=i64, h_ends=i64, counts=i64, correct=i64,
    at_least=i64, n_ref=i64, n_hyp=i64, ref_correct=i64, hyp_correct=i64, ref_length=i64, hyp_length=i64,
    ref_length_correct=i64, hyp_length_correct=i64,
)
def _retrieval_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, numerator: i64,
    denominator: i64, strict: i64, low: i64, high: i64,
) -> cython.void:
    """Count the segments of each side whose harmonic coverage 2o/(|R|+|H|) with their partner exceeds gamma.

    Gamma is numerator/denominator, so that equality is exact.
    """
    if low <= 1 and high > n and numerator > denominator - denominator // 3:
        _retrieve_pairs(n, ref, r, r_end, hyp, h, h_end, out, row, numerator, denominator, strict)
        return
    n_ref = 0
    n_hyp = 0
    ref_correct = 0
    hyp_correct = 0
    ref_length = 0
    hyp_length = 0
    ref_length_correct = 0
    hyp_length_correct = 0
    r_best = 0
    h_best = 0
    r_partner = 0
    h_partner = 0
    at = 0
    r_start = 0
    h_start = 0
    # In whole numbers, left >= right is left > right - 1.
    at_least = 1 - strict
    while at < n:
        a = ref[r] if r < r_end else n
        b = hyp[h] if h < h_end else n
        r_length = a - r_start
        h_length = b - h_start
        stop = a if a < b else b
        overlap = stop - at
        at = stop
        # Masks instead of branches, since neither the better partner nor the side that ends first can be predicted.
        better = (overlap > r_best) | ((overlap == r_best) & (h_length < r_partner))
        r_best += (overlap - r_best) & -better
        r_partner += (h_length - r_partner) & -better
        better = (overlap > h_best) | ((overlap == h_best) & (r_length < h_partner))
        h_best += (overlap - h_best) & -better
        h_partner += (r_length - h_partner) & -better
        if a == at:
            if low <= r_length < high:
                correct = 2 * r_best * denominator > numerator * (r_length + r_partner) - at_least
                n_ref += 1
                ref_correct += correct
                ref_length += r_length
                ref_length_correct += r_length & -correct
            r_best = 0
            r_partner = 0
            r_start = a
            r += 1
        if b == at:
            if low <= h_length < high:
                correct = 2 * h_best * denominator > numerator * (h_length + h_partner) - at_least
                n_hyp += 1
                hyp_correct += correct
                hyp_length += h_length
                hyp_length_correct += h_length & -correct
            h_best = 0
            h_partner = 0
            h_start = b
            h += 1
    out[row, 0] = n_ref
    out[row, 1] = n_hyp
    out[row, 2] = ref_correct
    out[row, 3] = hyp_correct
    out[row, 4] = ref_length
    out[row, 5] = hyp_length
    out[row, 6] = ref_length_correct
    out[row, 7] = hyp_length_correct


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    r_cell=i64, h_cell=i64, r_place=i64, h_place=i64, at=i64, a=i64, b=i64, r_start=i64, h_start=i64, r_length=i64,
    h_length=i64, stop=i64, overlap=i64, r_best=i64, h_best=i64, r_partner=i64, h_partner=i64, r_match=i64,
    h_match=i64, better=i64, r_ends=i64, h_ends=i64,
)
def _match_segments(n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, work: Cells) -> cython.void:
    """Write for each segment (partner, overlap, partner's length): first the reference's, then the hypothesis'."""
    r_cell = 0
    h_cell = 3 * (r_end - r + 1)
    r_place = 0
    h_place = 0
    r_best = 0
    h_best = 0
    r_partner = 0
    h_partner = 0
    r_match = 0
    h_match = 0
    at = 0
    r_start = 0
    h_start = 0
    while at < n:
        a = ref[r + r_place] if r + r_place < r_end else n
        b = hyp[h + h_place] if h + h_place < h_end else n
        r_length = a - r_start
        h_length = b - h_start
        stop = a if a < b else b
        overlap = stop - at
        at = stop
        # Masks instead of branches, as above; what is written of an unfinished segment is overwritten.
        better = (overlap > r_best) | ((overlap == r_best) & (h_length < r_partner))
        r_best += (overlap - r_best) & -better
        r_partner += (h_length - r_partner) & -better
        r_match += (h_place - r_match) & -better
        better = (overlap > h_best) | ((overlap == h_best) & (r_length < h_partner))
        h_best += (overlap - h_best) & -better
        h_partner += (r_length - h_partner) & -better
        h_match += (r_place - h_match) & -better
        work[r_cell] = r_match
        work[r_cell + 1] = r_best
        work[r_cell + 2] = r_partner
        work[h_cell] = h_match
        work[h_cell + 1] = h_best
        work[h_cell + 2] = h_partner
        r_ends = a <= b
        r_best &= r_ends - 1
        r_partner &= r_ends - 1
        r_start += r_length & -r_ends
        r_place += r_ends
        r_cell += 3 * r_ends
        h_ends = b <= a
        h_best &= h_ends - 1
        h_partner &= h_ends - 1
        h_start += h_length & -h_ends
        h_place += h_ends
        h_cell += 3 * h_ends


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.locals(
    n_ref=i64, n_hyp=i64, base=i64, place=i64, length=i64, start=i64, stop=i64, overlap=i64, edges=i64, new=i64,
    total=f64,
)
def _alignment_one(
    n: i64, ref: Ints, r: i64, r_end: i64, hyp: Ints, h: i64, h_end: i64, out: Table, row: i64, work: Cells,
) -> cython.void:
    """Sum the Jaccard index over the distinct edges between segments and their partners."""
    _match_segments(n, ref, r, r_end, hyp, h, h_end, work)
    n_ref = r_end - r + 1
    n_hyp = h_end - h + 1
    base = 3 * n_ref
    edges = n_ref
    total = 0.0
    start = 0
    for place in range(n_ref):
        stop = ref[r + place] if place < n_ref - 1 else n
        length = stop - start
        start = stop
        overlap = work[3 * place + 1]
        total += cython.cast(f64, overlap) / (length + work[3 * place + 2] - overlap)
    start = 0
    for place in range(n_hyp):
        stop = hyp[h + place] if place < n_hyp - 1 else n
        length = stop - start
        start = stop
        # An edge that runs both ways was counted from the reference's side.
        new = work[3 * work[base + 3 * place]] != place
        overlap = work[base + 3 * place + 1]
        total += new * (cython.cast(f64, overlap) / (length + work[base + 3 * place + 2] - overlap))
        edges += new
    out[row, 0] = edges
    out[row, 1] = total


@cython.locals(row=i64)
def count_overlap(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, out: Table, start: i64, stop: i64,
    scratch, shares: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _overlap_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, shares,
            )


def count_overlap_one(n: i64, ref: Ints, hyp: Ints, out: Table, scratch, shares: i64 = 0):
    """Fill the first row of ``out`` for one pair."""
    _overlap_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, shares)


@cython.locals(row=i64)
def count_retrieval(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, out: Table, start: i64, stop: i64,
    scratch, numerator: i64, denominator: i64, strict: i64, low: i64, high: i64,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _retrieval_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, numerator, denominator, strict, low, high,
            )


def count_retrieval_one(
    n: i64, ref: Ints, hyp: Ints, out: Table, scratch, numerator: i64, denominator: i64, strict: i64 = 1, low: i64 = 0,
    high: i64 = 0x4000000000000000,
):
    """Fill the first row of ``out`` for one pair."""
    _retrieval_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, numerator, denominator, strict, low, high)


@cython.locals(row=i64)
def count_alignment(
    n_units: Ints, ref_ptr: Ints, ref_pos: Ints, hyp_ptr: Ints, hyp_pos: Ints, out: Table, start: i64, stop: i64,
    scratch: Cells,
):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns of `KERNELS`."""
    with cython.nogil:
        for row in range(start, stop):
            _alignment_one(
                n_units[row], ref_pos, ref_ptr[row], ref_ptr[row + 1], hyp_pos, hyp_ptr[row], hyp_ptr[row + 1],
                out, row, scratch,
            )


def count_alignment_one(n: i64, ref: Ints, hyp: Ints, out: Table, scratch: Cells):
    """Fill the first row of ``out`` for one pair."""
    _alignment_one(n, ref, 0, len(ref), hyp, 0, len(hyp), out, 0, scratch)


def match_segments(n: i64, ref: Ints, hyp: Ints, scratch: Cells):
    """Write (partner, overlap, partner's length) of each segment of the reference, then of the hypothesis."""
    _match_segments(n, ref, 0, len(ref), hyp, 0, len(hyp), scratch)
