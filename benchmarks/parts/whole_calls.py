# SPDX-License-Identifier: Apache-2.0
"""Goals 15, 16 and 17: the calls that people write, from what they hold to a score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contest import LARGEST_DIFFERENCE, disagreement
from benchmarks.corpora import SEED, draw_dialogues, prefix
from benchmarks.peers.base import TASKS, documents_of, installed, masses_of
from benchmarks.peers.nltk_adapter import NltkAdapter
from benchmarks.peers.segeval_adapter import SegevalAdapter
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura import Segmentation, evaluate, metric
from caesura.batches.pairs import Pairs
from caesura.datasets.folders import data_folder
from caesura.kernels import kernel, run_kernels

__all__ = ["measure"]

README_PAIR = ([6, 3, 4], [4, 4, 5])
KEPT_PAIR = ([5, 3, 6, 4, 2, 6], [5, 4, 5, 8, 4])
CALLS = 500
SYSTEMS = (1, 2, 8)


def measure(settings: Settings) -> Part:
    """Time whole calls against other libraries, and against the kernels inside them."""
    part = Part(
        "whole calls",
        "Whole calls",
        notes=[
            f"One pair: {CALLS:,} calls per round; segmentations are made from masses and the metric from its name in the "
            "call, except where objects are kept.",
            "Dictionaries: from id to Segmentation, one system, to the score of B. R: dialogues drawn from real gold, or "
            "documents of that length if CAESURA_DATA does not name the corpora. segeval runs a prefix.",
            "Arrays: `evaluate` of Pairs to `results()` of the standard set, over the kernels alone.",
        ],
    )
    _one_pair(settings, part)
    for name, limit in (("R", 100.0), ("M", 300.0)):
        _dictionaries(name, limit, settings, part)
    _arrays(settings, part)
    return part


def _one_pair(settings: Settings, part: Part) -> None:
    """Goal 15."""
    segeval, nltk = SegevalAdapter(), NltkAdapter()
    for name, limit in (("Pk", 1.5), ("B", 10.0)):
        _race(
            part,
            settings,
            (15, f"one pair from masses, {name}, times faster than segeval", limit),
            lambda name=name: metric(name)(*map(Segmentation.from_masses, README_PAIR)),
            segeval,
            TASKS[name],
            _batch(*README_PAIR),
        )
    score, kept = metric("Pk"), [Segmentation.from_masses(masses) for masses in KEPT_PAIR]
    _race(
        part,
        settings,
        (15, "one pair of 26 units, Pk of kept objects, times faster than NLTK", 3.0),
        lambda: score(*kept),
        nltk,
        TASKS["Pk"],
        _batch(*KEPT_PAIR),
    )


def _race(
    part: Part,
    settings: Settings,
    goal: tuple[int, str, float],
    ours: Callable[[], float],
    peer: Any,
    task: Any,
    pairs: Pairs,
) -> None:
    """Compare one score, then time it."""
    number, text, limit = goal
    if not installed(peer):
        part.skipped[text] = f"{peer.distribution} is not installed"
        part.goal(number, text, ">=", limit, None, part.skipped[text])
        return
    prepared = peer.prepare(task, pairs)
    theirs = float(peer.values(task, peer.run(task, prepared))[0, 0])
    if not abs(ours() - theirs) <= LARGEST_DIFFERENCE:
        part.mismatches[text] = f"{ours()!r} and {theirs!r}"
        part.goal(number, text, ">=", limit, None, part.mismatches[text])
        return
    works = {
        f"{text}: caesura": lambda: [ours() for _ in range(CALLS)],
        f"{text}: {peer.name}": lambda: peer.run(task, prepared * CALLS),
    }
    times = interleave(works, settings.rounds, settings.shortest)
    part.rounds.update(times)
    above, below = times[f"{text}: {peer.name}"], times[f"{text}: caesura"]
    part.goal(number, text, ">=", limit, ratio_of(above, below))


def _batch(reference: list[int], hypothesis: list[int]) -> Pairs:
    return Pairs.of(Segmentation.from_masses(reference), Segmentation.from_masses(hypothesis))


def _dictionaries(name: str, limit: float, settings: Settings, part: Part) -> None:
    """Goal 16."""
    text = f"{name} from dictionaries, B, times faster than segeval"
    peer, task = SegevalAdapter(), TASKS["B"]
    if not installed(peer):
        part.skipped[text] = "segeval is not installed"
        part.goal(16, text, ">=", limit, None, part.skipped[text])
        return
    pairs = _scorable(_dialogues(settings, part) if name == "R" else settings.corpus(name, part))
    reference, hypothesis = (
        {
            f"d{row}": Segmentation.from_masses(masses_of(document[0], document[side]))
            for row, document in enumerate(documents_of(pairs))
        }
        for side in (1, 2)
    )
    documents = peer.documents(task, len(pairs))
    prepared = peer.prepare(task, prefix(pairs, documents))
    ours = evaluate(reference, {"system": hypothesis}, "B").per_document("system", "B")[:documents, None]
    wrong = disagreement(ours, peer.values(task, peer.run(task, prepared)))
    if wrong:
        part.mismatches[text] = wrong
        part.goal(16, text, ">=", limit, None, wrong)
        return
    works = {
        f"{text}: caesura": lambda: evaluate(reference, {"system": hypothesis}, "B").scores,
        f"{text}: segeval": lambda: peer.run(task, prepared),
    }
    part.documents.update({f"{text}: caesura": len(pairs), f"{text}: segeval": documents})
    times = interleave(works, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    above, below = times[f"{text}: segeval"], times[f"{text}: caesura"]
    part.goal(16, text, ">=", limit, ratio_of(above, below, len(pairs) / documents))


def _dialogues(settings: Settings, part: Part) -> Pairs:
    """Return corpus R: of real gold where there is any."""
    folder = data_folder()
    if folder is None:
        part.skipped["real gold of R"] = "CAESURA_DATA names no folder; documents of that length are generated"
        return settings.corpus("R", part)
    pairs = draw_dialogues(folder, settings.shape("R").documents, SEED)
    boundaries = len(pairs.ref_pos) + len(pairs.hyp_pos)
    part.corpora["R"] = {"documents": len(pairs), "units": int(pairs.n_units.sum()), "boundaries": boundaries}
    return pairs


def _scorable(pairs: Pairs) -> Pairs:
    """Leave out documents without any boundary, on which segeval fails."""
    return pairs.take(np.flatnonzero(np.diff(pairs.ref_ptr) + np.diff(pairs.hyp_ptr)))


def _arrays(settings: Settings, part: Part) -> None:
    """Goal 17."""
    pairs = settings.corpus("M", part)
    works: dict[str, Callable[[], Any]] = {}
    for systems in SYSTEMS:
        batches = {f"s{number}": pairs for number in range(systems)}
        requests = dict.fromkeys(evaluate(batches).requests.values())
        wanted = [(kernel(each.kernel), each.parameters) for each in requests]
        works[f"M, {systems} systems: evaluate"] = lambda batches=batches: evaluate(batches).results()
        works[f"M, {systems} systems: kernels"] = lambda batches=batches, wanted=wanted: run_kernels(
            list(batches.values()), wanted
        )
    times = interleave(works, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    for systems in SYSTEMS:
        label = f"M, {systems} systems"
        part.goal(
            17,
            f"M from arrays to results, {systems} system{'s' * (systems > 1)}, in kernel times",
            "<=",
            1.4,
            ratio_of(times[f"{label}: evaluate"], times[f"{label}: kernels"]),
        )
