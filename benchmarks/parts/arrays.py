# SPDX-License-Identifier: Apache-2.0
"""Goal 6: a whole evaluation of arrays that are in memory, in time and in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.kernels import kernel, run_kernels
from caesura.limits import peak_bytes

__all__ = ["corpora_of", "measure"]

TIME = "L from arrays to scores, in kernel times"
MEMORY = "L from arrays to scores: peak memory beyond imports, in input and count tables"
TIME_LIMIT, MEMORY_LIMIT = 1.5, 3.0
ARRAYS = ("n_units", "ref_ptr", "ref_pos", "hyp_ptr", "hyp_pos")


def corpora_of(pairs: Pairs) -> tuple[Corpus, Corpus]:
    """Return reference and hypothesis as corpora."""
    ids = [f"d{row}" for row in range(len(pairs))]
    return Corpus.from_flat(ids, pairs.reference), Corpus.from_flat(ids, pairs.hypothesis)


def measure(settings: Settings) -> Part:
    """Time an evaluation against its kernels alone, and watch the memory of a process that does it."""
    part = Part(
        "arrays",
        "From arrays to scores, corpus L",
        notes=[
            "The standard set of metrics. Kernels: the same distinct counts and nothing else. Arrays are checked when "
            "Pairs are made of them, and copied, since somebody could still write to them; ids are checked when corpora are made. Both are "
            "measured apart; what the checks alone take has a goal under number 17.",
            "Memory: a process of its own loads the arrays, makes corpora and evaluates; its peak resident size less "
            "that after the imports, over the bytes of the arrays and of the count tables as they are kept.",
        ],
    )
    try:
        from caesura import evaluate
    except ImportError as error:
        for text, limit in ((TIME, TIME_LIMIT), (MEMORY, MEMORY_LIMIT)):
            part.skipped[text] = f"cannot be imported: {error}"
            part.goal(6, text, "<=", limit, None, part.skipped[text])
        return part
    pairs = settings.corpus("L", part)
    reference, hypothesis = corpora_of(pairs)
    requests = list(dict.fromkeys(evaluate(reference, {"hypothesis": hypothesis}).requests.values()))
    wanted = [(kernel(each.kernel), each.parameters) for each in requests]
    raw = [np.array(getattr(pairs, name)) for name in ARRAYS]
    works = {
        "check and copy arrays": lambda: Pairs(*raw),
        "kernels": lambda: run_kernels([pairs], wanted),
        "evaluate": lambda: evaluate(reference, {"hypothesis": hypothesis}).scores,
        "make corpora": lambda: corpora_of(pairs),
    }
    part.rounds.update(interleave(works, settings.slow_rounds, settings.shortest))
    part.goal(6, TIME, "<=", TIME_LIMIT, ratio_of(part.rounds["evaluate"], part.rounds["kernels"]))
    used = _memory(pairs)
    part.numbers.update(used)
    share = (used["peak bytes"] - used["bytes after imports"]) / (used["input bytes"] + used["count table bytes"])
    part.goal(6, MEMORY, "<=", MEMORY_LIMIT, Ratio(share, share, share))
    return part


def _memory(pairs: Pairs) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, **{name: getattr(pairs, name) for name in ARRAYS})
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.parts.arrays", str(path)], check=True, capture_output=True, text=True
        )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _watch(path: Path) -> dict[str, Any]:
    """Evaluate the arrays of a file, and say what that took; runs in a process of its own."""
    from caesura import evaluate

    # A first evaluation of almost nothing loads whatever is loaded late.
    tiny = Pairs(np.array([4]), np.array([0, 1]), np.array([2]), np.array([0, 1]), np.array([1]))
    _ = evaluate(corpora_of(tiny)[0], {"hypothesis": corpora_of(tiny)[1]}).scores
    after_imports = peak_bytes()
    with np.load(path) as stored:
        pairs = Pairs(**stored)
    input_bytes = sum(getattr(pairs, name).nbytes for name in ARRAYS)
    reference, hypothesis = corpora_of(pairs)
    evaluation = evaluate(reference, {"hypothesis": hypothesis})
    _ = evaluation.scores
    peak = peak_bytes()
    tables = sum(table.nbytes for table in evaluation.counted["hypothesis"].tables.values())
    return {
        "bytes after imports": after_imports,
        "input bytes": input_bytes,
        "count table bytes": tables,
        "peak bytes": peak,
    }


if __name__ == "__main__":
    print(json.dumps(_watch(Path(sys.argv[1]))))
