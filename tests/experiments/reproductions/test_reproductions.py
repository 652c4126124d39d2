"""Reproductions: every printed digit of paper 003 that needs no model, and the mechanism without the data."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from caesura.errors import DeclarationError, FormatError
from caesura.experiments.reproductions import Reproduction, papers, reproduce
from caesura.experiments.reproductions.paper_003.baselines import baseline
from caesura.experiments.reproductions.paper_003.curves import RandomScores, area
from caesura.experiments.reproductions.paper_003.gold import gold
from caesura.experiments.reproductions.paper_003.released import read_rows
from caesura.results import as_text, read_results, tables_of
from caesura.results.reproduction import Absent, Cell, FileCheck
from caesura.segmentation import Segmentation

DATA = os.environ.get("CAESURA_DATA")
FOLDER = Path(DATA or "") / "reproduction"
needs_data = pytest.mark.skipif(not DATA, reason="CAESURA_DATA is not set; the released gold is not shipped")


@pytest.fixture(scope="module")
def made() -> Reproduction:
    return reproduce("003", FOLDER)


@needs_data
def test_every_printed_digit(made):
    printed = [cell for cell in made.cells if cell.printed is not None]
    assert len(printed) == 72
    assert [cell for cell in printed if not cell.matched] == []
    items = {cell.item for cell in printed}
    assert items == {"Table 3", "Table 4", "Table 4, by counts", "Table 5", "Table 6, base", "Tables 9, 12"}
    assert made.matched
    assert "72 of 72 printed numbers" in made.summary()


@needs_data
def test_both_readings_to_1e_12(made):
    """The unrounded values of both readings, as they were recomputed elsewhere from the same gold."""
    rows = json.loads((FOLDER / "recomputed_003.json").read_text())["rows"]
    names = {"w_f1": "W-F1", "bor": "BOR", "purity": "Purity", "coverage": "Coverage", "f1_micro": "F1"}
    items = {
        "T3": "Table 3",
        "T3 baselines under Appendix D units": "Table 3 on Appendix D units",
        "T4": "Table 4",
        "T6 base table": "Table 6, base",
    }
    cells = {(c.item, c.dataset, c.row, c.column): c for c in made.cells}
    compared = 0
    for row in rows:
        label = "Every-N" if row["row"].startswith("Every-") else row["row"]
        for key, column in names.items():
            cell = cells.get((items[row["item"]], row["dataset"], label, column))
            if cell is not None:
                assert cell.as_run == pytest.approx(row["as_run"][key], abs=1e-12)
                assert cell.paper == pytest.approx(row["paper_same_predictions"][key], abs=1e-12)
                compared += 1
    assert compared == 78


@needs_data
def test_the_random_sweep_and_the_other_released_files(made):
    assert all(check.matched for check in made.files)
    sweep = {c.column: c for c in made.files if c.file == "sweep_dialseg711_random.csv.gz"}
    assert {c.compared for c in sweep.values()} == {2000}
    assert set(sweep) >= {"tau", "bor", "wf1", "wf1_1to1", "exact_f1", "coverage", "purity"}
    assert sweep["wf1_1to1"].largest_difference <= 1e-12
    assert sweep["wf1_1to1"].paper_largest_difference > 1e-3
    assert {c.column for c in made.files if c.file == "auc_summary.csv"} == {
        "auc_wf1",
        "auc_wf1_1to1",
        "auc_coverage",
    }


@needs_data
def test_the_order_of_acceptance_matters():
    """With sets filled in ascending order the released one-to-one column does not come out for five of ten seeds."""
    path = FOLDER / "episodic_released" / "results" / "sweep_dialseg711_random.csv.gz"
    released = [float(row["wf1_1to1"]) for row in read_rows(path) if row["seed"] == "2"]
    scores = RandomScores(gold(FOLDER, "DialSeg711", "T3", "user_turns"), 2)
    right = [row.scores["wf1_1to1"] for row in scores.rows("as_run")]
    assert right == pytest.approx(released, abs=1e-12)

    class Ascending(RandomScores):
        def _pairs(self):
            pairs, _ = super()._pairs()
            return pairs, pairs.hyp_pos.tolist()

    other = [row.scores["wf1_1to1"] for row in Ascending(scores.reference, 2).rows("as_run")]
    assert max(abs(a - b) for a, b in zip(other, released, strict=True)) > 1e-4


@needs_data
def test_a_moved_boundary_is_noticed(tmp_path):
    """One gold boundary moved: the command fails, and says which numbers are off."""
    shutil.copytree(FOLDER, tmp_path / "data")
    path = tmp_path / "data" / "dialseg711_masses.json"
    path.chmod(0o644)
    masses = json.loads(path.read_text())
    for dialogue in masses["dialogues"][:100]:
        dialogue["masses"] = [
            1,
            *dialogue["masses"][1:-1],
            dialogue["masses"][-1] + dialogue["masses"][0] - 1,
        ]
        turns = dialogue["user_turns"]
        n, last = turns["n"], turns["as_run_boundaries"]
        turns["as_run_boundaries"] = sorted(n - boundary for boundary in last)
    path.write_text(json.dumps(masses))
    found = reproduce("003", tmp_path / "data")
    assert not found.matched
    wrong = found.results(unmatched=True).reproduction
    assert not wrong.matched
    assert {"Table 3", "Table 4"} <= {cell.item for cell in wrong.cells}
    assert {check.column for check in wrong.files} >= {"wf1", "wf1_1to1"}
    assert all(cell.dataset == "DialSeg711" for cell in wrong.cells)


# ------------------------------------------------------------------ without the data


def test_papers_are_found_by_their_name():
    assert "003" in papers()
    with pytest.raises(DeclarationError, match=r"no reproduction of paper '03'; did you mean 003"):
        reproduce("03")


def test_where_the_data_are(monkeypatch, tmp_path):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    with pytest.raises(FormatError, match="CAESURA_DATA"):
        reproduce("003")
    with pytest.raises(FormatError, match=r"dialseg711_masses\.json: cannot be read"):
        reproduce("003", tmp_path)
    (tmp_path / "dialseg711_masses.json").write_text('{"dialogues": [{"id": "x"}]}')
    with pytest.raises(FormatError, match="is not a file of masses"):
        reproduce("003", tmp_path)


def test_marks(tmp_path):
    cells = (
        Cell("T", "d", "r", "W-F1", "0.528", 0.52788, 0.56317, "another rule"),
        Cell("T", "d", "r", "BOR", "1.00", 1.0, 1.0),
        Cell("T", "d", "r", "Regime", "Balanced", "Aggressive"),
        Cell("T", "d", "r", "Purity", None, 0.5, 0.25),
    )
    files = (
        FileCheck("f.csv", "wf1", 10, 1e-15, 1e-12, 0.1, "another rule"),
        FileCheck("f.csv", "n", 10, 1.0, 0.0),
    )
    made = Reproduction("9", "t", cells, files, (Absent("T2", "all", "needs a model"),))
    assert [cell.matched for cell in cells] == [True, True, False, None]
    assert [cell.paper_matched for cell in cells] == [False, True, None, None]
    assert [check.matched for check in files] == [True, False]
    assert not made.matched
    unmatched = made.results(unmatched=True)
    assert [cell.column for cell in unmatched.reproduction.cells] == ["Regime"]
    assert unmatched.notes == made.results().notes  # the summary is of everything
    text = "\n\n".join(map(str, made.tables()))
    assert "paper, W-F1: another rule" in text
    assert "needs a model" in text
    results = made.save(tmp_path / "r.json")
    plain = json.loads((tmp_path / "r.json").read_text())["reproduction"]
    assert plain["cells"][0]["matched"] is True
    assert plain["cells"][2]["as_run"] == "Aggressive"
    assert plain["files"][1]["matched"] is False
    again = read_results(tmp_path / "r.json")
    assert again == results
    assert as_text(again) == as_text(results)
    assert "\n\n".join(map(str, tables_of(again))) == text


@needs_data
def test_the_whole_paper_is_read_back(made, tmp_path):
    results = made.save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")
    assert again == results
    assert list(map(str, tables_of(again))) == list(map(str, made.tables()))


def test_a_file_with_nothing_in_it_matches_nothing():
    assert not FileCheck("f.csv", "wf1", 0, 0.0, 1e-12).matched


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
    scores = RandomScores(reference, 3)
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
