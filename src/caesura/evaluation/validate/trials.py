# SPDX-License-Identifier: Apache-2.0
"""Damage of several kinds and levels, done to a whole corpus several times, and what a metric makes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.errors import DeclarationError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.degrade import Degradation
from caesura.evaluation.degrade.random_placement import Even, Odd, RandomPlacement, Shuffle
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.degrade.splitting import Splitting
from caesura.evaluation.degrade.transposition import Transposition
from caesura.metrics.base import Floats, Metric, ratio
from caesura.results import number
from caesura.results.validate.facts import Kind, TrialOutcome

__all__ = [
    "DISTANCES", "DRAWS", "LEVELS", "Damage", "Noticed", "Preferred", "Trial", "changed_documents", "do_damage", "noticed",
    "preferred", "trials",
]  # fmt: skip

LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
DISTANCES = (1, 2, 3, 4)
DRAWS = 5
"""The test of every command: shares of boundaries and segments, distances in units, and repetitions of each damage."""

Flags = npt.NDArray[np.bool_]
_TIE = 1e-12


@dataclasses.dataclass(frozen=True)
class Trial:
    """One kind of damage at one level; a share for removal and splitting, units for transposition, 1 for others."""

    kind: Kind
    level: float
    degradation: Degradation


@dataclasses.dataclass(frozen=True)
class Damage:
    """One draw of a trial: the damaged segmentations, and the documents in which anything changed."""

    trial: Trial
    flat: Flat
    changed: Flags


class Noticed(NamedTuple):
    """What a metric makes of one trial.

    ``per_document`` is each document's mean loss over draws (infinite where one is, NaN where there is none).
    """

    outcome: TrialOutcome
    per_document: Floats


def trials(levels: Sequence[float], distances: Sequence[int], moved: Literal["one", "all"] = "all") -> list[Trial]:
    """Return the trials: removal and splitting at each share, transposition by each distance, and those without a level."""
    if moved not in ("one", "all"):
        raise DeclarationError(f"moved is {moved!r}; it must be 'one' or 'all'")
    for level in levels:
        if not 0 < level <= 1:
            raise DeclarationError(f"level is {level}; it must be above 0 and at most 1")
    for distance in distances:
        if distance < 1:
            raise DeclarationError(f"distance is {distance}; it must be at least 1")
    if not levels:
        raise DeclarationError("no level given; give at least one share, such as 0.3")
    shares, steps = sorted(set(levels)), sorted(set(distances))
    moves = [Transposition(distance=step, which=moved, direction="random") for step in steps]
    return [
        *(Trial("removal", share, Removal(share=share)) for share in shares),
        *(Trial("splitting", share, Splitting(share=share)) for share in shares),
        *(Trial("transposition", step, move) for step, move in zip(steps, moves, strict=True)),
        Trial("random", 1.0, RandomPlacement()),
        Trial("even", 1.0, Even()),
        Trial("order", 1.0, Shuffle()),
        Trial("odd", 1.0, Odd()),
    ]


def do_damage(batch: Embedded, trial: Trial, draws: int, seed: int) -> Iterator[Damage]:
    """Yield the damaged segmentations, once per draw; the draws of a document do not depend on other documents.

    What is not random is done once. Vectors are read by the damage that needs them.
    """
    for flat in trial.degradation.apply_to_all(batch, seed, draws if trial.degradation.random else 1):
        yield Damage(trial, flat, changed_documents(batch.segmentations, flat))


def changed_documents(before: Flat, after: Flat) -> Flags:
    """Say which documents have other boundaries."""
    changed: Flags = np.diff(before.ptr) != np.diff(after.ptr)
    same = np.flatnonzero(~changed)
    one, other = before.take(same), after.take(same)
    owner = np.repeat(same, np.diff(one.ptr))
    changed[owner[one.pos != other.pos]] = True
    return changed


class Preferred(NamedTuple):
    """By document: how often the first segmentation scores better (ties count half), of how many times, and the total loss."""

    wins: Floats
    seen: Floats
    loss: Floats


def preferred(metric: Metric, before: Floats, after: Sequence[Floats], changed: Sequence[Flags]) -> Preferred:
    """Count how often segmentations score better than others of the same documents, where these differ and both have a score."""
    wins, seen, total = np.zeros((3, len(before)))
    for scores, mask in zip(after, changed, strict=True):
        both = mask & ~np.isnan(before) & ~np.isnan(scores)
        with np.errstate(invalid="ignore"):
            tie = (before == scores) | (np.abs(before - scores) <= _TIE * np.maximum(1.0, np.abs(before)))
            loss = np.where(tie, 0.0, metric.facts().gain(before, scores))
            total = total + np.where(both, loss, 0.0)
        wins += np.where(both, np.where(tie, 0.5, loss > 0), 0.0)
        seen += both
    return Preferred(wins, seen, total)


def noticed(trial: Trial, metric: Metric, before: Floats, after: Sequence[Floats], changed: Sequence[Flags]) -> Noticed:
    """Summarize what a metric makes of one trial, from the scores before it and after each draw, and what each changed."""
    wins, seen, total = preferred(metric, before, after, changed)
    per_document = ratio(total, seen)
    finite = per_document[np.isfinite(per_document)]
    spread = float(finite.std(ddof=1)) if len(finite) > 1 else 0.0
    drop = mean_defined(finite)
    outcome = TrialOutcome(
        kind=trial.kind,
        level=float(trial.level),
        degradation=str(trial.degradation),
        ranked_right=number(mean_defined(ratio(wins, seen))),
        drop=number(drop),
        effect=number(drop / spread) if spread > 0 else None,
        documents=int((seen > 0).sum()),
    )
    return Noticed(outcome, per_document)
