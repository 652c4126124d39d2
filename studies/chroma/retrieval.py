# SPDX-License-Identifier: Apache-2.0
"""Retrieval on Chroma's questions at an equal budget, and density against use: the numbers of two sections of ``docs/chroma.md``.

``python -m studies.chroma.retrieval run`` asks the 472 questions (texts through ``CAESURA_DATA``) by BM25 and by the included encoder, and 32
questions about eight bundled chapters, and writes ``numbers.json``: minutes. ``python -m studies.chroma.study page`` writes the page.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.demo import example_files
from caesura.evaluation.spans import SpanReport
from studies import corpora_folder
from studies.chroma.study import SEPARATORS, recursive

__all__ = ["read", "sections"]

NUMBERS = Path(__file__).with_name("numbers.json")
BUDGET, K = 1000, 5
WORDS = (25, 50, 100, 200, 400, 800)
SIZES = (100, 200, 400)
UNITS = (1, 2, 3, 4, 6, 9, 13, 20)
PER_100 = (50, 35, 25, 17, 11, 8, 5)
SMALL = 300  # words
RETRIEVERS = ("bm25", "default")
LEADS = ("recursive 400", "clock 100")


# ---------------------------------------------------------------------- the numbers


def run() -> dict[str, Any]:
    """Return every number, rounded to four digits."""
    texts, asked = _chroma()
    systems = {f"clock {size}": {key: _clock(text, size) for key, text in texts.items()} for size in WORDS}
    for size in SIZES:
        systems[f"recursive {size}"] = {
            key: recursive(text, SEPARATORS, size, 0, lambda part: len(part.split())) for key, text in texts.items()
        }
    retrieved = {by: _retrieved(texts, asked, systems, by) for by in RETRIEVERS}
    return {"chroma": retrieved, "moonstone": _moonstone()}


def _chroma() -> tuple[dict[str, str], dict[str, list[object]]]:
    from caesura.datasets.corpora.chroma import corpus_text, questions

    folder = corpora_folder() / "chroma"
    asked: dict[str, list[object]] = {}
    for number, question in enumerate(questions(folder)):
        entry = {"question": question.text, "id": str(number), "spans": [list(span) for span in question.spans]}
        asked.setdefault(question.corpus, []).append(entry)
    return {name: corpus_text(folder, name) for name in asked}, asked


def _clock(text: str, size: int) -> list[str]:
    starts = [match.start() for match in re.finditer(r"\S+", text)][::size]
    return [text[start:end] for start, end in itertools.pairwise([*starts, len(text)])]


def _retrieved(
    texts: Mapping[str, str], asked: Mapping[str, Sequence[object]], systems: Mapping[str, Any], by: str
) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    pairs: dict[str, Any] = {}
    for name, limit in (("budget", {"budget": BUDGET}), ("k", {"k": K})):
        report = cz.spans(texts, asked, systems, retrieve=by, worst=0, **limit)  # type: ignore[arg-type]
        results = report.results()
        assert report.retrieved is not None
        for system in systems:
            row = rows.setdefault(system, {"words": _rounded(_length(report, system))})
            row["whole"] = _rounded(report.scores[system]["Inside"])
            row[f"recall at {name}"] = _rounded(report.scores[system][report.retrieved.main])
            row[f"IoU at {name}"] = _rounded(report.scores[system][f"SpanIoU({name}={limit[name]})"])
            for c in results.comparisons or ():
                if c.metric == report.retrieved.main and c.first == system and c.second == report.clocks[system]:
                    row[f"over clock at {name}"] = [_rounded(each) for each in (c.difference, *c.interval)]
        lead = next(
            c
            for c in results.comparisons or ()
            if {c.first, c.second} == set(LEADS) and c.metric == report.retrieved.main
        )
        sign = 1 if lead.first == LEADS[0] else -1
        ends = sorted(sign * float(each) for each in lead.interval)  # type: ignore[arg-type]
        pairs[name] = [_rounded(sign * float(lead.difference)), *map(_rounded, ends)]  # type: ignore[arg-type]
    return {"rows": rows, "lead": pairs}


def _length(report: SpanReport, system: str) -> float:
    pool = report.measured[system].pool
    return float(pool.tokens.mean())


def _moonstone() -> list[dict[str, Any]]:
    """Return W-F1, answers left whole and answers retrieved of segments of eight chapters, from dense to sparse."""
    gold = cz.bundled("moonstone")
    units = int(gold.flat.n_units.sum())
    methods = {f"every {n}": f"every(n={n})" for n in UNITS} | {
        f"tiling {n}": f"VectorTiling(per_100={n})" for n in PER_100
    }
    systems = {name: cz.segmenter(method).segment(gold) for name, method in methods.items()} | {"readers": gold}
    scores = cz.evaluate(gold, systems, ["W-F1"]).scores
    answers = [json.loads(line) for line in example_files()["answers.jsonl"].splitlines()]
    asked = {each["id"]: each["questions"] for each in answers}
    reports = {
        budget: cz.spans(
            gold, asked, systems, retrieve="bm25", budget=budget, clock=False, worst=0, counted="units", missing="skip"
        )
        for budget in (SMALL, BUDGET)
    }
    return [
        {
            "name": name,
            "per 100": _rounded(100 * (len(system.flat.pos) + len(gold)) / units),
            "W-F1": _rounded(scores[name]["W-F1"]),
            "cut": _rounded(reports[BUDGET].scores[name]["Cut"]),
            "recall": [_rounded(report.scores[name][f"SpanRecall(budget={each})"]) for each, report in reports.items()],
        }
        for name, system in systems.items()
    ]


def _rounded(value: float | None) -> float:
    return round(float(value or 0.0), 4)


# ---------------------------------------------------------------------- the sections


def read() -> dict[str, Any]:
    """Return the stored numbers."""
    found: dict[str, Any] = json.loads(NUMBERS.read_text(encoding="utf-8"))
    return found


def sections(numbers: Mapping[str, Any]) -> dict[str, str]:
    """Return the tables and sentences of the page."""
    return {
        "RETRIEVAL": _retrieval(numbers["chroma"]),
        "LEADS": _leads(numbers["chroma"]),
        "USE": _use(numbers["moonstone"]),
    }


def _retrieval(found: Mapping[str, Any]) -> str:
    titles = ["chunker", "mean words", "answers whole"]
    titles += [
        f"{name}: {what}"
        for name in ("BM25", "vectors")
        for what in (f"recall at {K}", f"at {BUDGET:,} words", "over its clock")
    ]
    lines = [f"| {' | '.join(titles)} |", "|" + " --- |" + " ---: |" * (len(titles) - 1)]
    for system, row in found["bm25"]["rows"].items():
        cells = [system, f"{row['words']:.0f}", f"{row['whole']:.3f}"]
        for by in RETRIEVERS:
            own = found[by]["rows"][system]
            above = "" if system.startswith("clock") else _interval(own["over clock at budget"])
            cells += [f"{own['recall at k']:.3f}", f"{own['recall at budget']:.3f}", above]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _interval(values: Sequence[float]) -> str:
    value, low, high = (100 * each for each in values)
    return f"{value:+.1f} [{low:+.1f}, {high:+.1f}]"


def _leads(found: Mapping[str, Any]) -> str:
    first, second = LEADS
    lines = []
    for by, name in zip(RETRIEVERS, ("BM25", "the included encoder"), strict=True):
        at_k, at_budget = (_interval(found[by]["lead"][key]) for key in ("k", "budget"))
        lines.append(
            f"- By {name}, {first} differs from {second} by {at_k} points of recall at {K} chunks, and by {at_budget} at {BUDGET:,} words."
        )
    return "\n".join(lines)


def _use(rows: Sequence[Mapping[str, Any]]) -> str:
    titles = (
        "segments",
        "per 100 paragraphs",
        "W-F1",
        "answers cut",
        f"recall at {SMALL} words",
        f"at {BUDGET:,} words",
    )
    lines = [f"| {' | '.join(titles)} |", "|" + " --- |" + " ---: |" * (len(titles) - 1)]
    kinds = {
        "every": "every {} paragraphs",
        "tiling": "VectorTiling(per_100={})",
        "readers": "consensus of the readers",
    }
    for row in rows:
        kind, _, number = row["name"].partition(" ")
        shown = kinds[kind].format(number).replace("every 1 paragraphs", "every paragraph")
        lines.append(
            f"| {shown} | {row['per 100']:.0f} | {row['W-F1']:.3f} | {row['cut']:.3f} | {row['recall'][0]:.3f} | {row['recall'][1]:.3f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] != ["run"]:
        sys.exit(__doc__)
    NUMBERS.write_text(json.dumps(run(), indent=1) + "\n", encoding="utf-8")
