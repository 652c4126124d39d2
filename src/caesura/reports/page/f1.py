# SPDX-License-Identifier: Apache-2.0
"""The F1 of a section: its one name, its tolerance, and what it is by chance and for a clock.

A page that calls a boundary found beside an F1 must mean what that F1 counts. Name and tolerance are therefore taken from the
results here, and the script of the page asks for nothing else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import msgspec

from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.evaluation.chance.clock import clock_pairs
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.outcome import Corpora
from caesura.metrics import metric
from caesura.metrics.pairwise.boundaries import BoundaryF1
from caesura.results import Results, as_text, number
from caesura.results.evaluate.verdict import Verdict, f1_name
from caesura.units.quantity import default_tolerance

if TYPE_CHECKING:
    from caesura.metrics.base import Aggregation

__all__ = ["blind_scores", "measured_f1", "shown_f1", "with_one_name"]

_MOST = 20_000
"""The number of documents above which nothing is computed for a page, since it would take seconds."""


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
    found = {}
    for name, facts in results.metrics.items():
        try:
            made = metric(facts.metric)
        except CaesuraError:
            continue
        if isinstance(made, BoundaryF1):
            found[name] = made
    return found


def shown_f1(results: Results, unit: str) -> dict[str, Any]:
    """Return the F1 that the page computes for a document: its name, and its tolerance in units.

    It is that of the verdicts if it was measured, else the first that was measured and is defined as there, else the usual
    one on the unit.
    """
    verdict = _verdict(results)
    tolerance = default_tolerance(unit) if verdict is None else verdict.tolerance
    own = {name: made for name, made in _measured(results).items() if made == BoundaryF1(tolerance=made.tolerance)}
    same = (name for name, made in own.items() if made.tolerance == tolerance)
    name = next(same, None) or next(iter(own), f1_name(tolerance))
    try:
        return {"name": name, "tolerance": own.get(name, BoundaryF1(tolerance=tolerance)).reach(unit)}
    except CaesuraError:  # documents in another unit than the scores
        usual = default_tolerance(unit)
        return {"name": f1_name(usual), "tolerance": BoundaryF1(tolerance=usual).reach(unit)}


def measured_f1(results: Results, shown: str) -> str | None:
    """Return the F1 to draw over density: the one that is shown, or else any that was measured."""
    found = _measured(results)
    return shown if shown in found else next(iter(found), None)


def blind_scores(results: Results, name: str | None, inputs: Corpora) -> dict[str, dict[str, float | None]]:
    """Return an F1 by chance and for the better clock, at the density of each system; None where it is not known.

    The verdicts have both for their own F1 alone, as a mean over documents; for another tolerance they are computed, if the
    documents are at hand.
    """
    found = {}
    for system, row in results.systems.items():
        score, verdict = row.get(name or ""), (results.verdicts or {}).get(system)
        if score is None:
            continue
        chance, clock = None if score.skill is None else score.skill.expected, None
        if verdict is not None and verdict.f1 == name and _same(score.score, verdict.findings["W-F1"].score):
            clock = verdict.clock.score
            chance = verdict.findings["W-F1"].chance if chance is None else chance
        found[system] = {"chance": chance, "clock": clock}
    unknown = [system for system, row in found.items() if None in row.values() and system in inputs.systems]
    if name is not None and unknown and inputs.documents is not None and len(inputs.documents) <= _MOST:
        for system in unknown:
            for kind, value in _computed(results, name, inputs.documents, system, inputs.systems[system]).items():
                found[system][kind] = value if found[system][kind] is None else found[system][kind]
    return found


def _computed(results: Results, name: str, documents: Corpus, system: str, corpus: Corpus) -> dict[str, float | None]:
    """Return a metric by chance and for the better clock, computed from the documents; nothing if the score differs then."""
    given, text = results.systems[system][name], results.metrics[name].metric
    if results.against != "boundaries" or given.aggregation not in ("macro", "micro"):
        return {}
    by = cast("Aggregation", given.aggregation)
    try:
        scored = evaluate(documents, {system: corpus}, [text], by=by, missing="skip")
        if not _same(scored.scores[system][text], given.score):
            return {}
        chance = scored.skill(seed=results.seed or 0)[system][text].expected
        clocks = evaluate(clock_pairs(scored.pairs[system]), metrics=[text], by=by).scores
    except CaesuraError:
        return {}
    return {"chance": number(chance), "clock": number(max(row[text] for row in clocks.values()))}


def _same(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and math.isclose(one, other, abs_tol=1e-9)
