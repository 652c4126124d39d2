# SPDX-License-Identifier: Apache-2.0
"""Tables, frames and JSON as people have them, all of the same dialogues of TIAGE."""

from __future__ import annotations

import csv
import importlib
import itertools
import json
import os
import warnings
from pathlib import Path

from caesura.formats import load

__all__ = ["samples"]

Sample = tuple[str, Path, str | None]
"""What a file is, the file, and the format to name if it cannot be told."""


class Dialogues:
    """Six dialogues, and their segmentations in the ways people write them down."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            corpus = load(Path(os.environ["CAESURA_DATA"]) / "tiage" / "tiage_test.jsonl.gz")
        chosen = [document for document in corpus if document.segmentation and document.segmentation.boundaries][:6]
        self.units = {document.id: list(document.units or ()) for document in chosen}
        self.cuts = {
            document.id: list(document.segmentation.boundaries) for document in chosen if document.segmentation
        }
        edges = {key: [0, *cuts, len(self.units[key])] for key, cuts in self.cuts.items()}
        self.spans = {key: list(itertools.pairwise(found)) for key, found in edges.items()}
        self.masses = {key: [end - start for start, end in spans] for key, spans in self.spans.items()}
        self.topics = {key: [n for n, mass in enumerate(m) for _ in range(mass)] for key, m in self.masses.items()}
        starts = {key: {start for start, _ in spans} for key, spans in self.spans.items()}
        self.starts = {key: [int(at in starts[key]) for at in range(len(u))] for key, u in self.units.items()}
        self.ends = {key: [*row[1:], 1] for key, row in self.starts.items()}

    def rows(self, doc: str = "dialogue_id", text: str = "utterance", label: str = "topic") -> list[dict[str, object]]:
        """Return one row per turn."""
        return [
            {doc: key, "turn_id": at + 1, text: unit, label: self.topics[key][at]}
            for key, units in self.units.items()
            for at, unit in enumerate(units)
        ]

    def turns(self, key: str, name: str, labels: list[int]) -> list[dict[str, object]]:
        """Return the turns of a dialogue as objects."""
        return [
            {"speaker": "AB"[at % 2], "utterance": unit, name: labels[at]} for at, unit in enumerate(self.units[key])
        ]


def samples(folder: Path) -> list[Sample]:
    """Write a file of each kind into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    given = Dialogues()
    keys = list(given.units)
    made: list[Sample] = []

    def add(kind: str, name: str, content: object, argument: str | None = None) -> None:
        path = folder / name
        if path.suffix in (".csv", ".tsv"):
            rows = content if isinstance(content, list) else []
            with path.open("w", newline="", encoding="utf-8") as stream:
                table = csv.DictWriter(stream, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
                table.writeheader()
                table.writerows(rows)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in (content if isinstance(content, list) else [])))
        else:
            path.write_text(json.dumps(content, indent=1))
        made.append((kind, path, argument))

    def per_dialogue(**fields: dict[str, list[int]]) -> list[dict[str, object]]:
        return [
            {"dial_id": key, "utterances": given.units[key]} | {n: f[key] for n, f in fields.items()} for key in keys
        ]

    add("CSV, a row per turn", "turns.csv", given.rows())
    add("TSV, a row per turn, segment numbers", "turns.tsv", given.rows("doc", "sentence", "segment_id"))
    add("CSV, own names of columns", "own.csv", given.rows("chat", "said", "part"), "labels(columns='label=part')")
    flags = [
        {"call_id": key, "text": unit, "is_start": given.starts[key][at]}
        for key in keys
        for at, unit in enumerate(given.units[key])
    ]
    add("CSV, flags of first turns", "is_start.csv", flags)
    unclear = [{"call_id": row["call_id"], "text": row["text"], "boundary": row["is_start"]} for row in flags]
    add("CSV, flags under a name that does not say which turn", "boundary.csv", unclear)
    add("CSV, a row per dialogue with its masses", "masses.csv", [{"document": key, "masses": "-".join(map(str, given.masses[key]))} for key in keys])  # fmt: skip
    add("CSV, lists in cells", "lists.csv", [{"dial_id": key, "utterances": given.units[key], "labels": given.topics[key]} for key in keys])  # fmt: skip
    add("CSV, positions of boundaries", "positions.csv", [{"doc_id": key, "boundaries": " ".join(map(str, given.cuts[key])), "num_turns": len(given.units[key])} for key in keys])  # fmt: skip
    add("CSV, a row per boundary", "rows.csv", [{"dialogue": key, "turn": cut, "n_turns": len(given.units[key])} for key in keys for cut in given.cuts[key]], "labels(marks='last')")  # fmt: skip
    add("JSON, parallel lists, labels", "labels.json", per_dialogue(labels=given.topics))
    add("JSON, parallel lists, segment_ids", "segment_ids.json", per_dialogue(segment_ids=given.topics))
    add("JSONL, parallel lists, labels", "labels.jsonl", per_dialogue(labels=given.topics))
    add("JSONL, flags of first turns", "is_start.jsonl", per_dialogue(is_start=given.starts))
    add("JSON, turns with topics", "turns.json", [{"dial_id": key, "turns": given.turns(key, "topic_id", given.topics[key])} for key in keys])  # fmt: skip
    add("JSON, turns with flags of last turns", "last.json", [{"dial_id": key, "turns": given.turns(key, "segmentation_label", given.ends[key])} for key in keys])  # fmt: skip
    add("JSON, turns under own names", "names.json", [{"key": key, "talk": [{"words": unit, "part": given.topics[key][at]} for at, unit in enumerate(given.units[key])]} for key in keys], "records(columns='doc=key,text=talk[].words,label=talk[].part')")  # fmt: skip
    add("JSON, id to topics", "by_id.json", given.topics)
    add("JSON, id to record", "records.json", {key: {"utterances": given.units[key], "topics": given.topics[key]} for key in keys})  # fmt: skip
    add("JSON, id to masses", "masses.json", given.masses, "records(columns='masses=value')")
    nested = {key: [given.units[key][a:b] for a, b in given.spans[key]] for key in keys}
    add("JSON, segments as lists of turns", "nested.json", [{"id": key, "segments": nested[key]} for key in keys])
    add("JSON, segments with titles and sentences", "titled.json", [{"id": key, "segments": [{"title": "t", "sentences": part} for part in nested[key]]} for key in keys])  # fmt: skip
    add("JSON, segments with titles and texts", "texts.json", [{"id": key, "segments": [{"title": "t", "text": " ".join(part)} for part in nested[key]]} for key in keys])  # fmt: skip
    add("JSON, ranges from 0, end excluded", "open.json", [{"id": key, "segments": [{"start": a, "end": b} for a, b in given.spans[key]]} for key in keys])  # fmt: skip
    add("JSON, ranges from 1, end included", "closed.json", [{"id": key, "segments": [{"start": a + 1, "end": b} for a, b in given.spans[key]]} for key in keys])  # fmt: skip
    add("JSON, boundary_indices and num_sentences", "indices.json", [{"doc_id": key, "boundary_indices": given.cuts[key], "num_sentences": len(given.units[key])} for key in keys])  # fmt: skip
    rows = given.rows()
    add("JSON, columns of a frame", "frame.json", {name: [row[name] for row in rows] for name in rows[0]})
    add("JSONL, a row per turn", "rows.jsonl", rows)
    add("Caesura's own JSONL", "own.jsonl", [{"id": key, "units": given.units[key], "boundaries": given.cuts[key]} for key in keys])  # fmt: skip
    _with_libraries(folder, rows, made)
    return made


def _with_libraries(folder: Path, rows: list[dict[str, object]], made: list[Sample]) -> None:
    """Write Parquet, Arrow and XLSX."""
    arrow = importlib.import_module("pyarrow")
    table = arrow.Table.from_pylist(rows)
    importlib.import_module("pyarrow.parquet").write_table(table, folder / "turns.parquet")
    importlib.import_module("pyarrow.feather").write_feather(table, folder / "turns.arrow")
    book = importlib.import_module("openpyxl").Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(folder / "turns.xlsx")
    made += [
        (f"{kind}, a row per turn", folder / f"turns.{kind.lower()}", None) for kind in ("Parquet", "Arrow", "XLSX")
    ]
