# SPDX-License-Identifier: Apache-2.0
"""Conversion of results files of schema 1."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["FIRST_SCHEMA", "from_version_1"]

FIRST_SCHEMA = "caesura.results/1"


def from_version_1(plain: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a file of schema 1 as plain data of the current schema.

    Intervals and skills move to their scores; verdicts, which were computed differently, are left out; the number of resamples is not recorded and stays unknown.
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
    if "breaches" in known:
        unknown: dict[str, Any] = {"system": "", "metric": "", "score": None, "documents": []}
        results["gates"] = {
            "limits": {},
            "breaches": [{**unknown, "message": line} for line in known["breaches"]],
        }
    if known.get("regime"):
        results["regimes"] = known["regime"]
    if question == "spans":
        results["spans"] = _span_facts(known)
        results["notes"] = [note for note in known.get("notes", []) if not _DERIVED.search(note)]
    if known.get("verdicts"):
        results["notes"] = [*results.get("notes", []), _NO_VERDICTS]
    if question == "cohesion":
        results["cohesion"] = _cohesion(known)
    return results


_NO_VERDICTS = "verdicts of this older file are left out: they were computed differently; run caesura evaluate --verdict again"
# Notes on spans that are now generated from the facts.
_DERIVED = re.compile(r"^Means over|^Chunks are|^InsideByChance of|: chunks overlap, so a span")


def _span_facts(known: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of spans and chunks; lost spans stay in the notes, in words."""
    chunkers, spans, length_in = {}, 0, "units"
    for system, density in known["density"].items():
        scores = known["systems"][system]
        recipe = _fields(scores["InsideByChance"]["signature"])
        spans = int(recipe["spans"])
        length_in = "tokens" if "tokens_per_chunk" in density else "units"
        chunkers[system] = {
            "cut": round(scores["Cut"]["score"] * spans),
            "partly_lost": 0,
            "wholly_lost": 0,
            "chunks": int(density["chunks"]),
            "length": density[f"{length_in}_per_chunk"],
            "chance_places": None if scores["InsideByChance"]["score"] is None else recipe["places"],
            **{name: int(density[name]) for name in density if name.endswith("_characters")},
        }
    return {"spans": spans, "length_in": length_in, "chunkers": chunkers, "worst": known.get("worst")}


def _fields(signature: str) -> dict[str, str]:
    return dict(part.partition(":")[::2] for part in signature.split("|"))


def _complete_score(score: dict[str, Any], system: str, metric: str, known: dict[str, Any]) -> None:
    ends = known.get("intervals", {}).get(system, {}).get(metric)
    if ends is not None:
        score["interval"] = ends
    skill = known.get("skill", {}).get(system, {}).get(metric)
    if skill is not None:
        drawn = _fields(skill["signature"])
        score["skill"] = {
            **{name: skill[name] for name in ("expected", "skill", "exact", "error", "signature")},
            "draws": int(drawn.get("draws", 0)),
            "seed": int(drawn.get("seed", known.get("seed") or 0)),
        }
    nulls = known.get("nulls", {}).get(system, {}).get(metric)
    if nulls:
        score["nulls"] = {kind: _null(kind, null) for kind, null in nulls.items()}


def _null(kind: str, null: dict[str, Any]) -> dict[str, Any]:
    """Return the comparison with random segmentations under the current names."""
    drawn = _fields(null["signature"])
    renamed = {
        "mean": "null_mean", "sd": "null_sd", "z": "corpus_z", "documents": "corpus_documents", "mean_z": "z",
        "mean_percentile": "percentile",
    }  # fmt: skip
    same = ("score", "z_documents", "percentile_documents", "signature")
    per_document = null.get("per_document", {})
    return {
        "kind": kind,
        "aggregation": drawn["agg"],
        "draws": int(drawn["draws"]),
        "seed": int(drawn["seed"]),
        **{name: null[name] for name in same},
        **{name: null[old] for name, old in renamed.items()},
        **{f"per_document_{name}": values for name, values in per_document.items()},
    }


def _cohesion(known: dict[str, Any]) -> dict[str, Any]:
    density = {
        system: {"segments_per_100": item["segments_per_100"], "one_unit_share": item["singletons"]}
        for system, item in known["density"].items()
    }
    return {"encoder": known["encoder"], "density": density, "worst": known.get("worst")}


def _comparison(item: dict[str, Any]) -> dict[str, Any]:
    """Return a comparison under the current names."""
    renamed = {"ci": "interval", "bor": "bors", "placement_ci": "placement_interval"}
    derived = {"mark", "delta_bor", "regime_shift", "segments_per_100", "equal_density"}
    row = {renamed.get(name, name): value for name, value in item.items() if name not in derived}
    by_chance = row.get("by_chance")
    if isinstance(by_chance, dict):
        row["by_chance"] = [by_chance["density"], by_chance["placement"]]
    elif by_chance is not None:  # of spans: the difference of the chance levels
        row["density"] = row.pop("by_chance")
        row["placement"], row["parts_by"] = row["difference"] - row["density"], "chance"
    equal = item.get("equal_density")
    if equal is not None:
        row["equal"] = {renamed.get(name, name): value for name, value in equal.items()}
        row["p_corrected"] = None
    return row
