"""What the page computes itself, held against the library and against its definition on thousands of random cases."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.reports.page.html import script
from caesura.table import format_number
from caesura.units.quantity import as_clock

NAMES = ["Pk", "WindowDiff", "F1", "BOR", "Purity", "Coverage"]
UP, DOWN, TO_ONE = (lambda b, a: a - b), (lambda b, a: b - a), (lambda b, a: abs(b - 1) - abs(a - 1))
GAINS = dict(zip(NAMES, [DOWN, DOWN, UP, TO_ONE, UP, UP], strict=True))


@pytest.fixture(scope="module")
def computed(chromium):
    """Return a function that applies an expression of the page's script to every case."""
    code = script().rpartition("start();")[0]
    context = chromium.new_context()
    tab = context.new_page()

    def apply(expression, cases):
        found = tab.evaluate(
            "([code, expression, cases]) => { const made = new Function(`${code}; return (${expression});`)();"
            "const plain = (v) => v === Infinity ? 'inf' : Array.isArray(v) ? v.map(plain) : v;"
            "return cases.map((one) => plain(made(...one))); }",
            [code, expression, cases],
        )
        assert len(found) == len(cases)
        return found

    yield apply
    context.close()


def places(rng, n, share):
    """Return random boundaries."""
    if n < 2:
        return []
    if n < 1000:
        return [int(gap) + 1 for gap in np.flatnonzero(rng.random(n - 1) < share)]
    return sorted({int(place) for place in rng.integers(1, n, rng.poisson(12 * share))})


def near_copy(rng, n, ref, reach):
    """Return boundaries near those of a reference, some lost and some added."""
    kept = [place + int(rng.integers(-reach, reach + 1)) for place in ref if rng.random() < 0.8]
    return sorted({place for place in [*kept, *places(rng, n, 0.1)] if 0 < place < n})


def cases(seed, count, *, most=60, tolerance=5):
    """Return random pairs: n, reference, hypothesis, tolerance."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        n = int(rng.integers(1, most))
        within = int(rng.integers(0, tolerance + 1))
        ref = places(rng, n, rng.random() * 0.5)
        hyp = near_copy(rng, n, ref, 2 * within + 1) if number % 2 else places(rng, n, rng.random() * 0.5)
        found.append((n, ref, hyp, within))
    return found


TIMED = {"most": 7_200_000, "tolerance": 30_000}


def pair(n, ref, hyp, unit="turn"):
    """Return both sides as segmentations."""
    return tuple(cz.Segmentation.from_boundaries(n, side, unit=unit) for side in (ref, hyp))


def library(name, tolerance, unit="turn"):
    """Return a metric of the document view."""
    if name != "F1":
        return cz.metric(name)
    return cz.metric(f"BoundaryF1(tolerance={tolerance if unit == 'turn' else f'{tolerance}ms'!r})")


def same(value, wanted):
    """Say whether a number of the page is that of the library; undefined and infinite ones too."""
    if np.isnan(wanted):
        return value is None
    return (np.inf if value == "inf" else value) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("unit", "options"), [("turn", {}), ("ms", TIMED)])
def test_the_metrics_of_the_page_are_the_library_s(computed, unit, options):
    tried = cases(5, 800, **options)
    metrics = "(n, ref, hyp, tolerance) => documentMetrics({ name: 'F1', tolerance }).map(([, , score]) => score(n, ref, hyp))"
    for (n, ref, hyp, tolerance), row in zip(tried, computed(metrics, tried), strict=True):
        for name, value in zip(NAMES, row, strict=True):
            wanted = library(name, tolerance, unit)(*pair(n, ref, hyp, unit))
            assert same(value, wanted), (name, n, ref, hyp, tolerance)


def test_the_page_names_its_metrics_and_their_directions(computed):
    [named] = computed("(f1) => documentMetrics(f1).map(([name, way]) => [name, way])", [[{"name": "F1 (10s)", "tolerance": 1}]])  # fmt: skip
    assert [name for name, _ in named] == [name if name != "F1" else "F1 (10s)" for name in NAMES]
    ways = {"higher": 1, "lower": -1, "target": 0}
    assert [way for _, way in named] == [ways[library(name, 1).facts().direction] for name in NAMES]


def outcomes(n, ref, hyp, tolerance, window):
    """Tell boundaries apart by trying all pairs, as docs/report.md defines it."""
    off = {h: min(((abs(h - r), r) for r in ref), default=(np.inf, None)) for h in hyp}
    hits = [[h, r] for h, (distance, r) in off.items() if distance <= tolerance]
    rest = [h for h in hyp if off[h][0] > tolerance]
    left = [r for r in ref if all(abs(h - r) > tolerance for h in hyp)]
    reach = max(1, window // 2)
    near = []
    for distance, r, h in sorted((abs(h - r), r, h) for h in rest for r in left):
        taken = {place for one in near for place in (("h", one[0]), ("r", one[1]))}
        if distance <= reach and not {("h", h), ("r", r)} & taken:
            near.append([h, r])
    return {
        "hits": hits,
        "near": near,
        "wrong": [h for h in rest if h not in [one[0] for one in near]],
        "missed": [r for r in left if r not in [one[1] for one in near]],
    }


@pytest.mark.parametrize(("unit", "options"), [("turn", {}), ("ms", TIMED)])
def test_found_near_false_and_missed_are_as_defined(computed, unit, options):
    tried = cases(6, 1500, **options)
    seen = {"hits": 0, "near": 0, "wrong": 0, "missed": 0}
    for (n, ref, hyp, tolerance), found in zip(tried, computed("outcomes", tried), strict=True):
        # Half the mean length of a segment, ties to the even number, at least 2: the window of Pk.
        window = max(2, round(n / (2 * (len(ref) + 1))))
        assert found == outcomes(n, ref, hyp, tolerance, window), (n, ref, hyp, tolerance)
        for kind in seen:
            seen[kind] += len(found[kind])
        # And what is found is what the F1 beside it counts.
        within = tolerance if unit == "turn" else f"{tolerance}ms"
        sides = pair(n, ref, hyp, unit)
        if hyp:
            assert len(found["hits"]) / len(hyp) == pytest.approx(cz.metric(f"BoundaryPrecision(tolerance={within!r})")(*sides))  # fmt: skip
        if ref:
            lost = len(found["near"]) + len(found["missed"])
            assert 1 - lost / len(ref) == pytest.approx(cz.metric(f"BoundaryRecall(tolerance={within!r})")(*sides))  # fmt: skip
    assert min(seen.values()) > 200, seen


def test_gains_are_differences_of_the_library_s_scores(computed):
    tried = [(*one, at % len(NAMES)) for at, one in enumerate(cases(7, 300, most=24, tolerance=30))]
    blame = "(n, ref, hyp, tolerance, wanted) => blame(n, ref, hyp, { name: 'F1', tolerance }, wanted).map(({ what, place, gains }) => [what, place, gains])"
    changes = 0
    for (n, ref, hyp, tolerance, wanted), rows in zip(tried, computed(blame, tried), strict=True):
        metrics = {name: library(name, tolerance) for name in NAMES}
        before = {name: metric(*pair(n, ref, hyp)) for name, metric in metrics.items()}
        step = max(1, tolerance // 10)
        for what, place, gains in rows:
            to = {"add": {place}, "remove": set(), "move back": {place - step}, "move on": {place + step}}[what]
            after = sorted((set(hyp) - {place}) | to)
            assert what != "add" or (place in ref and place not in hyp)
            for name, gained in zip(NAMES, gains, strict=True):
                score = metrics[name](*pair(n, ref, after))
                if np.isinf(before[name]) or np.isinf(score):
                    continue  # BOR without a boundary in the reference
                assert same(gained, GAINS[name](before[name], score)), (name, what, place, n, ref, hyp)
            changes += 1
        ordered = [row[2][wanted] for row in rows if isinstance(row[2][wanted], (int, float))]
        assert ordered == sorted(ordered, reverse=True)
        # Whatever can go or move is tried.
        assert {place for what, place, _ in rows if what == "remove"} == set(hyp)
    assert changes > 1000


def test_retrieval_on_the_page_is_the_library_s(computed):
    rng = np.random.default_rng(6)
    tried = [(n, ref, hyp, int(rng.choice([500, 660, 800, 850, 1000]))) for n, ref, hyp, _ in cases(8, 400, most=80)]
    both = "(n, ref, hyp, gamma) => [retrieval(n, ref, hyp, gamma, false), retrieval(n, ref, hyp, gamma, true)]"
    for (n, ref, hyp, gamma), row in zip(tried, computed(both, tried), strict=True):
        wanted = [cz.metric(f"{name}(gamma={gamma / 1000})")(*pair(n, ref, hyp)) for name in ("CovN", "CovD")]
        assert row == pytest.approx(wanted, abs=1e-12), (n, ref, hyp, gamma)


def test_numbers_are_written_as_the_library_writes_them(computed):
    rng = np.random.default_rng(9)
    values = [*(rng.normal(size=300) * 10.0 ** rng.integers(-4, 6, 300)), 0.0005, 0.0015, 0.0625, 2.5, -0.5, 1e-9]
    tried = [(float(value), int(digits)) for value in values for digits in range(5)]
    assert computed("shown", tried) == [format_number(value, digits) for value, digits in tried]
    assert computed("shown", [[None], ["inf"]]) == ["-", "inf"]


def test_times_above_an_hour_are_written_as_the_library_writes_them(computed):
    seconds = [0, 59, 60, 3599, 3600, 4500, 7199, 7200, 36_061, *range(1, 40_000, 997)]
    tried = [(1000 * second,) for second in seconds]
    assert computed("clock", tried) == [as_clock(ms) for (ms,) in tried]
    assert computed("clock", [[4_500_000]]) == ["1:15:00"]
