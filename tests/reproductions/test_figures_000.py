"""The scaled curves of paper 000, on a few documents."""

from __future__ import annotations

import pytest

from caesura_reproductions.paper_000 import figures
from caesura_reproductions.run import reproduce
from tests.corpora import FOLDER, needs


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(figures, "_DOCUMENTS", 8)
    monkeypatch.setattr(figures, "_SOURCES", dict(list(figures._SOURCES.items())[:1]))
    figures._embedded.cache_clear()
    yield
    figures._embedded.cache_clear()


@needs("wikisection_pt", "qmsum")
def test_the_curves_of_figure_2_are_the_share_of_emptied_documents():
    """Whatever the text: a document without a boundary has the worst score. It is no support for the metrics, but an erratum."""
    made = reproduce("000", "Fig2", data=FOLDER)
    cells = {(c.row, c.column): c for c in made.cells}
    for corpus in ("disease (Portuguese)", "city (Portuguese)", "QMSum"):
        for metric in ("ARP", "Silhouette"):
            same = cells[f"{corpus} | {metric}", "correlation with the share of documents emptied"]
            assert (same.ours, same.status) == (pytest.approx(1, abs=5e-4), None)
            for level in range(10):
                drawn, emptied = (cells[f"{corpus} | {row}", f"{level}"].ours for row in (metric, "documents emptied"))
                assert drawn == pytest.approx(emptied, abs=0.0115)
    apart = "ten boundaries or more"
    found = {
        metric: [
            cells[f"{corpus} (Portuguese), {apart} | {metric}", "correlation with Pk"] for corpus in ("disease", "city")
        ]
        for metric in ("ARP", "Silhouette", "SegReFree")
    }
    few = {m: [round(float(c.note.split("draws; ")[1].split()[0]), 2) for c in row] for m, row in found.items()}
    assert few == {"ARP": [0.88, 0.19], "Silhouette": [-0.03, 0.74], "SegReFree": [0.98, 0.96]}
    assert all(c.ours > 0.9 for m in ("ARP", "SegReFree") for c in found[m])
    assert all(abs(c.ours) < 0.3 for c in found["Silhouette"])
    (erratum,) = made.errata
    assert erratum.where == "Figure 2 and section 6.2"


@needs("choi")
@pytest.mark.parametrize("item", ["Fig2", "Fig3"])
def test_every_curve_lies_between_0_and_1_and_has_ten_levels(few, item):
    made = reproduce("000", item, data=FOLDER)
    points: dict[str, list[float]] = {}
    for cell in made.cells:
        if cell.column.isdigit():
            points.setdefault(cell.row, []).append(cell.ours)
    names = ["SegReFree", "Silhouette", "ARP", "Pk", "WindowDiff", "B"]
    assert [row.rpartition(" | ")[2] for row in points] == [*names, *["documents emptied"] * (item == "Fig2")]
    for values in points.values():
        assert len(values) == 10
        assert (min(values), max(values)) == (0.0, 1.0)
    if item == "Fig2":  # a boundary more that is removed always costs
        assert points["disease (Portuguese) | B"] == sorted(points["disease (Portuguese) | B"])
