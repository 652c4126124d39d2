# SPDX-License-Identifier: Apache-2.0
"""Who annotates what, and in which order: a pilot by all, then each document by so many, with hidden repetitions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping

from caesura.annotations.state import State, Task

__all__ = ["new_tasks"]


def new_tasks(state: State) -> tuple[list[str], dict[str, list[Task]]]:
    """Return the pilot documents, and what is to be added to the tasks of each person.

    The pilot is drawn once and goes to everybody, first. Every other document goes to ``each`` people, or to all, those with
    the fewest units so far. Order is drawn for each person. Once a person has no repetitions, ``repeats`` of the
    documents from the first half of the list come again towards its end. Equal seeds give equal tasks.
    """
    settings = state.settings
    pilot = state.pilot or _shuffled(list(state.n_units), f"{settings.seed} pilot")[: settings.pilot]
    load: Counter[str] = Counter(dict.fromkeys(state.people, 0))
    holders: dict[str, set[str]] = {document: set() for document in state.n_units}
    for person, tasks in state.tasks.items():
        for task in tasks:
            load[person] += state.n_units[task.document]
            holders[task.document].add(person)
    for (person, task), coding in state.codings.items():
        if coding.imported:
            holders[task.document].add(person)
    first: dict[str, list[str]] = {person: [] for person in state.people}
    rest: dict[str, list[str]] = {person: [] for person in state.people}
    for document in _shuffled(list(state.n_units), f"{settings.seed} documents"):
        free = [person for person in state.people if person not in holders[document]]
        to_all = document in pilot or settings.each is None
        wanted = len(free) if to_all else max(0, (settings.each or 0) - len(holders[document]))
        drawn = _shuffled(free, f"{settings.seed} {document}")
        for person in sorted(drawn, key=load.__getitem__)[:wanted]:
            (first if document in pilot else rest)[person].append(document)
            load[person] += state.n_units[document]
    return pilot, {
        person: _ordered(state, person, first[person], rest[person], holders)
        for person in state.people
        if first[person] or rest[person]
    }


def _ordered(
    state: State, person: str, first: list[str], rest: list[str], holders: Mapping[str, set[str]]
) -> list[Task]:
    """Return the new tasks of a person in an order of their own, the pilot first, repetitions towards the end."""
    before = state.tasks.get(person, [])
    seed = f"{state.settings.seed} {person} {len(before)}"
    documents = _shuffled(first, f"{seed} first") + _shuffled(rest, f"{seed} rest")
    tasks = [Task(document) for document in documents]
    if state.settings.repeats and not any(task.round > 1 for task in before):
        early = documents[: (len(documents) + 1) // 2]
        again = _shuffled(early, f"{seed} again")[: state.settings.repeats]
        places = random.Random(f"{seed} places")
        for document in again:
            # At least half of the list lies between the two, and never the same place for everybody.
            lowest = min(len(tasks), documents.index(document) + (len(documents) + 1) // 2 + 1)
            tasks.insert(places.randint(lowest, len(tasks)), Task(document, 2))
    return tasks


def _shuffled(values: list[str], seed: str) -> list[str]:
    drawn = sorted(values)
    random.Random(seed).shuffle(drawn)
    return drawn
