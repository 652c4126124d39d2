"""The granularity paper's baselines, as its code ran and as its appendices say, from the released gold.

Every value of Table 3 (DialSeg711, TIAGE), Table 4 (Random, Oracle-Periodic) and the base table of Table 6 (Even) that
needs no encoder, to 1e-12; the printed digits follow.
"""

from __future__ import annotations

import json
import random

import pytest

import caesura as cz
from tests.corpora import corpus_file, needs

RECOMPUTED = "reproduction/recomputed_003.json"
pytestmark = needs(RECOMPUTED)

S = cz.Segmentation


def dialogues(dataset: str) -> list[dict]:
    name = {"DialSeg711": "dialseg711_masses.json", "TIAGE": "tiage_masses.json"}[dataset]
    return json.loads(corpus_file(f"reproduction/{name}").read_text())["dialogues"]


def gold(row: dict) -> dict[str, S]:
    """Return the gold that a row was computed on: which dialogues, which units, which boundaries."""
    found = dialogues(row["dataset"])
    if row["item"] == "T4":
        found = [d for d in found if d["set"] != "dev"]
    elif row["dataset"] == "TIAGE":
        found = [d for d in found if d["set"] == "test"]
    if row["view"].startswith("user turns"):
        return {str(d["id"]): S(d["user_turns"]["n"], d["user_turns"]["as_run_boundaries"]) for d in found}
    return {str(d["id"]): S.from_masses(d["masses"]) for d in found}


def predictions(row: dict, reference: dict[str, S]) -> dict[str, S]:
    """Return the baseline as the released scripts draw it."""
    name = row["row"]
    random.seed(42)
    found = {}
    for key, g in reference.items():
        n, b = g.n_units, g.n_boundaries
        if name == "No-boundary":
            gaps = []
        elif name.startswith("Every-"):
            gaps = list(range(int(name[6:]), n, int(name[6:])))
        elif name == "Random" and row["item"] == "T4":
            k = int(0.1 * (n - 1))
            gaps = random.sample(list(range(1, n)), k) if k else []
        elif name == "Random":
            gaps = list(range(1, n)) if b > n - 1 else random.sample(list(range(1, n)), b)
        else:
            step = n / (b + 1)
            gaps = list({int(i * step) for i in range(1, b + 1) if 1 <= int(i * step) <= n - 1})
        found[key] = S(n, sorted(gaps))
    return found


def rows() -> list[dict]:
    if not corpus_file(RECOMPUTED).is_file():
        return []
    return json.loads(corpus_file(RECOMPUTED).read_text())["rows"]


ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"{r['item']}-{r['dataset']}-{r['row']}" for r in ROWS])
def test_baselines(row):
    reference = gold(row)
    hypothesis = predictions(row, reference)
    assert len(reference) == row["counts"]["dialogues"]
    assert sum(s.n_boundaries for s in reference.values()) == row["counts"]["gold"]
    assert sum(s.n_boundaries for s in hypothesis.values()) == row["counts"]["pred"]
    names = ["W-F1", "BoundaryPrecision(tolerance=1)", "BoundaryRecall(tolerance=1)", "BOR", "Purity", "Coverage"]
    for profile, key in (("as_run", "as_run"), ("paper", "paper_same_predictions")):
        scores = cz.evaluate(reference, {"x": hypothesis}, names, profile=profile).scores["x"]
        exact = cz.evaluate(reference, {"x": hypothesis}, "F1", profile=profile, by="micro").scores["x"]["F1"]
        expected = row[key]
        assert scores["W-F1"] == pytest.approx(expected["w_f1"], abs=1e-12)
        assert scores["BOR"] == pytest.approx(expected["bor"], abs=1e-12)
        assert scores["Purity"] == pytest.approx(expected["purity"], abs=1e-12)
        assert scores["Coverage"] == pytest.approx(expected["coverage"], abs=1e-12)
        assert exact == pytest.approx(expected["f1_micro"], abs=1e-12)
        if "w_precision" in expected:
            assert scores["BoundaryPrecision(tolerance=1)"] == pytest.approx(expected["w_precision"], abs=1e-12)
            assert scores["BoundaryRecall(tolerance=1)"] == pytest.approx(expected["w_recall"], abs=1e-12)


# Table 3 as printed: W-F1, BOR, purity, coverage.
PRINTED = {
    ("DialSeg711", "No-boundary"): (0.000, 0.00, 0.438, 1.000),
    ("DialSeg711", "Every-4"): (0.639, 0.97, 0.812, 0.823),
    ("DialSeg711", "Random"): (0.528, 1.00, 0.839, 0.833),
    ("TIAGE", "No-boundary"): (0.140, 0.00, None, None),
    ("TIAGE", "Every-3"): (0.610, 0.97, None, None),
    ("TIAGE", "Random"): (0.664, 1.00, None, None),
}


@pytest.mark.parametrize("key", PRINTED, ids=["-".join(key) for key in PRINTED])
def test_table_3_to_the_printed_digit(key):
    (row,) = [r for r in ROWS if r["item"] == "T3" and (r["dataset"], r["row"]) == key]
    reference = gold(row)
    names = ["W-F1", "BOR", "Purity", "Coverage"]
    scores = cz.evaluate(reference, {"x": predictions(row, reference)}, names, profile="as_run").scores["x"]
    for name, digits, printed in zip(names, (3, 2, 3, 3), PRINTED[key], strict=True):
        if printed is not None:
            assert round(scores[name], digits) == printed, name
