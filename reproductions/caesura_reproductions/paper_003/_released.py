# SPDX-License-Identifier: Apache-2.0
"""Tables released with the paper."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from caesura_reproductions.data import Data

__all__ = ["SCORERS", "TOLERANCE", "Records", "column", "over_seeds", "read_rows", "sweep_rows"]

SCORERS = ("neural", "texttiling", "csm", "random")
TOLERANCE = 1e-12
"""The tolerance for sums of several hundred numbers, which depend on the order of addition in their last bits."""

Records = list[dict[str, str]]


def read_rows(data: Data, name: str) -> Records:
    """Read a released CSV file, compressed or not, such as ``results/auc_summary.csv``."""
    text = data.read(f"reproduction/episodic_released/{name}").decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def column(rows: Records, name: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers."""
    return np.array([float(row[name]) for row in rows])


def sweep_rows(data: Data, dataset: str, scorer: str) -> Records:
    """Read the released sweep of a scorer over a dataset."""
    return read_rows(data, f"results/sweep_{dataset}_{scorer}.csv{'.gz' if scorer == 'random' else ''}")


def over_seeds(rows: Records, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return columns of a sweep, one row each; for random scores, the mean over the seeds step by step."""
    table = np.array([column(rows, name) for name in names])
    if not rows[0].get("seed"):
        return table
    steps = column(rows, "step")
    return np.stack([table[:, steps == step].mean(axis=1) for step in np.unique(steps)], axis=1)
