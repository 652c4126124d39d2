# SPDX-License-Identifier: Apache-2.0
"""What a run leaves behind: plain data, written as one JSON file, from which the page is made."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Goal", "Part", "Ratio", "Report", "ratio_of"]

SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A ratio taken in every round: the median, the least and the greatest."""

    median: float
    least: float
    greatest: float


def ratio_of(above: Sequence[float], below: Sequence[float], scale: float = 1.0) -> Ratio:
    """Divide round by round; ``scale`` makes both sides equal amounts of work."""
    each = [scale * top / bottom for top, bottom in zip(above, below, strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))


@dataclasses.dataclass(frozen=True)
class Goal:
    """One line of the table of goals.

    Attributes
    ----------
    number : int
        The number of the goal.
    text : str
        What is compared with what.
    relation : {">=", "<="}
        Which side of the limit is wanted.
    limit : float
        The limit.
    reached : Ratio or None
        What was measured; None if it could not be.
    why : str
        Why it could not be measured: a disagreement, or something missing.
    kind : {"x", "slope", "difference"}
        How the number is written.
    """

    number: int
    text: str
    relation: str
    limit: float
    reached: Ratio | None
    why: str = ""
    kind: str = "x"

    @property
    def met(self) -> bool | None:
        """Whether the median keeps the limit; None if nothing was measured."""
        if self.reached is None:
            return None
        return self.reached.median >= self.limit if self.relation == ">=" else self.reached.median <= self.limit


@dataclasses.dataclass
class Part:
    """What one part of the benchmark found.

    Attributes
    ----------
    name, title : str
        The part.
    notes : list of str
        How it was measured, in sentences.
    corpora : dict
        Documents, units and boundaries of each corpus used.
    rounds : dict
        Raw seconds of every round, by what was run.
    documents : dict
        How many documents each of them ran, where they differ.
    agreement : list of dict
        Which scores were compared with which library, and the largest difference.
    mismatches, skipped : dict
        What disagreed or was left out, with the reason.
    numbers : dict
        Other numbers: slopes, bytes.
    goals : list of Goal
        The goals judged here.
    """

    name: str
    title: str
    notes: list[str] = dataclasses.field(default_factory=list)
    corpora: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)
    rounds: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    documents: dict[str, int] = dataclasses.field(default_factory=dict)
    agreement: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    mismatches: dict[str, str] = dataclasses.field(default_factory=dict)
    skipped: dict[str, str] = dataclasses.field(default_factory=dict)
    numbers: dict[str, float] = dataclasses.field(default_factory=dict)
    goals: list[Goal] = dataclasses.field(default_factory=list)

    def goal(
        self, number: int, text: str, relation: str, limit: float, reached: Ratio | None, why: str = "", kind: str = "x"
    ) -> None:
        """Judge one goal."""
        self.goals.append(Goal(number, text, relation, limit, reached, why, kind))


@dataclasses.dataclass
class Report:
    """A whole run."""

    quick: bool
    seed: int
    versions: dict[str, str]
    parts: list[Part] = dataclasses.field(default_factory=list)
    schema: int = SCHEMA

    def save(self, path: Path) -> None:
        """Write the run as JSON."""
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n", encoding="utf-8")

    def joined(self, earlier: Report) -> Report:
        """Return an earlier run with the parts of this one in place of its own of the same name, or after them."""
        mine = {part.name: part for part in self.parts}
        parts = [mine.pop(part.name, part) for part in earlier.parts]
        return dataclasses.replace(self, versions={**earlier.versions, **self.versions}, parts=[*parts, *mine.values()])

    @classmethod
    def load(cls, path: Path) -> Report:
        """Read a run."""
        data = json.loads(path.read_text(encoding="utf-8"))
        parts = []
        for part in data.pop("parts"):
            goals = [_goal(goal) for goal in part.pop("goals")]
            parts.append(Part(**part, goals=goals))
        return cls(**data, parts=parts)


def _goal(data: dict[str, Any]) -> Goal:
    reached = data.pop("reached")
    return Goal(**data, reached=None if reached is None else Ratio(**reached))
