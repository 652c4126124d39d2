# SPDX-License-Identifier: Apache-2.0
"""Tables 7 to 10 and 12, of the trained scorer: gold counts from the gold, BOR from the printed counts.

A scorer of the user (``--model``) has rows of its own beside print: it is another scorer, so no printed number is its reproduction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from caesura.formats import load
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method
from caesura_reproductions.base import Found, Item, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._gold import DATASETS, gold
from caesura_reproductions.paper_003._released import column, read_rows
from caesura_reproductions.paper_003._scored import scores
from caesura_reproductions.printed import Printed

__all__ = ["eight_datasets", "on_joined", "on_real", "purity_and_coverage", "three_datasets"]

_NO_MODEL = "needs the trained scorer, whose checkpoint is not released; docs/train.md has scorers of our own"
_LOST = "the code counts the user's turns, without the boundary that leaves the first segment; Appendix D gives {}"


_FILES = {
    "DialSeg711": "dialseg711/dialseg711_shared500.jsonl.gz",
    "SuperSeg": "superdialseg/superseg_test.jsonl.gz",
    "TIAGE": "tiage/tiage_test.jsonl.gz",
    "DailyDialog": "dailydialog/dailydialog_concat_test.jsonl.gz",
    "MultiWOZ": "multiwoz/multiwoz21_test_multidomain.jsonl.gz",
    "Taskmaster": "taskmaster/taskmaster_concat_tm3_tm4.jsonl.gz",
    "Topical-Chat": "topical_chat/topicalchat_concat_test_freq.jsonl.gz",
    "QMSum": "qmsum/qmsum_test_academic_product.jsonl.gz",
}
"""Documents with texts below the data, which a model of the user segments."""
_OWN = "own scorer"


def _own(data: Data, datasets: Iterable[str]) -> Iterator[tuple[str, dict[str, float], str]]:
    """Yield the scores of the user's model on each dataset that is there, and on what."""
    if data.model is None:
        return
    method = segmenter(f"model:{data.model}")
    for dataset in datasets:
        path = data.folder / _FILES[dataset]
        if not path.exists():
            yield dataset, {}, f"needs {_FILES[dataset]} below the data"
            continue
        corpus = load(path)
        made = run_method(corpus, method)
        reference, hypothesis = (
            {d.id: d.segmentation for d in c if d.segmentation is not None} for c in (corpus, made)
        )
        counts = {"Pred": hypothesis, "Gold": reference}
        found = scores(reference, hypothesis, "as_run")
        found |= {name: float(sum(each.n_boundaries for each in of.values())) for name, of in counts.items()}
        yield dataset, found, f"the scorer in {Path(data.model).name} on {len(corpus)} documents of {path.name}"


def _own_rows(data: Data, rows: Iterable[str], columns: Collection[str]) -> Iterator[Value]:
    for dataset, found, note in _own(data, rows):
        if not found:
            yield Value(f"{_OWN} | {dataset}", "every score", note=note)
        yield from (Value(f"{_OWN} | {dataset}", name, found[name], note=note) for name in columns if name in found)


def _counted(printed: Printed, data: Data) -> Iterator[Found]:
    """Yield the gold counts, the BOR of each pair of printed counts, and the scores of the user's scorer."""
    yield from _own_rows(data, dict.fromkeys(row for row, _ in printed), dict.fromkeys(name for _, name in printed))
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


def _first_stage(printed: Printed, data: Data) -> Iterator[Found]:
    """Yield no number, since every one is of the scorer, but what the released file of the first stage holds."""
    yield finding(
        "Table 1, stage 1, and the released data",
        "The first stage joins real segments of the training splits, with documents of a single segment as a control.",
        "The file that the released script and its README name (data/synthetic/synthetic_large_train.json at 07205360) is made of templates: "
        "18,834 messages, 4,043 of them distinct. 49 % of its windows are boundaries, and it has no document of a single segment. Which "
        "files made the printed tables is not known.",
    )


def _second_stage(printed: Printed, data: Data) -> Iterator[Found]:
    """Yield what the released script of the second stage reads, and the scores of the user's scorer."""
    for dataset, found, note in _own(data, ("SuperSeg", "TIAGE")):
        yield from (Value(_OWN, f"{dataset} {name}", found.get(name), note=note) for name in ("F1", "BOR"))
    yield finding(
        "Table 1, stages 2 and 3, and the released code",
        "The second stage is trained on SuperSeg and TIAGE only, and the temperature is fitted on SuperSeg.",
        "The released script (training/train_3stage.py at 07205360) lists superseg, dialseg711 and tiage for training and for validation, and "
        "fits the temperature on the validation windows of all of them. DialSeg711 is among the datasets that are tested.",
    )


def _table(name: str, title: str) -> Item:
    return item(name, title, otherwise=_NO_MODEL, takes_model=True)(_counted)


on_joined, on_real = (
    item(name, f"Training of the scorer, {what}", otherwise=_NO_MODEL, takes_model=stage is _second_stage)(stage)
    for name, what, stage in (("T7", "synthetic boundaries", _first_stage), ("T8", "SuperSeg and TIAGE", _second_stage))
)
three_datasets = _table("T9", "The trained scorer on three datasets")
purity_and_coverage = _table("T10", "The trained scorer, purity and coverage")
eight_datasets = _table("T12", "The trained scorer on eight datasets")
