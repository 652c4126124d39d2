# SPDX-License-Identifier: Apache-2.0
"""What ``caesura evaluate`` adds when asked: intervals, comparisons, skill, verdicts, gates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.evaluation import Evaluation
    from caesura.evaluation.chance.verdict import Thresholds
    from caesura.results import Results
    from caesura.table import Table

__all__ = ["Asked", "add", "breaches", "thresholds", "with_gates"]


@dataclasses.dataclass(frozen=True)
class Asked:
    """Which additions were asked for."""

    ci: bool
    comparing: bool
    skill: bool
    verdict: bool
    resamples: int
    seed: int
    per_document: bool = False
    lines: str | None = None

    def anything(self) -> bool:
        """Say whether anything was."""
        return self.ci or self.comparing or self.skill or self.verdict


def add(evaluation: Evaluation, asked: Asked, results: Results) -> list[Table]:
    """Compute the additions, put them into the results, and return their tables."""
    tables: list[Table] = []
    if asked.ci:
        tables.append(_intervals(evaluation, asked, results))
    chance: Any = None
    if asked.skill or asked.comparing:
        from caesura.evaluation.chance.skill import expectations

        chance = expectations(evaluation, seed=asked.seed)
    if asked.skill:
        from caesura.evaluation.chance.skill import skill_table

        tables.append(skill_table(evaluation, found=chance))
        results.skill = {s: {name: e.as_dict() for name, e in row.items()} for s, row in chance.items()}
    if asked.comparing:
        from caesura.evaluation.comparison.run import compare

        compared = compare(
            evaluation,
            asked.resamples,
            seed=asked.seed,
            chance=chance,
            thresholds=thresholds(asked.lines, asked.seed),
        )
        tables.append(compared.table())
        results.comparisons = compared.to_list()
    # A verdict speaks of right and wrong, which a segmentation taken for a reference cannot.
    if asked.verdict or (asked.comparing and not evaluation.against.startswith("pseudo")):
        tables += _verdicts(evaluation, asked, results)
    if asked.anything():
        results.seed = asked.seed
    return tables


def _verdicts(evaluation: Evaluation, asked: Asked, results: Results) -> list[Table]:
    from caesura.evaluation.chance.regime import add_regime, regime_tables
    from caesura.evaluation.chance.verdict import verdict_table, verdicts

    lines = thresholds(asked.lines, asked.seed)
    found = verdicts(evaluation, lines)
    results.verdicts = {system: verdict.as_dict() for system, verdict in found.items()}
    if not asked.verdict:
        return []
    add_regime(evaluation, results)
    tables = [verdict_table(found)]
    if asked.per_document:
        each = verdicts(evaluation, lines, by_document=True)
        for system, row in each.items():
            results.verdicts[system]["documents"] = {key: verdict.as_dict() for key, verdict in row.items()}
        tables.append(verdict_table(each))
    return [*tables, *regime_tables(evaluation)]


def thresholds(text: str | None, seed: int) -> Thresholds:
    """Return where the verdict draws its lines; text such as ``low_bor=0.7,percentile=99`` moves them."""
    from caesura.declare import nearest
    from caesura.errors import MetricError
    from caesura.evaluation.chance.verdict import Thresholds

    names = {"low_bor": float, "high_bor": float, "percentile": float, "placements": int}
    given: dict[str, Any] = {}
    for part in (text or "").split(","):
        name, _, value = part.partition("=")
        if not part.strip():
            continue
        if name.strip() not in names:
            raise MetricError(f"{part.strip()!r} is no line of the verdict; {nearest(name.strip(), names)}")
        try:
            given[name.strip()] = names[name.strip()](value)
        except ValueError:
            raise MetricError(
                f"{part.strip()!r} cannot be read; write NAME=NUMBER, such as low_bor=0.7"
            ) from None
    return Thresholds(seed=seed, **given)


def _intervals(evaluation: Evaluation, asked: Asked, results: Results) -> Table:
    from caesura.evaluation.intervals import intervals
    from caesura.results import as_number
    from caesura.table import Column, Table, Value

    found = intervals(evaluation, asked.resamples, asked.seed)
    results.intervals = {
        system: {name: [as_number(i.low), as_number(i.high)] for name, i in row.items()}
        for system, row in found.items()
    }
    rows: list[list[Value]] = [
        [system, name, evaluation.scores[system][name], interval.low, interval.high]
        for system, row in found.items()
        for name, interval in row.items()
    ]
    note = f"95 % intervals: documents resampled {asked.resamples} times, seed {asked.seed}"
    columns = [Column(title) for title in ("system", "metric", "score", "low", "high")]
    return Table(columns, rows, notes=[note], title="Intervals")


def with_gates(metrics: Sequence[str], gates: Sequence[str]) -> list[str]:
    """Return the metrics asked for, and those of the gates; nothing stands for the standard set."""
    if not gates:
        return list(metrics)
    from caesura.evaluation.inputs import DEFAULT_METRICS
    from caesura.evaluation.reference.gate import Gate

    wanted = [Gate.parse(text).metric for text in gates]
    if not metrics and set(wanted) <= set(DEFAULT_METRICS):
        return []
    return list(dict.fromkeys([*metrics, *wanted]))


def breaches(
    evaluation: Evaluation, gates: Sequence[str], last: str | None, max_drop: float, alpha: float, seed: int
) -> tuple[list[str], list[str]]:
    """Return the breaches of gates and drops in words, and what must be noted."""
    from caesura.evaluation.reference.gate import Gate, check_drop, check_gates

    found = [str(breach) for breach in check_gates(evaluation, [Gate.parse(text) for text in gates])]
    notes: list[str] = []
    if last is not None:
        drops = check_drop(evaluation, last, max_drop, alpha, seed=seed)
        found += [str(breach) for breach in drops.breaches]
        notes += list(drops.notes)
    return found, notes
