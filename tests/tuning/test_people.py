"""Annotators as points on the density axis of a sweep."""

from __future__ import annotations

import dataclasses

import numpy as np

import caesura as cz
from caesura.datasets.bundled import bundled
from caesura.results.sweep.figure import figure as sweep_figure


def test_annotators_are_points_of_a_sweep() -> None:
    reference = bundled("moonstone").consensus(0.5)
    rng = np.random.default_rng(0)
    scorer = cz.Corpus(
        [
            dataclasses.replace(d, annotations={}, segmentation=None, scores=tuple(rng.random(d.n_units - 1)))
            for d in reference
        ]
    )
    swept = cz.sweep(reference, {"m": scorer}, ["Pk"], resamples=5)
    people = swept.results().sweep.annotators
    assert list(people) == [f"an{i}" for i in range(1, 11)]
    mine = reference.annotator("an3")
    alone = cz.evaluate(reference.subset(mine.ids), {"an3": mine}, ["Pk", "BOR"]).scores["an3"]
    assert people["an3"] == {"BOR": alone["BOR"], "Pk": alone["Pk"]}
    panel = sweep_figure(swept.results())["concat"][0]
    dots = panel["layer"][-2]["data"]["values"]
    assert {row["name"] for row in dots} == set(people)
    low, high = panel["layer"][2]["encoding"]["y"]["scale"]["domain"]
    assert all(low <= row["score"] <= high for row in dots)


def test_no_annotators_no_points() -> None:
    reference = {"d": cz.Segmentation(5, (2,))}
    scorer = cz.Corpus([cz.Document(id="d", n_units=5, scores=(0.1, 0.9, 0.2, 0.3))])
    assert cz.sweep(reference, {"m": scorer}, ["Pk"], resamples=5).results().sweep.annotators is None
