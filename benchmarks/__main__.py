# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks``: run the parts, write the numbers, make the page."""

from __future__ import annotations

import argparse
import importlib.metadata
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.page import render
from benchmarks.parts import (
    annotating,
    annotators,
    arrays,
    embeddings,
    files,
    growth,
    libraries,
    merge_floor,
    one_pair,
    segmenters,
    start_up,
    sweeps,
    vectors_and_checks,
    whole_calls,
    whole_paths,
    without_reference,
)
from benchmarks.results import Report
from benchmarks.settings import FULL, QUICK
from caesura import __version__
from caesura.kernels import compiled

__all__ = ["main"]

PARTS = {
    "libraries": libraries.measure,
    "floors": merge_floor.measure,
    "growth": growth.measure,
    "files": files.measure,
    "arrays": arrays.measure,
    "one-pair": one_pair.measure,
    "whole-calls": whole_calls.measure,
    "whole-paths": whole_paths.measure,
    "annotators": annotators.measure,
    "sweeps": sweeps.measure,
    "embeddings": embeddings.measure,
    "vectors-and-checks": vectors_and_checks.measure,
    "segmenters": segmenters.measure,
    "without-reference": without_reference.measure,
    "start-up": start_up.measure,
    "annotating": annotating.measure,
}
_PACKAGES = (
    "numpy",
    "msgspec",
    "click",
    "Cython",
    "segeval",
    "nltk",
    "pyannote.metrics",
    "mir_eval",
    "scikit-learn",
    "scipy",
    "ruptures",
    "chonkie",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; return the exit code."""
    options = _parser().parse_args(arguments)
    settings = QUICK if options.quick else FULL
    report = Report(quick=settings.quick, seed=settings.seed, versions=_versions())
    if not compiled() and not options.quick:
        print(
            "the kernels are not compiled, so a full run would take hours; build them, or add --quick", file=sys.stderr
        )
        return 2
    for name in options.only or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        part = PARTS[name](settings)
        report.parts.append(part)
        for goal in part.goals:
            reached = "not measured" if goal.reached is None else f"{goal.reached.median:.4g}"
            verdict = {True: "met", False: "NOT MET", None: goal.why}[goal.met]
            print(f"  {goal.number:2d}  {goal.text}: {reached} ({goal.relation} {goal.limit:g}) {verdict}", flush=True)
    if options.out:
        if options.keep and options.out.exists():
            report = report.joined(Report.load(options.out))
        report.save(options.out)
    if options.docs:
        # From what was written, so that the page can be made again from the file alone.
        whole = Report.load(options.out) if options.out else report
        options.docs.write_text(render(whole, PARTS), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, help="write the numbers to this JSON file")
    parser.add_argument("--keep", action="store_true", help="keep the other parts of that file")
    parser.add_argument("--docs", type=Path, help="write the page to this Markdown file")
    parser.add_argument("--quick", action="store_true", help="small corpora: an indication in a minute")
    parser.add_argument("--only", action="append", choices=list(PARTS), help="run only this part (repeatable)")
    return parser


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version(), "caesura": __version__}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    found["kernels"] = "compiled" if compiled() else "not compiled"
    return found


if __name__ == "__main__":
    raise SystemExit(main())
