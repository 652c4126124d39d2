"""The definitions restated in the plainest way: sets, loops over every window, exact fractions; slow on purpose.

Nothing here is shared with the library but the segmentation itself. Rates come out as fractions, None where there is
nothing to divide by.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from caesura.segmentation import Segmentation

Rate = Fraction | None


def as_float(rate: Rate) -> float:
    """Return a rate as the library prints it."""
    return math.nan if rate is None else float(rate)


def divide(top: Fraction | int, bottom: Fraction | int) -> Rate:
    """Divide exactly, or not at all."""
    return None if bottom == 0 else Fraction(top) / Fraction(bottom)


def harmonic(first: Rate, second: Rate) -> Rate:
    """Return the harmonic mean; 0 if both are 0."""
    if first is None or second is None:
        return None
    return Fraction(0) if first + second == 0 else 2 * first * second / (first + second)


# ---------------------------------------------------------------------------------------------- windows


def slots(side: Segmentation, string: str = "gaps") -> list[int]:
    """Return the boundary string: of the gaps, of the units, or of the units with the closing boundary."""
    bits = [int(gap in side.boundaries) for gap in range(1, side.n_units)]
    return {"gaps": bits, "units": [*bits, 0], "units_closed": [*bits, 1]}[string]


def window_size(
    reference: Segmentation, rounding: str = "half_even", min_k: int = 2, k_from: str = "segments", string: str = "gaps"
) -> int:
    """Return half the mean reference segment, or (NLTK) half the slots per boundary, rounded."""
    if k_from == "segments":
        half = Fraction(reference.n_units, 2 * reference.n_segments)
    else:
        marks = slots(reference, string)
        half = Fraction(len(marks), 2 * (sum(marks) or 1))
    rounded = {"half_even": round(half), "half_up": math.floor(half + Fraction(1, 2)), "floor": math.floor(half)}
    return max(rounded[rounding], min_k)


def window_counts(
    reference: Segmentation, hypothesis: Segmentation, k: int, string: str, edge: str
) -> list[tuple[int, int]]:
    """Return the boundaries of both sides in each window of k slots."""
    ref, hyp = slots(reference, string), slots(hypothesis, string)
    n = len(ref)
    if edge == "none":
        starts = range(n - k + 1)
    elif edge.startswith("lamprier"):
        # k units more on both sides: N + 2k units have N + k windows of k + 1 units, that is of k gaps.
        starts = range(-k, reference.n_units)
    else:
        starts = range(1 - k, n)
    inside = [[place for place in range(start, start + k) if 0 <= place < n] for start in starts]
    return [(sum(ref[i] for i in places), sum(hyp[i] for i in places)) for places in inside]


def pk(reference: Segmentation, hypothesis: Segmentation, k: int, string: str = "gaps") -> Rate:
    """Return the share of windows that exactly one side cuts."""
    counts = window_counts(reference, hypothesis, k, string, "none")
    return divide(sum((r > 0) != (h > 0) for r, h in counts), len(counts))


def pk_by_labels(reference: Segmentation, hypothesis: Segmentation, k: int) -> Rate:
    """Return Pk by its first definition: two probes, in one segment or in two."""
    ref, hyp, n = reference.labels, hypothesis.labels, reference.n_units
    wrong = sum((ref[i] == ref[i + k]) != (hyp[i] == hyp[i + k]) for i in range(n - k))
    return divide(wrong, max(n - k, 0))


def window_diff(
    reference: Segmentation,
    hypothesis: Segmentation,
    k: int,
    string: str = "gaps",
    edge: str = "none",
    weighted: bool = False,
) -> Rate:
    """Return the share of windows with another number of boundaries, or the mean difference."""
    counts = window_counts(reference, hypothesis, k, string, edge)
    wrong = sum(abs(r - h) if weighted else int(r != h) for r, h in counts)
    return divide(wrong, len(counts) + (1 if edge == "lamprier_segeval" and counts else 0))


def win_pr(reference: Segmentation, hypothesis: Segmentation, k: int, edge: str) -> tuple[Rate, Rate]:
    """Return precision and recall of WinPR; 1 if neither side has a boundary, 0 if only one has."""
    counts = window_counts(reference, hypothesis, k, "gaps", "padded" if edge == "padded" else "none")
    if edge == "interior" and not counts:
        return None, None
    if not reference.boundaries or not hypothesis.boundaries:
        alike = Fraction(reference.boundaries == hypothesis.boundaries)
        return alike, alike
    hit = sum(min(r, h) for r, h in counts)
    surplus, deficit = sum(max(0, h - r) for r, h in counts), sum(max(0, r - h) for r, h in counts)
    return divide(hit, hit + surplus), divide(hit, hit + deficit)


# ---------------------------------------------------------------------------------------------- edits


def edits(reference: Segmentation, hypothesis: Segmentation, n_t: int) -> tuple[int, int, int, list[int]]:
    """Return matches, what only the reference and only the hypothesis has, and the distances of transpositions.

    Spans 1 .. n_t - 1 in turn, each from left to right; a boundary is used once.
    """
    ref, hyp = set(reference.boundaries), set(hypothesis.boundaries)
    matches = len(ref & hyp)
    ref, hyp = ref - hyp, hyp - ref
    distances = []
    for span in range(1, n_t):
        for start in range(1, reference.n_units - span):
            for left, right in ((ref, hyp), (hyp, ref)):
                if start in left and start + span in right:
                    left.remove(start)
                    right.remove(start + span)
                    distances.append(span)
    return matches, len(ref), len(hyp), distances


def segmentation_similarity(reference: Segmentation, hypothesis: Segmentation, n_t: int) -> Fraction:
    """Return S; 1 in a document without a gap."""
    _, ref_only, hyp_only, distances = edits(reference, hypothesis, n_t)
    cost = ref_only + hyp_only + Fraction(sum(distances), n_t)
    return Fraction(1) if reference.n_units == 1 else 1 - cost / (reference.n_units - 1)


def boundary_similarity(reference: Segmentation, hypothesis: Segmentation, n_t: int) -> Fraction:
    """Return B; 1 without boundaries."""
    matches, ref_only, hyp_only, distances = edits(reference, hypothesis, n_t)
    cost = ref_only + hyp_only + Fraction(sum(distances), n_t)
    at_hand = ref_only + hyp_only + len(distances) + matches
    return Fraction(1) if at_hand == 0 else 1 - cost / at_hand


def edit_rates(reference: Segmentation, hypothesis: Segmentation, n_t: int) -> tuple[Rate, Rate]:
    """Return precision and recall of edits; 1 if neither side has a boundary, 0 where a side has nothing right."""
    matches, ref_only, hyp_only, distances = edits(reference, hypothesis, n_t)
    if not (matches or ref_only or hyp_only or distances):
        return Fraction(1), Fraction(1)
    hits = matches + sum((1 - Fraction(d, n_t) for d in distances), Fraction(0))
    rates = (divide(hits, hits + hyp_only), divide(hits, hits + ref_only))
    return rates[0] or Fraction(0), rates[1] or Fraction(0)


# ---------------------------------------------------------------------------------------------- boundaries


def covered(side: Segmentation, other: Segmentation, tolerance: int) -> int:
    """Return how many boundaries of a side have one of the other within the tolerance."""
    return sum(any(abs(p - g) <= tolerance for g in other.boundaries) for p in side.boundaries)


def largest_matching(reference: Segmentation, hypothesis: Segmentation, tolerance: int) -> int:
    """Return the size of a maximum matching, by a general graph algorithm."""
    nx = pytest.importorskip("networkx", reason="the restatement of one-to-one matching needs a graph library")
    graph = nx.Graph()
    left = [("r", g) for g in reference.boundaries]
    graph.add_nodes_from(left)
    graph.add_nodes_from(("h", p) for p in hypothesis.boundaries)
    graph.add_edges_from(
        (("r", g), ("h", p)) for g in reference.boundaries for p in hypothesis.boundaries if abs(g - p) <= tolerance
    )
    return len(nx.bipartite.maximum_matching(graph, top_nodes=left)) // 2


def best_matching(ref: tuple[int, ...], hyp: tuple[int, ...], tolerance: int) -> list[tuple[int, int]]:
    """Return, of all matchings: most pairs, then least total distance, then left-most, by trying all of them."""
    best: tuple[int, int, list[tuple[int, int]]] | None = None
    for size in range(min(len(ref), len(hyp)), -1, -1):
        for left in itertools.combinations(range(len(ref)), size):
            for right in itertools.permutations(range(len(hyp)), size):
                chosen = list(zip(left, right, strict=True))
                gaps = [abs(ref[i] - hyp[j]) for i, j in chosen]
                if any(gap > tolerance for gap in gaps):
                    continue
                if best is None or (sum(gaps), chosen) < best[1:]:
                    best = (size, sum(gaps), chosen)
        if best is not None:
            return best[2]
    return []


def boundary_rates(
    reference: Segmentation, hypothesis: Segmentation, tolerance: int, matching: str
) -> tuple[Fraction, Fraction]:
    """Return precision and recall of boundaries; the paper fixes the empty sides."""
    n_ref, n_hyp = reference.n_boundaries, hypothesis.n_boundaries
    if not n_ref and not n_hyp:
        return Fraction(1), Fraction(1)
    if not n_ref or not n_hyp:
        return Fraction(0), Fraction(0)
    if matching == "one_to_one":
        found = largest_matching(reference, hypothesis, tolerance)
        return Fraction(found, n_hyp), Fraction(found, n_ref)
    return (
        Fraction(covered(hypothesis, reference, tolerance), n_hyp),
        Fraction(covered(reference, hypothesis, tolerance), n_ref),
    )


# ---------------------------------------------------------------------------------------------- segments


def segments(side: Segmentation) -> list[set[int]]:
    """Return the segments as sets of units."""
    return [set(range(start, end)) for start, end in side.spans]


def purity(reference: Segmentation, hypothesis: Segmentation, weighting: str = "unit") -> Fraction:
    """Return the purity of the hypothesis; coverage is the purity of the exchanged pair."""
    shares = [(max(len(h & r) for r in segments(reference)), len(h)) for h in segments(hypothesis)]
    if weighting == "segment":
        return sum((Fraction(best, size) for best, size in shares), Fraction(0)) / len(shares)
    return Fraction(sum(best for best, _ in shares), hypothesis.n_units)


def partners(side: Segmentation, other: Segmentation) -> list[int]:
    """Return the partner of each segment: largest coverage, then larger harmonic coverage, then left-most."""
    others = segments(other)
    found = []
    for own in segments(side):
        keys = [(len(own & o), Fraction(2 * len(own & o), len(own) + len(o)), -j) for j, o in enumerate(others)]
        found.append(-max(keys)[2])
    return found


def correct(side: Segmentation, other: Segmentation, gamma: Fraction, strict: bool = True) -> list[bool]:
    """Say of each segment whether its harmonic coverage (eq. 1 of the paper, literally) exceeds gamma."""
    outcome = []
    for own, partner in zip(segments(side), partners(side, other), strict=True):
        there = segments(other)[partner]
        forth, back = Fraction(len(own & there), len(own)), Fraction(len(own & there), len(there))
        coverage = 2 * forth * back / (forth + back)
        outcome.append(coverage > gamma if strict else coverage >= gamma)
    return outcome


def retrieval(
    side: Segmentation,
    other: Segmentation,
    gamma: Fraction,
    *,
    by_length: bool,
    strict: bool = True,
    low: int = 0,
    high: int | None = None,
) -> Rate:
    """Return the share of segments of a side that are correct, among those with low <= length < high."""
    kept = [
        (mass if by_length else 1, right)
        for mass, right in zip(side.masses, correct(side, other, gamma, strict), strict=True)
        if low <= mass and (high is None or mass < high)
    ]
    return divide(sum(weight for weight, right in kept if right), sum(weight for weight, _ in kept))


def alignment_index(reference: Segmentation, hypothesis: Segmentation) -> Fraction:
    """Return the mean Jaccard index over the distinct links between segments and partners."""

    def links(side: Segmentation, other: Segmentation) -> list[tuple[int, int]]:
        found = []
        for i, own in enumerate(segments(side)):
            keys = [
                (Fraction(len(own & o), len(own)), Fraction(len(own & o), len(own | o)), -j)
                for j, o in enumerate(segments(other))
            ]
            found.append((i, -max(keys)[2]))
        return found

    edges = set(links(reference, hypothesis)) | {(r, h) for h, r in links(hypothesis, reference)}
    ref, hyp = segments(reference), segments(hypothesis)
    jaccards = [Fraction(len(ref[r] & hyp[h]), len(ref[r] | hyp[h])) for r, h in edges]
    return sum(jaccards, Fraction(0)) / len(edges)
