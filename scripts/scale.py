# SPDX-License-Identifier: Apache-2.0
"""Measure how time and memory grow with a corpus, and say what large corpora would take: ``python -m scripts.scale``.

Prints the tables of ``docs/scale.md``. Every size runs in a process of its own, since the peak of memory never falls. Takes a
few minutes; ``--encoder`` adds an encoder to measure, such as ``onnx:minilm``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZES = (20_000, 40_000, 80_000, 160_000)
SHARD = 20_000
UNITS = 48
"""Mean length of the documents that are measured."""
CORPORA = {
    "Wiki-727K": (727_000, 48),
    "a million meetings": (1_000_000, 500),
    "a web crawl": (100_000_000, 30),
}
"""Documents, and units of a document: the first as published, the others assumed."""
_WORDS = [
    a + b
    for a in ("ba", "co", "di", "fu", "ge", "ki", "lo", "mu")
    for b in ("rn", "st", "ll", "nd", "rk", "ms")
]

RUN = """
import resource, sys, time
from caesura.cli import cli
begin = time.process_time()
try:
    cli.main(sys.argv[1:], standalone_mode=False)
finally:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(time.process_time() - begin, peak, file=sys.stderr)
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
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", action="append", default=["default"])
    encoders: list[str] = parser.parse_args().encoder
    with tempfile.TemporaryDirectory() as folder:
        seconds = _growth(Path(folder))
    rates = {spec: _rate(spec) for spec in encoders}
    print("\n| corpus | documents | units | scoring |", *(f"encoding, `{spec}` |" for spec in rates))
    print("| --- | --- | --- | --- |", *("--- |" for _ in rates))
    for name, (documents, units) in CORPORA.items():
        # A document costs its units, and at least as much as one of the usual length costs here.
        scoring = documents * seconds * max(1.0, units / UNITS)
        cells = [f"{documents:,}", f"{documents * units:,}", _hours(scoring)]
        cells += [_hours(documents * units / rate) for rate in rates.values()]
        print(f"| {name} |", " | ".join(cells), "|")
    print("\nUnits a second of one core:", ", ".join(f"{spec} {rate:,.0f}" for spec, rate in rates.items()))


def _growth(folder: Path) -> float:
    """Print time and memory by size, whole and in shards, and return the seconds of a document."""
    print(
        "| documents | CPU seconds | peak MB | in shards: CPU seconds | peak MB |\n| --- | --- | --- | --- | --- |"
    )
    times, peaks, sharded = [], [], []
    for size in SIZES:
        _write(folder, size)
        whole = _measured(["evaluate", f"{folder}/gold.jsonl", f"a={folder}/a.jsonl"])
        parts = _measured(
            ["evaluate", f"{folder}/gold-*.jsonl", f"a={folder}/a-*.jsonl", "--engine", "local"]
        )
        times.append(whole[0])
        peaks.append(whole[1])
        sharded.append(parts[1])
        print(
            f"| {size:,} | {whole[0]:.2f} | {whole[1] / 2**20:.0f} | {parts[0]:.2f} | {parts[1] / 2**20:.0f} |"
        )
        for path in folder.iterdir():
            path.unlink()
    (a, start), (b, base), (c, alone) = (np.polyfit(SIZES, values, 1) for values in (times, peaks, sharded))
    print(
        f"\nStraight lines: {start:.2f} s and {1e6 * a:.2f} us a document; {base / 2**20:.0f} MB and {b:.0f} bytes a document;"
    )
    print(f"in shards {alone / 2**20:.0f} MB and {c:.1f} bytes a document")
    return float(a)


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
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:,.0f} h" if seconds < 48 * 3600 else f"{seconds / 86400:,.0f} days"


if __name__ == "__main__":
    main()
