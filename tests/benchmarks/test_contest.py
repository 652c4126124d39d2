# SPDX-License-Identifier: Apache-2.0
"""Scores are compared before anything is timed, and a mismatch gives no ratio."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from benchmarks.contest import contest, disagreement
from benchmarks.corpora import Shape, generate
from benchmarks.page import render
from benchmarks.parts import libraries
from benchmarks.peers import PEERS, TASKS, CaesuraAdapter
from benchmarks.peers.base import installed
from benchmarks.results import Part, Report
from benchmarks.settings import QUICK

SETTINGS = dataclasses.replace(QUICK, slow_rounds=2, shortest=0.0)
PAIRS = generate(Shape("tiny", 20, 100), 1)  # long enough that every document has boundaries


class Echo:
    """A library that gives Caesura's scores, off by what it is told, and notes what it is asked."""

    package = distribution = "numpy"

    def __init__(self, name="echo", error=0.0, package="numpy"):
        self.name, self.error, self.package = name, error, package
        self.calls = []

    def supports(self, task):
        return True

    def documents(self, task, available):
        return 5

    def prepare(self, task, pairs):
        self.calls.append("prepare")
        return CaesuraAdapter().prepare(task, pairs)

    def run(self, task, prepared):
        self.calls.append("run")
        return CaesuraAdapter().run(task, prepared)

    def values(self, task, raw):
        self.calls.append("values")
        return CaesuraAdapter().values(task, raw) + self.error


def held(peer):
    part = Part("test", "Test")
    return contest(TASKS["Pk"], PAIRS, CaesuraAdapter(), [peer], SETTINGS, part), part


def test_scores_are_compared_before_timing():
    peer = Echo()
    ratios, part = held(peer)
    assert peer.calls[:3] == ["prepare", "run", "values"]
    assert peer.calls[3:] == ["run"] * (len(peer.calls) - 3)
    assert ratios["echo"].least <= ratios["echo"].median <= ratios["echo"].greatest
    assert len(part.rounds["Pk: echo"]) == SETTINGS.slow_rounds
    assert part.documents == {"Pk: caesura": 20, "Pk: echo": 5}
    assert part.agreement == [{"task": "Pk", "peer": "echo", "documents": 5, "largest_difference": 0.0}]


def test_mismatch_is_printed_and_gives_no_ratio():
    peer = Echo(error=1e-6)
    ratios, part = held(peer)
    assert ratios == {}
    assert peer.calls == ["prepare", "run", "values"]
    assert "5 of 5 documents differ" in part.mismatches["Pk: echo"]
    assert part.rounds == {}


def test_missing_package_is_skipped():
    peer = Echo(package="no_such_package")
    ratios, part = held(peer)
    assert ratios == {}
    assert peer.calls == []
    assert part.skipped == {"Pk: echo": "numpy is not installed"}


def test_page_shows_the_mismatch_instead_of_a_ratio(monkeypatch):
    monkeypatch.setattr(libraries, "PEERS", (Echo("segeval", error=0.5),))
    part = libraries.measure(dataclasses.replace(SETTINGS, quick=True))
    page = render(Report(quick=True, seed=1, versions={}, parts=[part]))
    line = next(line for line in page.splitlines() if "M, Pk, times faster than segeval" in line)
    assert "not measured" in line
    assert "documents differ" in line
    assert "inf" in next(line for line in page.splitlines() if line.startswith("| 14 "))


def test_disagreement_knows_undefined_scores():
    ours = np.array([[0.5], [np.nan]])
    assert disagreement(ours, ours.copy()) is None
    assert disagreement(ours, np.array([[0.5], [0.0]])) is not None
    assert disagreement(ours, np.array([[0.5]])) is not None


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_peers_agree_on_a_few_documents(peer):
    if not installed(peer):
        pytest.skip(f"{peer.distribution} is not installed")
    tasks = [task for task in TASKS.values() if peer.supports(task)]
    assert tasks
    us = CaesuraAdapter()
    for task in tasks:
        ours = us.values(task, us.run(task, us.prepare(task, PAIRS)))
        theirs = peer.values(task, peer.run(task, peer.prepare(task, PAIRS)))
        assert disagreement(ours, theirs) is None
