# SPDX-License-Identifier: Apache-2.0
"""Figures 1 and 4: sweeps over DialSeg711, compared with the released files row by row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.metrics.base import Floats
from caesura.results.reproduce.facts import Series
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import SEED
from caesura_reproductions.paper_003._curves import COLUMNS, SEEDS, Row, SweptScores, random_scores
from caesura_reproductions.paper_003._drawing import DRAWN, ENDS, curve, in_order, released_curves
from caesura_reproductions.paper_003._gold import Gold, gold
from caesura_reproductions.paper_003._released import TOLERANCE, Records, column, read_rows
from caesura_reproductions.paper_003._tiling import depths
from caesura_reproductions.printed import Printed

__all__ = ["sweeps"]

_RESAMPLES = 1000
_ROUNDING = 3e-7
"""Of thresholds between depths in float32."""


@item("Fig1", "Figures 1 and 4, sweeps over DialSeg711 (released files)")
def sweeps(printed: Printed, data: Data) -> Iterator[Found]:
    """Sweep random scores of all seeds and the depths of TextTiling, and count the rows that match every released value."""
    reference = gold(data, "DialSeg711", "T3", "user_turns")
    released = read_rows(data, "results/sweep_dialseg711_random.csv.gz")
    ours = {
        profile: [random_scores(reference, seed).rows(profile) for seed in SEEDS] for profile in ("as_run", "paper")
    }
    as_run, definition = (
        _largest(released, [row for rows in swept for row in rows], reference) for swept in ours.values()
    )
    worst = max(float(apart.max()) for apart in as_run.values())
    others = ", ".join(f"{name} {float(definition[name].max()):.3f}" for name in COLUMNS)
    ((row, name),) = printed
    note = f"largest difference {worst:.1e}; under the definitions of the paper: {others}"
    yield Value(row, name, f"{_equal(as_run)} rows", note=note)
    apart = definition["wf1_1to1"]
    yield finding(
        "Appendix G and the released code",
        "One-to-one W-F1 takes the largest matching of predictions and gold boundaries.",
        "The code takes the nearest pairs first, ties in the order of Python sets that were filled as predictions were accepted. "
        f"{int((apart > TOLERANCE).sum())} of the {len(apart)} rows of the sweep differ from the definition, by up to "
        f"{float(apart.max()):.3f}.",
    )
    found = depths(data, "DialSeg711", "user_turns")
    swept = SweptScores(reference, np.concatenate([found[key] for key in reference]))
    made = [*_tiling(data, swept, reference), *curve("random", *ours["as_run"]), *released_curves(data)]
    yield from (one for one in made if not isinstance(one, Series))
    yield from in_order(one for one in made if isinstance(one, Series))


def _tiling(data: Data, swept: SweptScores, reference: Gold) -> Iterator[Found]:
    """Yield the number of rows of the TextTiling sweep that match every released value, and of their intervals."""
    released = read_rows(data, "results/sweep_dialseg711_texttiling.csv")
    ours = swept.rows("as_run")
    apart = _largest(released, ours, reference)
    tau = float(apart.pop("tau").max())
    equal = np.max(list(apart.values()), axis=0) <= TOLERANCE
    odd = {row.step: row.boundaries for row, same in zip(ours, equal, strict=True) if not same}
    note = f"thresholds differ by at most {tau:.1e}, the rounding of the depths" + "".join(
        f"; at step {step} two depths lie on either side of the threshold, so that ours selects {count} boundaries and theirs "
        f"{next(row['n_pred_boundaries'] for row in released if int(row['step']) == step)}"
        for step, count in odd.items()
    )
    place = f"TextTiling, all {len(released)} rows"
    holds = tau <= _ROUNDING and len(odd) <= 1
    yield Value(place, "bor, scores and counts", f"{len(ours) - len(odd)} rows", note=note, holds=holds)
    intervals = read_rows(data, "results/bootstrap_ci_dialseg711_texttiling.csv.gz")
    ends = _intervals(swept, ours)
    wrong = _apart(ends, ours, intervals)
    of_odd = np.array([int(row["step"]) in odd for row in intervals])
    yield Value(
        f"TextTiling, all {len(intervals)} intervals",
        "estimate, low and high",
        f"{int((wrong <= TOLERANCE).sum())} intervals",
        note=f"dialogues resampled {_RESAMPLES:,} times; the others are of the row that differs, by at most {wrong.max():.1e}",
        holds=bool((wrong[~of_odd] <= TOLERANCE).all()),
    )
    yield from curve("texttiling", ours, bands=ends)


def _intervals(swept: SweptScores, ours: list[Row]) -> dict[str, Floats]:
    """Return estimate, low and high of every row by column; every point uses a fresh stream of the same seed."""
    stream = np.random.RandomState(SEED)
    dialogues = len(swept.reference)
    drawn = np.stack([stream.choice(dialogues, dialogues, replace=True) for _ in range(_RESAMPLES)])
    scores = swept.per_dialogue("as_run", [row.tau for row in ours])
    return {
        name: np.array([[row.mean(), *np.percentile(row[drawn].mean(axis=1), (2.5, 97.5))] for row in values])
        for name, values in scores.items()
        if name in DRAWN
    }


def _apart(ends: dict[str, Floats], ours: list[Row], released: Records) -> Floats:
    """Return the largest difference of each released interval."""
    places = {row.step: place for place, row in enumerate(ours)}
    return np.array(
        [
            np.abs(ends[theirs["metric"]][places[int(theirs["step"])]] - [float(theirs[name]) for name in ENDS]).max()
            for theirs in released
        ]
    )


def _equal(apart: dict[str, Floats]) -> int:
    return int((np.max(list(apart.values()), axis=0) <= TOLERANCE).sum())


def _largest(released: Records, ours: list[Row], reference: Gold) -> dict[str, Floats]:
    """Return the difference of every row, column by column."""
    total = sum(g.n_boundaries for g in reference.values())
    columns = {
        "step": [row.step for row in ours],
        "n_pred_boundaries": [row.boundaries for row in ours],
        "n_gold_boundaries": [total] * len(ours),
        "tau": [row.tau for row in ours],
        "bor": [row.bor for row in ours],
        **{name: [row.scores[name] for row in ours] for name in COLUMNS},
    }
    return {name: np.abs(column(released, name) - np.array(values)) for name, values in columns.items()}
