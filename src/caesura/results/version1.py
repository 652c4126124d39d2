# SPDX-License-Identifier: Apache-2.0
"""Results files of schema 1, brought into the present form."""

from __future__ import annotations

from typing import Any

__all__ = ["FIRST_SCHEMA", "from_version_1"]

FIRST_SCHEMA = "caesura.results/1"


def from_version_1(plain: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a file of schema 1 as plain data of the present schema.

    Intervals and skills move to their scores; the number of resamples, which the file does not say, stays unknown.
    """
    known = {name: value for name, value in plain.items() if value is not None}
    against = known.get("against", "boundaries")
    question = {"nothing": "cohesion", "spans": "spans"}.get(against, "evaluate")
    if known.get("comparisons") and question == "evaluate":
        question = "compare"
    results: dict[str, Any] = {
        name: known[name]
        for name in (
            "caesura", "profile", "against", "seed", "environment", "inputs", "metrics", "systems", "documents",
            "per_document", "counts", "notes",
        )
        if name in known
    }  # fmt: skip
    results["question"] = question
    results["unit"] = results["inputs"][0]["unit"] if results.get("inputs") else ""
    for system, row in results.get("systems", {}).items():
        for metric, score in row.items():
            _complete_score(score, system, metric, known)
    if known.get("comparisons"):
        results["comparisons"] = [_comparison(item) for item in known["comparisons"]]
    if known.get("breaches") is not None:
        breaches = [
            {"system": "", "metric": "", "score": None, "message": line, "documents": []}
            for line in known["breaches"]
        ]
        results["gates"] = {"limits": {}, "breaches": breaches}
    if known.get("regime"):
        results["regimes"] = known["regime"]
    if known.get("verdicts"):
        _add_verdicts(results, known["verdicts"])
    return results


def _add_verdicts(results: dict[str, Any], verdicts: dict[str, dict[str, Any]]) -> None:
    results["verdicts"] = {system: _verdict(item) for system, item in verdicts.items()}
    if any("documents" in item for item in verdicts.values()):
        results["document_verdicts"] = {
            system: {key: _verdict(inner) for key, inner in item.get("documents", {}).items()}
            for system, item in verdicts.items()
        }


def _verdict(item: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict with its thresholds, which its signature tells."""
    fields = dict(part.partition(":")[::2] for part in item["signature"].split("|"))
    low, high = fields["bor"].split("..")
    found = {name: value for name, value in item.items() if name not in ("BOR", "documents")}
    tolerance = fields["tolerance"]
    return {
        **found,
        "bor": item["BOR"],
        "tolerance": int(tolerance) if tolerance.isdecimal() else tolerance,
        "thresholds": {
            "low_bor": float(low),
            "high_bor": float(high),
            "percentile": float(fields["high"].removeprefix(">p")),
            "placements": int(fields["placements"]),
            "seed": int(fields["seed"]),
        },
    }


def _complete_score(score: dict[str, Any], system: str, metric: str, known: dict[str, Any]) -> None:
    ends = known.get("intervals", {}).get(system, {}).get(metric)
    if ends is not None:
        score["interval"] = ends
    skill = known.get("skill", {}).get(system, {}).get(metric)
    if skill is not None:
        drawn = dict(part.partition(":")[::2] for part in skill["signature"].split("|"))
        score["skill"] = {
            **{name: skill[name] for name in ("expected", "skill", "exact", "error", "signature")},
            "draws": int(drawn.get("draws", 0)),
            "seed": int(drawn.get("seed", known.get("seed") or 0)),
        }


def _comparison(item: dict[str, Any]) -> dict[str, Any]:
    """Return a comparison under the present names."""
    renamed = {"ci": "interval", "bor": "bors", "placement_ci": "placement_interval"}
    derived = {"mark", "delta_bor", "regime_shift"}
    found = {renamed.get(name, name): value for name, value in item.items() if name not in derived}
    by_chance = found.get("by_chance")
    if isinstance(by_chance, dict):
        found["by_chance"] = [by_chance["density"], by_chance["placement"]]
    return found
