# SPDX-License-Identifier: Apache-2.0
"""Paper 003, granularity-aware evaluation: its baselines, its random sweep and the areas under its curves.

Two readings are compared: ``as_run`` follows the released code, ``paper`` the appendices, both on the same gold and the
same predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from caesura.errors import FormatError
from caesura.evaluation import evaluate
from caesura.experiments.reproductions.paper_003 import printed
from caesura.experiments.reproductions.paper_003.baselines import baseline
from caesura.experiments.reproductions.paper_003.gold import DATASETS, Gold, View, gold
from caesura.experiments.reproductions.paper_003.printed import Row
from caesura.experiments.reproductions.paper_003.released import (
    WHY,
    check_areas,
    check_per_dialogue,
    check_sweep,
    read_rows,
)
from caesura.experiments.reproductions.report import Reproduction
from caesura.results.reproduction import Absent, Cell
from caesura.results.verdict import Thresholds

__all__ = ["TITLE", "reproduce"]

TITLE = "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation"
_WHY = {"W-F1": WHY["wf1"], "Purity": WHY["purity"], "Coverage": WHY["coverage"]}
_GOLD_LOST = (
    "Appendix D counts all turns and all gold boundaries; the code counts the user's turns, without the boundary that leaves the "
    "first segment"
)
_MODEL = "needs a trained model"
_TABLE_4_NAMES = {"Random": "Random share", "Oracle-Periodic": "Even"}
_ABSENT = (
    Absent("Table 3", "SuperSeg rows", "the topic ids of the source are not available; boundaries derived from another copy differ"),
    Absent("Table 4", "TextTiling: W-F1, Purity, Coverage", "needs the full texts and the encoder all-MiniLM-L6-v2"),
    Absent("Table 4", "CSM: W-F1, Purity, Coverage", "needs bert-base next-sentence prediction"),
    Absent("Table 6", "all differences with their intervals", "need the TextTiling and CSM predictions of every dialogue"),
    Absent("Tables 7, 8", "training of the scorer", f"{_MODEL}, whose checkpoint is not released"),
    Absent("Tables 9, 10, 12", "all but the gold counts of DialSeg711 and TIAGE", f"{_MODEL}, whose checkpoint is not released"),
    Absent("Figures 1, 4", "curves of neural, TextTiling and CSM", "need the models; the areas under them are computed from the released curves"),
    Absent("Figure 3", "adaptive selection", f"{_MODEL}; the rule itself is AdaptiveSelector"),
)  # fmt: skip


def reproduce(folder: Path) -> Reproduction:
    """Reproduce the tables from a folder of the masses of both datasets, and of ``episodic_released``."""
    # The paper prints no numbers of the units that Appendix D describes.
    unprinted = {row: dict.fromkeys(digits) for row, digits in printed.TABLE_3.items()}
    cells = [
        *_scored(folder, "Table 3", "T3", "user_turns", printed.TABLE_3),
        *_scored(folder, "Table 3 on Appendix D units", "T3", "utterances", unprinted),
        *_scored(folder, "Table 4", "T4", "utterances", printed.TABLE_4),
        *_counted(folder),
    ]
    cells += _regimes(cells)
    cells += _scored(folder, "Table 6, base", "T6", "utterances", printed.TABLE_6_BASE)
    cells += _gold_counts(folder)
    users = gold(folder, "DialSeg711", "T3", "user_turns")
    files = [*check_sweep(folder, users), *check_areas(folder), *check_per_dialogue(folder, users)]
    return Reproduction("003", TITLE, cells, files, _ABSENT)


def _scored(
    folder: Path, title: str, item: str, view: View, rows: Mapping[Row, Mapping[str, str | None]]
) -> list[Cell]:
    """Score the rows of a table under both readings."""
    cells = []
    for (dataset, row), digits in rows.items():
        reference = gold(folder, dataset, item, view)
        hypothesis = baseline(_TABLE_4_NAMES[row] if item == "T4" else row, reference)
        as_run, by_paper = (_scores(reference, hypothesis, profile) for profile in ("as_run", "paper"))
        for column, text in digits.items():
            cell = Cell(title, dataset, row, column, text, as_run[column], by_paper[column])
            if cell.shown(cell.as_run) != cell.shown(cell.paper):
                cell.reason = _WHY.get(column, "")
            cells.append(cell)
    return cells


def _scores(reference: Gold, hypothesis: Gold, profile: str) -> dict[str, float]:
    """Return the scores of a row; the exact F1 of the paper's tables is pooled."""
    names = ["W-F1", "BOR", "Purity", "Coverage"]
    scores = evaluate(reference, {"row": hypothesis}, names, profile=profile).scores["row"]
    pooled = evaluate(reference, {"row": hypothesis}, "F1", profile=profile, by="micro").scores["row"]
    return {**scores, **pooled}


def _counted(folder: Path) -> list[Cell]:
    """Return what follows from the released counts of the external methods: BOR and the pooled exact F1."""
    path = folder / "episodic_released" / "results_external" / "external_methods.csv"
    rows = {(row.get("Dataset"), row.get("Method")): row for row in read_rows(path)}
    cells = []
    for (dataset, method), digits in printed.TABLE_4_COUNTED.items():
        row = rows.get((printed.RELEASED_COUNTS[dataset], printed.RELEASED_COUNTS[method]))
        try:
            true, predicted, hits = (int((row or {})[name]) for name in ("Gold", "Pred", "TP"))
            values = {"BOR": predicted / true, "F1": 2 * hits / (predicted + true)}
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise FormatError(f"has no counts for {method} on {dataset}", path) from None
        cells += [
            Cell("Table 4, by counts", dataset, method, column, text, values[column], values[column])
            for column, text in digits.items()
        ]
    return cells


def _gold_counts(folder: Path) -> list[Cell]:
    cells = []
    for dataset in DATASETS:
        as_run, by_paper = (
            float(sum(g.n_boundaries for g in gold(folder, dataset, "T3", view).values()))
            for view in ("user_turns", "utterances")
        )
        text = printed.GOLD_COUNTS[dataset]
        cells.append(Cell("Tables 9, 12", dataset, "all", "Gold", text, as_run, by_paper, _GOLD_LOST))
    return cells


def _regimes(cells: list[Cell]) -> list[Cell]:
    """Return the labels of Table 5, which follow from the BOR of Table 4."""
    bor = {
        (cell.dataset, cell.row): cell.as_run
        for cell in cells
        if cell.item.startswith("Table 4") and cell.column == "BOR" and isinstance(cell.as_run, float)
    }
    cuts = Thresholds()
    return [
        Cell("Table 5", *key, "Density Regime", label, cuts.regime(bor[key]).capitalize())
        for key, label in printed.TABLE_5.items()
    ]
