# SPDX-License-Identifier: Apache-2.0
"""The base of outcomes with boundaries to score against, one reference or several annotators: comparisons and chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from caesura.evaluation.intervals import DRAWS, PERMUTATIONS, uneven_notes
from caesura.evaluation.measurement import Answers, Measurement, ShownDict, ShownList
from caesura.results import Results

if TYPE_CHECKING:
    from caesura.batches.pairs import Pairs
    from caesura.evaluation.gate.run import Gate
    from caesura.evaluation.inputs import Source
    from caesura.results import Blind, Comparison, Skill
    from caesura.results.evaluate.verdict import Thresholds
    from caesura.results.gate.facts import Gates

__all__ = ["Referenced"]


class Referenced(Measurement):
    """Systems measured against boundaries that people or programs placed.

    A subclass says what chance and evenly spaced boundaries score, and how dense its systems are.
    """

    reference: Source  # the documents with the boundaries, or with the annotators

    def compare(
        self,
        with_: str | None = None,
        *,
        resamples: int = 1000,
        permutations: int = PERMUTATIONS,
        seed: int = 0,
        level: float = 0.95,
        draws: int = DRAWS,
        thresholds: Thresholds | None = None,
        ci: bool = False,
    ) -> ShownList[Comparison]:
        """Compare all pairs of systems, or every system with one, on each metric; see `caesura.compare`.

        Baselines are compared with systems, not with each other. With ``ci`` every score also gets its interval.
        """
        from caesura.evaluation.compare.run import compare_and_rank

        answers = self.answers
        if ci:
            self.intervals(resamples, seed, level)
        answers.comparisons, answers.standings, answers.comparison_resampling = compare_and_rank(
            self, with_, resamples=resamples, permutations=permutations, seed=seed, level=level, draws=draws,
            thresholds=thresholds,
        )  # fmt: skip
        answers.interval_notes = uneven_notes(self)
        return ShownList(answers.comparisons).shown_by(self, "Comparison")

    def skill(self, draws: int = DRAWS, seed: int = 0) -> ShownDict[dict[str, Skill]]:
        """Return every score relative to chance at the same density, system to metric."""
        self.answers.skill = self.expectations(draws, seed)
        return ShownDict(self.answers.skill).shown_by(self, "Skill")

    def blind(self, metric: str, draws: int = DRAWS, seed: int = 0) -> dict[str, Blind]:
        """Return what random and evenly spaced boundaries score by a metric at the density of each system."""
        found = self.blind_scores(metric, draws, seed)
        self.answers.blind[metric] = found
        return found

    def gate(
        self,
        minimum: Mapping[str, float] | Iterable[str | Gate] = (),
        *,
        last: str | Path | None = None,
        max_drop: float = 0.0,
        alpha: float = 0.05,
        seed: int = 0,
    ) -> Gates:
        """Check limits on scores, and drops since an earlier results file; see `caesura.gate`."""
        from caesura.evaluation.gate.run import gate

        self.answers.gates = gate(self, minimum, last=last, max_drop=max_drop, alpha=alpha, seed=seed)
        return self.answers.gates

    # ------------------------------------------------------------------ what the answers are made of

    def expectations(self, draws: int, seed: int) -> dict[str, dict[str, Skill]]:
        """Return the expectation by chance of every score, and its skill: system to metric."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def blind_scores(self, metric: str, draws: int, seed: int) -> dict[str, Blind]:
        """Return the scores of random and evenly spaced boundaries by a metric."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def bors(self) -> dict[str, float]:
        """Return the boundaries of every system per boundary of the reference, of all documents."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def reselected(self, system: str) -> Pairs | None:
        """Return reference and system with equal numbers of boundaries; None if there are no scores to select by."""
        return None

    def complete(self, results: Results, answers: Answers) -> None:
        """Add comparisons and what chance scores; a subclass adds what only this kind of outcome has."""
        results.comparisons, results.standings, results.gates = answers.comparisons, answers.standings, answers.gates
        drawn = answers.comparison_resampling
        if results.resampling is None:
            results.resampling = drawn
        elif drawn != results.resampling:
            results.comparison_resampling = drawn
        seeds = [each.seed for each in (results.resampling, drawn) if each is not None]
        seeds += [skill.seed for row in answers.skill.values() for skill in row.values()]
        seeds += [verdict.thresholds.seed for verdict in (answers.verdicts or {}).values()]
        results.seed = next(iter(seeds), None)
        for system, row in answers.skill.items():
            for name, skill in row.items():
                results.systems[system][name].skill = skill
        for name, found in answers.blind.items():
            for system, blind in found.items():
                results.systems[system][name].blind = blind
