# SPDX-License-Identifier: Apache-2.0
"""The page on limits states those of the code, and all of them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import caesura.limits as limits
from caesura import strict_npy
from caesura.cli import _evaluating
from caesura.declare import _parameters
from caesura.encoders import http, safetensors, web
from caesura.encoders._model import folder, tokens
from caesura.encoders.cache import database
from caesura.errors import LONGEST
from caesura.evaluation.agree import planning, report
from caesura.evaluation.chance import expected, verdict
from caesura.evaluation.intervals import DRAWS, MOST_DRAWS
from caesura.formats import _timed
from caesura.reports.page import documents

PAGE = (Path(__file__).parents[1] / "docs" / "limits.md").read_text(encoding="utf-8")
NUMBERS, _, _ = PAGE.partition("## Messages")
SERVER = inspect.signature(http.HttpEncoder).parameters

RAISED = {
    "content of a file that is read as a whole, decompressed": limits.CONTENT,
    "line of a JSONL file": limits.LINE,
    "file in a zip archive, decompressed": limits.MEMBER,
    "results file, or the counts next to it": limits.RESULTS,
    "expansion of a compressed file (gzip, Zstandard, zip, Parquet, Arrow, counts)": limits.RATIO,
    "content that a compressed file may always have": limits.ALLOWANCE,
    "elements of an XML file": limits.ELEMENTS,
    "attributes of an XML element": limits.ATTRIBUTES,
    "nesting of XML elements": limits.DEPTH,
    "units, in all, for each of which something is made that the file does not hold": limits.UNITS,
    "units that each document may have in any case for that": limits.EACH,
}
OTHERS = {
    "units of a document": f"{_parameters._LARGEST:,}",
    "times in a recording": f"{_timed._LONGEST:,} ms",
    "nesting of JSON": "Python's recursion limit",
    "cache of vectors": f"{database.DEFAULT_LIMIT >> 30} GiB",
    "time of a request to a server": f"{SERVER['timeout'].default:g} s",
    "attempts of a request": f"{SERVER['attempts'].default}",
    "response of a server": f"{web._PER_TEXT >> 20} MiB per text",
    "header of an npy or npz array": f"{strict_npy.LONGEST_HEADER:,} bytes",
    "header of a safetensors file": f"{safetensors._LONGEST_HEADER:,} bytes",
    "vocabulary of a model": f"{tokens._LARGEST >> 20} MiB",
    "settings file of a model": f"{folder._LARGEST_JSON >> 20} MiB",
    "verdicts of `evaluate`": f"{_evaluating._MANY:,} documents times systems, or {_evaluating._MANY_BOUNDARIES:,} boundaries of "
    "all systems",
    "random placements of one system for skill and verdicts": f"{DRAWS}; from {expected.MANY_BOUNDARIES:,} boundaries on at least "
    f"{expected.fewest_draws(10**9)} to {expected.fewest_draws(1)}, until the standard error is at most {expected._ERROR:.4f} of the scale "
    f"({10 * expected._ERROR:.3f} of CIDEr-D, from 0 to 10), of verdicts at least {verdict._FEWEST}",
    "words per segment, and documents by number of speakers, on the page": f"{documents._MOST_READ:,} documents",
    "resamples and permutations": f"{MOST_DRAWS:,}",
    "contested gaps in a results file of `agree`": f"{report._MOST_CONTESTED:,}",
    "subsets of annotators for `agree --plan-width`": f"{planning._SUBSETS} of each number of annotators; beyond "
    f"{planning._EACH} annotators the numbers grow by a third, and of large subsets at least {planning._FEWEST_SUBSETS} are drawn",
}


def test_the_page_has_the_numbers_of_the_code() -> None:
    rows = [re.split(r"\s*\|\s*", line)[1:4] for line in NUMBERS.splitlines() if line.startswith("| ")]
    shown = {name: value for name, value, _ in rows if name not in ("limit", "---")}
    assert shown == {**{name: str(limit) for name, limit in RAISED.items()}, **OTHERS}
    assert f"more than {LONGEST} characters" in PAGE


def test_no_limit_is_left_out() -> None:
    assert set(RAISED.values()) == {value for value in vars(limits).values() if isinstance(value, limits.Limit)}
    assert limits.VARIABLE in PAGE


def test_the_peak_is_that_of_the_program_and_not_of_whoever_started_it():
    code = "from caesura.limits import peak_bytes; print(peak_bytes())"
    ballast = np.ones(40_000_000)  # 320 MB, which a child would inherit in ru_maxrss
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert limits.peak_bytes() > ballast.nbytes
    if sys.platform == "linux":
        assert 0 < int(done.stdout) < 200_000_000
