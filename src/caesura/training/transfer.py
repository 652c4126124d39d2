# SPDX-License-Identifier: Apache-2.0
"""A scorer on documents that it has not seen, beside what needs no training: TextTiling on vectors, a clock, chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from caesura.corpus import Corpus
from caesura.evaluation.chance.skill import expectations
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate.run import evaluate
from caesura.results import Number, number
from caesura.results.train.facts import DatasetFacts
from caesura.scorers import Encoding
from caesura.segmenters import Segmenter, segmenter
from caesura.segmenters.run import run_method
from caesura.selectors.scores import FlatScores

__all__ = ["METRICS", "RIVAL", "TRAINED", "at_reference_density", "chance_scores", "scores_of", "transfer"]

METRICS = ("W-F1", "F1", "Pk", "BOR", "Purity", "Coverage")
TRAINED, RIVAL, SKILL, CHANCE = "trained", "VectorTiling", "skill", "chance"
_CLOCKS = {"own": "every", "equal": "even"}
_DRAWS = 50
_CHANCES = 20  # draws whose mean is the row of chance; one draw alone may look like a system


def transfer(
    name: str, role: str, corpus: Corpus, method: Segmenter, encoding: Encoding, seed: int = 0
) -> DatasetFacts:
    """Score a trained scorer on labelled documents, at its own density and at that of the reference.

    Parameters
    ----------
    name, role : str
        The dataset, and whether it is ``home`` or ``abroad``.
    corpus : Corpus
        Documents with text and boundaries.
    method : Segmenter
        The trained scorer with its selector.
    encoding : Encoding
        The encoder that it was trained with.
    seed : int
        Of chance.
    """
    made = {
        TRAINED: run_method(corpus, method, encoding=encoding),
        RIVAL: run_method(corpus, segmenter(RIVAL), encoding=encoding),
    }
    again = {key: at_reference_density(corpus, each) for key, each in made.items()}
    chance = chance_scores(corpus, seed)
    test = evaluate(corpus, again, ["W-F1"])
    tested = compare(test, seed=seed, draws=0)[0] if len(test.documents) > 1 else None
    return DatasetFacts(
        name=name, role=role, documents=len(corpus), rival=RIVAL,
        own={**_numbers(corpus, made, "own", seed), CHANCE: chance},
        equal={**_numbers(corpus, again, "equal", seed), CHANCE: chance},
        difference=None if tested is None else tested.difference, p=None if tested is None else tested.p,
    )  # fmt: skip


def at_reference_density(reference: Corpus, scored: Corpus) -> Corpus:
    """Return the best gaps of each document by their scores, as many as the reference has."""
    counts = np.diff(reference.flat.ptr)
    flat = FlatScores.from_corpus(scored, reference.ids).at_counts(counts)
    return Corpus.from_flat(reference.ids, flat, unit=reference.unit, name=scored.name)


def _numbers(corpus: Corpus, systems: Mapping[str, Corpus], density: str, seed: int) -> dict[str, dict[str, Number]]:
    """Return the scores of each system and of the clock, and the skill of W-F1."""
    known = {**systems, "clock": segmenter(_CLOCKS[density]).segment(corpus, seed)}
    chance = expectations(evaluate(corpus, known, ["W-F1"]), _DRAWS, seed)
    found: dict[str, dict[str, Number]] = {}
    for system, scores in evaluate(corpus, known, METRICS).scores.items():
        found[system] = {metric: number(score) for metric, score in scores.items()}
        found[system][SKILL] = chance[system]["W-F1"].skill
    return found


def chance_scores(corpus: Corpus, seed: int = 0) -> dict[str, Number]:
    """Return the mean scores of random boundaries, as many in each document as the reference has; their skill is 0."""
    method = segmenter("random_density")
    drawn = {str(draw): method.segment(corpus, seed + draw) for draw in range(_CHANCES)}
    scores = evaluate(corpus, drawn, METRICS).scores.values()
    found = {metric: number(float(np.mean([each[metric] for each in scores]))) for metric in METRICS}
    return {**found, SKILL: 0.0}


def scores_of(datasets: Iterable[DatasetFacts]) -> dict[str, dict[str, dict[str, Number]]]:
    """Return the scores as the card of a model has them: dataset to system, at its own and at equal density, to metric."""
    return {
        f"{each.name} ({each.role})": {
            **{f"{system}, own density": scores for system, scores in each.own.items()},
            **{f"{system}, equal density": scores for system, scores in each.equal.items()},
        }
        for each in datasets
    }
