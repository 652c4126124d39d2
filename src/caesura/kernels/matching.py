# SPDX-License-Identifier: Apache-2.0
"""One-to-one matching of boundaries within a tolerance: most pairs, then least total distance, then left-most.

On a line some best matching never crosses, so it is a shortest path over (reference, hypothesis) prefixes. Boundaries
farther apart than the tolerance from the next one of either side cannot be matched across that hole, so the path is
searched piece by piece between holes.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from caesura import _cython as cython

MATCHING_COLUMNS = ("n_ref", "n_hyp", "matched_ref", "matched_hyp", "distance")
COMPILED = cython.compiled


def match_boundaries(ref, hyp, tolerance):
    """Return the matched pairs as places (reference, hypothesis), counted from 0, from left to right."""
    pairs = []
    r = h = 0
    n_ref, n_hyp = len(ref), len(hyp)
    while r < n_ref or h < n_hyp:
        r_stop, h_stop = r, h
        # Grow the piece while the next boundary of either side is within the tolerance of the one before it.
        end = None
        while r_stop < n_ref or h_stop < n_hyp:
            if h_stop >= n_hyp or (r_stop < n_ref and ref[r_stop] <= hyp[h_stop]):
                if end is not None and ref[r_stop] - end > tolerance:
                    break
                end = ref[r_stop]
                r_stop += 1
            else:
                if end is not None and hyp[h_stop] - end > tolerance:
                    break
                end = hyp[h_stop]
                h_stop += 1
        if r_stop > r and h_stop > h:
            pairs.extend(_match_piece(ref, r, r_stop, hyp, h, h_stop, tolerance))
        r, h = r_stop, h_stop
    return pairs


def _match_piece(ref, r, r_end, hyp, h, h_end, tolerance):
    """Match one piece: best[i][j] is (pairs, -distance) for the boundaries from i and j on."""
    rows, columns = r_end - r, h_end - h
    best = [[(0, 0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        below, here = best[i + 1], best[i]
        for j in range(columns - 1, -1, -1):
            top = here[j + 1] if here[j + 1] >= below[j] else below[j]
            gap = abs(ref[r + i] - hyp[h + j])
            if gap <= tolerance:
                count, cost = below[j + 1]
                if (count + 1, cost - gap) > top:
                    top = (count + 1, cost - gap)
            here[j] = top
    pairs = []
    i = j = 0
    while i < rows and j < columns and best[i][j][0] > 0:
        gap = abs(ref[r + i] - hyp[h + j])
        count, cost = best[i + 1][j + 1]
        if gap <= tolerance and (count + 1, cost - gap) == best[i][j]:
            pairs.append((r + i, h + j))
            i += 1
            j += 1
        elif best[i][j + 1] == best[i][j]:
            j += 1
        else:
            i += 1
    return pairs


def _classes(pos, n, low, high):
    """Say for each boundary whether the segment it opens is in the length class."""
    ends = [*pos[1:], n] if len(pos) else []
    return [low <= end - start < high for start, end in zip(pos, ends)]


def count_matching(n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos, out, start, stop, scratch, tolerance, low, high):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns `MATCHING_COLUMNS`."""
    for row in range(start, stop):
        _matching_one(
            int(n_units[row]), [int(p) for p in ref_pos[ref_ptr[row] : ref_ptr[row + 1]]],
            [int(p) for p in hyp_pos[hyp_ptr[row] : hyp_ptr[row + 1]]], out, row, tolerance, low, high,
        )


def count_matching_one(n, ref, hyp, out, scratch, tolerance, low, high):
    """Fill the first row of ``out`` for one pair."""
    _matching_one(n, [int(p) for p in ref], [int(p) for p in hyp], out, 0, tolerance, low, high)


def _matching_one(n, ref, hyp, out, row, tolerance, low, high):
    in_ref, in_hyp = _classes(ref, n, low, high), _classes(hyp, n, low, high)
    pairs = match_boundaries(ref, hyp, tolerance)
    out[row, 0] = sum(in_ref)
    out[row, 1] = sum(in_hyp)
    out[row, 2] = sum(in_ref[i] for i, _ in pairs)
    out[row, 3] = sum(in_hyp[j] for _, j in pairs)
    out[row, 4] = sum(abs(ref[i] - hyp[j]) for i, j in pairs)
