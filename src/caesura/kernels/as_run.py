# SPDX-License-Identifier: Apache-2.0
"""Boundary matching as the released code of the granularity paper runs it, for reproducing its printed tables.

It differs from the paper in three ways: a prediction credits only the first gold boundary it meets; "first" means the
iteration order of a Python set of ints, which is not ascending; and one-to-one pairs are taken greedily, nearest
first, which is not a maximum matching.
"""

from __future__ import annotations

import bisect

try:
    import cython
except ImportError:
    from caesura import _cython as cython

AS_RUN_COLUMNS = ("n_ref", "n_hyp", "credited_ref", "matched_hyp", "greedy")
COMPILED = cython.compiled


def _set_order(positions):
    """Return positions in the order in which a set iterates over them, filled in ascending order."""
    filled = set()
    for position in positions:
        filled.add(int(position))
    return list(filled)


def _near(position, ordered, tolerance):
    """Return the places in an ascending list that lie within the tolerance of a position, as a range."""
    first = bisect.bisect_left(ordered, position - tolerance)
    return range(first, bisect.bisect_right(ordered, position + tolerance))


def _as_run_one(ref, hyp, out, row, tolerance):
    gold, predicted = _set_order(ref), _set_order(hyp)
    ascending_gold, ascending_predicted = sorted(gold), sorted(predicted)
    gold_rank = {boundary: rank for rank, boundary in enumerate(gold)}
    predicted_rank = {prediction: rank for rank, prediction in enumerate(predicted)}
    credited = set()
    matched = 0
    for prediction in predicted:
        reached = [ascending_gold[place] for place in _near(prediction, ascending_gold, tolerance)]
        if reached:
            matched += 1
            credited.add(min(reached, key=gold_rank.__getitem__))
    candidates = []
    for boundary in gold:
        reached = [ascending_predicted[place] for place in _near(boundary, ascending_predicted, tolerance)]
        reached.sort(key=predicted_rank.__getitem__)
        candidates.extend((abs(boundary - prediction), boundary, prediction) for prediction in reached)
    candidates.sort(key=_distance)
    used_gold = set()
    used_predicted = set()
    for _, boundary, prediction in candidates:
        if boundary not in used_gold and prediction not in used_predicted:
            used_gold.add(boundary)
            used_predicted.add(prediction)
    out[row, 0] = len(gold)
    out[row, 1] = len(predicted)
    out[row, 2] = len(credited)
    out[row, 3] = matched
    out[row, 4] = len(used_gold)


def _distance(candidate):
    return candidate[0]


def count_as_run(n_units, ref_ptr, ref_pos, hyp_ptr, hyp_pos, out, start, stop, scratch, tolerance):
    """Fill the rows ``start`` to ``stop`` of ``out`` with the columns `AS_RUN_COLUMNS`."""
    for row in range(start, stop):
        _as_run_one(
            ref_pos[ref_ptr[row] : ref_ptr[row + 1]], hyp_pos[hyp_ptr[row] : hyp_ptr[row + 1]], out, row, tolerance
        )


def count_as_run_one(n, ref, hyp, out, scratch, tolerance):
    """Fill the first row of ``out`` for one pair."""
    _as_run_one(ref, hyp, out, 0, tolerance)
