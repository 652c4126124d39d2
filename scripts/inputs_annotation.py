# SPDX-License-Identifier: Apache-2.0
"""Samples of what annotation tools export, made from the annotated chapters of the Moonstone."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

__all__ = ["samples"]

Sample = tuple[str, Path, str | None]
_PEOPLE = ("anna", "ben")


def samples(folder: Path) -> list[Sample]:
    """Write one file or folder of every kind; return its kind, its path, and the argument it needs to be read, if any."""
    data = Path(os.environ["CAESURA_DATA"]) / "moonstone_annotations.json"
    items = json.loads(data.read_text())["documents"]["G2"]
    codings = {key: list(coders.values())[: len(_PEOPLE)] for key, coders in list(items.items())[:3]}
    folder.mkdir(parents=True, exist_ok=True)
    return [*_sheets(folder, codings), *_label_studio(folder, codings), *_doccano(folder, codings)]


def _starts(masses: list[int]) -> set[int]:
    return {sum(masses[:n]) for n in range(len(masses))}


def _sheets(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write sheets with a mark on the first unit of each segment."""
    found: list[Sample] = []
    header = ["meeting", "turn", *_PEOPLE]
    rows = [
        [key, unit + 1, *("x" if unit in _starts(masses) else "" for masses in coders)]
        for key, coders in codings.items()
        for unit in range(sum(coders[0]))
    ]
    merged = [[row[0] if row[1] == 1 else "", *row[1:]] for row in rows]
    total = ["TOTAL", "", *(sum(row[place] == "x" for row in rows) for place in (2, 3))]
    for kind, table in {
        "x and blanks": [header, *rows],
        "merged cells": [header, *merged],
        "title row": [["Annotations", "", "", ""], header, *rows],
        "total row": [header, *rows, total],
    }.items():
        path = folder / f"{kind.replace(' ', '_')}.csv"
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows(table)
        found.append((f"sheet, {kind}", path, "labels(marks='first')"))
    return found


def _text(key: str, masses: list[int]) -> list[str]:
    return [f"Paragraph {unit + 1} of chapter {key}." for unit in range(sum(masses))]


def _spans(units: list[str], masses: list[int]) -> list[tuple[int, int]]:
    ends = [sum(len(unit) + 1 for unit in units[:n]) for n in range(len(units) + 1)]
    starts = sorted(_starts(masses))
    return [(ends[a], ends[b] - 1) for a, b in zip(starts, [*starts[1:], len(units)], strict=True)]


def _label_studio(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write an export whose tasks have a key ``meeting``."""
    tasks = []
    for number, (key, coders) in enumerate(codings.items(), start=1):
        units = _text(key, coders[0])
        made = [
            {
                "completed_by": who,
                "created_at": f"2024-05-0{number}T10:00:00Z",
                "result": [
                    {"type": "labels", "value": {"start": start, "end": end, "labels": ["topic"]}}
                    for start, end in _spans(units, masses)
                ],
            }
            for who, masses in zip(_PEOPLE, coders, strict=True)
        ]
        tasks.append({"id": number, "data": {"text": "\n".join(units), "meeting": key}, "annotations": made})
    path = folder / "label_studio.json"
    path.write_text(json.dumps(tasks))
    return [("Label Studio, named by data", path, None)]


def _doccano(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write an export with lines longer than detection looks at first, in a folder with a file per person."""
    place = folder / "doccano"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for number, who in enumerate(_PEOPLE):
        lines = []
        for key, coders in codings.items():
            units = [unit + " word" * 1000 for unit in _text(key, coders[0])]
            spans = [[start, end, "topic"] for start, end in _spans(units, coders[number])]
            lines.append(json.dumps({"id": key, "text": "\n".join(units), "label": spans}))
        (place / f"{who}.jsonl").write_text("\n".join(lines))
    return [("doccano, long lines", place, None)]
