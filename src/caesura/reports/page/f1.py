# SPDX-License-Identifier: Apache-2.0
"""The F1 of a section: its one name, its tolerance, and what it is by chance and for a clock.

A page that calls a boundary found beside an F1 must mean what that F1 counts. Name and tolerance are therefore taken from the
results here, and the script of the page asks for nothing else.
"""

from __future__ import annotations

from typing import Any

import msgspec

from caesura.errors import CaesuraError
from caesura.metrics import metric
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.results import Results, as_text
from caesura.results.evaluate.verdict import Verdict, f1_name
from caesura.units.quantity import default_tolerance

__all__ = ["blind_scores", "measured_f1", "shown_f1", "with_one_name"]


def _verdict(results: Results) -> Verdict | None:
    return next(iter((results.verdicts or {}).values()), None)


def with_one_name(results: Results) -> Results:
    """Return results in which the F1 of the verdicts has the name that verdicts and sentences use for it."""
    verdict = _verdict(results)
    if verdict is None or verdict.f1 in results.metrics:
        return results
    given = next((name for name, facts in results.metrics.items() if facts.metric == verdict.f1_metric), None)
    if given is None:
        return results
    plain = _renamed(msgspec.json.decode(as_text(results)), given, verdict.f1)
    plain["metrics"][verdict.f1]["metric"] = verdict.f1_metric
    return msgspec.convert(plain, Results, strict=False)


def _renamed(value: Any, old: str, new: str) -> Any:
    """Return plain data with another name for a metric, as a key and as a value."""
    if isinstance(value, dict):
        return {new if key == old else key: _renamed(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, old, new) for inner in value]
    return new if value == old else value


def _measured(results: Results) -> dict[str, BoundaryF1]:
    """Return every F1 of boundaries that was measured."""
    measured = {}
    for name, facts in results.metrics.items():
        try:
            declared = metric(facts.metric)
        except CaesuraError:
            continue
        if isinstance(declared, BoundaryF1):
            measured[name] = declared
    return measured


def shown_f1(results: Results, unit: str) -> dict[str, Any]:
    """Return the F1 that the page computes for a document: its name, and its tolerance in units.

    It is that of the verdicts if it was measured, else the first that was measured and is defined as there, else the usual
    one on the unit.
    """
    verdict = _verdict(results)
    tolerance = default_tolerance(unit) if verdict is None else verdict.tolerance
    own = {name: f1 for name, f1 in _measured(results).items() if f1 == BoundaryF1(tolerance=f1.tolerance)}
    same = (name for name, f1 in own.items() if f1.tolerance == tolerance)
    name = next(same, None) or next(iter(own), f1_name(tolerance))
    try:
        return {"name": name, "tolerance": own.get(name, BoundaryF1(tolerance=tolerance)).reach(unit)}
    except CaesuraError:  # documents in another unit than the scores
        usual = default_tolerance(unit)
        return {"name": f1_name(usual), "tolerance": BoundaryF1(tolerance=usual).reach(unit)}


def measured_f1(results: Results, shown: str) -> str | None:
    """Return the F1 to draw over density: the one that is shown, or else any that was measured."""
    measured = _measured(results)
    return shown if shown in measured else next(iter(measured), None)


def blind_scores(results: Results, name: str | None) -> dict[str, dict[str, float | None]]:
    """Return an F1 by chance and for the better clock, at the density of each system; None where it was not measured."""
    found = {}
    for system, row in results.systems.items():
        score, verdict = row.get(name or ""), (results.verdicts or {}).get(system)
        if name is None or score is None:
            continue
        chance, clock = (None, None) if score.blind is None else (score.blind.chance, score.blind.clock)
        if verdict is not None and verdict.judges(results.metrics[name].metric, score.score):
            chance, clock = verdict.findings["W-F1"].chance, verdict.clock.score
        if score.skill is not None:
            chance = score.skill.expected
        found[system] = {"chance": chance, "clock": clock}
    return found
