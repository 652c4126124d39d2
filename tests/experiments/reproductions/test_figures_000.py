"""The scaled curves of paper 000, on a few documents."""

from __future__ import annotations

import pytest

from caesura.experiments.reproductions import reproduce
from caesura.experiments.reproductions.paper_000 import figures
from tests.corpora import FOLDER, needs


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(figures, "_DOCUMENTS", 8)
    monkeypatch.setattr(figures, "_SOURCES", dict(list(figures._SOURCES.items())[:1]))
    figures._embedded.cache_clear()
    yield
    figures._embedded.cache_clear()


@needs("choi")
@pytest.mark.parametrize("item", ["Fig2", "Fig3"])
def test_every_curve_lies_between_0_and_1_and_has_ten_levels(few, item):
    made = reproduce("000", item, data=FOLDER)
    points: dict[str, list[float]] = {}
    for cell in made.cells:
        if cell.column.isdigit():
            points.setdefault(cell.row, []).append(cell.ours)
    assert [row.rpartition(" | ")[2] for row in points] == [
        "SegReFree", "Silhouette", "ARP", "Pk", "WindowDiff", "B",
    ]  # fmt: skip
    for values in points.values():
        assert len(values) == 10
        assert (min(values), max(values)) == (0.0, 1.0)
    if item == "Fig2":  # a boundary more that is removed always costs
        assert points["disease (Portuguese) | B"] == sorted(points["disease (Portuguese) | B"])
