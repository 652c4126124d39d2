# SPDX-License-Identifier: Apache-2.0
"""Tables 7 to 10 and 12, of the trained scorer: gold counts from the gold, BOR from the printed counts."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Item, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_003._gold import DATASETS, gold
from caesura.experiments.reproductions.paper_003._released import column, read_rows
from caesura.experiments.reproductions.printed import Printed

__all__ = ["eight_datasets", "on_joined", "on_real", "purity_and_coverage", "three_datasets"]

_NO_MODEL = (
    "needs the trained scorer, whose checkpoint is not released; docs/training.md has scorers of our own"
)
_LOST = "the code counts the user's turns, without the boundary that leaves the first segment; Appendix D gives {}"


def _counted(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Yield the gold counts, and the BOR of each pair of printed counts."""
    counts = printed.others["T12"]
    for row in dict.fromkeys(row for row, _ in printed):
        predicted, true = (int(counts[row, name].number) for name in ("Pred", "Gold"))
        yield Value(row, "BOR", predicted / true, note=f"{predicted} / {true}")
        if (row, "Gold") not in printed:
            continue
        if row in DATASETS:
            ours, whole = (
                sum(g.n_boundaries for g in gold(data, row, "T3", view).values())
                for view in ("user_turns", "utterances")
            )
            yield Value(row, "Gold", float(ours), note=_LOST.format(whole), definition=float(whole))
        elif row == "SuperSeg":
            rows = read_rows(data, "results/per_dialogue_bor_superseg_random.csv")
            total = float(column(rows, "n_gold_boundaries").sum())
            yield Value(row, "Gold", total, note="sum of the released counts of each dialogue")


def _nothing(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Yield nothing: every number is of the scorer."""
    yield from ()


def _table(name: str, title: str) -> Item:
    return item(name, title, otherwise=_NO_MODEL)(_counted)


on_joined, on_real = (
    item(name, f"Training of the scorer, {what}", otherwise=_NO_MODEL)(_nothing)
    for name, what in (("T7", "synthetic boundaries"), ("T8", "SuperSeg and TIAGE"))
)
three_datasets = _table("T9", "The trained scorer on three datasets")
purity_and_coverage = _table("T10", "The trained scorer, purity and coverage")
eight_datasets = _table("T12", "The trained scorer on eight datasets")
