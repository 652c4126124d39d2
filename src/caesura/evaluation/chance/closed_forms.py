# SPDX-License-Identifier: Apache-2.0
"""What scores are by chance, where that can be said exactly.

A score that is linear in its counts, given what does not depend on where the boundaries are, has the score of the expected
counts for its expectation, in one document and in pooled ones. With m of the g gaps of a document drawn at random, the
number in any k of them is hypergeometric. That gives the expected hits, and for every window the chance that it is an error.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.kernels import kernel
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.pairwise.boundaries import BoundaryF1, BoundaryPrecision, BoundaryRecall
from caesura.metrics.pairwise.pk import Pk
from caesura.metrics.pairwise.window_diff import WindowDiff

__all__ = ["closed_form"]


def closed_form(metric: PairwiseMetric, counts: Floats, pairs: Pairs, *, swap: bool = False) -> Floats | None:
    """Return the expected counts of each document where the score is linear in them, else None.

    Exact precision, recall and F1: the hits are hypergeometric with mean |P| |G| / gaps; F1 = 2 hits / (|P| + |G|). BOR does
    not depend on the placement. Pk: a window that the reference cuts is an error if none of its k gaps is drawn, another
    if one is. WindowDiff: a window with c boundaries of the reference is an error unless c of its gaps are drawn.

    Parameters
    ----------
    metric : PairwiseMetric
        Of which the expectation is wanted.
    counts : float64[D, columns]
        Its counts.
    pairs : Pairs
        Reference and hypothesis; the boundaries of the hypothesis are what is drawn.
    swap : bool
        Whether they are exchanged when they are counted; then the windows come from what is drawn, and have no closed
        form here.
    """
    if isinstance(metric, BOR):
        return counts
    if isinstance(metric, (BoundaryPrecision, BoundaryRecall, BoundaryF1)):
        return _hits(counts, pairs) if metric.length == "all" and metric.reach(pairs.unit) == 0 else None
    if swap or not isinstance(metric, (Pk, WindowDiff)) or metric.string != "gaps":
        return None
    if isinstance(metric, Pk):
        return _cut_windows(metric, counts, pairs)
    return _unequal_windows(counts, pairs) if metric.edge == "none" and not metric.weighted else None


def _hits(counts: Floats, pairs: Pairs) -> Floats:
    expected = counts.copy()
    gaps = np.maximum(pairs.n_units - 1, 1).astype(np.float64)
    expected[:, 2] = expected[:, 3] = counts[:, 0] * counts[:, 1] / gaps
    return expected


def _cut_windows(metric: Pk, counts: Floats, pairs: Pairs) -> Floats:
    windows = counts[:, 0]
    nothing = dataclasses.replace(
        pairs, hyp_ptr=np.zeros_like(pairs.hyp_ptr), hyp_pos=np.empty(0, dtype=np.int64)
    )
    request = metric.request(pairs.unit)
    # Against no boundary at all, the errors are the windows that the reference cuts.
    cut = kernel(request.kernel).count(nothing, request.parameters)[:, metric.places(request)[1]]
    uncut = _share_with(np.zeros(len(pairs)), _window(windows, pairs), pairs, np.arange(len(pairs)))
    expected = counts.copy()
    expected[:, 1] = cut * uncut + (windows - cut) * (1 - uncut)
    return expected


def _unequal_windows(counts: Floats, pairs: Pairs) -> Floats:
    """Return the expected errors from how many windows of the reference hold each number of boundaries.

    Windows are named by the gap they start in, 1 .. windows. A boundary p is in those from p-k+1 to p; between two such
    events the number of boundaries does not change.
    """
    windows = counts[:, 0].astype(np.int64)
    k = _window(counts[:, 0], pairs)
    owner = np.repeat(np.arange(len(pairs)), np.diff(pairs.ref_ptr))
    every = np.arange(len(pairs))
    document = np.concatenate([every, owner, owner])
    place = np.concatenate(
        [np.ones_like(every), np.maximum(pairs.ref_pos - k[owner] + 1, 1), pairs.ref_pos + 1]
    )
    change = np.concatenate([np.zeros_like(every), np.ones_like(owner), -np.ones_like(owner)])
    # Also what lies beyond the last window is left in: it has no width.
    place = np.minimum(place, windows[document] + 1)
    order = np.lexsort((place, document))
    document, place = document[order], place[order]
    inside = np.cumsum(change[order])
    following = np.append(place[1:], 1)
    last = np.append(document[1:] != document[:-1], True)
    width = np.where(last, windows[document] + 1, following) - place
    # Where nothing lies between two events, the number inside is not of any window, and may be out of order.
    kept = width > 0
    document, inside, width = document[kept], inside[kept], width[kept]
    equal = _share_with(inside.astype(np.float64), k[document], pairs, document)
    expected = counts.copy()
    expected[:, 1] = np.bincount(document, weights=width * (1 - equal), minlength=len(pairs))
    return expected


def _window(windows: Floats, pairs: Pairs) -> Ints:
    """Return k of each document, from how many windows of k gaps it has; where it has none, 0."""
    return np.where(windows > 0, pairs.n_units - windows, 0).astype(np.int64)


def _share_with(inside: Floats, k: Ints, pairs: Pairs, document: Ints) -> Floats:
    """Return the chance that of k gaps of a document so many are drawn: C(k, c) C(g-k, m-c) / C(g, m)."""
    from scipy.special import gammaln  # type: ignore[import-untyped]

    def log_choose(n: Floats, c: Floats) -> Floats:
        found: Floats = gammaln(n + 1) - gammaln(c + 1) - gammaln(n - c + 1)
        return found

    gaps = (pairs.n_units - 1).astype(np.float64)[document]
    drawn = np.diff(pairs.hyp_ptr).astype(np.float64)[document]
    possible = (inside <= k) & (inside <= drawn) & (drawn - inside <= gaps - k)
    c = np.where(possible, inside, 0.0)
    rest = np.where(possible, drawn - inside, 0.0)
    others = np.where(possible, gaps - k, 0.0)
    within = np.where(possible, k, 0).astype(np.float64)
    logarithm = log_choose(within, c) + log_choose(others, rest) - log_choose(gaps, drawn)
    return np.where(possible, np.exp(np.minimum(logarithm, 0.0)), 0.0)
