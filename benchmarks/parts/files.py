# SPDX-License-Identifier: Apache-2.0
"""Goal 5: from two JSONL files to a printed table."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.batches.pairs import Pairs

__all__ = ["measure", "write_jsonl"]

TEXT = "L from JSONL to a printed table, in json.loads of the same lines"
LIMIT = 0.8


def write_jsonl(path: Path, n_units: Any, ptr: Any, pos: Any) -> None:
    """Write one document a line: id, n_units, boundaries."""
    boundaries, ends = pos.tolist(), ptr.tolist()
    with path.open("w", encoding="utf-8") as file:
        for row, units in enumerate(n_units.tolist()):
            line = {"id": f"d{row}", "n_units": units, "boundaries": boundaries[ends[row] : ends[row + 1]]}
            file.write(json.dumps(line) + "\n")


def measure(settings: Settings) -> Part:
    """Time reading, scoring and printing against decoding alone."""
    part = Part(
        "files",
        "From files to a table, corpus L as JSONL",
        notes=[
            "Reference and hypothesis, one file each, with id, n_units and boundaries. Caesura reads and checks both, "
            "counts and scores the standard set of metrics and prints the table; the floor is json.loads of the same "
            "lines, which are already in memory."
        ],
    )
    try:
        from caesura import evaluate
        from caesura.formats import load
    except ImportError as error:
        part.skipped[TEXT] = f"cannot be imported: {error}"
        part.goal(5, TEXT, "<=", LIMIT, None, part.skipped[TEXT])
        return part
    pairs = settings.corpus("L", part)
    with tempfile.TemporaryDirectory() as folder:
        reference, hypothesis = Path(folder) / "reference.jsonl", Path(folder) / "hypothesis.jsonl"
        write_jsonl(reference, pairs.n_units, pairs.ref_ptr, pairs.ref_pos)
        write_jsonl(hypothesis, pairs.n_units, pairs.hyp_ptr, pairs.hyp_pos)
        part.numbers["bytes of both files"] = reference.stat().st_size + hypothesis.stat().st_size
        wrong = _disagreement(pairs, load(reference), load(hypothesis))
        if wrong:
            part.mismatches[TEXT] = wrong
            part.goal(5, TEXT, "<=", LIMIT, None, wrong)
            return part
        lines = [line for path in (reference, hypothesis) for line in path.read_bytes().splitlines()]

        def decode() -> None:
            for line in lines:
                json.loads(line)

        def score() -> None:
            evaluation = evaluate(load(reference), {"hypothesis": load(hypothesis)})
            print(evaluation.table(), file=io.StringIO())

        works = {
            "floor: json.loads": decode,
            "read": lambda: (load(reference), load(hypothesis)),
            "read, score, print": score,
        }
        part.rounds.update(interleave(works, settings.slow_rounds, settings.shortest))
    floor = part.rounds["floor: json.loads"]
    part.goal(5, TEXT, "<=", LIMIT, ratio_of(part.rounds["read, score, print"], floor))
    return part


def _disagreement(pairs: Pairs, reference: Any, hypothesis: Any) -> str | None:
    """Say what the files gave otherwise than was written into them."""
    for name, corpus, ptr, pos in (
        ("reference", reference, pairs.ref_ptr, pairs.ref_pos),
        ("hypothesis", hypothesis, pairs.hyp_ptr, pairs.hyp_pos),
    ):
        flat = corpus.flat
        for what, got, wanted in (
            ("n_units", flat.n_units, pairs.n_units),
            ("ptr", flat.ptr, ptr),
            ("pos", flat.pos, pos),
        ):
            if not np.array_equal(got, wanted):
                return f"{what} of the {name} is not what was written"
    return None
