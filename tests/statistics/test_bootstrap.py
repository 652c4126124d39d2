"""The bootstrap over documents: what it draws, what it does with it, how often its intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.statistics import Bootstrap, Interval, Statistic, bootstrap, freedom_of


def resampled(n: int, resamples: int, seed: int) -> np.ndarray:
    """Draw documents one resample after the other, as places."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, size=(resamples, n))


def test_each_resample_has_as_many_documents_as_there_are() -> None:
    draws = np.concatenate(list(Bootstrap(7, 50, 3).draws()))
    assert draws.shape == (50, 7)
    assert (draws.sum(axis=1) == 7).all()
    assert draws.min() == 0


def test_the_same_seed_draws_the_same_documents() -> None:
    one, again, other = (np.concatenate(list(Bootstrap(9, 40, seed).draws())) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


@pytest.mark.parametrize("cells", [1, 10, 37, 400, 10**6])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    values = np.random.default_rng(1).normal(size=(10, 2))
    expected = Bootstrap(10, 60, 2).mean(values)
    drawn = np.concatenate(list(Bootstrap(10, 60, 2).draws()))
    monkeypatch.setattr(bootstrap, "_CELLS_IN_A_BLOCK", cells)
    np.testing.assert_array_equal(np.concatenate(list(Bootstrap(10, 60, 2).draws())), drawn)
    np.testing.assert_allclose(Bootstrap(10, 60, 2).mean(values), expected, rtol=1e-12)
    np.testing.assert_allclose(Bootstrap(10, 60, 2).sums(values)[..., 0], 10 * expected[:, 0], rtol=1e-9, atol=1e-12)


def test_the_mean_is_that_of_the_documents_drawn() -> None:
    values = np.random.default_rng(4).beta(2, 5, size=12)
    places = resampled(12, 80, 11)
    np.testing.assert_allclose(Bootstrap(12, 80, 11).mean(values), values[places].mean(axis=1), rtol=1e-12)


def test_columns_are_resampled_together() -> None:
    values = np.random.default_rng(4).normal(size=(12, 3))
    together = Bootstrap(12, 30, 1).mean(values)
    assert together.shape == (30, 3)
    for column in range(3):
        np.testing.assert_allclose(together[:, column], Bootstrap(12, 30, 1).mean(values[:, column]), rtol=1e-12)


def test_undefined_documents_are_left_out_of_each_resample() -> None:
    values = np.array([0.1, math.nan, 0.5, math.nan, 0.9])
    places = resampled(5, 200, 0)
    expected = [
        float(np.mean([values[p] for p in row if not math.isnan(values[p])]))
        if any(not math.isnan(values[p]) for p in row)
        else math.nan
        for row in places
    ]
    np.testing.assert_allclose(Bootstrap(5, 200, 0).mean(values), expected, rtol=1e-12)
    nothing = Bootstrap(3, 20).mean(np.full(3, math.nan))
    assert np.isnan(nothing).all()


def test_a_micro_score_is_that_of_the_summed_counts() -> None:
    rng = np.random.default_rng(8)
    counts = rng.integers(0, 9, size=(15, 2)).astype(np.float64)
    counts[:, 1] += counts[:, 0] + 1

    def score(table: np.ndarray) -> np.ndarray:
        return table[..., 0] / table[..., 1]

    direct = [score(counts[row].sum(axis=0)) for row in resampled(15, 90, 21)]
    np.testing.assert_allclose(score(Bootstrap(15, 90, 21).sums(counts)), direct, rtol=1e-12)


# ---------------------------------------------------------------------------------------------- intervals


def test_the_interval_is_between_percentiles() -> None:
    made = Bootstrap(10, 1001, seed=3, level=0.9).interval(np.arange(1001.0))
    assert (made.low, made.high) == pytest.approx((50.0, 950.0))
    assert (made.level, made.resamples, made.seed) == (0.9, 1001, 3)


def test_an_interval_holds_its_ends() -> None:
    made = Interval(50.0, 950.0, 0.9, 1001, 3)
    assert made.width == 900.0
    assert 50.0 in made
    assert 950.0 in made
    assert 49.9 not in made


def test_undefined_values_are_not_in_the_interval() -> None:
    values = np.concatenate([np.arange(101.0), np.full(30, math.nan)])
    made = Bootstrap(10, 131).interval(values)
    assert (made.low, made.high) == pytest.approx((2.5, 97.5))


@pytest.mark.parametrize(("n", "values"), [(5, []), (5, [math.nan] * 4), (1, [0.5] * 4)])
def test_no_interval(n: int, values: list[float]) -> None:
    made = Bootstrap(n, 4).interval(np.array(values, dtype=np.float64))
    assert math.isnan(made.low)
    assert math.isnan(made.high)
    assert math.isnan(made.width)
    assert 0.5 not in made


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.integers(0, 10**6))
def test_the_interval_lies_within_the_values(values: list[float], seed: int) -> None:
    resampling = Bootstrap(len(values), 50, seed)
    made = resampling.interval(resampling.mean(np.array(values)))
    assert min(values) - 1e-12 <= made.low <= made.high <= max(values) + 1e-12


@pytest.mark.parametrize("name", ["normal", "beta"])
def test_95_percent_intervals_hold_the_mean_about_as_often(name: str) -> None:
    """400 simulated corpora of 60 documents; the percentile interval is a little short, so 90 to 98 of 100 are asked."""
    rng = np.random.default_rng(2024)
    draw, truth = {
        "normal": (lambda: rng.normal(0.3, 0.1, size=60), 0.3),
        "beta": (lambda: rng.beta(2, 6, size=60), 0.25),
    }[name]
    held = 0
    for seed in range(400):
        resampling = Bootstrap(60, 400, seed)
        held += truth in resampling.interval(resampling.mean(draw()))
    assert 0.90 <= held / 400 <= 0.98


def test_more_documents_make_it_narrower() -> None:
    rng = np.random.default_rng(0)
    widths = []
    for n in (25, 100, 400):
        resampling = Bootstrap(n, 500, 1)
        widths.append(resampling.interval(resampling.mean(rng.normal(size=n))).width)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.3)
    assert widths[1] / widths[2] == pytest.approx(2, rel=0.3)


def test_a_higher_level_is_wider() -> None:
    values = np.random.default_rng(3).normal(size=40)
    widths = []
    for level in (0.5, 0.9, 0.99):
        resampling = Bootstrap(40, 500, 1, level)
        widths.append(resampling.interval(resampling.mean(values)).width)
    assert widths == sorted(widths)
    assert widths[0] < widths[2]


def test_a_pooled_interval_widens_where_one_document_weighs_most():
    """The degrees of freedom fall with the kurtosis of the influences; of equal documents nothing changes but the hull."""
    rng = np.random.default_rng(4)
    rates = rng.uniform(0.2, 0.8, 30)

    def widths(sizes):
        table = np.column_stack([rates * sizes, sizes])
        statistic = Statistic.pooled(table, lambda sums: sums[..., 0] / sums[..., 1])
        bootstrap = Bootstrap(30, 2000)
        (drawn,) = bootstrap.replicates([statistic])
        plain = bootstrap.interval(drawn, 30)
        return plain, bootstrap.interval(drawn, 30, statistic.left_out())

    plain, same = widths(np.full(30, 10.0))
    assert same.width / plain.width < 1.08
    sizes = np.full(30, 10.0)
    sizes[3] = 400.0
    plain, wider = widths(sizes)
    assert wider.width / plain.width > 1.3
    assert wider.low <= plain.low
    assert wider.high >= plain.high
    assert Statistic.mean(rates).left_out() is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # 2 n over the kurtosis less (n - 3) / (n - 1), at most n - 1.
        # Deviations -1, -1, -1, 3: sum of squares 12, of fourth powers 84, kurtosis 336 / 144 = 7 / 3, less 1 / 3 is 2, so 8 / 2: more than n - 1.
        ([0.0, 0.0, 0.0, 4.0], 3.0),
        # Deviations -1, -1, -1, -1, 4: 20 and 260, kurtosis 1300 / 400 = 13 / 4, less 2 / 4 is 11 / 4.
        ([0.0, 0.0, 0.0, 0.0, 5.0], 40 / 11),
        # Deviations -1 five times and 5: 30 and 630, kurtosis 3780 / 900 = 21 / 5, less 3 / 5 is 18 / 5.
        ([0.0, 0.0, 0.0, 0.0, 0.0, 6.0], 12 / 3.6),
        # Deviations -2, -2, 0, 1, 3, 0: 18 and 114, kurtosis 684 / 324 = 19 / 9, less 3 / 5 is 68 / 45.
        ([0.0, 0.0, 2.0, 3.0, 5.0, 2.0], 5.0),
    ],
)
def test_degrees_of_freedom_of_few_documents(values: list[float], expected: float) -> None:
    assert freedom_of(np.array(values)) == pytest.approx(expected, rel=1e-12)
