"""Placement: equal to its definition, said slowly; its symmetries, its null, its bounds, and what it refuses."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caesura.batches.embedded import Embedded
from caesura.errors import ComparabilityError, MetricError
from caesura.metrics import metric
from caesura.metrics.cohesion import _likeness, _words
from caesura.metrics.cohesion._rotations import shifts
from caesura.segmentation import Segmentation
from tests.metrics.cohesion.brute import Document, documents, random_vectors
from tests.strategies import per_segment, segmentations

TINY = 1e-9


class _Uncompiled:
    COMPILED = False


@pytest.fixture(params=["compiled", "numpy", "long"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Count with the compiled loops, where there are any; without; and as in documents too long for a table."""
    if request.param == "compiled":
        yield request.param
        return
    size = _likeness._TABLE if request.param == "numpy" else 1
    with (
        mock.patch.object(_likeness, "placements", _Uncompiled),
        mock.patch.object(_likeness, "_TABLE", size),
        mock.patch.object(_likeness, "_SHARED", size),
        mock.patch.object(_words, "_TABLE", size),
    ):
        yield request.param


# ---------------------------------------------------------------------------------------------- the definition


def likeness(units: np.ndarray, pairs: str) -> float:
    """Return l times the mean product of two units, from every pair."""
    size = len(units)
    products = [float(units[i] @ units[j]) for i in range(size) for j in range(size) if i != j or pairs == "all"]
    return size * float(np.mean(products)) if products else 0.0


def evidence(texts: list[str], vocabulary: int, alpha: float = 0.1) -> float:
    counts = Counter(word for text in texts for word in text.split())
    total = math.lgamma(vocabulary * alpha) - math.lgamma(vocabulary * alpha + counts.total())
    return total + sum(math.lgamma(alpha + c) - math.lgamma(alpha) for c in counts.values())


def by_rotation(n: int, boundaries: tuple[int, ...], value: object, rotations: int = 1000) -> list[float]:
    """Return T after each shift, 0 first; ``value`` is that of the units from lo to hi - 1."""
    if n - 1 <= rotations:
        by = list(range(n - 1))
    else:
        golden = (1 + math.sqrt(5)) / 2
        by = sorted({math.floor(math.modf(i * golden)[0] * (n - 1)) for i in range(rotations)})
    found = []
    for s in by:
        cuts = [0, *sorted((b - 1 + s) % (n - 1) + 1 for b in boundaries), n]
        found.append(sum(value(lo, hi) for lo, hi in itertools.pairwise(cuts)))  # type: ignore[operator]
    return found


def z_of(totals: list[float]) -> float:
    spread = float(np.std(totals))
    return (totals[0] - float(np.mean(totals))) / spread if spread > 1e-12 * max(map(abs, totals)) else 0.0


def placed_document(document: Document) -> bool:
    return 0 < document[0].n_boundaries < document[0].n_units - 1


@settings(max_examples=60)
@given(document=documents(), pairs=st.sampled_from(("distinct", "all")), rotations=st.sampled_from((5, 1000)))
def test_equals_its_definition(document: Document, pairs: str, rotations: int) -> None:
    cut, vectors = document[0], np.asarray(document[1], dtype=np.float64)
    ours = metric(f"Placement(pairs={pairs!r}, rotations={rotations})")
    counts = ours.counts(*document)  # type: ignore[attr-defined]
    if not placed_document(document):
        assert counts == {"z": 0.0, "documents": 1.0, "share": 0.5, "explained": 0.0, "expected": 0.0}
        return
    x = vectors - vectors.mean(axis=0)
    scatter = float((x**2).sum())
    assume(scatter > 1e-6 * float((vectors**2).sum()) > 0)
    totals = by_rotation(cut.n_units, cut.boundaries, lambda lo, hi: likeness(x[lo:hi], pairs), rotations)
    assume(np.std(totals) > 1e-6 * scatter or np.ptp(totals) == 0)
    assert counts["z"] == pytest.approx(z_of(totals), abs=TINY, rel=TINY)
    assert counts["explained"] == pytest.approx(totals[0] / scatter, abs=TINY)
    assert counts["expected"] == pytest.approx(np.mean(totals) / scatter, abs=TINY)
    assert abs(counts["explained"]) <= 1 + TINY
    ties = [abs(t - totals[0]) <= 1e-10 * scatter for t in totals]
    share = sum(0.5 if tie else float(t < totals[0]) for t, tie in zip(totals, ties, strict=True))
    assert counts["share"] == pytest.approx(share / len(totals), abs=TINY)
    assert ours(*document) == counts["z"]


@settings(max_examples=60)
@given(document=documents(min_units=3))
def test_the_value_of_a_segment_is_what_it_has_above_stretches_of_its_length(document: Document) -> None:
    cut, vectors = document[0], np.asarray(document[1], dtype=np.float64)
    assume(cut.n_boundaries)
    x, n = vectors - vectors.mean(axis=0), cut.n_units
    cuts = [0, *cut.boundaries, n]
    expected = []
    for lo, hi in itertools.pairwise(cuts):
        windows = [likeness(x[i : i + hi - lo], "distinct") for i in range(n - (hi - lo) + 1)]
        expected.append(likeness(x[lo:hi], "distinct") - float(np.mean(windows)))
    scale = float((x**2).sum()) or 1.0
    np.testing.assert_allclose(per_segment(metric("Placement"), *document), expected, atol=TINY * scale)  # type: ignore[attr-defined]


@st.composite
def with_texts(draw: st.DrawFn) -> tuple[Segmentation, list[str]]:
    cut = draw(segmentations(min_units=3, max_units=14))
    words = st.lists(st.sampled_from(("a", "b", "c", "dd", "e")), max_size=4)
    return cut, [" ".join(draw(words)) for _ in range(cut.n_units)]


@settings(max_examples=60)
@given(document=with_texts(), rotations=st.sampled_from((4, 1000)))
def test_words_equal_the_evidence(document: tuple[Segmentation, list[str]], rotations: int) -> None:
    cut, texts = document
    ours = metric(f"Placement(of='words', rotations={rotations})")
    size = len({word for text in texts for word in text.split()})
    if not 0 < cut.n_boundaries < cut.n_units - 1 or not size:
        assert ours(cut, texts) == 0.0
        return

    def value(lo: int, hi: int) -> float:
        return evidence(texts[lo:hi], size)

    totals = by_rotation(cut.n_units, cut.boundaries, value, rotations)
    tolerance = 1e-9 * max(1.0, max(map(abs, totals)))
    if np.ptp(totals) < tolerance:
        assert ours(cut, texts) == pytest.approx(0.0, abs=1e-6)
        return
    assume(np.std(totals) > 1e-5)
    assert ours(cut, texts) == pytest.approx(z_of(totals), abs=1e-7)
    cuts = [0, *cut.boundaries, cut.n_units]
    expected = [
        value(lo, hi) - float(np.mean([value(i, i + hi - lo) for i in range(cut.n_units - (hi - lo) + 1)]))
        for lo, hi in itertools.pairwise(cuts)
    ]
    np.testing.assert_allclose(per_segment(ours, cut, texts), expected, atol=1e-8)  # type: ignore[attr-defined]


def test_both_is_the_sum_of_the_two() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(list("abcdef"), size=4)) for _ in range(12)]
    vectors, cut = random_vectors(12, 3), Segmentation(12, (2, 7))
    both = metric("Placement(of='both')")
    expected = metric("Placement")(cut, vectors) + metric("Placement(of='words')")(cut, texts)
    assert both(cut, vectors, texts) == pytest.approx(expected, abs=TINY)
    x = vectors - vectors.mean(axis=0)
    ours = [
        by_rotation(12, cut.boundaries, lambda lo, hi: likeness(x[lo:hi], "distinct")),
        by_rotation(12, cut.boundaries, lambda lo, hi: evidence(texts[lo:hi], 6)),
    ]
    added = np.sum([(np.array(t) - np.mean(t)) / np.std(t) for t in ours], axis=0)
    batch = Embedded.of({"d": cut}, {"d": vectors}).with_texts({"d": texts})
    below = np.mean([0.5 if abs(a - added[0]) < TINY else a < added[0] for a in added])
    assert both.count(batch)[0, 2] == pytest.approx(below)  # type: ignore[attr-defined]


def test_long_documents_take_rotations_spread_by_the_golden_ratio() -> None:
    golden = (1 + math.sqrt(5)) / 2
    spread = {math.floor(math.modf(i * golden)[0] * 4999) for i in range(1000)}
    assert set(shifts(5000, 1000).tolist()) == spread
    assert shifts(5000, 1000)[0] == 0
    assert shifts(1001, 1000).tolist() == list(range(1000))


# ---------------------------------------------------------------------------------------------- properties


@settings(max_examples=40)
@given(document=documents(min_units=3), seed=st.integers(0, 1000))
def test_nothing_changes_under_translation_scale_orthogonal_maps_and_mirror(document: Document, seed: int) -> None:
    cut, vectors = document[0], np.asarray(document[1], dtype=np.float64)
    assume(float(np.ptp(vectors)) > 0.1)
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(vectors.shape[1], vectors.shape[1])))[0]
    z = metric("Placement")
    x = vectors - vectors.mean(axis=0)
    totals = by_rotation(cut.n_units, cut.boundaries, lambda lo, hi: likeness(x[lo:hi], "distinct"))
    assume(not placed_document(document) or np.std(totals) > 1e-4 * (x**2).sum())
    expected = pytest.approx(z(cut, vectors), abs=TINY)
    assert z(cut, vectors + rng.normal(size=vectors.shape[1])) == expected
    assert z(cut, vectors * 7.5) == expected
    assert z(cut, vectors @ turn) == expected
    assert z(cut.mirrored(), vectors[::-1]) == expected


@settings(max_examples=60)
@given(document=documents(min_units=3))
def test_bounds(document: Document) -> None:
    assert abs(metric("Placement")(*document)) <= math.sqrt(document[0].n_units - 2) + TINY


def test_a_null_document_has_mean_0_and_sd_1(way: str) -> None:
    rng = np.random.default_rng(0)
    draws = 400 if way == "compiled" else 120
    z = metric("Placement")
    scores = []
    for _ in range(draws):
        cut = Segmentation(40, np.sort(rng.choice(39, size=5, replace=False)) + 1)
        scores.append(z(cut, rng.normal(size=(40, 16))))
    # Three standard errors of the mean and of the standard deviation.
    assert abs(np.mean(scores)) < 3 / math.sqrt(draws)
    assert abs(np.std(scores) - 1) < 3 / math.sqrt(2 * draws)


def test_one_place_among_all_is_the_bound() -> None:
    """The one place where a total is high reaches sqrt(n - 2), the bound."""
    n = 11
    vectors = np.repeat([[1.0, 0.0], [-1.0, 0.0]], [5, 6], axis=0)
    assert metric("Placement")(Segmentation(n, (5,)), vectors) > 1.5
    totals = np.zeros(n - 1)
    totals[0] = 1.0
    assert (totals[0] - totals.mean()) / totals.std() == pytest.approx(math.sqrt(n - 2))


@pytest.mark.parametrize("of", ["vectors", "words", "both"])
def test_trivial_segmentations_score_0(of: str) -> None:
    vectors, texts = random_vectors(9, 2), ["one two", "three", "", "two", "one", "six", "one", "two", "ten"]
    first = texts if of == "words" else vectors
    extra = (texts,) if of == "both" else ()
    z = metric(f"Placement(of={of!r})")
    for cut in (Segmentation(9), Segmentation(9, range(1, 9))):
        assert z(cut, first, *extra) == 0.0
    assert z(Segmentation(2, (1,)), first[:2], *([texts[:2]] if extra else [])) == 0.0
    assert z(Segmentation(1), first[:1], *([texts[:1]] if extra else [])) == 0.0


def test_equal_and_zero_vectors() -> None:
    z, cut = metric("Placement"), Segmentation(8, (3, 5))
    assert z(cut, np.tile([0.1, 0.7], (8, 1))) == 0.0
    assert z(cut, np.zeros((8, 2))) == 0.0
    vectors = random_vectors(8, 3)
    vectors[2] = 0.0
    assert math.isfinite(z(cut, vectors))


def test_one_segment_on_request() -> None:
    whole = (Segmentation(11), random_vectors(11, 2))
    assert math.isnan(metric("Placement(on_single='nan')")(*whole))
    assert metric("Placement(on_single='worst')")(*whole) == -3.0
    assert np.isnan(per_segment(metric("Placement(on_single='nan')"), *whole)).all()  # type: ignore[attr-defined]


def test_many_segmentations_of_one_document_share_its_sums() -> None:
    rng = np.random.default_rng(2)
    vectors, texts = rng.normal(size=(30, 4)), [" ".join(rng.choice(list("abcd"), size=3)) for _ in range(30)]
    cuts = [Segmentation(30, np.sort(rng.choice(29, size=k, replace=False)) + 1) for k in (1, 4, 9)]
    batch = Embedded.of({"d": cuts[0]}, {"d": vectors}).with_texts({"d": texts})
    for of in ("vectors", "words", "both"):
        z = metric(f"Placement(of={of!r})")
        scores = z.score(z.count(batch.variants(0, cuts)))  # type: ignore[attr-defined]
        arguments = (texts,) if of == "words" else (vectors, texts)
        assert scores == pytest.approx([z(cut, *arguments) for cut in cuts], abs=TINY)


# ---------------------------------------------------------------------------------------------- what is refused


def test_bad_input() -> None:
    cut, vectors = Segmentation(4, (2,)), random_vectors(4, 2)
    words, both = metric("Placement(of='words')"), metric("Placement(of='both')")
    batch = Embedded.of({"d7": cut}, {"d7": vectors})
    for call, error, says in (
        (lambda: words(cut, ["a", "b"]), ComparabilityError, "2 texts for 4 units"),
        (lambda: words(cut, "abcd"), ComparabilityError, "list of strings"),
        (lambda: words(cut, [1, 2, 3, 4]), ComparabilityError, "list of strings"),
        (lambda: words("0001", ["a"] * 4), MetricError, "segmentation is a str"),
        (lambda: both(cut, vectors), ComparabilityError, "has no texts, which Placement(of='both') reads"),
        (lambda: words.count(batch), ComparabilityError, "document 'd7' has no texts"),  # type: ignore[attr-defined]
        (lambda: metric("Placement(of='letters')"), MetricError, "of is 'letters'"),
        (lambda: metric("Placement(rotations=1)"), MetricError, "rotations is 1"),
    ):
        with pytest.raises(error) as caught:
            call()
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)
