# SPDX-License-Identifier: Apache-2.0
"""Samples of what annotation tools export, made from the annotated chapters of the Moonstone."""

from __future__ import annotations

import csv
import itertools
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
    made = [*_sheets(folder, codings), *_tables(folder, codings), *_label_studio(folder, codings)]
    return [*made, *_doccano(folder, codings), *_inception(folder, codings), *_elan(folder, codings)]


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


def _tables(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write tables of segment numbers, wide and long, and one of boundaries only."""
    spelt = {"anna": ("anna", "Anna", "anna "), "ben": ("ben",)}
    numbers = {key: [[n for n, mass in enumerate(m) for _ in range(mass)] for m in c] for key, c in codings.items()}
    wide = [[key, at + 1, *row] for key, c in numbers.items() for at, row in enumerate(zip(*c, strict=True))]
    people = list(enumerate(_PEOPLE))
    long = [[key, at + 1, who, n] for key, c in numbers.items() for p, who in people for at, n in enumerate(c[p])]
    names = [[key, at, spelt[who][at % len(spelt[who])], n] for key, at, who, n in long]
    bounds = [
        [key, who, unit + 1, sum(c[p])]
        for key, c in codings.items()
        for p, who in people
        for unit in sorted(_starts(c[p]))
    ]
    found: list[Sample] = []
    for kind, argument, table in (
        ("a column per person", None, [["meeting", "turn", *_PEOPLE], *wide]),
        ("a row per unit and person", None, [["meeting", "turn", "annotator", "segment"], *long]),
        ("several spellings of a name", None, [["meeting", "turn", "annotator", "segment"], *names]),
        ("a row per boundary", "labels(marks='first')", [["meeting", "annotator", "turn", "n_turns"], *bounds]),
    ):
        path = folder / f"{kind.replace(' ', '_')}.csv"
        with path.open("w", newline="") as stream:
            csv.writer(stream).writerows(table)
        found.append((f"table, {kind}", path, argument))
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


def _inception(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write a project of INCEpTION, as a folder and as an archive."""
    place = folder / "project" / "annotation"
    for key, coders in codings.items():
        for who, masses in zip(_PEOPLE, coders, strict=True):
            labels = [n for n, mass in enumerate(masses, start=1) for _ in range(mass)]
            lines, begin = ["#FORMAT=WebAnno TSV 3.3", "#T_SP=custom.Topic|value", "", ""], 0
            for number, text in enumerate(_text(key, masses), start=1):
                lines.append(f"#Text={text}")
                for place_in_text, word in enumerate(text.split(), start=1):
                    end = begin + len(word)
                    lines.append(f"{number}-{place_in_text}\t{begin}-{end}\t{word}\ttopic[{labels[number - 1]}]\t")
                    begin = end + 1
                lines.append("")
            document = place / f"{key}.txt"
            document.mkdir(parents=True, exist_ok=True)
            (document / f"{who}.tsv").write_text("\n".join(lines) + "\n")
    archive = shutil.make_archive(str(folder / "inception"), "zip", folder / "project")
    return [
        ("INCEpTION, folder of a project", folder / "project", None),
        ("INCEpTION, archive of a project", Path(archive), None),
    ]


def _elan(folder: Path, codings: dict[str, list[list[int]]]) -> list[Sample]:
    """Write a recording with a tier per person; a unit takes ten seconds."""
    coders = next(iter(codings.values()))
    slots: list[int] = []
    tiers = []
    for who, masses in zip(_PEOPLE, coders, strict=True):
        ends = [10_000 * sum(masses[:n]) for n in range(len(masses) + 1)]
        made = []
        for start, end in itertools.pairwise(ends):
            slots += [start, end]
            refs = f'TIME_SLOT_REF1="ts{len(slots) - 1}" TIME_SLOT_REF2="ts{len(slots)}"'
            value = "<ANNOTATION_VALUE>topic</ANNOTATION_VALUE>"
            inner = f'<ALIGNABLE_ANNOTATION ANNOTATION_ID="a{len(slots)}" {refs}>{value}</ALIGNABLE_ANNOTATION>'
            made.append(f"<ANNOTATION>{inner}</ANNOTATION>")
        tier = f'<TIER TIER_ID="topics@{who}" ANNOTATOR="{who}" LINGUISTIC_TYPE_REF="t">'
        tiers.append(f"{tier}{''.join(made)}</TIER>")
    times = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{t}"/>' for n, t in enumerate(slots, start=1))
    path = folder / "meeting.eaf"
    path.write_text(
        '<?xml version="1.0"?><ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-05-01T10:00:00+00:00" FORMAT="2.8" VERSION="2.8" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv2.8.xsd">'
        f"<HEADER/><TIME_ORDER>{times}"
        f'</TIME_ORDER>{"".join(tiers)}<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="t" TIME_ALIGNABLE="true"/></ANNOTATION_DOCUMENT>'
    )
    return [("ELAN, a tier per person", path, None)]
