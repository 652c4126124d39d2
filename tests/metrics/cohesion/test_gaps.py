"""What is known of every gap, against a plain reading of the definition, unit by unit."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.metrics.cohesion import _words
from caesura.metrics.cohesion._gaps import FEATURES, UNTRAINED, features, scale_of_sum
from caesura.metrics.cohesion._terms import TERMS, Terms
from caesura.metrics.cohesion._words import words_of
from caesura.metrics.cohesion.placement import Placement
from caesura.segmentation import Segmentation

WORDS = ("cat", "cats", "rates", "rose", "the", "so", "thanks", "hello", "it", "7", "catalogue")
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
endings = st.sampled_from(("", "?", "!", ".", " ? really"))


@st.composite
def documents(draw: st.DrawFn) -> tuple[np.ndarray, list[str], list[str] | None]:
    n = draw(st.integers(3, 30))
    units = [draw(texts) + draw(endings) for _ in range(n)]
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    speakers = draw(st.one_of(st.none(), st.lists(st.sampled_from("AB"), min_size=n, max_size=n)))
    return rng.normal(size=(n, 4)) + 0.5, units, speakers


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    long = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / long if long > 1e-6 else 0.0


def likeness(rows: np.ndarray) -> float:
    pairs = [float(a @ b) for a, b in itertools.permutations(rows, 2)]
    return len(rows) * float(np.mean(pairs)) if pairs else 0.0


def evidence(grams: list[str], different: int) -> float:
    of_each = sum(math.lgamma(0.1 + times) - math.lgamma(0.1) for times in Counter(grams).values())
    return of_each + math.lgamma(0.1 * different) - math.lgamma(0.1 * different + len(grams))


def depth(values: list[float], place: int) -> float:
    total = 0.0
    for step in (-1, 1):
        peak, at = values[place], place + step
        while 0 <= at < len(values) and values[at] >= peak:
            peak, at = values[at], at + step
        total += peak - values[place]
    return total


def standardised(values: list[float]) -> np.ndarray:
    column = np.array(values)
    spread = column.std()
    return (column - column.mean()) / spread if spread > 1e-9 * max(1, abs(column).max()) else np.zeros(len(column))


def plainly(vectors: np.ndarray, units: list[str]) -> dict[str, np.ndarray]:
    """Return the 43 columns of vectors and letters, and the same less their neighbours."""
    n = len(units)
    x = vectors - vectors.mean(axis=0)
    grams = [words_of(unit) for unit in units]
    known = sorted({gram for each in grams for gram in each})
    spread = {gram: sum(gram in each for each in grams) for gram in known}
    y = np.array(
        [[math.log1p(each.count(g)) * math.log(n / spread[g]) for g in known] or [0.0] for each in grams]
    )  # fmt: skip
    raw: dict[str, list[float]] = {}
    for w in (1, 2, 3, 5, 8, 12):
        for gap in range(1, n):
            lo, hi = max(gap - w, 0), min(gap + w, n)
            if w != 12:
                for name, rows in (("vectors", vectors), ("centred", x), ("letters", y)):
                    value = -cosine(rows[lo:gap].sum(axis=0), rows[gap:hi].sum(axis=0))
                    raw.setdefault(f"{name} {w}", []).append(value)
                before, after = set(itertools.chain(*grams[lo:gap])), set(itertools.chain(*grams[gap:hi]))
                new, gone = set(grams[gap]) - before, set(grams[gap - 1]) - after
                raw.setdefault(f"new after {w}", []).append(len(new) / max(len(set(grams[gap])), 1))
                raw.setdefault(f"gone before {w}", []).append(len(gone) / max(len(set(grams[gap - 1])), 1))
            if w != 1:
                gain = likeness(x[lo:gap]) + likeness(x[gap:hi]) - likeness(x[lo:hi])
                raw.setdefault(f"gain {w}", []).append(gain)
            if w in (2, 5, 8) and known:
                left, right = list(itertools.chain(*grams[lo:gap])), list(itertools.chain(*grams[gap:hi]))
                ratio = sum(evidence(part, len(known)) for part in (left, right)) - evidence(left + right, len(known))
                raw.setdefault(f"evidence {w}", []).append(ratio / max(len(left + right), 1))
    for name in ("vectors", "letters"):
        for w in (1, 2, 3, 5, 8):
            cosines = [-value for value in raw[f"{name} {w}"]]
            raw[f"{name} depth {w}"] = [depth(cosines, place) for place in range(n - 1)]
    out = {name: standardised(values) for name, values in raw.items()}
    for name, column in list(out.items()):
        padded = np.concatenate((column[:1], column[:1], column, column[-1:], column[-1:]))
        above = [
            column[place] - max(padded[place + shift] for shift in (0, 1, 3, 4)) for place in range(len(column))
        ]  # fmt: skip
        out[f"{name} above neighbours"] = standardised(above)
    return out


@given(documents())
def test_windows_are_what_the_definition_says(document: tuple[np.ndarray, list[str], list[str] | None]) -> None:
    vectors, units, speakers = document
    found = features(vectors, units, speakers)
    for name, column in plainly(vectors, units).items():
        if "depth" not in name:  # equal cosines but for rounding make other slopes
            np.testing.assert_allclose(found[:, FEATURES.index(name)], column, atol=1e-6, err_msg=name)


def test_depths_of_vectors() -> None:
    vectors = np.random.default_rng(3).normal(size=(40, 5))
    found, expected = features(vectors, None), plainly(vectors, [""] * 40)
    for name in (f"vectors depth {w}" for w in (1, 2, 3, 5, 8)):
        np.testing.assert_allclose(found[:, FEATURES.index(name)], expected[name], atol=1e-9, err_msg=name)
    assert not found[:, FEATURES.index("letters 1") : FEATURES.index("vectors 1 above neighbours")].any()


def test_the_surface() -> None:
    units = ["Well, thanks! Bye!", "Hello, I need help?", "It ended.", "ok"]
    found = features(np.eye(4), units, ["A", "B", "B", "B"])
    column = {name: found[:, FEATURES.index(name)].round(3).tolist() for name in FEATURES}
    assert column["closing before"] == [1.414, -0.707, -0.707]
    assert column["opening after"] == [1.414, -0.707, -0.707]
    assert column["question after"] == [1.414, -0.707, -0.707]
    assert column["exclamation before"] == [1.414, -0.707, -0.707]
    assert column["pronoun after"] == [-0.707, 1.414, -0.707]
    assert column["other speaker"] == [1.414, -0.707, -0.707]
    assert column["same speaker"] == [-1.414, 0.707, 0.707]
    assert column["cue before"] == [0.707, 0.707, -1.414]
    assert column["short after"] == [-1.414, 0.707, 0.707]


def test_pairs_are_found_in_parts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    vectors, units = rng.normal(size=(60, 3)), [" ".join(rng.choice(WORDS, 5)) for _ in range(60)]
    whole = features(vectors, units)
    monkeypatch.setattr(_words, "_CELLS", 7)
    np.testing.assert_allclose(features(vectors, units), whole, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_scale_is_that_of_all_choices(k: int) -> None:
    rng = np.random.default_rng(k)
    values = rng.normal(size=7)
    values = (values - values.mean()) / values.std()
    sums = [values[list(chosen)].sum() for chosen in itertools.combinations(range(7), k)]
    assert np.mean(sums) == pytest.approx(0, abs=1e-12)
    assert np.std(sums) == pytest.approx(scale_of_sum(7, k))


def test_gaps_of_placement_are_an_exact_z() -> None:
    rng = np.random.default_rng(5)
    vectors, units = rng.normal(size=(9, 3)), [" ".join(rng.choice(WORDS, 4)) for _ in range(9)]
    g = features(vectors, units) @ UNTRAINED
    sums = {chosen: sum(g[i - 1] for i in chosen) for chosen in itertools.combinations(range(1, 9), 3)}
    every = np.array(list(sums.values()))
    metric = Placement(of="gaps")
    for chosen in ((1, 4, 7), (2, 3, 8)):
        score = metric(Segmentation(9, chosen), vectors, units)
        assert score == pytest.approx((sums[chosen] - every.mean()) / every.std())
    counts = metric.count(metric._batch(Segmentation(9, (1, 4, 7)), vectors, units))[0]
    rotated = [sum(g[(i - 1 + s) % 8] for i in (1, 4, 7)) for s in range(8)]
    assert counts[2] == pytest.approx(
        sum((r < rotated[0] - 1e-12) + 0.5 * (abs(r - rotated[0]) < 1e-12) for r in rotated) / 8
    )


def test_terms_hold_both_placements() -> None:
    rng = np.random.default_rng(6)
    vectors, units = rng.normal(size=(12, 3)), [" ".join(rng.choice(WORDS, 4)) for _ in range(12)]
    cut = Segmentation(12, (3, 8))
    found = dict(zip(TERMS, Terms(vectors, units).of(cut.positions).tolist(), strict=True))
    assert found["placement of vectors"] == pytest.approx(Placement()(cut, vectors))
    assert found["placement of words"] == pytest.approx(Placement(of="words")(cut, units))
    assert not Terms(vectors, units).of(Segmentation(12).positions).any()


@pytest.mark.parametrize("n", [1, 2])
def test_few_units_have_no_features(n: int) -> None:
    assert features(np.ones((n, 2)), ["a"] * n).shape == (n - 1, len(FEATURES))
    assert Placement(of="gaps")(Segmentation(n), np.ones((n, 2)), ["a"] * n) == 0


def test_equal_and_empty_units_give_no_noise() -> None:
    same = features(np.full((50, 3), 0.1), ["Same words."] * 50)
    # At the ends windows are shorter, and so is the evidence for one stretch.
    assert not same[:, [place for place, name in enumerate(FEATURES) if not name.startswith("evidence")]].any()
    assert np.isfinite(features(np.zeros((5, 2)), ["", " ", "\n", "", ""])).all()
    assert Placement(of="gaps")(Segmentation(5, (2,)), np.zeros((5, 2)), [""] * 5) == 0
