"""Every metric without a reference against its definition, said again slowly, with every way to count it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.embedded import Embedded
from caesura.metrics import metric
from caesura.metrics.cohesion import _measures, _prefix
from caesura.metrics.cohesion import silhouette as _silhouettes
from caesura.segmentation import Segmentation
from tests.metrics.cohesion import brute
from tests.metrics.cohesion.brute import Document, documents
from tests.strategies import per_segment

pytestmark = pytest.mark.filterwarnings("ignore:SegReFree. every segment has one unit")
"""Such segmentations are meant here."""

TINY = 1e-9


class _Uncompiled:
    COMPILED = False


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Count with the compiled loops, where there are any, and without."""
    if request.param == "compiled":
        yield request.param
        return
    with (
        mock.patch.object(_measures, "scatter_kernel", _Uncompiled),
        mock.patch.object(_prefix, "scatter_kernel", _Uncompiled),
        mock.patch.object(_silhouettes, "kernel", _Uncompiled),
    ):
        yield request.param


def check(text: str, document: Document, expected: list[float], scale: float = 1.0) -> None:
    """Check the values of segments, and that the score is their mean."""
    ours = per_segment(metric(text), *document)
    np.testing.assert_allclose(ours, expected, atol=TINY * scale, rtol=TINY)
    defined = [value for value in expected if not math.isnan(value)]
    score = metric(text)(*document)
    assert math.isnan(score) if not defined else score == pytest.approx(np.mean(defined), abs=TINY, rel=TINY)


@pytest.mark.parametrize("text", ["Silhouette", "Silhouette(distance='cosine')", "ARPcos", "ARPstd(cut='half')"])
def test_many_segmentations_of_a_document(text: str) -> None:
    vectors = np.random.default_rng(8).normal(size=(9, 4))
    vectors[3] = vectors[4]
    cuts = [Segmentation(9, places) for places in ((2, 3, 6), (), (1, 8), (4,), range(1, 9))]
    batch = Embedded.of({"d": cuts[0]}, {"d": vectors})
    scores = metric(text).score(metric(text).count(batch.variants(0, cuts)))
    np.testing.assert_allclose(scores, [metric(text)(cut, vectors) for cut in cuts], atol=TINY, rtol=TINY)


@pytest.mark.parametrize("kind", ["std", "cos", "pair"])
@settings(max_examples=60)
@given(document=documents(), exponent=st.sampled_from((1, 2)), cut=st.sampled_from(("balanced", "half")))
def test_arp(kind: str, document: Document, exponent: int, cut: str) -> None:
    if document[0].n_boundaries:
        expected = brute.arp(document, kind, exponent, cut)
        check(f"ARP{kind}(exponent={exponent}, cut={cut!r})", document, expected)


def test_a_short_next_segment_weighs_less_as_printed() -> None:
    # 18-2: balanced, the last 4 of 18 units are compared with 2 + 2; as printed, all 18 with 9 + 2.
    document = Segmentation.from_masses([18, 2]), np.random.default_rng(3).normal(size=(20, 4))
    balanced, printed = (brute.arp(document, "std", 2, cut)[0] for cut in ("balanced", "half"))
    assert metric("ARPstd(exponent=2)")(*document) == pytest.approx(balanced)
    assert metric("ARPstd(exponent=2, cut='half')")(*document) == pytest.approx(printed)
    assert abs(balanced - printed) > 0.01


@settings(max_examples=120)
@given(
    document=documents(segments=2),
    kind=st.sampled_from(("l2", "l1", "cosine")),
    adjacent=st.booleans(),
    penalty=st.booleans(),
    singletons=st.sampled_from(("zero", "mean", "mean_score")),
)
def test_segrefree(document: Document, kind: str, adjacent: bool, penalty: bool, singletons: str) -> None:
    expected = brute.ratios(document, kind, adjacent=adjacent, penalty=penalty, singletons=singletons)
    text = f"distance={kind!r}, adjacent={adjacent}, size_penalty={penalty}, singletons={singletons!r}"
    check(f"SegReFree({text})", document, expected)
    if not penalty and singletons == "zero":
        check(f"DaviesBouldin(distance={kind!r}, adjacent={adjacent})", document, expected)


@settings(max_examples=100)
@given(
    document=documents(segments=2), kind=st.sampled_from(("l2", "l1", "cosine", "sqeuclidean")), adjacent=st.booleans()
)
def test_silhouette(document: Document, kind: str, adjacent: bool) -> None:
    units = brute.silhouettes(document, kind, adjacent=adjacent)
    options = f"distance={kind!r}, adjacent={adjacent}"
    check(f"Silhouette({options})", document, [float(np.mean(each)) for each in units])
    every = list(itertools.chain(*units))
    for pooling, pooled in (("mean", np.mean(every)), ("median", np.median(every)), ("length", np.mean(every))):
        ours = metric(f"Silhouette({options}, weighting='unit', pooling={pooling!r})")(*document)
        assert ours == pytest.approx(pooled, abs=TINY)


@settings(max_examples=60)
@given(document=documents(segments=2))
def test_calinski_harabasz(document: Document) -> None:
    segments = brute.segments_of(*document)
    expected = brute.calinski_harabasz(segments)
    assert metric("CalinskiHarabasz")(*document) == pytest.approx(expected, rel=TINY, nan_ok=True)
    assert np.isnan(per_segment(metric("CalinskiHarabasz"), *document)).all()
    pairs = [brute.calinski_harabasz(pair) for pair in itertools.pairwise(segments)]
    sides = zip([math.nan, *pairs], [*pairs, math.nan], strict=True)
    lower = [float(np.fmin(*side)) for side in sides]
    check("CalinskiHarabasz(adjacent=True)", document, lower)


@pytest.mark.parametrize("name", ["ARPstd", "SegReFree", "Silhouette", "CalinskiHarabasz(adjacent=True)"])
@settings(max_examples=40)
@given(document=documents(segments=2))
def test_pooling(name: str, document: Document) -> None:
    base = metric(name)
    values = per_segment(base, *document)
    weights = np.array(document[0].masses, dtype=float)[~np.isnan(values)]
    values = values[~np.isnan(values)]
    expected = {"mean": math.nan, "median": math.nan, "length": math.nan}
    if len(values):
        expected = {"mean": np.mean(values), "median": np.median(values), "length": np.average(values, weights=weights)}
    for pooling, wanted in expected.items():
        text = str(base).replace("adjacent=True", "").rstrip("()")
        options = ["adjacent=True"] if "adjacent" in name else []
        ours = metric(f"{text}({', '.join([*options, f'pooling={pooling!r}'])})")
        assert ours(*document) == pytest.approx(wanted, rel=TINY, abs=TINY, nan_ok=True)


def test_long_documents_are_looked_at_in_pieces() -> None:
    """A document longer than what is looked at together, with short and with long segments."""
    rng = np.random.default_rng(3)
    n = 300
    vectors = brute.random_vectors(n, 5)
    for cut in (np.flatnonzero(rng.random(n - 1) < 0.1) + 1, np.array([100, 101, 260])):
        document = (brute.Segmentation(n, cut), vectors)
        for adjacent in (True, False):
            if not adjacent and len(cut) > 10:
                continue  # said again slowly, this would take too long
            units = brute.silhouettes(document, adjacent=adjacent)
            ours = per_segment(metric(f"Silhouette(adjacent={adjacent})"), *document)
            np.testing.assert_allclose(ours, [np.mean(each) for each in units], atol=TINY)
        ours = per_segment(metric("ARPpair"), *document)
        np.testing.assert_allclose(ours, brute.arp(document, "pair", 1), atol=TINY)
        with mock.patch.object(_silhouettes, "_CELLS", 500):
            again = per_segment(metric("Silhouette"), *document)
        np.testing.assert_allclose(again, per_segment(metric("Silhouette"), *document), atol=1e-12)
