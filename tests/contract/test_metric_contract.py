"""What every metric of the registry promises; a new metric is tested the moment its file exists.

The promises are read from the declaration: bounds, perfect score, symmetry, mirror image, and the kinds of damage that
may go unnoticed stand on the card (`facts()` adjusts them to the parameters), the parameters in the fields.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.pairs import Pairs
from caesura.declare import parameters
from caesura.errors import ComparabilityError, MetricError
from caesura.kernels import kernel, kernel_names
from caesura.metrics import METRICS, Metric, PairwiseMetric, families, metric
from caesura.reports.page.sections import bibtex
from caesura.segmentation import Segmentation
from tests.strategies import (
    UNTITLED,
    all_pairs,
    all_segmentations,
    batch,
    corpora,
    count_one,
    counted,
    metrics,
    pairs,
    segmentations,
)

EVERY = pytest.mark.parametrize("cls", [METRICS.lookup(name)[0] for name in UNTITLED], ids=UNTITLED)
TINY = 1e-12

REPRODUCED_FAULTS = {
    "always_zero": "scikit-learn, and so SuperDialseg, gives F1 0 where there is nothing to find and nothing is found",
    "as_run": "the released code credits only the first reference boundary it meets, so that a hypothesis equal to its "
    "reference may score below 1; `as_run` reproduces that",
}
"""Choices under which a metric is known not to be perfect on identity, with the reason."""

# Choices of parameters under which blindness is looked for, beyond the default ones.
VARIANTS = {
    "tolerance": [1, 2],
    "gamma": [0.5],
    "edge": ["interior", "lamprier"],
    "matching": ["one_to_one"],
    "as_printed": [True],
    "n_t": [1, 3, 4],
    "string": ["units", "units_closed"],
    "min_k": [0],
    "k_from": ["boundaries"],
}


def same(first: float, second: float) -> bool:
    """Say whether two scores are equal: both undefined, both infinite, or a rounding apart."""
    return (math.isnan(first) and math.isnan(second)) or first == second or abs(first - second) < TINY


def worse(candidate: PairwiseMetric, score: float) -> bool:
    """Say whether a score is strictly worse than perfect."""
    facts = candidate.facts()
    if facts.direction == "target":
        return abs(score - facts.perfect) > TINY
    return score > facts.perfect + TINY if facts.direction == "lower" else score < facts.perfect - TINY


def damaged(reference: Segmentation) -> Iterator[tuple[str, Segmentation]]:
    """Yield a perfect hypothesis with one boundary removed, inserted or shifted, in every possible way."""
    n, chosen = reference.n_units, set(reference.boundaries)
    free = [gap for gap in range(1, n) if gap not in chosen]
    for gap in sorted(chosen):
        yield "removal", Segmentation(n, sorted(chosen - {gap}))
        # A shift does not pass another boundary: that would be a removal and an insertion.
        left = max((other for other in chosen if other < gap), default=0)
        right = min((other for other in chosen if other > gap), default=n)
        for target in free:
            if left < target < right:
                yield "shift", Segmentation(n, sorted((chosen - {gap}) | {target}))
    for gap in free:
        yield "insertion", Segmentation(n, sorted(chosen | {gap}))


def scored(candidate: PairwiseMetric, documents: Pairs) -> list[float]:
    """Return the scores of many pairs, counted at once."""
    request = candidate.request("unit")
    counts = request.count(documents)[:, candidate.places(request)]
    scores: list[float] = candidate.score(counts).tolist()
    return scores


def variants(cls: type[PairwiseMetric]) -> Iterator[PairwiseMetric]:
    """Yield the metric with its defaults, and with each of the values that make it behave otherwise."""
    yield cls()
    names = {p.name: p.choices for p in parameters(cls)}
    for name, values in VARIANTS.items():
        for value in values:
            if name in names and (not names[name] or value in names[name]):
                yield cls(**{name: value})
    if {"k_from", "min_k"} <= set(names):
        yield cls(k_from="boundaries", min_k=0)
    if "length" in names:
        yield cls(length="short", cut=3)
        yield cls(length="long", cut=3)


@functools.cache
def small() -> tuple[Segmentation, ...]:
    """Return every segmentation of up to 8 units."""
    return tuple(s for n in range(1, 9) for s in all_segmentations(n))


@functools.cache
def small_damage() -> tuple[tuple[Segmentation, str, Segmentation], ...]:
    """Return each of them with every kind of damage, and what it makes of it."""
    return tuple((reference, kind, hypothesis) for reference in small() for kind, hypothesis in damaged(reference))


@functools.cache
def small_batches() -> tuple[Pairs, Pairs]:
    """Return every small segmentation against itself, and against its damage."""
    return batch([(each, each) for each in small()]), batch([(each, damage) for each, _, damage in small_damage()])


@functools.cache
def damage_where_perfect(candidate: PairwiseMetric) -> list[tuple[Segmentation, str, Segmentation, float]]:
    """Return small references that score perfectly against themselves, with their damage and its score."""
    itself, damage = (scored(candidate, each) for each in small_batches())
    perfect = {
        id(reference)
        for reference, score in zip(small(), itself, strict=True)
        if same(score, candidate.facts().perfect)
    }
    return [(*each, score) for each, score in zip(small_damage(), damage, strict=True) if id(each[0]) in perfect]


# ---------------------------------------------------------------------------------------------- the value of a score


@EVERY
@given(data=st.data())
def test_score_lies_within_its_bounds(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    score = candidate(reference, hypothesis)
    low, high = candidate.facts().bounds
    assert isinstance(score, float)
    assert math.isnan(score) or low - TINY <= score <= high + TINY


@EVERY
@given(data=st.data())
def test_identity_is_perfect_where_defined(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    if not REPRODUCED_FAULTS.keys().isdisjoint(candidate.options().values()):
        return
    reference = data.draw(segmentations())
    score = candidate(reference, reference)
    assert math.isnan(score) or same(score, candidate.facts().perfect)


@EVERY
def test_identity_is_perfect_for_every_small_document(cls: type[PairwiseMetric]) -> None:
    candidate = cls()
    scores = [candidate(s, s) for s in small()]
    assert all(math.isnan(score) or score == candidate.card.perfect for score in scores)
    assert not all(map(math.isnan, scores))


def test_the_reproduced_fault_is_one() -> None:
    reference = Segmentation.from_masses([2, 7, 1, 6])
    assert metric("W-F1")(reference, reference) == 1.0
    assert same(metric("BoundaryF1(tolerance=1, matching='as_run')")(reference, reference), 0.8)


@EVERY
def test_perfect_lies_within_the_bounds(cls: type[PairwiseMetric]) -> None:
    for candidate in variants(cls):
        facts = candidate.facts()
        low, high = facts.bounds
        assert low <= facts.perfect <= high
        if facts.direction != "target":
            assert facts.perfect == (high if facts.direction == "higher" else low)


# ---------------------------------------------------------------------------------------------- symmetries


@EVERY
@given(data=st.data())
def test_exchange_changes_nothing_where_declared(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    if candidate.facts().symmetric:
        assert same(candidate(reference, hypothesis), candidate(hypothesis, reference))


@EVERY
@given(data=st.data())
def test_mirror_image_changes_nothing_where_declared(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    if candidate.facts().mirror:
        assert same(candidate(reference, hypothesis), candidate(reference.mirrored(), hypothesis.mirrored()))


# The default window differs only where segments are long enough: k = 3 for the one, 2 for the other.
_SMALL_PAIRS = [
    *(pair for n in range(1, 7) for pair in all_pairs(n)),
    (Segmentation(12, (6,)), Segmentation(12, (4, 8))),
    (Segmentation(9, (1, 3, 5, 6)), Segmentation(9, (2, 5))),
]


@functools.cache
def _exchanged() -> tuple[Pairs, Pairs]:
    return batch(_SMALL_PAIRS), batch([(hypothesis, reference) for reference, hypothesis in _SMALL_PAIRS])


@functools.cache
def _mirrored(least: int = 1, most: int = 0) -> tuple[Pairs, Pairs]:
    """Return small pairs and their mirror images; those above, or all of so many units."""
    some = [pair for n in range(least, most + 1) for pair in all_pairs(n)] or _SMALL_PAIRS
    return batch(some), batch([(reference.mirrored(), hypothesis.mirrored()) for reference, hypothesis in some])


def _all_the_same(candidate: PairwiseMetric, some: Pairs, others: Pairs) -> bool:
    return all(map(same, scored(candidate, some), scored(candidate, others)))


@EVERY
def test_card_denies_symmetry_only_where_there_is_none(cls: type[PairwiseMetric]) -> None:
    candidate = cls()
    assert _all_the_same(candidate, *_exchanged()) is candidate.facts().symmetric


@EVERY
def test_card_denies_the_mirror_only_where_it_breaks(cls: type[PairwiseMetric]) -> None:
    candidate = cls()
    assert _all_the_same(candidate, *_mirrored()) is candidate.facts().mirror


@pytest.mark.parametrize("text", ["S(n_t=3)", "B(n_t=3)", "EditF1(n_t=4)", "Pk(string='units')"])
def test_parameters_that_break_the_mirror_say_so(text: str) -> None:
    candidate = metric(text)
    assert candidate.card.mirror
    assert not candidate.facts().mirror
    assert not _all_the_same(candidate, *_mirrored(2, 7))


# ---------------------------------------------------------------------------------------------- damage


@EVERY
def test_damage_is_noticed_unless_the_card_says_otherwise(cls: type[PairwiseMetric]) -> None:
    for candidate in variants(cls):
        blind = candidate.facts().blind_to
        for reference, kind, hypothesis, score in damage_where_perfect(candidate):
            if kind not in blind and not math.isnan(score):
                assert worse(candidate, score), f"{candidate}: {kind} of {reference} gives {hypothesis}, scored {score}"


@EVERY
@given(data=st.data())
def test_damage_is_noticed_in_longer_documents(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference = data.draw(segmentations(min_units=2, max_units=24))
    perfect = candidate(reference, reference)
    if not same(perfect, candidate.facts().perfect):
        return
    kind, hypothesis = data.draw(st.sampled_from(list(damaged(reference))))
    score = candidate(reference, hypothesis)
    assert kind in candidate.facts().blind_to or math.isnan(score) or worse(candidate, score)


def _overlooked(candidate: PairwiseMetric) -> set[str]:
    perfect = candidate.facts().perfect
    return {kind for _, kind, _, score in damage_where_perfect(candidate) if same(score, perfect)}


@EVERY
def test_blindness_that_the_card_admits_exists(cls: type[PairwiseMetric]) -> None:
    for candidate in variants(cls):
        admitted = candidate.facts().blind_to
        # Each extra reading may admit a kind that only other values of the same parameters show.
        if candidate == cls():
            assert _overlooked(candidate) == admitted, str(candidate)
    seen = set().union(*(_overlooked(candidate) for candidate in variants(cls)))
    assert seen == set().union(*(candidate.facts().blind_to for candidate in variants(cls)))


@EVERY
@given(data=st.data())
def test_nothing_is_better_than_perfect(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    facts = candidate.facts()
    reference, hypothesis = data.draw(pairs())
    score = candidate(reference, hypothesis)
    if facts.direction == "higher":
        assert math.isnan(score) or score <= facts.perfect + TINY
    elif facts.direction == "lower":
        assert math.isnan(score) or score >= facts.perfect - TINY


# ---------------------------------------------------------------------------------------------- text and value


@EVERY
@given(data=st.data())
def test_text_and_metric_are_inverse(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    again = metric(str(candidate))
    assert again == candidate
    assert hash(again) == hash(candidate)
    assert str(again) == str(candidate)
    assert again.options() == candidate.options()


@EVERY
def test_text_of_a_default_metric_is_its_name(cls: type[PairwiseMetric]) -> None:
    assert str(cls()) == cls.name() == cls.__name__
    assert metric(cls.name()) == cls()


@pytest.mark.parametrize("cls", [each for registry in families() for each in registry], ids=lambda each: each.name())
def test_what_a_metric_cites_is_in_the_references(cls: type[Metric]) -> None:
    citation = cls.card.citation
    assert bibtex([citation]) or citation.startswith("defined here"), (
        f"{cls.name()} cites {citation!r}; add its entry to src/caesura/metrics/references.bib"
    )


@pytest.mark.parametrize("alias", sorted(METRICS.aliases()))
def test_alias_stands_for_its_text(alias: str) -> None:
    assert str(metric(alias)) == METRICS.aliases()[alias]
    assert metric(METRICS.aliases()[alias]) == metric(alias)


@EVERY
def test_card_is_filled(cls: type[PairwiseMetric]) -> None:
    card = cls.card
    assert card.title
    assert card.citation
    assert card.equation
    assert card.formula
    assert card.aggregation in ("macro", "micro")
    assert card.additive or card.aggregation == "macro"
    assert cls().why_undefined()
    assert all(p.help for p in parameters(cls))


# ---------------------------------------------------------------------------------------------- counts


@EVERY
@given(data=st.data())
def test_batch_rows_are_pair_rows(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    documents = data.draw(corpora())
    rows = counted(candidate, documents)
    assert rows.shape == (len(documents), len(candidate.columns))
    for row, (reference, hypothesis) in zip(rows, documents, strict=True):
        assert dict(zip(candidate.columns, row.tolist(), strict=True)) == candidate.counts(reference, hypothesis)
        assert same(float(candidate.score(row)), candidate(reference, hypothesis))
    np.testing.assert_array_equal(candidate.score(rows), [candidate(r, h) for r, h in documents])


@EVERY
@given(data=st.data())
def test_counts_add_over_documents(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    first, second = data.draw(corpora()), data.draw(corpora())
    if not candidate.facts().additive:
        return
    apart = counted(candidate, first).sum(axis=0) + counted(candidate, second).sum(axis=0)
    together = counted(candidate, first + second).sum(axis=0)
    np.testing.assert_allclose(together, apart, rtol=1e-12)
    assert same(float(candidate.score(together)), float(candidate.score(apart)))
    pooled = float(candidate.score(together))
    low, high = candidate.facts().bounds
    assert math.isnan(pooled) or low - TINY <= pooled <= high + TINY


@EVERY
@given(data=st.data())
def test_score_works_on_any_leading_shape(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    rows = counted(candidate, data.draw(corpora()))
    # Twice the same documents score the same, if their counts add.
    stacked = np.stack([rows, 2 * rows if candidate.facts().additive else rows])
    scores = candidate.score(stacked)
    assert scores.shape == stacked.shape[:-1]
    np.testing.assert_array_equal(scores[0], candidate.score(rows))
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-12)
    assert candidate.included(rows).shape == (len(rows),)
    assert not np.isnan(candidate.score(rows)[candidate.included(rows)]).any()


@EVERY
@given(data=st.data())
def test_scalar_entry_equals_batch_of_one(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    one, many = candidate.counts(reference, hypothesis), candidate.count(Pairs.of(reference, hypothesis))
    np.testing.assert_array_equal([list(one.values())], many)
    request = candidate.request("unit")
    if request.kernel in kernel_names():  # a metric may count without one
        counting = kernel(request.kernel)
        np.testing.assert_array_equal(
            count_one(counting, reference, hypothesis, *request.parameters),
            counting.count(Pairs.of(reference, hypothesis), request.parameters)[0],
        )


@EVERY
def test_threads_and_repetition_give_identical_tables(cls: type[PairwiseMetric]) -> None:
    random = np.random.default_rng(5)
    documents = []
    for _ in range(301):
        n = int(random.integers(1, 60))
        sides = [np.flatnonzero(random.random(n - 1) < random.random()) + 1 for _ in range(2)]
        documents.append((Segmentation(n, sides[0]), Segmentation(n, sides[1])))
    for candidate in variants(cls):
        once = counted(candidate, documents)
        assert once.tobytes() == counted(candidate, documents).tobytes()
        for threads in (2, 3, 8):
            assert once.tobytes() == counted(candidate, documents, threads=threads).tobytes()


@EVERY
def test_an_empty_batch_has_no_rows(cls: type[PairwiseMetric]) -> None:
    assert counted(cls(), []).shape == (0, len(cls.columns))


# ---------------------------------------------------------------------------------------------- inputs


@EVERY
@given(data=st.data())
def test_names_of_labels_change_nothing(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    """The bug of segeval: labels above 256 compared by identity make every answer perfect."""
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    expected = candidate(reference, hypothesis)

    def named(segmentation: Segmentation, first: int, step: int) -> Segmentation:
        # New objects for each unit, so that a comparison by identity would see a change everywhere.
        return Segmentation.from_labels([int(str(first + step * label)) for label in segmentation.labels])

    first, step = data.draw(st.integers(0, 10**12)), data.draw(st.sampled_from([-7, 1, 1000]))
    assert same(candidate(named(reference, first, step), named(hypothesis, 0, 1)), expected)
    falsy = [
        Segmentation.from_labels([("", "topic")[label % 2] for label in s.labels]) for s in (reference, hypothesis)
    ]
    assert same(candidate(*falsy), expected)


@EVERY
@pytest.mark.parametrize("n_units", [1, 2, 3, 7])
def test_extreme_documents_are_scored_or_undefined(cls: type[PairwiseMetric], n_units: int) -> None:
    nothing, everything = Segmentation(n_units), Segmentation(n_units, range(1, n_units))
    for candidate in variants(cls):
        low, high = candidate.facts().bounds
        for reference in (nothing, everything):
            for hypothesis in (nothing, everything):
                score = candidate(reference, hypothesis)
                assert math.isnan(score) or low <= score <= high


@EVERY
@given(data=st.data())
def test_score_is_deterministic(cls: type[PairwiseMetric], data: st.DataObject) -> None:
    candidate = data.draw(metrics(cls))
    reference, hypothesis = data.draw(pairs())
    again = metric(str(candidate))
    assert candidate.counts(reference, hypothesis) == again.counts(
        Segmentation(reference.n_units, list(reference.boundaries)), Segmentation.from_masses(hypothesis.masses)
    )


@EVERY
def test_unlike_inputs_are_refused(cls: type[PairwiseMetric]) -> None:
    candidate, thirteen = cls(), Segmentation.from_masses([6, 3, 4])
    with pytest.raises(
        ComparabilityError, match="reference has 13 units, hypothesis has 12; both must segment the same"
    ):
        candidate(thirteen, Segmentation(12))
    with pytest.raises(
        ComparabilityError, match="the reference counts 'turn', 'hypothesis' counts 'sentence'; project"
    ):
        candidate(thirteen.with_unit("turn"), thirteen.with_unit("sentence"))
    with pytest.raises(MetricError, match=rf"{cls.name()}: hypothesis is a list; it must be a Segmentation"):
        candidate(thirteen, [6, 3, 4])  # type: ignore[arg-type]
    with pytest.raises(MetricError, match=rf"{cls.name()}: reference is a str; it must be a Segmentation"):
        candidate("aaabbb", thirteen)


@EVERY
def test_a_string_of_gaps_is_a_segmentation(cls: type[PairwiseMetric]) -> None:
    candidate = cls()
    reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    expected = candidate(reference, hypothesis)
    assert candidate("000001001000", hypothesis) == candidate(reference, "000100010000") == expected


@EVERY
def test_parameters_of_the_wrong_kind_are_refused(cls: type[PairwiseMetric]) -> None:
    for p in parameters(cls):
        with pytest.raises(MetricError, match=rf"^{cls.name()}: parameter {p.name} is \[\]; it must be "):
            cls(**{p.name: []})
        if p.choices:
            with pytest.raises(
                MetricError, match=rf"^{cls.name()}: parameter {p.name} is 'nonsense'; it must be one of"
            ):
                cls(**{p.name: "nonsense"})


def test_the_order_of_a_batch_is_kept() -> None:
    documents = [(Segmentation(n, (1,)), Segmentation(n)) for n in (5, 9, 2)]
    assert batch(documents).n_units.tolist() == [5, 9, 2]
    assert counted(metric("BOR"), documents)[:, 0].tolist() == [1.0, 1.0, 1.0]
