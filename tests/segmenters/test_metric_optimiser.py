"""MetricOptimiser: the best of all segmentations of short documents, and a gamed metric on real ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from caesura.corpus import Document
from caesura.errors import CaesuraError, CaesuraWarning
from caesura.metrics import metric
from caesura.metrics.cohesion import COHESION
from caesura.scorers import Encoding, Features
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.metric_optimiser import MetricOptimiser, _Search
from tests.corpora import needs
from tests.segmenters.brute import first_documents
from tests.segmenters.test_optimisers import Fixed, vectors

pytestmark = pytest.mark.filterwarnings("ignore:SegReFree. every segment has one unit")
"""Such segmentations are meant here."""

WIKI = "wiki50/wiki50_shared25.jsonl.gz"


@pytest.mark.parametrize("name", ["ARPpair", "SegReFree", "Silhouette"])
@pytest.mark.parametrize(("units", "seed"), [(2, 0), (5, 1), *((8, seed) for seed in range(6)), (11, 9)])
def test_short_documents_by_trying_all(name, units, seed):
    features = Features(Document(id="d", n_units=units), Fixed(vectors(units, seed)))
    measured = metric(name)
    bad = {}
    for k in range(1, units + 1):
        for cuts in itertools.combinations(range(1, units), k - 1):
            score = measured(Segmentation(units, cuts), features.vectors)
            bad[cuts] = measured.card.badness(score) if score == score else math.inf
    for most in (2, 4, 64):
        found = MetricOptimiser(metric=name, most=most).cut(features).segmentation.boundaries
        assert bad[found] == min(each for cuts, each in bad.items() if len(cuts) < most)


def test_scores_are_the_order_of_entry_beyond_half_of_the_units():
    features = Features(Document(id="d", n_units=7), Fixed(vectors(7, 3)))
    made = MetricOptimiser(metric="SegReFree").cut(features)
    best = [
        MetricOptimiser(metric="SegReFree", n_segments=k).cut(features).segmentation.boundaries for k in range(1, 8)
    ]
    absent = [max(k for k, cuts in enumerate(best, start=1) if gap not in cuts) for gap in range(1, 7)]
    assert made.scores.tolist() == [1 - k / 7 for k in absent]
    # A boundary at every gap gives SegReFree 0, its best value.
    assert made.segmentation.boundaries == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("name", ["ARPpair", "SegReFree", "Silhouette"])
def test_the_local_search_is_never_better_than_the_best_and_mostly_reaches_it(name):
    reached = []
    for seed in range(6):
        search = _Search(COHESION.parse(name), vectors(12, seed), 12)
        for (best, _), (found, _) in zip(search.all(6)[1:], search.grow(6)[1:], strict=True):
            assert found >= best - 1e-12
            reached.append(found <= best + 1e-9)
    assert len(reached) == 30
    assert sum(reached) > 15


def test_a_long_document_is_searched_by_strides(monkeypatch):
    features = Features(Document(id="d", n_units=60), Fixed(vectors(60, 3)))
    monkeypatch.setattr("caesura.segmenters.metric_optimiser._UNITS", 600)
    tried, badness = [], _Search.badness

    def counted(self, options):
        tried.append(len(options))
        return badness(self, options)

    monkeypatch.setattr(_Search, "badness", counted)
    with pytest.warns(CaesuraWarning, match=r"60 units; one gap in 6 is tried, then those around the best"):
        found = MetricOptimiser(n_segments=6).cut(features).segmentation.boundaries
    assert max(tried) <= 5 * 6  # moves of five boundaries; an insertion tries 10 gaps, then at most 11
    search = _Search(COHESION.parse("ARPpair"), features.vectors, 60)
    assert search.badness([found]) < search.badness([(10, 20, 30, 40, 50)])


@pytest.mark.parametrize(("distance", "slow"), [("l2", True), ("l1", True), ("cosine", False)])
def test_a_long_search_by_pairs_of_units_is_announced(monkeypatch, distance, slow):
    features = Features(Document(id="d", n_units=60), Fixed(vectors(60, 3)))
    monkeypatch.setattr("caesura.segmenters.metric_optimiser._UNITS", 600)
    with pytest.warns(CaesuraWarning, match="one gap in 6") as notes:
        MetricOptimiser(metric=f"Silhouette(distance={distance!r})", n_segments=2).cut(features)
    assert ("minutes or more for each boundary" in str(notes[0].message)) == slow


def test_longer_documents_are_better_than_scatter():
    features = Features(Document(id="d", n_units=30), Fixed(vectors(30, 3)))
    for name in ("ARPpair", "SegReFree"):
        measured = metric(name)
        mine, other = (
            measured.card.badness(measured(made.cut(features).segmentation, features.vectors))
            for made in (MetricOptimiser(metric=name, n_segments=5), segmenter("Scatter(n_segments=5)"))
        )
        assert mine < other


def test_unknown_metrics_are_refused():
    with pytest.raises(CaesuraError, match="'ARPpear' is not a metric; did you mean ARPpair"):
        MetricOptimiser(metric="ARPpear")


@needs(WIKI)
@pytest.mark.parametrize("name", ["ARPpair", "SegReFree"])
def test_a_gamed_metric(name):
    """On Wiki-50 the metric is far better than that of Scatter and of gold, and Pk is worse than Scatter's."""
    documents = [d for d in first_documents(WIKI, 25) if d.n_units < 120]
    encoding, measured, pk = Encoding(), metric(name), metric("Pk")
    rows = []
    for text in documents:
        features = Features(text, encoding)
        cuts = [
            segmenter(f"MetricOptimiser(metric='{name}', n_segments='oracle')").cut(features).segmentation,
            segmenter("Scatter(n_segments='oracle')").cut(features).segmentation,
        ]
        scores = [measured.card.badness(measured(cut, features.vectors)) for cut in (*cuts, text.segmentation)]
        rows.append([*scores, *(pk(text.segmentation, cut) for cut in cuts)])
    mine, scatter, gold, own_pk, scatter_pk = np.nanmean(rows, axis=0)
    assert mine < scatter
    assert mine < gold
    assert own_pk > scatter_pk
