# SPDX-License-Identifier: Apache-2.0
"""Measure how time and memory grow with a corpus, and say what large corpora would take: ``python -m scripts.scale``.

Writes the last section of ``docs/scale.md``: every number there comes from one run of this script. Every size runs in a process
of its own, since the peak of memory never falls. Takes a few minutes; ``--encoder`` adds an encoder to measure, such as
``onnx:minilm``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from caesura import __version__

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
TITLE = "## Time and memory"
CORES = 64
SIZES = (20_000, 40_000, 80_000, 160_000)
SHARD = 20_000
UNITS = 48
"""Mean length of the documents that are measured."""
CORPORA = {"Wiki-727K": (727_000, 48), "a million meetings": (1_000_000, 500), "a web crawl": (100_000_000, 30)}
"""Documents, and units of a document: the first as published, the others assumed."""
_WORDS = [a + b for a in ("ba", "co", "di", "fu", "ge", "ki", "lo", "mu") for b in ("rn", "st", "ll", "nd", "rk", "ms")]

RUN = """
import sys, time
from caesura.cli import cli
from caesura.limits import peak_bytes
begin = time.process_time()
try:
    cli.main(sys.argv[1:], standalone_mode=False)
finally:
    print(time.process_time() - begin, peak_bytes(), file=sys.stderr)
"""
ENCODE = """
import sys, time
import numpy as np
from caesura.encoders import encoder
words = {words!r}
rng = np.random.default_rng(0)
texts = [" ".join(rng.choice(words, 15)) for _ in range({number})]
found = encoder({spec!r})
found.encode(texts[:10])
begin = time.process_time()
found.encode(texts)
print(len(texts) / (time.process_time() - begin))
"""


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", action="append", default=["default"])
    encoders: list[str] = parser.parse_args().encoder
    with tempfile.TemporaryDirectory() as folder:
        growth = _growth(Path(folder))
    text = _section(growth, {spec: _rate(spec) for spec in encoders})
    before = PAGE.read_text().partition(TITLE)[0]
    PAGE.write_text(before + text)
    print(text)


class _Growth(NamedTuple):
    """Rows of the table, and straight lines through them: slope and start of seconds, bytes, and bytes in shards."""

    rows: list[str]
    seconds: tuple[float, float]
    memory: tuple[float, float]
    sharded: tuple[float, float]


def _growth(folder: Path) -> _Growth:
    """Measure time and memory by size, whole and in shards."""
    rows, times, peaks, sharded = [], [], [], []
    for size in SIZES:
        _write(folder, size)
        whole = _measured(["evaluate", f"{folder}/gold.jsonl", f"a={folder}/a.jsonl"])
        parts = _measured(["evaluate", f"{folder}/gold-*.jsonl", f"a={folder}/a-*.jsonl", "--engine", "local"])
        times.append(whole[0])
        peaks.append(whole[1])
        sharded.append(parts[1])
        cells = [f"{size:,}", f"{whole[0]:.2f}", f"{whole[1] / 2**20:.0f}"]
        rows.append(_row([*cells, f"{parts[0]:.2f}", f"{parts[1] / 2**20:.0f}"]))
        for path in folder.iterdir():
            path.unlink()
    lines = [tuple(map(float, np.polyfit(SIZES, values, 1))) for values in (times, peaks, sharded)]
    return _Growth(rows, *lines)  # type: ignore[arg-type]


def _section(growth: _Growth, rates: dict[str, float]) -> str:
    """Return the section of the page: what was measured, and apart from it what follows if the rates hold."""
    (slope, start), (memory, base), (more, alone) = growth.seconds, growth.memory, growth.sharded
    speeds = ", ".join(f"{rate:,.0f} with `{spec}`" for spec, rate in rates.items())
    encoding = {
        name: {spec: documents * units / rate for spec, rate in rates.items()}
        for name, (documents, units) in CORPORA.items()
    }
    slowest = min(rates, key=lambda spec: rates[spec])
    largest = "a million meetings"
    table = [_row(["corpus", "documents", "units", "scoring", *(f"encoding, `{spec}`" for spec in rates)])]
    table.append(_row(["---"] * (4 + len(rates))))
    for name, (documents, units) in CORPORA.items():
        # A document costs its units, and at least as much as one of the usual length costs here.
        scoring = documents * slope * max(1.0, units / UNITS)
        cells = [name, f"{documents:,}", f"{documents * units:,}", _hours(scoring)]
        table.append(_row([*cells, *map(_hours, encoding[name].values())]))
    return "\n".join(
        [
            TITLE,
            "",
            f"**Measured** by `python -m scripts.scale` (version {__version__}) on one core of a busy machine, single runs: `caesura",
            f"evaluate` with the nine standard metrics, one system, documents of {UNITS} units, JSON lines; the same in shards of",
            f"{SHARD:,} documents (`--engine local`).",
            "",
            _row(["documents", "CPU seconds", "peak MB", "in shards: CPU seconds", "peak MB"]),
            _row(["---"] * 5),
            *growth.rows,
            "",
            f"A linear fit gives {start:.2f} s and {1e6 * slope:.1f} µs per document; {base / 2**20:.0f} MB and "
            f"{memory / 1024:.2f} kB per document, in shards",
            f"{alone / 2**20:.0f} MB and {more / 1024:.3f} kB per document. Encoding sentences of 15 words, units per second and core: "
            f"{speeds}.",
            "",
            "**Extrapolated** from these rates, not measured: time of one core; divide by the number of cores. Lengths are",
            "assumed, except those of Wiki-727K.",
            "",
            *table,
            "",
            f"Scoring needs no second machine. Encoding {largest} with `{slowest}` takes {CORES} cores "
            f"{_hours(encoding[largest][slowest] / CORES)}.",
            "",
        ]
    )


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _write(folder: Path, size: int) -> None:
    """Write a reference and a system of documents with 48 units on average, whole and in shards."""
    rng = np.random.default_rng(size)
    for name, density in (("gold", 0.12), ("a", 0.14)):
        with (folder / f"{name}.jsonl").open("w") as whole:
            for start in range(0, size, SHARD):
                with (folder / f"{name}-{start:08}.jsonl").open("w") as part:
                    for document in range(start, min(size, start + SHARD)):
                        n = 20 + document * 7 % 57
                        gaps = (np.flatnonzero(rng.random(n - 1) < density) + 1).tolist()
                        line = json.dumps({"id": f"d{document}", "n_units": n, "boundaries": gaps}) + "\n"
                        whole.write(line)
                        part.write(line)


def _measured(call: list[str]) -> tuple[float, float]:
    done = subprocess.run([sys.executable, "-c", RUN, *call], capture_output=True, text=True, check=True)
    seconds, peak = done.stderr.strip().splitlines()[-1].split()
    return float(seconds), float(peak)


def _rate(spec: str) -> float:
    number = 20_000 if spec == "default" else 500
    code = ENCODE.format(words=_WORDS, number=number, spec=spec)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def _hours(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:,.0f} h" if seconds < 48 * 3600 else f"{seconds / 86400:,.0f} days"


if __name__ == "__main__":
    main()
