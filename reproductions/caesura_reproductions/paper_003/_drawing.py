# SPDX-License-Identifier: Apache-2.0
"""The curves of Figures 1 and 4: the released ones, and ours in panels next to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from caesura.metrics.base import Floats
from caesura.results.reproduce.facts import Series
from caesura_reproductions.base import drawn
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._curves import Row
from caesura_reproductions.paper_003._released import SCORERS, column, over_seeds, read_rows, sweep_rows

__all__ = ["DRAWN", "ENDS", "curve", "in_order", "released_curves"]

DRAWN = {"wf1": "W-F1", "coverage": "Coverage", "wf1_1to1": "W-F1, one to one", "exact_f1": "F1"}
"""The columns that have released intervals; the last one is in no figure."""
ENDS = ("estimate", "ci_low", "ci_high")
_DATASETS = {"dialseg711": "DialSeg711", "superseg": "SuperSeg"}
_CALLED = {"neural": "Episodic", "texttiling": "TextTiling", "csm": "CSM", "random": "random"}
_POINTS = 60
"""The number of points of a curve; more cannot be distinguished on paper."""


def released_curves(data: Data) -> Iterator[Series]:
    """Yield the curves of both datasets as they were released, with intervals where there are any."""
    for dataset, scorer in ((d, s) for d in _DATASETS for s in SCORERS):
        rows = sweep_rows(data, dataset, scorer)
        intervals = [] if scorer == "random" else read_rows(data, f"results/bootstrap_ci_{dataset}_{scorer}.csv.gz")
        for metric in DRAWN:
            bor, values = over_seeds(rows, ("bor", metric))
            own = [row for row in intervals if row["metric"] == metric]
            band = np.stack([column(own, name) for name in ("bor", *ENDS)]) if own else None
            yield from _drawn(f"{_DATASETS[dataset]}, released", scorer, metric, bor, values, band)


def curve(scorer: str, *sweeps: Sequence[Row], bands: Mapping[str, Floats] | None = None) -> Iterator[Series]:
    """Yield our curves of a scorer over DialSeg711; for several sweeps, their mean step by step."""
    rows: dict[int, list[Row]] = {}
    for row in (row for sweep in sweeps for row in sweep):
        rows.setdefault(row.step, []).append(row)
    bor = np.array([np.mean([row.bor for row in same]) for same in rows.values()])
    for metric in DRAWN:
        values = np.array([np.mean([row.scores[metric] for row in same]) for same in rows.values()])
        band = None if bands is None else np.vstack([bor, bands[metric].T])
        yield from _drawn("DialSeg711, ours", scorer, metric, bor, values, band)


def in_order(curves: Iterable[Series]) -> list[Series]:
    """Return curves sorted by dataset and then by metric, so that ours are next to the released ones."""

    def place(one: Series) -> tuple[int, int, bool, int]:
        where, _, what = one.panel.partition(" | ")
        dataset, _, whose = where.partition(", ")
        return (
            list(_DATASETS.values()).index(dataset), list(DRAWN.values()).index(what), whose == "ours",
            list(_CALLED.values()).index(one.name),
        )  # fmt: skip

    return sorted(curves, key=place)


def _drawn(where: str, scorer: str, metric: str, bor: Floats, values: Floats, band: Floats | None) -> Iterator[Series]:
    if metric == "exact_f1":
        return
    x, y = (bor, values) if band is None else band[:2]
    order = np.argsort(x, kind="stable")
    points = order[np.unique(np.linspace(0, len(order) - 1, _POINTS).round().astype(int))]
    low, high = np.empty((2, 0)) if band is None else band[2:, points]
    name = DRAWN[metric]
    yield drawn(f"{where} | {name}", _CALLED[scorer], x[points], y[points], low, high, axes=("BOR", name))
