"""Global systems against all segmentations of short documents, other programs, and values on real corpora."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from benchmarks.peers.naive_segmenters import (
    dirichlet,
    divisions,
    exemplar,
    inside_density,
    least_cost,
    normalised_cut,
    ranks,
    scatter,
    spans,
)
from caesura.corpus import Document
from caesura.errors import CaesuraWarning, DeclarationError, SegmentationError
from caesura.kernels import programme as kernel
from caesura.scorers import Encoding, Features
from caesura.scorers.features import terms_of
from caesura.scorers.features.similarity import cosine_matrix, cosine_rows, inverse_frequencies, neighbour_weights
from caesura.scorers.features.terms import count_terms
from caesura.segmenters import segmenter
from caesura.segmenters.aps import APS, propagated
from caesura.segmenters.bayes_seg import BayesSeg, _best_prior
from caesura.segmenters.c99 import C99, divided, ranked
from caesura.segmenters.min_cut_seg import MinCutSeg
from caesura.segmenters.scatter import Scatter
from caesura.segmenters.tree_seg import TreeSeg
from tests.corpora import needs
from tests.segmenters.brute import CHOI, DIALSEG, TIAGE, first_documents, least, mean_pk, words

SIZES = list(itertools.product((1, 2, 6, 9), range(3)))


def check(made, features, cost, n):
    """Every cost, and the least sum with every number of segments."""
    band = made.banded(features)
    for a, b in itertools.combinations(range(n + 1), 2):
        assert band.cost(a, b) == pytest.approx(cost(a, b), abs=1e-9)
    for k in range(1, n + 1):
        found = type(made)(**{**made.options(), "n_segments": k}).cut(features).segmentation
        reached = sum(cost(a, b) for a, b in spans(n, found.boundaries))
        assert reached == pytest.approx(least(n, cost, k), abs=1e-9)


class Fixed:
    """An encoder with given vectors."""

    def __init__(self, vectors):
        self.given = vectors
        self.name = None

    def vectors(self, document):
        return self.given


def vectors(n, seed):
    found = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize(("n", "seed"), SIZES)
def test_scatter(n, seed, monkeypatch):
    monkeypatch.setattr("caesura.segmenters.scatter._ENDS", 4)
    features = Features(Document(id="d", n_units=n), Fixed(vectors(n, seed)))
    check(Scatter(), features, scatter(features.vectors.astype(float)), n)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("length", [None, 7, 70])
def test_scatter_of_long_documents_block_by_block(compiled, length, monkeypatch):
    if compiled and not kernel.COMPILED:
        pytest.skip("the kernel is not compiled")
    monkeypatch.setattr(kernel, "COMPILED", compiled)
    features = Features(Document(id="d", n_units=150), Fixed(vectors(150, 1)))
    band, cost = Scatter(max_length=length).banded(features), scatter(features.vectors.astype(float))
    for end in range(1, 151):
        for start in range(0, end, 3):
            if end - start <= band.length:
                assert band.cost(start, end) == pytest.approx(cost(start, end), abs=1e-9)


def test_scatter_with_limits():
    features = Features(Document(id="d", n_units=9), Fixed(vectors(9, 1)))
    cut = Scatter(n_segments=3, min_length=2, max_length=4).cut(features).segmentation
    assert all(2 <= mass <= 4 for mass in cut.masses)
    with pytest.raises(SegmentationError, match=r"2 segments are not possible .* 3 to 4 can be had"):
        Scatter(n_segments=2, min_length=2, max_length=4).cut(features)


@pytest.mark.parametrize(("n", "seed"), SIZES)
def test_bayes_seg(n, seed):
    features = Features(words(n, seed))
    lists = [terms_of(text) for text in features.units]
    check(BayesSeg(), features, dirichlet(lists, 0.2), n)


def test_bayes_seg_in_slabs(monkeypatch):
    features = Features(words(8, 3))
    whole = BayesSeg().banded(features).costs
    monkeypatch.setattr("caesura.segmenters.bayes_seg._CELLS", 18)
    assert BayesSeg().banded(features).costs == pytest.approx(whole)


def test_the_prior_is_the_most_likely_one():
    units = ("cat cat purr", "cat mouse", "purr cat", "rain cloud", "rain rain", "cloud storm cat")
    features = Features(Document(id="d", n_units=6, units=units))
    lists = [terms_of(text) for text in units]
    best = _best_prior(features.terms(), (3,))
    assert 0.01 < best < 100

    def loss(theta):
        return sum(dirichlet(lists, theta)(a, b) for a, b in spans(6, (3,)))

    assert all(loss(best) < loss(best * factor) for factor in (0.5, 0.9, 1.1, 2.0))


@pytest.mark.parametrize(("n", "seed"), SIZES)
def test_min_cut(n, seed):
    features = Features(words(n, seed))
    terms = features.terms()
    weighted = terms.weighted(inverse_frequencies(terms, 15))
    weights = np.exp(cosine_matrix(weighted, neighbour_weights(1.1, 5)))
    check(MinCutSeg(), features, normalised_cut(weights), n)
    places = np.arange(n)
    weights[abs(places[:, None] - places) > 2] = 0
    check(MinCutSeg(reach=2), features, normalised_cut(weights), n)


@pytest.mark.parametrize(("n", "seed"), SIZES)
def test_aps_exact(n, seed):
    features = Features(words(n, seed))
    check(APS(), features, exemplar(cosine_matrix(features.terms()), -0.3), n)


LONG = 40


@pytest.fixture
def long_document(monkeypatch):
    """A document that counts as long, so that nothing keeps the similarities of all its pairs."""
    for module in ("aps", "c99", "min_cut_seg"):
        monkeypatch.setattr(f"caesura.segmenters.{module}.ALL_PAIRS", LONG - 1)
    return Features(words(LONG, 4))


@pytest.mark.parametrize(
    "text",
    ["MinCutSeg", "MinCutSeg(reach=5)", "MinCutSeg(n_segments=6, max_length=12)", "APS", "APS(horizon=2, parts=4, max_length=9)"],
)  # fmt: skip
def test_a_long_document_has_the_boundaries_of_all_pairs(text, monkeypatch, request):
    whole = segmenter(text).cut(Features(words(LONG, 4)))
    found = segmenter(text).cut(request.getfixturevalue("long_document"))
    assert found.segmentation == whole.segmentation
    assert found.scores.tolist() == whole.scores.tolist()


def test_memory_of_long_documents_grows_with_the_longest_segment(long_document, monkeypatch):
    """Neither keeps all pairs: the largest array of either is the band of costs or its sums."""
    monkeypatch.setattr("caesura.scorers.features.similarity._CELLS", 4 * LONG)

    def refused(*_):
        raise AssertionError("all pairs")

    for module in ("aps", "min_cut_seg"):
        monkeypatch.setattr(f"caesura.segmenters.{module}.cosine_matrix", refused)
    for text in ("APS(max_length=5)", "MinCutSeg(n_segments=10, max_length=5)"):
        assert max(segmenter(text).cut(long_document).segmentation.masses) <= 5
    with pytest.raises(SegmentationError, match=r"has 40 units; APS takes at most 39 with solver='messages'"):
        APS(solver="messages").cut(long_document)


def test_c99_divides_a_long_document_in_windows(long_document, monkeypatch):
    monkeypatch.setattr("caesura.segmenters.c99._WINDOW", 16)
    with pytest.warns(CaesuraWarning, match="40 units; windows of 16 units are divided, and the middle of each"):
        found = C99().cut(long_document)
    # Windows start after 0, 8, 16 and 24 units; gaps up to 12, 20 and 28 are nearest the middles of the first three.
    for start, first, last in ((0, 1, 12), (8, 13, 20), (16, 21, 28), (24, 29, 39)):
        part = Document(id="d", n_units=16, units=long_document.units[start : start + 16])
        alone = C99().cut(Features(part))
        gaps = [gap + start for gap in alone.segmentation.boundaries if first <= gap + start <= last]
        assert [gap for gap in found.segmentation.boundaries if first <= gap <= last] == gaps
        assert found.scores[first - 1 : last].tolist() == pytest.approx(alone.scores[first - 1 - start : last - start])
    with pytest.warns(CaesuraWarning, match="windows"):
        assert len(C99(n_segments=5).cut(long_document).segmentation.masses) == 5


@pytest.mark.parametrize("weights", [None, neighbour_weights(1.1, 3)])
def test_rows_of_cosines_are_those_of_the_matrix(weights, monkeypatch):
    monkeypatch.setattr("caesura.scorers.features.similarity._CELLS", 50)
    terms = Features(words(30, 2)).terms()
    terms = terms.weighted(inverse_frequencies(terms, 5))
    whole, order = cosine_matrix(terms, weights), np.random.default_rng(0).permutation(30)
    assert np.array(list(cosine_rows(terms, weights))) == pytest.approx(whole, abs=1e-12)
    assert np.array(list(cosine_rows(terms, weights, order))) == pytest.approx(whole[np.ix_(order, order)], abs=1e-12)
    blank = Features(Document(id="d", n_units=3, units=("", "the", ""))).terms()
    assert np.array(list(cosine_rows(blank, weights))).tolist() == cosine_matrix(blank, weights).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_messages_never_beat_the_exact_optimum_and_mostly_reach_it(seed):
    features = Features(words(10, seed))
    cost = exemplar(cosine_matrix(features.terms()), -0.3)
    value = {}
    for solver in ("exact", "messages"):
        cut = APS(solver=solver).cut(features).segmentation
        value[solver] = -sum(cost(a, b) for a, b in spans(10, cut.boundaries))
    assert value["messages"] <= value["exact"] + 1e-9
    assert value["messages"] >= value["exact"] - 0.4
    assert value["exact"] == pytest.approx(-min(least(10, cost, k) for k in range(1, 11)))


def test_messages_find_two_exemplars():
    blocks = np.kron(np.eye(2), np.ones((4, 4)))
    np.fill_diagonal(blocks, -0.5)
    assert (np.flatnonzero(np.diff(propagated(blocks, 0.5, 300))) + 1).tolist() == [4]
    with pytest.raises(DeclarationError, match="solver='messages' takes no number of segments"):
        APS(solver="messages", n_segments=3)


def test_ranks_by_counting():
    matrix = np.random.default_rng(2).integers(0, 5, (7, 7)).astype(float)
    for mask in (3, 5, 11, 21):
        assert ranked(matrix, mask) == pytest.approx(ranks(matrix, mask))


def exact_ranks(units, mask):
    """Return the ranks of C99 from exact fractions: squared cosines, which are in the order of cosines."""
    counts = [Counter(unit) for unit in units]
    n, reach = len(units), mask // 2
    squares = [sum(count**2 for count in unit.values()) for unit in counts]

    def squared(i, j):
        if i == j:
            return Fraction(1)
        product = sum(count * counts[j][term] for term, count in counts[i].items())
        return Fraction(product**2, squares[i] * squares[j]) if product else Fraction(0)

    cosines = [[squared(i, j) for j in range(n)] for i in range(n)]
    ranks = np.zeros((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        near = [
            cosines[a][b]
            for a in range(max(0, i - reach), min(n, i + reach + 1))
            for b in range(max(0, j - reach), min(n, j + reach + 1))
            if (a, b) != (i, j)
        ]
        ranks[i, j] = sum(value < cosines[i][j] for value in near) / max(len(near), 1)
    return ranks


RANKED = ("wcc xa xa wcd", "xc xd", "xb wcb xb xb wcc wca", "wca xa xa wcc wcb", "wcc wcc wca")


def test_ranks_of_equal_cosines_are_exact():
    matrix = cosine_matrix(count_terms([text.split() for text in RANKED]))
    found = ranked(matrix, 3)
    assert (found[2, 3], found[4, 3]) == (0.375, 0.4)
    np.testing.assert_array_equal(found, exact_ranks([text.split() for text in RANKED], 3))


@pytest.mark.parametrize("seed", range(8))
def test_ranks_by_exact_fractions(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    units = [list(rng.choice(list("abcdef"), size=rng.integers(0, 9))) for _ in range(14)]
    terms = count_terms(units)
    for rows in (256, 5):
        monkeypatch.setattr("caesura.scorers.features.similarity._ROWS", rows)
        matrix = cosine_matrix(terms)
        assert (matrix == matrix.T).all()
        spread = cosine_matrix(terms, neighbour_weights(1.1, 2))
        assert (spread == spread.T).all()
        by_rows = np.array(list(cosine_rows(terms)))
        assert (by_rows == by_rows.T).all()
        for mask in (3, 11):
            np.testing.assert_array_equal(ranked(matrix, mask), exact_ranks(units, mask))
            np.testing.assert_array_equal(ranked(by_rows, mask), exact_ranks(units, mask))


@needs(DIALSEG)
def test_boundaries_of_c99_by_exact_ranks():
    documents = first_documents(DIALSEG, 500)
    document = next(each for each in documents if each.id.endswith("/dialseg711_test_26"))
    assert C99().segment(document).boundaries == (8, 14, 17, 21, 26)
    units = [terms_of(text, "english", True) for text in document.units]
    np.testing.assert_array_equal(ranked(cosine_matrix(count_terms(units)), 11), exact_ranks(units, 11))


def test_divisions_by_direct_sums():
    matrix = np.random.default_rng(3).random((8, 8))
    matrix = matrix + matrix.T
    order, density = divided(matrix)
    for k in range(7):
        assert sorted(order[: k + 1]) == divisions(matrix, k + 2)
        assert density[k + 1] == pytest.approx(inside_density(matrix, order[: k + 1]))


def test_the_plain_programme_of_the_benchmark_tries_everything():
    cost = scatter(vectors(8, 5).astype(float))
    for k in range(1, 9):
        reached = sum(cost(a, b) for a, b in spans(8, least_cost(8, cost, k)))
        assert reached == pytest.approx(least(8, cost, k))


def test_tree_by_direct_sums():
    given = vectors(9, 7)
    features = Features(Document(id="d", n_units=9), Fixed(given))
    cost = scatter(features.vectors.astype(float))
    cuts: list[int] = []
    for k in range(2, 10):
        options = {
            gap: sum(cost(a, b) for a, b in spans(9, tuple(sorted([*cuts, gap]))))
            for gap in range(1, 9)
            if gap not in cuts
        }
        cuts.append(min(options, key=options.__getitem__))
        made = TreeSeg(n_segments=k).cut(features)
        assert made.segmentation.boundaries == tuple(sorted(cuts))
        assert made.hierarchy[-1] == made.segmentation
        assert made.hierarchy[0].n_segments == 2


@pytest.mark.parametrize("shortest", [1, 2, 3, 5, 6])
def test_tree_with_a_least_length_by_direct_sums(shortest):
    """Divide one part after another in the way that lowers the scatter most, as long as both parts are long enough."""
    features = Features(Document(id="d", n_units=11), Fixed(vectors(11, 7)))
    cost = scatter(features.vectors.astype(float))
    cuts: list[int] = []
    for k in range(2, 12):
        options = {
            gap: cost(a, gap) + cost(gap, b) - cost(a, b)
            for a, b in spans(11, tuple(sorted(cuts)))
            for gap in range(a + shortest, b - shortest + 1)
        }
        if options:
            cuts.append(min(options, key=options.__getitem__))
        made = TreeSeg(n_segments=k, min_length=shortest).cut(features)
        assert made.segmentation.boundaries == tuple(sorted(cuts))
        assert made.scores.argsort(kind="stable")[::-1][: len(cuts)].tolist() == [gap - 1 for gap in cuts]
    assert len(cuts) <= 11 // shortest - 1


def test_one_part_weighs_all_terms_alike():
    cats, rain = (
        ("cats purr loudly", "a cat purrs", "cats sleep and purr"),
        ("rain falls", "the rain fell", "rain again"),
    )
    document = Document(id="d", n_units=12, units=cats * 2 + rain * 2)
    for made in (MinCutSeg(parts=1, n_segments=2), APS(parts=1, n_segments=2)):
        assert made.segment(document).boundaries == (6,)


# ------------------------------------------------------------------------------------- other programs


@pytest.mark.parametrize("seed", range(4))
def test_scatter_equals_ruptures(seed):
    ruptures = pytest.importorskip("ruptures")
    given = vectors(40, seed)
    features = Features(Document(id="d", n_units=40), Fixed(given))
    for k in (2, 5, 11):
        found = ruptures.KernelCPD(kernel="cosine", min_size=1).fit(given.astype(float)).predict(n_bkps=k - 1)
        assert list(Scatter(n_segments=k).cut(features).segmentation.boundaries) == found[:-1]


# -------------------------------------------------------------------------------------- real corpora


@needs(CHOI)
@pytest.mark.parametrize(
    ("method", "most"),
    [
        ("C99(n_segments='oracle')", 0.15),
        ("C99", 0.20),
        ("BayesSeg(n_segments='oracle')", 0.112),
        ("BayesSeg(n_segments='oracle', em=True)", 0.105),
        ("MinCutSeg(n_segments='oracle')", 0.27),
        ("APS", 0.20),
        ("Scatter(n_segments='oracle')", 0.0565),
        ("TreeSeg(n_segments='oracle')", 0.082),
        ("VectorTiling(n_segments='oracle', window=3)", 0.1275),
    ],
)
def test_error_on_choi(method, most):
    """Means over the first 60 documents of 3-11; given K, the values that others reached."""
    assert mean_pk(segmenter(method), first_documents(CHOI, 60), Encoding()) <= most


@needs(DIALSEG)
@pytest.mark.parametrize(
    ("method", "most"), [("BayesSeg(n_segments='oracle')", 0.302), ("Scatter(n_segments='oracle')", 0.2685)]
)
def test_error_on_dialogues(method, most):
    assert mean_pk(segmenter(method), first_documents(DIALSEG, 150), Encoding()) <= most


@needs(TIAGE)
def test_error_on_tiage():
    documents, encoding = first_documents(TIAGE, 100), Encoding()
    assert mean_pk(segmenter("Scatter(n_segments='oracle')"), documents, encoding) == pytest.approx(0.352, abs=5e-4)
    tiling = segmenter("VectorTiling(n_segments='oracle', window=3)")
    assert mean_pk(tiling, documents, encoding) == pytest.approx(0.356, abs=5e-4)


def test_c99_without_ranks():
    assert C99(mask=1).segment(words(9, 2)).n_units == 9
