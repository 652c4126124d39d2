"""The definitions of several annotators restated in the plainest way: sets, loops, exact fractions; slow on purpose."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction

from caesura.segmentation import Segmentation
from tests.metrics.brute import Rate, divide

People = Mapping[str, Segmentation]


def bits(coding: Segmentation, include_end: bool = False) -> list[int]:
    """Return one category per gap, and 1 for the end where it counts."""
    return [int(gap in coding.boundaries) for gap in range(1, coding.n_units)] + [1] * include_end


def pooled(people: Sequence[Segmentation], rounding: str = "half_even", least: int = 2) -> int:
    """Return half the mean segment over all annotators, rounded."""
    half = Fraction(sum(p.n_units for p in people), 2 * sum(p.n_segments for p in people))
    rounded = {"half_even": round(half), "half_up": int(half + Fraction(1, 2)), "floor": int(half)}[rounding]
    return max(rounded, least)


def multi_window_diff(people: Sequence[Segmentation], hypothesis: Segmentation, m: int) -> dict[str, Rate]:
    """Slide the window, and count who has how many boundaries in it."""
    sides, mine = [bits(p) for p in people], bits(hypothesis)
    h, raw, best, worst, many, few, windows = len(people), 0, 0, 0, 0, 0, 0
    for start in range(len(mine) - m + 1):
        counts, own = [sum(side[start : start + m]) for side in sides], sum(mine[start : start + m])
        supports = [counts.count(j) for j in range(m + 1)]
        windows += 1
        raw += sum(count != own for count in counts)
        many += sum(count < own for count in counts)
        few += sum(count > own for count in counts)
        best += h - max(supports)
        worst += h - min(supports)
    return {
        "raw": divide(raw, h * windows),
        "best": divide(best, h * windows),
        "worst": divide(worst, h * windows),
        "too_many": divide(many, h * windows),
        "too_few": divide(few, h * windows),
        "score": divide(raw - best, worst - best),
    }


def corrected(observed: Rate, expected: Rate) -> Rate:
    if observed is None or expected is None:
        return None
    return divide(observed - expected, 1 - expected)


def observed(people: Sequence[Segmentation], include_end: bool = False) -> Rate:
    """Return the share of pairs of annotators and gaps that agree."""
    sides = [bits(p, include_end) for p in people]
    pairs = list(itertools.combinations(sides, 2))
    return divide(sum(x == y for a, b in pairs for x, y in zip(a, b, strict=True)), len(pairs) * len(sides[0]))


def fleiss(people: Sequence[Segmentation], include_end: bool = False) -> Rate:
    sides = [bits(p, include_end) for p in people]
    share = divide(sum(map(sum, sides)), len(sides) * len(sides[0]))
    chance = None if share is None else share**2 + (1 - share) ** 2
    return corrected(observed(people, include_end), chance)


def multi_kappa(people: Sequence[Segmentation], include_end: bool = False) -> Rate:
    sides = [bits(p, include_end) for p in people]
    if not sides[0]:
        return None
    shares = [Fraction(sum(side), len(side)) for side in sides]
    pairs = list(itertools.combinations(shares, 2))
    chance = divide(sum(p * q + (1 - p) * (1 - q) for p, q in pairs), len(pairs))
    return corrected(observed(people, include_end), chance)


def alpha(people: Sequence[Segmentation], include_end: bool = False) -> Rate:
    """Nominal alpha by coincidences: pairable judgements of each gap, against pairs drawn from all."""
    sides = [bits(p, include_end) for p in people]
    m, judgements = len(sides), [value for side in sides for value in side]
    if m < 2 or not judgements:
        return None
    differ = sum(
        Fraction(sum(x != y for x, y in itertools.permutations(votes, 2)), m - 1) for votes in zip(*sides, strict=True)
    )
    n, ones = len(judgements), sum(judgements)
    # All ordered pairs of two different judgements, over n (n - 1), against the observed ones over n.
    expected = Fraction(2 * ones * (n - ones), n * (n - 1))
    return None if not expected else 1 - Fraction(differ, n) / expected


def support(people: People, tolerance: Fraction | int) -> dict[int, Fraction]:
    """Return for each gap that anybody marked the share of annotators near it."""
    gaps = sorted({gap for coding in people.values() for gap in coding.boundaries})
    return {
        gap: Fraction(
            sum(any(abs(gap - other) <= tolerance for other in coding.boundaries) for coding in people.values()),
            len(people),
        )
        for gap in gaps
    }


def prominence(people: People, hypothesis: Segmentation) -> tuple[Rate, Rate]:
    """Return prominence-weighted precision and recall."""
    half = Fraction(pooled(list(people.values())), 2)
    weights = support(people, half)
    found = sum(
        weight
        for gap, weight in weights.items()
        if any(abs(gap - boundary) <= half for boundary in hypothesis.boundaries)
    )
    own = Fraction(0)
    for boundary in hypothesis.boundaries:
        near = [gap for gap in weights if abs(gap - boundary) <= half]
        if near:
            own += weights[min(near, key=lambda gap, at=boundary: (abs(gap - at), gap))]
    return divide(own, len(hypothesis.boundaries)), divide(found, sum(weights.values()))


def consensus(people: People, share: Fraction) -> list[int]:
    """Return the gaps that at least this share marked."""
    return [gap for gap, supported in support(people, 0).items() if supported >= share]


def most_matched(first: Sequence[int], second: Sequence[int], tolerance: int) -> int:
    """Return how many boundaries can be paired one to one within the tolerance, by trying everything."""
    if not first:
        return 0
    best = most_matched(first[1:], second, tolerance)
    for place, gap in enumerate(second):
        if abs(gap - first[0]) <= tolerance:
            best = max(best, 1 + most_matched(first[1:], [*second[:place], *second[place + 1 :]], tolerance))
    return best
