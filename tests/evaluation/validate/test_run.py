"""The self-degradation test."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, DeclarationError, MetricError
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.validate.judging import corpus_facts
from caesura.evaluation.validate.run import _reference_losses, validate
from caesura.evaluation.validate.trials import Damage, Trial, do_damage, noticed, trials
from caesura.evaluation.validate.trust import judge, monotonicity
from caesura.metrics import metric
from caesura.metrics.profiles import profile
from caesura.results import answer_of, read_results, tables_of
from caesura.results.validate.facts import BLIND, DAMAGES, WORDS, CorpusFacts, Limits
from caesura.segmentation import Segmentation
from caesura.units.projection import project


class Topics:
    """Units of one topic are near each other."""

    name, dim, normalized, fingerprint = "topics", 8, False, "topics-1"

    def encode(self, texts):
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            rng = np.random.default_rng(sum(map(ord, text)) * 7919 + len(text))
            rows[row] = 0.15 * rng.normal(size=self.dim)
            rows[row, int(text.split()[0]) % self.dim] += 1.0
        return rows


class Noise:
    """Vectors that know nothing."""

    name, dim, normalized, fingerprint = "noise", 8, False, "noise-1"

    def encode(self, texts):
        return np.stack([np.random.default_rng(list(t.encode())).normal(size=self.dim) for t in texts]).astype(
            np.float32
        )


MASSES = (5, 3, 7, 4, 6, 5, 5)


def gold(n=12, masses=MASSES):
    documents = []
    for key in range(n):
        lengths = masses[key % len(masses) :] + masses[: key % len(masses)]
        units = [
            f"{(key + topic * 3) % 8} {'a' * (topic * 7 + place)} {key}"
            for topic, length in enumerate(lengths)
            for place in range(length)
        ]
        documents.append(
            Document(
                id=f"d{key}", n_units=len(units), units=tuple(units), segmentation=Segmentation.from_masses(lengths)
            )
        )
    return Corpus(documents)


@pytest.fixture(scope="module")
def found():
    return validate(gold(), encoders=[Topics(), Noise()], metrics=["ARPpair", "Silhouette"], draws=3)


def test_good_vectors_are_usable_and_noise_is_not(found):
    assert found.trust("Silhouette").verdict == "usable here"
    assert found.trust("Silhouette", "topics").reasons == []
    noise = found.trust("Silhouette", "noise")
    assert noise.verdict == "not usable here"
    assert any("random placement" in reason for reason in noise.reasons)


def test_correlations_with_reference_metrics(found):
    good, bad = (found.trust("Silhouette", encoder) for encoder in ("topics", "noise"))
    assert list(good.correlations) == ["Pk", "WindowDiff", "B", "W-F1"]
    for name in good.correlations:
        assert good.correlations[name].spearman > 0.5
        assert abs(bad.correlations[name].spearman) < good.correlations[name].spearman
        # 14 with levels, random placement and another order three times each; even spacing and odd units once.
        assert good.correlations[name].points == 12 * (16 * 3 + 2)


def test_results_and_tables(found, tmp_path):
    results = found.save(tmp_path / "r.json")
    assert (results.question, results.seed) == ("validate", 0)
    assert [(entry.role, entry.documents) for entry in results.inputs] == [("documents", 12)]
    item = results.validity.encoders["topics"].metrics["Silhouette"]
    assert item.verdict == "usable here"
    assert [trial.kind for trial in item.trials].count("removal") == 5
    assert item.monotonicity["removal"].corpus == pytest.approx(1.0)
    titles = [table.title for table in found.tables()]
    assert titles == [
        "Which metrics work here",
        "Verdicts",
        "Documents ranked right with topics",
        "Documents ranked right with noise",
        "Correlation with reference metrics",
        "Correlation of level means with reference metrics",
    ]
    read = read_results(tmp_path / "r.json")
    assert read == results
    assert tables_of(read) == found.tables()


def test_only_tested_metrics_have_a_verdict(found):
    for name, encoder in (("SegReFree", "topics"), ("Silhouette", "nobody")):
        with pytest.raises(ComparabilityError, match=f"'{name}' was not tested with '{encoder}'"):
            found.trust(name, encoder)


def test_without_gold_a_segmentation_is_degraded():
    corpus = gold(4)
    bare = Corpus([Document(id=d.id, n_units=d.n_units, units=d.units) for d in corpus])
    with pytest.raises(ComparabilityError, match="give a segmentation"):
        validate(bare, encoders=[Topics()])
    found = validate(bare, corpus, ["ARPpair"], encoders=[Topics()], draws=1)
    assert not found.section.gold
    assert found.trust("ARPpair").correlations == {}
    assert [entry.role for entry in found.inputs] == ["documents", "segmentation"]
    assert any("not whether it is right" in note for note in found.tables()[1].notes)
    assert any("not whether it is right" in sentence for sentence in found.answer())
    assert len(found.tables()) == 3


def test_what_was_made_with_the_judging_vectors_vouches_only_for_metrics_that_read_words():
    corpus = gold()
    bare = Corpus([Document(id=d.id, n_units=d.n_units, units=d.units) for d in corpus])
    recipe = {"made_by": {"method": "text_tiling", "encoder": "topics topics-1"}}
    own = Corpus([dataclasses.replace(d, extra=recipe) for d in corpus])
    found = validate(bare, own, encoders=[Topics(), Noise()], draws=1)
    topics, noise = found.section.encoders["topics"], found.section.encoders["noise"]
    assert (topics.same_vectors, noise.same_vectors) == (True, False)
    assert WORDS in topics.metrics
    assert WORDS not in noise.metrics
    for name, trust in topics.metrics.items():
        if name not in (WORDS, BLIND):
            assert trust.verdict == "not usable here"
            assert trust.reasons[0] == "what was given was made with these vectors"
    assert "made with these vectors" not in str([topics.metrics[WORDS].reasons, noise.metrics])
    assert found.answer()[0] == (
        "With topics, the segmentation was made with the judging encoder, whose vectors overrate such systems; "
        "Placement(of='words') reads words instead."
    )
    assert (
        validate(bare, corpus, ["Silhouette"], encoders=[Topics()], draws=1).trust("Silhouette").verdict
        == "usable here"
    )
    alone = validate(bare, own, ["Silhouette"], encoders=[Topics()], draws=1)
    assert alone.trust("Silhouette").verdict == "not usable here"
    assert alone.answer()[0].startswith("The segmentation was made with the judging encoder")
    assert "may be used" not in " ".join(alone.answer())
    by_gold = Corpus([dataclasses.replace(d, extra=recipe) for d in corpus])
    assert (
        not validate(by_gold, None, ["Silhouette"], encoders=[Topics()], draws=1)
        .section.encoders["topics"]
        .same_vectors
    )


def test_some_gold_is_enough():
    corpus = gold(4)
    mixed = Corpus(
        [d if place < 3 else Document(id=d.id, n_units=d.n_units, units=d.units) for place, d in enumerate(corpus)]
    )
    assert len(validate(mixed, metrics=["ARPpair"], encoders=[Topics()], draws=1).corpus) == 3


def test_noticed_counts_ties_half_and_leaves_out_what_did_not_change():
    trial = Trial("removal", 0.3, Removal(share=0.3))
    before = np.array([1.0, 1.0, 1.0, np.nan])
    after = [np.array([0.5, 1.0, 2.0, 0.0]), np.array([0.5, 1.0, 0.0, 0.0])]
    changed = [np.array([True, True, True, True]), np.array([True, True, False, True])]
    result = noticed(trial, metric("ARPpair"), before, after, changed).outcome
    assert result.ranked_right == pytest.approx((1 + 0.5 + 0) / 3)
    assert result.drop == pytest.approx((0.5 + 0 - 1) / 3)
    assert result.documents == 3
    lower = noticed(trial, metric("SegReFree"), before, after, changed).outcome
    assert lower.ranked_right == pytest.approx((0 + 0.5 + 1) / 3)


def test_damage_depends_on_no_other_document():
    corpus = gold(5)
    trial = next(t for t in trials([0.3], [1]) if t.kind == "removal")
    batch = Embedded.of({d.id: d.segmentation for d in corpus}, {d.id: np.zeros((d.n_units, 1)) for d in corpus})
    whole = list(do_damage(batch, trial, 2, 7))
    part = list(do_damage(batch.take([3]), trial, 2, 7))
    for one, other in zip(whole, part, strict=True):
        flat = one.flat
        assert flat.pos[flat.ptr[3] : flat.ptr[4]].tolist() == other.flat.pos.tolist()
    assert whole[0].flat.pos.tolist() != whole[1].flat.pos.tolist()


def test_facts():
    corpus = Corpus(
        [
            Document(id="a", n_units=4, units=("Yes.", "yes. ", "No", "Maybe"), segmentation=Segmentation(4, (1,))),
            Document(id="b", n_units=2, units=("x", "y"), segmentation=Segmentation(2, (1,))),
        ]
    )
    vectors = {"a": np.tile([1.0, 0.0], (4, 1)), "b": np.tile([1.0, 1.0], (2, 1))}
    batch = Embedded.of({d.id: d.segmentation for d in corpus}, vectors)
    facts = corpus_facts(corpus, batch)
    assert facts.singletons == pytest.approx(3 / 4)
    assert facts.repeats == pytest.approx(2 / 6)
    assert facts.anisotropy == pytest.approx(math.sqrt(0.5))


def facts_of(documents):
    return CorpusFacts(singletons=0.0, repeats=None, anisotropy=0.0, documents=documents, units=100, segments=40)


FACTS = facts_of(20)


def judged(removal, random, strongest, correlation, documents=20, facts=FACTS, limits=None, blind=0.02, **damages):
    """Judge a metric that notices all damage of which nothing is said."""
    shares = dict.fromkeys(DAMAGES, 1.0) | {"removal": removal, "random": random} | damages
    return judge(shares, strongest, correlation, documents, facts, limits or Limits(), blind)


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((0.85, 0.85, 0.9, 0.8), "usable here"),
        ((0.84, 0.95, 0.9, 1.0), "only for large differences"),
        ((0.95, 0.95, 0.9, 0.79), "only for large differences"),
        ((0.95, 0.69, 0.9, 1.0), "not usable here"),
        ((0.6, 0.9, 0.6, 1.0), "not usable here"),
        ((math.nan, 0.9, math.nan, 1.0), "not usable here"),
        ((0.6, 0.9, 0.9, -0.2), "not usable here"),
    ],
)
def test_limits(numbers, verdict):
    assert judged(*numbers)[0] == verdict


def test_each_of_the_six_damages_counts():
    for kind in DAMAGES:
        perfect = {"removal": 1.0, "random": 1.0, "strongest": 1.0, "correlation": 1.0}
        assert judged(**perfect | {kind: 0.84})[0] == "only for large differences"
        assert judged(**perfect | {kind: 0.5})[0] == "not usable here"
        # What leaves every document as it is cannot be judged; without removal and random placement nothing can.
        there = judged(**perfect | {kind: math.nan})
        assert there[0] == ("not usable here" if kind in ("removal", "random") else "usable here")


def test_a_metric_must_beat_what_can_be_had_without_reading():
    verdict, reasons = judged(0.9, 0.9, 0.9, 0.9, blind=0.9)
    assert verdict == "not usable here"
    assert reasons == ["its worst damage, 90 %, is no better than 90 % without reading (Evenness)"]
    assert judged(0.91, 0.91, 0.9, 0.9, blind=0.9)[0] == "usable here"


def test_the_blind_metric_is_in_every_table(found):
    blind = found.trust(BLIND, "noise")
    assert blind.verdict == "not usable here"
    assert blind.reasons == ["reads lengths only: this is the level reached without reading the text"]
    assert blind.damages["even"] == 0.0
    assert blind.worst == 0.0
    assert found.trust(BLIND, "topics").damages == {**blind.damages, "odd": found.trust(BLIND, "topics").damages["odd"]}
    rows = [row for row in found.tables()[0].rows if row[1] == f"{BLIND} (blind)"]
    assert [row[0] for row in rows] == ["topics", "noise"]
    good = found.trust("Silhouette", "topics")
    assert set(good.damages) == set(DAMAGES)
    assert good.worst == min(good.damages.values())


def test_few_documents_tell_nothing():
    few = judged(1.0, 1.0, 1.0, 1.0, 9)
    assert few == ("not usable here", ["undecided: needs 10 documents and found 9"])
    _, reasons = judged(1.0, 1.0, 1.0, 1.0, 12, facts_of(30))
    assert reasons == ["undecided: needs 15 documents and found 12"]
    assert judged(1.0, 1.0, 1.0, 1.0, 10) == ("usable here", [])
    assert judged(1.0, 1.0, 1.0, math.nan)[1][0].startswith("too few levels")


def test_levels_are_compared_on_the_same_documents():
    found = []
    for level in (0.1, 0.3, 0.5, 0.7, 0.9):
        after = np.where(np.arange(20) < 10, 1 - level, 1 - 0.1 * level)
        if level > 0.6:
            after[:10] = np.nan
        if level > 0.8:
            after[19] = -np.inf
        changed = [np.ones(20, dtype=bool)]
        trial = Trial("removal", level, Removal(share=level))
        found.append(noticed(trial, metric("ARPpair"), np.ones(20), [after], changed))
    assert found[-1].per_document[19] == np.inf
    assert math.isfinite(found[-1].outcome.drop)
    follows = monotonicity(found)
    assert follows.corpus == pytest.approx(1.0)
    assert follows.documents == pytest.approx(1.0)


def test_target_metrics_lose_on_both_sides():
    corpus = Corpus([Document(id="d", n_units=10, segmentation=Segmentation(10, (5,)))])
    for boundaries, loss in (((3, 5), 1.0), ((), 1.0), ((4,), 0.0)):
        flat = Flat.from_segmentations([Segmentation(10, boundaries)])
        trial = Trial("removal", 0.3, Removal(share=0.3))
        damage = Damage(trial, flat, np.array([True]))
        assert _reference_losses(metric("BOR"), corpus, [[damage]], profile("caesura"))[0][0][0] == pytest.approx(loss)


def test_gold_and_a_segmentation_are_one_too_many():
    with pytest.raises(ComparabilityError, match="leave out one of them"):
        validate(gold(2), gold(2), encoders=[Topics()])


def test_boundaries_in_characters_are_carried_over():
    corpus = gold(3)
    bare = Corpus([Document(id=d.id, n_units=d.n_units, units=d.units) for d in corpus])
    characters = Corpus(
        [
            Document(id=d.id, n_units=s.n_units, segmentation=s, unit="character")
            for d in corpus
            for s in [project(d, "character")[0].segmentation]
        ]
    )
    found = validate(bare, characters, ["ARPpair"], encoders=[Topics()], draws=1)
    assert found.corpus["d0"].segmentation == corpus["d0"].segmentation


def test_limits_can_be_changed():
    assert judged(0.84, 0.95, 0.9, 1.0, limits=Limits(better=0.8))[0] == "usable here"
    with pytest.raises(DeclarationError, match="limit better is"):
        Limits(better=1.5)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"draws": 0}, DeclarationError, "draws is 0"),
        ({"encoders": []}, DeclarationError, "no encoder"),
        ({"levels": [1.5]}, DeclarationError, "level is 1.5"),
        ({"distances": [0]}, DeclarationError, "distance is 0"),
        ({"metrics": ["Pk"]}, MetricError, "needs a reference"),
        ({"references": ["ARPpair"]}, MetricError, "does not compare a hypothesis"),
        ({"encoders": [Topics(), Topics()]}, DeclarationError, "named twice"),
        ({"encoders": "nonsense"}, DeclarationError, "'nonsense' is not an encoder"),
        ({"limits": {"better": 0.9}}, DeclarationError, "must be a Limits"),
        ({"moved": "some"}, DeclarationError, "moved is 'some'"),
    ],
)
def test_bad_options(options, error, words):
    with pytest.raises(error, match=words):
        validate(gold(2), **({"encoders": [Topics()], "metrics": ["ARPpair"]} | options))


def test_nothing_to_degrade():
    whole = Corpus([Document(id="a", n_units=3, units=("1", "2", "3"), segmentation=Segmentation(3))])
    with pytest.raises(ComparabilityError, match="no document has a boundary"):
        validate(whole, encoders=[Topics()])


def test_the_traps_of_segrefree_are_told():
    """A boundary in every gap has SegReFree 0, its best value, whatever the text; other metrics have no such trap."""
    cut = Corpus(
        Document(id=d.id, n_units=d.n_units, units=d.units, segmentation=Segmentation(d.n_units, range(1, d.n_units)))
        for d in gold(3)
    )
    found = validate(cut, metrics=["SegReFree"], encoders=[Topics()], draws=1).results()
    (trap,) = found.validity.encoders["topics"].traps
    assert trap.startswith("3 of 3 (100.0%) documents have segments of one unit only: SegReFree is 0 there")
    assert any(line.startswith("3 of 3") for line in answer_of(found))
    free = validate(cut, metrics=["Silhouette"], encoders=[Topics()], draws=1).results()
    assert free.validity.encoders["topics"].traps == []
