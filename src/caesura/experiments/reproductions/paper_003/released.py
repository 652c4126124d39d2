# SPDX-License-Identifier: Apache-2.0
"""Files released with the paper, compared with their reproduction."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from caesura.errors import FormatError
from caesura.experiments.reproductions.paper_003.curves import COLUMNS, SEEDS, RandomScores, area
from caesura.experiments.reproductions.paper_003.gold import Gold
from caesura.results import number
from caesura.results.reproduction import FileCheck

__all__ = ["check_areas", "check_per_dialogue", "check_sweep", "read_rows"]

TOLERANCE = 1e-12
"""Sums of some hundred numbers differ in the last bits by the order in which they are added."""

_LARGEST = 1 << 26
_RESULTS = Path("episodic_released", "results")
_SCORERS = ("neural", "texttiling", "csm", "random")
_AREAS = {"auc_wf1": "wf1", "auc_wf1_1to1": "wf1_1to1", "auc_coverage": "coverage"}
WHY = {
    "wf1": "Appendix A credits every gold boundary within the tolerance of a prediction, the code only the first it meets",
    "wf1_1to1": "Appendix G defines a maximum matching, the code matches the nearest pairs first",
    "coverage": "Appendix B weights segments by their turns, the code weights all alike",
    "purity": "Appendix B weights segments by their turns, the code weights all alike",
}
"""Why a column differs under the definitions of the paper."""

Records = list[dict[str, str]]


def read_rows(path: Path) -> Records:
    """Read a released CSV file, compressed or not."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise FormatError("is too large for a released file", path)
        return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise FormatError(
            f"cannot be read ({why}); it belongs to the released data of the paper", path
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"is not a CSV file: {error}", path) from None


def check_sweep(folder: Path, reference: Gold) -> list[FileCheck]:
    """Compare the random sweep of DialSeg711, all seeds, column by column."""
    path = folder / _RESULTS / "sweep_dialseg711_random.csv.gz"
    released = read_rows(path)
    scores = [RandomScores(reference, seed) for seed in SEEDS]
    ours, by_paper = ([row for each in scores for row in each.rows(p)] for p in ("as_run", "paper"))
    if len(released) != len(ours):
        raise FormatError(f"has {len(released)} rows, the reproduction has {len(ours)}", path)
    total = sum(g.n_boundaries for g in reference.values())
    checks = [
        _check(path, "seed", released, [row.seed for row in ours], 0.0),
        _check(path, "step", released, [row.step for row in ours], 0.0),
        _check(path, "n_pred_boundaries", released, [row.boundaries for row in ours], 0.0),
        _check(path, "n_gold_boundaries", released, [total] * len(ours), 0.0),
        _check(path, "tau", released, [row.tau for row in ours], TOLERANCE),
        _check(path, "bor", released, [row.bor for row in ours], TOLERANCE),
    ]
    for column in COLUMNS:
        check = _check(path, column, released, [row.scores[column] for row in ours], TOLERANCE)
        other = _check(path, column, released, [row.scores[column] for row in by_paper], TOLERANCE)
        check.paper_largest_difference = other.largest_difference
        check.reason = "" if other.matched else WHY.get(column, "")
        checks.append(check)
    return checks


def check_areas(folder: Path) -> list[FileCheck]:
    """Compare the areas under the released curves with the released summary."""
    path = folder / _RESULTS / "auc_summary.csv"
    summary = {(row.get("dataset"), row.get("model")): row for row in read_rows(path)}
    areas: dict[str, list[float]] = {column: [] for column in _AREAS}
    rows_compared: Records = []
    for dataset, scorer in itertools.product(("dialseg711", "superseg"), _SCORERS):
        if (dataset, scorer) not in summary:
            raise FormatError(f"has no row for {dataset}, {scorer}", path)
        rows_compared.append(summary[dataset, scorer])
        curve = folder / _RESULTS / f"sweep_{dataset}_{scorer}.csv{'.gz' if scorer == 'random' else ''}"
        rows = read_rows(curve)
        for column, metric in _AREAS.items():
            areas[column].append(_area(curve, rows, metric))
    return [_check(path, column, rows_compared, values, TOLERANCE) for column, values in areas.items()]


def check_per_dialogue(folder: Path, reference: Gold) -> list[FileCheck]:
    """Compare the boundaries of each dialogue at the threshold whose BOR is nearest 1, random scores of seed 0."""
    scores = RandomScores(reference, 0)
    total = sum(g.n_boundaries for g in reference.values())
    counts = [scores.boundaries(float(tau)) for tau in scores.thresholds(100)[::-1]]
    nearest = min(counts, key=lambda c: abs(int(c.sum()) / total - 1))
    predicted = dict(zip(reference, nearest.tolist(), strict=True))
    checks = []
    for scorer in _SCORERS:
        path = folder / _RESULTS / f"per_dialogue_bor_dialseg711_{scorer}.csv"
        rows = read_rows(path)
        ids = _texts(path, "dialogue_id", rows)
        unknown = [key for key in ids if key not in reference]
        if unknown:
            raise FormatError(f"has the dialogue {unknown[0]!r}, which the gold lacks", path)
        gold = [float(reference[key].n_boundaries) for key in ids]
        checks.append(_check(path, "n_gold_boundaries", rows, gold, 0.0))
        if scorer == "random":
            checks.append(_check(path, "n_pred_boundaries", rows, [predicted[key] for key in ids], 0.0))
    return checks


def _area(path: Path, rows: Records, metric: str) -> float:
    """Return the area under a released curve; of random scores that of the mean over the seeds, step by step."""
    table = np.array([_numbers(path, column, rows) for column in ("step", "bor", metric)])
    if rows and "seed" in rows[0]:
        steps = np.unique(table[0])
        table = np.array([[table[c][table[0] == s].mean() for s in steps] for c in range(3)])
    return area(table[1], table[2])


def _check(path: Path, column: str, rows: Records, values: Iterable[float], tolerance: float) -> FileCheck:
    theirs, ours = _numbers(path, column, rows), np.fromiter(values, dtype=np.float64)
    worst = float(np.abs(theirs - ours).max(initial=0.0))
    return FileCheck(path.name, column, len(theirs), number(worst), tolerance)


def _texts(path: Path, column: str, rows: Records) -> list[str]:
    missing = [place for place, row in enumerate(rows) if row.get(column) is None]
    if missing:
        raise FormatError(f"has no column {column!r}", path, missing[0] + 2)
    return [row[column] for row in rows]


def _numbers(path: Path, column: str, rows: Records) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    texts = _texts(path, column, rows)
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        raise FormatError(f"has values that are not numbers in the column {column!r}", path) from None
