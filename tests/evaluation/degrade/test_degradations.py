"""Degradations: golden values, brute force, properties, and what they report."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, SegmentationError
from caesura.evaluation.degrade import DEGRADATIONS, Degradation, degrade, document_rng
from caesura.placements.streams import Streams
from caesura.segmentation import Segmentation
from tests.kernels.test_compiled_equals_uncompiled import load
from tests.strategies import segmentations

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "data" / "degradations.json").read_text())
CASES = GOLDEN["cases"]
TEXTS = [
    "Removal",
    "Removal(share=0.3)",
    "Removal(count=4)",
    "Splitting",
    "Splitting(share=0.5)",
    "Splitting(count=5, again=True)",
    "Transposition",
    "Transposition(distance=2, direction='left')",
    "Transposition(distance=3, which='all')",
    "Transposition(distance=1, which='all', direction='random')",
    "Transposition(distance=2, which='all', collisions=True)",
    "Transposition(distance=2, direction='random', collisions=True)",
    "RandomPlacement",
    "Shuffle",
    "Even",
]


def applied(text: str, segmentation: Segmentation, seed: int = 0):
    return DEGRADATIONS.parse(text).apply(segmentation, np.random.default_rng(seed))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_golden_splits(case):
    result = applied("Splitting(share=1.0)", Segmentation.from_masses(case["input"]["masses"]))
    pieces = case["expected"]["split_each_segment_at_floor_midpoint"]
    assert list(result.segmentation.masses) == [mass for piece in pieces for mass in piece]
    singles = sum(len(piece) == 1 for piece in pieces)
    assert result.requested - result.done == singles == sum(result.skipped.values())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_transposition_does_not_do_what_the_peer_does(case):
    """Where nothing wraps or collides, the peer's moves are ours; otherwise boundaries stay in number and in place."""
    segmentation = Segmentation.from_masses(case["input"]["masses"])
    printed = case["expected"]["repo_transposition_end_labels_without_closing"]
    for distance, positions in printed.items():
        d = int(distance)
        result = applied(f"Transposition(distance={d}, which='all')", segmentation)
        assert result.segmentation.n_boundaries == segmentation.n_boundaries
        wanted = [gap + d for gap in segmentation.boundaries]
        if all(gap < segmentation.n_units for gap in wanted):
            assert list(result.segmentation.boundaries) == wanted
            # The peer walks from the left, so a boundary that lands on the next one drags it along or vanishes.
            if not set(wanted) & set(segmentation.boundaries):
                assert positions == wanted


@given(segmentations(), st.sampled_from(TEXTS), st.integers(0, 99))
def test_what_every_degradation_keeps(segmentation, text, seed):
    before = segmentation.boundaries
    result = applied(text, segmentation, seed)
    made = result.segmentation
    assert (made.n_units, made.unit) == (segmentation.n_units, segmentation.unit)
    assert Segmentation(made.n_units, made.boundaries, unit=made.unit) == made  # in order, in range
    assert segmentation.boundaries == before
    assert result.requested == result.done + sum(result.skipped.values())
    assert all(number > 0 for number in result.skipped.values())
    assert applied(text, segmentation, seed) == result
    old, new = set(before), set(made.boundaries)
    if text.startswith("Removal"):
        assert new <= old
        assert len(old - new) == result.done
    elif text.startswith("Splitting"):
        assert old <= new
        assert len(new - old) == result.done
    elif "collisions" not in text:
        assert len(new) == len(old)
    if text == "Shuffle":
        assert sorted(made.masses) == sorted(segmentation.masses)
    if text.startswith("Transposition") and "all" not in text:
        assert len(new - old) == (result.done if "collisions" not in text else len(new - old))
        assert len(old - new) <= 1


@given(segmentations(max_units=14), st.integers(1, 4), st.sampled_from(("right", "left")))
def test_all_moves_as_brute_force(segmentation, distance, direction):
    """Move one after the other, the foremost first, each to a free gap; a restatement on a row of flags."""
    step = distance if direction == "right" else -distance
    flags = [False] * (segmentation.n_units + 1)
    for gap in segmentation.boundaries:
        flags[gap] = True
    moved = 0
    for gap in sorted(segmentation.boundaries, reverse=direction == "right"):
        target = gap + step
        if 1 <= target < segmentation.n_units and not flags[target]:
            flags[gap], flags[target] = False, True
            moved += 1
    result = applied(f"Transposition(distance={distance}, which='all', direction='{direction}')", segmentation)
    assert result.segmentation.boundaries == tuple(gap for gap, flag in enumerate(flags) if flag)
    assert result.done == moved


def test_one_move_is_uniform_over_the_moves_that_can_be_made():
    segmentation = Segmentation(6, (1, 2, 5))  # by 1: 1 and 5 to 0, 6 and 2 barred; 2 to 3, 5 to 4 free
    rng = np.random.default_rng(0)
    degradation = DEGRADATIONS.parse("Transposition(direction='random')")
    found = Counter(degradation.apply(segmentation, rng).segmentation.boundaries for _ in range(2000))
    assert set(found) == {(1, 3, 5), (1, 2, 4)}
    assert 900 < found[1, 3, 5] < 1100


@pytest.mark.parametrize(
    ("text", "masses", "universe"),
    [
        ("Removal(count=2)", [2, 2, 2, 2, 2], list(itertools.combinations((2, 4, 6, 8), 2))),
        ("RandomPlacement", [2, 2, 1], list(itertools.combinations((1, 2, 3, 4), 2))),
        ("Shuffle", [1, 2, 3], [(1, 3), (1, 4), (2, 3), (2, 5), (3, 4), (3, 5)]),
        ("Splitting(count=1)", [2, 2, 1, 2], [(1, 2, 4, 5), (2, 3, 4, 5), (2, 4, 5, 6)]),
    ],
)
def test_every_outcome_is_equally_likely(text, masses, universe):
    segmentation, rng = Segmentation.from_masses(masses), np.random.default_rng(1)
    degradation = DEGRADATIONS.parse(text)
    draws = 600 * len(universe)
    found = Counter(degradation.apply(segmentation, rng).segmentation.boundaries for _ in range(draws))
    assert set(found) == set(universe)
    chi2 = sum((found[outcome] - 600) ** 2 / 600 for outcome in universe)
    assert chi2 < 25  # at most 5 degrees of freedom: p about 0.0001


@pytest.mark.parametrize(
    ("text", "masses", "asked", "skipped"),
    [
        ("Removal(count=5)", [3, 3], 5, {"no boundary left": 4}),
        ("Removal(share=1.0)", [7], 0, {}),
        ("Splitting(count=3)", [1, 4], 3, {"segments of one unit cannot be split": 1, "every segment": 1}),
        ("Splitting(count=9, again=True)", [1, 4], 9, {"segments of one unit cannot be split": 6}),
        ("Transposition", [7], 1, {"there is no boundary": 1}),
        ("Transposition(distance=4)", [3, 3], 1, {"no boundary can be moved": 1}),
        ("Transposition(which='all')", [3, 1, 1], 2, {"past an end": 1, "another boundary": 1}),
        ("RandomPlacement", [1], 0, {}),
        ("Shuffle", [4], 0, {}),
    ],
)
def test_what_could_not_be_done_is_said(text, masses, asked, skipped):
    result = applied(text, Segmentation.from_masses(masses))
    assert result.requested == asked
    assert list(result.skipped.values()) == list(skipped.values())
    assert all(said.startswith(start) for said, start in zip(result.skipped, skipped, strict=True))


def test_shares_are_rounded_with_halves_up():
    segmentation = Segmentation(21, range(2, 21, 2))  # ten boundaries
    assert [applied(f"Removal(share={s})", segmentation).done for s in (0.04, 0.05, 0.15, 0.25, 0.34, 1.0)] == [
        0,
        1,
        2,
        3,
        3,
        10,
    ]


def test_collisions_merge_where_they_are_allowed():
    result = applied("Transposition(distance=2, which='all', collisions=True)", Segmentation(9, (5, 7, 8)))
    assert result.segmentation.boundaries == (7, 8)  # 5 lands on 7, which cannot move
    assert result.skipped == {"past an end of the document": 2}


def test_time_is_moved_by_a_length_with_its_unit():
    segmentation = Segmentation(60_000, (20_000,), unit="ms")
    assert applied("Transposition(distance='5s')", segmentation).segmentation.boundaries == (25_000,)
    with pytest.raises(CaesuraError, match="is meaningless on the unit 'ms'"):
        applied("Transposition", segmentation)


@pytest.mark.parametrize(
    "text",
    [
        "Removal(share=0.2, count=1)",
        "Splitting(share=1.5)",
        "Removal(count=-1)",
        "Removal(share=nan)",
        "Transposition(distance=0)",
        "Transposition(distance='far')",
        "Transposition(which='two')",
        "Shufle",
    ],
)
def test_bad_parameters_are_one_line(text):
    with pytest.raises(DeclarationError) as caught:
        DEGRADATIONS.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cls", list(DEGRADATIONS), ids=DEGRADATIONS.names())
def test_is_declared_in_full(cls):
    assert cls.card.title
    assert cls.__doc__
    assert DEGRADATIONS.parse(str(cls())) == cls()


@pytest.fixture
def corpus():
    rng = np.random.default_rng(5)
    return Corpus.from_segmentations(
        {f"d{n}": Segmentation.from_masses(rng.integers(1, 9, size=8).tolist()) for n in range(12)}
    )


@pytest.mark.parametrize("text", TEXTS)
def test_documents_do_not_know_of_each_other(corpus, text):
    whole = degrade(corpus, text, seed=3).corpus
    turned = degrade(Corpus(list(corpus)[::-1]), text, seed=3).corpus
    alone = degrade(corpus.subset(["d7"]), text, seed=3).corpus
    assert all(whole[key].segmentation == turned[key].segmentation for key in corpus.ids)
    assert whole["d7"].segmentation == alone["d7"].segmentation


def test_seed_draw_and_level_each_change_what_is_drawn(corpus):
    texts = [
        [d.segmentation.boundaries for d in degrade(corpus, "RandomPlacement", seed=s, draw=n).corpus]
        for s, n in ((0, 0), (1, 0), (0, 1))
    ]
    assert texts[0] != texts[1] != texts[2] != texts[0]
    streams = {document_rng(0, *key).integers(2**60) for key in (("ab", "c"), ("a", "bc"), ("a", "b"), ("\ud800", ""))}
    assert len(streams) == 4
    with pytest.raises(SegmentationError, match="seed is -1"):
        document_rng(-1, "d")


def test_several_are_done_one_after_the_other(corpus):
    both = degrade(corpus, ["Removal(share=1.0)", "Splitting(count=1)", "Splitting(count=1)"])
    assert all(document.segmentation.n_boundaries == 2 for document in both.corpus)
    assert (both.requested, both.done, both.skipped, both.incomplete) == (12 * 9, 12 * 9, {}, ())


def test_what_belonged_to_the_old_boundaries_is_left_out():
    old = Segmentation(3, (1,))
    document = Document(
        id="d",
        n_units=3,
        segmentation=old,
        units=("a", "b", "c"),
        annotations={"x": old},
        hierarchy=(old,),
        scores=(0.1, 0.2),
        extra={"segment_titles": ["A", "B"], "source": "s"},
    )
    made = degrade(Corpus([document]), "Removal").corpus["d"]
    assert (made.units, made.annotations, made.hierarchy, made.scores) == (("a", "b", "c"), {}, (), None)
    assert made.extra == {"source": "s", "made_by": {"degradations": ["Removal"]}}


def test_documents_without_boundaries_are_named():
    corpus = Corpus([Document(id="x", n_units=3), Document(id="y", n_units=3)])
    with pytest.raises(ComparabilityError, match=r"document 'x' \(and 1 more\) has no boundaries to degrade"):
        degrade(corpus, "Removal")
    with pytest.raises(DeclarationError, match=r"no degradation given; choose from .*Removal"):
        degrade(corpus, [])
    timed = Corpus.from_segmentations({"t": Segmentation(9, (3,), unit="ms")})
    with pytest.raises(CaesuraError, match="document 't': Transposition: distance=1 is meaningless"):
        degrade(timed, "Transposition")


def test_even_is_as_even_as_can_be() -> None:
    for n, k in ((7, 2), (10, 3), (5, 4), (9, 1)):
        there = Segmentation(n, range(1, k + 1))
        masses = DEGRADATIONS.parse("Even").apply(there, np.random.default_rng(0)).segmentation.masses
        assert len(masses) == k + 1
        assert max(masses) - min(masses) <= 1


@given(cut=segmentations(max_units=14), seed=st.integers(0, 99))
def test_odd_units_are_cut_out_with_as_many_boundaries(cut: Segmentation, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(cut.n_units, 3))
    rng = np.random.default_rng(0)
    odd = DEGRADATIONS.parse("Odd").apply_to(cut, rng, vectors).segmentation
    assert odd.n_boundaries == cut.n_boundaries
    if cut.n_boundaries >= 2:
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = [float(v @ unit.sum(axis=0)) for v in unit]
        oddest = int(np.argmin(cosines))
        assert {oddest, oddest + 1} & set(range(1, cut.n_units)) <= set(odd.boundaries)


def test_odd_needs_vectors_and_the_corpus_takes_them_from_an_encoder() -> None:
    with pytest.raises(ComparabilityError, match="reads the vectors"):
        DEGRADATIONS.parse("Odd").apply(Segmentation(4, (2,)), np.random.default_rng(0))
    texts = ("The cat sat on the mat.", "A cat slept.", "Interest rates rose.", "The cat and the dog.", "Cats eat.")
    corpus = Corpus([Document(id="d", n_units=5, units=texts, segmentation=Segmentation(5, (1, 4)))])
    assert degrade(corpus, "Odd").corpus["d"].segmentation == Segmentation(5, (2, 3))
    bare = Corpus([Document(id="d", n_units=5, segmentation=Segmentation(5, (1, 4)))])
    assert degrade(bare, "Even").corpus["d"].segmentation == Segmentation(5, (1, 3))
    with pytest.raises(CaesuraError, match="'d'"):
        degrade(bare, "Odd")


def _many() -> Embedded:
    rng = np.random.default_rng(11)
    segmentations = {}
    for number in range(400):
        n_units = int(rng.integers(1, 60)) if number % 80 else 11_000
        gaps = rng.choice(n_units - 1, size=int(rng.integers(0, n_units)), replace=False) + 1
        segmentations[f"d{number}"] = Segmentation(n_units, sorted(gaps.tolist()))
    return Embedded.of(
        segmentations, {key: rng.standard_normal((each.n_units, 2)) for key, each in segmentations.items()}
    )


@pytest.mark.parametrize(
    "text",
    [
        "Removal(share=0.3)", "Removal(count=7)", "Removal(share=1)", "Splitting(share=0.5)", "Splitting(count=40)",
        "Splitting(count=3, again=True)", "RandomPlacement", "Shuffle", "Even", "Odd", "Transposition(distance=3)",
        "Transposition(distance=2, which='all', direction='random')",
        "Transposition(distance=9, which='all', direction='random')",
        "Transposition(distance=2, which='all', direction='random', collisions=True)",
    ],
)  # fmt: skip
@pytest.mark.parametrize(("seed", "draw"), [(0, 0), (2**70, 3)])
def test_all_documents_at_once_are_damaged_as_each_alone(text: str, seed: int, draw: int) -> None:
    batch, degradation = _many(), DEGRADATIONS.parse(text)
    *_, flat = degradation.apply_to_all(batch, seed, draw + 1)
    for row, key in enumerate(batch.ids):
        rng = np.random.default_rng([seed, draw, *_digest(f"{len(key)}:{key}{degradation}")])
        alone = degradation.apply_to(batch.segmentation(row), rng, batch.vectors_of(row)).segmentation
        assert flat.segmentation(row) == alone, key


def _digest(text: str) -> list[int]:
    return np.frombuffer(hashlib.blake2b(text.encode(), digest_size=16).digest(), dtype="<u4").tolist()


@pytest.mark.parametrize("shim", [True, False])
def test_uncompiled_draws_of_damage_are_the_same(shim: bool) -> None:
    flat = _many().segmentations.take(np.arange(1, 60))
    streams = Streams.of([3], np.arange(len(flat)))
    kernel, seeds = load("draws", shim=shim), streams.seeds().astype(object)
    lists = [side.tolist() for side in (flat.n_units, flat.ptr, flat.pos)]
    out = [0] * len(flat.pos)
    kernel.move_boundaries(seeds, *lists, 2, out, [0] * 60, [0] * 60, [0] * 60, [0] * 6)
    move = DEGRADATIONS.parse("Transposition(distance=2, which='all', direction='random')")
    assert out == _each(move, flat, streams)
    masses, ptr = flat.masses().tolist(), (flat.ptr + np.arange(len(flat.ptr))).tolist()
    kernel.shuffle_runs(seeds, ptr, masses, [0] * 6)
    ends = [np.cumsum(masses[a:b])[:-1] for a, b in itertools.pairwise(ptr)]
    assert np.concatenate(ends).tolist() == _each(DEGRADATIONS.parse("Shuffle"), flat, streams)


def _each(degradation: Degradation, flat: Flat, streams: Streams) -> list[int]:
    return [
        gap
        for row in range(len(flat))
        for gap in degradation.apply(flat.segmentation(row), streams.generator(row)).segmentation.boundaries
    ]
