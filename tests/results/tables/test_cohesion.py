"""Measurements without a reference that were stored under schema 1."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from caesura.errors import FormatError
from caesura.reports import render
from caesura.results import read_results, tables_of, write_results
from caesura.results.tables.cohesion import csv_table

STORED = Path(__file__).parents[1] / "cohesion_schema_1.json"

# What the command printed when it wrote the file.
PRINTED = """\
system,document,segments,SegReFree,SegReFree z count,SegReFree % count,SegReFree z lengths,SegReFree % lengths
a,d0,3,inf,,20.0,,
a,d1,3,6.027449555582716,-3.3869557710764093,0.0,,
a,d2,3,7.578739333788151,-1.6197948054855862,10.0,,
b,d0,2,6.309401076758504,,90.0,,
b,d1,2,2.951886014974696,-0.2670919132514349,50.0,,
b,d2,2,6.497779903904015,-0.5985764166174196,30.0,,
"""


def test_a_file_of_schema_1_keeps_its_numbers():
    results = read_results(STORED)
    assert (results.question, results.unit) == ("cohesion", "unit")
    score = results.systems["a"]["SegReFree"]
    assert score.score == math.inf
    assert score.nulls["count"].documents == 2
    assert (score.nulls["count"].draws, score.nulls["count"].seed) == (5, 0)
    assert results.cohesion.encoder.dim == 3
    (pair,) = results.comparisons
    assert (pair.equal.how, pair.documents, pair.dropped) == ("chance", 2, 1)
    assert results.cohesion.worst["a"][0].value == math.inf


def test_a_file_of_schema_1_can_be_shown():
    results = read_results(STORED)
    (table,) = tables_of(results)
    # The number of segments of each document was not stored.
    expected = [line.split(",") for line in PRINTED.splitlines()]
    expected = [row if place == 0 else [*row[:2], "", *row[3:]] for place, row in enumerate(expected)]
    assert [line.split(",") for line in render(table, "csv").splitlines()] == expected
    results.per_document = None
    shown = tables_of(results)
    titles = ["Cohesion by", "Intervals", "Against chance", "Comparison", "Worst segments by SegReFree"]
    assert all(table.title.startswith(title) for table, title in zip(shown, titles, strict=True))
    # Nor was the number of resamples.
    assert "resampled" not in "".join(map(str, shown))
    density = results.cohesion.density
    assert [row[2] for row in csv_table(results).rows] == [density[s].segments_per_100 for s in "ab"]


def test_a_file_of_schema_1_is_written_under_the_present_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = read_results(STORED)
    write_results(tmp_path / "r.json", results)
    assert read_results(tmp_path / "r.json") == results


@pytest.mark.parametrize("section", ["density", "encoder"])
def test_a_damaged_file_of_schema_1_is_refused(tmp_path, section):
    plain = json.loads(STORED.read_text())
    del plain[section]
    (tmp_path / "r.json").write_text(json.dumps(plain))
    with pytest.raises(FormatError, match=rf"r\.json.*damaged results file.*{section}"):
        read_results(tmp_path / "r.json")
