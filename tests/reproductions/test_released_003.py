"""Paper 003 from the released gold and the released files: unrounded values of both readings, the sweep, and the draws."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caesura.errors import DeclarationError
from caesura.segmentation import Segmentation
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import baseline
from caesura_reproductions.paper_003._curves import SweptScores, area, random_scores
from caesura_reproductions.paper_003._gold import gold
from caesura_reproductions.paper_003._released import read_rows
from caesura_reproductions.paper_003._scored import scores
from caesura_reproductions.run import Reproduction, reproduce
from tests.corpora import FOLDER, corpus_file, needs

RECOMPUTED = "reproduction/recomputed_003.json"


@pytest.fixture(scope="module")
def made() -> Reproduction:
    return reproduce("003", data=FOLDER)


@needs(RECOMPUTED)
def test_both_readings_to_1e_12(made):
    """The unrounded values of both readings, as they were recomputed elsewhere from the same gold."""
    rows = json.loads(corpus_file(RECOMPUTED).read_text())["rows"]
    names = {"w_f1": "W-F1", "bor": "BOR", "purity": "Purity", "coverage": "Coverage", "f1_micro": "F1"}
    items = {"T3": "T3", "T4": "T4", "T6 base table": "T6base"}
    cells = {(c.item, c.row, c.column): c for c in made.cells}
    compared = 0
    for row in rows:
        label = "Every-N" if row["row"].startswith("Every-") else row["row"]
        if row["item"] not in items:  # Appendix D units
            whole = gold(Data(FOLDER), row["dataset"], "T3", "utterances")
            for profile, key in (("as_run", "as_run"), ("paper", "paper_same_predictions")):
                found = scores(whole, baseline(label, whole), profile)
                for name in names:
                    assert found[names[name]] == pytest.approx(row[key][name], abs=1e-12)
                    compared += 1
            continue
        for key, column in names.items():
            cell = cells.get((items[row["item"]], f"{label} | {row['dataset']}", column))
            if cell is not None:
                assert cell.ours == pytest.approx(row["as_run"][key], abs=1e-12)
                assert cell.definition == pytest.approx(row["paper_same_predictions"][key], abs=1e-12)
                compared += 1
    assert compared == 54 + 60


def test_the_random_sweep_has_every_released_row(made):
    sweep, tiling, intervals = [cell for cell in made.cells if cell.item == "Fig1"]
    assert (sweep.printed, sweep.ours, sweep.status) == ("2000 rows", "2000 rows", "exact")
    assert "wf1_1to1 0.006" in sweep.note
    # One threshold lies between two depths that float32 tells apart by 4e-8; the row selects one boundary more.
    assert (tiling.ours, tiling.status, tiling.printed) == ("130 rows", None, None)
    assert "ours selects 2757 boundaries and theirs 2756" in tiling.note
    assert intervals.ours == "520 intervals"


def test_the_order_of_acceptance_matters():
    """With sets filled in ascending order the released one-to-one column does not come out for five of ten seeds."""
    rows = read_rows(Data(FOLDER), "results/sweep_dialseg711_random.csv.gz")
    released = [float(row["wf1_1to1"]) for row in rows if row["seed"] == "2"]
    scores = random_scores(gold(Data(FOLDER), "DialSeg711", "T3", "user_turns"), 2)
    right = [row.scores["wf1_1to1"] for row in scores.rows("as_run")]
    assert right == pytest.approx(released, abs=1e-12)

    class Ascending(SweptScores):
        def _pairs(self):
            pairs, _ = super()._pairs()
            return pairs, pairs.hyp_pos.tolist()

    other = [row.scores["wf1_1to1"] for row in Ascending(scores.reference, scores.scores).rows("as_run")]
    assert max(abs(a - b) for a, b in zip(other, released, strict=True)) > 1e-4


def test_the_units_of_appendix_d_are_an_erratum(made):
    (units,) = [e for e in made.errata if e.where.startswith("Appendix D")]
    assert "2042 of the 2754" in units.shown


def test_draws_go_on_from_dialogue_to_dialogue():
    """One stream serves all dialogues: what one draws depends on those before it."""
    a, b = Segmentation(30, (5, 9, 20)), Segmentation(40, (7, 8, 30, 31))
    both, alone = baseline("Random", {"a": a, "b": b}), baseline("Random", {"b": b})
    assert [both[key].n_boundaries for key in "ab"] == [3, 4]
    assert both["b"] != alone["b"]
    assert baseline("Random share", {"b": b})["b"].n_boundaries == 3
    with pytest.raises(DeclarationError, match="no baseline 'Evn'"):
        baseline("Evn", {"a": a})


def test_a_sweep_of_random_scores_is_what_a_selector_selects():
    from caesura.metrics import metric
    from caesura.selectors import StaticSelector

    reference = {"a": Segmentation(12, (3, 4, 9)), "b": Segmentation(9, (4,)), "c": Segmentation(7)}
    scores = random_scores(reference, 3)
    flat = scores.flat
    rows = scores.rows("paper")
    assert len(rows) > 5
    for row in rows[::5]:
        chosen = [
            StaticSelector(threshold=row.tau, min_gap=2).select(flat.scores[flat.ptr[d] : flat.ptr[d + 1]])
            for d in range(3)
        ]
        assert row.boundaries == sum(s.n_boundaries for s in chosen)
        pairs = list(zip(reference.values(), chosen, strict=True))
        assert row.scores["wf1"] == pytest.approx(np.mean([metric("W-F1")(r, h) for r, h in pairs]))
        assert row.scores["purity"] == pytest.approx(np.mean([metric("Purity")(r, h) for r, h in pairs]))


def test_area_leaves_out_what_lies_outside():
    assert area(np.array([0.1, 0.2, 5.0, 9.0]), np.array([9.0, 1.0, 1.0, 9.0])) == pytest.approx(1.0)
    assert np.isnan(area(np.array([1.0]), np.array([1.0])))
