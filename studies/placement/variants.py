# SPDX-License-Identifier: Apache-2.0
"""Variants of placement: what share of documents each notices damage in, and how it ranks systems.

Every corpus has two parts: the documents that earlier trials looked at, by which a variant is chosen, and the documents after
them, by which the choice is confirmed. A document counts with the mean over ten draws of each damage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import numpy as np

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.results.validate.facts import DAMAGES
from studies import corpora_folder
from studies.validity.study import CORPORA

Shares = dict[str, dict[str, dict[str, tuple[float, int]]]]
"""Corpus to variant to damage: share of documents in which gold is better, and their number."""
Ranks = dict[str, dict[str, tuple[float, float, float]]]
"""Corpus to metric: Kendall's tau of its ranking of systems with those of Pk, B and W-F1."""

DRAWS = 10
MOST = 150  # documents of the second part
RANDOM = 200  # placements drawn where boundaries are put anywhere
RANKED = ("Placement", "Placement(of='words')", "Placement(of='both')", "Silhouette", "ARPpair", "SegReFree(singletons='mean')", "Evenness")  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")

Tokens = Callable[[str], list[str]]


def letters(number: int) -> Tokens:
    """Return every so many letters in a row of each word."""

    def tokens(text: str) -> list[str]:
        words = _WORD.findall(text.casefold())
        return [word[i : i + number] for word in words for i in range(max(1, len(word) - number + 1))]

    return tokens


def first(number: int, shortest: int = 1) -> Tokens:
    """Return the first letters of each word, a crude stem."""
    return lambda text: [word[:number] for word in _WORD.findall(text.casefold()) if len(word) >= shortest]


WORDS: dict[str, tuple[Tokens, float]] = {
    "whole words": (first(99), 0.1),
    "first 5 letters, words of 4 or more": (first(5, 4), 0.1),
    "4 letters": (letters(4), 0.1),
    "4 letters, alpha 0.02": (letters(4), 0.02),
    "4 letters, alpha 1": (letters(4), 1.0),
}
"""Tokens and alpha."""


class WithoutLengths:
    """A likeness in which every stretch of units of one length has the mean 0."""

    def __init__(self, likeness: Any, n_units: int) -> None:
        self.whole = likeness.whole
        self._likeness = likeness
        self._usual = np.array([0.0, *(likeness.usual(length) for length in range(1, n_units + 1))])

    def values(self, edges: Any) -> Any:
        """Return the likeness of each segment."""
        return self._likeness.values(edges) - self._usual[np.diff(edges, axis=1)]

    def totals(self, boundaries: Any, by: Any) -> None:
        """Say that sums are made from the values."""


def likeness_of_words(texts: Sequence[str], tokens: Tokens, alpha: float) -> Any:
    """Return the likeness of words, counted in another way than the metric does."""
    from caesura.metrics.cohesion import _words

    units = [tokens(text) for text in texts]
    with mock.patch.object(_words, "_ALPHA", alpha), mock.patch.object(_words, "words_of", lambda unit: unit):
        return _words.WordLikeness(units)  # type: ignore[arg-type]


class Scored:
    """One document, and z of every variant for any boundaries of it."""

    def __init__(self, document: Document, vectors: Mapping[str, Any]) -> None:
        from caesura.metrics.cohesion._likeness import VectorLikeness
        from caesura.metrics.cohesion._rotations import shifts

        self.n = document.n_units
        self.by = shifts(self.n, 1000)
        self.parts: dict[str, Any] = {}
        for name, rows in vectors.items():
            self.parts[name] = VectorLikeness(rows[document.id].astype(np.float64), distinct=True, shared=True)
        wide = vectors["vectors"][document.id].astype(np.float64)
        centred = wide - wide.mean(axis=0)
        size = np.linalg.norm(centred, axis=1, keepdims=True)
        self.parts["centred vectors of length 1"] = VectorLikeness(
            centred / np.where(size == 0, 1, size), distinct=True, shared=True
        )
        self.parts["vectors, lengths taken out"] = WithoutLengths(self.parts["vectors"], self.n)
        for name, how in WORDS.items():
            self.parts[name] = likeness_of_words(document.units or (), *how)
        rng = np.random.default_rng(document.n_units)
        self._orders = rng.random((RANDOM, self.n - 1)).argsort(axis=1) + 1
        self._known: dict[bytes, dict[str, float]] = {}

    def z(self, boundaries: Any) -> dict[str, float]:
        """Return z of every variant."""
        key = np.asarray(boundaries, dtype=np.int64).tobytes()
        if key not in self._known:
            self._known[key] = self._z(np.asarray(boundaries, dtype=np.int64))
        return self._known[key]

    def _z(self, boundaries: Any) -> dict[str, float]:
        from caesura.metrics.cohesion._rotations import standardized, totals

        if not 0 < len(boundaries) < self.n - 1:
            return {}
        at = {
            name: standardized(totals(part, self.n, boundaries, self.by), part.whole)
            for name, part in self.parts.items()
        }
        found = {name: float(values[0]) for name, values in at.items()}
        for vectors in [name for name in found if name in ("vectors", "MiniLM", "centred vectors of length 1")]:
            for words in WORDS:
                found[f"{vectors} + {words}"] = found[vectors] + found[words]
        again = standardized(at["vectors"] + at["4 letters"], 1.0)
        found["vectors + 4 letters, standardized again"] = float(again[0])
        anywhere = {name: self._anywhere(name, boundaries) for name in ("vectors", "4 letters")}
        found |= {f"{name}, against random places": value for name, value in anywhere.items()}
        found["vectors + 4 letters, against random places"] = sum(anywhere.values())
        return found

    def _anywhere(self, name: str, boundaries: Any) -> float:
        """Return z among as many boundaries put anywhere."""
        from caesura.metrics.cohesion._rotations import standardized

        inner = np.vstack([boundaries, np.sort(self._orders[:, : len(boundaries)], axis=1)])
        ends = np.zeros((len(inner), 1), dtype=np.int64)
        edges = np.hstack([ends, inner, ends + self.n])
        part = self.parts[name]
        return float(standardized(part.values(edges).sum(axis=1), part.whole)[0])


def parts(name: str) -> Iterator[Corpus]:
    """Yield the documents of a corpus that earlier trials looked at, and those after them."""
    file, _, number = CORPORA[name]
    corpus = cz.load(corpora_folder() / file)
    for ids in (corpus.ids[:number], corpus.ids[number : number + MOST]):
        some = corpus.subset(ids)
        yield some.subset([d.id for d in some if d.segmentation is not None and d.segmentation.n_boundaries])


def noticed(corpus: Corpus, encoders: Mapping[str, str]) -> dict[str, dict[str, tuple[float, int]]]:
    """Return in what share of documents each variant scores gold better than each damage."""
    from caesura.batches.embedded import Embedded
    from caesura.encoders import embed
    from caesura.evaluation.validate.trials import do_damage, trials

    vectors = {name: embed(corpus, encoder) for name, encoder in encoders.items()}
    batch = Embedded.of({d.id: d.segmentation for d in corpus if d.segmentation is not None}, vectors["vectors"])
    planned = [trial for trial in trials([0.3], []) if trial.kind in DAMAGES]
    damages = {trial.kind: list(do_damage(batch, trial, DRAWS, 0)) for trial in planned}
    wins: dict[str, dict[str, list[float]]] = {}
    for row, document in enumerate(corpus):
        scored = Scored(document, vectors)
        own = scored.z(batch.segmentation(row).positions)
        for kind, runs in damages.items():
            there = [
                scored.z(run.flat.pos[run.flat.ptr[row] : run.flat.ptr[row + 1]]) for run in runs if run.changed[row]
            ]
            for name, value in own.items() if there else ():
                beaten = [_better(value, other.get(name, 0.0)) for other in there]
                wins.setdefault(name, {}).setdefault(kind, []).append(float(np.mean(beaten)))
    return {n: {k: (round(float(np.mean(v)), 4), len(v)) for k, v in of.items()} for n, of in wins.items()}


def _better(ours: float, theirs: float) -> float:
    return 0.5 if abs(ours - theirs) < 1e-9 else float(ours > theirs)


# ---------------------------------------------------------------------- the ranking of systems


def systems(corpus: Corpus) -> dict[str, Corpus]:
    """Return fifteen systems that use no vectors: gold, gold with noise, too many, too few, random and regular boundaries."""
    rng = np.random.default_rng(0)

    def pick(n: int, number: int, among: Any = None) -> set[int]:
        places = np.arange(1, n) if among is None else np.array(sorted(among), dtype=np.int64)
        return set(rng.choice(places, min(number, len(places)), replace=False).tolist())

    def noisy(n: int, gold: set[int], share: float) -> set[int]:
        kept = {place for place in gold if rng.random() >= share}
        return kept | pick(n, len(gold) - len(kept), set(range(1, n)) - gold)

    makers: dict[str, Callable[[int, set[int]], set[int]]] = {"gold": lambda n, gold: gold}
    for share in (0.1, 0.25, 0.4, 0.5, 0.75, 0.9):
        makers[f"noisy {share}"] = lambda n, gold, share=share: noisy(n, gold, share)
    makers["over"] = lambda n, gold: gold | pick(n, len(gold), set(range(1, n)) - gold)
    makers["under"] = lambda n, gold: pick(n, (len(gold) + 1) // 2, gold)
    for factor in (1.0, 2.0, 0.5):
        makers[f"random x{factor}"] = lambda n, gold, factor=factor: pick(n, max(1, round(factor * len(gold))))
    makers["even"] = lambda n, gold: (
        set(np.linspace(0, n, len(gold) + 2).round().astype(int)[1:-1].tolist()) & set(range(1, n))
    )
    makers["every 3"] = lambda n, gold: set(range(3, n, 3))
    makers["every 10"] = lambda n, gold: set(range(10, n, 10))
    made: dict[str, dict[str, cz.Segmentation]] = {name: {} for name in makers}
    for document in corpus:
        assert document.segmentation is not None
        gold = set(document.segmentation.boundaries)
        for name, make in makers.items():
            boundaries = tuple(sorted(make(document.n_units, gold)))
            made[name][document.id] = cz.Segmentation.from_boundaries(document.n_units, boundaries)
    return {name: Corpus.from_segmentations(of) for name, of in made.items()}


def ranking(corpus: Corpus) -> dict[str, tuple[float, float, float]]:
    """Return Kendall's tau between the ranking of systems by each metric without a reference and by Pk, B and W-F1."""
    from scipy.stats import kendalltau

    made = systems(corpus)
    with_gold = cz.evaluate(corpus, made, metrics=["Pk", "B", "W-F1"])
    without = cz.cohesion(corpus, made, metrics=list(RANKED), check=False, nulls=(), draws=2, resamples=1)

    def good(outcome: Any, name: str) -> list[float]:
        sign = 1.0 if outcome.metrics[name].card.direction == "higher" else -1.0
        return [sign * float(outcome.scores[system][name]) for system in made]

    reference = [good(with_gold, name) for name in ("Pk", "B", "W-F1")]
    return {
        name: tuple(float(kendalltau(good(without, name), other).statistic) for other in reference)  # type: ignore[misc]
        for name in RANKED
    }
