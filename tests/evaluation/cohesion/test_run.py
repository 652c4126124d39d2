"""Segmentations without a reference: scores, chance, comparison, worst segments, results file."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from caesura.batches import embedded
from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, MetricError, SegmentationError
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.cohesion.null import KINDS, RandomSegmentations
from caesura.evaluation.cohesion.pooling import pool_documents, pool_resamples
from caesura.evaluation.intervals import ends_of
from caesura.formats import load
from caesura.metrics import metric
from caesura.results import as_text, read_counts, read_results, tables_of
from caesura.results.base import EncoderFacts
from caesura.segmentation import Segmentation
from caesura.statistics import Bootstrap
from tests.corpora import corpus_file, needs

WORDS = {"cat": 0, "dog": 0, "bank": 1, "rate": 1, "rain": 2, "wind": 2}


class Topics:
    """Vectors that say what a text is about, and a little of which text it is."""

    name, dim, normalized, fingerprint = "topics", 4, False, "topics-1"

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row, WORDS[text.split()[0]]] = 1.0
            rows[row, 3] = 0.3 * (len(text) % 5) / 5
        return rows


def corpus(n=6):
    documents, gold, bad = [], {}, {}
    for key in range(n):
        units = [f"{word} {'x' * (3 * key + place)}" for word in ("cat", "bank", "rain") for place in range(4)]
        documents.append(Document(id=f"d{key}", n_units=12, units=tuple(units)))
        gold[f"d{key}"] = Segmentation(12, (4, 8))
        bad[f"d{key}"] = Segmentation(12, (2, 6))
    return Corpus(documents), gold, bad


@pytest.fixture(scope="module")
def measured():
    docs, gold, bad = corpus()
    return cohesion(docs, {"gold": gold, "bad": bad}, encoder=Topics(), draws=40, check=False)


def test_a_profile_is_arp_as_its_paper_prints_it(tmp_path):
    """A long segment before a short one: as printed all 18 units count within, by the program the last 4 of them."""
    documents = Corpus([Document(id="d", n_units=20, segmentation=Segmentation.from_masses([18, 2]))])
    vectors = np.random.default_rng(5).normal(size=(20, 3))
    np.savez(tmp_path / "v.npz", d=vectors)
    options = {"encoder": f"npz:{tmp_path / 'v.npz'}", "check": False, "draws": 2}
    usual, printed = (cohesion(documents, None, ["ARPstd"], profile=name, **options) for name in ("caesura", "paper"))
    within, across = (np.linalg.norm(vectors[rows].std(axis=0)) ** 2 for rows in (slice(0, 18), slice(9, 20)))
    assert printed.scores["boundaries"]["ARPstd"] == pytest.approx((across - within) / (across + within))
    within, across = (np.linalg.norm(vectors[rows].std(axis=0)) for rows in (slice(14, 18), slice(16, 20)))
    assert usual.scores["boundaries"]["ARPstd"] == pytest.approx((across - within) / (across + within))
    assert "profile:paper" in printed.signature("ARPstd")
    assert printed.results().profile == "paper"


def test_scores_are_those_of_the_metric(measured):
    units = measured.source.corpus["d0"].units
    vectors = Topics().encode([*units])
    for name in measured.metrics:
        texts = (units,) if name == "Support" else ()
        expected = metric(name)(Segmentation(12, (4, 8)), vectors, *texts)
        assert measured.per_document("gold", name)[0] == pytest.approx(expected, abs=1e-9)
        assert measured.scores["gold"][name] == pytest.approx(np.mean(measured.per_document("gold", name)))


def test_true_topics_beat_chance_and_the_other_system(measured):
    for name in measured.metrics:
        for kind in ("count", "lengths"):
            null = measured.chance()["gold"][name][kind].corpus
            if kind == "lengths":
                # Segments of equal length have one order only: there is no spread.
                assert null.mean_z is None
                continue
            assert null.mean_z > 1
            assert null.mean_percentile > 90
    assert {c.better for c in measured.compare()} == {"gold"}
    assert {c.equal.how for c in measured.compare()} == {"equal"}
    assert all(c.difference == c.equal.difference for c in measured.compare())


def test_null_is_the_mean_over_all_placements():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(6, 3))
    arp = metric("ARPpair")
    every = [arp(Segmentation(6, places), vectors) for places in itertools.combinations(range(1, 6), 2)]
    batch = Embedded.of({"d": Segmentation(6, (2, 4))}, {"d": vectors})
    own = {"ARPpair": arp.score(arp.count(batch))}
    found = RandomSegmentations(("count",), 4000, 0).distributions(own, {"ARPpair": arp}, batch)["count"]["ARPpair"]
    spread = np.std(every)
    assert found.mean[0] == pytest.approx(np.mean(every), abs=4 * spread / math.sqrt(4000))
    assert found.sd[0] == pytest.approx(spread, rel=0.1)
    assert found.z[0] == pytest.approx((own["ARPpair"][0] - found.mean[0]) / found.sd[0])
    below = np.mean([value < own["ARPpair"][0] - 1e-9 for value in every])
    ties = np.mean([abs(value - own["ARPpair"][0]) <= 1e-9 for value in every])
    assert found.percentile[0] == pytest.approx(100 * (below + ties / 2), abs=4)


def test_chance_of_a_document_does_not_depend_on_what_is_counted_with_it(monkeypatch):
    rng = np.random.default_rng(1)
    cuts = {
        "a": Segmentation(9, (2, 5)),
        "b": Segmentation(7, (3,)),
        "c": Segmentation(5),
        "d": Segmentation(12, (1, 2, 8)),
    }
    batch = Embedded.of(cuts, {key: rng.normal(size=(cut.n_units, 4)) for key, cut in cuts.items()})
    metrics = {name: metric(name) for name in ("ARPcos", "Silhouette", "SegReFree", "Placement")}
    random = RandomSegmentations(KINDS, 6, 3)
    advanced = []
    whole = random.counts(metrics, batch, lambda: advanced.append(1))
    assert len(advanced) == len(batch)
    monkeypatch.setattr(embedded, "_UNITS", 200)
    blocks = random.counts(metrics, batch)
    for kind, name in itertools.product(KINDS, metrics):
        assert whole[kind][name].shape == (6, 4, len(metrics[name].columns))
        np.testing.assert_array_equal(whole[kind][name], blocks[kind][name])
        for row in range(len(batch)):
            alone = RandomSegmentations((kind,), 6, 3).counts({name: metrics[name]}, batch.take([row]))
            np.testing.assert_array_equal(whole[kind][name][:, [row]], alone[kind][name])


def test_lower_is_better_turns_the_sign():
    rng = np.random.default_rng(3)
    vectors = np.concatenate([rng.normal(size=(5, 4)) + 4 * topic for topic in range(3)])
    batch = Embedded.of({"d": Segmentation(15, (5, 10))}, {"d": vectors})
    metrics = {"SegReFree": metric("SegReFree(singletons='mean')"), "ARPpair": metric("ARPpair(loss=True)")}
    scores = {name: m.score(m.count(batch)) for name, m in metrics.items()}
    for name, found in RandomSegmentations(("count",), 60, 0).distributions(scores, metrics, batch)["count"].items():
        assert scores[name][0] < found.mean[0]
        assert found.z[0] > 0
        assert found.percentile[0] > 50
        assert found.corpus.z == pytest.approx(found.z[0])


def test_scores_of_gaps_are_selected_again_at_equal_density():
    docs, gold, _ = corpus(4)
    scores = tuple(0.9 if gap in (4, 8) else 0.1 for gap in range(1, 12))
    noisy = tuple(0.9 if gap in (1, 4, 8, 11) else 0.1 for gap in range(1, 12))

    def scored(values, boundaries):
        return Corpus(
            [Document(id=k, n_units=12, scores=values, segmentation=Segmentation(12, boundaries)) for k in gold]
        )

    found = cohesion(
        docs, {"a": scored(scores, (4, 8)), "b": scored(noisy, (1, 4, 8, 11))}, ["ARPpair"], encoder=Topics(), nulls=()
    )
    (pair,) = found.compare()
    assert pair.equal.how == "scores"
    # The denser one keeps two of its four boundaries; all score alike, so the first two: 1 and 4.
    arp = found.metrics["ARPpair"]
    expected = np.mean(
        [
            arp(Segmentation(12, (4, 8)), vectors) - arp(Segmentation(12, (1, 4)), vectors)
            for vectors in (Topics().encode(document.units) for document in docs)
        ]
    )
    assert pair.equal.difference == pytest.approx(expected, abs=1e-9)
    assert [found.density(system).segments_per_100 for system in "ab"] == pytest.approx([25.0, 500 / 12])


def test_worst_segments_are_quoted(measured):
    (worst, *_) = measured.worst("bad", "ARPpair", 2)
    values = measured.metrics["ARPpair"].segment_values(measured.batches["bad"])
    assert worst.value == pytest.approx(np.nanmin(values))
    assert worst.text.split()[0] in WORDS
    assert 1 <= worst.start <= worst.end <= 12


def test_own_boundaries_without_a_system():
    docs, gold, _ = corpus(3)
    marked = Corpus([Document(id=d.id, n_units=12, units=d.units, segmentation=gold[d.id]) for d in docs])
    assert list(cohesion(marked, encoder=Topics(), nulls=()).scores) == ["boundaries"]
    with pytest.raises(ComparabilityError, match=r"'d0' \(and 2 more\) has no boundaries"):
        cohesion(docs, encoder=Topics())


def test_results_file(measured, tmp_path):
    path = tmp_path / "r.json"
    written = measured.save(path, per_document=True)
    back = read_results(path)
    assert back == written
    assert (back.question, back.against) == ("cohesion", "nothing")
    assert back.cohesion.encoder == EncoderFacts(name="topics", fingerprint="topics-1", dim=4)
    score = back.systems["gold"]["ARPpair"]
    assert score.score == pytest.approx(measured.scores["gold"]["ARPpair"])
    assert "|enc:topics-1|" in score.signature
    assert score.interval == ends_of(measured.intervals()["gold"]["ARPpair"])
    assert score.nulls["count"].mean_z > 1
    assert len(score.nulls["count"].per_document_z) == 6
    assert back.cohesion.density["gold"].segments == [3] * 6
    assert back.cohesion.worst["bad"] == measured.worst("bad", number=3)
    documents, tables = read_counts(path)
    assert documents == list(measured.documents)
    assert tables["gold"][back.metrics["ARPpair"].request].shape == (6, 2)
    json.loads(path.read_text())


def test_one_segment_is_counted_not_scored():
    docs, gold, _ = corpus(3)
    whole = {**gold, "d1": Segmentation(12)}
    found = cohesion(docs, {"a": whole}, ["ARPpair"], encoder=Topics(), draws=5)
    assert found.aggregates["a"]["ARPpair"].undefined == 1
    assert any("1 of 3 documents undefined" in note for note in found.notes())
    assert math.isnan(found.chance()["a"]["ARPpair"]["count"].z[1])


def test_many_one_unit_segments_are_a_caution():
    docs, gold, _ = corpus(2)
    crumbs = {key: Segmentation(12, (1, 2, 3, 8)) for key in gold}
    found = cohesion(docs, {"a": crumbs}, ["SegReFree"], encoder=Topics(), nulls=())
    assert found.density("a").one_unit_share == pytest.approx(0.6)
    assert found.cautions()["a"][0].startswith("6 of 10 (60.0%) segments have one unit")
    assert any(line.startswith("a: 6 of 10") for line in found.notes())


@pytest.fixture
def infinite(tmp_path):
    """Six documents, the first with equal neighbouring centroids: infinitely bad for SegReFree."""
    rng = np.random.default_rng(0)
    vectors = {f"d{i}": rng.normal(size=(10, 4)) for i in range(6)}
    vectors["d0"] = np.tile(np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]]), (5, 1))
    np.savez(tmp_path / "v.npz", **vectors)
    docs = Corpus([Document(id=key, n_units=10) for key in vectors])
    first, second = ({key: Segmentation(10, b) for key in vectors} for b in ((2, 6), (3, 7)))
    return docs, first, second, f"npz:{tmp_path / 'v.npz'}"


def test_an_infinite_document_is_said_and_left_out(infinite):
    docs, first, second, encoder = infinite
    found = cohesion(docs, {"a": first, "b": second}, ["SegReFree"], encoder=encoder, draws=20)
    assert found.scores["a"]["SegReFree"] == math.inf
    interval = found.intervals()["a"]["SegReFree"]
    assert math.isfinite(interval.low)  # a third of the resamples lack that document
    assert interval.high == math.inf
    null = found.chance()["a"]["SegReFree"]["count"]
    assert math.isnan(null.z[0])
    assert null.percentile[0] < 50
    assert math.isfinite(null.corpus.mean)
    (pair,) = found.compare()
    assert (pair.documents, pair.dropped) == (5, 1)
    own = [found.per_document(system, "SegReFree")[1:] for system in "ab"]
    assert pair.difference == pytest.approx(np.mean(own[0] - own[1]))
    assert any("1 of 6 documents infinite" in note for note in found.notes())
    assert any("1 documents left out" in note for table in found.tables() for note in table.notes)
    json.loads(as_text(found.results(per_document=True)))


def test_infinite_documents_can_be_left_out(infinite):
    docs, first, second, encoder = infinite
    given = {"a": first, "b": second}
    found = cohesion(docs, given, ["SegReFree", "ARPpair"], encoder=encoder, draws=20, degenerate="skip")
    rest = cohesion(
        docs.subset(docs.ids[1:]),
        {name: {key: each[key] for key in docs.ids[1:]} for name, each in given.items()},
        ["SegReFree", "ARPpair"],
        encoder=encoder,
        draws=20,
    )
    assert found.scores == rest.scores
    assert math.isfinite(found.scores["a"]["SegReFree"])
    assert found.documents == rest.documents
    assert any(note.startswith("1 of 6 documents left out, since a metric is infinite") for note in found.notes())
    assert found.results().cohesion.remarks
    kept = cohesion(docs, given, ["SegReFree"], encoder=encoder, draws=20)
    assert any("degenerate='skip' (--degenerate skip) leaves them out" in note for note in kept.notes())
    one = docs.subset(["d0"])
    with pytest.raises(ComparabilityError, match="infinite in every document"):
        cohesion(one, {"a": {"d0": first["d0"]}}, ["SegReFree"], encoder=encoder, degenerate="skip")
    with pytest.raises(ComparabilityError, match="degenerate is 'drop'; it must be one of 'keep', 'skip'"):
        cohesion(docs, given, ["SegReFree"], encoder=encoder, degenerate="drop")


CHOI = corpus_file("choi/choi_3_3-11.jsonl.gz")


@needs("choi/choi_3_3-11.jsonl.gz")
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_gold_of_choi_has_a_finite_index_without_its_repeated_segments():
    call = {"nulls": (), "check": False}
    assert cohesion(CHOI, None, ["SegReFree"], **call).scores["boundaries"]["SegReFree"] == math.inf
    found = cohesion(CHOI, None, ["SegReFree"], degenerate="skip", **call)
    assert set(load(CHOI).ids) - set(found.documents) == {f"choi/3/3-11/{n}" for n in (185, 238, 273)}
    assert math.isfinite(found.scores["boundaries"]["SegReFree"])


def test_the_chance_of_a_document_depends_on_no_other(infinite):
    docs, first, _, encoder = infinite
    some = docs.ids[1:]
    whole = cohesion(docs, {"a": first}, ["ARPpair"], encoder=encoder, draws=5)
    part = cohesion(docs.subset(some), {"a": {k: first[k] for k in some}}, ["ARPpair"], encoder=encoder, draws=5)
    for kind in ("count", "lengths"):
        one, other = (c.chance()["a"]["ARPpair"][kind].mean for c in (whole, part))
        assert one[1:] == pytest.approx(other)


def test_equal_systems_are_equal_at_equal_density(infinite):
    docs, first, _, encoder = infinite
    other = {**first, "d3": Segmentation(10, (5,))}
    (pair,) = cohesion(docs, {"a": first, "b": other}, ["ARPpair"], encoder=encoder, draws=20).compare()
    assert pair.equal.how == "chance"
    # They differ in one document only, so no permutation is rarer than the observed one.
    assert pair.p == pair.equal.p_corrected == 1.0


def test_micro_pools_the_segments_of_every_draw(infinite):
    docs, first, second, encoder = infinite
    mixed = {**first, "d1": Segmentation(10, (1, 2, 3, 4, 5))}
    found = cohesion(docs, {"a": mixed, "b": second}, ["ARPpair"], encoder=encoder, by="micro", draws=10)
    null = found.chance()["a"]["ARPpair"]["count"].corpus
    assert null.aggregation == "micro"
    assert null.score == pytest.approx(found.scores["a"]["ARPpair"])
    assert found.compare()[0].aggregation == "macro"


def test_results_with_an_infinite_best_value_can_be_read_back(infinite, tmp_path):
    docs, first, _, encoder = infinite
    found = cohesion(docs, {"a": first}, ["CalinskiHarabasz"], encoder=encoder, nulls=())
    found.save(tmp_path / "r.json")
    assert read_results(tmp_path / "r.json").metrics["CalinskiHarabasz"].perfect == math.inf


def test_systems_undefined_on_different_documents():
    docs, gold, _ = corpus(4)
    first, second = {**gold, "d0": Segmentation(12)}, {**gold, "d3": Segmentation(12)}
    found = cohesion(docs, {"a": first, "b": second}, ["ARPpair"], encoder=Topics(), draws=5)
    assert found.aggregates["a"]["ARPpair"].documents == 2
    assert found.aggregates["a"]["ARPpair"].dropped == 1
    null = found.chance()["a"]["ARPpair"]["count"].corpus
    assert null.documents == 3
    assert null.score == pytest.approx(np.nanmean(found.per_document("a", "ARPpair")))
    assert found.compare()[0].documents == 2


def test_names_and_texts_cannot_steer_a_terminal():
    docs, gold, _ = corpus(2)
    hostile = Corpus([Document(id=d.id, n_units=12, units=(f"cat \x1b[31m{d.units[0]}", *d.units[1:])) for d in docs])
    found = cohesion(hostile, {"a\x1b[2J": gold}, ["ARPpair"], encoder=Topics(), nulls=())
    assert "\x1b" not in "".join(map(str, tables_of(found.results(worst=9))))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"by": "weird"}, ComparabilityError, "by is 'weird'"),
        ({"missing": "weird"}, ComparabilityError, "missing is 'weird'"),
        ({"seed": -1}, SegmentationError, "seed is -1"),
        ({"metrics": ["Pk"]}, MetricError, "needs a reference"),
        ({"nulls": ["nonsense"]}, DeclarationError, "null 'nonsense' is unknown"),
        ({"draws": 1}, DeclarationError, "at least 2"),
        ({"metrics": ["ARPpair(pooling='median')"], "by": "micro"}, MetricError, "no micro score"),
        ({"encoder": "nonsense"}, DeclarationError, "is not an encoder"),
    ],
)
def test_bad_options(options, error, words):
    docs, gold, _ = corpus(2)
    with pytest.raises(error, match=words):
        cohesion(docs, {"a": gold}, **({"encoder": Topics()} | options))


def test_bad_systems():
    docs, gold, _ = corpus(3)
    with pytest.raises(ComparabilityError, match="'d2' is missing from 'a'"):
        cohesion(docs, {"a": {k: v for k, v in gold.items() if k != "d2"}}, encoder=Topics())
    skipped = cohesion(
        docs, {"a": {k: v for k, v in gold.items() if k != "d2"}}, encoder=Topics(), missing="skip", nulls=()
    )
    assert skipped.documents == ["d0", "d1"]
    with pytest.raises(ComparabilityError, match="'other', which is not among the documents"):
        cohesion(docs, {"a": {**gold, "other": gold["d0"]}}, encoder=Topics())
    with pytest.raises(CaesuraError, match="12 vectors, but the segmentation has 11 units"):
        cohesion(docs, {"a": {**gold, "d1": Segmentation(11, (4,))}}, encoder=Topics())


def test_seeded():
    docs, gold, _ = corpus(3)
    first, again = (cohesion(docs, {"a": gold}, encoder=Topics(), draws=10, seed=3).results() for _ in range(2))
    assert first == again


@pytest.mark.parametrize("how", ["median", "length"])
def test_documents_put_together_otherwise(infinite, how):
    docs, first, second, encoder = infinite
    found = cohesion(docs, {"a": first, "b": second}, ["ARPpair"], encoder=encoder, by=how, draws=10)
    scores = found.per_document("a", "ARPpair")
    # All documents have ten units, so weighting by length changes nothing.
    expected = np.median(scores) if how == "median" else np.mean(scores)
    assert found.scores["a"]["ARPpair"] == pytest.approx(expected)
    interval = found.intervals()["a"]["ARPpair"]
    assert interval.low <= expected <= interval.high
    assert f"|agg:{how}|" in found.signature("ARPpair")
    assert found.chance()["a"]["ARPpair"]["count"].corpus.aggregation == how
    assert found.chance()["a"]["ARPpair"]["count"].corpus.score == pytest.approx(expected)


def test_resampled_medians_and_weighted_means():
    scores = np.array([0.3, np.nan, 0.1, 0.7, 0.2])
    units = np.array([5.0, 9.0, 1.0, 2.0, 4.0])
    bootstrap = Bootstrap(5, resamples=300, seed=1)
    weights = np.concatenate(list(bootstrap.draws())).astype(int)
    for how in ("macro", "median", "length"):
        made = pool_resamples(how, bootstrap, scores, units)
        for row, value in zip(weights, made, strict=True):
            drawn = np.repeat(scores, row)
            long = np.repeat(units, row)[~np.isnan(drawn)]
            kept = drawn[~np.isnan(drawn)]
            if not len(kept):
                assert math.isnan(value)
                continue
            assert value == pytest.approx(pool_documents(how, kept, long))


def test_comparisons_are_resampled_as_the_intervals_are(infinite):
    docs, first, second, encoder = infinite
    found = cohesion(docs, {"a": first, "b": second}, ["ARPpair"], encoder=encoder, nulls=(), resamples=50)
    narrow, wide = (found.intervals(level=level)["a"]["ARPpair"] for level in (0.5, 0.95))
    assert wide.low < narrow.low < narrow.high < wide.high
    before = found.compare()[0].interval
    assert found.compare()[0].interval == before
    found.intervals(resamples=200, level=0.5)
    after = found.results()
    assert after.resampling.resamples == 200
    assert after.comparisons[0].interval != before
    assert any("50 % intervals: documents resampled 200 times" in note for note in found.tables()[1].notes)
    with pytest.raises(DeclarationError, match="resamples is 0"):
        found.intervals(resamples=0)


def test_p_values_are_corrected_over_the_pairs_of_a_metric(infinite):
    docs, first, second, encoder = infinite
    third = {**first, "d1": Segmentation(10, (4, 8)), "d2": Segmentation(10, (1, 9))}
    systems = {"a": first, "b": second, "c": third}
    pairs = cohesion(docs, systems, ["ARPpair"], encoder=encoder, nulls=()).compare()
    assert [pair.family for pair in pairs] == [3, 3, 3]
    # Holm: the smallest of three is multiplied by 3.
    least = min(pairs, key=lambda pair: pair.p)
    assert least.p_corrected == pytest.approx(min(1.0, 3 * least.p))
    # Equally many boundaries everywhere: density has no part in it.
    assert [pair.equal.p_corrected for pair in pairs] == [pair.p_corrected for pair in pairs]


def test_annotators_of_different_documents_are_told():
    units = ("a b", "a c", "d e", "d f")
    docs = Corpus([
        Document(id=name, n_units=4, units=units, annotations={one: Segmentation(4, (2,)) for one in people})
        for name, people in (("d1", "ab"), ("d2", "ab"), ("d3", "c"))
    ])  # fmt: skip
    said = r"no document has all 3 annotators; give those of one group, such as document 'd1' \(and 1 more\) by a, b"
    for missing in ("error", "skip"):
        with pytest.raises(ComparabilityError, match=said):
            cohesion(docs, annotators=True, missing=missing)


def test_annotators_are_systems():
    units = ("The cat sat.", "The cat slept.", "Rates rose.", "Banks lent less.")
    coded = {"b": Segmentation(4, (2,)), "a": Segmentation(4, (1, 3))}
    docs = Corpus([Document(id="d", n_units=4, units=units, annotations=coded)])
    found = cohesion(docs, metrics=["ARPpair"], annotators=True, nulls=(), check=False)
    for name in ("a", "b"):
        alone = cohesion(docs, {name: {"d": coded[name]}}, ["ARPpair"], nulls=(), check=False)
        assert found.scores[name] == alone.scores[name]
    with_system = cohesion(docs, {"s": {"d": coded["a"]}}, ["ARPpair"], annotators=True, nulls=(), check=False)
    assert list(with_system.scores) == ["a", "b", "s"]
    with pytest.raises(ComparabilityError, match="'a' is both a system and an annotator"):
        cohesion(docs, {"a": {"d": coded["a"]}}, annotators=True)
    with pytest.raises(ComparabilityError, match="the documents have no annotations"):
        cohesion(Corpus([Document(id="d", n_units=4, units=units)]), annotators=True)
