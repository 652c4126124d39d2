"""Hierarchies against hierarchies: mir_eval as the oracle, the definition by brute force, and what `evaluate --levels` tells."""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.evaluation.evaluate.levels import evaluate_levels
from caesura.evaluation.evaluate.trees import agreed
from caesura.segmentation import Segmentation

Tree = list[Segmentation]


@st.composite
def trees(draw: st.DrawFn) -> tuple[Tree, Tree]:
    n = draw(st.integers(2, 24))
    sides = []
    for _ in range(2):
        gaps: set[int] = set()
        levels = []
        for _ in range(draw(st.integers(1, 3))):
            gaps |= draw(st.sets(st.integers(1, n - 1), max_size=5))
            levels.append(Segmentation(n, sorted(gaps)))
        sides.append(levels)
    return sides[0], sides[1]


def depth(levels: Tree, first: int, second: int) -> int:
    """Return in how many levels two units share a segment."""
    return sum(not any(first < gap <= second for gap in level.boundaries) for level in levels)


def brute(reference: Tree, hypothesis: Tree, *, adjacent: bool) -> float:
    """Return the recall unit by unit, triple by triple."""
    n, shares = reference[0].n_units, []
    for q in range(n):
        near = {i: tuple(depth(side, *sorted((q, i))) for side in (reference, hypothesis)) for i in range(n) if i != q}
        right, count = 0, 0
        for i, j in itertools.permutations(near, 2):
            if near[i][0] > near[j][0] and (not adjacent or near[i][0] == near[j][0] + 1):
                count += 1
                right += near[i][1] > near[j][1]
        if count:
            shares.append(right / count)
    return float(np.mean(shares)) if shares else math.nan


@settings(max_examples=80, deadline=None)
@given(trees(), st.booleans())
def test_the_definition(both: tuple[Tree, Tree], adjacent: bool) -> None:
    found = agreed(*both, adjacent=adjacent)
    assert found.recall == pytest.approx(brute(*both, adjacent=adjacent), nan_ok=True)
    assert found.precision == pytest.approx(brute(both[1], both[0], adjacent=adjacent), nan_ok=True)


def intervals(levels: Sequence[Segmentation]) -> list[np.ndarray]:
    edges = [[0, *level.boundaries, level.n_units] for level in levels]
    return [np.array(list(itertools.pairwise(edge)), dtype=float) for edge in edges]


def test_mir_eval_gives_the_same() -> None:
    hierarchy = pytest.importorskip("mir_eval.hierarchy")
    rng = np.random.default_rng(4)
    for _ in range(25):
        n = int(rng.integers(8, 40))
        sides = []
        for _ in range(2):
            gaps: set[int] = set()
            levels = []
            for _ in range(int(rng.integers(1, 4))):
                gaps |= {int(gap) for gap in rng.integers(1, n, size=3)}
                levels.append(Segmentation(n, sorted(gaps)))
            sides.append(levels)
        one, two = map(intervals, sides)
        names = [
            [[f"{level}-{place}" for place in range(len(each))] for level, each in enumerate(side)]
            for side in (one, two)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = hierarchy.lmeasure(one, names[0], two, names[1], frame_size=1)
            reduced = hierarchy.tmeasure(one, two, transitive=False, window=None, frame_size=1)
        assert tuple(agreed(*sides)) == pytest.approx(whole)
        assert tuple(agreed(*sides, adjacent=True)) == pytest.approx(reduced)


def test_long_documents_cost_what_their_boundaries_cost() -> None:
    """A document of a million units with the same boundaries is no slower than one of a thousand, give or take."""

    def seconds(n: int) -> float:
        levels = [Segmentation(n, [n // 2]), Segmentation(n, list(range(n // 50, n, n // 50))[:49])]
        start = time.process_time()
        for _ in range(20):
            agreed(levels, levels[1:])
        return time.process_time() - start

    seconds(1_000)
    assert seconds(1_000_000) < 10 * seconds(1_000)


def test_a_system_with_levels_is_told() -> None:
    levels = (Segmentation(24, (12,)), Segmentation(24, (6, 12, 18)))
    gold = Corpus([Document(id="d", n_units=24, segmentation=levels[1], hierarchy=levels)])
    other = (Segmentation(24, (8,)), Segmentation(24, (6, 8, 18)))
    system = Corpus([Document(id="d", n_units=24, segmentation=other[1], hierarchy=other)])
    flat = {"d": Segmentation(24, (6, 12, 18))}
    found = evaluate_levels(gold, {"same": gold, "other": system, "flat": flat})
    assert set(found.trees) == {"same", "other"}
    assert found.trees["same"].l_f == found.trees["same"].t_f == 1.0
    assert found.trees["same"].by_level == [[1.0, 0.5], [0.5, 1.0]]
    wanted = agreed(levels, other)
    assert (found.trees["other"].l_precision, found.trees["other"].l_recall) == pytest.approx(wanted[:2])
    assert [table.title for table in found.tables()][:2] == ["Levels of the reference, 1 the coarsest", "Hierarchies"]
    assert "Its hierarchy orders units as the reference does by L-measure 1.000" in found.answer()[0]
    assert "hierarchy" not in found.answer()[2]


def test_without_boundaries_nothing_is_ordered() -> None:
    none = [Segmentation(9)]
    assert math.isnan(agreed(none, none).f)
    # As `mir_eval` counts it: a side that orders nothing finds nothing.
    found = agreed(none, [Segmentation(9, (3,))])
    assert math.isnan(found.recall)
    assert (found.precision, found.f) == (0.0, 0.0)
    silent = agreed([Segmentation(9, (3,))], none)
    assert math.isnan(silent.precision)
    assert (silent.recall, silent.f) == (0.0, 0.0)
