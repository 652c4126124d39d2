# SPDX-License-Identifier: Apache-2.0
"""``python -m tests.fuzz --files 1000000``: many damaged files, with a report; exits with 1 if there is a finding."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.runner import run_parallel

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Read damaged files of every format.")
    parser.add_argument("--files", type=int, default=100_000, help="how many files")
    parser.add_argument(
        "--first", type=int, default=0, help="the number of the first, to repeat one or to continue a run"
    )
    parser.add_argument("--seed", type=int, default=1, help="what all damage depends on")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--seconds", type=float, default=1e9, help="when to stop")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"), help="where files with a finding are kept")
    given = parser.parse_args()
    start = time.monotonic()
    report = run_parallel(given.seed, given.files, given.first, given.jobs, given.seconds, given.keep)
    print(f"{report}\nseed {given.seed}, {time.monotonic() - start:.0f} s")
    sys.exit(bool(report.findings))
