"""Paper 000: Table 2 from the printed correlations of Table 1."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.results import read_results
from caesura.segmentation import Segmentation
from caesura_reproductions.pages import stored
from caesura_reproductions.paper_000.t2 import _reach
from caesura_reproductions.run import reproduce
from studies.nine_systems.study import DATA
from tests.corpora import corpus_file, needs

NINE = json.loads(DATA.read_text())["corpora"]


@pytest.fixture(scope="module")
def cells():
    return {(c.row, c.column): c for c in reproduce("000", "T2").cells}


def test_39_exact_and_one_misprint(cells):
    assert sum(c.status == "exact" for c in cells.values()) == 39
    (wrong,) = [place for place, c in cells.items() if c.misprint]
    assert wrong == ("SegReFree", "WD mean")
    assert cells[wrong].note == "mean of the 12 correlations of Table 1: 0.0467"
    # The misprint went into the mean of the three columns: 0.27 where the correlations give 0.10.
    assert cells["SegReFree", "All mean"].definition == pytest.approx(0.0953, abs=5e-5)


def test_what_rounding_allows_can_be_reached():
    """Between the two ends every value is taken, so the printed digits must meet the range."""
    numbers = [0.91, 0.94, 0.75, 0.62]
    low, high = _reach(numbers, statistics.pstdev)
    assert low < statistics.pstdev(numbers) < high
    for end, way in ((low, -1), (high, 1)):
        middle = statistics.fmean(numbers)
        moved = [x + way * (0.005 if x > middle else -0.005) for x in numbers]
        assert max(abs(a - b) for a, b in zip(moved, numbers, strict=True)) <= 0.005 + 1e-12
        assert statistics.pstdev(moved) == pytest.approx(end)
    assert _reach(numbers, statistics.fmean) == pytest.approx((0.8, 0.81))


def test_which_digits_need_the_rounding(cells):
    assert {place for place, c in cells.items() if c.by_rounding} == {("ARP_std", "Pk std"), ("ARP_std", "WD mean")}


@needs("choi")
def test_our_own_systems_correlate_as_when_they_were_trained(tmp_path: Path):
    """The boundaries of the package give the coefficients that were measured where the systems were trained."""
    (tmp_path / "choi").symlink_to(corpus_file("choi"))  # and no weights, which take minutes
    measured = NINE["Choi 3-11"]["correlations"]
    cells = {(c.row, c.column): c for c in reproduce("000", "T1ours", tmp_path).cells}
    assert {column for (_, column), c in cells.items() if c.ours is None} >= {"MiniLM", "MPNet"}
    for metric, references in measured["default"].items():
        for reference, readings in references.items():
            for reading, r in readings.items():
                found = cells[f"{reference} | {metric}", f"Choi 3-11, included, {reading}"]
                assert found.ours == pytest.approx(r, abs=1e-6)
    assert all(
        c.ours >= 0.7
        for (row, column), c in cells.items()
        if "ARP" in row and column.startswith("Choi") and column.endswith("all")
    )
    means = [
        statistics.fmean(measured["default"][metric][r]["all"] for r in ("Pk", "WindowDiff", "B"))
        for metric in ("ARPpair", "Silhouette", "SegReFree")
    ]
    order = cells["mean of Pk, WindowDiff and B", "Choi 3-11, included, ARP above Silhouette above SegReFree"]
    assert order.ours == ("yes" if means == sorted(means, reverse=True) else "no")
    assert means[1] - means[2] > 0.3


@pytest.mark.parametrize(("called", "encoder"), [("included", "default"), ("MiniLM", "minilm"), ("MPNet", "mpnet")])
def test_the_page_has_what_was_measured_where_the_systems_were_trained(called: str, encoder: str):
    page = read_results(stored()["000"])
    cells = {(c.row, c.column): c.ours for c in page.cells if c.item == "T1ours"}
    compared = 0
    for corpus, measured in NINE.items():
        for metric, references in measured["correlations"].get(encoder, {}).items():
            for reference, readings in references.items():
                for reading, r in readings.items():
                    ours = cells.get((f"{reference} | {metric}", f"{corpus}, {called}, {reading}"))
                    if ours is not None:
                        assert ours == pytest.approx(r, abs=1e-6)
                        compared += 1
    assert compared >= 45


def test_outputs_of_systems_can_be_given_as_a_folder(tmp_path: Path):
    """Without the corpora of the package, only what a user has written is correlated; what lacks is named."""
    folder = tmp_path / "nine-systems" / "Letters" / "outputs"
    folder.mkdir(parents=True)
    subjects = ("the cat sat on the mat", "rain falls on the hills", "stocks fell on the market", "goals win a match")
    gold = {"BiLSTM-default": (3, 6, 9), "SheikhBiLSTM-default": (3, 7, 9), "TransformerHead-default": (2, 5, 10)}
    for name, cuts in {"gold": (3, 6, 9), **gold}.items():
        documents = [
            Document(id=str(n), n_units=12, unit="sentence", segmentation=Segmentation(12, cuts, unit="sentence"),
                     units=tuple(f"{subjects[(i // 3 + n) % 4]} {i}" for i in range(12)))
            for n in range(4)
        ]  # fmt: skip
        cz.save(Corpus(documents), folder / f"{name}.jsonl")
    made = reproduce("000", "T1ours", tmp_path)
    cells = {(c.row, c.column): c for c in made.cells}
    assert cells["every metric", "Choi 3-11"].note == "needs choi/choi_3_3-11.jsonl.gz below the data"
    assert cells["every metric", "MPNet"].status == "unavailable"
    found = cells["Pk | ARPpair", "Letters, included, all"]
    assert found.note == "3 trained systems of our own and the gold, all systems, as in the paper"
    assert found.ours > 0.5
    few = cells["every metric", "Letters, included, without baselines"]
    assert few.note == "3 trained systems are too few for it"
    assert not [column for _, column in cells if "density" in column]
    assert made.matched
    (folder / "gold.jsonl").unlink()
    with pytest.raises(FormatError, match=r"outputs.gold\.jsonl.*is missing"):
        reproduce("000", "T1ours", tmp_path)
