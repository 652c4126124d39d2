# SPDX-License-Identifier: Apache-2.0
"""Extra boundaries: the statistic by brute force from its definition, planted sub-topics against noise, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.extra import extra_of
from caesura.evaluation.evaluate.report import Evaluation
from caesura.metrics.cohesion.placement import Placement
from caesura.results import answer_of
from caesura.results.evaluate.facts import OTHERS, ExtraFacts
from caesura.segmentation import Segmentation

Floats = npt.NDArray[np.float64]
WORDS = {
    "rain": ["rain", "cloud", "storm", "wet", "puddle", "umbrella", "thunder", "drizzle"],
    "bank": ["bank", "loan", "credit", "money", "rates", "savings", "debt", "interest"],
    "goal": ["goal", "match", "player", "keeper", "team", "penalty", "league", "score"],
    "bread": ["bread", "flour", "oven", "yeast", "dough", "baker", "crust", "loaf"],
}


def likeness(vectors: Floats) -> float:
    if len(vectors) == 1:
        return 0.0
    total = vectors.sum(axis=0)
    return float((total @ total - (vectors * vectors).sum()) / (len(vectors) - 1))


def summed(vectors: Floats, boundaries: Sequence[int]) -> float:
    return sum(likeness(vectors[a:b]) for a, b in pairwise([0, *sorted(boundaries), len(vectors)]))


def by_hand(vectors: Floats, reference: list[int], extra: list[int]) -> tuple[float, list[bool]]:
    """Return z and what is supported, every rotation written out."""
    centred, edges = vectors - vectors.mean(axis=0), [0, *reference, len(vectors)]
    totals, gains = [], []
    for shift in range(len(vectors) - 1):
        moved = []
        for gap in extra:
            low, high = max(e for e in edges if e < gap), min(e for e in edges if e > gap)
            free = list(range(low + 1, high))
            moved.append(free[(free.index(gap) + shift) % len(free)])
        totals.append(summed(centred, [*reference, *moved]))
        gains.append([totals[-1] - summed(centred, [*reference, *(m for m in moved if m != gap)]) for gap in moved])
    spread = float(np.std(totals))
    z = (totals[0] - float(np.mean(totals))) / spread if spread > 1e-9 else 0.0
    return z, (np.array(gains[0]) > np.median(gains, axis=0) + 1e-9).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_z_and_support_are_those_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 18))
    gaps, k = rng.permutation(np.arange(1, n)), int(rng.integers(0, 3))
    reference, extra = sorted(gaps[:k].tolist()), sorted(gaps[k : k + int(rng.integers(1, n - k))].tolist())
    vectors = rng.normal(size=(n, 3))
    reading = next(Placement().readings(Embedded.of({"d": Segmentation(n)}, {"d": vectors})))
    found = reading.inside(np.array(reference, dtype=np.int64), np.array(extra))
    z, supported = by_hand(vectors, reference, extra)
    assert found.z == pytest.approx(z, abs=1e-9)
    assert found.supported.tolist() == supported


def test_of_words_and_vectors_the_z_are_added() -> None:
    rng = np.random.default_rng(3)
    texts, vectors = (
        [" ".join(rng.choice(WORDS["rain"] + WORDS["bank"], 5)) for _ in range(14)],
        rng.normal(size=(14, 4)),
    )
    batch = Embedded.of({"d": Segmentation(14)}, {"d": vectors}).with_texts({"d": texts})
    reference, extra = np.array([6]), np.array([3, 9, 11])
    z = {of: next(Placement(of=of).readings(batch)).inside(reference, extra).z for of in ("words", "vectors", "both")}
    assert z["both"] == pytest.approx(z["words"] + z["vectors"])
    with pytest.raises(MetricError, match="vectors, words or both"):
        next(Placement(of="gaps").readings(batch))


def test_boundaries_far_beyond_the_rotations_are_the_same_without_the_table_of_segments() -> None:
    # More units than are valued at once: the sums are made rotation by rotation.
    vectors = np.random.default_rng(5).normal(size=(2_100, 2))
    reading = next(Placement(rotations=7).readings(Embedded.of({"d": Segmentation(2_100)}, {"d": vectors})))
    reference, extra = [700, 1400], [100, 800, 2000]
    found = reading.inside(np.array(reference), np.array(extra))
    centred, edges = vectors - vectors.mean(axis=0), [0, *reference, 2_100]
    totals = []
    for shift in reading.by.tolist():
        moved = []
        for gap in extra:
            low, high = max(e for e in edges if e < gap), min(e for e in edges if e > gap)
            moved.append(low + 1 + (gap - low - 1 + shift) % (high - low - 1))
        totals.append(summed(centred, [*reference, *moved]))
    assert found.z == pytest.approx((totals[0] - np.mean(totals)) / np.std(totals))


def test_extra_boundaries_match_none_of_the_reference_one_to_one() -> None:
    assert extra_of(np.array([4, 9]), np.array([3, 5, 9, 12])).tolist() == [5, 12]
    assert extra_of(np.array([], dtype=np.int64), np.array([2])).tolist() == [2]
    assert extra_of(np.array([4]), np.array([5])).tolist() == []


def planted(documents: int = 12) -> tuple[Corpus, dict[str, dict[str, Segmentation]]]:
    """Return documents of two topics in the reference, each of two sub-topics, with the sub-topics and noise as systems."""
    rng, made, fine, noise = np.random.default_rng(1), [], {}, {}
    for place in range(documents):
        units, at = [], []
        for topic in WORDS:
            units += [" ".join(rng.choice(WORDS[topic], 6)) for _ in range(int(rng.integers(6, 10)))]
            at.append(len(units))
        n, key = len(units), f"d{place:02}"
        made.append(Document(id=key, n_units=n, units=tuple(units), segmentation=Segmentation(n, (at[1],))))
        fine[key] = Segmentation(n, at[:3])
        free = [gap for gap in range(1, n) if min(abs(gap - b) for b in at) > 2]
        noise[key] = Segmentation(n, sorted([at[1], *rng.choice(free, 2, replace=False).tolist()]))
    return Corpus(made), {"fine": fine, "noise": noise}


def asked(corpus: Corpus, systems: Mapping[str, object], **options: object) -> dict[str, ExtraFacts]:
    evaluation = evaluate(corpus, dict(systems), ["W-F1"])
    assert isinstance(evaluation, Evaluation)
    return evaluation.extra_boundaries(**options)  # type: ignore[arg-type]


def test_the_text_supports_sub_topics_and_not_noise() -> None:
    corpus, systems = planted()
    found = asked(corpus, systems)
    fine, noise = found["fine"], found["noise"]
    assert (fine.documents, fine.boundaries) == (12, 24)
    assert fine.supported == 1.0
    assert fine.own == 1.0
    assert fine.heard is True
    assert fine.shown is True
    assert noise.shown is False
    assert noise.supported is not None
    assert noise.supported < 0.75
    assert fine.chance is not None
    assert 0.3 < fine.chance < 0.7
    assert {key: [gap for gap, _ in places] for key, places in fine.places.items()} == {
        key: [gap for gap in each.boundaries if gap != corpus[key].segmentation.boundaries[0]]  # type: ignore[union-attr]
        for key, each in systems["fine"].items()
    }


def test_random_boundaries_are_worth_what_chance_says() -> None:
    corpus, _ = planted(40)
    rng = np.random.default_rng(8)
    random = {d.id: Segmentation(d.n_units, np.sort(rng.choice(d.n_units - 1, 4, replace=False) + 1)) for d in corpus}
    found = asked(corpus, {"random": random})["random"]
    assert found.z is not None
    assert found.z_chance is not None
    assert abs(found.z - found.z_chance) < 0.5
    assert found.shown is False


def test_where_the_text_does_not_tell_the_references_own_boundaries_it_is_not_believed() -> None:
    rng = np.random.default_rng(2)
    everything = [word for words in WORDS.values() for word in words]
    corpus = Corpus(
        Document(
            id=f"d{place}",
            n_units=24,
            units=tuple(" ".join(rng.choice(everything, 6)) for _ in range(24)),
            segmentation=Segmentation(24, (6, 12, 18)),
        )
        for place in range(10)
    )
    evaluation = evaluate(corpus, {"a": {d.id: Segmentation(24, (3, 6, 9, 12, 15, 18, 21)) for d in corpus}}, ["W-F1"])
    assert evaluation.extra_boundaries()["a"].heard is False
    evaluation.verdicts()
    assert "the text cannot say whether the extra boundaries are sub-topics" in " ".join(
        answer_of(evaluation.results())
    ).replace("The", "the")


def test_the_verdict_says_what_the_text_supports_in_any_order_of_the_questions() -> None:
    corpus, systems = planted()
    said = []
    for order in (("verdicts", "extra_boundaries"), ("extra_boundaries", "verdicts")):
        evaluation = evaluate(corpus, {"fine": systems["fine"]}, ["W-F1"])
        for question in order:
            getattr(evaluation, question)()
        said.append(" ".join(answer_of(evaluation.results())))
    assert said[0] == said[1]
    assert "Verdict: granularity mismatch, and the text supports 100 % of the extra boundaries" in said[0]


def test_annotators_say_whether_extra_boundaries_have_minority_support() -> None:
    corpus, systems = planted()
    people = Corpus(
        Document(
            id=d.id,
            n_units=d.n_units,
            units=d.units,
            annotations={"a": d.segmentation, "b": d.segmentation, "c": systems["fine"][d.id]},
        )
        for d in corpus
        if d.segmentation is not None
    )
    evaluation = evaluate(people, systems, ["W-F1"], against="consensus=0.5")
    assert isinstance(evaluation, Evaluation)
    found = evaluation.extra_boundaries()
    assert list(found) == ["fine", "noise", OTHERS]
    assert (found["fine"].marked, found["noise"].marked) == (1.0, 0.0)
    assert found[OTHERS].boundaries == 24
    assert found[OTHERS].supported == 1.0
    assert asked(corpus, systems)["fine"].marked is None


def test_what_cannot_be_asked_is_one_line() -> None:
    corpus, systems = planted(3)
    with pytest.raises(MetricError, match="of is 'letters'"):
        asked(corpus, systems, of="letters")
    with pytest.raises(MetricError, match="draws is 0"):
        asked(corpus, systems, draws=0)
    bare = {d.id: d.segmentation for d in corpus}
    evaluation = evaluate(bare, systems, ["W-F1"])
    with pytest.raises(ComparabilityError, match="has no texts"):
        evaluation.extra_boundaries()
    timed = evaluate(Segmentation(90_000, (30_000,), unit="ms"), Segmentation(90_000, (40_000,), unit="ms"), ["Pk"])
    with pytest.raises(ComparabilityError, match="time and characters have none"):
        timed.extra_boundaries()
