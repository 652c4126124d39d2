# SPDX-License-Identifier: Apache-2.0
"""A task run by several libraries: first the scores are compared, then those that agree are timed in turn."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from benchmarks.corpora import prefix
from benchmarks.peers.base import Adapter, Floats, Task, installed
from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.batches.pairs import Pairs

__all__ = ["LARGEST_DIFFERENCE", "contest", "disagreement"]

LARGEST_DIFFERENCE = 1e-12


def disagreement(ours: Floats, theirs: Floats) -> str | None:
    """Say where two tables of scores differ by more than the last digits, or return None."""
    if ours.shape != theirs.shape:
        return f"tables of shape {ours.shape} and {theirs.shape}"
    wrong = ~(np.abs(ours - theirs) <= LARGEST_DIFFERENCE) & ~(np.isnan(ours) & np.isnan(theirs))
    if not wrong.any():
        return None
    row, column = (int(place) for place in np.argwhere(wrong)[0])
    return (
        f"document {row}: {ours[row, column]!r} and {theirs[row, column]!r}; "
        f"{int(wrong.any(axis=1).sum())} of {len(ours)} documents differ"
    )


def contest(
    task: Task, pairs: Pairs, us: Adapter, peers: Sequence[Adapter], settings: Settings, part: Part
) -> dict[str, Ratio]:
    """Return how many times the CPU time per document of each peer is that of ``us``.

    A peer that is not installed, or whose scores differ, is noted in ``part`` and not timed.
    """
    works = {}
    prepared = us.prepare(task, pairs)
    ours = us.values(task, us.run(task, prepared))
    label = f"{task.name}: {us.name}"
    works[label] = functools.partial(us.run, task, prepared)
    part.documents[label] = len(pairs)
    timed: dict[str, str] = {}
    for peer in peers:
        if not peer.supports(task):
            continue
        label = f"{task.name}: {peer.name}"
        if not installed(peer):
            part.skipped[label] = f"{peer.distribution} is not installed"
            continue
        documents = peer.documents(task, len(pairs))
        input_of_peer = peer.prepare(task, prefix(pairs, documents))
        theirs = peer.values(task, peer.run(task, input_of_peer))
        wrong = disagreement(ours[:documents], theirs)
        if wrong:
            part.mismatches[label] = wrong
            continue
        largest = float(np.nanmax(np.abs(ours[:documents] - theirs), initial=0.0))
        part.agreement.append(
            {"task": task.name, "peer": peer.name, "documents": documents, "largest_difference": largest}
        )
        works[label] = functools.partial(peer.run, task, input_of_peer)
        part.documents[label] = documents
        timed[peer.name] = label
    if not timed:
        return {}
    times = interleave(works, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    mine = times[f"{task.name}: {us.name}"]
    return {name: ratio_of(times[label], mine, len(pairs) / part.documents[label]) for name, label in timed.items()}
