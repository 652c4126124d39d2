"""No number depends on the order of documents or files: everything drawn is drawn in the order of the ids."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from caesura.corpus import Corpus, Document, Numbered, drawing_order, drawing_places
from caesura.evaluation.agree.run import agreement
from caesura.evaluation.chance.expected import Asked
from caesura.evaluation.chance.skill import chance_of
from caesura.evaluation.cohesion.run import cohesion
from caesura.evaluation.evaluate import evaluate
from caesura.results import Results
from caesura.scale import count, finish, merge
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from caesura.tuning.sweep import sweep

_WORDS = ["cat", "dog", "rain", "sun", "bank", "rate", "tree", "leaf", "ship", "wave"]


def ids(n: int) -> list[str]:
    """Return ids of several lengths, in the order in which they are drawn."""
    return [f"d{place}" for place in range(1, n + 1)]


def documents(n: int, seed: int = 0) -> list[Document]:
    """Return documents with texts, scores, boundaries and three annotators each."""
    rng = np.random.default_rng(seed)
    made = []
    for key in ids(n):
        units = int(rng.integers(9, 25))

        def gaps(units: int = units) -> tuple[int, ...]:
            chosen = np.flatnonzero(rng.random(units - 1) < 0.2) + 1
            return tuple(chosen.tolist())

        made.append(
            Document(
                id=key,
                n_units=units,
                units=tuple(" ".join(rng.choice(_WORDS, size=4)) for _ in range(units)),
                scores=tuple(rng.random(units - 1).tolist()),
                segmentation=Segmentation(units, gaps()),
                annotations={name: Segmentation(units, gaps()) for name in ("p", "q", "r")},
            )
        )
    return made


def orders(made: Sequence[Document]) -> list[list[Document]]:
    """Return the documents in their order, backwards, and in two random orders."""
    shuffled = [random.Random(seed).sample(list(made), len(made)) for seed in (1, 2)]
    return [list(made), list(made)[::-1], *shuffled]


def plain(results: Results) -> str:
    """Return results as text, without what describes the input in its order."""
    found = msgspec.to_builtins(results)
    documents = found.pop("documents", None)
    for drop in ("per_document", "environment"):
        found.pop(drop, None)
    if (people := found.get("agreement")) is not None:
        # Everything else of an agreement is by document, or made of all documents.
        for coefficient in people["coefficients"].values():
            own = coefficient.pop("per_document")
            coefficient["by_id"] = dict(zip(documents or [], own, strict=True))
    return json.dumps(found, sort_keys=True)


def same_in_any_order(
    make: Callable[[list[Document]], Results], made: Sequence[Document], some: slice = slice(None)
) -> Results:
    """Check that documents in any order give the same results to the bit, and return these."""
    found = [make(order) for order in orders(made)[some]]
    assert len({plain(each) for each in found}) == 1
    return found[0]


def answered(n: int) -> tuple[list[Document], dict[str, Corpus]]:
    """Return a reference, and two systems with the same units and other boundaries."""
    reference, rng = documents(n), np.random.default_rng(5)
    given: dict[str, Corpus] = {}
    for name in ("a", "b"):
        answers = []
        for document in reference:
            gaps = tuple((np.flatnonzero(rng.random(document.n_units - 1) < 0.25) + 1).tolist())
            answers.append(
                Document(
                    id=document.id,
                    n_units=document.n_units,
                    scores=tuple(rng.random(document.n_units - 1).tolist()),
                    segmentation=Segmentation(document.n_units, gaps),
                )
            )
        given[name] = Corpus(answers)
    return reference, given


def test_the_order_is_that_of_the_ids_shorter_ones_first() -> None:
    keys = ["d10", "e", "d9", "d1", "ä1", "c10"]
    assert [keys[row] for row in drawing_order(keys)] == ["e", "d1", "d9", "ä1", "c10", "d10"]
    assert [sorted(keys, key=lambda key: (len(key), key))[place] for place in drawing_places(keys)] == keys
    assert drawing_order(ids(200)) == slice(None) == drawing_order(Numbered(200)) == drawing_order([])
    assert drawing_places(ids(12)).tolist() == list(range(12))
    # Documents without ids are numbered, and stay in their order.
    assert drawing_order([str(number) for number in range(1, 120)]) == slice(None)


@pytest.mark.parametrize("n", [7, 31])
def test_evaluate_and_compare(n: int) -> None:
    reference, given = answered(n)

    def make(order: list[Document]) -> Results:
        e = evaluate(Corpus(order), given, ["Pk", "B", "W-F1", "BOR", "CovD", "Purity"], baselines=["random_density"])
        e.intervals(resamples=200)
        e.compare(resamples=200, permutations=500, draws=20)
        e.skill(draws=20)
        e.verdicts(by_document=True)
        return e.results()

    found = same_in_any_order(make, reference)
    assert found.comparisons is not None
    assert found.verdicts is not None


def test_the_chance_of_each_document() -> None:
    reference, given = answered(9)
    names = [document.id for document in reference]
    for order in orders(reference):
        e = evaluate(Corpus(order), given, ["B"])
        asked = Asked(
            e.metrics["B"], lambda e=e: e.counts("a", "B")[e.drawn_in], micro=False, used=e.used("B")[e.drawn_in], documents=5
        )  # fmt: skip
        drawn = chance_of(e, "a", 5, 0).expected({"B": asked})["B"].per_document
        own = dict(zip(np.array(e.documents)[e.drawn_in].tolist(), drawn.tolist(), strict=True))
        assert list(e.documents) == [document.id for document in order]
        if order == reference:
            first = own
        assert [own[key] for key in names] == [first[key] for key in names]


def test_against_annotators() -> None:
    reference, given = answered(12)

    def make(order: list[Document]) -> Results:
        e = evaluate(Corpus(order), given, ["Pk", "BOR"], against="annotators")
        e.intervals(resamples=200)
        return e.results()

    same_in_any_order(make, reference)


def test_gates(tmp_path: Path) -> None:
    reference, given = answered(20)
    worse = {"a": given["b"]}
    evaluate(Corpus(reference[::-1]), {"a": given["a"]}, ["B", "BOR"]).save(tmp_path / "last.json")

    def make(order: list[Document]) -> Results:
        e = evaluate(Corpus(order), worse, ["B", "BOR"])
        e.gate({"B": 0.99}, last=tmp_path / "last.json", alpha=0.9)
        return e.results()

    found = same_in_any_order(make, reference)
    assert found.gates is not None
    assert found.gates.breaches[0].documents


@pytest.mark.parametrize("keep", [False, True])
def test_shards(keep: bool) -> None:
    reference, given = answered(24)

    def make(order: list[Document], pieces: int) -> Results:
        parts = [order[place::pieces] for place in range(pieces)]
        counted = [
            count(
                Corpus(part),
                {name: Corpus([corpus[d.id] for d in part]) for name, corpus in given.items()},
                ["Pk", "BOR"],
                keep_counts=keep,
            )
            for part in parts
        ]
        return finish(merge(counted), intervals=True, compare=True)

    def numbers(results: Results) -> str:
        found = msgspec.to_builtins(results)
        return json.dumps([found["systems"], found["comparisons"], found["standings"]], sort_keys=True)

    found = {numbers(make(order, pieces)) for pieces, order in zip((1, 2, 3, 5), orders(reference), strict=True)}
    assert len(found) == 1
    if keep:
        whole = evaluate(Corpus(reference[::-1]), given, ["Pk", "BOR"])
        whole.intervals()
        ends = {name: {m: s.interval for m, s in row.items()} for name, row in whole.results().systems.items()}
        merged = make(reference, 3).systems
        assert {name: {m: s.interval for m, s in row.items()} for name, row in merged.items()} == ends


def test_agree() -> None:
    def make(order: list[Document]) -> Results:
        found = agreement(Corpus(order), resamples=200)
        found.plan(0.1)
        return found.results()

    same_in_any_order(make, documents(11))


@pytest.mark.parametrize("by", [None, "micro", "median", "length"])
def test_cohesion(by: Any) -> None:
    reference, given = answered(9)

    def make(order: list[Document]) -> Results:
        return cohesion(
            Corpus(order), given, ["ARPpair", "SegReFree"], by=by, draws=10, resamples=100, check=False
        ).results(worst=0)

    same_in_any_order(make, reference, slice(3))


def test_sweep() -> None:
    reference, given = answered(9)

    def make(order: list[Document]) -> Results:
        found = sweep(Corpus(order), given, ["W-F1", "B"], thresholds=[0.2, 0.6], resamples=100)
        found.matched()
        return found.results()

    same_in_any_order(make, reference)


@pytest.mark.parametrize("method", ["random_density", "random(p=0.3)", "even"])
def test_random_baselines_and_scores(method: str) -> None:
    reference = documents(12)
    found = []
    for order in orders(reference):
        made = run_method(Corpus(order), segmenter(method), seed=3)
        assert list(made.ids) == [document.id for document in order]
        found.append([(made[key].segmentation, made[key].scores) for key in ids(12)])
    assert all(each == found[0] for each in found)
